"""
When forests fail: noise columns and leaves of one row
======================================================

A node draws a few columns. Among many columns of noise it often draws no relevant one, and the tree grows on chance.
And a forest does not overfit in the number of its trees, but it can in their size.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.ensemble import RandomForestClassifier, RandomForestRegressor, relevant_split_probability
from statlearn.plot import style

rng = np.random.default_rng(0)
relevant, noise = 6, [0, 5, 25, 50, 100, 150]


def spheres(n, extra):
    """The class is decided by the length of six columns; the others are noise."""
    X = rng.normal(size=(n, relevant + extra))
    return X, (np.sum(X[:, :relevant] ** 2, axis=1) > 5.35).astype(int)


# %%
# The square root of the number of columns is drawn at each node. With a hundred columns of noise, six relevant ones
# are missed by more than half of the nodes.
errors, chances = [], []
for extra in noise:
    X, y = spheres(300, extra)
    X_test, y_test = spheres(2000, extra)
    forest = RandomForestClassifier(200, random_state=0).fit(X, y)
    errors.append(1 - forest.score(X_test, y_test))
    chances.append(relevant_split_probability(relevant, extra, int(np.sqrt(relevant + extra))))

# %%
# On noisy numbers, leaves of a few rows beat leaves of one.
X = rng.uniform(size=(1500, 8))
f = 4 * X[:, 0] * X[:, 1] + X[:, 2]
y = f + 2 * rng.normal(size=1500)
leaves = [1, 2, 5, 10, 20, 40, 80]
risk = []
for rows in leaves:
    model = RandomForestRegressor(100, min_samples_leaf=rows, max_features="p/3", random_state=0)
    risk.append(np.mean((model.fit(X[:500], y[:500]).predict(X[500:]) - f[500:]) ** 2))

with style():
    fig, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    axes[0].plot(noise, errors, "o-", label="test error")
    axes[0].plot(noise, 1 - np.array(chances), "s--", label="nodes without a relevant column")
    axes[0].set(xlabel="columns of noise beside six relevant ones", ylabel="share", ylim=(0, None))
    axes[0].legend()
    axes[1].plot(leaves, risk, "o-")
    axes[1].set(xscale="log", xlabel="rows a leaf must have", ylabel="mean squared distance from the truth")
plt.show()
