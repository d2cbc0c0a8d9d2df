"""
Bump hunting in a corner
========================

200 points, one class in the upper right corner of the square. PRIM peels thin strips off a box as long as the share of
that class in it rises.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Rectangle

from statlearn.plot import style
from statlearn.trees import PRIM, peel_count

rng = np.random.default_rng(0)
X = rng.random((200, 2))
y = ((X[:, 0] > 0.55) & (X[:, 1] > 0.5)).astype(float)
flipped = rng.random(200) < 0.04
y[flipped] = 1 - y[flipped]

# %%
# Eight boxes along the way, from the first peel to the last. Orange squares are the class that PRIM looks for; the
# titles show its share among the rows that are left.

model = PRIM(alpha=0.1, n_min=10, max_boxes=1).fit(X, y)
path = model.trajectory_[0]
with style() as colours:
    fig, axes = plt.subplots(2, 4, figsize=(12, 6), layout="constrained", sharex=True, sharey=True)
    for ax, k in zip(axes.ravel(), [1, 2, 3, 5, 8, 12, 16, len(path.mean) - 1]):
        low, high = np.maximum(path.lower[k], 0), np.minimum(path.upper[k], 1)
        ax.add_patch(Rectangle(low, *(high - low), fc=colours.good, alpha=0.2, ec=colours.ink, zorder=1))
        for value, marker in ((0, "o"), (1, "s")):
            ax.scatter(*X[y == value].T, s=9, marker=marker, color=colours.cycle[value])
        ax.set_title(f"{k} peel{'s' * (k > 1)}: {path.mean[k]:.0%} of {path.support[k] * 200:.0f}", fontsize=10)
        ax.grid(False)
plt.show()

# %%
# Mean against support along the way. Cross-validation chooses the box.

model.plot_trajectory()
plt.show()
for rule in model.rules():
    print(rule)

# %%
# Patience: from 128 rows down to one, a tenth at a time takes many more steps than halving.

print(f"{peel_count(128):.1f} peels of a tenth, {peel_count(128, rounding='ceil')} with whole rows, ", end="")
print(f"{peel_count(128, 0.5, n_end=2):.0f} halvings to pairs")
