"""
Why the lasso selects: constraint regions and contours of the residual sum of squares
=====================================================================================

A penalty on the coefficients is the same as a budget for their size. The ridge budget is a disc, the lasso's a diamond,
the elastic net's a diamond with rounded sides. The constrained solution is the first point of the region that the
growing contours of the residual sum of squares touch.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.linear import ElasticNet, Lasso, LinearRegression, Ridge

rng = np.random.default_rng(0)
X = rng.normal(size=(100, 2)) @ np.array([[1.0, 0.5], [0.0, 0.9]])
y = X @ np.array([2.0, 0.2]) + rng.normal(size=100)
X, y = X - X.mean(axis=0), y - y.mean()

# %%
# One strength each, so that the three solutions lie at a similar distance from least squares.

ols = LinearRegression().fit(X, y).coef_
models = {"ridge": Ridge(alpha=60.0), "lasso": Lasso(alpha=0.8), "elastic net": ElasticNet(alpha=0.6, l1_ratio=0.6)}
penalties = {
    "ridge": lambda b: (b**2).sum(axis=-1),
    "lasso": lambda b: np.abs(b).sum(axis=-1),
    "elastic net": lambda b: 0.6 * np.abs(b).sum(axis=-1) + 0.2 * (b**2).sum(axis=-1),
}

# %%
# The region is drawn at the budget that the penalised solution spends.

grid = np.stack(np.meshgrid(np.linspace(-1.6, 2.8, 300), np.linspace(-1.6, 2.0, 300)), axis=-1)
rss = ((y[:, None] - X @ grid.reshape(-1, 2).T) ** 2).sum(axis=0).reshape(grid.shape[:2])
fig, axes = plt.subplots(1, 3, figsize=(12, 4), layout="constrained", sharey=True)
for ax, (name, model) in zip(axes, models.items()):
    coef = model.fit(X, y).coef_
    budget = penalties[name](coef)
    ax.contourf(grid[..., 0], grid[..., 1], penalties[name](grid), levels=[0, budget], colors=["C0"], alpha=0.4)
    touching = ((y - X @ coef) ** 2).sum()
    ax.contour(
        grid[..., 0], grid[..., 1], rss, levels=sorted([touching, *(rss.min() * np.array([1.05, 1.3, 1.7, 2.6]))])
    )
    ax.plot(*ols, "k+", ms=10)
    ax.plot(*coef, "C3o")
    ax.set(title=f"{name}: ({coef[0]:.2f}, {coef[1]:.2f})", xlabel="first coefficient", aspect="equal")
axes[0].set_ylabel("second coefficient")
plt.show()

# %%
# The contour touches the disc at a point with two non-zero coefficients, but the diamond at its corner: the lasso sets
# the small coefficient to exactly zero, ridge only shrinks it.
