"""
The functions that splines are sums of
======================================

A spline is a weighted sum of fixed functions. Many sets of functions span the same splines; why are B-splines the ones
that programs use?
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.plot import style
from statlearn.smooth import SplineTransformer

x = np.linspace(0, 1, 601)[:, None]
knots = np.linspace(0, 1, 10)

# %%
# B-splines of the orders 1 to 4 (degrees 0 to 3) with ten knots, the two ends included. Each function is zero outside
# of as many intervals as its order, and all of them add up to 1 everywhere (dashed).
sums = {}
with style() as colours:
    fig, axes = plt.subplots(4, 1, figsize=(8, 8.4), layout="constrained", sharex=True)
    for order, ax in enumerate(axes, start=1):
        basis = SplineTransformer(n_knots=10, degree=order - 1, clamped=True).fit(x)
        H = basis.transform(x)
        sums[order] = H.sum(axis=1)
        if order == 1:  # no lines across the jumps
            H = np.where(H > 0, H, np.nan)
        ax.plot(x, H)
        ax.plot(x, sums[order], "--", color=colours.ink, lw=1)
        ax.plot(knots, np.zeros(10), "|", color=colours.ink, ms=9, clip_on=False)
        ax.set(title=f"order {order}: {H.shape[1]} functions", ylim=(0, 1.1))
    axes[-1].set_xlabel("x")
plt.show()

# %%
# Three bases with a knot in the same places. Truncated powers begin at their knot and never end: large where x is
# large, and so alike that the normal equations are nearly singular. The natural spline has no curvature at its outer
# knots, which takes away one function at either end. The condition number says how far rounding errors are amplified.
bases = {
    "truncated powers": SplineTransformer(n_knots=10, basis="truncated_power"),
    "natural": SplineTransformer(n_knots=10, basis="natural"),
    "B-splines": SplineTransformer(n_knots=10, clamped=True),
}
conditions = {}
with style():
    fig, axes = plt.subplots(1, 3, figsize=(12, 3.6), layout="constrained")
    for ax, (name, basis) in zip(axes, bases.items()):
        H = basis.fit_transform(x)
        conditions[name] = np.linalg.cond(H)
        ax.plot(x, H)
        ax.set(title=f"{name}: {H.shape[1]} functions\ncondition {conditions[name]:.2g}", xlabel="x")
plt.show()
for name, condition in conditions.items():
    print(f"{name:17}condition number {condition:10.1f}")

# %%
# The cubic B-splines and the truncated powers span the same functions, so least squares gives the same curve from both,
# up to rounding. B-splines keep the rounding small, and as only four of them are not zero at any x, their normal
# equations are banded and fast to solve.
