"""Association rules as columns, and their filters."""

import itertools
import math

import numpy as np

from statlearn._core import native
from statlearn._core.fitted_state import check_indices, check_numbers, check_offsets
from statlearn._core.memory import available_memory
from statlearn._core.params import Instance, Int, Real, check_arguments

from ._itemsets import Itemsets, check_style, make_frame, positions
from ._metrics import METRICS, measures
from ._quantifiers import QUANTIFIERS, satisfies

SHOWN = ("support", "confidence", "lift", "leverage", "conviction")
_OK, _TOO_MANY, _MISSING, _TOO_LONG = 0, 4, 5, 6


class Rules:
    """Association rules A ⇒ B and their counts, as columns.

    :func:`association_rules` returns it. Python objects for single rules are created only on request.

    Parameters
    ----------
    items : list
        Labels of all items.
    antecedents, consequents : tuple of (ndarray of int32, ndarray of int64)
        Positions in `items`, rules end to end, and offsets; rule r has the entries ``offsets[r]`` to
        ``offsets[r + 1] - 1``.
    counts, antecedent_counts, consequent_counts : ndarray
        Number of baskets that contain A and B, A, and B.
    n_baskets : int or float
        Number of baskets, or their weight.
    n_tests : int
        Number of rules that the search looked at before thresholds, for the correction of p-values.
    itemsets : Itemsets or None, default=None
        The sets behind the rules.
    columns : dict of str to ndarray or None, default=None
        Further columns, such as p-values.

    Examples
    --------
    >>> from statlearn.rules import association_rules, frequent_itemsets
    >>> sets = frequent_itemsets([["a", "b"], ["a", "b"], ["a"], ["c"]], min_support=0.5)
    >>> rules = association_rules(sets, min_confidence=0.9)
    >>> rules
    1 rule from 4 baskets
      {b} => {a}  support 0.5  confidence 1  lift 1.33
    >>> rules.metric("leverage")
    array([0.125])
    """

    def __init__(
        self,
        items,
        antecedents,
        consequents,
        counts,
        antecedent_counts,
        consequent_counts,
        n_baskets,
        n_tests,
        itemsets=None,
        columns=None,
    ):
        self.items = items
        self.antecedents = antecedents
        self.consequents = consequents
        self.counts = counts
        self.antecedent_counts = antecedent_counts
        self.consequent_counts = consequent_counts
        self.n_baskets = n_baskets
        self.n_tests = n_tests
        self.itemsets = itemsets
        self.columns = {} if columns is None else columns

    def _check_state(self):
        for name in ("antecedents", "consequents"):
            flat, offsets = getattr(self, name)
            check_indices(name, flat, len(self.items))
            check_offsets(name, offsets, len(flat))
            check_numbers(name, offsets, shape=(len(self.counts) + 1,))
        for name in ("counts", "antecedent_counts", "consequent_counts"):
            check_numbers(name, getattr(self, name), shape=(len(self.counts),))
        for name, column in self.columns.items():
            if len(column) != len(self.counts):
                raise ValueError(f"`columns` must have a value per rule, got {len(column)} of {name!r}.")

    def __len__(self):
        return len(self.counts)

    def metric(self, name):
        """Values of a measure, by the names of :func:`rule_metrics`, or of a further column.

        Parameters
        ----------
        name : str

        Returns
        -------
        ndarray of shape (n_rules,)
        """
        if name in self.columns:
            return self.columns[name]
        n = self.n_baskets
        a, b = self.antecedent_counts / n, self.consequent_counts / n
        known = {"antecedent_support": a, "consequent_support": b}
        known |= {"length": self.lengths, "count": self.counts}
        if name in known:
            return known[name]
        if name not in METRICS:
            raise ValueError(f"Unknown measure {name!r}; use one of {', '.join([*known, *METRICS, *self.columns])}.")
        counts = (c.astype(np.float64) for c in (self.counts, self.antecedent_counts, self.consequent_counts))
        return measures(*counts, (name,), n)[name]

    @property
    def lengths(self):
        """Number of items of each rule."""
        return np.diff(self.antecedents[1]) + np.diff(self.consequents[1])

    def _side(self, side, k):
        flat, offsets = side
        return tuple(self.items[i] for i in flat[offsets[k] : offsets[k + 1]])

    def antecedent(self, k):
        """Items of the antecedent of the rule at a position."""
        return self._side(self.antecedents, range(len(self))[k])

    def consequent(self, k):
        """Items of the consequent of the rule at a position."""
        return self._side(self.consequents, range(len(self))[k])

    def __iter__(self):
        for k in range(len(self)):
            yield self.antecedent(k), self.consequent(k)

    def text(self, k):
        """The rule at a position as text."""
        return f"{{{', '.join(map(str, self.antecedent(k)))}}} => {{{', '.join(map(str, self.consequent(k)))}}}"

    def select(self, chosen):
        """Some of the rules, in the given order.

        Parameters
        ----------
        chosen : array-like of bool or int

        Returns
        -------
        Rules
        """
        chosen = positions(chosen, len(self))
        return Rules(
            self.items, _take(self.antecedents, chosen), _take(self.consequents, chosen), self.counts[chosen],
            self.antecedent_counts[chosen], self.consequent_counts[chosen], self.n_baskets, self.n_tests, self.itemsets,
            {name: values[chosen] for name, values in self.columns.items()},
        )  # fmt: skip

    def sort(self, by="lift", *, ascending=False):
        """The rules by a measure; ties keep their order.

        Parameters
        ----------
        by : str, default="lift"
        ascending : bool, default=False

        Returns
        -------
        Rules
        """
        values = np.nan_to_num(np.asarray(self.metric(by), dtype=float), nan=-np.inf)
        return self.select(np.argsort(values if ascending else -values, kind="stable"))

    def with_columns(self, **columns):
        """The rules with further columns.

        Parameters
        ----------
        **columns : ndarray of shape (n_rules,)

        Returns
        -------
        Rules
        """
        extended = self.select(slice(None))
        extended.columns = {**self.columns, **columns}
        return extended

    def to_frame(self, backend="pandas", *, metrics=SHOWN, style=None):
        """The rules as a data frame: lists of labels, supports, measures and further columns.

        Parameters
        ----------
        backend : {"pandas", "polars"}, default="pandas"
        metrics : sequence of str
            Measures to include.
        style : {None, "mlxtend"}, default=None
            "mlxtend" gives that package's columns in its order (antecedents and consequents as frozen sets, and its
            measures), for pandas only.

        Returns
        -------
        data frame
        """
        if check_style(style, backend):
            return make_frame(self._mlxtend_columns(), backend)
        labels = self.items
        sides = {
            name: [[labels[i] for i in flat[a:b]] for a, b in itertools.pairwise(offsets.tolist())]
            for name, (flat, offsets) in (
                ("antecedent", (self.antecedents[0].tolist(), self.antecedents[1])),
                ("consequent", (self.consequents[0].tolist(), self.consequents[1])),
            )
        }
        names = ["count", "antecedent_support", "consequent_support", *metrics]
        return make_frame({**sides, **{name: self.metric(name) for name in names}, **self.columns}, backend)

    def _mlxtend_columns(self):
        a, b, confidence = (self.metric(name) for name in ("antecedent_support", "consequent_support", "confidence"))
        sides = list(self)
        with np.errstate(divide="ignore", invalid="ignore"):
            certainty = np.where(b < 1, (confidence - b) / (1 - b), 0.0)  # gains and losses on one scale
        return {
            "antecedents": [frozenset(left) for left, _ in sides],
            "consequents": [frozenset(right) for _, right in sides],
            "antecedent support": a,
            "consequent support": b,
            **{name: self.metric(name) for name in ("support", "confidence", "lift")},
            "representativity": np.ones(len(self)),  # no basket has missing values
            **{name: self.metric(name) for name in ("leverage", "conviction")},
            "zhangs_metric": np.nan_to_num(self.metric("zhang"), nan=0.0),
            "jaccard": self.metric("jaccard"),
            "certainty": certainty,
            "kulczynski": self.metric("kulczynski"),
        }

    def __repr__(self):
        values = {name: self.metric(name)[:10] for name in ("support", "confidence", "lift")}
        shown = [
            f"  {self.text(k)}  " + "  ".join(f"{name} {column[k]:.3g}" for name, column in values.items())
            for k in range(min(len(self), 10))
        ]
        more = [f"  ... and {len(self) - 10:,} more"] if len(self) > 10 else []
        head = f"{len(self):,} {'rule' if len(self) == 1 else 'rules'} from {self.n_baskets:,} baskets"
        return "\n".join([head, *shown, *more])


