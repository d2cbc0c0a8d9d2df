"""
Codes of an autoencoder and principal components
================================================

A linear autoencoder finds the plane of the principal components, in other coordinates. With curved hidden layers its
two numbers say more about an image than two principal components do.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.linalg import subspace_angles
from sklearn.datasets import load_digits

from statlearn.decomposition import PCA
from statlearn.neural import Autoencoder
from statlearn.plot import style

X, y = load_digits(n_class=6, return_X_y=True)
X = X / 16
pca = PCA(2).fit(X)
linear = Autoencoder(2, hidden_layer_sizes=(), alpha=0, solver="lbfgs", max_iter=1000, tol=1e-5, random_state=0).fit(X)
curved = Autoencoder(
    2, hidden_layer_sizes=(48, 24), learning_rate_init=0.005, max_iter=500, tol=0.02, batch_size=100, random_state=0
).fit(X)
angle = np.degrees(subspace_angles(linear.coefs_[1].T, pca.components_.T).max())
print(f"largest angle between the linear autoencoder's plane and that of the components: {angle:.3f} degrees")

codes = {
    "principal components": (pca.transform(X), ((X - pca.inverse_transform(pca.transform(X))) ** 2).sum(axis=1).mean()),
    "linear autoencoder": (linear.transform(X), linear.reconstruction_error(X).mean()),
    "autoencoder 64-48-24-2": (curved.transform(X), curved.reconstruction_error(X).mean()),
}
with style() as colours:
    fig, axes = plt.subplots(1, 3, figsize=(12, 4.2), layout="constrained")
    for ax, (name, (code, error)) in zip(axes, codes.items()):
        for digit in range(6):
            ax.scatter(*code[y == digit].T, s=6, color=colours.cycle[digit % len(colours.cycle)], label=str(digit))
        ax.set_title(f"{name}\nmean squared distance {error:.2f}")
    axes[0].legend(markerscale=2, fontsize=8)
plt.show()

# %%
# The first two pictures are the same up to a linear map of the plane. The third separates the digits better and
# reproduces them more closely, but its axes have no order and no meaning, and another seed draws another picture.
