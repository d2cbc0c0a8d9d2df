"""Measures of rules."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn.rules import rule_metrics
from tests.helpers import assert_close

tables = st.tuples(*[st.integers(0, 50)] * 4).filter(lambda t: t[0] + t[1] > 0 and t[0] + t[2] > 0)


def shares(table):
    both, a_only, b_only, _ = table
    n = sum(table)
    return both / n, (both + a_only) / n, (both + b_only) / n


@pytest.mark.spec("RUL-11", "RUL-T10")
def test_measures_of_the_printed_rule():
    found = rule_metrics(0.134, 0.808, 0.3794)
    expected = {"antecedent_support": 0.1658416, "lift": 2.1296784, "leverage": 0.0710797, "conviction": 3.2322917}
    for name, value in expected.items():
        np.testing.assert_allclose(found[name], value, rtol=0, atol=1e-6)


@pytest.mark.spec("RUL-P6")
@given(tables)
def test_lift_and_leverage_are_symmetric_and_agree_about_independence(table):
    ab, a, b = shares(table)
    one = rule_metrics(ab, consequent_support=b, antecedent_support=a)
    other = rule_metrics(ab, consequent_support=a, antecedent_support=b)
    for name in ("lift", "leverage", "cosine", "jaccard", "kulczynski", "phi", "odds_ratio", "imbalance"):
        np.testing.assert_allclose(one[name], other[name], rtol=1e-12, atol=1e-15)
    both, a_only, b_only, neither = table
    independent = both * neither == a_only * b_only
    assert np.isclose(one["lift"], 1, rtol=1e-12) == independent
    assert np.isclose(one["leverage"], 0, atol=1e-14) == independent
    if a_only:  # otherwise conviction is infinite by convention
        assert np.isclose(one["conviction"], 1, rtol=1e-12) == (independent or b == 1)
    else:
        assert one["conviction"] == np.inf


@pytest.mark.spec("RUL-P6")
def test_confidence_is_not_symmetric():
    assert rule_metrics(0.2, antecedent_support=0.2, consequent_support=0.5)["confidence"] == 1
    assert rule_metrics(0.2, antecedent_support=0.5, consequent_support=0.2)["confidence"] == 0.4


@given(tables)
def test_measures_by_their_definitions(table):
    ab, a, b = shares(table)
    found = rule_metrics(ab, antecedent_support=a, consequent_support=b)
    assert_close(found["added_value"], ab / a - b)
    assert_close(found["jaccard"], table[0] / (table[0] + table[1] + table[2]))
    both, a_only, b_only, neither = table
    if a_only and b_only:
        assert_close(found["odds_ratio"], both * neither / (a_only * b_only), atol=1e-9)
    if 0 < a < 1 and 0 < b < 1:
        x = np.repeat([[1, 1], [1, 0], [0, 1], [0, 0]], table, axis=0)
        assert_close(found["phi"], np.corrcoef(x.T)[0, 1], atol=1e-9)
        assert -1 - 1e-12 <= found["zhang"] <= 1 + 1e-12
        assert -1 - 1e-12 <= found["certainty"] <= 1 + 1e-12


def test_arrays_are_accepted_and_bad_input_raises():
    found = rule_metrics([0.1, 0.2], [0.5, 1.0], [0.3, 0.4])
    assert found["conviction"].tolist() == [1.4, np.inf]
    with pytest.raises(TypeError, match="either confidence or antecedent_support"):
        rule_metrics(0.1)
    with pytest.raises(ValueError, match="confidence must be"):
        rule_metrics(0.1, 0.0, 0.5)
    with pytest.raises(ValueError, match="support must be"):
        rule_metrics(1.5, 1.0, 0.5)
    with pytest.raises(ValueError, match="exceeds"):
        rule_metrics(0.5, 1.0, 0.1)
