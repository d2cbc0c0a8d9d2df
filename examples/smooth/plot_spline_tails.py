"""
Tails of splines, and how much a smoothing spline bends
=======================================================

A cubic spline is free beyond its outer knots, a natural one must be straight there. A smoothing spline has a knot at
every point and a penalty instead of a choice of knots.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.smooth import RegressionSpline, SmoothingSpline

rng = np.random.default_rng(3)
x = np.sort(rng.uniform(0, 1, size=50))
y = np.sin(6 * x) + 0.35 * rng.normal(size=50)
grid = np.linspace(-0.12, 1.12, 400)[:, None]

fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
ax.plot(x, y, "o", ms=3, color="0.5")
for basis, label, colour in (("bspline", "cubic", "C3"), ("natural", "natural cubic", "C2")):
    fit = RegressionSpline(df=6, basis=basis, extrapolation="continue").fit(x[:, None], y)
    value, std = fit.predict(grid, return_std=True)
    ax.plot(grid, value, color=colour, label=f"{label}, 6 functions")
    ax.fill_between(grid[:, 0], value - 2 * std, value + 2 * std, color=colour, alpha=0.15, lw=0)
for end in (x[0], x[-1]):
    ax.axvline(end, color="0.8", ls="--", lw=1)
ax.set(ylim=(-3, 3), xlabel="x", title="Beyond the data: bands of ±2 standard errors")
ax.legend()

fig, axes = plt.subplots(1, 4, figsize=(13, 3.4), layout="constrained", sharey=True)
for ax, lam in zip(axes, (1e-7, 1e-5, 1e-3, 1e-1)):
    spline = SmoothingSpline(lam=lam).fit(x, y)
    ax.plot(x, y, "o", ms=3, color="0.5")
    ax.plot(grid, spline.predict(grid), color="C0")
    ax.plot(grid, np.sin(6 * grid), color="0.7", lw=1)
    ax.set(title=f"λ = {lam:g}, df = {spline.df_:.1f}", ylim=(-2.5, 2.5))
chosen = SmoothingSpline().fit(x, y)
print(f"GCV chooses λ = {chosen.lam_:.2g}, that is {chosen.df_:.1f} degrees of freedom")
plt.show()

# %%
# With the same number of functions the cubic spline's band opens like a trumpet at both ends; the natural spline
# spends those coefficients on two more knots inside. Along the grid of penalties the smoothing spline goes from nearly
# interpolating to nearly a line; its degrees of freedom say so on any data, which λ does not.
