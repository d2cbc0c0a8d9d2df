"""
The distance decides: Euclid against correlation
================================================

Three profiles over ten measurements. Which two are alike? Euclidean distance compares levels, correlation distance
compares shapes.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.cluster import dendrogram, linkage
from statlearn.neighbors import pairwise_distances
from statlearn.plot import style

t = np.arange(10)
wave = np.array([0.0, 1.0, 0.2, 1.4, 0.9, 2.0, 1.1, 1.8, 0.6, 1.2])
ripple = 0.15 * np.array([1, -1, 0, 1, -1, 0, 1, 0, -1, 0])
profiles = np.stack([wave + 1.0, 1.2 * wave + 5.0 + ripple, 2.6 - 0.9 * wave])
names = ["A", "B", "C"]

# %%
# A and C are at the same level, with opposite movements. A and B move together, at different levels.
with style():
    fig, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
    for name, profile in zip(names, profiles):
        ax.plot(t, profile, marker="o", ms=4)
        ax.annotate(name, (t[-1], profile[-1]), xytext=(6, -3), textcoords="offset points", weight="bold")
    ax.set(xlabel="measurement", ylabel="value")
plt.show()

# %%
# The same three rows, two hierarchies.
with style():
    fig, axes = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained")
    for ax, metric in zip(axes, ("euclidean", "correlation")):
        dendrogram(linkage(profiles, "average", metric=metric), labels=names, ax=ax)
        ax.set_title(f"{metric} distance")
        print(metric, pairwise_distances(profiles, metric=metric).round(2), sep="\n")
plt.show()

# %%
# For rows with mean 0 and variance 1 the squared Euclidean distance is 2p times the correlation distance: standardising
# each row turns the one question into the other.
rows = (profiles - profiles.mean(axis=1, keepdims=True)) / profiles.std(axis=1, keepdims=True)
print(np.allclose(pairwise_distances(rows) ** 2, 2 * 10 * pairwise_distances(profiles, metric="correlation")))
