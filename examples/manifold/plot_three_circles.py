"""
Three rings: kernel components and graph coordinates
====================================================

Three noisy rings cannot be told apart by a line. Does a kernel or a graph help?
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

from statlearn.manifold import KernelPCA, SpectralEmbedding, three_circles
from statlearn.plot import style

X, ring = three_circles(450, noise=0.15, random_state=0)

# %%
# A Gaussian kernel over all pairs, in kernel PCA and as a full graph, and a graph of ten neighbours, which falls into
# three pieces: its first coordinates tell the rings apart perfectly, and a warning says that they do nothing else.


with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    embeddings = {
        "rows": X,
        "kernel PCA": KernelPCA(2, kernel="rbf", gamma=0.5).fit_transform(X),
        "full graph": SpectralEmbedding(2, affinity="rbf", gamma=0.5, random_state=0).fit_transform(X),
        "graph of 10 neighbours": SpectralEmbedding(2, n_neighbors=10, random_state=0).fit_transform(X),
    }
with style():
    figure, axes = plt.subplots(1, 4, figsize=(14, 3.5), layout="constrained")
    for ax, (name, Y) in zip(axes, embeddings.items()):
        for k in range(3):
            ax.scatter(*Y[ring == k].T, s=8)
        ax.set(title=name, xticks=[], yticks=[])
plt.show()

# %%
# How far apart are the rings in each picture? The share of rows whose nearest other row belongs to another ring:
for name, Y in embeddings.items():
    D = np.linalg.norm(Y[:, None] - Y, axis=2)
    np.fill_diagonal(D, np.inf)
    print(f"{name:24s} {np.mean(ring[D.argmin(axis=1)] != ring):.3f}")
