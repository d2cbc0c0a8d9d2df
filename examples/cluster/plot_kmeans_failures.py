"""
k-means: what it finds, and four ways to fail
=============================================

k-means cuts the space into cells around its centres. That suits round groups of similar spread, and nothing else.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.cluster import KMeans, voronoi_plot
from statlearn.plot import style

rng = np.random.default_rng(0)
middles = np.array([[-5.0, -4.0], [0.0, 4.0], [5.0, -3.0]])
truth = np.repeat([0, 1, 2], 120)
round_groups = middles[truth] + rng.normal(size=(360, 2))
model = KMeans(3, random_state=0).fit(round_groups)
with style():
    fig, ax = plt.subplots(figsize=(5.2, 4.4), layout="constrained")
    voronoi_plot(model, round_groups, ax=ax)
    ax.set_title(f"round groups: objective {model.inertia_:.0f} after {model.n_iter_} iterations")
plt.show()

# %%
# The same method on four problems. A wrong k cuts a group or joins two. Stretched groups are cut across. A wide group
# loses its edge to a narrow neighbour. A bad start ends in a local optimum: two centres share one group, one centre
# has two.

stretched = np.column_stack([4.0 * rng.normal(size=360), 2.0 * truth + 0.4 * rng.normal(size=360)])
uneven = middles[truth] + np.array([0.4, 3.0, 0.4])[truth, None] * rng.normal(size=(360, 2))
bad_start = np.array([[-5.5, -4.5], [-4.5, -3.5], [2.5, 0.5]])
problems = {
    "wrong k": (KMeans(2, random_state=0), round_groups),
    "stretched groups": (KMeans(3, random_state=0), stretched),
    "unequal spread": (KMeans(3, random_state=0), uneven),
    "bad start": (KMeans(3, init=bad_start), round_groups),
}
with style():
    fig, axes = plt.subplots(2, 2, figsize=(8.6, 7.4), layout="constrained")
    for ax, (name, (failing, X)) in zip(axes.flat, problems.items()):
        voronoi_plot(failing.fit(X), X, ax=ax)
        ax.set_title(f"{name}: objective {failing.inertia_:.0f}")
plt.show()

# %%
# Only the bad start shows in the objective, and only beside a better one: start more than once. The others are failures
# of the question, not of the search; the objective is small and the clusters are wrong. Mixtures with full covariances
# take stretched and uneven groups; spectral clustering and DBSCAN take any shape.
