"""
Shapes: alignment, mean and sparse variation
============================================

Five writers sign the same way, but larger, turned and shaken. What is the common shape, and where does it vary?
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.decomposition import SparsePCA, procrustes, procrustes_average
from statlearn.plot import style, theme

rng = np.random.default_rng(0)
t = np.linspace(0, 1, 80)
signature = np.column_stack([3 * t + 0.25 * np.sin(14 * t), 0.6 * np.sin(9 * t) + 0.4 * np.cos(23 * t) * t])


def written():
    """One signature: the loop in the middle varies in height, everything is turned, shifted and a bit shaken."""
    bump = np.exp(-(((t - 0.45) / 0.07) ** 2))
    shape = signature + np.column_stack([np.zeros(80), 0.35 * rng.normal() * bump])
    angle = rng.uniform(-0.8, 0.8)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return shape @ turn + rng.normal(size=2) + 0.01 * rng.normal(size=shape.shape)


shapes = np.array([written() for _ in range(30)])

# %%
# Two signatures, aligned by a rotation and a shift; then all of them, with their mean shape.
pair = procrustes(shapes[1], shapes[0])
average = procrustes_average(shapes)
with style():
    figure, axes = plt.subplots(1, 3, figsize=(12, 3.4), layout="constrained")
    axes[0].plot(*shapes[0].T, label="first")
    axes[0].plot(*shapes[1].T, label="second")
    axes[0].plot(*pair.aligned.T, "--", label="second, aligned")
    axes[0].legend()
    for shape in average.aligned:
        axes[1].plot(*shape.T, color=theme().muted, lw=0.5)
    axes[1].plot(*average.mean.T, color=theme().bad, lw=2)
    axes[0].set(title="two signatures", aspect="equal")
    axes[1].set(title="30 aligned signatures and their mean", aspect="equal")

    # %%
    # One sparse component of the aligned outlines: its loadings are zero but for the points of the loop that varies.
    model = SparsePCA(1, alpha=0.4).fit(average.aligned.reshape(30, -1))
    move = model.components_[0].reshape(80, 2)
    axes[2].plot(*average.mean.T, color=theme().muted)
    moved = np.abs(move).max(axis=1) > 0
    axes[2].plot(*average.mean[moved].T, "o", ms=4, color=theme().bad)
    axes[2].quiver(*average.mean.T, *move.T, color=theme().bad, width=0.004, angles="xy", scale_units="xy", scale=1.2)
    axes[2].set(title=f"sparse component: {moved.sum()} of 80 points", aspect="equal")
plt.show()

# %%
# Sum of squared distances from the mean, after each round:
print(np.round(average.objective, 4))

# %%
# The signatures are simulated. *The Elements of Statistical Learning* shows the same with outlines of the corpus
# callosum from brain scans, which are not among its data sets. Any outlines with the same number of points take their
# place::
#
#     shapes = np.load("outlines.npy")  # of shape (n_shapes, n_points, 2)
