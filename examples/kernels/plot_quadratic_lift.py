"""
Lifting a circle: the features behind a quadratic kernel
========================================================

No straight line separates the inside of a circle from its outside. The quadratic kernel works with inner products of
six features of two inputs; in three of them, a plane separates the classes.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_circles

from statlearn.kernels import KernelRidgeCV, poly_feature_dim, poly_feature_map, polynomial_kernel
from statlearn.plot import style

X, y = make_circles(200, factor=0.5, noise=0.08, random_state=0)
features = poly_feature_map(X, 2, coef0=0.0)  # x1^2, sqrt(2) x1 x2, x2^2
with style() as colours:
    fig = plt.figure(figsize=(9.6, 4.4), layout="constrained")
    flat = fig.add_subplot(1, 2, 1)
    flat.scatter(*X.T, c=np.array(colours.cycle)[y], s=14)
    flat.set(xlabel="x1", ylabel="x2", title="two inputs", aspect="equal")
    lifted = fig.add_subplot(1, 2, 2, projection="3d")
    lifted.scatter(*features.T, c=np.array(colours.cycle)[y], s=14)
    lifted.set(xlabel=r"$x_1^2$", ylabel=r"$\sqrt{2} x_1 x_2$", zlabel=r"$x_2^2$", title="three features of order two")
    lifted.set(xticks=[0, 0.5, 1], yticks=[-0.5, 0, 0.5], zticks=[0, 0.5, 1])
    lifted.yaxis.labelpad = 8
    lifted.set_box_aspect((1, 1, 1), zoom=0.85)
    lifted.view_init(elev=12, azim=-38)
plt.show()

# %%
# The kernel computes the inner products of the features without the features, for any number of them.

K = polynomial_kernel(X, degree=2, gamma=1.0, coef0=1.0)
Z = poly_feature_map(X, 2)
print(f"largest difference: {np.abs(Z @ Z.T - K).max():.1e}")
for p, d in [(2, 2), (10, 3), (256, 5)]:
    print(f"{p} inputs, degree {d}: {poly_feature_dim(p, d):,} features")

# %%
# Regression on the kernel gives a quadratic boundary, here from labels -1 and 1.

model = KernelRidgeCV(kernel="poly", degree=2, gamma=1.0).fit(X, 2.0 * y - 1)
grid = np.linspace(-1.5, 1.5, 121)
mesh = np.stack(np.meshgrid(grid, grid), axis=-1).reshape(-1, 2)
with style() as colours:
    fig, ax = plt.subplots(figsize=(4.8, 4.4), layout="constrained")
    ax.contour(grid, grid, model.predict(mesh).reshape(121, 121), levels=[0.0], colors="black")
    ax.scatter(*X.T, c=np.array(colours.cycle)[y], s=14)
    ax.set(xlabel="x1", ylabel="x2", aspect="equal", title=f"{np.mean((model.predict(X) > 0) == y):.0%} correct")
plt.show()

# %%
# One should see two rings that become two separate bands of a cone, and a boundary that is an ellipse.
