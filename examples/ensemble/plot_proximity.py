"""
Proximities: the rows as a forest sees them
===========================================

Two rows are close when they end in the same leaf of many trees that have seen neither of them. Classical scaling turns
the proximities into points.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine

from statlearn.ensemble import (
    RandomForestClassifier,
    proximity_matrix,
    proximity_outliers,
    proximity_plot,
    proximity_scaling,
)
from statlearn.plot import style

X, y = load_wine(return_X_y=True)
forest = RandomForestClassifier(500, random_state=0).fit(X, y)
P = proximity_matrix(forest, X)

# %%
# The arms of the star are the classes, rows near the centre are the doubtful ones. On the right the same matrix, rows
# ordered by class: bright blocks are rows that the forest cannot tell apart.
outlying = proximity_outliers(P, y)
far = np.argsort(-outlying)[:3]
points = proximity_scaling(P)
with style():
    fig, axes = plt.subplots(1, 2, figsize=(10.5, 4.6), layout="constrained")
    proximity_plot(forest, X, y, ax=axes[0])
    axes[0].scatter(*points[far].T, s=120, facecolors="none", edgecolors="black")
    axes[0].set_title("circles: the three rows farthest from their class")
    order = np.argsort(y, kind="stable")
    image = axes[1].imshow(P[np.ix_(order, order)], cmap="viridis")
    fig.colorbar(image, ax=axes[1], label="proximity")
    axes[1].set(title="proximities, rows by class", xticks=[], yticks=[])
plt.show()
