"""
Where k-means cuts and a mixture does not
=========================================

k-means looks for round clusters of equal size. What does it make of long ones, and of a small one beside a wide one?
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.cluster import KMeans, adjusted_rand_score
from statlearn.mixture import GaussianMixture, ellipse_plot
from statlearn.plot import style

rng = np.random.default_rng(4)
labels = np.repeat([0, 1, 2], 150)
sheared = np.array([[0, 0], [1.5, 1.7], [3, 3.4]])[labels] + rng.normal(size=(450, 2)) @ [
    [2.2, -1.2],
    [-0.2, 0.45],
]
spread = np.array([0.35, 0.8, 2.3])[labels][:, None]
unequal = np.array([[-2.0, 0.0], [0.6, 2.2], [4.5, -1.5]])[labels] + spread * rng.normal(size=(450, 2))

with style() as colours:
    fig, axes = plt.subplots(2, 2, figsize=(9, 7.4), layout="constrained")
    for row, (name, X) in enumerate([("long clusters", sheared), ("clusters of unequal size", unequal)]):
        hard = KMeans(3, n_init=10, random_state=0).fit(X)
        ax = axes[row, 0]
        for k in range(3):
            ax.scatter(*X[hard.labels_ == k].T, s=12, color=colours.cycle[k], alpha=0.75)
        ax.plot(*hard.cluster_centers_.T, "+", color=colours.ink, ms=9)
        ax.set(title=f"k-means, {name}: ARI {adjusted_rand_score(labels, hard.labels_):.2f}", xlabel="x0", ylabel="x1")
        soft = GaussianMixture(3, n_init=10, random_state=0, tol=1e-5, max_iter=500).fit(X)
        ax = ellipse_plot(soft, X, ax=axes[row, 1])
        ax.set_title(f"Gaussian mixture: ARI {adjusted_rand_score(labels, soft.predict(X)):.2f}")
plt.show()

# %%
# k-means gives every row to the nearest centre: it cuts long clusters across, and gives the rim of the wide cluster to
# its small neighbours. The mixture learns the shape of each cluster (the ellipses hold half and 95 % of it). ARI is the
# adjusted Rand index: 1 for the true groups, 0 for a random grouping.
