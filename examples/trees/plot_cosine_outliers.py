"""
A wave with outliers: depth 2 and depth 5
=========================================

Observations of cos(2x), every fifth of them far off.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.plot import style
from statlearn.trees import DecisionTreeRegressor

rng = np.random.default_rng(0)
x = np.sort(5 * rng.random(80))
y = np.cos(2 * x)
y[::5] += 3 * (0.5 - rng.random(16))
grid = np.linspace(0, 5, 1001)
with style() as colours:
    fig, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
    ax.plot(x, y, "o", color=colours.muted, ms=4, label="observations")
    ax.plot(grid, np.cos(2 * grid), ":", color=colours.ink, label="cos(2x)")
    for depth, colour in zip((2, 5), colours.cycle):
        tree = DecisionTreeRegressor(max_depth=depth).fit(x[:, None], y)
        ax.plot(grid, tree.predict(grid[:, None]), color=colour, label=f"depth {depth}, {tree.get_n_leaves()} leaves")
    ax.set(xlabel="x", ylabel="y")
    ax.legend(ncols=2, loc="lower left")
plt.show()

# %%
# Four steps follow the wave roughly. The deep tree spends leaves on single outliers: means of squares are pulled by
# them. Leaves that must hold several rows, or the absolute error, cure that.

for settings in ({}, {"min_samples_leaf": 5}, {"criterion": "absolute_error"}):
    tree = DecisionTreeRegressor(max_depth=5, **settings).fit(x[:, None], y)
    error = np.sqrt(np.mean((tree.predict(grid[:, None]) - np.cos(2 * grid)) ** 2))
    print(f"{settings or 'plain'}: root mean square distance from the wave {error:.3f}")
