"""
Which measurements tell the classes apart?
==========================================

Histograms of each column, class by class, on common bins. Where they look alike, the column says little by itself:
their cosine is near 1.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

from statlearn.plot import style
from statlearn.prep import DensitySimilaritySelector

data = load_breast_cancer(as_frame=True)
X, y = data.data.iloc[:, :10], data.target  # the ten means
selector = DensitySimilaritySelector(0.8, bins=15).fit(X, y)
order = np.argsort(selector.similarities_)
for k in order:
    print(f"{X.columns[k]:25s} {selector.similarities_[k]:.3f}")

# %%
# The two columns that differ most and the two that differ least, and all similarities against the threshold.

with style("light"):
    fig = plt.figure(figsize=(13, 5.2), layout="constrained")
    grid = fig.add_gridspec(2, 3, width_ratios=[1, 1, 1.4])
    for place, k in zip([(0, 0), (0, 1), (1, 0), (1, 1)], [*order[:2], *order[-2:]]):
        ax = fig.add_subplot(grid[place])
        edges = selector.bin_edges_[k]
        for shares, label in zip(selector.histograms_[k], data.target_names):
            ax.stairs(shares, edges, fill=True, alpha=0.45, label=label)
        ax.set(title=f"{X.columns[k]}: {selector.similarities_[k]:.2f}", ylabel="share of the class")
        if place == (0, 0):
            ax.legend(frameon=False)
    ax = fig.add_subplot(grid[:, 2])
    keep = selector.get_support()[order]
    ax.barh(np.arange(10), selector.similarities_[order], color=np.where(keep, "C0", "C1"))
    ax.axvline(selector.threshold, color="0.3", ls="--")
    ax.text(selector.threshold - 0.01, 9.6, "kept", ha="right", va="bottom")
    ax.text(selector.threshold + 0.01, 9.6, "dropped", ha="left", va="bottom")
    ax.set_yticks(range(10), X.columns[order])
    ax.set(xlabel="similarity of the classes (cosine)", xlim=(0, 1.05), ylim=(-0.6, 10.4))
plt.show()

# %%
# Each column is judged alone: two columns that separate the classes only together would both be dropped.
