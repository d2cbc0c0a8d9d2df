"""The ridge path and the moments of ridge coefficients."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn.linear import Ridge, ridge_moments, ridge_path
from tests.helpers import assert_close

CARCASS_X = np.column_stack([[17, 17, 14, 17, 14, 20], [51, 49, 38, 58, 51, 40]]).astype(float)


def problem(rng, n=30, p=6):
    X = rng.normal(size=(n, p)) + 2.0
    return X, X @ rng.normal(size=p) + rng.normal(size=n) + 5.0


@pytest.mark.spec("LIN-10")
@pytest.mark.parametrize("shape", [(30, 6), (6, 30)])
def test_path_equals_single_fits(shape, rng):
    X, _ = problem(rng, *shape)
    Y = rng.normal(size=(shape[0], 2))
    weights = rng.uniform(0.5, 2, shape[0])
    alphas = [100.0, 1.0, 0.01]
    path = ridge_path(X, Y, alphas=alphas, sample_weight=weights)
    assert path.coefs.shape == (2, shape[1], 3)
    assert path.intercepts.shape == (2, 3)
    single = ridge_path(X, Y[:, 0], alphas=alphas, sample_weight=weights)
    assert_close(single.coefs, path.coefs[0])
    for k, alpha in enumerate(alphas):
        model = Ridge(alpha, solver="svd").fit(X, Y, weights)
        assert_close(path.coefs[:, :, k], model.coef_)
        assert_close(path.intercepts[:, k], model.intercept_)


@pytest.mark.spec("LIN-10")
def test_path_fit_is_the_shrunken_svd_expansion(rng):
    X, y = problem(rng)
    Xc, yc = X - X.mean(0), y - y.mean()
    U, d, _ = np.linalg.svd(Xc, full_matrices=False)
    path = ridge_path(X, y, n_alphas=7)
    assert path.alphas.shape == (7,)
    assert np.all(np.diff(path.alphas) < 0)
    for alpha, coef, df in zip(path.alphas, path.coefs.T, path.df):
        assert_close(Xc @ coef, U @ (d**2 / (d**2 + alpha) * (U.T @ yc)), atol=1e-8)
        assert_close(df, np.sum(d**2 / (d**2 + alpha)))


@pytest.mark.spec("LIN-10")
def test_path_uses_one_decomposition(rng, monkeypatch):
    X, y = problem(rng)
    calls = []
    original = np.linalg.eigh

    def counted(*args, **kwargs):
        calls.append(1)
        kwargs.pop("driver"), kwargs.pop("check_finite")
        return original(*args)

    monkeypatch.setattr("scipy.linalg.eigh", counted)
    ridge_path(X, y, alphas=np.logspace(-2, 2, 30))
    assert len(calls) == 1


@pytest.mark.spec("LIN-12", "LIN-P9")
def test_simulated_mean_and_covariance_match_the_moments(rng):
    X = rng.normal(size=(25, 3)) @ np.diag([1.0, 0.5, 2.0])
    beta = np.array([1.0, -2.0, 0.5])
    moments = ridge_moments(X, alpha=5.0, sigma2=0.49, beta=beta)
    draws = 40_000
    Y = (X @ beta)[:, None] + 3.0 + 0.7 * rng.normal(size=(25, draws))
    coef = Ridge(alpha=5.0).fit(X, Y).coef_
    spread = moments.std_error
    assert np.all(np.abs(coef.mean(0) - moments.mean) < 4 * spread / np.sqrt(draws))
    assert_close(moments.bias, moments.mean - beta)
    # Four standard errors of an empirical (co)variance.
    limit = 4 * np.sqrt((np.outer(spread, spread) ** 2 + moments.covariance**2) / draws)
    assert np.all(np.abs(np.cov(coef.T) - moments.covariance) < limit)
    assert_close(np.sqrt(np.diag(moments.covariance)), spread)


@pytest.mark.spec("LIN-12", "LIN-P9")
@given(st.integers(0, 2**31), st.sampled_from([0.1, 1.0, 20.0]))
def test_moments_obey_the_theory(seed, alpha):
    rng = np.random.default_rng(seed)
    X, beta = rng.normal(size=(12, 4)), rng.normal(size=4)
    ridge = ridge_moments(X, alpha=alpha, beta=beta, fit_intercept=False)
    plain = ridge_moments(X, alpha=0.0, beta=beta, fit_intercept=False)
    inverse = np.linalg.inv(X.T @ X + alpha * np.eye(4))
    assert_close(ridge.covariance, inverse @ X.T @ X @ inverse, atol=1e-8)
    assert_close(ridge.bias, -alpha * inverse @ beta, atol=1e-8)
    assert_close(plain.bias, 0.0, atol=1e-8)
    # Least squares has the larger covariance in every direction, and weak directions shrink more.
    assert np.linalg.eigvalsh(plain.covariance - ridge.covariance).min() > -1e-10
    _, d, Vt = np.linalg.svd(X)
    kept = (Vt @ ridge.mean) / (Vt @ beta)
    assert np.all(np.diff(kept) < 1e-10)
    assert_close(kept, d**2 / (d**2 + alpha), rtol=1e-6)


@pytest.mark.spec("LIN-P9")
def test_diagonal_cross_products_shrink_by_n_over_n_plus_lambda():
    """One column per group (a one-way layout): the shrinkage of group i is n_i / (n_i + lambda)."""
    groups = np.repeat([0, 1, 2], [2, 5, 9])
    X = np.eye(3)[groups]
    y = np.array([1.0, 4.0, -2.0])[groups] + 0.1
    model = Ridge(alpha=3.0, fit_intercept=False).fit(X, y)
    sizes = np.array([2, 5, 9])
    assert_close(model.coef_, sizes / (sizes + 3.0) * np.array([1.1, 4.1, -1.9]))


def test_moments_refuse_a_wrong_beta():
    with pytest.raises(ValueError, match=r"beta must have shape \(2,\)"):
        ridge_moments(CARCASS_X, beta=[1.0])
    assert ridge_moments(CARCASS_X).mean is None


@pytest.mark.spec("CRS-61")
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("alpha", [0.0, 3.0])
def test_bias_splits_into_model_bias_and_estimation_bias(fit_intercept, alpha, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 3))

    def truth(X):
        return 1.0 + np.sin(2 * X[:, 0]) + X[:, 1] ** 2

    moments = ridge_moments(X, alpha=alpha, fit_intercept=fit_intercept, truth=truth)
    mean = Ridge(alpha, fit_intercept=fit_intercept).fit(X, truth(X))  # linear in y: the mean of the predictions
    assert_close(moments.squared_bias, np.mean((truth(X) - mean.predict(X)) ** 2))
    best = Ridge(0.0, fit_intercept=fit_intercept).fit(X, truth(X))
    assert_close(moments.model_bias, np.mean((truth(X) - best.predict(X)) ** 2))
    assert_close(moments.estimation_bias, np.mean((best.predict(X) - mean.predict(X)) ** 2), atol=1e-12)
    assert_close(moments.squared_bias, moments.model_bias + moments.estimation_bias)
    if alpha == 0:
        assert moments.estimation_bias < 1e-25
    assert_close(moments.mean, mean.coef_)


def test_the_truth_of_ridge_moments_is_checked():
    with pytest.raises(ValueError, match="either `beta` or `truth`"):
        ridge_moments([[0.0], [1.0]], beta=[1.0], truth=lambda X: X[:, 0])
    with pytest.raises(ValueError, match="`truth` must return 2 finite numbers"):
        ridge_moments([[0.0], [1.0]], truth=lambda X: X)
