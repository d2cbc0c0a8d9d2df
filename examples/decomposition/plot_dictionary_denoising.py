"""
Denoising with a learned dictionary
===================================

Patches of an image are sparse combinations of a few atoms; noise is not. How much noise does a learned dictionary
remove?
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_sample_image

from statlearn.decomposition import KSVD, OnlineDictionaryLearning
from statlearn.plot import style

rng = np.random.default_rng(0)
image = load_sample_image("china.jpg")[60:188, 120:280].mean(axis=2) / 255
sigma = 0.1
noisy = image + sigma * rng.normal(size=image.shape)
side = 7


def patches_of(picture):
    """All patches as rows."""
    windows = np.lib.stride_tricks.sliding_window_view(picture, (side, side))
    return windows.reshape(-1, side * side).copy()


def average(patches, shape):
    """The picture of overlapping patches: the mean of what they say about each pixel."""
    total, count = np.zeros(shape), np.zeros(shape)
    rows, cols = shape[0] - side + 1, shape[1] - side + 1
    blocks = patches.reshape(rows, cols, side, side)
    for a in range(side):
        for b in range(side):
            total[a : a + rows, b : b + cols] += blocks[:, :, a, b]
            count[a : a + rows, b : b + cols] += 1
    return total / count


# %%
# Both dictionaries are learned from the noisy patches themselves, less their means. Coding stops at the error that
# noise of this size would leave.

patches = patches_of(noisy)
means = patches.mean(axis=1, keepdims=True)
target = (1.15 * sigma) ** 2 * side**2
sample = (patches - means)[rng.choice(len(patches), 3000, replace=False)]
models = {
    "K-SVD": KSVD(100, n_nonzero_coefs=3, max_iter=8, tol=1e-2, transform_alpha=target, random_state=0),
    "online": OnlineDictionaryLearning(
        100, alpha=0.25, max_iter=3, transform_algorithm="omp", transform_alpha=target, random_state=0
    ),
}
cleaned = {}
for name, model in models.items():
    codes = model.fit(sample).transform(patches - means)
    cleaned[name] = average(model.inverse_transform(codes) + means, image.shape)


def psnr(picture):
    return -10 * np.log10(np.mean((picture - image) ** 2))


with style():
    fig, axes = plt.subplots(2, 2, figsize=(7.4, 6.2), layout="constrained")
    shown = {"original": image, "noisy": noisy, **cleaned}
    for ax, (name, picture) in zip(axes.flat, shown.items()):
        ax.imshow(picture, cmap="gray", vmin=0, vmax=1)
        ax.set_title(name if name == "original" else f"{name}, {psnr(picture):.1f} dB")
        ax.axis("off")
plt.show()

# %%
# The atoms, sorted by how much they vary: edges of all directions, and textures of the roof.

with style():
    fig, axes = plt.subplots(1, 2, figsize=(8.0, 4.2), layout="constrained")
    for ax, (name, model) in zip(axes, models.items()):
        atoms = model.components_[np.argsort(np.abs(np.diff(model.components_, axis=1)).sum(axis=1))]
        canvas = np.full((10 * (side + 1) + 1, 10 * (side + 1) + 1), np.nan)
        for j, atom in enumerate(atoms):
            r, c = divmod(j, 10)
            tile = atom.reshape(side, side) / max(np.abs(atom).max(), 1e-12)
            canvas[r * (side + 1) + 1 : (r + 1) * (side + 1), c * (side + 1) + 1 : (c + 1) * (side + 1)] = tile
        ax.imshow(canvas, cmap="gray", vmin=-1, vmax=1)
        ax.set_title(name)
        ax.axis("off")
plt.show()
