"""Which models take part: every estimator of the registry that declares a search space, where it suits the table."""

import difflib
import importlib
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from fnmatch import fnmatch
from importlib.util import find_spec

import numpy as np
from sklearn.utils import get_tags

from statlearn._core.registry import all_estimators
from statlearn._core.search import SearchSpace
from statlearn.app.compare.portfolio.entry import Entry, Space
from statlearn.app.errors import UsageError
from statlearn.app.setting_names import option, setting


@dataclass(frozen=True)
class Candidate:
    """One entry of the leaderboard before it is fitted."""

    name: str  # from the label: "lasso", "logistic-regression-l2"
    space: Space
    estimator: type

    @property
    def class_name(self):
        """Public address of the class: "statlearn.linear.LassoCV"."""
        family = self.estimator.__module__.split(".")[1]
        return f"statlearn.{family}.{self.estimator.__name__}"

    @property
    def table(self):
        """The table that it is fitted to: "normal", "scaled" or "plain" designs, or that of its search space."""
        if self.space.table != "design":
            return self.space.table
        if self.space.scaled == "normal":
            return "normal"
        return "scaled" if self.space.scaled else "plain"

    @property
    def has_probabilities(self):
        return hasattr(self.estimator(**self.space.fixed), "predict_proba")

    @property
    def has_scores(self):
        return hasattr(self.estimator(**self.space.fixed), "decision_function")

    def make(self, seed, cv, rule, **settings):
        """An unfitted estimator: the space's settings, these settings, and what the comparison fixes for all."""
        model = self.estimator(**{**self.space.fixed, **settings})
        known = model.get_params(deep=False)
        if "random_state" in known:
            model.set_params(random_state=seed)
        if "rule" in known and "rule" not in self.space.fixed:
            model.set_params(rule=rule)
        if isinstance(known.get("cv"), int):
            model.set_params(cv=cv(known["cv"]))
        return model


@dataclass(frozen=True)
class Facts:
    """What the portfolio has to know of the table."""

    task: str
    n_rows: int
    n_columns: int  # of the design matrix
    y: np.ndarray
    n_classes: int = 0
    sparse: bool = False
    uncountable: Callable = field(default=lambda: None)  # a column that cannot be counts and why, or None


def slug(label):
    """A name for the command line from a label."""
    return re.sub(r"[^a-z0-9]+", "-", label.lower()).strip("-")


def spaces_of(cls):
    """What a class declares, one space or several, each with the entry of the portfolio for it."""
    declared = cls.__dict__.get("_search_space", ())
    declared = (declared,) if isinstance(declared, (SearchSpace, Space)) else tuple(declared)
    return tuple(found if isinstance(found, Space) else _with_entry(cls, found) for found in declared)


def _with_entry(cls, declared):
    family = cls.__module__.split(".")[1]
    entry = importlib.import_module(f"statlearn.app.compare.portfolio.{family}").ENTRIES[cls.__name__]
    entry = entry if isinstance(entry, Entry) else entry[declared.label]
    return Space(**vars(entry), label=declared.label, grid=declared.grid, fixed=declared.fixed)


def candidates(task):
    """All candidates for a task, the simplest first; names are unique."""
    kind = {"regression": "regressor", "classification": "classifier"}[task]
    found = [Candidate(slug(space.label), space, cls) for _, cls in all_estimators(kind) for space in spaces_of(cls)]
    names = [candidate.name for candidate in found]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise RuntimeError(f"two search spaces have the label of {sorted(twice)}")
    return sorted(found, key=lambda c: (c.space.complexity, c.name))


def select(task, models, metric, facts):
    """The portfolio for a table.

    Parameters
    ----------
    task : {"regression", "classification"}
    models : sequence of str or None
        Names, class names or patterns ("lasso*"); None takes the default portfolio.
    metric : Metric
        The metric that ranks: a model that cannot serve it stays out.
    facts : Facts

    Returns
    -------
    chosen : list of Candidate
        The baseline first, always.
    notes : list of str
        Why others were left out.
    """
    everything = candidates(task)
    baseline = [c for c in everything if c.space.complexity == 0][:1]
    wanted = _named(everything, models) if models else [c for c in everything if _by_default(c.space, facts)]
    chosen, notes = [], []
    for candidate in wanted:
        if candidate in baseline:
            continue
        reason = unsuited(candidate, metric, facts, asked=bool(models))
        if reason is None:
            chosen.append(candidate)
        else:
            notes.append(f"{candidate.space.label} was left out: {reason}.")
    if models and not chosen and any(c not in baseline for c in wanted):
        raise UsageError("none of the requested models suits this table. " + " ".join(notes))
    return baseline + chosen, notes


def _by_default(space, facts):
    return space.default and (space.default_rows is None or facts.n_rows >= space.default_rows)


