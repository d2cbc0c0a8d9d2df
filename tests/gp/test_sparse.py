"""Inducing points."""

import numpy as np
import pytest
from scipy import optimize, stats

from statlearn import gp, threads
from statlearn._core.native import gp as native
from statlearn.gp import GaussianProcessRegressor, SparseGaussianProcessRegressor, _search
from statlearn.gp._scalable import NoisyFormula
from statlearn.gp._sparse import VariationalBound
from statlearn.gp.kernels._base import covariance
from tests.helpers import assert_close


def problem(rng, n=120):
    X = rng.random((n, 2))
    return X, np.sin(5 * X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=n)


KERNEL = 0.7 * gp.RBF([0.2, 0.3]) + gp.WhiteKernel(0.05)


def bound_of(X, y, Z, kernel=KERNEL):
    return VariationalBound(NoisyFormula(kernel, 1e-10, "model"), X, y, np.ascontiguousarray(Z))


def test_the_bound_is_the_documented_one(rng):
    X, y = problem(rng)
    bound = bound_of(X, y, X[:25])
    plain = 0.7 * gp.RBF([0.2, 0.3])
    S = plain(X[:25]) + 0.7e-6 * np.eye(25)
    Q = plain(X, X[:25]) @ np.linalg.solve(S, plain(X[:25], X))
    normal = stats.multivariate_normal(np.zeros(120), Q + (0.05 + 1e-10) * np.eye(120))
    expected = normal.logpdf(y) - (120 * 0.7 - np.trace(Q)) / (2 * (0.05 + 1e-10))
    parts = bound.parts(KERNEL.theta)
    assert_close(bound.value(parts), expected, atol=1e-6)
    exact = GaussianProcessRegressor(KERNEL, optimizer=None).fit(X, y).log_marginal_likelihood_value_
    assert bound.value(parts) < exact < bound.upper(parts)


@pytest.mark.parametrize("kernel", [KERNEL, gp.WhiteKernel(0.1) + gp.DotProduct(0.5) + 0.3 * gp.Matern(0.3, nu=2.5)])
def test_the_gradient_is_the_derivative(kernel, rng):
    X, y = problem(rng, 60)
    bound = bound_of(X, y, X[:15], kernel)
    gradient = bound.value_and_gradient(kernel.theta)[1]
    for k in range(kernel.n_dims):
        step = 1e-4 * (np.arange(kernel.n_dims) == k)
        up, down = (bound.value(bound.parts(kernel.theta + s * step)) for s in (1, -1))
        assert_close(gradient[k], (up - down) / 2e-4, rtol=1e-6, atol=1e-5)


def test_native_sums_over_rows(rng):
    X, y = problem(rng, 900)  # more than two blocks
    Z = X[:7].copy()
    formula = NoisyFormula(KERNEL, 0.0, "model").at()[0]
    K = covariance(formula, X, Z)
    moments, products = np.zeros((7, 7)), np.zeros(7)
    native.sparse_moments(formula.args, X, y, Z, moments, products)
    assert_close(np.tril(moments), np.tril(K.T @ K))
    assert_close(products, K.T @ y)
    G, g, out = rng.normal(size=(7, 7)), rng.normal(size=7), np.empty(4)
    G = G + G.T
    native.sparse_gradient(formula.args, X, y, Z, G, g, out)
    W = 2 * K @ G + np.outer(y, g)
    noisy = NoisyFormula(KERNEL, 0.0, "model")
    numeric = optimize.approx_fprime(KERNEL.theta, lambda t: np.sum(W * covariance(noisy.at(t)[0], X, Z)), 1e-7)
    assert_close(out, numeric, rtol=1e-5, atol=1e-3)


