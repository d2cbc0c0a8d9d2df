"""
The perceptron stops at any separator
=====================================

On separable data the perceptron ends as soon as it makes no mistake, wherever that is. A maximum-margin hyperplane
is the one farthest from both classes.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.linear import Perceptron, RegularizedLinearClassifier, hyperplane_distance

rng = np.random.default_rng(0)
X = np.vstack([rng.normal([-2, -1], 0.7, (40, 2)), rng.normal([2, 1], 0.7, (40, 2))])
y = np.repeat([-1, 1], 40)

# %%
# The perceptron on three row orders, and the hinge loss with a tiny penalty, which is the maximum margin.

fig, ax = plt.subplots(figsize=(7, 5), layout="constrained")
ax.scatter(*X.T, c=y, cmap="coolwarm", s=15)
x1 = np.array([-4.5, 4.5])


def line(w, b):
    return -(b + w[0] * x1) / w[1]


for seed in range(3):
    order = np.random.default_rng(seed).permutation(len(y))
    model = Perceptron(shuffle=False, tol=None, max_iter=1000).fit(X[order], y[order])
    margin = np.min(y * hyperplane_distance(X, model.coef_[0], model.intercept_[0]))
    ax.plot(x1, line(model.coef_[0], model.intercept_[0]), "--", label=f"perceptron, order {seed}: margin {margin:.2f}")
widest = RegularizedLinearClassifier(loss="hinge", alpha=1e-3).fit(X, y)
w, b = widest.coef_[0], widest.intercept_[0]
margin = np.min(y * hyperplane_distance(X, w, b))
ax.plot(x1, line(w, b), "k-", lw=2, label=f"maximum margin: {margin:.2f}")
ax.set(ylim=(-4, 4), xlabel="x1", ylabel="x2")
ax.legend(frameon=False, loc="upper left")
plt.show()

# %%
# Each order of the rows gives another line, all with zero mistakes; the maximum-margin line is unique.
