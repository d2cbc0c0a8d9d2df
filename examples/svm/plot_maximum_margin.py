"""
The separating line with the widest margin
==========================================

Many lines separate two separable classes. Every method picks another one; the hard margin picks the one whose closest
rows are farthest away.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.plot import style
from statlearn.svm import SVC, HardMarginSVC, compare_separators

rng = np.random.default_rng(4)
y = np.repeat([-1, 1], 20)
X = rng.normal(scale=0.8, size=(40, 2)) + np.outer(y, [1.6, 1.2])
table = compare_separators(X, y)
print(table)

# %%
# On the left the five lines. On the right the widest margin: its rim passes through the support vectors, and no other
# row matters.


def draw_line(ax, w, b, level=0.0, **options):
    """The line w'x + b = level, for a w that is not horizontal."""
    x2 = np.array(ax.get_ylim())
    ax.plot((level - b - w[1] * x2) / w[0], x2, **options)


def draw_rows(ax, X, y, colours):
    for label, colour, marker in ((-1, colours.cycle[0], "o"), (1, colours.cycle[1], "s")):
        ax.scatter(*X[y == label].T, s=22, color=colour, marker=marker, zorder=3)
    ax.set(xlim=(-4.2, 4.2), ylim=(-3.6, 3.6), xlabel="x1", ylabel="x2")


machine = HardMarginSVC().fit(X, y)
with style() as colours:
    fig, (left, right) = plt.subplots(1, 2, figsize=(9.6, 4.8), layout="constrained")
    draw_rows(left, X, y, colours)
    names = ["least squares", "linear discriminant", "logistic regression", "perceptron", "maximum margin"]
    for k, name in enumerate(names):
        w = np.array([table["x0"][k], table["x1"][k]])
        dashes = ["--", ":", "-.", (0, (5, 1)), "-"][k]
        label = f"{name}: margin {table['margin'][k]:.2f}"
        draw_line(left, w, table["intercept"][k], color=colours.cycle[k], ls=dashes, label=label)
    left.set_title("five separating lines")
    left.legend(fontsize="small", loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2)
    draw_rows(right, X, y, colours)
    for level in (-1, 0, 1):
        draw_line(right, machine.coef_[0], machine.intercept_[0], level, color=colours.ink, ls="--" if level else "-")
    right.scatter(*X[machine.support_].T, s=90, facecolors="none", edgecolors=colours.ink, zorder=4)
    right.set_title(f"maximum margin, width {float(np.ravel(machine.width_)[0]):.2f}")
plt.show()

# %%
# When the classes overlap, rows may lie inside the margin or on the wrong side, at a price C for every unit of slack.
# The thin lines show the slacks.

X = X * [0.9, 1.0] - np.outer(y, [0.9, 0.6])
machine = SVC(kernel="linear", C=1.0).fit(X, y)
w, b = machine.coef_[0], machine.intercept_[0]
with style() as colours:
    fig, ax = plt.subplots(figsize=(5.6, 4.4), layout="constrained")
    draw_rows(ax, X, y, colours)
    for level in (-1, 0, 1):
        draw_line(ax, w, b, level, color=colours.ink, ls="--" if level else "-")
    ends = X + np.outer(y * machine.slack_, w / (w @ w))
    for start, end, slack in zip(X, ends, machine.slack_):
        if slack > 0:
            ax.plot(*np.array([start, end]).T, lw=0.8, color=colours.muted)
    ax.set_title(f"soft margin, C = 1, total slack {machine.slack_.sum():.1f}")
plt.show()

for status, count in zip(*np.unique(machine.support_status_, return_counts=True)):
    print(f"{status}: {count} rows")