def _take(side, chosen):
    flat, offsets = side
    lengths = np.diff(offsets)[chosen]
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return flat[np.repeat(offsets[:-1][chosen] - starts[:-1], lengths) + np.arange(starts[-1])], starts


def association_rules(
    itemsets,
    min_confidence=0.5,
    *,
    thresholds=None,
    max_consequent=None,
    strict=False,
    max_rules=None,
    metric=None,
    min_threshold=None,
):
    """Association rules A ⇒ B of frequent item sets.

    Every set is split in all ways into an antecedent A and a consequent B, both not empty. Rules with at least the
    required confidence and other measures are kept.

    Parameters
    ----------
    itemsets : Itemsets
        Frequent sets with all their subsets, as found by :func:`frequent_itemsets`, :func:`fpgrowth`, :func:`apriori`
        or :func:`supports_from_closed`.
    min_confidence : float, default=0.5
        Smallest confidence.
    thresholds : dict of str to float or None, default=None
        Smallest values of other measures, such as ``{"lift": 1.2, "support": 0.05}``; see :func:`rule_metrics`. Names
        of quantifiers have several numbers, such as ``{"fisher": (0.05, 10)}``; see :func:`four_fold_rules`.
    max_consequent : int or None, default=None
        Largest number of items of the consequent.
    strict : bool, default=False
        Whether confidence and other measures must exceed their thresholds.
    max_rules : int or None, default=None
        Largest number of rules before `thresholds`. If there are more, the function raises MemoryError. None means
        twenty million, or fewer if memory is short.
    metric : str or None, default=None
        The only measure with a threshold, as in mlxtend; replaces `min_confidence`. ``metric="lift", min_threshold=1``
        is ``min_confidence=0, thresholds={"lift": 1}``. Needs `min_threshold`.
    min_threshold : float or None, default=None
        Smallest value of `metric`, or of the confidence if that is None.

    Returns
    -------
    Rules
        In the order of the sets.

    See Also
    --------
    rule_metrics : the measures.
    filter_rules : by items, length, redundancy and p-value.
    rule_significance : p-values.

    Notes
    -----
    A set of k items has 2^k - 2 splits. If A ⇒ B fails the confidence, so does every rule of the set with a larger
    consequent, and these are not visited. The counts of subsets are found in a hash table.

    High confidence with a lift near 1 says nothing about A and B. Many rules are variants of each other: see
    :func:`filter_rules`.

    Examples
    --------
    >>> from statlearn.rules import association_rules, frequent_itemsets
    >>> baskets = [["beer", "crisps"], ["beer", "crisps", "milk"], ["milk"], ["beer"]]
    >>> association_rules(frequent_itemsets(baskets, min_support=0.5), min_confidence=1.0)
    1 rule from 4 baskets
      {crisps} => {beer}  support 0.5  confidence 1  lift 1.33
    """
    if not isinstance(itemsets, Itemsets):
        raise TypeError(
            f"`itemsets` must be Itemsets, got {type(itemsets).__name__}; use frequent_itemsets(data) or "
            "Itemsets.from_dict(sets, n_baskets)."
        )
    if metric is not None or min_threshold is not None:
        min_confidence, thresholds = _as_thresholds(metric, min_threshold, thresholds)
    check_arguments(
        association_rules,
        min_confidence=(min_confidence, [Real(0, 1, closed="both")]),
        max_consequent=(max_consequent, [Int(1, None), None]),
        max_rules=(max_rules, [Int(1, None), None]),
        strict=(strict, ["boolean"]),
    )
    if itemsets.kind != "frequent":
        raise ValueError(
            f"`itemsets` contains only {itemsets.kind} sets, but rules need the counts of all subsets; use "
            f"{'supports_from_closed' if itemsets.kind == 'closed' else 'frequent_itemsets'}."
        )
    max_count = int(min(20_000_000 if max_rules is None else max_rules, (available_memory() or 8e9) / 200))
    longest = 2**31 - 1 if max_consequent is None else int(max_consequent)
    info, number, bits, a_counts, b_counts = native.rules.find_rules(
        itemsets.indices, itemsets.offsets, itemsets.counts.astype(np.float64), len(itemsets.items),
        float(min_confidence), bool(strict), longest, max_count,
    )  # fmt: skip
    _raise_for(info, itemsets, max_count)
    a, a_offsets, b, b_offsets = native.rules.split_rules(
        itemsets.indices, itemsets.offsets, len(itemsets.items), number, bits
    )
    kind = itemsets.counts.dtype
    rules = Rules(
        itemsets.items, (a, a_offsets), (b, b_offsets), itemsets.counts[number], a_counts.astype(kind),
        b_counts.astype(kind), itemsets.n_baskets, _n_splits(itemsets.lengths, longest), itemsets,
    )  # fmt: skip
    reached = reaches(rules, thresholds, strict)
    return rules if reached is None else rules.select(reached)


