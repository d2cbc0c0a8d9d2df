"""Nearest neighbours."""

import numpy as np
import pytest
from scipy import optimize, stats

from statlearn import gp, threads
from statlearn._core.native import gp as native
from statlearn.gp import GaussianProcessRegressor, VecchiaGaussianProcessRegressor
from statlearn.gp._scalable import NoisyFormula
from statlearn.gp._vecchia import earlier_neighbors
from tests.helpers import assert_close

KERNEL = 0.7 * gp.Matern([0.3, 0.5], nu=1.5) + gp.WhiteKernel(0.05)


def problem(rng, n=150):
    X = rng.random((n, 2))
    return X, np.sin(5 * X[:, 0]) + X[:, 1] + 0.2 * rng.normal(size=n)


def test_the_nearest_earlier_rows_match_brute_force(rng):
    X = rng.random((700, 2))
    neighbors = earlier_neighbors(X, 6)
    for i in [0, 1, 5, 63, 64, 100, 127, 128, 300, 511, 512, 699]:
        distances = ((X[:i] - X[i]) ** 2).sum(axis=1)
        expected = np.argsort(distances, kind="stable")[:6]
        assert list(neighbors[i][neighbors[i] >= 0]) == list(expected)


def test_sorted_rows_need_a_wider_look():
    X = np.linspace(0, 1, 300)[:, None]
    neighbors = earlier_neighbors(X, 4)
    assert list(neighbors[250]) == [249, 248, 247, 246]


def test_the_likelihood_is_the_documented_sum(rng):
    X, y = problem(rng, 80)
    neighbors = earlier_neighbors(X, 5)
    C = KERNEL(X)
    value = 0.0
    for i in range(80):
        near = neighbors[i][neighbors[i] >= 0]
        weights = np.linalg.solve(C[np.ix_(near, near)], C[near, i]) if len(near) else np.zeros(0)
        value += stats.norm(weights @ y[near], np.sqrt(C[i, i] - weights @ C[near, i])).logpdf(y[i])
    formula, noise = NoisyFormula(KERNEL, 0.0, "model").at()
    assert_close(native.vecchia_likelihood(formula.args, X, y, neighbors, noise, np.empty(0))[0], value)


def test_the_gradient_is_the_derivative(rng):
    X, y = problem(rng, 80)
    neighbors = earlier_neighbors(X, 5)
    for kernel in (KERNEL, gp.WhiteKernel(0.1) + gp.DotProduct(0.5) + gp.RationalQuadratic(0.3, 0.7)):
        noisy = NoisyFormula(kernel, 0.01, "model")

        def value(theta, noisy=noisy):
            return VecchiaGaussianProcessRegressor._value_and_gradient(noisy, X, y, neighbors, theta)

        numeric = optimize.approx_fprime(kernel.theta, lambda t, value=value: value(t)[0], 1e-6)
        assert_close(value(kernel.theta)[1], numeric, rtol=1e-4, atol=1e-3)


def test_with_all_earlier_rows_it_is_exact(rng):
    X, y = problem(rng, 40)
    model = VecchiaGaussianProcessRegressor(KERNEL, n_neighbors=47, optimizer=None, random_state=0).fit(X, y)
    exact = GaussianProcessRegressor(KERNEL, optimizer=None).fit(X, y)
    assert_close(model.log_likelihood_, exact.log_marginal_likelihood_value_)
    new = rng.random((20, 2))
    for latent in (False, True):
        for a, b in zip(*(m.predict(new, return_std=True, latent=latent) for m in (model, exact))):
            assert_close(a, b, atol=1e-8)


def test_few_neighbours_come_close_to_the_exact_fit(rng):
    X, y = problem(rng, 500)
    kernel = 1.0 * gp.Matern([1.0, 1.0], nu=1.5) + gp.WhiteKernel(0.1)
    exact = GaussianProcessRegressor(kernel).fit(X, y)
    model = VecchiaGaussianProcessRegressor(kernel, n_neighbors=25, random_state=0).fit(X, y)
    # Noise weakens the screening by near rows: a few hundredths per observation are lost.
    assert abs(model.log_likelihood_ - exact.log_marginal_likelihood_value_) / 500 < 0.03
    new = rng.random((50, 2))
    mean, std = model.predict(new, return_std=True)
    mean_exact, std_exact = exact.predict(new, return_std=True)
    assert np.sqrt(np.mean((mean - mean_exact) ** 2)) < 0.06  # noise has a standard deviation of 0.2
    assert np.abs(std / std_exact - 1).max() < 0.05
    assert "conditioned on at most 25 others" in str(model.summary())


def test_the_same_bits_for_any_number_of_threads(rng):
    X, y = problem(rng, 600)
    found = []
    for n in (1, 2):
        with threads(n):
            model = VecchiaGaussianProcessRegressor(KERNEL, n_neighbors=8, random_state=0).fit(X, y)
            found.append([model.kernel_.theta, *model.predict(X[:30], return_std=True)])
    for a, b in zip(*found):
        assert np.array_equal(a, b)


def test_repeated_rows_without_noise_raise():
    X, y = np.repeat(np.linspace(0, 1, 10)[:, None], 3, axis=0), np.arange(30.0)
    model = VecchiaGaussianProcessRegressor(1.0 * gp.RBF(), alpha=1e-300, optimizer=None, random_state=0)
    with pytest.raises(np.linalg.LinAlgError, match="repeated or very close"):
        model.fit(X, y)
