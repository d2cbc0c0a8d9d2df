"""Rules from item sets, and their filters."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

import statlearn
from statlearn.rules import (
    Itemsets,
    association_rules,
    filter_rules,
    fpclose,
    frequent_itemsets,
    rule_improvement,
)
from tests.helpers import assert_close
from tests.rules.baskets import TEN, collections, random_baskets, thresholds

MEASURES = ("support", "confidence", "lift", "leverage", "conviction")


def rules_of_ten(**options):
    return association_rules(frequent_itemsets(TEN, 0.2), **options)


@pytest.mark.spec("RUL-10", "RUL-T6")
def test_number_of_rules_of_the_ten_baskets():
    assert len(rules_of_ten(min_confidence=0)) == 228
    assert len(rules_of_ten(min_confidence=1.0)) == 130
    assert len(rules_of_ten(min_confidence=0.8)) == 139
    assert len(rules_of_ten(min_confidence=0.8, strict=True)) == 130
    assert rules_of_ten(min_confidence=0.8).n_tests == 228


@pytest.mark.spec("RUL-T7", "RUL-11")
def test_measures_of_two_rules():
    rules = rules_of_ten(min_confidence=0)
    place = {(a, b): k for k, (a, b) in enumerate(rules)}
    expected = {
        (("g",), ("a", "c")): [0.5, 1, 1.25, 0.10, np.inf],
        (("e",), ("a", "c")): [0.6, 0.75, 0.9375, -0.04, 0.8],
    }
    for rule, values in expected.items():
        found = [rules.metric(name)[place[rule]] for name in MEASURES]
        np.testing.assert_allclose(found, values, rtol=0, atol=1e-12)


@pytest.mark.spec("RUL-10")
@given(collections, thresholds)
def test_all_splits_and_only_those_that_reach_the_confidence(baskets, threshold):
    sets = frequent_itemsets(baskets, threshold)
    known = sets.to_dict()
    every = {
        (tuple(a), tuple(sorted(set(s) - set(a)))): known[s] / known[tuple(a)]
        for s in known
        for size in range(1, len(s))
        for a in itertools.combinations(s, size)
    }
    for least in (0.0, 0.6):
        rules = association_rules(sets, least)
        assert dict(zip(rules, rules.metric("confidence"))) == {r: c for r, c in every.items() if c >= least}
    one = association_rules(sets, 0.0, max_consequent=1)
    assert set(one) == {r for r in every if len(r[1]) == 1}
    assert len(one) == one.n_tests


def test_rules_do_not_depend_on_threads(rng):
    sets = frequent_itemsets(random_baskets(rng, items=12), 0.01)
    results = []
    for n in (1, 4):
        with statlearn.threads(n):
            results.append(association_rules(sets, 0.3))
    np.testing.assert_array_equal(results[0].antecedents[0], results[1].antecedents[0])
    np.testing.assert_array_equal(results[0].consequent_counts, results[1].consequent_counts)


@pytest.mark.spec("RUL-12")
def test_filters_by_items_length_and_measures():
    rules = rules_of_ten(min_confidence=0)
    kept = filter_rules(rules, antecedent=["g"], consequent=["a"], max_len=3)
    assert set(kept) == {
        (("g",), ("a",)), (("g",), ("a", "c")), (("c", "g"), ("a",)), (("g",), ("a", "e")), (("e", "g"), ("a",)),
    }  # fmt: skip
    assert all("b" in a + b for a, b in filter_rules(rules, items=["b"]))
    assert not any("b" in a + b for a, b in filter_rules(rules, exclude=["b"]))
    assert len(filter_rules(rules, items=["b"])) + len(filter_rules(rules, exclude=["b"])) == len(rules)
    high = filter_rules(rules, thresholds={"lift": 1.25, "support": 0.5})
    assert high.metric("lift").min() >= 1.25 - 1e-12
    assert high.metric("support").min() >= 0.5
    assert filter_rules(rules, min_len=5).lengths.min() == 5
    assert len(filter_rules(rules, items=["unknown"])) == 0
    with pytest.raises(TypeError, match=r"\['abc'\]"):
        filter_rules(rules, items="abc")
    with pytest.raises(ValueError, match="Unknown measure 'magic'"):
        filter_rules(rules, thresholds={"magic": 1})


@pytest.mark.spec("RUL-12")
@given(collections)
def test_improvement_is_the_gain_over_every_shorter_antecedent(baskets):
    sets = frequent_itemsets(baskets, 0.1)
    known = {**sets.to_dict(), (): len(baskets)}
    rules = association_rules(sets, 0.3)
    expected, confidence = [], rules.metric("confidence")
    for k, (a, b) in enumerate(rules):
        shorter = (s for size in range(len(a)) for s in itertools.combinations(a, size))
        best = max(known[tuple(sorted(s + b))] / known[s] for s in shorter)
        expected.append(confidence[k] - best)
    assert_close(rule_improvement(rules), expected, atol=1e-12)
    kept = filter_rules(rules, redundant=False)
    assert len(kept) == sum(gain > 1e-12 for gain in expected)
    assert len(filter_rules(rules, min_improvement=0.1)) == sum(gain >= 0.1 for gain in expected)


def test_frames_sorting_and_text():
    rules = rules_of_ten(min_confidence=0.8).sort("lift")
    frame = rules.to_frame(metrics=("lift", "zhang"))
    assert frame.lift.is_monotonic_decreasing
    assert frame.antecedent[0] == list(rules.antecedent(0))
    assert rules.to_frame("polars").shape == (139, 10)
    assert rules.text(0).startswith("{")
    assert "139 rules" in repr(rules)
    assert rules.sort("support", ascending=True).counts[0] == rules.counts.min()
    assert len(rules.select([3, 1])) == 2


def test_incomplete_sets_and_other_invalid_input_raise():
    with pytest.raises(ValueError, match=r"lacks \{a\}, a subset of \{a, b\}"):
        association_rules(Itemsets.from_dict({("a", "b"): 1, ("b",): 2}, 3), 0)
    with pytest.raises(ValueError, match="supports_from_closed"):
        association_rules(fpclose(TEN, 0.2))
    with pytest.raises(TypeError, match="from_dict"):
        association_rules({("a",): 1})
    with pytest.raises(ValueError, match="min_confidence"):
        rules_of_ten(min_confidence=1.5)
    with pytest.raises(MemoryError, match="min_confidence"):
        rules_of_ten(min_confidence=0, max_rules=227)
    sets = frequent_itemsets(TEN, 0.2)
    twice = Itemsets(sets.items, np.zeros(2, np.int32), np.array([0, 1, 2]), np.array([1, 1]), 10, 1)
    with pytest.raises(ValueError, match="twice"):
        association_rules(twice)
    rules = association_rules(sets)
    rules.itemsets = None
    with pytest.raises(ValueError, match="itemsets is required"):
        rule_improvement(rules)


@pytest.mark.spec("CRS-132")
def test_rules_by_one_measure_as_in_mlxtend(rng):
    sets = frequent_itemsets(pd.DataFrame(rng.random((60, 5)) < 0.5, columns=list("abcde")), 0.15)
    by_lift = association_rules(sets, metric="lift", min_threshold=1.05)
    assert 0 < len(by_lift) < len(association_rules(sets, 0.0))
    assert list(by_lift) == list(association_rules(sets, 0.0, thresholds={"lift": 1.05}))
    assert list(association_rules(sets, min_threshold=0.45)) == list(association_rules(sets, 0.45))
    assert list(association_rules(sets, metric="confidence", min_threshold=0.45)) == list(association_rules(sets, 0.45))
    zhang = association_rules(sets, metric="zhangs_metric", min_threshold=0.1)
    assert zhang.metric("zhang").min() >= 0.1
    with pytest.raises(ValueError, match="`metric`='lift' requires `min_threshold`"):
        association_rules(sets, metric="lift")
    with pytest.raises(ValueError, match="`style` must be None or 'mlxtend', got 'R'"):
        by_lift.to_frame(style="R")


@pytest.mark.spec("CRS-132")
def test_frames_like_those_of_mlxtend():
    # counts of 10 baskets: a in 5, b in 8, both in 3
    baskets = [["a", "b"]] * 3 + [["a"]] * 2 + [["b"]] * 5
    rules = association_rules(frequent_itemsets(baskets, 1), 0.0)
    frame = rules.to_frame(style="mlxtend").set_index("antecedents").loc[[frozenset("a")]]
    # mlxtend 0.23: the formulas of its documentation by hand
    expected = {
        "antecedent support": 0.5, "consequent support": 0.8, "support": 0.3, "confidence": 0.6, "lift": 0.75,
        "representativity": 1.0, "leverage": -0.1, "conviction": 0.5, "zhangs_metric": -0.1 / 0.25, "jaccard": 0.3,
        "certainty": -0.2 / 0.2, "kulczynski": (0.6 + 0.375) / 2,
    }  # fmt: skip
    assert frame.columns.tolist() == ["consequents", *expected]
    assert frame.consequents.tolist() == [frozenset("b")]
    assert_close(frame[list(expected)].to_numpy(float)[0], list(expected.values()))