def _as_thresholds(metric, min_threshold, thresholds):
    """Thresholds by measure, from `min_confidence` and `thresholds`."""
    if min_threshold is None:
        raise ValueError(f"`metric`={metric!r} requires `min_threshold`; or use thresholds={{{metric!r}: ...}}.")
    if metric in (None, "confidence"):
        return min_threshold, thresholds
    check_arguments(association_rules, metric=(metric, [Instance(str)]))
    name = {"zhangs_metric": "zhang"}.get(metric, metric.replace(" ", "_"))
    return 0.0, {**(thresholds or {}), name: min_threshold}


def _raise_for(info, itemsets, limit):
    status, number, subset = info
    if status == _TOO_MANY:
        raise MemoryError(
            f"More than {limit:,} rules reach the confidence. Raise min_confidence or min_support, set max_consequent, "
            "or raise max_rules."
        )
    if status == _TOO_LONG:
        raise ValueError(
            f"`itemsets` contains a set of {len(itemsets[number])} items; rules are limited to 62. Set max_len."
        )
    if status == _MISSING:
        whole = itemsets[number]
        part = [item for k, item in enumerate(whole) if subset >> k & 1]
        raise ValueError(
            f"itemsets lacks {{{', '.join(map(str, part))}}}, a subset of {{{', '.join(map(str, whole))}}}; rules "
            "need the counts of all subsets."
        )


