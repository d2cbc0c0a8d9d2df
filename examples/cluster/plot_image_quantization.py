"""
Few colours, few blocks
=======================

k-means as compression: an image in 4, 16 and 64 colours, and an image made of a few code blocks.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_sample_image

from statlearn.cluster import ColorQuantizer, VectorQuantizer, segment_image
from statlearn.plot import style

image = load_sample_image("flower.jpg")[::3, ::3]
with style():
    fig, axes = plt.subplots(2, 2, figsize=(8.4, 5.9), layout="constrained")
    axes[0, 0].imshow(image)
    axes[0, 0].set_title(f"original, {len(np.unique(image.reshape(-1, 3), axis=0))} colours")
    for ax, n_colors in zip(axes.flat[1:], (4, 16, 64)):
        model = ColorQuantizer(n_colors, random_state=0).fit(image)
        error = np.sqrt(model.inertia_ / image.size)
        ax.imshow(model.transform(image))
        ax.set_title(f"{n_colors} colours, {error:.1f} off")
    for ax in axes.flat:
        ax.axis("off")
plt.show()

# %%
# Blocks of 2 x 2 pixels, grey. A codebook of K blocks costs log2(K) / 4 bits per pixel instead of 8, plus the codebook.

grey = image.mean(axis=2)
with style():
    fig, axes = plt.subplots(1, 3, figsize=(11.4, 2.9), layout="constrained")
    for ax, n_codes in zip(axes, (4, 64)):
        model = VectorQuantizer(n_codes, random_state=0).fit(grey)
        ax.imshow(model.transform(grey), cmap="gray", vmin=0, vmax=255)
        ax.set_title(
            f"{n_codes} blocks: {model.bits_per_pixel_:.1f} bits per pixel, {np.sqrt(model.distortion_ / 4):.1f} off"
        )
        ax.axis("off")
    axes[2].imshow(segment_image(image, 4, position_weight=0.4, random_state=0), cmap="viridis")
    axes[2].set_title("four parts, by colour and place")
    axes[2].axis("off")
plt.show()

# %%
# With 64 colours few see the difference; with 4 the gradients of the background become steps. "off" is the root mean
# square difference of a channel, in steps of 256.
