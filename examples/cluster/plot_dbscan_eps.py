"""
DBSCAN: how far is a neighbour?
===============================

DBSCAN calls a region dense if `min_samples` points lie within `eps`. Too small an `eps` breaks clusters into noise,
too large a one joins everything. The sorted distances to the neighbour that makes a core point show where dense regions
end.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from statlearn.cluster import DBSCAN, epsilon_components, k_distance, k_distance_plot
from statlearn.plot import style

rng = np.random.default_rng(0)
moons, _ = make_moons(400, noise=0.06, random_state=0)
X = np.concatenate([moons, rng.uniform([-1.6, -1.1], [2.6, 1.6], size=(40, 2))])

# %%
# Points within the moons have their fourth neighbour close by; the curve turns up where the noise begins. The elbow is
# a suggestion, not an estimate: look at both sides of it.
curve = k_distance(X, min_samples=5)
with style():
    k_distance_plot(curve)
plt.show()

# %%
# From left to right: fragments and noise, then the two moons, then both moons joined into one cluster. Noise is grey,
# and border points are small.


def draw(ax, labels, core=None):
    noise = labels == -1
    size = np.full(len(X), 6.0)
    if core is not None:
        size[core] = 18.0
    ax.scatter(*X[noise].T, s=6, color="0.75")
    ax.scatter(*X[~noise].T, s=size[~noise], c=[f"C{k % 7}" for k in labels[~noise]])
    ax.set(xticks=[], yticks=[])


with style():
    fig, axes = plt.subplots(1, 4, figsize=(13, 3.1), layout="constrained")
    for ax, factor in zip(axes, (0.45, 1.0, 1.6, 2.4)):
        model = DBSCAN(factor * curve.eps, min_samples=5).fit(X)
        draw(ax, model.labels_, model.core_sample_indices_)
        share, found = np.mean(model.labels_ == -1), model.labels_.max() + 1
        clusters = "1 cluster" if found == 1 else f"{found} clusters"
        ax.set_title(f"eps = {model.eps:.2f}: {clusters}, {share:.0%} noise", fontsize=10)
plt.show()

# %%
# Why density matters: a little beyond the elbow DBSCAN still tells the moons apart, while plain components within the
# same `eps` follow a single point from one moon to the other, and every outlier is a component.
eps = 1.15 * curve.eps
labels = epsilon_components(X, eps)
sizes = np.bincount(labels)
with style():
    fig, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    draw(axes[0], DBSCAN(eps, min_samples=5).fit_predict(X))
    axes[0].set_title("DBSCAN")
    draw(axes[1], np.where(sizes[labels] > 1, labels, -1))
    axes[1].set_title(f"components within eps: {np.sum(sizes > 1)}, and {np.sum(sizes == 1)} single points")
plt.show()
