"""
Bias and variance of nearest neighbours and best subsets
========================================================

Twenty uniform columns. On the left the response is 1 where the first column exceeds one half, learned by nearest
neighbours; on the right it is 1 where the first ten add up to more than 5, learned by the best subset of each size.
How do bias and variance trade?
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.assess import bias_variance_decomposition, validation_curve
from statlearn.linear import BestSubsetRegressor
from statlearn.neighbors import KNeighborsRegressor
from statlearn.plot import plot_bias_variance, plot_cv_curve, style


def first_column(X):
    return (X[:, 0] > 0.5).astype(float)


def first_ten(X):
    return (X[:, :10].sum(axis=1) > 5).astype(float)


def draw(f):
    def generator(rng):
        X = rng.uniform(size=(80, 20))
        return X, f(X)

    return generator


points = np.random.default_rng(0).uniform(size=(300, 20))
neighbours = [40, 30, 20, 12, 7, 4, 1]
sizes = [1, 4, 7, 10, 15, 20]
left = [
    bias_variance_decomposition(
        KNeighborsRegressor(k), draw(first_column), points, truth=first_column, noise=0.0, n_sets=15, random_state=0
    )
    for k in neighbours
]
right = [
    bias_variance_decomposition(
        BestSubsetRegressor(size=p), draw(first_ten), points, truth=first_ten, noise=0.0, n_sets=15, random_state=0
    )
    for p in sizes
]
with style():
    fig, axes = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    plot_bias_variance(neighbours, left, name="neighbours", ax=axes[0], log=True)
    plot_bias_variance(sizes, right, name="subset size", ax=axes[1], log=False)
    axes[0].set_title("nearest neighbours")
    axes[1].set_title("best subsets")

# %%
# The response has no noise, so that the error is bias² + variance. One data set does not show these parts, but tenfold
# cross-validation estimates their sum, and the one-standard-error rule takes a smaller subset than the minimum does.
X, y = draw(first_ten)(np.random.default_rng(1))
curve = validation_curve(
    BestSubsetRegressor(), X, y, param_name="size", param_range=list(range(1, 15)), cv=10,
    scoring="neg_mean_squared_error", random_state=0,
)  # fmt: skip
with style():
    ax = plot_cv_curve(curve.cv_curve)
    ax.set_title(f"one data set: minimum at {curve.cv_curve.best + 1} columns, one SE at {curve.cv_curve.one_se + 1}")
plt.show()

# %%
# Few neighbours: small bias, large variance; many: the reverse. Subsets fall in bias until all ten columns that matter
# can be in, and pay for every further one.
