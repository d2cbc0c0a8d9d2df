"""
Two maxima of the likelihood
============================

Twenty noisy observations of a sine can be explained in two ways: a quick function and little noise, or a flat function
and much noise. Both are local maxima of the marginal likelihood, and where a search ends depends on where it starts.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.exceptions import ConvergenceWarning

from statlearn.gp import RBF, ConstantKernel, GaussianProcessRegressor, WhiteKernel, lml_surface
from statlearn.plot import style

state = np.random.RandomState(0)
X = state.uniform(0, 5, 20)[:, None]
y = 0.5 * np.sin(3 * X[:, 0]) + state.normal(0, 0.5, 20)
grid = np.linspace(0, 5, 200)[:, None]


def fit(length, noise):
    kernel = ConstantKernel(1.0) * RBF(length, (1e-2, 1e3)) + WhiteKernel(noise, (1e-10, 10))
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):  # the variance ends at its bound
        return GaussianProcessRegressor(kernel, alpha=0.0).fit(X, y)


flat, wavy = fit(100.0, 1.0), fit(1.0, 1e-5)

with style():
    fig, axes = plt.subplots(1, 2, figsize=(10, 3.6), sharey=True, layout="constrained")
    for ax, model in zip(axes, (flat, wavy)):
        mean, std = model.predict(grid, return_std=True, latent=True)
        ax.plot(X, y, "k.", label="observations")
        ax.plot(grid, 0.5 * np.sin(3 * grid), "k--", lw=1, label="truth")
        ax.plot(grid, mean, color="C0", label="posterior mean")
        ax.fill_between(grid[:, 0], mean - 2 * std, mean + 2 * std, color="C0", alpha=0.2, lw=0)
        ax.set(title=f"log likelihood {model.log_marginal_likelihood_value_:.2f}", xlabel="x")
    axes[0].legend()
plt.show()

# %%
# The likelihood over length scale and noise, the variance being that of the better fit. Stars are the local maxima over
# all three hyper-parameters, the red one the best.

limits = ((1e-2, 1e3), (1e-2, 10.0))
surface = lml_surface(wavy, ("k1__k2__length_scale", "k2__noise_level"), limits=limits, n_points=30)
with style():
    fig, ax = plt.subplots(figsize=(6, 4.2), layout="constrained")
    surface.plot(ax)
plt.show()

for best in surface.optima:
    print(
        f"log likelihood {best['log_likelihood']:8.3f}: length scale {best['k1__k2__length_scale']:8.3g}, "
        f"noise variance {best['k2__noise_level']:.3g}"
    )

# %%
# The difference of two units of log-likelihood is small: with twenty observations the data do not decide. The third
# star, at the lower bound of the length scale, is the explanation by noise once more: a function whose values have
# nothing to do with each other is noise by another name. Restarts (``n_restarts_optimizer``) find the best of the
# three.
