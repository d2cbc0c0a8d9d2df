"""Quantiles of weighted values are those of the copies."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn._math.linalg.quantiles import equal_weight_edges, weighted_quantile

PAIRS = st.lists(st.tuples(st.integers(-5, 5), st.integers(1, 4)), min_size=1, max_size=12)


@pytest.mark.parametrize("midpoint, method", [(False, "inverted_cdf"), (True, "averaged_inverted_cdf")])
@given(PAIRS, st.sampled_from([0.1, 0.25, 0.3, 0.5, 2 / 3, 0.9]))
def test_weights_are_copies(midpoint, method, pairs, quantile):
    values, weights = np.array(pairs, dtype=float).T
    copies = np.repeat(values, weights.astype(int))
    expected = np.quantile(copies, quantile, method=method)
    assert weighted_quantile(values, weights, quantile, midpoint=midpoint) == expected
    assert weighted_quantile(copies, None, quantile, midpoint=midpoint) == expected
    # The scale of the weights is nothing.
    assert weighted_quantile(values, weights / 7.0, quantile, midpoint=midpoint) == expected


def test_the_middle_is_the_usual_median(seed):
    x = np.random.default_rng(seed).normal(size=40)
    assert weighted_quantile(x, None, 0.5, midpoint=True) == np.median(x)
    assert weighted_quantile(x, np.ones(40), 0.5, midpoint=True) == np.median(x)


def test_bins_of_equal_weight():
    assert equal_weight_edges(np.arange(12.0), None, 4).tolist() == [2.5, 5.5, 8.5]
    assert equal_weight_edges(np.array([np.nan, 1.0, 2.0, 2.0, 5.0]), None, 3).tolist() == [1.5, 3.5]
    assert equal_weight_edges(np.array([3.0, 3.0, np.nan]), None, 3).tolist() == []
    copies = np.array([1.0, 1.0, 1.0, 2.0, 3.0, 4.0, 4.0])
    weighted = equal_weight_edges(np.array([1.0, 2.0, 3.0, 4.0, 9.0]), np.array([3.0, 1.0, 1.0, 2.0, 0.0]), 2)
    assert weighted.tolist() == equal_weight_edges(copies, None, 2).tolist() == [2.5]


@pytest.mark.parametrize("sign", [1, -1])
def test_a_column_with_one_heavy_value_keeps_two_bins(sign):
    values = sign * np.concatenate([np.zeros(990), np.arange(1.0, 11.0)])
    assert equal_weight_edges(values, None, 2).tolist() == [sign * 0.5]
    assert equal_weight_edges(values, None, 8).tolist() == [sign * 0.5]
