"""Bayesian splines."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import multivariate_normal

from statlearn.bayes import BayesianSplineRegressor
from tests.helpers import assert_close


@pytest.fixture
def curve(seed):
    rng = np.random.default_rng(seed)
    x = np.sort(rng.uniform(0, 3, 50))
    return x[:, None], np.sin(2 * x) + 0.2 * rng.normal(size=50)


@pytest.mark.spec("BAY-23")
def test_posterior_by_the_formulas(curve, seed):
    X, y = curve
    A = np.random.default_rng(seed).normal(size=(7, 9))
    sigma = A @ A.T
    model = BayesianSplineRegressor(3, tau=2.0, sigma2=0.04, prior_covariance=sigma).fit(X, y)
    H = model.basis(X)
    assert H.shape == (50, 7)
    assert_close(H.sum(axis=1), 1.0)
    assert_close(model.knots_[0], np.quantile(X[:, 0], [0.25, 0.5, 0.75], method="hazen"))
    inner = np.linalg.inv(H.T @ H + 0.04 / 2.0 * np.linalg.inv(sigma))
    assert_close(model.coef_, inner @ H.T @ y)
    assert_close(model.covariance_, 0.04 * inner)
    marginal = multivariate_normal(np.zeros(50), 2.0 * H @ sigma @ H.T + 0.04 * np.eye(50)).logpdf(y)
    assert_close(model.log_marginal_likelihood_, marginal)
    mean, std = model.predict(X, return_std=True)
    _, covariance = model.predict(X, return_cov=True)
    assert_close(std**2, np.diag(covariance))
    draws = model.sample_y(X, 4000, random_state=seed)
    assert np.all(np.abs(draws.mean(axis=1) - mean) < 5 * std / np.sqrt(4000))
    assert np.all(np.abs(draws.std(axis=1) / std - 1) < 0.1)


@pytest.mark.spec("BAY-P15")
def test_limits_and_equivalents(curve):
    X, y = curve
    ridge = BayesianSplineRegressor(tau=0.5, sigma2=0.1).fit(X, y)
    H = ridge.basis(X)
    assert_close(ridge.coef_, np.linalg.solve(H.T @ H + 0.2 * np.eye(7), H.T @ y))
    free = BayesianSplineRegressor(tau=1e12, sigma2=0.1).fit(X, y)
    assert_close(free.coef_, np.linalg.lstsq(H, y, rcond=None)[0], rtol=1e-6)
    grid = np.linspace(X.min(), X.max(), 9)[:, None]
    G = ridge.basis(grid)
    K = 0.5 * H @ H.T + 0.1 * np.eye(50)
    cross = 0.5 * G @ H.T
    mean, covariance = ridge.predict(grid, return_cov=True)
    assert_close(mean, cross @ np.linalg.solve(K, y))
    assert_close(covariance, 0.5 * G @ G.T - cross @ np.linalg.solve(K, cross.T))


@pytest.mark.spec("BAY-23")
@pytest.mark.parametrize("fixed", [{}, {"tau": 1.5}, {"sigma2": 0.09}])
def test_estimated_variances_maximise_the_marginal_likelihood(curve, fixed):
    X, y = curve
    model = BayesianSplineRegressor(4, **fixed).fit(X, y)
    H = model.basis(X)

    def minus(z):
        tau, sigma2 = fixed.get("tau", np.exp(z[0])), fixed.get("sigma2", np.exp(z[1]))
        return -multivariate_normal(np.zeros(50), tau * H @ H.T + sigma2 * np.eye(50)).logpdf(y)

    best = minimize(minus, [0.0, -3.0], method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-10})
    assert_close(model.log_marginal_likelihood_, -best.fun, rtol=1e-8)
    assert_close(minus(np.log([model.tau_, model.sigma2_])), best.fun, rtol=1e-8)


def test_weights_are_copies_and_bands_cover(seed):
    rng = np.random.default_rng(seed)
    X, w = rng.uniform(size=(60, 2)), rng.integers(0, 4, 60)
    y = X[:, 0] ** 2 - X[:, 1] + 0.1 * rng.normal(size=60)
    one = BayesianSplineRegressor().fit(X, y, w)
    other = BayesianSplineRegressor().fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert_close(one.predict(X), other.predict(X), rtol=1e-6)
    with pytest.raises(ValueError, match="symmetric matrix of shape"):
        BayesianSplineRegressor(prior_covariance=np.eye(3)).fit(X, y)
    with pytest.raises(ValueError, match="positive definite"):
        BayesianSplineRegressor(prior_covariance=-np.eye(14)).fit(X, y)


@pytest.mark.parametrize("unit", [1e-309, 1e-200, 1e300])
def test_the_unit_of_a_column_does_not_matter(curve, unit):
    """Slopes of splines over ranges as short as 1e-309 overflowed, and the fit ended in a LinAlgError."""
    X, y = curve
    X = X - X.min()
    usual, scaled = BayesianSplineRegressor().fit(X, y), BayesianSplineRegressor().fit(X * unit, y)
    assert_close(scaled.predict(X * unit), usual.predict(X), rtol=1e-6, atol=1e-8)


def test_summary_counts_effective_degrees_of_freedom(rng):
    X = np.column_stack([rng.uniform(size=80), rng.normal(size=80), np.ones(80)])
    y = np.sin(6 * X[:, 0]) + 0.1 * rng.normal(size=80)
    w = rng.integers(1, 3, 80)
    A = rng.normal(size=(15, 15))
    for sigma in (None, A @ A.T + np.eye(15)):
        model = BayesianSplineRegressor(3, prior_covariance=sigma).fit(X, y, w)
        summary = model.summary()
        assert list(summary["basis functions"]) == [7, 7, 1]
        H = model.basis(X)
        prior = np.eye(15) if sigma is None else sigma
        gram = H.T @ (w[:, None] * H)
        smoother = np.linalg.solve(gram + model.sigma2_ / model.tau_ * np.linalg.inv(prior), gram)
        assert_close(summary.facts["edf"], np.trace(smoother), rtol=1e-6)
        assert_close(summary["edf"][1], np.diagonal(smoother)[7:14].sum(), rtol=1e-6)
    assert_close(summary.facts["noise_sd"] ** 2, model.sigma2_)


def test_responses_whose_squares_overflow_raise(rng):
    X = rng.normal(size=(20, 1))
    with pytest.raises(ValueError, match="so large or so small"):
        BayesianSplineRegressor().fit(X, 1e200 * X[:, 0])


@pytest.mark.parametrize("own_prior", [False, True])
def test_posterior_with_fewer_rows_than_basis_functions(own_prior, seed):
    rng = np.random.default_rng(seed)
    X, y, w = rng.normal(size=(6, 2)), rng.normal(size=6), rng.uniform(0.5, 2.0, 6)
    m = 2 * (5 + 4)
    A = rng.normal(size=(m, m + 2))
    sigma = A @ A.T if own_prior else np.eye(m)
    model = BayesianSplineRegressor(5, tau=2.0, sigma2=0.04, prior_covariance=sigma if own_prior else None)
    H = model.fit(X, y, sample_weight=w).basis(X)
    assert H.shape == (6, m)
    inner = np.linalg.inv(H.T * w @ H + 0.04 / 2.0 * np.linalg.inv(sigma))
    assert_close(model.coef_, inner @ (H.T * w) @ y, rtol=1e-6, atol=1e-9)
    assert_close(model.covariance_, 0.04 * inner, rtol=1e-6, atol=1e-9 * np.abs(sigma).max())
    determined = np.diagonal(inner @ (H.T * w) @ H)
    assert_close(model.edf_, determined.reshape(2, -1).sum(axis=1), rtol=1e-6)


def test_many_knots_for_few_rows(seed, monkeypatch):
    """Five thousand basis functions: the work must not be cubic in them, as a decomposition of their products is."""
    monkeypatch.delattr(np.linalg, "eigh")
    rng = np.random.default_rng(seed)
    model = BayesianSplineRegressor(1000).fit(rng.normal(size=(3, 5)), rng.normal(size=3))
    assert np.isfinite(model.covariance_).all()
    assert 0 < model.edf_.sum() <= 3
