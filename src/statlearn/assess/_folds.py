"""Helpers shared by the resampling functions: folds from a number, metrics from `scoring`."""

import numpy as np
from joblib import effective_n_jobs
from sklearn import model_selection
from sklearn.base import is_classifier
from sklearn.metrics import check_scoring
from sklearn.utils import check_random_state
from sklearn.utils.parallel import Parallel, delayed

from statlearn._core.jobs import keep_limit

from ._scorers import get_scorer


def folds_for(cv, estimator, y, *, groups=None, random_state=None):
    """A splitter: `cv` itself, or the appropriate kind for a number of folds.

    Grouped if groups are passed, stratified for classifiers, shuffled if there is a `random_state`.
    """
    if cv is None:
        cv = 5
    if not isinstance(cv, (int, np.integer)) or isinstance(cv, bool):
        return model_selection.check_cv(cv, y, classifier=is_classifier(estimator))
    kind = type(model_selection.check_cv(int(cv), y, classifier=is_classifier(estimator)))
    shuffled = {} if random_state is None else {"shuffle": True, "random_state": _seed(random_state)}
    if groups is not None:
        stratified = kind is model_selection.StratifiedKFold
        kind = model_selection.StratifiedGroupKFold if stratified else model_selection.GroupKFold
    return kind(int(cv), **shuffled)


def _seed(random_state):
    """An int from any `random_state`, so that a splitter returns the same folds on every call."""
    if isinstance(random_state, (int, np.integer)):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


def scorers_for(estimator, scoring):
    """Metric name -> scorer, for a name, a callable, a list of names or a dict; None is the estimator's own score."""
    if isinstance(scoring, (list, tuple, set)):
        return {name: get_scorer(name) for name in scoring}
    if isinstance(scoring, dict):
        return {name: check_scoring(estimator, get_scorer(scorer)) for name, scorer in scoring.items()}
    name = scoring if isinstance(scoring, str) else "score"
    return {name: check_scoring(estimator, get_scorer(scoring))}


def run(function, items, n_jobs=None):
    """``[function(*item) for item in items]``, optionally in parallel."""
    if effective_n_jobs(n_jobs) == 1:
        return [function(*item) for item in items]
    return Parallel(n_jobs=n_jobs)(delayed(keep_limit(function))(*item) for item in items)
