"""
Neighbour means, kernel averages and local lines
================================================

How do three local smoothers behave in the interior and at the boundary, and what does a local parabola do to a hill?
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.smooth import LocalPolynomialRegressor, NadarayaWatson

rng = np.random.default_rng(4)
x = np.sort(rng.uniform(size=100))
truth = lambda t: np.sin(4 * t)  # noqa: E731
y = truth(x) + rng.normal(0, 1 / 3, size=100)
grid = np.linspace(0, 1, 500)

fig, axes = plt.subplots(1, 3, figsize=(14, 4), layout="constrained", sharey=True)
smoothers = {
    "mean of 30 neighbours": NadarayaWatson(n_neighbors=30, kernel="uniform"),
    "Epanechnikov average, h = 0.2": NadarayaWatson(0.2),
    "local line, h = 0.2": LocalPolynomialRegressor(0.2, kernel="epanechnikov"),
}
for ax, (name, smoother) in zip(axes, smoothers.items()):
    fit = smoother.fit(x[:, None], y)
    ax.plot(x, y, "o", ms=3, color="0.6")
    ax.plot(grid, truth(grid), color="C0", lw=1)
    ax.plot(grid, fit.predict(grid[:, None]), color="C2")
    ax.set(title=f"{name}: df = {fit.df_:.1f}")
    error = fit.predict([[0.0]])[0] - truth(0.0)
    print(f"{name}: error at the left end {error:+.2f}")

fig, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained", sharey=True)
hill = lambda t: np.exp(-((t - 0.5) ** 2) / 0.02)  # noqa: E731
z = hill(x) + 0.1 * rng.normal(size=100)
for ax, degree in zip(axes, (1, 2)):
    fit = LocalPolynomialRegressor(0.25, degree).fit(x[:, None], z)
    ax.plot(x, z, "o", ms=3, color="0.6")
    ax.plot(grid, hill(grid), color="C0", lw=1)
    ax.plot(grid, fit.predict(grid[:, None]), color="C2")
    ax.set(title=f"degree {degree}: df = {fit.df_:.1f}")
plt.show()

# %%
# The mean of neighbours jumps as points come and go. The kernel average is smooth, but at the left end, where the
# curve rises and all neighbours lie to one side, it is far too high; the local line is not. In the interior lines trim
# the hill and fill its feet; parabolas do not, at the price of more degrees of freedom, which is to say variance.
