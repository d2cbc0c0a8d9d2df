"""p-values of rules, corrected for their number, intervals of the lift, and rules judged on other baskets."""

import numpy as np

from statlearn._core import native
from statlearn._core.params import Int, Options, Real, check_arguments

from ._apriori import count_sets
from ._itemsets import Itemsets
from ._rules import Rules

CORRECTIONS = ("bonferroni", "holm", "tarone", "fdr_bh", "fdr_by")


def adjust_p(p, method, n_tests):
    """p-values adjusted for n_tests tests, of which those not given count as 1.

    Bonferroni and Holm bound the probability of any false rejection; the methods of Benjamini and Hochberg and of
    Benjamini and Yekutieli bound the expected share of false rejections.
    """
    p = np.asarray(p, dtype=np.float64)
    if method is None or not len(p):
        return p.copy()
    if method == "bonferroni":
        return np.minimum(1.0, p * n_tests)
    order = np.argsort(p, kind="stable")
    rank = np.arange(1, len(p) + 1)
    if method == "holm":
        adjusted = np.maximum.accumulate(p[order] * (n_tests - rank + 1))
    else:
        factor = n_tests if method == "fdr_bh" else n_tests * np.sum(1.0 / np.arange(1, min(n_tests, 10**7) + 1))
        adjusted = np.minimum.accumulate((p[order] * factor / rank)[::-1])[::-1]
    out = np.empty(len(p))
    out[order] = np.minimum(1.0, adjusted)
    return out


def adjust_testable(p, smallest, n_unknown):
    """p-values times the number of tests that can reach them: Bonferroni's correction without the others (Tarone 1990).

    `smallest` are the smallest attainable p-values; `n_unknown` further tests count as able. For any t, the
    probability of a false p-value of t or less is at most t times the number m(t) of tests that can reach t, and
    t m(t) grows with t, so the probability of any adjusted p-value up to alpha is at most alpha.
    """
    able = np.searchsorted(np.sort(smallest), p * (1.0 + 1e-9), side="right") + n_unknown
    return np.minimum(1.0, p * able)


def _p_conditions(rules, data):
    """Largest p-value of Fisher's tests of each condition, among the baskets that contain the other conditions."""
    (a, starts), p = rules.antecedents, np.zeros(len(rules))
    sizes = np.diff(starts)
    for size in np.unique(sizes[sizes > 1]):
        rows = np.flatnonzero(sizes == size)
        part = rules.select(rows)
        conditions = a[starts[rows][:, None] + np.arange(size)]
        offsets = np.arange(len(rows) + 1, dtype=np.int64) * (size - 1)
        for left_out in range(size):
            others = np.ascontiguousarray(np.delete(conditions, left_out, axis=1).ravel())
            simpler = evaluate_rules(
                Rules(
                    part.items, (others, offsets), part.consequents, part.counts, part.antecedent_counts,
                    part.consequent_counts, part.n_baskets, part.n_tests,
                ),
                data,
            )  # fmt: skip
            for n in np.unique(simpler.antecedent_counts):
                same = np.flatnonzero(simpler.antecedent_counts == n)
                both, margin, right = (
                    np.asarray(c[same], dtype=np.float64) for c in (part.counts, part.antecedent_counts, simpler.counts)
                )
                p_values = np.empty(len(same))
                native.rules.fisher_upper(both, margin, right, float(n), p_values)
                p[rows[same]] = np.maximum(p[rows[same]], p_values)
    return p


def rule_significance(rules, *, correction="holm", n_tests=None, baskets=None):
    """Fisher's exact test of each rule, with a correction for the number of rules examined.

    The null hypothesis is independence of A and B. The p-value is the probability that at least as many baskets contain
    both, given the counts of A and of B (hypergeometric, one-sided).

    Parameters
    ----------
    rules : Rules
    correction : {"bonferroni", "holm", "tarone", "fdr_bh", "fdr_by"} or None, default="holm"
        Correction: the probability of any false discovery (Bonferroni, Holm, Tarone), or the expected share of false
        discoveries (Benjamini-Hochberg, Benjamini-Yekutieli). Tarone's counts only rules that could be significant
        at all, given the counts of A and of B. It has more power on small tables, most of all if the rules come with
        ``min_confidence=0``, since the margins of rules that were filtered out are unknown.
    n_tests : int or None, default=None
        Number of tests. None means the number of rules that the item sets can form, before any threshold, because a
        rule that passes a threshold on confidence was selected by the same data.
    baskets : Baskets, iterable of iterables, data frame, array, sparse matrix or None, default=None
        The baskets behind the rules. If given, every condition of A is tested, too: among the baskets that contain the
        other conditions, B must be more frequent with it than without it. The p-value is the largest of all these.

    Returns
    -------
    Rules
        The same rules with the columns `p_value` and `p_adjusted`.

    Notes
    -----
    The item sets themselves were selected by their support in the same data. For a test free of any selection, find the
    rules in one part of the baskets and judge them on the rest with :func:`evaluate_rules`.

    Without `baskets` the test compares a rule with independence, not with simpler rules. A rule with a useless extra
    condition can have a tiny p-value; see also :func:`rule_improvement`.

    References
    ----------
    Webb (2007), Discovering significant patterns, Machine Learning 68. Tarone (1990), A modified Bonferroni method for
    discrete data, Biometrics 46.

    Examples
    --------
    >>> from statlearn.rules import association_rules, frequent_itemsets, rule_significance
    >>> baskets = 30 * [["a", "b"]] + 10 * [["a"]] + 10 * [["b"]] + 30 * [["c"]]
    >>> rules = rule_significance(association_rules(frequent_itemsets(baskets, 0.3)))
    >>> [f"{p:.1e}" for p in rules.columns["p_adjusted"]]
    ['1.5e-05', '1.5e-05']
    """
    check_arguments(
        rule_significance,
        correction=(correction, [Options(*CORRECTIONS), None]),
        n_tests=(n_tests, [Int(1, None), None]),
    )
    if rules.counts.dtype.kind == "f":
        raise ValueError("rules have fractional counts (from sample_weight); Fisher's test needs whole counts.")
    tests = rules.n_tests if n_tests is None else int(n_tests)
    if tests < len(rules):
        raise ValueError(f"n_tests={tests} is less than the number of rules, {len(rules)}.")
    p = np.empty(len(rules))
    both, a, b = (c.astype(np.float64) for c in (rules.counts, rules.antecedent_counts, rules.consequent_counts))
    native.rules.fisher_upper(both, a, b, float(rules.n_baskets), p)
    if baskets is not None:
        p = np.maximum(p, _p_conditions(rules, baskets))
    if correction == "tarone":
        smallest = np.empty(len(rules))  # p-value if all baskets of the rarer side contain the other
        native.rules.fisher_upper(np.minimum(a, b), a, b, float(rules.n_baskets), smallest)
        adjusted = adjust_testable(p, smallest, tests - len(rules))
    else:
        adjusted = adjust_p(p, correction, tests)
    return rules.with_columns(p_value=p, p_adjusted=adjusted)


