"""Error of one neighbour, distances in high dimension."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn.neighbors import asymptotic_1nn_error, cover_hart_bounds, curse_simulation, median_nn_distance
from tests.helpers import assert_close


@pytest.mark.spec("NEI-17", "NEI-T6")
def test_error_and_bounds_at_a_point():
    assert_close(asymptotic_1nn_error([0.7, 0.3]), 0.42, rtol=0, atol=1e-12)
    assert_close(cover_hart_bounds(0.3, 2), (0.3, 0.42), rtol=0, atol=1e-12)


@pytest.mark.spec("NEI-P5")
@given(st.lists(st.floats(1e-6, 1), min_size=2, max_size=8))
def test_cover_hart_bounds_hold_for_random_probabilities(raw):
    p = np.array(raw) / np.sum(raw)
    lower, upper = cover_hart_bounds(1 - p.max(), len(p))
    error = asymptotic_1nn_error(p)
    assert lower <= error + 1e-12
    assert error <= upper + 1e-12


@pytest.mark.spec("NEI-P5")
def test_cover_hart_bounds_hold_on_average_over_points(rng):
    P = rng.dirichlet(np.full(4, 0.5), size=2000)
    lower, upper = cover_hart_bounds((1 - P.max(axis=1)).mean(), 4)
    assert lower <= asymptotic_1nn_error(P).mean() <= upper


def test_the_upper_bound_is_below_twice_the_bayes_error_and_ends_at_chance():
    B = np.linspace(0, 0.75, 50)
    lower, upper = cover_hart_bounds(B, 4)
    assert np.all(upper <= 2 * B)
    assert_close([lower[-1], upper[-1]], [0.75, 0.75])


@pytest.mark.parametrize("wrong", [[0.5, 0.6], [-0.1, 1.1], [np.nan, 1.0]])
def test_probabilities_must_be_some(wrong):
    with pytest.raises(ValueError, match="probabilities"):
        asymptotic_1nn_error(wrong)


def test_impossible_bayes_errors_raise():
    with pytest.raises(ValueError, match="bayes_error"):
        cover_hart_bounds(0.6, 2)
    with pytest.raises(ValueError, match="n_classes"):
        cover_hart_bounds(0.1, 1)


@pytest.mark.spec("NEI-18", "NEI-T2")
def test_median_distance_of_the_catalog():
    found = median_nn_distance([10, 200, 1e4], [500, 1e6, 1e8])
    assert_close(found, [0.5177921, 0.9315456, 0.9981230], rtol=0, atol=1e-6)


def test_median_distance_keeps_its_digits_for_huge_samples():
    # 1 - 2^(-1/N) is log(2) / N to first order: a plain difference would be 0 at N = 1e20.
    assert_close(median_nn_distance(1, 1e20), np.log(2) * 1e-20, rtol=1e-12, atol=0)
    with pytest.raises(ValueError, match="n_samples"):
        median_nn_distance(3, 0)


@pytest.mark.spec("NEI-P11")
def test_simulated_median_distance_in_the_ball(rng):
    for p, n in ((2, 50), (10, 100)):
        directions = rng.normal(size=(2000, n, p))
        radius = rng.uniform(size=(2000, n)) ** (1 / p)  # of points that fill the ball evenly
        points = directions / np.linalg.norm(directions, axis=2, keepdims=True) * radius[:, :, None]
        nearest = np.linalg.norm(points, axis=2).min(axis=1)
        expected = median_nn_distance(p, n)
        # The share of minima below the true median is binomial with standard deviation 0.011.
        assert abs(np.mean(nearest <= expected) - 0.5) < 0.045


@pytest.mark.spec("NEI-19", "NEI-T3")
def test_curse_simulation_of_the_catalog():
    result = curse_simulation((1, 2, 3, 5, 10), n_samples=1000, n_repeats=200, random_state=0)
    assert_close(result.n_features, [1, 2, 3, 5, 10])
    tolerance = np.array([0.03, 0.03, 0.03, 0.05, 0.005])
    assert np.all(np.abs(result.estimate - [1.00, 0.99, 0.90, 0.42, 0.006]) <= tolerance)
    assert np.all(np.abs(result.distance - [0.0009, 0.032, 0.11, 0.335, 0.87]) <= [0.03, 0.03, 0.03, 0.05, 0.05])
    assert result.truth == 1.0
    frame = result.to_frame()
    assert_close(frame.loc[10, "mean_squared_error"], result.mean_squared_error[-1])
    assert len(result.plot()) == 2


def test_curse_simulation_takes_another_function():
    result = curse_simulation([2], n_samples=10, n_repeats=3, f=lambda X: X[:, 0] * 0 + 7.0, random_state=1)
    assert_close(result.estimate, [7.0])
    assert_close(result.mean_squared_error, [0.0])
    with pytest.raises(ValueError, match="n_features"):
        curse_simulation([0])
