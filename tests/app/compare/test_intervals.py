"""Prediction intervals: their rank statistics, their range, and when they adapt."""

import numpy as np
import polars as pl
import pytest

from statlearn.app.compare.intervals import Intervals, possible_range
from statlearn.app.tables import frames


def test_the_range_of_a_target():
    assert possible_range(np.array([0.0, 3.5])) == (0.0, None)
    assert possible_range(np.array([0.0, 0.4, 1.0])) == (0.0, 1.0)
    assert possible_range(np.array([0.0, 1.0])) == (0.0, None)  # counts may grow
    assert possible_range(np.array([-1.0, 3.0])) == (None, None)


@pytest.mark.parametrize("n", [10, 99, 6000])
def test_quantiles_are_those_of_split_conformal_intervals(n):
    rng = np.random.default_rng(0)
    y = rng.normal(size=n)
    X = frames.as_frame(pl.DataFrame({"x": np.zeros(n)}))
    found = Intervals.learn(X, y, np.zeros(n))
    assert found.spread is None  # a constant says nothing about the spread
    place = int(np.ceil((n + 1) * 0.8))
    step = 0 if n <= 5000 else 1
    ordered = np.sort(np.abs(y))
    assert ordered[place - 1 - step] <= found.quantile(0.8) <= ordered[min(place - 1 + step, n - 1)]
    assert found.quantile(1 - 0.5 / n) == np.inf
    np.testing.assert_array_equal(found.half_widths(np.empty(3), 0.8), np.full(3, found.quantile(0.8)))


def test_the_spread_is_learned_where_it_varies_and_only_there():
    rng = np.random.default_rng(0)
    n = 1000
    x = rng.uniform(size=n)
    X = frames.as_frame(pl.DataFrame({"x": x}))
    noise = rng.normal(size=n)
    adapted = Intervals.learn(X, (0.1 + 2 * x) * noise, np.zeros(n))
    ends = adapted.half_widths(pl.DataFrame({"x": [0.02, 0.98]}), 0.9)
    assert ends[1] > 4 * ends[0]
    few = Intervals.learn(frames.take(X, np.arange(50)), noise[:50], np.zeros(50))
    assert few.spread is None
