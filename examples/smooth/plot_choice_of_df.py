"""
How many degrees of freedom? Expected error and cross-validation
================================================================

y = sin(12 (x + 0.2)) / (x + 0.2) + noise, 100 points. The expected prediction error over many samples, and what leave-
one-out says about it from one.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.smooth import SmoothingSpline

rng = np.random.default_rng(0)
truth = lambda t: np.sin(12 * (t + 0.2)) / (t + 0.2)  # noqa: E731
dfs = np.arange(5.0, 16.0, 0.5)
x = rng.uniform(size=100)
grid = np.linspace(0, 1, 300)

error = np.zeros(len(dfs))
loo = []
for draw in range(30):
    y = truth(x) + rng.normal(size=100)
    fits = [SmoothingSpline(df=df).fit(x, y) for df in dfs]
    error += [1.0 + np.mean((fit.predict(x) - truth(x)) ** 2) for fit in fits]
    loo.append([fit.loo_ for fit in fits])
    if draw == 0:
        first = y, fits
error /= 30

fig, axes = plt.subplots(2, 2, figsize=(10, 7), layout="constrained")
ax = axes[0, 0]
ax.plot(dfs, error, label="expected prediction error")
ax.plot(dfs, loo[0], label="leave-one-out, first sample")
ax.plot(dfs, np.mean(loo, axis=0), "--", label="leave-one-out, mean")
ax.plot(dfs[error.argmin()], error.min(), "ko", ms=4)
ax.set(xlabel="degrees of freedom", ylabel="mean squared error")
ax.legend()
y, _ = first
for ax, df in zip(axes.flat[1:], (5, 9, 15)):
    value, std = SmoothingSpline(df=df).fit(x, y).predict(grid, return_std=True)
    ax.plot(x, y, "o", ms=2.5, color="0.6")
    ax.plot(grid, truth(grid), color="C0", lw=1)
    ax.plot(grid, value, color="C2")
    ax.fill_between(grid, value - 2 * std, value + 2 * std, color="C2", alpha=0.2, lw=0)
    ax.set(title=f"df = {df}", ylim=(-5, 4))
print(f"least expected error at df = {dfs[error.argmin()]:g}; leave-one-out of the first sample chooses "
      f"{SmoothingSpline(criterion='loo').fit(x, y).df_:.1f}")  # fmt: skip
plt.show()

# %%
# Five degrees of freedom trim the peaks (bias), fifteen follow the noise (variance, a wide band); about nine are best.
# One sample's leave-one-out curve is nearly unbiased for the expected error on average, and flat: a range of values is
# as good.
