"""
Three say one thing, five another
=================================

A query among eleven points: who votes decides what it is.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.neighbors import KNeighborsClassifier
from statlearn.plot import style

X = np.array(
    [
        [0.35, 0.25], [-0.45, 0.2], [0.25, -0.75],  # the three nearest
        [-0.8, -0.45], [0.95, -0.2],  # the next two
        [-1.3, 0.6], [1.2, 1.1], [-0.2, 1.5], [1.5, -0.9], [-1.2, -1.2], [0.3, -1.6],
    ]
)  # fmt: skip
y = np.array(["disc", "disc", "square", "square", "square", "disc", "disc", "disc", "square", "square", "square"])
query = np.zeros((1, 2))
with style() as colours:
    fig, ax = plt.subplots(figsize=(5.6, 5.2), layout="constrained")
    for label, marker, colour in (("disc", "o", colours.cycle[0]), ("square", "s", colours.cycle[1])):
        ax.scatter(*X[y == label].T, marker=marker, s=70, color=colour, label=label)
    ax.scatter(*query.T, marker="*", s=190, color=colours.ink, label="query", zorder=3)
    for k, line, shift, side in ((3, "-", -9, "top"), (5, "--", 4, "bottom")):
        model = KNeighborsClassifier(k).fit(X, y)
        radius = model.kneighbors(query)[0][0, -1]
        share = model.predict_proba(query)[0].max()
        ax.add_patch(plt.Circle((0, 0), radius * 1.04, fill=False, ls=line, lw=1.3, color=colours.ink))
        text = f"k = {k}: {model.predict(query)[0]} ({share:.0%})"
        ax.annotate(
            text, (0, radius * 1.04), (0, shift), textcoords="offset points", ha="center", va=side, fontsize="small"
        )
    ax.set(xlim=(-1.9, 1.9), ylim=(-1.9, 1.9), aspect="equal", xlabel="x0", ylabel="x1")
    ax.legend(loc="upper left")
plt.show()

# %%
# Two of the three nearest are discs, three of the five nearest are squares. Weights by distance let the near ones count
# for more:

for k in (1, 3, 5, 7, 9):
    plain = KNeighborsClassifier(k).fit(X, y).predict(query)[0]
    near = KNeighborsClassifier(k, weights="distance").fit(X, y).predict(query)[0]
    print(f"k = {k}: {plain} by equal votes, {near} by votes in inverse proportion to the distance")
