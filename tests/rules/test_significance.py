"""p-values, corrections, intervals, and rules judged on other baskets."""

import numpy as np
import pytest
from scipy import stats

from statlearn._core import native
from statlearn.rules import (
    association_rules,
    evaluate_rules,
    filter_rules,
    frequent_itemsets,
    lift_interval,
    rule_significance,
)
from statlearn.rules._significance import adjust_p, adjust_testable
from tests.helpers import assert_close
from tests.rules.baskets import TEN, random_baskets


def test_p_values_match_fishers_exact_test(rng):
    rules = rule_significance(association_rules(frequent_itemsets(random_baskets(rng), 0.05), 0.2), correction=None)
    n = rules.n_baskets
    for k in range(0, len(rules), 17):
        ab, a, b = rules.counts[k], rules.antecedent_counts[k], rules.consequent_counts[k]
        expected = stats.fisher_exact([[ab, a - ab], [b - ab, n - a - b + ab]], alternative="greater").pvalue
        np.testing.assert_allclose(rules.columns["p_value"][k], expected, rtol=1e-9)
    np.testing.assert_array_equal(rules.columns["p_adjusted"], rules.columns["p_value"])


@pytest.mark.parametrize("n", [10, 1000, 1_000_000])
def test_tails_over_the_whole_range(n, rng):
    a, b = rng.integers(1, n, 200), rng.integers(1, n, 200)
    low, high = np.maximum(0, a + b - n), np.minimum(a, b)
    both = rng.integers(low, high + 1)
    near = np.clip(np.round(a * b / n + rng.normal(size=200) * np.sqrt(n) / 5).astype(int), low, high)
    for x in (both, near):
        p = np.empty(200)
        native.rules.fisher_upper(x.astype(float), a.astype(float), b.astype(float), float(n), p)
        expected = stats.hypergeom.sf(x - 1, n, a, b)
        shown = expected > 1e-280
        np.testing.assert_allclose(p[shown], expected[shown], rtol=1e-6, atol=1e-12)


def test_corrections_agree_with_their_definitions(rng):
    p = rng.random(30) ** 3
    np.testing.assert_allclose(adjust_p(p, "fdr_bh", 30), stats.false_discovery_control(p))
    np.testing.assert_allclose(adjust_p(p, "fdr_by", 30), stats.false_discovery_control(p, method="by"))
    np.testing.assert_allclose(adjust_p(p, "bonferroni", 100), np.minimum(1, 100 * p))
    order, expected = np.argsort(p), np.empty(30)
    running = 0.0
    for rank, k in enumerate(order):
        running = max(running, (30 - rank) * p[k])
        expected[k] = min(1.0, running)
    np.testing.assert_allclose(adjust_p(p, "holm", 30), expected)
    padded = np.r_[p, np.ones(70)]  # tests that are not shown count as 1
    for method in ("holm", "fdr_bh", "fdr_by"):
        np.testing.assert_allclose(adjust_p(p, method, 100), adjust_p(padded, method, 100)[:30])


def test_independent_items_give_hardly_a_significant_rule(rng):
    false = 0
    for _ in range(40):
        rules = association_rules(frequent_itemsets(rng.random((300, 8)) < 0.4, 0.1, max_len=3), 0.0)
        false += rule_significance(rules, correction="holm").columns["p_adjusted"].min() < 0.05
    assert false <= 8  # expected at most 2 of 40; more than 8 has a probability below 1e-3


def test_interval_of_the_lift_covers_the_truth(rng):
    p = np.array([0.15, 0.15, 0.25, 0.45])  # both, a only, b only, neither
    truth = p[0] / ((p[0] + p[1]) * (p[0] + p[2]))
    covered = 0
    for table in rng.multinomial(500, p, size=400):
        rows = np.repeat([[1, 1], [1, 0], [0, 1], [0, 0]], table, axis=0)
        rules = association_rules(frequent_itemsets(rows, 1), 0.0, max_consequent=1)
        low, high = lift_interval(rules, 0.9)
        covered += low[0] <= truth <= high[0]
    assert stats.binomtest(covered, 400, 0.9).pvalue > 1e-4


def test_variance_of_the_log_lift_by_simulation(rng):
    p = np.array([0.2, 0.1, 0.3, 0.4])
    tables = rng.multinomial(2000, p, size=20000)
    lift = 2000 * tables[:, 0] / ((tables[:, 0] + tables[:, 1]) * (tables[:, 0] + tables[:, 2]))
    rows = np.repeat([[1, 1], [1, 0], [0, 1], [0, 0]], (2000 * p).astype(int), axis=0)
    low, high = lift_interval(association_rules(frequent_itemsets(rows, 1), 0.0), level=2 * stats.norm.cdf(1) - 1)
    half = np.log(high[0] / low[0]) / 2
    np.testing.assert_allclose(np.log(lift).std(), half, rtol=0.03)  # four standard errors of a standard deviation


