"""
Shifted digits: gradients instead of pixels
===========================================

Each digit is enlarged to 24 × 24 pixels and shifted by up to six pixels at random within an image of 36 × 36. A
nearest-neighbour classifier compares images pixel by pixel, so a shift of a few pixels makes two equal digits look
different. Histograms of gradient directions (HOG) in cells of several pixels change little with it.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy import ndimage
from sklearn.datasets import load_digits

from statlearn.neighbors import KNeighborsClassifier
from statlearn.prep import ImageFeatures, ImageFlattener, make_pipeline

rng = np.random.default_rng(0)
digits = load_digits()
large = np.stack([ndimage.zoom(image, 3, order=1) for image in digits.images[:900]])


def shifted(images, most):
    """Images at random places of larger ones."""
    result = np.zeros((len(images), 36, 36))
    for image, (row, column), target in zip(images, rng.integers(6 - most, 7 + most, (len(images), 2)), result):
        target[row : row + 24, column : column + 24] = image
    return result


# %%
# A digit, the same one shifted by six pixels, and the gradient histograms of both: a star of lines per cell.
hog = ImageFeatures("hog", cell=6, block=3)
pair = np.zeros((2, 36, 36))
pair[0, 6:30, 6:30] = large[4]
pair[1, 6:30, 12:36] = large[4]
hog.fit(pair)
fig, axes = plt.subplots(1, 4, figsize=(10, 2.8), layout="constrained")
titles = ("digit", "shifted by 6 pixels", "gradients", "gradients, shifted")
for ax, image, title in zip(axes, [*pair, hog.picture(pair[0]), hog.picture(pair[1])], titles):
    ax.imshow(image, cmap="gray")
    ax.set_title(title)
    ax.set_axis_off()

# %%
# Accuracy on 300 digits after training on 600, without and with shifts.
models = {
    "pixels": make_pipeline(ImageFlattener(), KNeighborsClassifier(3)),
    "HOG": make_pipeline(hog, KNeighborsClassifier(3)),
}
shifts = (0, 2, 4, 6)
fig, ax = plt.subplots(figsize=(5.5, 4), layout="constrained")
for name, model in models.items():
    rng = np.random.default_rng(1)
    scores = []
    for most in shifts:
        images = shifted(large, most)
        model.fit(images[:600], digits.target[:600])
        scores.append(model.score(images[600:], digits.target[600:900]))
    ax.plot(shifts, scores, "o-", label=name)
ax.set(xlabel="largest shift in pixels", ylabel="accuracy of 3 nearest neighbours", xticks=shifts)
ax.legend()
plt.show()

# %%
# Without shifts, pixels are about as good. With shifts, the accuracy of both falls, but that of pixels further. HOG
# tolerates shifts up to about the size of a cell; for more, make cells larger, or train on shifted copies.
