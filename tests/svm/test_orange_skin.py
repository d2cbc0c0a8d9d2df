"""Two classes of which one surrounds the other, with and without noise columns."""

import numpy as np
import pytest
from scipy.stats import chi2

from statlearn.svm import SVC
from tests.helpers import assert_close


def skin(rng, n, noise):
    """n rows a class: N(0, I_4), and the same given 9 <= |x|^2 <= 16; then columns of noise."""
    inner = rng.normal(size=(n, 4))
    outer = np.empty((0, 4))
    while len(outer) < n:
        draw = rng.normal(size=(40 * n, 4))
        size = np.sum(draw**2, axis=1)
        outer = np.vstack([outer, draw[(size >= 9) & (size <= 16)]])
    X = np.vstack([inner, outer[:n]])
    return np.hstack([X, rng.normal(size=(2 * n, noise))]), np.repeat([0, 1], n)


def bayes_rule(X):
    size = np.sum(X[:, :4] ** 2, axis=1)
    return ((size >= 9) & (size <= 16)).astype(int)


@pytest.mark.spec("SVM-T5")
@pytest.mark.parametrize("noise", [0, 6])
def test_bayes_error_is_half_the_mass_of_the_shell(noise):
    # Inside the shell the density of the second class is the larger one, elsewhere it is 0.
    error = 0.5 * (chi2.cdf(16, 4) - chi2.cdf(9, 4))
    assert_close(error, 0.0290402, rtol=0, atol=1e-7)
    X, y = skin(np.random.default_rng(0), 40_000, noise)
    observed = np.mean(bayes_rule(X) != y)
    assert abs(observed - error) < 4 * np.sqrt(error * (1 - error) / y.size)


@pytest.mark.spec("SVM-T6")
def test_the_degree_should_match_the_boundary_and_noise_columns_hurt():
    errors = {name: [] for name in ("bayes", "poly 2", "poly 5", "poly 10", "linear", "poly 2 with noise")}
    for seed in range(10):
        rng = np.random.default_rng(seed)
        for noise in (0, 6):
            X, y = skin(rng, 100, noise)
            tuning, test = skin(rng, 500, noise), skin(rng, 1000, noise)
            machines = {"poly 2": 2} if noise else {"poly 2": 2, "poly 5": 5, "poly 10": 10, "linear": 1}
            for name, degree in machines.items():
                fits = [
                    SVC(kernel="poly", degree=degree, coef0=1.0, gamma=0.25, C=C, tol=1e-2)
                    for C in np.logspace(-2, 1, 4) * 3.0 ** (2 - degree)
                ]
                best = max((m.fit(X, y) for m in fits), key=lambda m: m.score(*tuning))
                errors[name + (" with noise" if noise else "")].append(1 - best.score(*test))
            if not noise:
                errors["bayes"].append(np.mean(bayes_rule(test[0]) != test[1]))
    mean = {name: np.mean(values) for name, values in errors.items()}
    order = [mean[name] for name in ("bayes", "poly 2", "poly 5", "poly 10", "linear")]
    assert order == sorted(order), mean
    assert mean["poly 2 with noise"] > mean["poly 2"]
