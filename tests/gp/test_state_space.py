"""Gaussian processes on the line."""

import numpy as np
import pytest

from statlearn import gp
from statlearn._core.native import gp as native
from statlearn.gp import GaussianProcessRegressor, StateSpaceGaussianProcessRegressor
from tests.helpers import assert_close


def problem(rng, n=80):
    X = rng.uniform(0, 10, (n, 1))
    X[3] = X[7]
    return X, np.sin(X[:, 0]) + 0.1 * rng.normal(size=n)


@pytest.mark.parametrize("nu", [0.5, 1.5, 2.5])
def test_it_equals_the_dense_posterior(nu, rng):
    X, y = problem(rng)
    kernel = 1.0 * gp.Matern(1.0, nu=nu) + gp.WhiteKernel(0.1)
    line = StateSpaceGaussianProcessRegressor(kernel, normalize_y=True).fit(X, y)
    dense = GaussianProcessRegressor(kernel, normalize_y=True).fit(X, y)
    assert_close(line.log_marginal_likelihood_value_, dense.log_marginal_likelihood_value_, atol=1e-5)
    same = GaussianProcessRegressor(line.kernel_, optimizer=None, normalize_y=True).fit(X, y)
    new = np.vstack([rng.uniform(-3, 13, (40, 1)), X[:5]])
    for latent in (False, True):
        for a, b in zip(*(m.predict(new, return_std=True, latent=latent) for m in (line, same))):
            assert_close(a, b, atol=1e-7)
    assert "exact" in str(line.summary())


@pytest.mark.parametrize("order", [1, 2, 3])
def test_the_gradient_is_the_derivative(order, rng):
    X, y = problem(rng)
    times, targets = np.sort(X[:, 0]), y[np.argsort(X[:, 0])]
    start = np.log([0.8, 1.3, 0.05])
    _, *slopes = native.line_likelihood(order, *np.exp(start), times, targets)
    for k in range(3):
        step = 1e-5 * (np.arange(3) == k)
        up, down = (native.line_likelihood(order, *np.exp(start + s * step), times, targets)[0] for s in (1, -1))
        assert_close(slopes[k], (up - down) / 2e-5, rtol=1e-6, atol=1e-5)


def test_factors_and_noises_may_be_spread_over_the_kernel(rng):
    X, y = problem(rng)
    spread = (
        gp.WhiteKernel(0.03) + 2.0 * (gp.ConstantKernel(0.4, "fixed") * gp.Matern(0.9, nu=2.5)) + gp.WhiteKernel(0.02)
    )
    model = StateSpaceGaussianProcessRegressor(spread, optimizer=None).fit(X, y)
    dense = GaussianProcessRegressor(spread, optimizer=None).fit(X, y)
    assert_close(model.log_marginal_likelihood_value_, dense.log_marginal_likelihood_value_)
    fitted = StateSpaceGaussianProcessRegressor(spread).fit(X, y)
    assert fitted.log_marginal_likelihood_value_ > model.log_marginal_likelihood_value_


def test_other_kernels_and_tables_raise(rng):
    X, y = problem(rng)
    for kernel in (gp.RBF(), gp.Matern(nu=1.2), gp.Matern() + gp.Matern(), gp.Matern() * gp.Matern()):
        with pytest.raises(ValueError, match="`kernel` must be Matern"):
            StateSpaceGaussianProcessRegressor(kernel).fit(X, y)
    with pytest.raises(ValueError, match="needs noise"):
        StateSpaceGaussianProcessRegressor(gp.Matern(), alpha=0.0).fit(X, y)
    by_number = StateSpaceGaussianProcessRegressor(column=1).fit(np.hstack([X[::-1], X]), y)
    assert_close(by_number.predict(np.hstack([X * 0, X])), StateSpaceGaussianProcessRegressor().fit(X, y).predict(X))
    with pytest.raises(ValueError, match="`column`=1 exceeds the 1 columns"):
        StateSpaceGaussianProcessRegressor(column=1).fit(X, y)
    with pytest.raises(ValueError, match="X must have a single column, got 2"):
        StateSpaceGaussianProcessRegressor().fit(np.hstack([X, X]), y)
