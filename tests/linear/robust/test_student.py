"""Regression with Student-t errors against direct maximisation of the likelihood."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize
from scipy.stats import t as student
from sklearn.exceptions import ConvergenceWarning

from statlearn.linear import LinearRegression, Ridge, StudentTRegressor
from tests.helpers import assert_close


def make(seed, n=80, p=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) + 1
    return X, X @ rng.normal(size=p) + 0.5 * rng.standard_t(3, size=n)


def negative_loglik(v, X, y, df, weights):
    """The documented log-likelihood, literally; v = intercept, slopes, log scale (, log df)."""
    p = X.shape[1]
    df = np.exp(v[p + 2]) if df is None else df
    z = (y - v[0] - X @ v[1 : p + 1]) / np.exp(v[p + 1])
    return -(weights @ (student.logpdf(z, df) - v[p + 1]))


@pytest.mark.spec("LIN-32")
@pytest.mark.parametrize("df", [1.0, 4.0, 30.0, None])
def test_reaches_the_maximum_of_the_likelihood(df, rng):
    X, y = make(5)
    weights = rng.uniform(0.5, 2, size=len(y))
    model = StudentTRegressor("estimate" if df is None else df, max_iter=5000).fit(X, y, sample_weight=weights)
    v = np.concatenate([[model.intercept_], model.coef_, [np.log(model.scale_)]])
    if df is None:
        v = np.append(v, np.log(model.df_))
    assert_close(model.loglik_, -negative_loglik(v, X, y, df, weights))
    found = minimize(negative_loglik, v + 0.01, args=(X, y, df, weights), method="BFGS", options={"gtol": 1e-7})
    assert_close(model.loglik_, -found.fun, rtol=1e-9)
    assert_close(v, found.x, rtol=1e-4, atol=1e-5)  # BFGS with finite differences


@pytest.mark.spec("LIN-32")
@given(seed=st.integers(0, 10_000), df=st.sampled_from([0.7, 2.0, 8.0, "estimate"]))
def test_em_never_lowers_the_likelihood_and_ends_at_a_fixed_point(seed, df):
    X, y = make(seed, n=40)
    model = StudentTRegressor(df, max_iter=5000).fit(X, y)
    assert np.all(np.diff(model.history_) >= 0)
    assert_close(model.history_[-1], model.loglik_)
    z = (y - model.predict(X)) / model.scale_
    assert_close(model.weights_, (model.df_ + 1) / (model.df_ + z**2))
    # Reweighted least squares with these weights changes nothing, and the scale solves its equation.
    again = LinearRegression().fit(X, y, sample_weight=model.weights_)
    assert_close(again.coef_, model.coef_, rtol=1e-5, atol=1e-6)
    assert_close(np.mean(model.weights_ * z**2), 1.0, rtol=1e-5)


@pytest.mark.spec("LIN-P22", "LIN-32")
@given(seed=st.integers(0, 10_000))
def test_many_degrees_of_freedom_are_least_squares(seed):
    X, y = make(seed)
    model, ols = StudentTRegressor(1e9).fit(X, y), LinearRegression().fit(X, y)
    assert_close(model.coef_, ols.coef_, rtol=1e-6)
    assert_close(model.intercept_, ols.intercept_, rtol=1e-6, atol=1e-7)
    assert_close(model.scale_, np.sqrt(np.mean((y - ols.predict(X)) ** 2)), rtol=1e-6)


def test_penalty_is_a_normal_prior(rng):
    X, y = make(2)
    # With normal errors the objective is RSS/(2 s^2) + alpha |w|^2: ridge with penalty 2 s^2 alpha.
    model = StudentTRegressor(1e9, alpha=3.0).fit(X, y)
    ridge = Ridge(alpha=2 * 3.0 * model.scale_**2).fit(X, y)
    assert_close(model.coef_, ridge.coef_, rtol=1e-6)
    assert np.all(np.diff(StudentTRegressor(3, alpha=3.0).fit(X, y).history_) >= 0)


@pytest.mark.spec("LIN-32")
def test_standard_errors_are_the_inverse_information(rng):
    X, y = make(3, n=200)
    model = StudentTRegressor(5.0).fit(X, y)
    Z = np.column_stack([np.ones(len(y)), X])
    expected = model.scale_ * np.sqrt(np.diag(np.linalg.inv(6 / 8 * Z.T @ Z)))
    summary = model.summary()
    assert_close(summary["std_error"], expected)
    assert_close(summary.facts["aic"], 2 * 5 - 2 * model.loglik_)
    # Under a correct model both covariances estimate the same thing.
    assert_close(model.summary(covariance="sandwich")["std_error"], expected, rtol=0.3)


@pytest.mark.slow
def test_standard_errors_match_the_spread_over_samples(rng):
    X = rng.normal(size=(100, 2))
    fits = [StudentTRegressor(4.0, tol=1e-5).fit(X, X @ [1.0, -2.0] + rng.standard_t(4, size=100)) for _ in range(400)]
    coefs = np.array([m.coef_ for m in fits])
    errors = np.array([m.summary()["std_error"][1:] for m in fits])
    # The spread of 400 draws is known to about 4 %; 4 standard errors.
    assert_close(errors.mean(axis=0), coefs.std(axis=0, ddof=1), rtol=0.16)


def test_outlier_gets_the_smallest_weight_and_absent_rows_none():
    x = np.arange(9.0)[:, None]
    y = 2 * x[:, 0] + np.array([0.1, -0.1, 0.05, 30.0, -0.05, 0.1, -0.1, 0.0, 0.02])
    weights = np.ones(9)
    weights[8] = 0
    model = StudentTRegressor(3.0).fit(x, y, sample_weight=weights)
    assert np.nanargmin(model.weights_) == 3
    assert np.isnan(model.weights_[8])
    assert_close(model.coef_, [2.0], atol=0.05)


def test_exact_fit_is_reported_instead_of_a_likelihood_without_maximum():
    x = np.arange(7.0)[:, None]
    y = 1 + 2 * x[:, 0]
    y[3] = 100
    with pytest.warns(ConvergenceWarning, match="scale tends to 0"):
        model = StudentTRegressor(4.0).fit(x, y)
    assert_close([model.intercept_, model.coef_[0]], [1, 2], atol=1e-8)
    with pytest.raises(ValueError, match="scale is 0"):
        model.summary()


def test_sparse_input_gives_the_same_fit(rng):
    X = rng.normal(size=(100, 5)) * (rng.uniform(size=(100, 5)) < 0.5)
    y = X[:, 0] + rng.standard_t(2, size=100)
    dense, other = StudentTRegressor().fit(X, y), StudentTRegressor().fit(sparse.csc_array(X), y)
    assert_close(other.coef_, dense.coef_)
    with pytest.raises(ValueError, match="alpha > 0"):
        StudentTRegressor(alpha=1.0).fit(X, y).summary()


@pytest.mark.parametrize("kind", ["information", "sandwich"])
def test_huge_degrees_of_freedom_give_finite_errors(kind, rng):
    X = rng.normal(size=(40, 2))
    y = X[:, 0] + rng.normal(size=40)
    many, huge = (StudentTRegressor(df=df).fit(X, y).summary(covariance=kind)["std_error"] for df in (1e6, 1e300))
    assert_close(huge, many, rtol=1e-3)  # both are fitted up to `tol`
