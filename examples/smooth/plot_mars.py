"""
Adaptive regression splines
===========================

MARS builds a surface from hinges: pairs of lines that are zero on one side of a knot. Products of hinges bend the
surface in one region only.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.plot import style
from statlearn.smooth import MARS

t = np.linspace(0, 1, 101)
with style() as colours:
    fig, ax = plt.subplots(figsize=(5, 3), layout="constrained")
    ax.plot(t, np.maximum(t - 0.4, 0), label="$(x - 0.4)_+$")
    ax.plot(t, np.maximum(0.4 - t, 0), "--", label="$(0.4 - x)_+$")
    ax.set(xlabel="x", title="a reflected pair")
    ax.legend()
plt.show()

# %%
# A surface with kinks: flat, but for a ridge that begins where both features are large. The terms found are nearly
# those that the data were made with.

rng = np.random.default_rng(0)
X = rng.uniform(size=(800, 4))


def surface(x1, x2):
    return 6 * np.maximum(x1 - 0.5, 0) * np.maximum(x2 - 0.3, 0) + 2 * np.maximum(0.4 - x1, 0)


y = surface(X[:, 0], X[:, 1]) + 0.1 * rng.normal(size=800)
model = MARS(max_degree=2).fit(X, y)
print(model.summary())

# %%

grid = np.linspace(0, 1, 60)
u, v = np.meshgrid(grid, grid)
points = np.column_stack([u.ravel(), v.ravel(), np.full(u.size, 0.5), np.full(u.size, 0.5)])
with style() as colours:
    fig, axes = plt.subplots(1, 3, figsize=(12, 3.6), layout="constrained")
    shared = dict(levels=np.linspace(-0.2, 2.2, 13), cmap="viridis", extend="both")
    axes[0].contourf(grid, grid, surface(u, v), **shared)
    axes[0].set(xlabel="x0", ylabel="x1", title="truth")
    filled = axes[1].contourf(grid, grid, model.predict(points).reshape(u.shape), **shared)
    axes[1].set(xlabel="x0", ylabel="x1", title="fit")
    fig.colorbar(filled, ax=axes[1])
    axes[2].plot(model.pruning_sizes_, model.pruning_gcv_, "o-", markersize=3)
    axes[2].axvline(len(model.terms_), color="0.6", linewidth=0.8)
    axes[2].set(xlabel="terms", ylabel="GCV", yscale="log", title="backward deletion")
plt.show()
