"""
Covariance with one point, before and after the data
====================================================

How much does the function at x tell about the function at 5? A priori the kernel says it. Observations at 3 and 7 cut
the connection: for Brownian motion completely, since the path beyond an observation is independent of the path before
it; for a smooth kernel not quite, and with a negative sign.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.gp import Brownian, GaussianProcessRegressor, Matern
from statlearn.plot import style

X, y = np.array([[3.0], [7.0]]), [0.5, 1.0]
grid = np.linspace(0, 10, 401)[:, None]

with style():
    fig, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    for ax, kernel, name in zip(axes, (Brownian(), Matern(2.0, nu=2.5)), ("Brownian motion", "Matern 5/2")):
        ax.plot(grid, kernel(grid, [[5.0]]), "k--", lw=1, label="prior")
        for noise in (0.0, 0.1, 1.0):
            model = GaussianProcessRegressor(kernel, alpha=noise, optimizer=None).fit(X, y)
            ax.plot(grid, model.posterior_covariance_curve(grid, 5.0), label=f"noise variance {noise:g}")
        ax.axhline(0, color="0.7", lw=0.8)
        for at in X[:, 0]:
            ax.axvline(at, color="0.7", lw=0.8, ls=":")
        ax.set(title=name, xlabel="x", ylabel="covariance of f(x) and f(5)")
    axes[0].set_ylim(-0.3, 3)
    axes[0].legend()
plt.show()

smooth = GaussianProcessRegressor(Matern(2.0, nu=2.5), alpha=0.0, optimizer=None).fit(X, y)
lowest = smooth.posterior_covariance_curve(grid, 5.0).min()
print(f"Matern 5/2 without noise: smallest covariance {lowest:.4f}")

# %%
# Without noise the Brownian curve is a tent between the observations and zero outside. The smooth one changes its sign
# at each observation: if the function is above its mean at 5, it comes down through the observation and overshoots.
