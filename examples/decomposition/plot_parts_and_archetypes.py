"""
Components, parts and extremes
==============================

What do the building blocks of handwritten digits look like: principal components, the parts of a non-negative
factorisation, and archetypes?
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from statlearn.decomposition import NMF, PCA, ArchetypalAnalysis
from statlearn.plot import style

X = load_digits().data
k = 8
pca = PCA(k).fit(X)
nmf = NMF(k, max_iter=500, random_state=0).fit(X)
archetypes = ArchetypalAnalysis(k, n_init=3, tol=1e-5, random_state=0).fit(X)

# %%
# Components have both signs: digits are sums of strokes and of corrections to them. The parts of a non-negative
# factorisation only add up, so that each is a stroke. Archetypes are whole, extreme digits, of which all others are
# mixtures.

with style():
    fig, axes = plt.subplots(3, k, figsize=(8.4, 3.6), layout="constrained")
    rows = [
        ("components", pca.components_, "RdBu_r", True),
        ("parts", nmf.components_, "gray_r", False),
        ("archetypes", archetypes.archetypes_, "gray_r", False),
    ]
    for line, (name, images, cmap, both) in zip(axes, rows):
        for ax, image in zip(line, images):
            size = np.abs(image).max()
            ax.imshow(image.reshape(8, 8), cmap=cmap, vmin=-size if both else 0, vmax=size)
            ax.set(xticks=[], yticks=[])
        line[0].set_ylabel(name)
plt.show()

# %%
# The price of the constraints is the error with the same number of blocks.

total = np.sum((X - X.mean(axis=0)) ** 2)
shares = {
    "components": pca.explained_variance_ratio_.sum(),
    "parts": 1 - nmf.reconstruction_err_**2 / total,
    "archetypes": archetypes.explained_share_,
}
with style():
    fig, ax = plt.subplots(figsize=(5.2, 2.2), layout="constrained")
    bars = ax.barh(list(shares), list(shares.values()))
    ax.bar_label(bars, fmt="{:.0%}", padding=3)
    ax.set(xlim=(0, 1), xlabel=f"explained share of the variance, {k} blocks")
    ax.invert_yaxis()
plt.show()
