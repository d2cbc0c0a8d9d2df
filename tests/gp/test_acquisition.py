"""Acquisition functions: printed values, identities, simulations, slopes."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statlearn.gp import (
    expected_hypervolume_improvement,
    expected_improvement,
    log_expected_improvement,
    lower_confidence_bound,
    probability_of_improvement,
    q_expected_improvement,
)
from statlearn.gp._acquisition import FrontStrips, log_h, log_h_slope
from tests.helpers import assert_close

numbers = st.floats(-5, 5)
spreads = st.floats(0.01, 5)


@pytest.mark.spec("GPR-15", "GPR-16", "GPR-T5")
def test_printed_values():
    assert_close(expected_improvement(0.8, 0.5, 1.0), 0.3152194, atol=1e-7)
    assert_close(probability_of_improvement(0.8, 0.5, 1.0), 0.6554217, atol=1e-7)
    assert_close(lower_confidence_bound(0.8, 0.5, kappa=1.96), -0.18)


@pytest.mark.spec("GPR-15")
def test_the_improvement_has_xi_in_both_places():
    # Errata: the leading factor is (mu - M - xi), which makes it the exact expectation of (Y - M - xi)^+.
    from scipy.integrate import quad
    from scipy.stats import norm

    for xi in (0.0, 0.3):
        exact = quad(lambda y, xi=xi: max(y - 1.0 - xi, 0.0) * norm.pdf(y, 0.8, 0.5), 1.0 + xi, 9.0)[0]
        assert_close(expected_improvement(0.8, 0.5, 1.0, xi=xi, maximize=True), exact, atol=1e-8)
    assert expected_improvement(0.4, 0.0, 1.0, xi=0.1) == pytest.approx(0.5)
    assert expected_improvement(1.4, 0.0, 1.0, xi=0.1) == 0.0
    assert expected_improvement(1.4, 0.0, 1.0, xi=0.1, maximize=True) == pytest.approx(0.3)


@pytest.mark.spec("GPR-P9")
@settings(max_examples=50)
@given(mean=numbers, std=spreads, best=numbers, xi=st.floats(0, 2))
def test_improvement_is_positive_and_monotone(mean, std, best, xi):
    value = expected_improvement(mean, std, best, xi=xi)
    assert value >= 0
    assert expected_improvement(mean + 0.1, std, best, xi=xi) <= value
    assert expected_improvement(mean, std * 1.1, best, xi=xi) >= value
    assert expected_improvement(mean, std, best, xi=xi + 0.1) <= value
    assert_close(expected_improvement(-mean, std, -best, xi=xi, maximize=True), value)
    assert_close(q_expected_improvement([mean], [[std**2]], best, xi=xi), value, rtol=1e-7, atol=1e-300)


@pytest.mark.spec("GPR-P9")
def test_improvement_is_its_simulated_mean(seed):
    rng = np.random.default_rng(seed)
    draws = rng.normal(0.8, 0.5, 200_000)
    simulated = np.maximum(1.0 - draws - 0.1, 0.0)
    error = simulated.std() / np.sqrt(len(draws))
    assert abs(expected_improvement(0.8, 0.5, 1.0, xi=0.1) - simulated.mean()) < 5 * error


def test_the_logarithm_agrees_where_both_exist_and_continues_beyond():
    z = np.r_[np.linspace(-30, 8, 400), -99.999, -100.001]
    value = log_expected_improvement(-z, 1.0, 0.0)
    plain = expected_improvement(-z, 1.0, 0.0)
    kept = plain > 1e-200
    assert_close(value[kept], np.log(plain[kept]), rtol=1e-9, atol=1e-9)
    # mpmath 1.3 with 60 digits: log(npdf(z) + z * ncdf(z)) at z = -10, -50, -200
    exact = [-55.553122036122356, -1258.7441828684609, -20011.515648259739]
    assert_close(log_h(np.array([-10.0, -50.0, -200.0])), exact, rtol=1e-12)
    assert np.all(np.diff(log_h(np.linspace(-1e4, 10, 5001))) > 0)
    assert log_expected_improvement(2.0, 0.0, 1.0) == -math.inf
    assert_close(log_expected_improvement(0.5, 0.0, 1.0), math.log(0.5))


def test_slopes_match_differences():
    z = np.r_[-400.0, -150.0, -99.0, -20.0, -1.5, -0.5, 0.0, 2.0, 6.0]
    step = 1e-5 * np.maximum(1, np.abs(z))
    differences = (log_h(z + step) - log_h(z - step)) / (2 * step)
    assert_close(log_h_slope(z, log_h(z)), differences, rtol=1e-6)


@pytest.mark.spec("GPR-17")
def test_joint_improvement_agrees_with_simulation_and_bounds(seed):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(3, 3))
    cov, mean = A @ A.T + 0.1 * np.eye(3), rng.normal(size=3)
    value = q_expected_improvement(mean, cov, 0.2, n_samples=2**14)
    draws = rng.multivariate_normal(mean, cov, 100_000)
    simulated = np.maximum(0.2 - draws.min(axis=1), 0)
    assert abs(value - simulated.mean()) < 5 * simulated.std() / np.sqrt(len(draws)) + 1e-3
    single = [expected_improvement(m, s, 0.2) for m, s in zip(mean, np.sqrt(np.diag(cov)))]
    assert max(single) - 1e-3 <= value <= sum(single) + 1e-3
    # Perfectly dependent copies are worth no more than one; the same seed gives the same numbers.
    copies = q_expected_improvement([0.8, 0.8], np.full((2, 2), 0.25), 1.0, n_samples=2**14)
    assert_close(copies, expected_improvement(0.8, 0.5, 1.0), atol=1e-3)
    assert value == q_expected_improvement(mean, cov, 0.2, n_samples=2**14)
    many = q_expected_improvement(np.stack([mean, mean]), np.stack([cov, cov]), 0.2, n_samples=2**14)
    assert_close(many, [value, value])
    assert_close(q_expected_improvement(-mean, cov, -0.2, maximize=True, n_samples=2**14), value, atol=5e-3)


def hypervolume(front, reference):
    """Area by a fine staircase: the slow, obvious version."""
    points = sorted(p for p in map(tuple, front) if p[0] < reference[0] and p[1] < reference[1])
    area, height = 0.0, reference[1]
    for x, y in points:
        if y < height:
            area += (reference[0] - x) * (height - y)
            height = y
    return area


def test_hypervolume_improvement_is_its_simulated_mean(seed):
    rng = np.random.default_rng(seed)
    front, reference = [[0.1, 2.0], [1.0, 1.0], [1.2, 1.3], [2.0, 0.2], [9.0, -1.0]], np.array([3.0, 3.0])
    before = hypervolume(front, reference)
    mean, std = np.array([0.8, 0.9]), np.array([0.5, 0.7])
    draws = rng.normal(mean, std, (5000, 2))
    gains = np.array([hypervolume([*front, d], reference) - before for d in draws])
    value = expected_hypervolume_improvement(mean, std, front, reference)
    assert abs(value - gains.mean()) < 5 * gains.std() / np.sqrt(len(gains))
    certain = expected_hypervolume_improvement(mean, [0.0, 0.0], front, reference)
    assert_close(certain, hypervolume([*front, mean], reference) - before)
    empty = expected_hypervolume_improvement([1.0, 1.0], [0.0, 0.0], np.empty((0, 2)), reference)
    assert_close(empty, 4.0)


def test_slopes_of_the_hypervolume_match_differences(seed):
    rng = np.random.default_rng(seed)
    strips = FrontStrips([[0.1, 2.0], [1.0, 1.0], [2.0, 0.2]], [3.0, 3.0])
    mean, std = rng.uniform(0, 3, (6, 2)), rng.uniform(0.2, 1, (6, 2))
    _, by_mean, by_std = strips.gain(mean, std)
    for k in range(2):
        step = 1e-6 * np.eye(2)[k]
        assert_close(
            by_mean[:, k], (strips.gain(mean + step, std)[0] - strips.gain(mean - step, std)[0]) / 2e-6, atol=1e-7
        )
        assert_close(
            by_std[:, k], (strips.gain(mean, std + step)[0] - strips.gain(mean, std - step)[0]) / 2e-6, atol=1e-7
        )


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: expected_improvement(0.0, -1.0, 0.0), "std"),
        (lambda: expected_improvement(np.nan, 1.0, 0.0), "mean"),
        (lambda: expected_improvement(0.0, 1.0, np.inf), "best"),
        (lambda: expected_improvement(0.0, 1.0, 0.0, xi=-1.0), "xi"),
        (lambda: lower_confidence_bound(0.0, 1.0, kappa=-1.0), "kappa"),
        (lambda: q_expected_improvement([0.0, 1.0], [[1.0]], 0.0), "cov"),
        (lambda: q_expected_improvement([0.0], [[1.0]], 0.0, n_samples=0), "n_samples"),
        (lambda: expected_hypervolume_improvement([0.0], [1.0], [], [1.0, 1.0]), "mean"),
        (lambda: expected_hypervolume_improvement([0.0, 0.0], [1.0, 1.0], [], [1.0]), "reference"),
    ],
)
def test_bad_arguments_are_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