# What people call the models, and the names it stands for; a pattern may fit another name for each task.
ABBREVIATIONS = {
    "boosting": "gradient-boosting", "cart": "*on-tree", "classification-tree": "*on-tree",
    "fda": "flexible-discriminant-*", "fisher": "fisher-discriminant", "forest": "random-forest",
    "gam": "additive-model*", "gbm": "gradient-boosting", "knn": "k-nearest-neighbours",
    "lad": "least-absolute-deviations", "lda": "linear-discriminant-analysis", "logistic": "logistic-*",
    "mars": "mars-*", "mda": "mixture-discriminant-analysis", "mlp": "neural-network",
    "naive-bayes": "naive-bayes-*", "nb": "naive-bayes-*",
    "ols": "least-squares", "pcr": "principal-components", "pda": "penalized-discriminant-analysis",
    "pls": "partial-least-squares", "qda": "quadratic-discriminant-analysis",
    "rda": "regularized-discriminant-analysis", "rf": "random-forest", "svm": "support-vector-*", "tree": "*on-tree",
}  # fmt: skip

STACK = "stack"  # made of the others: see statlearn.app.compare.stack


def wants_stack(models):
    """Whether the stack takes part: by default, and where it is named."""
    return models is None or any(fnmatch(STACK, asked.strip().lower()) for asked in models)


def _named(everything, models):
    wanted = []
    for asked in models:
        pattern = asked.strip()
        if slug(pattern) == STACK:
            continue
        hits = _matching(everything, pattern) or _matching(everything, ABBREVIATIONS.get(slug(pattern), ""))
        if not hits:
            _refuse_other_task(asked, everything)
            known = [c.name for c in everything]
            near = difflib.get_close_matches(slug(pattern), known, n=3, cutoff=0.5)
            hint = f"did you mean {' or '.join(near)}?" if near else f"the models are: {', '.join(known)}"
            raise UsageError(f"unknown model {asked!r}; {hint}")
        wanted += [c for c in hits if c not in wanted]
    return sorted(wanted, key=lambda c: (c.space.complexity, c.name))


def _refuse_other_task(asked, everything):
    """An error that says what is wrong with the name of a model for the other task."""
    from sklearn.base import is_classifier

    task = "classification" if any(is_classifier(c.estimator()) for c in everything[:1]) else "regression"
    other = "regression" if task == "classification" else "classification"
    pattern = asked.strip()
    theirs = _matching(candidates(other), pattern) or _matching(candidates(other), ABBREVIATIONS.get(slug(pattern), ""))
    if not theirs:
        return
    known = [c.name for c in everything]
    alike = [name for name in known if name.startswith(f"{theirs[0].name}-")]
    alike = (alike or difflib.get_close_matches(theirs[0].name, known, n=3, cutoff=0.6))[:3]
    instead = f"use {' or '.join(alike)}" if alike else f"use a name from `statlearn models --task {task}`"
    raise UsageError(
        f"{asked!r} is a model for {other}, but this is {task}; {instead}, or set {setting('task', other)}"
    )


def _matching(everything, pattern):
    """Candidates whose name fits a pattern, or whose class has this name."""
    return [
        c for c in everything
        if fnmatch(c.name, pattern.lower()) or fnmatch(c.name, slug(pattern) or "-")
        or c.estimator.__name__.lower() == pattern.lower()
    ]  # fmt: skip


def unsuited(candidate, metric, facts, *, asked=False):
    """Why a candidate cannot take part, or None. Limits of size hold only where it was not asked for by name."""
    space = candidate.space
    conditions = {
        "dense": (not facts.sparse, "it needs a dense design matrix"),
        "positive_target": (facts.task == "regression" and np.min(facts.y) > 0, "it needs a positive target"),
        "counts": (facts.task == "regression" and _are_counts(facts.y), "it needs a target of counts"),
        "binary": (facts.n_classes == 2, "it supports only two classes"),
        "torch": (find_spec("torch") is not None, "it needs PyTorch (pip install 'statlearn[neural]')"),
    }
    if "nonnegative" in space.needs:
        reason = facts.uncountable()
        conditions["nonnegative"] = (reason is None, f"it needs counts or other non-negative numbers, but {reason}")
    for need in space.needs:
        holds, words = conditions[need]
        if not holds:
            return words
    if metric.needs == "probabilities" and not candidate.has_probabilities:
        way = setting("metric", "accuracy")
        return f"it does not predict probabilities, which {metric.label} needs; include it with {way}"
    if metric.needs == "ranking" and not (candidate.has_probabilities or candidate.has_scores):
        return f"it does not predict scores, which {metric.label} needs"
    if facts.sparse and not get_tags(candidate.estimator()).input_tags.sparse:
        return "it needs a dense design matrix"
    if space.min_rows is not None and facts.n_rows < space.min_rows:
        return f"it needs at least {space.min_rows:,} rows"
    if not asked and space.max_rows is not None and facts.n_rows > space.max_rows:
        return f"the table has more than {space.max_rows:,} rows (name it with {option('models')} to include it)"
    if not asked and space.max_columns is not None and facts.n_columns > space.max_columns:
        return f"it would get more than {space.max_columns:,} columns (name it with {option('models')} to include it)"
    return None


def _are_counts(y):
    return bool(np.all(y >= 0) and np.all(y == np.round(y)))
