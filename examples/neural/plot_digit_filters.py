"""
Filters and feature maps
========================

A convolution layer slides the same few weights over the whole image. Its maps show where each pattern occurs.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from statlearn.neural import Conv2dClassifier, conv_parameters, plot_history
from statlearn.plot import style

digits = load_digits()
images, y = digits.images / 16, digits.target
model = Conv2dClassifier(
    (6, 12),
    hidden_layer_sizes=32,
    learning_rate_init=0.005,
    early_stopping=True,
    n_iter_no_change=5,
    tol=1e-3,
    random_state=0,
)
model.fit(images[:1200], y[:1200], X_val=images[1200:], y_val=y[1200:])
accuracy = model.score(images[1200:], y[1200:])
print(
    f"{conv_parameters(3, 1, 6)} + {conv_parameters(3, 6, 12)} parameters in the convolutions, accuracy {accuracy:.3f}"
)

with style() as colours:
    fig, axes = plt.subplots(4, 7, figsize=(9, 5.4), layout="constrained")
    for ax in axes.flat:
        ax.set_xticks([])
        ax.set_yticks([])
        ax.grid(False)
    axes[0, 0].axis("off")
    axes[0, 0].text(0.5, 0.5, "filters", ha="center", va="center")
    for k in range(6):
        axes[0, k + 1].imshow(model.filters_[0][k, 0], cmap="RdBu_r", vmin=-1, vmax=1)
        axes[0, k + 1].set_title(f"filter {k + 1}", fontsize=9)
    for row, number in zip(axes[1:], (0, 3, 7)):
        image = images[y == number][:1]
        row[0].imshow(image[0], cmap="gray_r")
        for k, feature_map in enumerate(model.feature_maps(image)[0]):
            row[k + 1].imshow(feature_map, cmap="viridis")
plt.show()

# %%
# The curves of the training: the dotted line marks the epoch whose weights are kept.

with style():
    fig, ax = plt.subplots(figsize=(5.6, 3.4), layout="constrained")
    plot_history(model, ax)
plt.show()

# %%
# Some filters respond to edges of one direction, others to dark or bright strokes. The validation images were used to
# choose the epoch, so their accuracy is slightly optimistic.
