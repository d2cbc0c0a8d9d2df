"""
Underfit, fit, overfit: polynomials and the U of the test error
===============================================================

A cubic with noise, and polynomials of growing degree. What happens to the training error, and what to the test error?
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.assess import overfits, validation_curve
from statlearn.linear import LinearRegression
from statlearn.plot import plot_score_curve, style
from statlearn.prep import PolynomialFeatures, make_pipeline


def polynomial(degree):
    return make_pipeline(PolynomialFeatures(degree, include_bias=False), LinearRegression())


def draw(f, sd):
    def generator(rng, n):
        X = rng.uniform(-2, 2, size=(n, 1))
        return X, f(X[:, 0]) + sd * rng.normal(size=n)

    return generator


cubic = draw(lambda x: x**3 - 2 * x, 1.0)
X, y = cubic(np.random.default_rng(1), 30)
X_test, y_test = cubic(np.random.default_rng(2), 1000)
grid = np.linspace(-2, 2, 200)[:, None]

errors = {}
with style() as colours:
    fig, axes = plt.subplots(1, 3, figsize=(12, 3.8), sharey=True, layout="constrained")
    for ax, degree in zip(axes, (1, 3, 12)):
        model = polynomial(degree).fit(X, y)
        errors[degree] = [np.mean((b - model.predict(a)) ** 2) for a, b in ((X, y), (X_test, y_test))]
        ax.plot(X[:, 0], y, "o", color=colours.muted)
        ax.plot(grid, grid**3 - 2 * grid, color=colours.muted, ls="--", lw=1.2, label="truth")
        ax.plot(grid, model.predict(grid), color=colours.cycle[0], label="fit")
        ax.set(title=f"degree {degree}: training {errors[degree][0]:.2f}, test {errors[degree][1]:.2f}", ylim=(-7, 7))
        ax.legend()
print("degree 12 overfits relative to degree 3:", overfits(*errors[12], *errors[3]))

# %%
# The same over many data sets, for three truths: the test error has the shape of a U, rises from the start when a
# straight line is the truth, and falls all the way when the truth is too wiggly for any of the degrees.
truths = {
    "cubic: a U": (lambda x: x**3 - 2 * x, 1.0, range(1, 9)),
    "straight line: rises": (lambda x: x, 1.0, range(1, 9)),
    "very wiggly: an L": (lambda x: 3 * np.sin(4 * x + 0.8), 0.5, range(1, 11)),
}
with style():
    fig, axes = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained")
    for ax, (title, (f, sd, degrees)) in zip(axes, truths.items()):
        curve = validation_curve(
            polynomial(1), param_name="polynomialfeatures__degree", param_range=list(degrees), generator=draw(f, sd),
            n_train=100, n_test=300, replicates=10, scoring="neg_mean_squared_error", random_state=0,
        )  # fmt: skip
        plot_score_curve(curve, ax=ax, band=0.8, log=False, centre="median")
        ax.set(title=title, xlabel="degree", ylabel="mean squared error")
plt.show()

# %%
# The training error always falls. It says nothing about where the test error turns.
