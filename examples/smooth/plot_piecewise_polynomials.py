"""
Pieces, joined more and more smoothly
=====================================

The same noisy curve, cut at two knots: a constant, a line or a cubic in each piece, with nothing, the value, the slope
or the curvature made continuous at the knots. How many coefficients does each fit have?
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.smooth import BasisRegressor, PiecewisePolynomialBasis

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(0, 6, size=60))
truth = lambda t: np.sin(t) + 0.4 * np.cos(2 * t)  # noqa: E731
y = truth(x) + 0.3 * rng.normal(size=60)
cuts = [2.0, 4.0]
grid = np.linspace(0, 6, 1000)


def draw(ax, title, **settings):
    basis = PiecewisePolynomialBasis(cuts=cuts, include_bias=False, **settings)
    fit = BasisRegressor(basis).fit(x[:, None], y)
    ax.plot(x, y, "o", ms=3, color="0.6")
    ax.plot(grid, truth(grid), color="C0", lw=1)
    values = fit.predict(grid[:, None])
    values[np.searchsorted(grid, cuts)] = np.nan  # no line across a jump
    ax.plot(grid, values, color="C2")
    for cut in cuts:
        ax.axvline(cut, color="0.8", ls="--", lw=1)
    ax.set(title=f"{title}: {len(fit.coef_) + 1}", ylim=(-2.2, 2.2))


fig, axes = plt.subplots(1, 3, figsize=(12, 3.4), layout="constrained", sharey=True)
draw(axes[0], "constant", degree=0)
draw(axes[1], "linear", degree=1)
draw(axes[2], "linear, continuous", degree=1, continuity=0)
fig.suptitle("Pieces and their number of coefficients")

fig, axes = plt.subplots(1, 4, figsize=(14, 3.4), layout="constrained", sharey=True)
draw(axes[0], "cubic", degree=3)
draw(axes[1], "cubic, continuous", degree=3, continuity=0)
draw(axes[2], "continuous slope", degree=3, continuity=1)
draw(axes[3], "continuous curvature", degree=3, continuity=2)
fig.suptitle("Cubic pieces: the last one is the cubic spline")
plt.show()

# %%
# Three free cubics need 12 coefficients and jump. Every derivative that must be continuous at both knots takes away
# two: 10, 8, and 6 for the cubic spline, whose joints the eye no longer finds.
