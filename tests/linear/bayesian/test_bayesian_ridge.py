"""Evidence-maximised ridge and automatic relevance determination."""

import numpy as np
import pytest
import sklearn.linear_model as sk
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats
from sklearn.exceptions import ConvergenceWarning

from statlearn.linear import ARDRegression, BayesianRidge, Ridge
from tests.helpers import assert_close


def problem(rng, n=40, p=5):
    X = rng.normal(size=(n, p)) + 2.0
    return X, X @ rng.normal(size=p) + 0.5 * rng.normal(size=n) + 1.0


@pytest.mark.spec("LIN-14")
@pytest.mark.parametrize("shape", [(40, 5), (10, 25)])
def test_slopes_are_the_ridge_fit_at_the_ratio_of_the_precisions(shape, rng):
    X, y = problem(rng, *shape)
    model = BayesianRidge(tol=1e-8, max_iter=5000).fit(X, y)
    assert_close(model.coef_, Ridge(model.lambda_ / model.alpha_).fit(X, y).coef_, rtol=1e-6)
    Xc = X - X.mean(0)
    covariance = np.linalg.inv(model.lambda_ * np.eye(shape[1]) + model.alpha_ * Xc.T @ Xc)
    assert_close(model.sigma_, covariance, rtol=1e-5, atol=1e-8)
    d2 = np.linalg.svd(Xc, compute_uv=False) ** 2
    assert_close(model.df_, np.sum(model.alpha_ * d2 / (model.lambda_ + model.alpha_ * d2)), rtol=1e-6)


@pytest.mark.spec("LIN-14")
@given(st.integers(0, 2**31))
def test_precisions_maximise_the_evidence(seed):
    """The log marginal likelihood of y ~ N(0, I/alpha + XX'/lambda), maximised by a general optimiser."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(30, 3)), rng.normal(size=30)
    y += X @ [1.0, -1.0, 0.5]
    model = BayesianRidge(fit_intercept=False, tol=1e-12, max_iter=20_000, compute_score=True, alpha_1=0, alpha_2=0,
                          lambda_1=0, lambda_2=0).fit(X, y)  # fmt: skip

    def evidence(logs):
        alpha, lam = np.exp(logs)
        return stats.multivariate_normal(np.zeros(30), np.eye(30) / alpha + X @ X.T / lam).logpdf(y)

    at = np.log([model.alpha_, model.lambda_])
    assert_close(model.scores_[-1], evidence(at), rtol=1e-8)
    best = optimize.minimize(lambda z: -evidence(z), at + 0.1, method="Nelder-Mead", options={"fatol": 1e-10})
    assert evidence(at) > -best.fun - 1e-6


@pytest.mark.spec("LIN-14")
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_agrees_with_scikit_learn(fit_intercept, rng):
    X, y = problem(rng)
    weights = rng.uniform(0.5, 2, 40)
    settings = {"compute_score": True, "fit_intercept": fit_intercept}
    ours, theirs = BayesianRidge(**settings).fit(X, y, weights), sk.BayesianRidge(**settings).fit(X, y, weights)
    assert ours.n_iter_ == theirs.n_iter_
    for name in ("coef_", "intercept_", "alpha_", "lambda_", "sigma_"):
        assert_close(getattr(ours, name), getattr(theirs, name), rtol=1e-6)
    assert ours.scores_.shape == theirs.scores_.shape
    assert_close(ours.scores_[:-1], theirs.scores_[:-1])
    for a, b in zip(ours.predict(X, return_std=True), theirs.predict(X, return_std=True)):
        assert_close(a, b, rtol=1e-6)


def test_predictive_intervals_cover(rng):
    X, y = problem(rng, 200, 4)
    model = BayesianRidge().fit(X[:100], y[:100])
    mean, std = model.predict(X[100:], return_std=True)
    assert 0.88 <= np.mean(np.abs(y[100:] - mean) < 1.96 * std) <= 1.0  # 4 binomial standard errors of 95 %


@pytest.mark.parametrize("cls", [BayesianRidge, ARDRegression])
def test_limit_of_iterations_warns(cls, rng):
    X, y = problem(rng)
    with pytest.warns(ConvergenceWarning, match="after 1 updates"):
        cls(max_iter=1).fit(X, y)


def test_relevance_determination_agrees_with_scikit_learn(rng):
    X = rng.normal(size=(60, 8)) + 1.0
    y = 2 * X[:, 1] - X[:, 4] + 0.3 * rng.normal(size=60)
    ours, theirs = ARDRegression(compute_score=True).fit(X, y), sk.ARDRegression(compute_score=True).fit(X, y)
    assert ours.n_iter_ == theirs.n_iter_
    for name in ("coef_", "intercept_", "alpha_", "lambda_", "sigma_", "scores_"):
        assert_close(getattr(ours, name), getattr(theirs, name), rtol=1e-5, atol=1e-8)
    assert np.array_equal(np.flatnonzero(ours.coef_), np.flatnonzero(theirs.coef_))
    for a, b in zip(ours.predict(X, return_std=True), theirs.predict(X, return_std=True)):
        assert_close(a, b, rtol=1e-6)


def test_relevance_determination_with_more_columns_than_rows(rng):
    X = rng.normal(size=(20, 50))
    X[:, 7] = 3.0  # a constant column has no slope
    y = 5 * X[:, 3] + 0.01 * rng.normal(size=20)
    model = ARDRegression().fit(X, y)
    assert model.coef_[3] == pytest.approx(5, abs=0.05)
    assert model.coef_[7] == 0
    assert model.sigma_.shape == 2 * (np.sum(model.lambda_ < 1e4),)


@pytest.mark.parametrize("shape", [(5, 5), (30, 3)])
@pytest.mark.parametrize("model", [BayesianRidge(), Ridge(solver="svd")])
def test_values_whose_squares_overflow_are_refused(model, shape, rng):
    X = 1e200 * rng.normal(size=shape)
    with pytest.raises(ValueError, match=r"^X contains values up to .*, whose squares overflow; scale X"):
        model.fit(X, rng.normal(size=shape[0]))


@pytest.mark.filterwarnings("ignore:ARDRegression did not converge")
def test_a_prior_that_rounding_hides_leaves_the_slopes_finite(rng):
    X, y = rng.normal(size=(3, 30)), rng.normal(size=3)
    model = ARDRegression(tol=1e-3, alpha_1=2.0, alpha_2=1e6, lambda_1=0.9, lambda_2=1e300).fit(X, y)
    assert np.isfinite(model.coef_).all()
    assert np.isfinite(model.predict(X)).all()