def test_rules_judged_on_other_baskets(rng):
    first, second = random_baskets(rng), [[*b, "new"] for b in random_baskets(rng)]
    rules = association_rules(frequent_itemsets(first, 0.1), 0.3)
    judged = evaluate_rules(rules, second)
    assert judged.n_baskets == 300
    assert judged.n_tests == len(rules)
    for k in range(0, len(rules), 23):
        a, b = rules.antecedent(k), rules.consequent(k)
        inside = [basket for basket in second if set(a) <= set(basket)]
        assert judged.antecedent_counts[k] == len(inside)
        assert judged.counts[k] == sum(set(b) <= set(basket) for basket in inside)
    assert_close(rule_significance(evaluate_rules(rules, first)).columns["p_value"],
                 rule_significance(rules).columns["p_value"])  # fmt: skip
    with pytest.raises(ValueError, match="no baskets"):
        evaluate_rules(rules, [])


@pytest.mark.spec("RUL-12")
def test_filter_by_p_value():
    rules = association_rules(frequent_itemsets(TEN, 0.2), 0.5)
    kept = filter_rules(rules, max_p=0.3, correction="fdr_bh")
    assert len(kept) == (rule_significance(rules, correction="fdr_bh").columns["p_adjusted"] <= 0.3).sum()


def test_invalid_input_raises():
    rules = association_rules(frequent_itemsets(TEN, 0.2), 0.5)
    with pytest.raises(ValueError, match="n_tests"):
        rule_significance(rules, n_tests=3)
    with pytest.raises(ValueError, match="correction"):
        rule_significance(rules, correction="none")
    weighted = association_rules(frequent_itemsets(TEN, 0.2, sample_weight=[0.5] * 10))
    with pytest.raises(ValueError, match="whole counts"):
        rule_significance(weighted)
    with pytest.raises(ValueError, match="level"):
        lift_interval(rules, 1.0)


def test_a_useless_condition_is_not_significant(seed):
    """Each condition is tested among the baskets with the others, so noise next to a strong rule is not significant."""
    rng = np.random.default_rng(seed)
    X = rng.random((600, 4)) < 0.4
    X[:, 2] = np.where(X[:, 0], rng.random(600) < 0.9, rng.random(600) < 0.1)  # a decides c; b and d are noise
    rows = [[name for name, there in zip("abcd", row) if there] for row in X]
    rules = association_rules(frequent_itemsets(rows, 5), 0.0, max_consequent=1)
    plain = rule_significance(rules, correction=None).columns["p_value"]
    tested = rule_significance(rules, correction=None, baskets=rows).columns["p_value"]
    for k, (left, right) in enumerate(rules):
        expected = plain[k]
        for out in left if len(left) > 1 else ():
            rest = {*left} - {out}
            inside = [set(row) for row in rows if rest <= set(row)]
            with_out = sum(out in row for row in inside)
            with_right = sum({*right} <= row for row in inside)
            both = sum({out, *right} <= row for row in inside)
            expected = max(expected, stats.hypergeom.sf(both - 1, len(inside), with_out, with_right))
        assert tested[k] == pytest.approx(expected, rel=1e-8, abs=1e-300)
    k = [({*left}, {*right}) for left, right in rules].index(({"a", "b"}, {"c"}))
    assert plain[k] < 1e-6
    assert tested[k] > 1e-4


def test_only_rules_that_could_be_significant_count_in_tarones_correction(rng):
    p, smallest = rng.random(50) ** 4, rng.random(50) ** 6
    p = np.maximum(p, smallest)
    slow = [min(1.0, one * (np.sum(smallest <= one) + 7)) for one in p]
    assert_close(adjust_testable(p, smallest, 7), slow)
    assert np.all(adjust_testable(p, smallest, 7) <= adjust_p(p, "bonferroni", 57))


def _smallest_adjusted(table, correction):
    baskets = [list(map(str, np.flatnonzero(row))) for row in table]
    rules = association_rules(frequent_itemsets(baskets, 1 / 30), min_confidence=0.0)
    return rule_significance(rules, correction=correction).columns["p_adjusted"].min(initial=1.0)


def test_tarones_correction_has_power_on_small_tables_and_keeps_its_level():
    rng = np.random.default_rng(0)
    found, false = {"tarone": 0, "holm": 0}, 0
    for _ in range(60):
        table = rng.random((30, 8)) < 0.15
        false += _smallest_adjusted(table, "tarone") < 0.05
        table[:, 1] = table[:, 0] = rng.permutation(30) < 6  # one true relation, perfect
        for correction in found:
            found[correction] += _smallest_adjusted(table, correction) < 0.05
    assert found["tarone"] > 50
    assert found["tarone"] >= found["holm"]
    assert false <= 6  # of 60 at level 0.05: more than 6 has a probability below 5 %
