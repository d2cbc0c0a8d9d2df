"""Closed forms for an orthonormal design."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from statlearn.linear import (
    BestSubsetRegressor,
    LassoLars,
    Ridge,
    hard_threshold,
    proportional_shrink,
    soft_threshold,
)
from tests.helpers import assert_close

NUMBERS = arrays(float, st.integers(1, 8), elements=st.floats(-50, 50))


@pytest.mark.spec("LIN-20", "LIN-T22")
def test_acceptance_values_of_the_catalog():
    beta = [3, -0.5, 0.2, -2.5]
    assert soft_threshold(beta, 1.0).tolist() == [2, 0, 0, -1.5]
    assert proportional_shrink(beta, 1.0).tolist() == [1.5, -0.25, 0.1, -1.25]
    assert hard_threshold(beta, n_keep=2).tolist() == [3, 0, 0, -2.5]


@pytest.mark.spec("LIN-20", "LIN-P14")
@given(st.integers(0, 2**31))
def test_orthonormal_designs_threshold_least_squares(seed):
    rng = np.random.default_rng(seed)
    X = np.linalg.qr(rng.normal(size=(20, 5)))[0]
    y = X @ (3 * rng.normal(size=5)) + rng.normal(size=20)
    least_squares = X.T @ y
    ridge = Ridge(alpha=0.8, fit_intercept=False).fit(X, y)
    assert_close(ridge.coef_, proportional_shrink(least_squares, 0.8))
    lasso = LassoLars(alpha=0.8, penalty_scale="half_rss", fit_intercept=False).fit(X, y)
    assert_close(lasso.coef_, soft_threshold(least_squares, 0.8))
    rss = LassoLars(alpha=0.8, penalty_scale="rss", fit_intercept=False).fit(X, y)
    assert_close(rss.coef_, soft_threshold(least_squares, 0.4))


@pytest.mark.spec("LIN-P14")
def test_best_subset_of_an_orthonormal_design_keeps_the_largest(rng):
    X = rng.normal(size=(30, 6))
    X = np.linalg.qr(X - X.mean(0))[0]  # orthonormal and centred: the intercept does not interfere
    y = X @ (3 * rng.normal(size=6)) + rng.normal(size=30)
    for size in (1, 2, 4):
        kept = hard_threshold(X.T @ y, n_keep=size)
        model = BestSubsetRegressor(size=size).fit(X, y)
        assert_close(model.coef_, kept)


@pytest.mark.spec("LIN-20")
@given(NUMBERS, st.floats(0, 20))
def test_thresholds_solve_their_scalar_problems(beta, level):
    grid = np.linspace(-60, 60, 241)
    soft = soft_threshold(beta, level)
    for b, s in zip(beta, soft):
        assert 0.5 * (b - s) ** 2 + level * abs(s) <= np.min(0.5 * (b - grid) ** 2 + level * np.abs(grid)) + 1e-9
    hard = hard_threshold(beta, level)
    assert np.all((hard == 0) == (np.abs(beta) <= level))
    assert np.all(hard[hard != 0] == beta[hard != 0])


def test_invalid_arguments_raise():
    assert soft_threshold(np.float32([2]), 1.0).dtype == np.float32
    assert hard_threshold([1, -1, 1], n_keep=2).tolist() == [1, -1, 0]  # ties go to the first
    with pytest.raises(ValueError, match="exactly one of threshold and n_keep"):
        hard_threshold([1.0])
    with pytest.raises(ValueError, match="'threshold' parameter of soft_threshold"):
        soft_threshold([1.0], -1.0)