def _n_splits(lengths, longest):
    """Number of rules that the sets can form."""
    values, counts = np.unique(lengths, return_counts=True)
    return sum(
        int(c) * sum(math.comb(int(k), j) for j in range(1, min(longest, int(k) - 1) + 1))
        for k, c in zip(values, counts)
    )


def reaches(rules, thresholds, strict=False):
    """Mask of the rules that reach all thresholds, or None without thresholds."""
    mask = None
    for name, least in (thresholds or {}).items():
        if name in QUANTIFIERS:
            counts = (rules.counts, rules.antecedent_counts, rules.consequent_counts)
            passed = satisfies(name, least, *counts, rules.n_baskets, strict)
            mask = passed if mask is None else mask & passed
            continue
        check_arguments("thresholds", **{name: (least, [Real(None, None, closed="right")])})
        values = rules.metric(name)
        slack = 1e-12 * max(abs(least), 1e-300) if np.isfinite(least) else 0.0
        passed = values > least + slack if strict else values >= least - slack
        mask = passed if mask is None else mask & passed
    return mask


def rule_improvement(rules, itemsets=None):
    r"""Gain in confidence of each rule over all rules with fewer conditions.

    The improvement of A ⇒ B is its confidence minus the largest confidence of A' ⇒ B over all proper subsets A' of A,
    including the empty one, whose confidence is the support of B. A rule without improvement is redundant: fewer
    conditions predict B at least as well.

    Parameters
    ----------
    rules : Rules
    itemsets : Itemsets or None, default=None
        Sets behind the rules; None uses those the rules were made from.

    Returns
    -------
    ndarray of shape (n_rules,)

    References
    ----------
    Bayardo, Agrawal and Gunopulos (2000), Constraint-based rule mining in large, dense databases, Data Mining and
    Knowledge Discovery 4.

    Examples
    --------
    >>> from statlearn.rules import association_rules, frequent_itemsets, rule_improvement
    >>> sets = frequent_itemsets([["a", "b", "c"], ["a", "b"], ["b"], ["a"]], min_support=1)
    >>> rules = association_rules(sets, max_consequent=1)
    >>> [rules.text(k) for k in (rule_improvement(rules) > 0).nonzero()[0]]
    ['{c} => {a}', '{c} => {b}', '{a, b} => {c}']
    """
    sets = rules.itemsets if itemsets is None else itemsets
    if sets is None:
        raise ValueError("itemsets is required: these rules do not store the item sets they come from.")
    best = np.empty(len(rules))
    status, number, _ = native.rules.best_general(
        sets.indices, sets.offsets, sets.counts.astype(np.float64), len(sets.items), *rules.antecedents,
        *rules.consequents, float(sets.n_baskets), best,
    )  # fmt: skip
    if status:
        reason = "lacks a subset" if status == _MISSING else "is too long for an antecedent"
        raise ValueError(f"itemsets {reason} of {rules.text(number)}; more general rules cannot be compared.")
    gain = rules.counts / rules.antecedent_counts - best
    gain[np.abs(gain) < 1e-12] = 0.0
    return gain


