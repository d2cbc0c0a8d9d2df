"""
Two moons with six labels
=========================

Three hundred points, six of which are labelled. What a classifier makes of the six alone, and what three methods make
of all points.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from statlearn.cluster import LabelPropagation
from statlearn.ensemble import SelfTrainingClassifier
from statlearn.gp import RBF, GaussianProcessClassifier
from statlearn.neighbors import KNeighborsClassifier
from statlearn.plot import plot_decision_boundary

X, truth = make_moons(300, noise=0.07, random_state=0)
y = np.full(300, -1)
for k in (0, 1):
    y[np.flatnonzero(truth == k)[:3]] = k
known = y >= 0

process = GaussianProcessClassifier(10.0 * RBF(0.3), optimizer=None)
nearest = KNeighborsClassifier(5, weights="distance")
rule = {"criterion": "k_best", "k_best": 5, "max_iter": None}
models = {
    "Gaussian process, six labels only": process.fit(X[known], y[known]),
    "self-training of the process": SelfTrainingClassifier(process, **rule).fit(X, y),
    "self-training of 5 neighbours": SelfTrainingClassifier(nearest, **rule).fit(X, y),
    "label propagation": LabelPropagation().fit(X, y),
}
fig, axes = plt.subplots(2, 2, figsize=(10, 7), layout="constrained", sharex=True, sharey=True)
for ax, (name, model) in zip(axes.flat, models.items(), strict=True):
    plot_decision_boundary(model, X, regions="class", ax=ax)
    ax.scatter(*X[~known].T, s=7, color="0.35")
    for k, marker in ((0, "s"), (1, "^")):
        ax.scatter(*X[y == k].T, s=90, marker=marker, edgecolor="k", facecolor="w", zorder=3)
    ax.set_title(f"{name}: {np.mean(model.predict(X) == truth):.0%} right", fontsize=9)
    print(f"{name:45} {np.mean(model.predict(X) == truth):.3f}")
plt.show()

# %%
# The six labels say little about the shape of the classes, the other points say much: labels that move from neighbour
# to neighbour follow each moon to its end, because there is a gap between them. Self-training does the same if its
# classifier is least sure far from labels. Five neighbours with six labels vote with the same certainty anywhere: they
# add errors in the first rounds, and learn them.
