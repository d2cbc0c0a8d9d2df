"""Formulas for votes, averages and bootstrap samples."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from statlearn.ensemble import (
    average_variance,
    bootstrap_mean_correlation,
    majority_vote_accuracy,
    out_of_bag_share,
    weighted_median,
)
from tests.helpers import assert_close

VOTERS = [0.3, 0.4, 0.5, 0.55, 0.6, 0.7, 0.8, 0.9]


@pytest.mark.spec("ENS-01", "ENS-T1")
def test_eleven_voters():
    expected = [0.0782248, 0.2465019, 0.5, 0.6331226, 0.7534981, 0.9217752, 0.9883458, 0.9997043]
    assert_close(majority_vote_accuracy(VOTERS, 11), expected, rtol=0, atol=1e-7)


@pytest.mark.spec("ENS-01")
@given(p=st.floats(0, 1), n=st.integers(1, 60))
def test_vote_accuracy_is_a_binomial_tail_with_ties_halved(p, n):
    expected = sum(binom.pmf(k, n, p) for k in range(n + 1) if 2 * k > n)
    expected += 0.5 * binom.pmf(n / 2, n, p) if n % 2 == 0 else 0.0
    found = majority_vote_accuracy(p, n)
    assert isinstance(found, float)
    assert_close(found, expected, atol=1e-12)
    assert_close(found + majority_vote_accuracy(1 - p, n), 1.0)


@pytest.mark.spec("ENS-P1")
@given(p=st.floats(0.001, 0.999), n=st.integers(1, 20).map(lambda k: 2 * k + 1))
def test_a_vote_helps_exactly_when_its_voters_are_better_than_chance(p, n):
    gain = majority_vote_accuracy(p, n) - p
    if abs(p - 0.5) > 1e-6:
        assert (gain > 0) == (p > 0.5)


@pytest.mark.spec("ENS-02", "ENS-T3")
def test_variance_of_an_average():
    assert_close(average_variance(0.3, 1.0, np.array([1, 5, 10, 100])), [1, 0.44, 0.37, 0.307], rtol=0, atol=1e-12)
    assert_close(average_variance(-0.25, 2.0, 5), 0.0, atol=1e-15)


@pytest.mark.spec("ENS-T2")
def test_share_of_rows_out_of_bag():
    assert_close([out_of_bag_share(n) for n in (10, 100, 1000)], [0.3486784, 0.3660323, 0.3676954], rtol=0, atol=1e-7)


@pytest.mark.spec("ENS-T12")
def test_correlation_of_bootstrap_means(rng):
    n, sets = 50, 20_000
    rows = rng.normal(size=(sets, n))
    a, b = (np.take_along_axis(rows, rng.integers(n, size=(sets, n)), axis=1).mean(axis=1) for _ in range(2))
    expected = bootstrap_mean_correlation(n)
    assert_close(expected, 0.5050505, rtol=0, atol=1e-7)
    assert abs(np.corrcoef(a, b)[0, 1] - expected) < 3 * (1 - expected**2) / np.sqrt(sets)


@pytest.mark.spec("ENS-20", "ENS-P16", "CRS-03")
@given(st.lists(st.tuples(st.integers(-20, 20), st.integers(0, 5)), min_size=1, max_size=30))
def test_weighted_median_minimises_the_absolute_error_and_is_the_middle_one(pairs):
    values, weights = np.array(pairs, dtype=float).T
    if not weights.any():
        with pytest.raises(ValueError, match="weights"):
            weighted_median(values, weights)
        return
    found = weighted_median(values, weights)
    cost = [np.sum(weights * np.abs(values - v)) for v in values]
    assert_close(np.sum(weights * np.abs(values - found)), min(cost))
    copies = np.sort(np.repeat(values, weights.astype(int)))
    assert found == np.median(copies)
    assert found == weighted_median(copies)


@pytest.mark.parametrize(
    "call",
    [
        lambda: majority_vote_accuracy(1.2, 3),
        lambda: majority_vote_accuracy(0.5, 0),
        lambda: average_variance(0.5, -1.0, 3),
        lambda: average_variance(-0.9, 1.0, 3),
        lambda: average_variance(0.5, 1.0, 0),
        lambda: out_of_bag_share(0),
        lambda: weighted_median([]),
        lambda: weighted_median([1.0, np.nan]),
        lambda: weighted_median([1.0, 2.0], [1.0]),
        lambda: weighted_median([1.0, 2.0], [1.0, -1.0]),
    ],
)
def test_values_without_meaning_raise(call):
    with pytest.raises(ValueError):
        call()
