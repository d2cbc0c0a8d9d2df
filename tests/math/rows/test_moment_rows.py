"""Rows that stand for the moments of many rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn._math.rows.least_squares import LeastSquaresStatistic
from statlearn._math.rows.moment_rows import moment_rows


@given(st.integers(1, 60), st.integers(1, 6), st.integers(1, 3), st.booleans(), st.integers(0, 2**32 - 1))
def test_moment_rows_have_the_moments_of_all_rows(n, p, m, intercept, seed):
    rng = np.random.default_rng(seed)
    X, Y, w = rng.normal(3.0, 1.0, (n, p)), rng.normal(size=(n, m)), rng.integers(1, 4, n).astype(float)
    statistic = LeastSquaresStatistic.from_block(X, Y, w, fit_intercept=intercept)
    A, B, v = moment_rows(statistic)
    assert len(A) <= p + m + 1
    assert v.sum() == pytest.approx(w.sum())
    Z, few = np.hstack([X, Y]), np.hstack([A, B])
    np.testing.assert_allclose((v[:, None] * few).T @ few, (w[:, None] * Z).T @ Z, rtol=1e-9, atol=1e-9)
    if intercept:
        np.testing.assert_allclose(v @ few, w @ Z, rtol=1e-9, atol=1e-9)


def test_constant_rows_have_no_spread():
    statistic = LeastSquaresStatistic.from_block(np.full((5, 2), 7.0), np.full((5, 1), 3.0))
    A, B, v = moment_rows(statistic)
    np.testing.assert_allclose(A, 7.0)
    np.testing.assert_allclose(B, 3.0)
    assert v.sum() == 5.0
