"""
Noise-free data, and noise that differs by row
==============================================

Without noise the posterior passes through the observations, with no uncertainty there. With noise it need not, and rows
of large variance count for less.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.gp import RBF, GaussianProcessRegressor
from statlearn.plot import style


def f(x):
    return x * np.sin(x)


grid = np.linspace(0, 10, 300)[:, None]
X = np.array([[1.0], [3.0], [5.0], [6.0], [8.0]])
exact = GaussianProcessRegressor(10.0 * RBF(1.0), alpha=0.0, mean_function="constant").fit(X, f(X[:, 0]))

rng = np.random.default_rng(1)
X_noisy = np.linspace(0.1, 9.9, 20)[:, None]
spread = 0.5 + 1.5 * rng.random(20)
y_noisy = f(X_noisy[:, 0]) + spread * rng.normal(size=20)
noisy = GaussianProcessRegressor(10.0 * RBF(1.0), alpha=spread**2, n_restarts_optimizer=3, random_state=0)
noisy.fit(X_noisy, y_noisy)

with style():
    fig, axes = plt.subplots(1, 2, figsize=(11, 4), sharey=True, layout="constrained")
    for ax, model, title in zip(axes, (exact, noisy), ("no noise", "a standard deviation for every row")):
        mean, std = model.predict(grid, return_std=True)
        ax.plot(grid, f(grid), "k--", lw=1, label="truth")
        ax.plot(grid, mean, color="C0", label="posterior mean")
        ax.fill_between(grid[:, 0], mean - 1.96 * std, mean + 1.96 * std, color="C0", alpha=0.2, lw=0, label="95 %")
        ax.set(title=title, xlabel="x")
    axes[0].plot(X, f(X), "ko")
    axes[1].errorbar(X_noisy[:, 0], y_noisy, spread, fmt="ko", ms=4, lw=1)
    axes[0].legend(loc="upper left")
plt.show()

mean, std = exact.predict(X, return_std=True)
print(f"no noise: largest residual {np.abs(mean - f(X[:, 0])).max():.1e}, largest deviation {std.max():.1e}")
inside = np.abs(noisy.predict(grid) - f(grid[:, 0])) < 1.96 * noisy.predict(grid, return_std=True)[1]
print(f"with noise: the band holds the truth at {inside.mean():.0%} of the grid")

# %%
# The band on the left vanishes at the observations. On the right it follows the error bars: it is narrow where they are
# short or close together.
