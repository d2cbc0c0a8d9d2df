"""Association rules of a file: which items occur together, how surely, and what could mislead."""

import time
from dataclasses import dataclass

import numpy as np

from statlearn import __version__
from statlearn.app.errors import DataError, UsageError
from statlearn.app.setting_names import count, option
from statlearn.app.tables import frames
from statlearn.app.tables.baskets import BasketFile, table_baskets

MIN_BASKETS = 10
ENOUGH_RULES = 30  # non-redundant, significant rules at which the automatic threshold stops falling
MOST_SETS = 50_000  # item sets at which it stops, whatever the rules
SUPPORTS = (0.5, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)
LEAST_COUNT = 10  # baskets behind a rule of an automatic threshold
CHECKED = 20  # top rules that are judged on the other half of the baskets


@dataclass(repr=False)
class RuleMining:
    """What `mine_rules` returns; `write` makes the report and its files."""

    source: str
    form: str
    noun: str  # what a basket is called: basket, or row of a table
    baskets: object
    itemsets: object
    rules: object  # by decreasing lift, significant first
    n_examined: int
    min_support: float
    chosen: bool  # the threshold was chosen automatically
    level: float
    frequencies: dict  # item, data, rules, ratio
    checked: dict | None  # lift of the top rules of one half on the other
    notes: list
    dropped: dict
    findings: list
    settings: dict
    seconds: float

    @property
    def significant(self):
        """Mask of the rules whose adjusted p-value is at most the level."""
        return self.rules.columns["p_adjusted"] <= self.level

    @property
    def apart(self):
        """Why there are no sets of two items, or an empty text."""
        if (self.itemsets.lengths > 1).any():
            return ""
        return f"no two items occur together in at least {self.itemsets.min_count:g} {self.noun}s"

    @property
    def verdict(self):
        """The result in two sentences."""
        n, sure = len(self.rules), int(self.significant.sum())
        if not n and self.apart:
            return f"No rules: {self.apart}."
        if not n:
            return "No rules: no items occur together more often than expected at these thresholds."
        whence = f"{count(len(self.baskets), self.noun)} and {count(len(self.baskets.items), 'item')}"
        share = f"{sure:,}" if sure else "none"
        words = f"{count(n, 'rule')} from {whence}, {share} of them significant after correction for "
        words += f"{count(self.n_examined, 'test')}."
        if sure:
            best = int(np.flatnonzero(self.significant)[0])
            lift = self.rules.metric("lift")[best]
            words += f" The strongest: {self.rules.text(best)}, {lift:.3g} times as often as expected."
        return words

    def table(self):
        """The rules as a data frame of text and numbers.

        Returns
        -------
        data frame
        """
        rules = self.rules
        sides = {
            "antecedent": ["; ".join(map(str, rules.antecedent(k))) for k in range(len(rules))],
            "consequent": ["; ".join(map(str, rules.consequent(k))) for k in range(len(rules))],
        }
        names = ["count", "antecedent_support", "consequent_support", "support", "confidence", "lift", "leverage"]
        numbers = {name: np.asarray(rules.metric(name)) for name in [*names, "conviction"]}
        return frames.from_columns({**sides, **numbers, **rules.columns})

    def to_html(self):
        """One HTML page without scripts and outside resources."""
        from statlearn.app.report.rules import rules_html

        return rules_html(self)

    _repr_html_ = to_html

    def write(self, out, *, safe_csv=False):
        """Write report.html, report.json, rules.csv and itemsets.csv into a folder.

        Parameters
        ----------
        out : path
        safe_csv : bool, default=False
            Whether to put an apostrophe before text cells that a spreadsheet would take for formulas.

        Returns
        -------
        dict of str to Path
        """
        from statlearn.app.report.outputs import write_rules

        return write_rules(self, out, safe_csv=safe_csv)

    def __repr__(self):
        return f"{self.verdict}\n\n{self.rules!r}"