def filter_rules(
    rules,
    *,
    antecedent=None,
    consequent=None,
    items=None,
    exclude=None,
    min_len=None,
    max_len=None,
    thresholds=None,
    min_improvement=None,
    redundant=True,
    max_p=None,
    correction="holm",
):
    """Rules selected by items, length, measures, redundancy and significance.

    Parameters
    ----------
    rules : Rules
    antecedent, consequent, items : collection of items or None, default=None
        Items that the antecedent, the consequent, or either must contain, all of them.
    exclude : collection of items or None, default=None
        Items that must not occur.
    min_len, max_len : int or None, default=None
        Smallest and largest number of items of a rule.
    thresholds : dict of str to float or None, default=None
        Smallest values of measures, such as ``{"lift": 1.2}``.
    min_improvement : float or None, default=None
        Smallest gain in confidence over all rules with fewer conditions; see :func:`rule_improvement`.
    redundant : bool, default=True
        Whether to keep rules without any such gain.
    max_p : float or None, default=None
        Largest adjusted p-value; see :func:`rule_significance`.
    correction : str or None, default="holm"
        Correction of the p-values for the number of tests.

    Returns
    -------
    Rules

    Examples
    --------
    >>> from statlearn.rules import association_rules, filter_rules, frequent_itemsets
    >>> sets = frequent_itemsets([["a", "b", "c"], ["a", "b"], ["b"], ["a"]], min_support=1)
    >>> filter_rules(association_rules(sets), consequent=["b"], redundant=False, max_len=2)
    1 rule from 4 baskets
      {c} => {b}  support 0.25  confidence 1  lift 1.33
    """
    check_arguments(
        filter_rules,
        min_len=(min_len, [Int(1, None), None]),
        max_len=(max_len, [Int(1, None), None]),
        min_improvement=(min_improvement, [Real(-1, 1, closed="both"), None]),
        redundant=(redundant, ["boolean"]),
        max_p=(max_p, [Real(0, 1, closed="both"), None]),
    )
    mask = np.ones(len(rules), dtype=bool)
    place = {label: k for k, label in enumerate(rules.items)}
    in_a, in_b = _contains(rules.antecedents, place), _contains(rules.consequents, place)
    for name, wanted, has in (
        ("antecedent", antecedent, in_a),
        ("consequent", consequent, in_b),
        ("items", items, lambda item: in_a(item) | in_b(item)),
    ):
        for item in _collection(name, wanted):
            mask &= has(item)
    for item in _collection("exclude", exclude):
        mask &= ~(in_a(item) | in_b(item))
    if min_len is not None:
        mask &= rules.lengths >= min_len
    if max_len is not None:
        mask &= rules.lengths <= max_len
    reached = reaches(rules, thresholds)
    selected = rules.select(mask if reached is None else mask & reached)
    if not redundant or min_improvement is not None:
        gain = rule_improvement(selected)
        enough = gain > 0 if not redundant else np.ones(len(selected), dtype=bool)
        selected = selected.select(enough if min_improvement is None else enough & (gain >= min_improvement))
    if max_p is not None:
        from ._significance import rule_significance

        selected = rule_significance(selected, correction=correction)
        selected = selected.select(selected.columns["p_adjusted"] <= max_p)
    return selected


def _collection(name, wanted):
    if wanted is None:
        return ()
    if isinstance(wanted, (str, bytes)) or not hasattr(wanted, "__iter__"):
        raise TypeError(f"{name} must be a list of items, got {wanted!r}; write [{wanted!r}].")
    return wanted


def _contains(side, place):
    flat, offsets = side
    rule = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))

    def has(item):
        mask = np.zeros(len(offsets) - 1, dtype=bool)
        if item in place:
            mask[rule[flat == place[item]]] = True
        return mask

    return has
