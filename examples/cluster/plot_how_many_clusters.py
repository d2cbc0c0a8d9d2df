"""
How many clusters?
==================

Scatter within clusters always falls with their number. Silhouettes, the gap statistic and their kin say when to stop,
and `choose_k` puts them side by side.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs

from statlearn.cluster import KMeans, choose_k, elbow_curve, gap_statistic, silhouette_plot
from statlearn.plot import style

X, _ = make_blobs([60, 60, 90, 50], centers=[[0, 0], [4, 4], [8, 0], [5, -4]], cluster_std=0.9, random_state=3)
labels = KMeans(4, n_init=10, random_state=0).fit_predict(X)
silhouette_plot(X, labels)
plt.show()

# %%
# Each bar is a row: its silhouette is near 1 if the row is far closer to its own cluster than to the next, and below 0
# if it is closer to the next. Where clusters touch the blades are short.
#
# The elbow and the gap, on these rows and on as many without any cluster:

noise = np.random.default_rng(0).uniform(X.min(axis=0), X.max(axis=0), size=X.shape)
with style():
    fig, axes = plt.subplots(2, 2, figsize=(9, 6.2), layout="constrained")
    for column, (name, rows) in enumerate({"four blobs": X, "no clusters": noise}.items()):
        elbow_curve(rows, range(1, 9), random_state=0).plot(ax=axes[0, column])
        gap_statistic(rows, range(1, 9), n_refs=20, estimator=KMeans(n_init=3), random_state=0).plot(ax=axes[1, column])
        axes[0, column].set_title(name)
plt.show()

# %%
# Without clusters the scatter falls too, and has an elbow of sorts; the gap statistic says one cluster. All indices in
# one table and one figure:

found = choose_k(X, range(1, 9), estimator=KMeans(n_init=3), random_state=0)
print(found)
found.plot()
plt.show()

# %%
# What the indices agree on can be believed; where they do not agree, the rows do not decide.
