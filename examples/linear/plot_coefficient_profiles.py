"""
Coefficient profiles: ridge, lasso, elastic net and least angles
================================================================

How do the coefficients of the diabetes data move as the penalty is relaxed?
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes

from statlearn.linear import enet_path, lars_path, lasso_path, ridge_path
from statlearn.plot import plot_path
from statlearn.prep import StandardScaler

data = load_diabetes(as_frame=True)
X = StandardScaler().fit_transform(data.data)
y = data.target.to_numpy() - data.target.mean()
names = data.feature_names

# %%
# Ridge shrinks all coefficients together; the lasso and the elastic net let them enter one after the other.

fig, axes = plt.subplots(1, 3, figsize=(13, 4), layout="constrained", sharey=True)
ridge = ridge_path(X, y, alphas=np.logspace(4.5, -1, 80))
plot_path(ridge.alphas, ridge.coefs, feature_names=names, ax=axes[0])
axes[0].set_title("ridge")
alphas, coefs, _ = lasso_path(X, y)
plot_path(alphas, coefs, feature_names=names, ax=axes[1])
axes[1].set_title("lasso")
alphas, coefs, _ = enet_path(X, y, l1_ratio=0.5)
plot_path(alphas, coefs, feature_names=names, ax=axes[2])
axes[2].set_title("elastic net, l1_ratio = 0.5")
plt.show()

# %%
# Least angles against its lasso modification. Both paths are piecewise linear; they part where a coefficient crosses
# zero, which the lasso forbids: there the variable leaves. The inner products of the columns with the residual fall
# together: an inactive column joins the active ones when its own line reaches theirs.

fig, axes = plt.subplots(1, 3, figsize=(13, 4), layout="constrained")
for ax, method in zip(axes, ("lar", "lasso")):
    alphas, _, coefs = lars_path(X, y, method=method)
    arc = np.append(0.0, np.cumsum(np.abs(np.diff(coefs, axis=1)).sum(axis=0)))
    ax.plot(arc, coefs.T)
    ax.set(title={"lar": "least angles", "lasso": "lasso"}[method], xlabel="L1 arc length", ylabel="coefficient")
    if method == "lar":
        axes[2].plot(arc, np.abs(X.T @ (y[:, None] - X @ coefs)).T / len(y))
axes[2].set(title="least angles", xlabel="L1 arc length", ylabel="|inner product with the residual| / n")
plt.show()

# %%
# In the last panel the active lines have merged into one falling envelope; the last step reaches least squares, where
# all inner products are zero.