def lift_interval(rules, level=0.95):
    r"""Confidence intervals of the lift of each rule.

    The intervals are symmetric for the logarithm of the lift, whose variance by the delta method for multinomial counts
    is

    .. math:: \frac{1}{N} \Big( \frac{1}{T(AB)} - \frac{1}{T(A)} - \frac{1}{T(B)}
              + \frac{2\,T(AB)}{T(A)\,T(B)} - 1 \Big).

    Parameters
    ----------
    rules : Rules
    level : float, default=0.95
        Confidence level of each interval.

    Returns
    -------
    low, high : ndarray of shape (n_rules,)

    Notes
    -----
    The intervals hold for a rule chosen in advance. The best of many rules has a lift that is too high on average;
    judge it on other baskets with :func:`evaluate_rules`. With fewer than about ten baskets in a count the
    approximation is poor.

    Examples
    --------
    >>> from statlearn.rules import association_rules, frequent_itemsets, lift_interval
    >>> baskets = 30 * [["a", "b"]] + 10 * [["a"]] + 10 * [["b"]] + 30 * [["c"]]
    >>> rules = association_rules(frequent_itemsets(baskets, 0.3))
    >>> low, high = lift_interval(rules)
    >>> print(f"{low[0]:.2f} {rules.metric('lift')[0]:.2f} {high[0]:.2f}")
    1.25 1.50 1.79
    """
    check_arguments(lift_interval, level=(level, [Real(0, 1, closed="neither")]))
    from scipy.special import ndtri

    n = rules.n_baskets
    ab, a, b = rules.counts / n, rules.antecedent_counts / n, rules.consequent_counts / n
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = (1 / ab - 1 / a - 1 / b + 2 * ab / (a * b) - 1) / n
        centre = np.log(ab) - np.log(a) - np.log(b)
        half = ndtri((1 + level) / 2) * np.sqrt(np.maximum(variance, 0.0))
        return np.exp(centre - half), np.exp(centre + half)


def evaluate_rules(rules, data):
    """Association rules evaluated on other baskets.

    Rules that were found in one part of the baskets and evaluated on the other have unbiased measures and valid
    p-values, corrected only for the number of rules that were kept.

    Parameters
    ----------
    rules : Rules
    data : Baskets, iterable of iterables, data frame, array or sparse matrix
        Other baskets. Items that do not occur in them have a count of 0.

    Returns
    -------
    Rules
        With the counts of `data`; measures of rules whose antecedent does not occur are NaN.

    Examples
    --------
    >>> from statlearn.rules import association_rules, evaluate_rules, frequent_itemsets
    >>> rules = association_rules(frequent_itemsets([["a", "b"], ["a", "b"], ["c"]], 0.5))
    >>> evaluate_rules(rules, [["a"], ["a", "b"], ["b"], []]).metric("confidence")
    array([0.5, 0.5])
    """
    (a, a_offsets), (b, b_offsets) = rules.antecedents, rules.consequents
    n = len(rules)
    a_sets = Itemsets(rules.items, a, a_offsets, np.zeros(n), 1, 1)
    b_sets = Itemsets(rules.items, b, b_offsets, np.zeros(n), 1, 1)
    rule = np.concatenate([np.repeat(np.arange(n), np.diff(offsets)) for offsets in (a_offsets, b_offsets)])
    both = np.concatenate([a, b])
    order = np.lexsort([both, rule])
    offsets = np.concatenate([[0], np.cumsum(np.bincount(rule, minlength=n))]).astype(np.int64)
    ab_sets = Itemsets(rules.items, both[order], offsets, np.zeros(n), 1, 1)
    (ab, total), (a_count, _), (b_count, _) = (count_sets(data, sets) for sets in (ab_sets, a_sets, b_sets))
    if not total:
        raise ValueError("`data` contains no baskets.")
    return Rules(rules.items, rules.antecedents, rules.consequents, ab, a_count, b_count, total, max(n, 1), None)