def mine_rules(
    table,
    *,
    min_support=None,
    min_confidence=0.3,
    min_lift=1.0,
    max_len=4,
    max_consequent=1,
    level=0.05,
    min_improvement=0.05,
    random_state=0,
):
    """Find association rules, and tell how far they can be trusted.

    Parameters
    ----------
    table : BasketFile, Baskets, list of lists or data frame
    min_support : float, int or None
        Smallest support, as a share or a count; None lowers the threshold until there are some 30 significant rules.
    min_confidence, min_lift : float
        Smallest confidence; rules must exceed the lift.
    max_len, max_consequent : int
        Largest number of items of a rule, and of its consequent.
    level : float
        Level of significance, after the correction by Holm.
    min_improvement : float
        Smallest gain in confidence over every rule with fewer conditions, the rule without any included.
    random_state : int
        Seed of the halves that check the lift.

    Returns
    -------
    RuleMining
    """
    from statlearn.rules import Baskets, frequency_comparison

    began = time.monotonic()
    _check(min_support, min_confidence, max_len, max_consequent, level)
    if not isinstance(table, BasketFile):
        is_baskets = isinstance(table, (Baskets, list, tuple))
        table = BasketFile(Baskets(table), "baskets", "baskets") if is_baskets else table_baskets(table)
    baskets = table.baskets
    noun = "row" if table.binarized else "basket"
    if len(baskets) < MIN_BASKETS:
        raise DataError(f"{count(len(baskets), noun)} are too few for rules; at least {MIN_BASKETS} are needed")
    options = {
        "min_confidence": min_confidence,
        "min_lift": min_lift,
        "min_improvement": min_improvement,
        "max_len": max_len,
        "max_consequent": max_consequent,
        "level": level,
    }
    if min_support is None:
        threshold, sets, rules = _automatic(baskets, options)
    else:
        threshold = min_support
        sets, rules = _search(baskets, threshold, options)
    order = np.lexsort([-rules.metric("lift"), rules.columns["p_adjusted"] > level]) if len(rules) else []
    rules = rules.select(order)
    frequencies = frequency_comparison(rules, baskets, backend=frames.backend_name())
    found = RuleMining(
        source=table.source,
        form=table.form,
        noun=noun,
        baskets=baskets,
        itemsets=sets,
        rules=rules,
        n_examined=_n_examined(sets, options),
        min_support=sets.min_count / len(baskets),
        chosen=min_support is None,
        level=level,
        frequencies={name: frequencies[name].to_list() for name in ("item", "data", "rules", "ratio")},
        checked=_check_halves(baskets, threshold, options, random_state),
        notes=list(table.notes),
        dropped=dict(table.dropped),
        findings=[],
        settings={
            "statlearn": __version__,
            "support": f"{sets.min_count:g} {noun}s" + (" (chosen automatically)" if min_support is None else ""),
            "confidence": min_confidence,
            "lift above": min_lift,
            "improvement": min_improvement,
            "items of a rule": max_len,
            "items of a consequent": max_consequent,
            "level": level,
            "seed": int(random_state),
        },
        seconds=0.0,
    )
    found.findings = _findings(found, table)
    found.seconds = time.monotonic() - began
    return found


def _check(min_support, min_confidence, max_len, max_consequent, level):
    if min_support is not None:
        whole = min_support >= 1 and float(min_support).is_integer()
        if not whole and not 0 < min_support < 1:
            wanted = "a share below 1 or a whole number of baskets"
            raise UsageError(f"{option('min_support')} must be {wanted}, got {min_support}")
    if not 0 <= min_confidence <= 1:
        raise UsageError(f"{option('min_confidence')} must be between 0 and 1, got {min_confidence}")
    if max_len < 2 or max_consequent < 1:
        raise UsageError(f"{option('max_len')} must be at least 2 and {option('max_consequent')} at least 1")
    if not 0 < level < 1:
        raise UsageError(f"{option('level')} must be between 0 and 1, got {level}")


def _search(baskets, threshold, options):
    """Item sets and rules at one threshold."""
    from statlearn.rules import (
        association_rules,
        filter_rules,
        frequent_itemsets,
        lift_interval,
        rule_improvement,
        rule_significance,
    )

    threshold = int(threshold) if threshold >= 1 else float(threshold)
    sets = frequent_itemsets(baskets, threshold, max_len=options["max_len"], max_sets=5_000_000)
    rules = association_rules(sets, options["min_confidence"], max_consequent=options["max_consequent"])
    rules = rules.select(rules.metric("lift") > options["min_lift"] + 1e-9)
    rules = filter_rules(rules, min_improvement=options["min_improvement"])
    rules = rule_significance(rules, n_tests=max(_n_examined(sets, options), 1), baskets=baskets)
    low, high = lift_interval(rules)
    return sets, rules.with_columns(lift_low=low, lift_high=high, improvement=rule_improvement(rules))


def _n_examined(sets, options):
    """Number of pairs of frequent, disjoint left and right sides.

    A pair counts even if its two sides seldom occur together. The joint count is what the test judges, so a number of
    tests that depended on it would be too small. The counts of the sides are what Fisher's test conditions on.
    """
    sizes = np.bincount(sets.lengths, minlength=options["max_len"] + 1)
    n_pairs = 0
    for a in range(1, options["max_len"]):
        for b in range(1, min(options["max_consequent"], options["max_len"] - a) + 1):
            # exact for single items; an upper bound for larger consequents, of which some share items with A
            n_pairs += int(sizes[a]) * max(int(sizes[b]) - (a if b == 1 else 0), 0)
    return n_pairs


def _thresholds(n):
    """Decreasing thresholds of the automatic search, as counts; the last is LEAST_COUNT unless n is large."""
    counts = [int(np.ceil(share * n)) for share in SUPPORTS]
    least = min(LEAST_COUNT, counts[0])
    return sorted({max(k, least) for k in counts}, reverse=True)


