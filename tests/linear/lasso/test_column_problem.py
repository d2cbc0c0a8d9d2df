"""The problem that the column-wise kernels solve."""

import numpy as np
import pytest
from scipy import sparse

from statlearn.linear.lasso._column_problem import ColumnProblem, even_weights
from tests.helpers import assert_close


@pytest.mark.parametrize("scale", [1e-290, 1e-3, 1.0, 1e150])
def test_even_weights_keep_ratios_to_the_last_digit(rng, scale):
    weights = scale * rng.uniform(0.5, 2, 20)
    even = even_weights(weights)
    assert 0.5 <= even.mean() <= 2
    assert len(np.unique(even / weights)) == 1
    assert even_weights(None) is None


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_products_and_intercept_are_weighted(rng, form, fit_intercept):
    X, y, w = rng.normal(size=(15, 3)) + 1.0, rng.normal(size=15) + 2.0, rng.uniform(1, 9, 15)
    problem = ColumnProblem(form(X), y, w, fit_intercept)
    middle = np.average(X, axis=0, weights=w) * fit_intercept
    coef = rng.normal(size=(2, 3))
    assert_close(problem.products(y) / problem.rows.total_weight, (X - middle).T @ (w * y) / w.sum())
    assert_close(problem.intercept(coef), np.average(y, weights=w) * fit_intercept - coef @ middle)
    assert_close(problem.total_weight, w.sum())
