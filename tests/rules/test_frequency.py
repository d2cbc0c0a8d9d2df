"""Items in the rules against items in the data."""

import polars as pl
import pytest

from statlearn.rules import (
    association_rules,
    evaluate_rules,
    frequency_comparison,
    frequent_itemsets,
    plot_frequency_comparison,
)
from tests.rules.baskets import TEN


@pytest.mark.spec("RUL-15")
def test_shares_by_counting():
    rules = association_rules(frequent_itemsets(TEN, 0.2), 0.8)
    frame = frequency_comparison(rules, TEN).set_index("item")
    entries = [item for basket in TEN for item in basket]
    in_rules = [item for a, b in rules for item in a + b]
    for item in set(entries):
        assert frame.data[item] == pytest.approx(entries.count(item) / len(entries))
        assert frame.rules[item] == pytest.approx(in_rules.count(item) / len(in_rules))
    assert frame.rules["o"] == 0  # rare items vanish
    assert frame.data.sum() == pytest.approx(1)
    sets = frequency_comparison(rules.itemsets, backend="polars")
    assert isinstance(sets, pl.DataFrame)
    assert len(sets) == 7
    with pytest.raises(ValueError, match="`data` is required"):
        frequency_comparison(evaluate_rules(rules, TEN))


@pytest.mark.spec("RUL-15", "RUL-G2")
def test_the_bars_are_the_shares():
    rules = association_rules(frequent_itemsets(TEN, 0.2), 0.8)
    frame = frequency_comparison(rules, TEN)
    ax = plot_frequency_comparison(rules, TEN, n=5)
    assert [bar.get_width() for bar in ax.patches] == [*frame.data[:5], *frame.rules[:5]]
