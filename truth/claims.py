"""Everything that a comparison may say, each with the predicate that decides whether it is true.

A claim looks at a case (a table with what is known of it, what was said, and the errors on fresh rows) and gives
rulings: whether it was made, and whether it is true, or None if the world cannot decide. There are three kinds:

``finding``    an entry of the honesty box, by its code
``sentence``   a template of the verdict, by its code
``number``     an interval or an error bar; it is always made, and true if it holds the true value

A new code of a finding or of a sentence needs a claim here; a test fails otherwise.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

CLAIMS: dict[tuple[str, str], "Claim"] = {}
CERTAIN = 1e-6  # p-value of the F test from which a signal is certain
ALIKE = 1.02  # ratio of two true errors from which one model is better
MUCH_WORSE = 1.5
LEAK = "the target in disguise"  # why a column is left out


@dataclass(frozen=True)
class Claim:
    """Something that may be said.

    Parameters
    ----------
    kind, code : str
    meaning : str
        What has to be true, in a few words, for the page of the guide.
    rule : callable
        From a case to a list of pairs (made, true).
    wrong : float
        Largest share of false ones among the cases where the claim is not true; for numbers and sentences, among those
        where it was made.
    recall : float or None
        Smallest share of the cases where it is true in which it is made; None if nothing is promised.
    coverage : tuple of float or None
        For numbers: the share that has to be true.
    of_made : bool
        For findings: whether `wrong` is a share of the cases where it was made, because silence cannot be judged.
    """

    kind: str
    code: str
    meaning: str
    rule: Callable
    wrong: float = 0.02
    recall: float | None = None
    coverage: tuple[float, float] | None = None
    of_made: bool = False


class Case:
    """A record of :func:`truth.examine.examine` with the questions that claims ask of it."""

    def __init__(self, record):
        self.record = record
        self.facts = record["facts"]
        self.codes = [code for code, *_ in record["findings"]]
        self.said = dict(record["said"])  # a sentence occurs once in a verdict
        self.true = record.get("true", {})
        self.models = {name: entry[0] for name, entry in self.true.get("models", {}).items()}
        self.best = record["best"]

    def details(self, code):
        """The texts of the findings with a code."""
        return [detail for found, detail, *_ in self.record["findings"] if found == code]

    def named(self, code):
        """Columns that findings with a code name in quotes."""
        names = self.facts["columns"]
        found = {name for text in self.details(code) for name in re.findall(r"'([^']+)'", text) if name in names}
        # A design that follows the groups or the time has found them, whatever the honesty box says.
        used = {"GROUPS": self.record["groups"], "TIME-ORDER": self.record["time_order"]}.get(code)
        return found | ({used} if used in names else set())

    def severe(self, code):
        """Whether a finding with this code is more than a note."""
        return any(found == code and severity != "note" for found, _, _, severity in self.record["findings"])

    def error(self, name):
        """True error of a model on the rows that all models have predicted, or None."""
        if name == self.best:
            return self.true.get("best_shared")
        return self.models.get(name)

    def ratio(self, name, other=None):
        """True error of a model over that of another one (the best one), or None. Log losses may be near 0."""
        one, two = self.error(name), self.error(other or self.best)
        return one / two if one is not None and two is not None and two > 1e-9 else None

    def by_label(self, label):
        """The model that a sentence means."""
        for name, own in self.record["labels"].items():
            if own.lower() == label.lower() or (name == "stack" and label.lower() == "the stack"):
                return name
        return None

    @property
    def is_certain(self):
        """Whether a test leaves no doubt that the columns say something about the target."""
        p = self.facts["p_value"]
        return self.facts["signal"] and p is not None and p < CERTAIN

    @property
    def is_blind(self):
        """Whether no column that the best model uses says anything about the target."""
        return not self.facts["signal"] and not set(self.facts["leaks"]) & set(self.record["uses"] or ())

    @property
    def beats_baseline(self):
        """Whether the best model is truly better than the baseline, or None."""
        ratio = self.ratio(self.record["baseline"])
        return None if ratio is None else ratio > 1 + 1e-3

    @property
    def is_plain(self):
        """Whether rows are independent, alike and free of leaks, so that held-out rows are like fresh ones."""
        f = self.facts
        return not (f["leaks"] or f["ordered"] or f["groups"] or f["copies"] or f["wild"] or f["outliers"])


def claim(kind, code, meaning, **goals):
    """Registers the decorated rule."""

    def register(rule):
        CLAIMS[kind, code] = Claim(kind, code, meaning, rule, **goals)
        return rule

    return register


def finding(code, meaning, true, *, wrong=0.02, recall=0.9, of_made=False):
    """A finding of the whole table: made if its code is in the honesty box."""

    def rule(case):
        return [(code in case.codes, true(case))]

    CLAIMS["finding", code] = Claim("finding", code, meaning, rule, wrong, recall, of_made=of_made)


def sentence(code, meaning, true, *, wrong=0.05, recall=None, should=None):
    """A sentence of the verdict: a promise if it was made; `should` says when its absence counts too."""

    def rule(case):
        made = code in case.said
        if made:
            return [(True, true(case))]
        return [(False, should(case))] if should is not None else [(False, None)]

    CLAIMS["sentence", code] = Claim("sentence", code, meaning, rule, wrong, recall)


def columns_found(code, meaning, expected, allowed=lambda case: set(), *, wrong=0.02, recall=0.9, named=None):
    """A finding of columns: it should name all that are expected, and no others but those that are allowed."""

    def rule(case):
        found = case.named(code) if named is None else named(case)
        due = expected(case)
        rulings = [(bool(found - due - allowed(case)), False)]
        return rulings + ([(due <= found, True)] if due else [])

    CLAIMS["finding", code] = Claim("finding", code, meaning, rule, wrong, recall)


def between(value, low, high):
    """True above, False below, None where it is a matter of chance."""
    return None if value is None or low < value < high else value >= high


# ---- findings: columns ----------------------------------------------------------------------------------------------


def leaks(*kinds):
    """The columns of a case that are leaks of some kinds, without those left out for another reason."""
    return lambda case: {
        name
        for name, kind in case.facts["leaks"].items()
        if kind in kinds and case.record["left_out"].get(name) in (None, LEAK)
    }


def any_leak(case):
    return set(case.facts["leaks"])


def _columns_with_signal(case):
    return set(case.facts["columns"]) if case.facts["signal"] else set()


columns_found("TARGET-IN-DISGUISE", "the column is a function of the target", leaks("exact", "ordered", "gaps"),
              any_leak)  # fmt: skip
columns_found("LEAK", "the column is the target with an error of 1 % of its variance or less, or 1 % of the classes",
              leaks("near"), any_leak)  # fmt: skip
columns_found("STRONG-COLUMN", "the column is known only after the target, or the columns carry signal",
              lambda case: set(), lambda case: any_leak(case) | _columns_with_signal(case), recall=None)  # fmt: skip
columns_found("IDENTIFIER", "the column only says which row it is, and was used", lambda case: set(),
              lambda case: set(case.facts["identifiers"]), recall=None)  # fmt: skip
columns_found("LEFT-OUT", "the column says which row it is, or has a single value",
              lambda case: {*case.facts["identifiers"], *case.facts["constants"]},
              lambda case: any_leak(case) | set(case.facts["groups"]),
              named=lambda case: set(case.record["left_out"]))  # fmt: skip
columns_found("REPEATED-COLUMN", "the column says the same as another one",
              lambda case: set(case.facts["repeated"]),
              lambda case: any_leak(case) | ({"height", "colour"} if case.facts["repeated"] else set()))  # fmt: skip
columns_found("SENTINEL", "a number in the column stands for missing values",
              lambda case: set(case.facts["sentinels"]))  # fmt: skip
columns_found("GROUPS", "the column labels subjects that are measured repeatedly, whose effect is large",
              lambda case: set(case.facts["groups"]) if case.facts["group_effect"] else set(),
              lambda case: set(case.facts["groups"]))  # fmt: skip
columns_found("TIME-ORDER", "rows depend on those before them in the order of the column",
              lambda case: set(case.facts["ordered"]), lambda case: set(case.facts["dates"]))  # fmt: skip
columns_found("MISSING", "more than half of the cells are missing",
              lambda case: {c for c, share in case.facts["missing"].items() if share > 0.6},
              lambda case: {c for c, share in case.facts["missing"].items() if share > 0.4}
              | leaks("gaps")(case))  # fmt: skip


@claim("number", "column kinds", "a measurement is read as a number, however its cells are spelt", coverage=(0.98, 1.0))
def _kinds(case):
    return [(True, case.record["kinds"].get(name) == "number") for name in case.facts["numbers"]]


# ---- findings: rows and sizes ---------------------------------------------------------------------------------------


def _rarest(case):
    shares = case.facts["shares"]
    return None if not shares else min(shares.values()) / sum(shares.values())


def _is_imbalanced(case):
    rarest = _rarest(case)
    if rarest is None:
        return False
    return None if 0.08 < rarest < 0.12 else rarest <= 0.08


def _has_rare_class(case):
    shares = case.facts["shares"]
    if not shares:
        return False
    n = min(shares.values()) * case.record["n_train"] / (case.record["n_train"] + case.record["n_holdout"])
    return between(case.record["folds"] - n, -1, 1)


finding("DUPLICATES", "rows were entered twice by accident", lambda case: (
    True if case.facts["copies"] >= 0.05 else None if case.facts["copies"] > 0 else False))  # fmt: skip
finding("IMBALANCE", "a class has less than 10 % of the rows", _is_imbalanced)
finding("RARE-CLASS", "a class has fewer rows than there are folds", _has_rare_class)
finding("SMALL", "fewer than 100 training rows", lambda case: case.record["n_train"] < 100)
finding("WIDE", "more columns than training rows", lambda case: (
    between(len(case.facts["columns"]) / case.record["n_train"], 0.5, 1.3)))  # fmt: skip
finding("SAMPLED", "the table is a sample of a longer one", lambda case: "n_rows" in case.facts["options"])
finding("UNFINISHED", "there was a time limit", lambda case: False, recall=None)
finding("QUICK-TUNING", "there was a time limit", lambda case: False, recall=None)
finding("FAILED", "no model fails on these tables", lambda case: False, recall=None)
finding("NOT-CONVERGED", "these problems are well conditioned: every fit should converge", lambda case: False,
        recall=None)  # fmt: skip


# ---- findings: scores -----------------------------------------------------------------------------------------------


def _is_noise(case):
    """Whether nothing was learned: False where a signal is certain, None where one may be missed."""
    if not case.facts["signal"]:
        return True if case.is_blind else None
    if case.facts["outliers"] or case.facts["wild"]:
        return None
    return False if case.is_certain and case.beats_baseline else None


def _is_too_good(case):
    if case.facts["leaks"]:
        return None
    entry = case.true.get("models", {}).get(case.best)
    return None if entry is None else between(entry[1], 0.995, 0.999)


def _is_unstable(case):
    """Whether another model was the best one on tables of other rows; unknown where the finding is not made."""
    found = case.record.get("redraws")
    return None if found is None else found[1]


def _could_improve(case):
    """Whether the models that a finding names are worse than the best possible prediction."""
    names = [name for code, _, names, _ in case.record["findings"] if code == "GRID-EDGE" for name in names]
    bayes = case.true.get("bayes")
    errors = [case.models[name] for name in names if name in case.models]
    return None if not errors or not bayes else min(errors) > 1.005 * bayes


def _is_overconfident(case):
    """Whether every model named is worse than the baseline on fresh rows."""
    names = [name for code, _, names, _ in case.record["findings"] if code == "OVERCONFIDENT" for name in names]
    errors = [case.error(name) for name in names]
    baseline = case.error(case.record["baseline"])
    if not names or baseline is None or None in errors or case.facts["outliers"]:
        return None
    return all(error > 0.98 * baseline for error in errors)


finding("NO-SIGNAL", "no column says anything about the target; untrue where the F test has p < 1e-6", _is_noise,
        wrong=0.01, recall=0.95)  # fmt: skip
finding("TOO-GOOD", "the best model explains 99.9 % of the variance, or of the classes, of fresh rows", _is_too_good)
finding("UNSTABLE-WINNER", "another model is the best one on at least one of ten tables of other rows", _is_unstable,
        recall=None, of_made=True)  # fmt: skip
finding("GRID-EDGE", "the model could do better: its error on fresh rows is above the smallest possible one",
        _could_improve, recall=None, wrong=0.05)  # fmt: skip
finding("OVERCONFIDENT", "the model is worse than the baseline on fresh rows", _is_overconfident, recall=None,
        wrong=0.05)  # fmt: skip
finding("WILD-FOLD", "a few rows dominate every sum of squares", lambda case: (
    None if case.facts["leaks"] or case.facts["outliers"] else True if case.facts["wild"] else
    False if case.facts["rows"] >= 100 and case.facts["task"] == "regression" else None), recall=None)  # fmt: skip
finding("HOLDOUT-GAP", "held-out rows differ from the others; untrue where all rows are alike", lambda case: (
    False if case.is_plain else None), recall=None)  # fmt: skip


# ---- sentences: the best model and the baseline ---------------------------------------------------------------------


def _is_best(case):
    """Whether no other model is better by 2 % on fresh rows."""
    others = [case.ratio(name) for name in case.models if name != case.best]
    others = [ratio for ratio in others if ratio is not None]
    return None if not others else min(others) > 1 / ALIKE


def _stack_is_better(case):
    """Whether the preferred stack is better than the model beside it, where they differ by 2 % on fresh rows."""
    ratio = case.ratio(case.by_label(case.said["STACK-PREFERRED"]["model"]) or "")
    return None if ratio is None or 1 / ALIKE < ratio < ALIKE else ratio > 1


def _signal_claimed(case):
    """Whether the best model truly beats the baseline."""
    return False if case.is_blind else case.beats_baseline


sentence("BEST", "no other model is better by 2 % on fresh rows", _is_best, wrong=0.2)
sentence("STACK-PREFERRED", "the stack is the better one where they differ by 2 % on fresh rows", _stack_is_better,
         wrong=0.2)  # fmt: skip
# Where an F test is the reason, another sentence claims the signal; that is no silence.
sentence("BETTER-THAN-BASELINE", "the best model beats the baseline on fresh rows; due if the F test is certain and no "
         "other sentence claims a signal", _signal_claimed, recall=0.9,
         should=lambda case: None if {"SIGNAL-BY-TEST", "NO-MODEL-FOR-SIGNAL"} & set(case.said)
         else True if case.is_certain and case.beats_baseline else False if case.is_blind else None)  # fmt: skip
sentence("SIGNAL-BY-TEST", "the columns say something about the target", lambda case: case.facts["signal"])
sentence("NOT-BETTER-THAN-BASELINE", "no signal; untrue where the F test has p < 1e-6", _is_noise, wrong=0.01)
sentence("NOTHING-BEATS-BASELINE", "no signal; untrue where the F test has p < 1e-6", _is_noise, wrong=0.01)
sentence("NO-MODEL-FOR-SIGNAL", "the columns say something about the target", lambda case: case.facts["signal"])
sentence("TOO-FEW-FOLDS", "there are fewer than four folds", lambda case: case.record["folds"] < 4)
sentence("NO-BASELINE", "the baseline always has a score", lambda case: False)


# ---- sentences: the other models ------------------------------------------------------------------------------------


def _others(case, tied):
    """The models that a sentence on the others speaks of: those that the test calls level, or worse."""
    gaps = {name: gap for name, gap in case.record["gaps"].items() if name != case.record["baseline"]}
    return [name for name, (_, _, p) in gaps.items() if p is not None and (p >= 0.05) == tied]


def _all_worse(case):
    """Whether all models called significantly worse are worse on fresh rows."""
    ratios = [case.ratio(name) for name in _others(case, tied=False)]
    return None if not ratios or None in ratios else all(ratio > 1 for ratio in ratios)


def _none_much_worse(case):
    """Whether no model called level is worse by half on fresh rows."""
    ratios = [case.ratio(name) for name in _others(case, tied=True)]
    return None if not ratios or None in ratios else all(ratio < MUCH_WORSE for ratio in ratios)


def _is_open(case):
    """Whether the true difference of the only other model is within three of its stated errors."""
    others = [n for n in case.record["gaps"] if n != case.record["baseline"]]
    if len(others) != 1 or case.error(others[0]) is None or case.error(case.best) is None or case.facts["ordered"]:
        return None
    mean, error, _ = case.record["gaps"][others[0]]
    return abs(case.error(others[0]) - case.error(case.best) - mean) <= 3 * error


def _is_near(name):
    """Whether a model is not worse by half on fresh rows."""

    def rule(case):
        ratio = case.ratio(name(case) or "")
        return None if ratio is None else ratio < MUCH_WORSE

    return rule


def _is_worse(name):
    def rule(case):
        ratio = case.ratio(name(case) or "")
        return None if ratio is None else ratio > 1

    return rule


def _said_of(code):
    return lambda case: case.by_label(case.said[code]["model"])


sentence("ALONE", "only one model was asked for", lambda case: len(case.models) <= 2)
sentence("ONLY-OTHER-TIED", "the other model is not worse by half on fresh rows", _none_much_worse)
sentence("ONLY-OTHER-OPEN", "the true difference is within three of its ±",
         _is_open)  # fmt: skip
sentence("ONLY-OTHER-WORSE", "the other model is worse on fresh rows", _all_worse)
sentence("ALL-OTHERS-WORSE", "the others are worse on fresh rows", _all_worse)
sentence("OTHERS-TIED", "no model called level is worse by half on fresh rows", _none_much_worse, wrong=0.02)
sentence("BASELINE-NEAR", "the baseline is not worse by half on fresh rows", _is_near(lambda c: c.record["baseline"]))
sentence("SIMPLEST-TIED", "the simplest model is not worse by half on fresh rows", _is_near(_said_of("SIMPLEST-TIED")),
         wrong=0.02)  # fmt: skip
sentence("SIMPLEST-WORSE", "the simplest model is worse on fresh rows", _is_worse(_said_of("SIMPLEST-WORSE")))


# ---- sentences: leaks, copies, columns ------------------------------------------------------------------------------


def _named_are(code, kinds):
    """Whether the columns that a sentence names are all of a kind."""

    def rule(case):
        names = set(re.findall(r"'([^']+)'", case.said[code]["columns"]))
        return names <= kinds(case)

    return rule


sentence("LEAK-LEFT-OUT", "the columns are functions of the target", _named_are("LEAK-LEFT-OUT", any_leak), wrong=0.02,
         recall=0.9, should=lambda case: bool(leaks("exact", "ordered", "gaps")(case)))  # fmt: skip
sentence("RESTS-ON-LEAK", "the columns are functions of the target", _named_are("RESTS-ON-LEAK", any_leak), wrong=0.02)
sentence("WITH-LEAK", "a column is a function of the target", lambda case: bool(case.facts["leaks"]), wrong=0.02)
sentence("NOTHING-WITHOUT-LEAK", "all columns are functions of the target",
         lambda case: set(case.facts["columns"]) <= any_leak(case), wrong=0.02)  # fmt: skip
sentence("LEAK-DOUBT", "a column is nearly the target", lambda case: bool(case.facts["leaks"]), wrong=0.02)
sentence("COPIES", "at least 10 % of the rows are accidental copies", lambda case: case.facts["copies"] > 0.07,
         wrong=0.02, recall=0.9, should=lambda case: case.facts["copies"] > 0.13 or
         (None if case.facts["copies"] > 0.07 else False))  # fmt: skip
sentence("GROUP-FOLDS", "the column labels subjects that are measured repeatedly",
         lambda case: case.record["groups"] in case.facts["groups"], wrong=0.02, recall=0.9,
         should=lambda case: case.facts["group_effect"])  # fmt: skip
sentence("TIME-FOLDS", "rows depend on those before them in the order of the column",
         lambda case: case.record["time_order"] in case.facts["ordered"], wrong=0.02, recall=0.9,
         should=lambda case: bool(case.facts["ordered"]))  # fmt: skip
sentence("RANDOM-FOLDS", "rows of a group, or neighbours in time, are alike",
         lambda case: bool(case.facts["groups"] or case.facts["ordered"]))  # fmt: skip
sentence("OUT-OF-TIME", "there was a time limit", lambda case: False, wrong=0.02)
sentence("LEFT-OUT", "the columns say which row it is, or have a single value",
         _named_are("LEFT-OUT", lambda case: {*case.facts["identifiers"], *case.facts["constants"],
                                             *case.facts["leaks"], *case.facts["groups"]}),
         wrong=0.02, recall=0.9,
         should=lambda case: bool(case.facts["identifiers"] or case.facts["constants"]))  # fmt: skip
sentence("WILD-FOLD", "a few rows dominate every sum of squares",
         lambda case: True if case.facts["wild"] or case.facts["outliers"] else None if case.facts["leaks"] else
         False if case.facts["rows"] >= 100 and case.facts["task"] == "regression" else None, wrong=0.05)  # fmt: skip


def _held_out_covers(case):
    """Whether the interval holds the true error of the best model."""
    value, low, high = case.record["holdout"].get(case.best, (None,) * 3)
    true = case.models.get(case.best)
    if None in (value, low, high, true) or case.facts["leaks"]:
        return None
    slack = 2 * case.true["models"][case.best][2]  # the oracle's own error
    return low - slack <= true <= high + slack


def _enough(case):
    return case.record["n_holdout"] >= 20


# The sentence makes the same promise in all worlds; its intervals are judged by kind of world below. It is not said
# where a few rows hold much of the error: see HELD-OUT-ROUGH.
sentence("HELD-OUT", "the interval holds the error on fresh rows (from 20 held-out rows on)",
         lambda case: _held_out_covers(case) if _enough(case) else None, wrong=0.07)  # fmt: skip


sentence("HELD-OUT-ROUGH", "a hundredth of the fresh rows holds more than 12 % of their squared error (normal: 8 %)",
         lambda case: None if "dominated" not in case.true else
         bool(case.true["dominated"] > 0.12 or case.facts["wild"] or case.facts["outliers"]))  # fmt: skip


sentence("HELD-OUT-LATEST", "rows depend on those before them in the order of the column",
         lambda case: bool(case.facts["ordered"]))  # fmt: skip
sentence("HELD-OUT-FEW-GROUPS", "the rows are of subjects that are measured repeatedly",
         lambda case: bool(case.facts["groups"]))  # fmt: skip


# ---- numbers --------------------------------------------------------------------------------------------------------


def _headline(case, times=1.0):
    """Whether the stated score of the best model is within its error of the true one."""
    mean, error = case.record["levels"].get(case.best, (None, None))
    true = case.models.get(case.best)
    if None in (mean, error, true) or case.facts["leaks"]:
        return []
    return [(True, abs(true - mean) <= times * error)]


def _without_leaks(case):
    """Whether the stated score is within its error of that on rows whose leaks are not filled in yet."""
    mean, error = case.record["levels"].get(case.best, (None, None))
    true = case.true.get("in_use")
    if None in (mean, error, true) or not leaks("exact", "ordered", "gaps")(case):
        return []
    return [(True, abs(true - mean) <= error)]


def _with(condition, rule):
    return lambda case: rule(case) if condition(case) else []


def _number(code, meaning, rule, coverage):
    CLAIMS["number", code] = Claim("number", code, meaning, rule, coverage=coverage)


def _noise_world(*worlds):
    return lambda case: case.record["world"] in worlds and _enough(case)


def _covers(case):
    """Whether an interval holds the true error, where it is called a 95 % interval."""
    found = _held_out_covers(case) if "HELD-OUT" in case.said else None
    return [] if found is None else [(True, found)]


HOLDS = (0.93, 0.97)
WITHIN = (0.63, 0.73)
_number("± of the headline", "the error on fresh rows is within one ± (rows alike and independent)",
        _with(lambda case: case.is_plain, _headline), WITHIN)  # fmt: skip
_number("± of the headline, classes", "the same, for classes only",
        _with(lambda case: case.is_plain and case.facts["task"] == "classification", _headline), WITHIN)  # fmt: skip
_number("± of the headline, values", "the same, for values only",
        _with(lambda case: case.is_plain and case.facts["task"] == "regression", _headline), WITHIN)  # fmt: skip
_number("± of the headline, groups", "the same, where subjects have an effect and fresh rows are other subjects",
        _with(lambda case: case.facts["group_effect"], _headline), WITHIN)  # fmt: skip
_number("± of the headline, time", "the same, where rows depend on time and fresh rows come later; not promised, as "
        "the verdict says that the next stretch may differ by more",
        _with(lambda case: bool(case.facts["ordered"]), _headline), None)  # fmt: skip
_number("± of the headline, leaks", "the same, where a column is the target, which fresh rows lack", _without_leaks,
        WITHIN)  # fmt: skip
_number("twice the ±", "the error on fresh rows is within two ± (rows alike and independent)",
        _with(lambda case: case.is_plain, lambda case: _headline(case, 2.0)), HOLDS)  # fmt: skip
_number("held-out interval", "the 95 % interval holds the error on fresh rows (rows alike, from 20 held-out rows on)",
        _with(lambda case: case.is_plain and _enough(case), _covers), HOLDS)  # fmt: skip
_number("held-out interval, normal errors", "the same, for normal errors",
        _with(_noise_world("linear-mean", "moderate-mean", "sparse-mean", "many-rows", "weak-mean", "steps", "curves"),
              _covers), HOLDS)  # fmt: skip
_number("held-out interval, t3 errors", "the same, for Student errors with three degrees of freedom",
        _with(_noise_world("t3-errors"), _covers), HOLDS)  # fmt: skip
_number("held-out interval, lognormal errors", "the same, for lognormal errors",
        _with(_noise_world("lognormal-errors"), _covers), HOLDS)  # fmt: skip
_number("held-out interval, classes", "the same, for the log loss",
        _with(lambda case: case.is_plain and _enough(case) and case.facts["task"] == "classification", _covers),
        HOLDS)  # fmt: skip


@claim("number", "± of a difference", "the true difference to the best model is within one ±", coverage=WITHIN)
def _difference(case):
    """Stated and true differences of all models to the best one."""
    if not case.is_plain or case.true.get("best_shared") is None:
        return []
    rulings = []
    for name, (mean, error, _) in case.record["gaps"].items():
        true = case.error(name)
        if None not in (mean, error, true) and error > 0:
            rulings.append((True, abs(true - case.true["best_shared"] - mean) <= error))
    return rulings


@claim("number", "prediction interval", "the share of fresh rows inside their 90 % intervals is at least 85 %",
       coverage=(0.9, 1.0))  # fmt: skip
def _prediction_interval(case):
    inside = case.true.get("inside")
    return [] if inside is None or not case.is_plain or case.facts["rows"] < 100 else [(True, inside >= 0.85)]


@claim("number", "the saved model", "does not use a column that is the target", coverage=(0.98, 1.0))
def _saved(case):
    due = leaks("exact", "ordered", "gaps")(case)
    uses = case.record.get("uses")
    return [(True, not due & set(uses))] if due and uses is not None else []


@claim(
    "number", "words of the verdict", "every sentence of the verdict is one that can be checked", coverage=(1.0, 1.0)
)
def _checked(case):
    return [(True, not case.record["rest"])]
