"""Interpolation between the nodes of a grid."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statlearn.decision import MultilinearInterpolator, SimplexInterpolator
from tests.helpers import assert_close

BOTH = pytest.mark.parametrize("interpolator", [MultilinearInterpolator, SimplexInterpolator])
AXES = [[-1.0, 0.0, 3.0], [2.0, 5.0], [0.0, 1.0, 1.5, 9.0]]
points_inside = st.lists(
    st.tuples(st.floats(-1, 3), st.floats(2, 5), st.floats(0, 9)).map(list), min_size=1, max_size=20
)


@pytest.mark.spec("MDP-06", "MDP-07", "MDP-P4")
@BOTH
@settings(max_examples=50, deadline=None)
@given(points=points_inside)
def test_weights_are_a_distribution_and_linear_functions_exact(interpolator, points):
    grid = interpolator(AXES)
    nodes, weights = grid.weights(points)
    assert (weights >= 0).all()
    assert_close(weights.sum(axis=1), 1.0)
    assert nodes.shape[1] == (8 if interpolator is MultilinearInterpolator else 4)
    slope = np.array([2.0, -1.0, 0.5])
    assert_close(grid.interpolate(points, grid.nodes() @ slope + 3), np.array(points) @ slope + 3)


@pytest.mark.spec("MDP-06", "MDP-P4")
@settings(max_examples=50, deadline=None)
@given(points=points_inside)
def test_multilinear_is_exact_for_products(points):
    grid = MultilinearInterpolator(AXES)
    assert_close(grid.interpolate(points, grid.nodes().prod(axis=1)), np.prod(points, axis=1))


@pytest.mark.spec("MDP-06", "MDP-07", "MDP-P4")
@BOTH
def test_nodes_are_exact_and_points_outside_move_to_the_border(interpolator, seed):
    grid = interpolator(AXES)
    values = np.random.default_rng(seed).normal(size=(grid.n_nodes, 2))
    assert_close(grid.interpolate(grid.nodes(), values), values)
    far = [[-5.0, 3.0, 20.0]]
    assert_close(grid.interpolate(far, values), grid.interpolate([[-1.0, 3.0, 9.0]], values))


@pytest.mark.spec("MDP-07")
def test_simplex_weights_are_differences_of_sorted_fractions():
    grid = SimplexInterpolator([[0, 1]] * 3)
    nodes, weights = grid.weights([[0.2, 0.7, 0.5]])
    np.testing.assert_array_equal(nodes, [[0b000, 0b010, 0b011, 0b111]])
    assert_close(weights, [[0.3, 0.2, 0.3, 0.2]])


@BOTH
def test_an_axis_of_one_value_is_constant(interpolator):
    grid = interpolator([[5.0], [0.0, 1.0]])
    assert_close(grid.interpolate([[0.0, 0.25], [99.0, 1.0]], [10.0, 20.0]), [12.5, 20.0])


@BOTH
@pytest.mark.parametrize(
    "call, message",
    [
        (lambda f: f([]), "`axes` must hold at least one"),
        (lambda f: f([[0, 0]]), r"`axes`\[0\] must be a strictly increasing"),
        (lambda f: f([[0, np.nan]]), r"`axes`\[0\]"),
        (lambda f: f([[0, 1]]).weights([[1, 2]]), "`points` must have 1 columns"),
        (lambda f: f([[0, 1]]).weights([[np.nan]]), "`points` must not contain NaN"),
        (lambda f: f([[0, 1]]).interpolate([[0]], [1, 2, 3]), "`values` must have length 2"),
    ],
)
def test_wrong_input_raises_by_name(interpolator, call, message):
    with pytest.raises(ValueError, match=message):
        call(interpolator)
