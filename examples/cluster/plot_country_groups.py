"""
Twelve countries: medoids, heat map and dendrograms
===================================================

Students of political science judged how unlike twelve countries are, two by two, from 1 to 9. There are no coordinates,
only dissimilarities: enough for k-medoids and for hierarchies.
"""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np

from statlearn.cluster import KMedoids, cophenetic, dendrogram, leaf_order, linkage
from statlearn.plot import style

names = ["BEL", "BRA", "CHI", "CUB", "EGY", "FRA", "IND", "ISR", "USA", "USS", "YUG", "ZAI"]
lower = """
5.58
7.00 6.50
7.08 7.00 3.83
4.83 5.08 8.17 5.83
2.17 5.75 6.67 6.92 4.92
6.42 5.00 5.58 6.00 4.67 6.42
3.42 5.50 6.42 6.42 5.00 3.92 6.17
2.50 4.92 6.25 7.33 4.50 2.25 6.33 2.75
6.08 6.67 4.25 2.67 6.00 6.17 6.17 6.92 6.17
5.25 6.83 4.50 3.75 5.75 5.42 6.08 5.83 6.67 3.67
4.75 3.00 6.08 6.67 5.00 5.58 4.83 6.17 5.67 6.50 6.92
"""
D = np.zeros((12, 12))
D[np.tril_indices(12, -1)] = [float(word) for word in lower.split()]
D += D.T

# %%
# Three medoids: each cluster is represented by one of its members.
model = KMedoids(3, metric="precomputed", random_state=0).fit(D)
for k, medoid in enumerate(model.medoid_indices_):
    print(names[medoid], "for", ", ".join(names[i] for i in np.flatnonzero(model.labels_ == k)))
print(f"sum of dissimilarities: {model.inertia_:.2f}")

# %%
# The matrix in the order of the survey shows little; ordered by cluster, blocks appear.
order = np.lexsort((D[model.medoid_indices_[model.labels_], np.arange(12)], model.labels_))
with style():
    fig, axes = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
    for ax, rows, title in ((axes[0], np.arange(12), "order of the survey"), (axes[1], order, "by cluster")):
        image = ax.imshow(D[np.ix_(rows, rows)], cmap="cividis")
        ax.set_xticks(range(12), [names[i] for i in rows], rotation=90)
        ax.set_yticks(range(12), [names[i] for i in rows])
        ax.grid(False)
        ax.set_title(title)
    for edge in np.cumsum(np.bincount(model.labels_))[:-1] - 0.5:
        axes[1].axhline(edge, color="white")
        axes[1].axvline(edge, color="white")
    fig.colorbar(image, ax=axes, label="dissimilarity")
plt.show()

# %%
# Three linkages agree on the western and the socialist countries, and differ on the rest. The correlation of the
# cophenetic distances with the judgements says how much of them each tree keeps.
upper = D[np.triu_indices(12, 1)]
trees = {method: linkage(D, method, metric="precomputed") for method in ("single", "average", "complete")}
with style():
    fig, axes = plt.subplots(1, 3, figsize=(13, 3.8), sharey=True, layout="constrained")
    for ax, (method, Z) in zip(axes, trees.items()):
        dendrogram(Z, labels=names, n_clusters=3, ax=ax)
        kept = np.corrcoef(cophenetic(Z), upper)[0, 1]
        ax.set_title(f"{method} linkage (cophenetic correlation {kept:.2f})", fontsize=10)
        ax.set_ylim(0, 8.6)
plt.show()

# %%
# Neighbours along the axis need not be close. Swapping the two branches of any merge gives another drawing of the same
# tree: read the height of the join.
Z = trees["complete"]
order = leaf_order(Z)
heights = np.zeros((12, 12))
heights[np.triu_indices(12, 1)] = cophenetic(Z)
for left, right in pairwise(order):
    joined = max(heights[left, right], heights[right, left])
    if joined > 5:
        print(f"{names[left]} stands beside {names[right]}, but they are joined at {joined:.2f} only")
