"""Nested cross-validation: error of a model together with its tuning, without the optimism of the choice."""

import time
from dataclasses import dataclass, field

import numpy as np
from sklearn.base import clone, is_classifier

from statlearn._core.frames import n_rows, take_per_row, take_rows
from statlearn._core.params import Int, Options, check_arguments
from statlearn._core.summary import Summary, Table
from statlearn._math.inference import standard_error

from ._folds import folds_for, run, scorers_for
from ._search import GridSearchCV, RandomizedSearchCV

# What a self-tuning estimator (LassoCV, RidgeCV, ...) chose, by the name of the fitted attribute.
_CHOSEN = ("alpha_", "C_", "l1_ratio_", "lambda_", "n_components_", "n_features_", "size_", "power_")


@dataclass
class NestedCV:
    """Result of nested cross-validation.

    Parameters
    ----------
    scores : dict of str to ndarray
        Metric -> one value per outer fold, greater is better.
    metric : str
        Metric used for tuning.
    params : list of dict
        Settings chosen within each outer fold.
    inner_scores : ndarray of shape (n_folds,)
        Score of the chosen settings in the inner cross-validation, which a search without an outer loop would report.
        NaN if the estimator tunes itself.
    fold_sizes : ndarray of shape (n_folds,)
        Number of rows held out in each outer fold.
    splits : list of (train, test)
        Row indices of the outer folds.
    fit_seconds, predict_seconds : ndarray of shape (n_folds,)
        Time for tuning and fitting, and for predicting the held-out rows.
    predictions : ndarray or None
        Out-of-fold predictions, one row per row of X: values, or probabilities with one column per class if the
        estimator provides them. Rows never held out are NaN; for rows held out several times the last prediction is
        kept.
    estimators : list
        Fitted search of each outer fold.
    """

    scores: dict
    metric: str
    params: list
    inner_scores: np.ndarray
    fold_sizes: np.ndarray
    splits: list = field(repr=False)
    fit_seconds: np.ndarray = field(repr=False)
    predict_seconds: np.ndarray = field(repr=False)
    predictions: np.ndarray | None = field(default=None, repr=False)
    estimators: list = field(default_factory=list, repr=False)

    @property
    def mean(self):
        """Mean of the tuning metric over the outer folds."""
        return float(np.mean(self.scores[self.metric]))

    @property
    def std(self):
        """Standard deviation between the outer folds with divisor K-1, NaN for a single fold."""
        values = self.scores[self.metric]
        return float(np.std(values, ddof=1)) if len(values) > 1 else float("nan")

    @property
    def std_error(self):
        """`std` divided by the square root of the number of folds."""
        return standard_error(self.scores[self.metric])

    @property
    def optimism(self):
        """Optimism of the inner scores: their mean minus the outer mean."""
        return float(np.mean(self.inner_scores) - self.mean)

    def summary(self):
        """Table with one row per outer fold: outer score, inner score, settings.

        Returns
        -------
        Summary
        """
        names = sorted({name for setting in self.params for name in setting})
        columns = {metric: np.asarray(values) for metric, values in self.scores.items()}
        columns["inner"] = self.inner_scores
        columns |= {name: [_printed(setting.get(name)) for setting in self.params] for name in names}
        columns["rows"] = self.fold_sizes
        table = Table([f"fold {k + 1}" for k in range(len(self.params))], columns)
        facts = {"mean": self.mean, "std_error": self.std_error, "std": self.std}
        if np.isfinite(self.optimism):
            facts["optimism"] = self.optimism
        labels = {
            "mean": f"{self.metric}, mean",
            "std_error": "standard error",
            "std": "spread between folds",
            "optimism": "optimism of the inner score",
        }
        return Summary("Nested cross-validation", table, facts, labels)


def _printed(value):
    return value if isinstance(value, (int, float, str, np.number)) else repr(value)


