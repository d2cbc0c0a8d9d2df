"""The scale of modelled objectives."""

import math

import numpy as np
import pytest
from scipy import stats
from scipy.spatial.distance import cdist

from statlearn.gp._surrogate import EVEN, POWER_STD, HyperPrior, Surrogate
from statlearn.gp._warp import Warp
from tests.helpers import assert_close

FIRST = [1.0, 2.0, 3.0, 10.0, 1e3]  # median 3, distance of the best 2


@pytest.mark.parametrize("power", [0.0, 0.4, 1.0, 1.7, 2.0])
def test_the_map_matches_yeo_and_johnson(power):
    warp = Warp(FIRST, power)
    y = np.linspace(-20, 40, 301)
    assert_close(warp(y), 3.0 + 2.0 * stats.yeojohnson((y - 3.0) / 2.0, power))
    assert_close(warp.inverse(warp(y)), y)


def test_power_one_is_the_identity_and_power_zero_takes_logarithms():
    assert_close(Warp(FIRST)([-5.0, 1.0, 1e6]), [-5.0, 1.0, 1e6])
    assert_close(Warp(FIRST, 0.0)([3.0, 1e6]), [3.0, 3.0 + 2.0 * math.log1p((1e6 - 3.0) / 2.0)])
    assert_close(Warp(FIRST, 2.0)([-17.0]), [3.0 - 2.0 * math.log1p(10.0)])


@pytest.mark.parametrize("power", [0.3, 1.0, 1.6])
def test_derivatives_match_differences(power):
    warp, y, step = Warp(FIRST, power), np.linspace(-20, 40, 31), 1e-6
    assert_close(
        warp.by_power(y), (warp.at(power + step)(y) - warp.at(power - step)(y)) / (2 * step), rtol=1e-6, atol=1e-8
    )
    slopes = (warp(y + step) - warp(y - step)) / (2 * step)
    total, by_power = warp.log_slope(y)
    assert_close(total, np.log(slopes).sum(), rtol=1e-6, atol=1e-6)
    assert_close(by_power, (warp.at(power + 0.1).log_slope(y)[0] - total) / 0.1)


def test_values_without_spread_are_unchanged():
    for values in ([], [4.0], [2.0, 2.0, 2.0, 9.0]):
        warp = Warp(values, 0.0)
        assert_close(warp([1.0, 2.0, 50.0]), [1.0, 2.0, 50.0])
        assert warp.powers([1.0, 2.0]) == (1.0, 1.0)


def test_values_very_far_away_are_never_raised_to_high_powers():
    assert Warp(FIRST).powers([0.0, 1e4]) == (0.0, 2.0)
    assert Warp(FIRST).powers([0.0, 1e12]) == (0.0, 1.0)
    assert Warp(FIRST).powers([-1e12, 1.0]) == (1.0, 2.0)


def log_posterior(X, y, theta, warp):
    """The documented function of hyper-parameters and power, literally."""
    n, values = len(y), warp(y)
    scaled = (values - values.mean()) / values.std()
    distance = np.sqrt(5.0) * cdist(X / np.exp(theta[1:]), X / np.exp(theta[1:]))
    K = np.exp(theta[0]) * (1 + distance + distance**2 / 3) * np.exp(-distance) + EVEN[0] * np.eye(n)
    level = np.sum(np.linalg.solve(K, scaled)) / np.sum(np.linalg.solve(K, np.ones(n)))
    density = stats.multivariate_normal(np.full(n, level), K).logpdf(scaled) - n * np.log(values.std() / warp.scale)
    prior = stats.norm(1.0, POWER_STD).logpdf(warp.power) - HyperPrior(X.shape[1], 0).penalty(theta)[0]
    return density + warp.log_slope(y)[0] + prior


@pytest.mark.parametrize("power", [0.3, 1.0, 1.7])
def test_power_and_hyper_parameters_maximise_their_posterior(power, rng):
    X = rng.random((25, 2))
    y = Warp([-1.0, 0.0, 1.0], power).inverse(np.sin(5 * X[:, 0]) + 2 * X[:, 1] ** 2 - 1.0)
    model = Surrogate(X, y, noise=False, warp=Warp(y[:10]))
    best = log_posterior(X, y, model.theta, model.warp)
    for step in 0.02 * np.concatenate([np.eye(4), -np.eye(4)]):
        at = model.warp.power + step[-1]
        if 0 <= at <= 2:
            assert log_posterior(X, y, model.theta + step[:-1], model.warp.at(at)) < best
