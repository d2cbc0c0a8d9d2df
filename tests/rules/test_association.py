"""The estimator."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_iris

from statlearn.rules import AssociationRules, association_rules, filter_rules, frequent_itemsets
from tests.rules.baskets import TEN, random_baskets


@pytest.mark.spec("RUL-10", "RUL-12")
def test_the_rules_match_the_steps():
    model = AssociationRules(0.2, 0.8, max_len=None, max_consequent=None).fit(TEN)
    steps = filter_rules(association_rules(frequent_itemsets(TEN, 0.2), 0.8), redundant=False)
    assert sorted(model.rule_set_) == sorted(steps)
    frame = model.rules_
    assert {"antecedent", "lift", "p_value", "p_adjusted", "lift_low", "lift_high"} <= set(frame.columns)
    assert frame.lift.is_monotonic_decreasing
    assert np.all((frame.lift_low <= frame.lift + 1e-12) & (frame.lift <= frame.lift_high + 1e-12))
    significant = AssociationRules(0.2, 0.8, max_p=0.5, correction=None).fit(TEN).rules_
    assert significant.p_adjusted.max() <= 0.5


def test_recommendations_are_the_best_consequents_not_yet_in_the_basket(rng):
    baskets = random_baskets(rng)
    model = AssociationRules(0.05, 0.2, redundant=True).fit(baskets)
    rules = [(set(a), b[0], c) for (a, b), c in zip(model.rule_set_, model.rule_set_.metric("confidence"))]
    predicted = model.predict(baskets[:40])
    lists = model.recommend(baskets[:40], n=100, scores=True)
    for row, basket in enumerate(baskets[:40]):
        best = {}
        for a, item, confidence in rules:
            if a <= set(basket) and item not in basket:
                best[item] = max(best.get(item, 0), confidence)
        assert dict(lists[row]) == pytest.approx(best)
        assert [s for _, s in lists[row]] == sorted(best.values(), reverse=True)
        assert {model.items_[k] for k in np.flatnonzero(predicted[row])} == set(best)
    assert model.recommend([["never seen"], []]) == [[], []]
    assert all(len(found) <= 2 for found in model.recommend(baskets, n=2, by="lift"))


def test_tables_are_binarised_and_frames_keep_their_library():
    iris = load_iris(as_frame=True).frame
    iris["kind"] = iris.pop("target").map({0: "setosa", 1: "versicolor", 2: "virginica"})
    model = AssociationRules(0.2, 0.9).fit(iris)
    assert any(b == ["kind=setosa"] for b in model.rules_.consequent)
    assert isinstance(AssociationRules(0.2, 0.9).fit(pl.from_pandas(iris)).rules_, pl.DataFrame)
    assert model.predict(iris[:3]).shape == (3, len(model.items_))
    with pytest.raises(ValueError, match="must be a table"):
        model.predict([["kind=setosa"]])
    boolean = pd.get_dummies(iris.kind)
    assert AssociationRules(0.2).fit(boolean).binarizer_ is None
    with pytest.raises(ValueError, match="must be baskets"):
        AssociationRules(0.2).fit(TEN).predict(boolean)


def test_no_rule_is_a_result():
    model = AssociationRules(0.9, 0.9).fit([["a"], ["b"], ["c"]])
    assert len(model.rules_) == 0
    assert not model.predict([["a"]]).any()
    assert model.recommend([["a"]]) == [[]]


def test_weights_are_copies(rng):
    baskets = random_baskets(rng, n=50)
    weights = rng.integers(0, 3, 50)
    copies = [basket for basket, w in zip(baskets, weights) for _ in range(w)]
    weighted = AssociationRules(0.1).fit(baskets, sample_weight=weights).rules_
    pd.testing.assert_frame_equal(weighted, AssociationRules(0.1).fit(copies).rules_)
    halves = AssociationRules(0.1).fit(baskets, sample_weight=weights / 2).rules_
    assert "p_value" not in halves
    with pytest.raises(ValueError, match="max_p"):
        AssociationRules(0.1, max_p=0.05).fit(baskets, sample_weight=weights / 2)


def test_weights_of_more_baskets_than_can_be_counted_raise():
    X = np.array([[1, 1, 0], [1, 0, 1], [1, 1, 1], [0, 1, 1]], dtype=bool)
    model = AssociationRules(min_support=0.25, min_confidence=0.5)
    support = model.fit(X).rules_["support"]
    np.testing.assert_array_equal(model.fit(X, sample_weight=np.full(4, 2.0**38)).rules_["support"], support)
    with pytest.raises(ValueError, match="sample_weight: the weights count copies"):
        model.fit(X, sample_weight=np.full(4, 2.0**60))
