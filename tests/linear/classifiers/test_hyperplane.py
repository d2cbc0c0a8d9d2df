"""Signed distances to a hyperplane and half-spaces."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn.linear import half_space, hyperplane_distance
from tests.helpers import assert_close


@pytest.mark.spec("LIN-51")
@given(seed=st.integers(0, 10_000), size=st.floats(1e-200, 1e200))
def test_distance_equals_that_to_the_nearest_point(seed, size):
    rng = np.random.default_rng(seed)
    w, b = rng.normal(size=3), rng.normal()
    X = rng.normal(size=(20, 3))
    distance = hyperplane_distance(X, w, b)
    nearest = X - np.outer(distance, w / np.linalg.norm(w))
    assert_close(nearest @ w + b, 0.0)
    assert_close(np.abs(distance), np.linalg.norm(X - nearest, axis=1))
    np.testing.assert_array_equal(half_space(X, w, b), np.sign(X @ w + b))
    # The size of the normal vector does not matter.
    assert_close(hyperplane_distance(X, size * w, size * b), distance)


@pytest.mark.spec("LIN-51")
def test_points_on_the_plane_and_bad_arguments():
    X = np.array([[1.0, 1.0], [2.0, 0.0], [0.0, 0.0]])
    np.testing.assert_array_equal(half_space(X, [1.0, 1.0], -2.0), [-1, -1, -1])
    np.testing.assert_array_equal(half_space(X, [1.0, 1.0], -2.0, threshold_rule="ge"), [1, 1, -1])
    with pytest.raises(ValueError, match="coef must be non-zero"):
        hyperplane_distance(X, [0.0, 0.0])
    with pytest.raises(ValueError, match="3 entries"):
        hyperplane_distance(X, [1.0, 0.0, 0.0])
    with pytest.raises(ValueError, match="intercept"):
        hyperplane_distance(X, [1.0, 0.0], np.nan)
    with pytest.raises(ValueError, match="threshold_rule"):
        half_space(X, [1.0, 0.0], threshold_rule="up")