def _automatic(baskets, options):
    """The highest of a ladder of thresholds with enough significant rules, or the lowest that is still sensible."""
    best = None
    for threshold in _thresholds(len(baskets)):
        try:
            found = threshold, *_search(baskets, threshold, options)
        except MemoryError:
            if best is None:
                raise
            break
        best = found
        significant = int((found[2].columns["p_adjusted"] <= options["level"]).sum())
        if significant >= ENOUGH_RULES or len(found[1]) > MOST_SETS:
            break
    return best


def _check_halves(baskets, threshold, options, seed):
    """Lift of the top rules of a random half of the baskets, there and in the other half."""
    from statlearn.rules import evaluate_rules

    n = len(baskets)
    order = np.random.default_rng(seed).permutation(n)
    halves = baskets.take(np.sort(order[: n // 2])), baskets.take(np.sort(order[n // 2 :]))
    share = threshold / n if threshold >= 1 else threshold
    if share * (n // 2) < 5:
        return None
    try:
        _, rules = _search(halves[0], max(int(np.ceil(share * (n // 2))), 1), options)
    except MemoryError:
        return None
    top = rules.sort("lift").select(slice(0, CHECKED))
    if not len(top):
        return None
    other = evaluate_rules(top, halves[1]).metric("lift")
    return {"rules": [top.text(k) for k in range(len(top))], "found": top.metric("lift"), "other": np.nan_to_num(other)}


def _findings(found, table):
    """Title, detail and advice of what could mislead."""
    rules, listed = found.rules, []
    if not len(rules):
        if found.apart:
            advice = "Group items into categories" + ("." if found.chosen else f", or lower {option('min_support')}.")
            listed.append(("No rules", f"{found.apart[0].upper()}{found.apart[1:]}.", advice))
            return listed
        lower = f"More {found.noun}s may show weaker relations."
        if not found.chosen:
            lower = f"Lower the thresholds, or add {found.noun}s."
        asked = f"a confidence of {found.settings['confidence']} with a lift above {found.settings['lift above']}"
        listed.append(("No rules", f"No rule reaches {asked}.", lower))
        return listed
    unsure = int((~found.significant).sum())
    if unsure:
        listed.append((
            f"{count(unsure, 'rule')} may be chance",
            f"{'Its p-value exceeds' if unsure == 1 else 'Their p-values exceed'} {found.level:g} after correction for "
            f"{count(found.n_examined, 'test')}.",
            "Read the significant rules first; column p_adjusted of rules.csv separates them.",
        ))  # fmt: skip
    if found.checked is not None:
        ratio = float(np.median((found.checked["other"] - 1) / np.maximum(found.checked["found"] - 1, 1e-9)))
        if ratio < 0.8:
            kept = max(ratio, 0.0)
            listed.append((
                f"The lift of the top rules shrinks on other {found.noun}s",
                f"For the {count(len(found.checked['other']), 'best rule')} of one random half, the median excess of "
                f"the lift over 1 in the other half was {kept:.0%} of what the first half showed.",
                "Expect this from the best of many rules. Raise the support, or trust the lower end of the intervals.",
            ))  # fmt: skip
    top = min(len(rules), 20)
    few = int((rules.counts[:top] < 30).sum())
    if few:
        which = f"All of the top {top}" if few == top > 1 else f"{few} of the top {top}" if top > 1 else "The only"
        verb = "rests" if few == 1 else "rest"
        listed.append((
            f"{which} {'rule' if top == 1 else 'rules'} {verb} on fewer than 30 {found.noun}s",
            f"{'Its' if few == 1 else 'Their'} lift is uncertain, however large.",
            "Read the interval of the lift, not the lift.",
        ))  # fmt: skip
    single = np.diff(rules.antecedents[1]) == 1  # with more conditions, a small group is the likelier reason
    certain = int(((rules.counts == rules.antecedent_counts) & single).sum())
    if table.binarized and certain:
        whose = "Its" if certain == 1 else "Their"
        listed.append((
            f"{count(certain, 'rule')} without exception",
            f"{whose} confidence is 1 with a single condition. In a table this can mean that one column determines "
            "another, by definition or because one was computed from the other.",
            "If so, drop one of the two columns and run the command again.",
        ))  # fmt: skip
    reached = int((found.itemsets.lengths == 1).sum())
    if reached < 0.5 * len(found.baskets.items):
        listed.append((
            f"{len(found.baskets.items) - reached:,} of {len(found.baskets.items):,} items are too rare for any rule",
            f"They occur in fewer than {found.itemsets.min_count:g} {found.noun}s.",
            f"Lower {option('min_support')}, or group items into categories.",
        ))  # fmt: skip
    return listed
