"""
Linear, quadratic, and linear with quadratic terms
==================================================

Three rules for classes of unequal shape: a common covariance, one covariance per class, and a common covariance of the
columns together with their squares and products.
"""

import matplotlib.pyplot as plt
from scipy.stats import multivariate_normal

from statlearn.discriminant import (
    BayesClassifier,
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    QuadraticLDA,
)
from statlearn.plot import plot_decision_boundary, style

classes = [
    multivariate_normal([0, 0], [[0.25, 0.0], [0.0, 0.25]]),
    multivariate_normal([0.5, 0.5], [[2.5, 0.0], [0.0, 2.5]]),
    multivariate_normal([-2.5, 1.0], [[0.4, 0.2], [0.2, 0.8]]),
]
oracle = BayesClassifier(classes)
X, y = oracle.sample(450, random_state=1)
X_test, y_test = oracle.sample(20_000, random_state=2)

models = {
    "linear": LinearDiscriminantAnalysis(),
    "quadratic": QuadraticDiscriminantAnalysis(),
    "linear with quadratic terms": QuadraticLDA(),
}
with style():
    fig, axes = plt.subplots(1, 3, figsize=(13, 4.4), layout="constrained")
    for ax, (name, model) in zip(axes, models.items()):
        model.fit(X, y)
        plot_decision_boundary(model, X, y, regions="class", ax=ax)
        ax.set_title(f"{name}\nerror {1 - model.score(X_test, y_test):.3f}, {model.n_parameters_} parameters")
plt.show()

# %%
# The middle class lies within a wide one, and no straight line can cut it out. Both quadratic rules have curved
# boundaries and the same number of parameters, but they are not the same rule. One covariance per class is the truth
# here and comes close to the Bayes error, which no rule can beat. Squares and products as further columns assume that
# these have the same covariance in every class, which is not so, and their rule lies between the other two.
print(f"Bayes error: {oracle.error_rate().error:.3f}")
print({name: round(1 - model.score(X_test, y_test), 3) for name, model in models.items()})
