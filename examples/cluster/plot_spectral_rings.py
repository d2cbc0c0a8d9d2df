"""
Rings and moons: cutting a graph instead of a plane
===================================================

k-means divides the plane by straight lines. Spectral clustering divides a graph of similar rows, and finds shapes that
wind around one another. The smallest eigenvalues of the graph's Laplacian say how many there are.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_circles, make_moons

from statlearn.cluster import KMeans, SpectralClustering, adjusted_rand_score, eigengap, similarity_graph
from statlearn.plot import style

sets = {
    "rings": (make_circles(400, factor=0.45, noise=0.05, random_state=0), 60.0),
    "moons": (make_moons(400, noise=0.06, random_state=0), 40.0),
}
with style() as colours:
    fig, axes = plt.subplots(2, 3, figsize=(10.5, 6.4), layout="constrained")
    for (name, ((X, y), gamma)), row in zip(sets.items(), axes):
        models = {
            "k-means": KMeans(2, n_init=10, random_state=0),
            "spectral": SpectralClustering(2, gamma=gamma, random_state=0),
        }
        for ax, (method, model) in zip(row, models.items()):
            labels = model.fit_predict(X)
            ax.scatter(*X.T, c=np.array(colours.cycle)[labels], s=12)
            ax.set_title(f"{method}: Rand {adjusted_rand_score(y, labels):.2f}")
            ax.set_aspect("equal")
        found = eigengap(similarity_graph(X, gamma=gamma), n_eigenvalues=4)
        found.plot(ax=row[2])
        row[2].set_title(f"{name}: {found.n_clusters} before the gap")
plt.show()

# %%
# The second eigenvector is nearly constant on each ring and jumps from one to the other, so that in its coordinates
# k-means has an easy task.

X = sets["rings"][0][0]
model = SpectralClustering(2, gamma=60.0, random_state=0).fit(X)
with style() as colours:
    fig, ax = plt.subplots(figsize=(5.6, 3.6), layout="constrained")
    radius = np.linalg.norm(X, axis=1)
    ax.scatter(radius, model.embedding_[:, 1], c=np.array(colours.cycle)[model.labels_], s=12)
    ax.set(xlabel="distance from the middle", ylabel="second eigenvector")
plt.show()

# %%
# Eigenvalues of clusters that touch are nearly zero, not zero: read the gap after the first few, not the count. Further
# up, long thin shapes have gaps of their own. A gamma that is too large makes every row a cluster of its own; one that
# is too small, a single one.
