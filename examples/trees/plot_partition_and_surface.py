"""
A tree, its rectangles and its surface
======================================

Recursive cuts divide the plane into rectangles; the prediction is a step above each. Not every division into
rectangles can be made by cutting in two again and again.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Rectangle

from statlearn.plot import style
from statlearn.trees import DecisionTreeRegressor, plot_partition, plot_tree

rng = np.random.default_rng(1)
X = rng.random((400, 2))
y = np.select(
    [(X[:, 0] < 0.4) & (X[:, 1] < 0.5), X[:, 0] < 0.4, X[:, 0] < 0.7, X[:, 1] < 0.3], [1.0, 2.5, 0.5, 3.5], default=1.5
)
y += 0.2 * rng.normal(size=400)
tree = DecisionTreeRegressor(max_leaf_nodes=5).fit(X, y)

with style():
    fig = plt.figure(figsize=(10, 4.4), layout="constrained")
    left, right = fig.add_subplot(1, 2, 1), fig.add_subplot(1, 2, 2, projection="3d")
    plot_partition(tree, X, ax=left)
    plot_partition(tree, X, kind="surface", ax=right)
    left.set_title("five rectangles")
    right.set_title("five steps")
plot_tree(tree, filled=True, rounded=True, impurity=False)
plt.show()

# %%
# A pinwheel of five rectangles: whatever straight cut one makes first, it goes through one of them.

pinwheel = [((0, 0), 0.65, 0.35), ((0.65, 0), 0.35, 0.65), ((0.35, 0.65), 0.65, 0.35), ((0, 0.35), 0.35, 0.65),
            ((0.35, 0.35), 0.3, 0.3)]  # fmt: skip
with style() as colours:
    fig, ax = plt.subplots(figsize=(4, 4), layout="constrained")
    for (corner, width, height), colour in zip(pinwheel, colours.cycle):
        ax.add_patch(Rectangle(corner, width, height, fc=colour, alpha=0.35, ec=colours.ink))
    ax.set(xlabel="x0", ylabel="x1", title="no tree makes these five", aspect="equal")
    ax.grid(False)
    inside = rng.random((600, 2))
    boxes = np.array([[x, y, x + w, y + h] for (x, y), w, h in pinwheel])
    number = np.argmax(
        ((inside[:, None] >= boxes[None, :, :2]) & (inside[:, None] < boxes[None, :, 2:])).all(axis=2), axis=1
    )
    leaves = DecisionTreeRegressor().fit(inside, number).get_n_leaves()
    ax.scatter(*inside.T, s=3, color=colours.ink)
plt.show()

# %%
# A tree gets there with more cuts than there are rectangles:
print(f"{leaves} leaves for five rectangles")
