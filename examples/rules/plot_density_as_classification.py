"""
Density as classification
=========================

Label the data 1 and a uniform sample 0, and let a classifier tell them apart: its odds estimate the density. Here the
classifier is a logistic regression on a tensor product of natural splines in two inputs.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.linear import LogisticRegression
from statlearn.plot import style
from statlearn.prep import make_pipeline
from statlearn.rules import density_ratio
from statlearn.smooth import TensorProductBasis

rng = np.random.default_rng(0)
n = 2000
angle = rng.uniform(0, np.pi, n)
X = np.column_stack([np.cos(angle), np.sin(angle)]) + 0.15 * rng.normal(size=(n, 2))
low, high = X.min(axis=0), X.max(axis=0)

model = make_pipeline(TensorProductBasis(df=6), LogisticRegression(C=10.0, max_iter=2000))
found = density_ratio(X, model, n_reference=2 * n, random_state=0)

x, y = np.meshgrid(np.linspace(low[0], high[0], 120), np.linspace(low[1], high[1], 120))
density = found.density(np.column_stack([x.ravel(), y.ravel()])).reshape(x.shape)
with style() as colours:
    fig, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained", sharey=True)
    reference = rng.uniform(low, high, size=(n, 2))
    left.scatter(*reference.T, s=3, alpha=0.4, color=colours.muted, label="uniform reference, 0")
    left.scatter(*X.T, s=3, alpha=0.6, color=colours.cycle[0], label="data, 1")
    left.legend(loc="lower center", frameon=True, framealpha=1, markerscale=3)
    filled = right.contourf(x, y, density, levels=12, cmap="viridis")
    fig.colorbar(filled, ax=right, label="density")
    left.set(title="two classes")
    right.set(title="density from the odds")
plt.show()

# %%
# The ridge follows the half circle. The density integrates to nearly one, although no density was fitted.
print(f"integral over the box: {density.mean() * found.volume:.2f}")