def test_with_all_rows_as_points_it_is_exact(rng):
    X, y = problem(rng, 50)
    kernel = 0.7 * gp.Matern(0.4, nu=1.5) + gp.WhiteKernel(0.05)
    sparse = SparseGaussianProcessRegressor(kernel, n_inducing=50, optimizer=None).fit(X, y)
    exact = GaussianProcessRegressor(kernel, optimizer=None).fit(X, y)
    assert_close(sparse.lower_bound_, exact.log_marginal_likelihood_value_, atol=1e-3)  # the jitter of the points
    assert_close(sparse.upper_bound_, sparse.lower_bound_, atol=5e-3)
    new = rng.random((20, 2))
    for latent in (False, True):
        for a, b in zip(*(m.predict(new, return_std=True, latent=latent) for m in (sparse, exact))):
            assert_close(a, b, atol=5e-5)


@pytest.mark.parametrize("inducing", ["kmeans++", "greedy"])
def test_few_points_come_close_to_the_exact_posterior(inducing, rng):
    X, y = problem(rng, 400)
    kernel = 1.0 * gp.RBF(0.5) + gp.WhiteKernel(0.1)
    exact = GaussianProcessRegressor(kernel).fit(X, y)
    sparse = SparseGaussianProcessRegressor(kernel, n_inducing=40, inducing=inducing, random_state=0).fit(X, y)
    assert sparse.lower_bound_ <= exact.log_marginal_likelihood_value_ + 1e-3
    assert exact.log_marginal_likelihood_value_ - sparse.lower_bound_ < 2.0
    new = rng.random((50, 2))
    mean, std = sparse.predict(new, return_std=True)
    mean_exact, std_exact = exact.predict(new, return_std=True)
    assert np.abs(mean - mean_exact).max() < 0.03
    assert np.abs(std / std_exact - 1).max() < 0.1
    text = str(sparse.summary())
    assert "Upper bound" in text
    assert "Gap per observation" in text


@pytest.mark.parametrize("rough", [False, True])
def test_the_search_goes_to_the_end(rough, rng, monkeypatch):
    """Rounding in the bound of a smooth function and many points has stopped it at its start, or shortly after."""
    if rough:
        monkeypatch.setattr(_search, "ROUGH_ROWS", 50)
    X = rng.random((2000, 3))
    y = np.sin(6 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.normal(size=2000)
    start = 1.0 * gp.RBF(np.ones(3)) + gp.WhiteKernel(0.1)
    first = SparseGaussianProcessRegressor(start, inducing=X[:100]).fit(X, y)
    again = SparseGaussianProcessRegressor(first.kernel_, inducing=X[:100]).fit(X, y)
    assert first.lower_bound_ > 1000 + bound_of(X, y, X[:100], start).value_and_gradient(start.theta)[0]
    assert again.lower_bound_ - first.lower_bound_ < 0.01
    assert_close(np.exp(first.kernel_.theta[-1]), 0.01, rtol=0.2)


def test_points_can_be_passed_and_threads_do_not_matter(rng):
    X, y = problem(rng, 900)
    found = []
    for n in (1, 2):
        with threads(n):
            model = SparseGaussianProcessRegressor(KERNEL, inducing=X[:20], normalize_y=True).fit(X, y)
            found.append([model.kernel_.theta, model.predict(X[:30]), model.lower_bound_])
    assert np.array_equal(model.inducing_points_, X[:20])
    for a, b in zip(*found):
        assert np.array_equal(a, b)


def test_kernels_that_do_not_suit_raise(rng):
    X, y = problem(rng, 20)
    with pytest.raises(ValueError, match="not in a product or power"):
        SparseGaussianProcessRegressor(gp.RBF() * gp.WhiteKernel()).fit(X, y)
    with pytest.raises(ValueError, match="needs noise"):
        SparseGaussianProcessRegressor(gp.RBF(), alpha=0.0).fit(X, y)
    with pytest.raises(ValueError, match="`inducing` must have 2 columns"):
        SparseGaussianProcessRegressor(inducing=np.ones((3, 1))).fit(X, y)
    with pytest.raises(ValueError, match="must consist of kernels"):
        SparseGaussianProcessRegressor(gp.PairwiseKernel(metric=lambda a, b: 1.0)).fit(X, y)
