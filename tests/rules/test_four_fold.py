"""Four-fold rules against brute force and CleverMiner."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from statlearn.rules import association_rules, four_fold_rules, frequent_itemsets, rule_significance
from tests.rules.baskets import random_baskets


def weather(n=300):
    rng = np.random.default_rng(5)
    table = pd.DataFrame({"a": rng.integers(1, 5, n), "b": rng.choice(list("xyz"), n), "c": rng.choice(["u", "v"], n)})
    hit = (table.a >= 3) & (rng.random(n) < 0.7) | (table.b == "x") & (rng.random(n) < 0.5)
    return table.assign(t=np.where(hit, "yes", "no"))


@pytest.mark.spec("CRS-82")
def test_rules_match_cleverminer():
    # cleverminer 1.2.8: 4ftMiner, conf .6, Base 30, ante a seq 1-2, b subset 1-2, c subset 1-1, length 1-2, succ t:
    # 51 rules whose bases sum to 2,757 and whose antecedents hold in 3,629 rows together.
    rules = four_fold_rules(
        weather(),
        ["a", "b", "c"],
        ["t"],
        groups={"a": 2, "b": 2},
        ordered=["a"],
        thresholds={"founded_implication": (0.6, 30)},
    )
    assert len(rules) == 51
    assert (rules.counts.sum(), rules.antecedent_counts.sum()) == (2757, 3629)
    first = next(k for k in range(51) if rules.text(k) == "{a=1} => {t=no}")
    assert (rules.counts[first], rules.antecedent_counts[first], rules.consequent_counts[first]) == (67, 76, 165)


@pytest.mark.spec("CRS-82")
def test_grouped_and_negated_literals_match_brute_force():
    table = weather(80)
    rules = four_fold_rules(
        table, ["b", "c"], ["t", "a"], groups={"a": 2}, negated=["a", "c"], thresholds={"count": 12}, max_antecedent=2
    )
    found = {(rules.antecedent(k), rules.consequent(k)): rules.counts[k] for k in range(len(rules))}
    literals = {column: {f"{column}={v}": table[column] == v for v in sorted(set(table[column]))} for column in "abct"}
    for pair in itertools.combinations((1, 2, 3, 4), 2):
        literals["a"][f"a in {{{pair[0]}, {pair[1]}}}"] = table.a.isin(pair)
    for value in (1, 2, 3, 4):
        literals["a"][f"not a={value}"] = table.a != value
    # "not c=u" is c=v, and the negation of a pair of a's four values is another pair
    expected = {}
    for (left, x), (right, y) in itertools.product(
        [((b,), m) for b, m in literals["b"].items()]
        + [((c,), m) for c, m in literals["c"].items()]
        + [((b, c), m & k) for b, m in literals["b"].items() for c, k in literals["c"].items()],
        [*literals["t"].items(), *literals["a"].items()],
    ):
        if (x & y).sum() >= 12:
            expected[left, (right,)] = (x & y).sum()
    assert found == expected


@pytest.mark.spec("CRS-82")
@pytest.mark.parametrize(
    ("name", "numbers", "holds"),
    [
        ("founded_implication", (0.7, 5), lambda a, b, c, d: a / (a + b) >= 0.7),
        ("double_founded_implication", (0.3, 5), lambda a, b, c, d: a / (a + b + c) >= 0.3),
        ("founded_equivalence", (0.55, 5), lambda a, b, c, d: (a + d) / (a + b + c + d) >= 0.55),
        ("above_average", (0.2, 5), lambda a, b, c, d: a / (a + b) >= 1.2 * (a + c) / (a + b + c + d)),
        ("fisher", (0.05, 5), lambda a, b, c, d: (
            a * d > b * c and stats.fisher_exact([[a, b], [c, d]], alternative="greater").pvalue <= 0.05)),
        ("lower_critical_implication", (0.5, 0.1, 5), lambda a, b, c, d: (
            stats.binomtest(a, a + b, 0.5, alternative="greater").pvalue <= 0.1)),
    ],
)  # fmt: skip
def test_quantifiers_have_their_definition_for_tables_and_item_sets(name, numbers, holds):
    base = numbers[-1]
    rules = association_rules(frequent_itemsets(random_baskets(np.random.default_rng(1)), base), 0.0)
    kept = association_rules(rules.itemsets, 0.0, thresholds={name: numbers})
    texts = {kept.text(k) for k in range(len(kept))}
    passed = 0
    for k in range(0, len(rules), 7):
        a, r, s = (int(c[k]) for c in (rules.counts, rules.antecedent_counts, rules.consequent_counts))
        table = (a, r - a, s - a, rules.n_baskets - r - s + a)
        passed += holds(*table) and a >= base
        assert (rules.text(k) in texts) == (holds(*table) and a >= base), (name, table)
    assert 0 < passed < len(range(0, len(rules), 7))
    grouped = four_fold_rules(weather(100), succedent=["t"], groups=2, thresholds={name: numbers})
    for k in range(len(grouped)):
        a, r, s = (int(c[k]) for c in (grouped.counts, grouped.antecedent_counts, grouped.consequent_counts))
        assert holds(a, r - a, s - a, 100 - r - s + a)


def test_missing_values_satisfy_no_literal_and_pairs_are_counted():
    table = np.array([["x", "1"], ["x", None], [None, "1"], ["y", "2"]], dtype=object)
    rules = four_fold_rules(table, [0], [1], negated=[1], groups=1, thresholds={"count": 1})
    found = {rules.text(k): int(rules.counts[k]) for k in range(len(rules))}
    assert found == {"{x0=x} => {x1=1}": 1, "{x0=y} => {x1=2}": 1}
    assert rules.n_tests == 4
    assert rule_significance(rules).columns["p_adjusted"].shape == (2,)
    both = four_fold_rules(table[[0, 3] * 5], thresholds={"fisher": (0.01, 2)})
    assert sorted(both.text(k) for k in range(len(both))) == [
        "{x0=x} => {x1=1}", "{x0=y} => {x1=2}", "{x1=1} => {x0=x}", "{x1=2} => {x0=y}",
    ]  # fmt: skip


def test_arguments_are_checked():
    table = weather(50)
    with pytest.raises(ValueError, match="must bound the number of rows"):
        four_fold_rules(table, thresholds={"lift": 1.2})
    with pytest.raises(ValueError, match=r"must be a tuple \(p, base\)"):
        four_fold_rules(table, thresholds={"founded_implication": 0.9})
    with pytest.raises(ValueError, match="`succedent` contains 'z'"):
        four_fold_rules(table, succedent=["z"], thresholds={"count": 5})
    with pytest.raises(ValueError, match="more than 100 values"):
        four_fold_rules(np.arange(300.0).reshape(-1, 1), thresholds={"count": 5})
    with pytest.raises(MemoryError, match="More than 3 rules"):
        four_fold_rules(table, thresholds={"count": 5}, max_rules=3)
    with pytest.raises(ValueError, match="alpha"):
        four_fold_rules(table, thresholds={"fisher": (2.0, 5)})
