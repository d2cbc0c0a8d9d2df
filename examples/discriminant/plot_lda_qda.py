"""
Linear, quadratic, and linear with quadratic terms
==================================================

Three rules for classes of unequal shape: a common covariance, one covariance per class, and a common covariance of the
columns together with their squares and products.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import multivariate_normal

from statlearn.discriminant import (
    BayesClassifier,
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    QuadraticLDA,
)
from statlearn.plot import plot_decision_boundary, style

classes = [
    multivariate_normal([0, 0], [[0.4, 0.0], [0.0, 0.4]]),
    multivariate_normal([1.5, 1.5], [[2.0, -1.5], [-1.5, 2.0]]),
    multivariate_normal([-1.5, 2.0], [[0.3, 0.3], [0.3, 1.5]]),
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
        ax.set_title(f"{name}: error {1 - model.score(X_test, y_test):.3f}, {model.n_parameters_} parameters")
plt.show()

# %%
# The two quadratic rules have the same number of parameters and nearly the same regions, though they are not the same
# rule. No rule can have a smaller error than the Bayes classifier of the true densities:
print(f"Bayes error: {oracle.error_rate().error:.3f}")
print({name: model.n_parameters_ for name, model in models.items()})
assert np.all([1 - m.score(X_test, y_test) > oracle.error_rate().error - 0.01 for m in models.values()])
