"""Quantiles of weighted values are those of the copies."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn._core.quantiles import weighted_quantile

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
