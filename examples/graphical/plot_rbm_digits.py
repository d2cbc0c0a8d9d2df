"""
A restricted Boltzmann machine that reads digits
================================================

A restricted Boltzmann machine is trained on small images of digits with ten label units beside the pixels. Its hidden
units are features; the label with the smallest free energy is its answer for a new image.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from statlearn.graphical import BernoulliRBM, with_labels
from statlearn.plot import style

X, y = load_digits(return_X_y=True)
X = (X > 7).astype(float)
Z, classes = with_labels(X, y)
model = BernoulliRBM(64, n_labels=10, n_iter=40, learning_rate=0.05, random_state=0).fit(Z[:1300])
accuracy = np.mean(classes[model.predict_label(X[1300:])] == y[1300:])
print(f"accuracy on 497 new images: {accuracy:.3f}")

# %%
# The weights of the hidden units to the pixels, and the reconstruction error of each pass.

with style():
    fig, axes = plt.subplots(1, 2, figsize=(10, 4.6), layout="constrained")
    order = np.argsort(-np.abs(model.components_).sum(axis=1))[:36]
    tiles = model.components_[order, :64].reshape(6, 6, 8, 8)
    picture = np.pad(tiles, ((0, 0), (0, 0), (0, 1), (0, 1)), constant_values=np.nan)
    limit = np.abs(tiles).max() / 2
    axes[0].imshow(picture.transpose(0, 2, 1, 3).reshape(54, 54), cmap="RdBu_r", vmin=-limit, vmax=limit)
    axes[0].set_axis_off()
    axes[0].set_title("36 of 64 features")
    axes[1].plot(np.arange(1, 41), model.reconstruction_errors_)
    axes[1].set(xlabel="pass", ylabel="mean squared error", title="Reconstruction of the training images")
plt.show()

# %%
# What one should see: features are strokes and their absence, the error falls quickly at first, and most new digits are
# read correctly without any classifier.