def nested_cross_validate(
    estimator,
    X,
    y,
    *,
    grid=None,
    inner=5,
    outer=5,
    rule="min",
    complexity=None,
    scoring=None,
    groups=None,
    n_iter=None,
    params=None,
    n_jobs=None,
    random_state=None,
    error_score="raise",
):
    """Nested cross-validation: settings are tuned in inner folds and assessed in outer folds.

    For every outer fold, the settings are chosen by cross-validation within the remaining rows (`inner`, `rule`), the
    chosen model is fitted to these rows, and it is scored on the held-out fold.

    Parameters
    ----------
    estimator : estimator
        Estimator to tune. Use a pipeline if there is preprocessing, so that it is also learned inside the folds.
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    grid : dict, list of dicts or None, default=None
        Values to try, or distributions with `n_iter`. With None or an empty dict the estimator is fitted unchanged (it
        may tune itself, as `LassoCV` does).
    inner, outer : int or splitter, default=5
        Folds: stratified for classifiers, grouped if `groups` are passed, shuffled if there is a `random_state`.
    rule : {"min", "one_se"}, default="min"
        Selection rule of the inner loop.
    complexity : None, str, list of str or callable, default=None
        Definition of "simpler", as in :class:`GridSearchCV`.
    scoring : str, callable, list, dict or None, default=None
        Metrics, where greater is better. The first one is used for tuning.
    groups : array-like of shape (n_samples,) or None, default=None
        Rows of a group are kept together, in the outer and inner folds.
    n_iter : int or None, default=None
        Number of settings to draw instead of trying all.
    params : dict or None, default=None
        Arguments of `fit`; those with one entry per row (``sample_weight``) are split with the rows.
    n_jobs : int or None, default=None
        Number of outer folds run in parallel.
    random_state : int, RandomState or None, default=None
        Shuffles the folds (if these are numbers) and draws the settings.
    error_score : "raise" or float, default="raise"
        Score of settings whose fit fails, in the inner loop.

    Returns
    -------
    NestedCV
        Has `mean`, `std`, `std_error`, `scores` per fold and metric, the chosen settings per fold in `params`, the
        optimism of the inner score in `optimism`, out-of-fold `predictions`, and `summary()`.

    Notes
    -----
    The outer mean estimates the error of the *procedure* trained on (K-1)/K of the rows. Settings that vary between
    folds indicate an unstable choice. The number of fits is outer x (inner x candidates + 1).

    References
    ----------
    Varma, S. & Simon, R. (2006). Bias in error estimation when using cross-validation for model selection. BMC
    Bioinformatics 7, 91.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from statlearn.assess import nested_cross_validate
    >>> from statlearn.linear import Ridge
    >>> X, y = load_diabetes(return_X_y=True)
    >>> found = nested_cross_validate(Ridge(), X, y, grid={"alpha": [0.01, 0.1, 1.0]}, rule="one_se", random_state=0)
    >>> len(found.params), found.std_error > 0
    (5, True)
    """
    check_arguments(
        nested_cross_validate,
        rule=(rule, [Options("min", "one_se")]),
        n_iter=(n_iter, [Int(1, None), None]),
    )
    n = n_rows(X)
    groups = None if groups is None else np.asarray(groups)
    scorers = scorers_for(estimator, scoring)
    metric = next(iter(scorers))
    splitter = folds_for(outer, estimator, y, groups=groups, random_state=random_state)
    splits = list(splitter.split(X, y, groups))

    def one_fold(train, test):
        search = _search(estimator, grid, n_iter, random_state, scorers[metric], rule, complexity, error_score)
        fit_params = take_per_row(params, train, n)
        y_train = take_rows(y, train)
        if search is None:
            search = clone(estimator)
        else:
            inside = None if groups is None else groups[train]
            search.set_params(cv=folds_for(inner, estimator, y_train, groups=inside, random_state=random_state))
            if inside is not None:
                fit_params["groups"] = inside
        start = time.perf_counter()
        search.fit(take_rows(X, train), y_train, **fit_params)
        fitted = time.perf_counter()
        X_test, y_test = take_rows(X, test), take_rows(y, test)
        predictions = _predictions(search, X_test)
        predicted = time.perf_counter()
        values = {name: float(scorer(search, X_test, y_test)) for name, scorer in scorers.items()}
        return search, values, predictions, fitted - start, predicted - fitted

    results = run(one_fold, splits, n_jobs)
    searches = [item[0] for item in results]
    return NestedCV(
        scores={name: np.array([item[1][name] for item in results]) for name in scorers},
        metric=metric,
        params=[_chosen_settings(search) for search in searches],
        inner_scores=np.array([float(getattr(search, "best_score_", np.nan)) for search in searches]),
        fold_sizes=np.array([len(test) for _, test in splits]),
        splits=splits,
        fit_seconds=np.array([item[3] for item in results]),
        predict_seconds=np.array([item[4] for item in results]),
        predictions=_gather(estimator, y, n, splits, searches, [item[2] for item in results]),
        estimators=searches,
    )


def _search(estimator, grid, n_iter, random_state, scorer, rule, complexity, error_score):
    """Inner search without its folds, or None if there is nothing to search."""
    if not grid:
        return None
    common = dict(scoring=scorer, rule=rule, complexity=complexity, error_score=error_score)
    if n_iter is None:
        return GridSearchCV(estimator, grid, **common)
    return RandomizedSearchCV(estimator, grid, n_iter=n_iter, random_state=random_state, **common)


def _chosen_settings(fitted):
    if hasattr(fitted, "best_params_"):
        return dict(fitted.best_params_)
    last = fitted[-1] if hasattr(fitted, "steps") else fitted
    chosen = {name.rstrip("_"): np.ravel(getattr(last, name)) for name in _CHOSEN if hasattr(last, name)}
    return {name: values[0].item() for name, values in chosen.items() if len(values) and np.all(values == values[0])}


def _predictions(search, X):
    if is_classifier(search) and hasattr(search, "predict_proba"):
        return search.predict_proba(X)
    return search.predict(X) if hasattr(search, "predict") else None


def _gather(estimator, y, n, splits, searches, parts):
    """Out-of-fold predictions in the order of the rows; a class missing from a training set has probability 0."""
    if any(part is None for part in parts):
        return None
    parts = [np.asarray(part) for part in parts]
    if is_classifier(estimator) and parts[0].ndim == 2 and hasattr(searches[0], "classes_"):
        classes = np.unique(y)
        out = np.full((n, len(classes)), np.nan)
        for (_, test), search, part in zip(splits, searches, parts):
            out[test] = 0.0
            out[np.ix_(test, np.searchsorted(classes, search.classes_))] = part
        return out
    empty = np.nan if parts[0].dtype.kind == "f" else None
    out = np.full((n, *parts[0].shape[1:]), empty, dtype=parts[0].dtype if empty is not None else object)
    for (_, test), part in zip(splits, parts):
        out[test] = part
    return out if empty is not None or any(v is None for v in out.ravel()) else out.astype(parts[0].dtype)
