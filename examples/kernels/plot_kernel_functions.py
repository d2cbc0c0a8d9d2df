"""
Kernels as functions of distance, and their Gram matrices
=========================================================

A kernel says how similar two rows are. Kernels of distance differ in how fast the similarity falls; kernels of inner
products grow with the length of the rows.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs

from statlearn.kernels import (
    CosineKernel,
    GaussianKernel,
    LaplacianKernel,
    LinearKernel,
    laplacian_kernel,
    median_heuristic,
    mercer_report,
    polynomial_kernel,
    rbf_kernel,
    sigmoid_kernel,
)
from statlearn.plot import style

z = np.linspace(-4, 4, 401)[:, None]
origin, one = np.zeros((1, 1)), np.ones((1, 1))
with style():
    fig, (left, right) = plt.subplots(1, 2, figsize=(9.6, 3.4), layout="constrained")
    for sigma in (0.5, 1.0, 2.0):
        left.plot(z, rbf_kernel(z, origin, sigma=sigma), label=f"Gaussian, sigma = {sigma:g}")
    left.plot(z, laplacian_kernel(z, origin, gamma=1.0), "--", label="Laplacian, gamma = 1")
    left.set(xlabel="x", ylabel="k(x, 0)", title="Kernels of distance")
    left.set_ylim(0, 1.5)
    left.legend(fontsize="small", ncols=2, loc="upper center")
    right.plot(z, polynomial_kernel(z, one, degree=2, gamma=0.25), label="polynomial, degree 2")
    right.plot(z, polynomial_kernel(z, one, degree=3, gamma=0.25), label="polynomial, degree 3")
    right.plot(z, sigmoid_kernel(z, one, gamma=1.0, coef0=0.0), "--", label="tanh")
    right.set(xlabel="x", ylabel="k(x, 1)", title="Kernels of inner products")
    right.legend(fontsize="small")
plt.show()

# %%
# The same 60 rows, three groups one after the other, under five kernels. The Gaussian with the median heuristic shows
# the groups as blocks; with a twentieth of that width nearly every row is similar to itself only; the linear and the
# cosine kernel depend on where the origin lies.

X, y = make_blobs([20, 20, 20], centers=[[0, 0], [4, 0], [2, 4]], cluster_std=0.8, random_state=0)
X = X[np.argsort(y)]
sigma = median_heuristic(X)
shown = {
    f"Gaussian, sigma = {sigma:.2f} (median)": GaussianKernel(sigma=sigma),
    f"Gaussian, sigma = {sigma / 20:.2f}": GaussianKernel(sigma=sigma / 20),
    "Laplacian": LaplacianKernel(gamma=1 / sigma),
    "linear": LinearKernel(),
    "cosine": CosineKernel(),
    "Gaussian times Laplacian": GaussianKernel(sigma=sigma) * LaplacianKernel(gamma=1 / sigma),
}
with style():
    fig, axes = plt.subplots(2, 3, figsize=(9.6, 6.2), layout="constrained")
    for ax, (name, kernel) in zip(axes.flat, shown.items()):
        image = ax.imshow(kernel(X), cmap="viridis")
        ax.set_title(name, fontsize="medium")
        ax.set_axis_off()
        fig.colorbar(image, ax=ax, shrink=0.8)
plt.show()

# %%
# All of these are positive semi-definite. The tanh kernel often is not, and solvers that assume it can fail:

print(mercer_report(GaussianKernel(sigma=sigma)(X)), end="\n\n")
print(mercer_report(sigmoid_kernel(X, gamma=0.5, coef0=-1.0)))
