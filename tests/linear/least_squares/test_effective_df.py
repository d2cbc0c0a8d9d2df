"""Effective degrees of freedom."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn.linear import (
    BayesianRidge,
    ElasticNet,
    Lars,
    Lasso,
    LassoLars,
    LinearRegression,
    Ridge,
    RidgeCV,
    RidgeIC,
    effective_df,
    hat_matrix,
)
from tests.helpers import assert_close

CARCASS_X = np.column_stack([[17, 17, 14, 17, 14, 20], [51, 49, 38, 58, 51, 40]]).astype(float)
CARCASS_Y = np.array([56.5, 57.6, 55.9, 61.8, 63.0, 54.6])


@pytest.mark.spec("LIN-15", "LIN-T6")
def test_acceptance_values_of_the_catalog():
    for alpha, df in [(1, 1.9586737), (10, 1.6837881), (100, 0.9417071)]:
        model = Ridge(alpha=alpha).fit(CARCASS_X, CARCASS_Y)
        assert_close(effective_df(model, CARCASS_X), df, atol=1e-6)
        assert_close(effective_df(model, CARCASS_X, count_intercept=True), df + 1, atol=1e-6)


@pytest.mark.spec("LIN-15", "LIN-P7")
@given(st.integers(0, 2**31), st.booleans(), st.sampled_from(["sklearn", "half_rss"]))
def test_ridge_is_the_trace_of_its_smoother(seed, weighted, scale):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(15, 4)), rng.normal(size=15)
    weights = rng.uniform(0.5, 2, 15) if weighted else None
    model = Ridge(alpha=2.0, penalty_scale=scale).fit(X, y, weights)
    # The smoother column by column: fits to the unit vectors.
    smoother = model.fit(X, np.eye(15), weights).predict(X)
    df = effective_df(model, X, sample_weight=weights, count_intercept=True)
    assert_close(df, effective_df(smoother))
    assert effective_df(Ridge(0.0).fit(X, y), X) == pytest.approx(4)
    assert effective_df(Ridge(1e12).fit(X, y), X) == pytest.approx(0, abs=1e-9)


@pytest.mark.spec("LIN-15")
def test_selected_penalties_lasso_and_lars(rng):
    X = rng.normal(size=(40, 6))
    y = X @ [3, 0, 0, -2, 0, 0] + rng.normal(size=40)
    chosen = RidgeCV([0.1, 1.0, 10.0]).fit(X, y)
    assert_close(effective_df(chosen), effective_df(Ridge(chosen.alpha_).fit(X, y), X))
    assert_close(effective_df(chosen, X), chosen.df_)
    assert_close(effective_df(RidgeIC([3.0]).fit(X, y)), effective_df(Ridge(3.0).fit(X, y), X))
    bayes = BayesianRidge().fit(X, y)
    assert_close(effective_df(bayes), effective_df(Ridge(bayes.lambda_ / bayes.alpha_).fit(X, y), X), rtol=1e-6)
    lasso = LassoLars(alpha=0.5).fit(X, y)
    assert effective_df(lasso) == np.count_nonzero(lasso.coef_) > 0
    assert effective_df(lasso, count_intercept=True) == np.count_nonzero(lasso.coef_) + 1
    assert effective_df(Lars(n_nonzero_coefs=3).fit(X, y)) == 3


@pytest.mark.spec("LIN-15")
def test_smoother_matrices_raise_unless_square(rng):
    matrix = rng.normal(size=(5, 5))

    class Smoother:
        def smoother_matrix(self, X):
            return matrix[: len(X), : len(X)]

    assert_close(effective_df(matrix), np.trace(matrix))
    assert_close(effective_df(Smoother(), np.ones((3, 1))), np.trace(matrix[:3, :3]))
    with pytest.raises(ValueError, match="must be a square"):
        effective_df(matrix[:3])
    with pytest.raises(ValueError, match="X is required"):
        effective_df(Ridge().fit(CARCASS_X, CARCASS_Y))


@pytest.mark.spec("LIN-15")
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_least_squares_lasso_and_elastic_net(fit_intercept, rng):
    X = rng.normal(size=(40, 6)) + 1.0
    y = X @ [3, 0, 0, -2, 0, 0] + rng.normal(size=40)
    ols = LinearRegression(fit_intercept=fit_intercept).fit(X, y)
    trace = effective_df(hat_matrix(X, fit_intercept=fit_intercept))
    assert effective_df(ols, X, count_intercept=True) == pytest.approx(trace)
    assert effective_df(ols, count_intercept=True) == pytest.approx(trace)
    assert effective_df(ols) == pytest.approx(6)
    lasso = Lasso(0.3, fit_intercept=fit_intercept).fit(X, y)
    assert effective_df(lasso) == np.count_nonzero(lasso.coef_) < 6
    # Elastic net: the ridge trace on the selected columns (Tibshirani & Taylor, 2012).
    model = ElasticNet(0.3, l1_ratio=0.7, fit_intercept=fit_intercept).fit(X, y)
    columns = X[:, model.coef_ != 0]
    columns = columns - columns.mean(0) if fit_intercept else columns
    inner = np.linalg.inv(columns.T @ columns + 40 * 0.3 * 0.3 * np.eye(columns.shape[1]))
    assert_close(effective_df(model, X), np.trace(columns @ inner @ columns.T))
