"""
Eigenfaces
==========

A face is a row of grey values. How many components does it take to recognise one? With scikit-learn's Olivetti faces
where they have been downloaded (``fetch_olivetti_faces()`` does so once), with its digits elsewhere.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import fetch_olivetti_faces, load_digits

from statlearn.decomposition import PCA
from statlearn.plot import style

try:
    pictures, shape, what = fetch_olivetti_faces(download_if_missing=False).data, (64, 64), "face"
except OSError:
    pictures, shape, what = load_digits().data, (8, 8), "digit"
model = PCA(min(100, pictures.shape[1])).fit(pictures)

# %%
# The mean picture, and the directions in which the pictures vary most. Each component is a picture itself: what is dark
# in it varies together, against what is light.


def show(ax, row, title, **options):
    ax.imshow(row.reshape(shape), **options)
    ax.set(title=title, xticks=[], yticks=[])
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)


with style() as colours:
    fig, axes = plt.subplots(2, 6, figsize=(11, 4.2), layout="constrained")
    show(axes[0, 0], model.mean_, f"mean {what}", cmap="gray")
    for k, ax in enumerate(axes.flat[1:]):
        limit = np.abs(model.components_[k]).max()
        share = model.explained_variance_ratio_[k]
        show(ax, model.components_[k], f"{k + 1}: {share:.1%}", cmap=colours.diverging, vmin=-limit, vmax=limit)
plt.show()

# %%
# Some pictures rebuilt from the mean and the first components.
counts = [1, 3, 10, 30, model.n_components_]
scores = model.transform(pictures[:4])
rebuilt = {k: model.mean_ + scores[:, :k] @ model.components_[:k] for k in counts}
with style():
    fig, axes = plt.subplots(4, 6, figsize=(9, 6.6), layout="constrained")
    limits = {"cmap": "gray", "vmin": pictures.min(), "vmax": pictures.max()}
    for i, line in enumerate(axes):
        show(line[0], pictures[i], "original" if i == 0 else "", **limits)
        for ax, k in zip(line[1:], counts):
            show(ax, rebuilt[k][i], f"{k} of them" if i == 0 else "", **limits)
plt.show()

kept = np.cumsum(model.explained_variance_ratio_)
for k in counts:
    print(f"{k:3} components: {kept[k - 1]:.0%} of the variance")

# %%
# Few components carry most of the variance, and a few dozen are enough to tell who, or what, it is. What has little
# variance is left out, whether it matters or not: components know nothing of the question that is asked later.
