"""
A small and a large price of slack
==================================

C is the price of every unit of slack. A small C buys a wide margin with many rows inside; a large C follows the rows
closest to the border.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.plot import style
from statlearn.svm import SVC, svm_path

rng = np.random.default_rng(1)
y = np.repeat([-1, 1], 40)
X = rng.normal(size=(80, 2)) + np.outer(y, [1.0, 0.7])
grid = np.linspace(-4.5, 4.5, 150)
corners = np.meshgrid(grid, grid)
with style() as colours:
    fig, axes = plt.subplots(1, 2, figsize=(9.6, 4.4), sharey=True, layout="constrained")
    for ax, C in zip(axes, (0.01, 10.0)):
        machine = SVC(kernel="linear", C=C).fit(X, y)
        f = machine.decision_function(np.column_stack([c.ravel() for c in corners])).reshape(corners[0].shape)
        ax.contour(*corners, f, levels=[-1, 0, 1], colors=colours.ink, linestyles=["--", "-", "--"], linewidths=1.2)
        for label, colour, marker in ((-1, colours.cycle[0], "o"), (1, colours.cycle[1], "s")):
            ax.scatter(*X[y == label].T, s=20, color=colour, marker=marker)
        ax.scatter(*X[machine.support_].T, s=70, facecolors="none", edgecolors=colours.muted, linewidths=0.8)
        width = float(np.ravel(machine.width_)[0])
        ax.set(title=f"C = {C:g}: width {width:.2f}, {machine.support_.size} support vectors", xlabel="x1")
    axes[0].set_ylabel("x2")
plt.show()

# %%
# Over the whole range of C the margin only narrows and the total slack only falls. Beyond some C nothing changes any
# more that a picture would show, but the solver needs more steps.

path = svm_path(X, y, Cs=np.logspace(-3, 2, 26), tol=1e-4)
with style() as colours:
    fig, axes = plt.subplots(1, 3, figsize=(10.5, 3.2), layout="constrained")
    for ax, values, name in zip(
        axes, (path.width, path.slack, path.n_support), ("width of the margin", "total slack", "support vectors")
    ):
        ax.semilogx(path.C, values, "o-", ms=3)
        ax.set(xlabel="C", title=name, ylim=(0, None))
plt.show()
