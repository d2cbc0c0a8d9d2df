"""The adaptive lasso against its definition and the property it is made for."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import Lasso as SkLasso

from statlearn.linear import AdaptiveLasso, Lasso, LassoCV
from tests.helpers import assert_close


def problem(rng, n=100, p=8):
    X = rng.normal(size=(n, p)) + 1.0
    return X, X[:, :2] @ [3.0, -2.0] + 0.5 * rng.normal(size=n)


@pytest.mark.parametrize("gamma", [0.5, 1.0, 2.0])
def test_equals_the_lasso_on_rescaled_columns(rng, gamma):
    X, y = problem(rng)
    model = AdaptiveLasso(0.05, gamma=gamma, initial="ols", tol=1e-12).fit(X, y)
    size = np.abs(model.initial_coef_) ** gamma
    plain = SkLasso(0.05, tol=1e-13, max_iter=100_000).fit(X * size, y)
    assert_close(model.coef_, plain.coef_ * size, atol=1e-6)
    assert_close(model.penalty_factor_, 1 / size, rtol=1e-12)
    centred = np.linalg.lstsq(X - X.mean(axis=0), y - y.mean(), rcond=None)[0]
    assert_close(model.initial_coef_, centred, rtol=1e-9)


@pytest.mark.parametrize("initial", ["ridge", "ols"])
@pytest.mark.parametrize("weighted", [False, True])
def test_sparse_equals_dense(rng, initial, weighted):
    X, y = problem(rng)
    X = np.where(rng.random(X.shape) < 0.4, X, 0.0)
    w = rng.uniform(0.5, 2.0, size=len(y)) if weighted else None
    for alpha in (0.05, "cv"):
        dense = AdaptiveLasso(alpha, initial=initial, tol=1e-10).fit(X, y, sample_weight=w)
        kept = AdaptiveLasso(alpha, initial=initial, tol=1e-10).fit(sparse.csr_array(X), y, sample_weight=w)
        assert_close(kept.initial_coef_, dense.initial_coef_, rtol=1e-6)
        assert_close(kept.coef_, dense.coef_, atol=1e-6)
        assert_close(kept.intercept_, dense.intercept_, atol=1e-6)


def test_power_zero_is_the_lasso_and_given_coefficients_count(rng):
    X, y = problem(rng)
    assert_close(AdaptiveLasso(0.1, gamma=0.0, tol=1e-12).fit(X, y).coef_, Lasso(0.1, tol=1e-12).fit(X, y).coef_)
    model = AdaptiveLasso(0.1, initial=[1, 1, 0, 0, 0, 0, 0, 0], tol=1e-12).fit(X, y)
    assert np.all(model.coef_[2:] == 0)
    assert np.all(model.coef_[:2] != 0)
    with pytest.raises(ValueError, match="initial must have shape"):
        AdaptiveLasso(0.1, initial=[1, 2]).fit(X, y)


def test_shrinks_large_coefficients_less_and_selects_better(rng):
    """Over twenty data sets: closer to the truth than the lasso, with fewer false positives (Zou, 2006)."""
    error, extra = np.zeros(2), np.zeros(2)
    truth = np.array([3.0, -2.0, 0, 0, 0, 0, 0, 0])
    for _ in range(20):
        X, y = problem(rng)
        for k, model in enumerate((AdaptiveLasso(cv=5).fit(X, y), LassoCV(cv=5).fit(X, y))):
            error[k] += np.sum((model.coef_ - truth) ** 2)
            extra[k] += np.sum(model.coef_[2:] != 0)
    assert error[0] < error[1]
    assert extra[0] < extra[1]


def test_refuses_a_summary(rng):
    with pytest.raises(ValueError, match="standard errors"):
        AdaptiveLasso(0.1).fit(*problem(rng)).summary()


def test_a_sparse_table_without_entries_gives_no_slopes():
    model = AdaptiveLasso().fit(sparse.csr_array((5, 2)), np.arange(5.0))
    assert_close(model.coef_, [0.0, 0.0])
    assert_close(model.intercept_, 2.0)
