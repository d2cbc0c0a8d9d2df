"""
Handwritten threes: what do the components mean?
================================================

The 183 threes among scikit-learn's digits are rows of 64 grey values. How many directions of variation do they have,
and what do the first two look like?
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from statlearn.decomposition import PCA, explained_variance_reference, quantile_grid
from statlearn.plot import style, theme

X, y = load_digits(return_X_y=True)
threes = X[y == 3]
model = PCA(30).fit(threes)
scores = model.transform(threes)

# %%
# The rows nearest to a grid of quantiles of the first two scores, shown in the arrangement of the grid: from left to
# right the first score rises, from bottom to top the second.
rows, points = quantile_grid(scores)
with style():
    figure, axes = plt.subplots(1, 2, figsize=(10, 4.6), layout="constrained")
    axes[0].plot(*scores[:, :2].T, "o", ms=4, mew=0, alpha=0.5)
    axes[0].plot(*points.reshape(-1, 2).T, "+", color=theme().muted, ms=6)
    axes[0].plot(*scores[rows.ravel(), :2].T, "o", ms=7, mfc="none", mec=theme().bad)
    axes[0].set(xlabel="first score", ylabel="second score", title="nearest to the quantiles")
    framed = [[np.pad(threes[i].reshape(8, 8), 1) for i in line] for line in rows[::-1]]
    picture = np.vstack([np.hstack(line) for line in framed])
    axes[1].imshow(picture, cmap="Greys")
    axes[1].set(xticks=[], yticks=[], title="the threes at these places")
    axes[1].grid(visible=False)
plt.show()

# %%
# The mean three, and how the first two components change it.
with style():
    figure, axes = plt.subplots(1, 3, figsize=(8, 2.8), layout="constrained")
    for ax, image, title in zip(
        axes, [model.mean_, *model.components_[:2]], ["mean", "first component", "second component"]
    ):
        ax.imshow(image.reshape(8, 8), cmap="Greys" if title == "mean" else theme().diverging)
        ax.set(title=title, xticks=[], yticks=[])
        ax.grid(visible=False)
plt.show()

# %%
# Explained variance against rows turned in random directions: ten components have more than these.
found = explained_variance_reference(threes, method="rotation", random_state=0)
with style():
    found.plot()
plt.show()
print(found.n_components, "components;", f"{found.share[: found.n_components].sum():.0%} of the variance")
