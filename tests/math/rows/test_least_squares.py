"""The triangular statistic of least squares."""

import numpy as np

from statlearn._math.rows.least_squares import minimum_norm
from tests.helpers import assert_close


def test_the_minimum_norm_solution_matches_the_pseudo_inverse(rng):
    C, target = rng.normal(size=(3, 5)), rng.normal(size=(3, 2))
    assert_close(minimum_norm(C, target), np.linalg.pinv(C) @ target)


def test_a_row_that_has_underflowed_to_zero_leaves_a_finite_solution():
    found = minimum_norm(np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 0.0]]), np.array([[1.0], [0.0]]))
    assert_close(found[:, 0], [0.2, 0.0, 0.4])


def test_rows_that_are_not_finite_have_no_solution():
    assert np.isnan(minimum_norm(np.array([[1.0, np.inf]]), np.array([[1.0]]))).all()
