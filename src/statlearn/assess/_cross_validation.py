"""Cross-validated scores, averaged over folds or over all rows, with standard errors."""

import warnings

import numpy as np
from sklearn import model_selection

from statlearn._core.frames import take_rows
from statlearn._core.params import Options, check_arguments
from statlearn._math.inference import standard_error

from ._cached_predictions import CachedPredictions, prediction_scorer
from ._folds import folds_for, scorers_for
from ._scorers import read_scoring

# Metrics that are means over rows, as functions of (truth, answer); `answer` is what the scorer's method returns.
_ROW_SCORES = {
    "accuracy": ("predict", lambda y, p: (y == p).astype(float)),
    "neg_mean_absolute_error": ("predict", lambda y, p: -np.abs(y - p)),
    "neg_mean_squared_error": ("predict", lambda y, p: -((y - p) ** 2)),
}


class FoldScores(np.ndarray):
    """Scores of the folds, as returned by scikit-learn, with their estimate.

    Attributes
    ----------
    estimate : float
        Mean of the folds, or the score over all rows together (``aggregate="pooled"``).
    std_error : float
        Standard error of the estimate.
    n_fits : int
        Number of models fitted, one per fold.
    """

    estimate: float
    std_error: float
    n_fits: int

    @classmethod
    def build(cls, scores, estimate, std_error):
        self = np.asarray(scores, dtype=np.float64).view(cls)
        self.estimate, self.std_error, self.n_fits = float(estimate), float(std_error), len(scores)
        return self

    def __array_finalize__(self, source):
        # Slices and results of arithmetic are scores too, but the estimate belongs to the whole.
        for name in ("estimate", "std_error", "n_fits"):
            setattr(self, name, None)

    def __array_wrap__(self, array, context=None, return_scalar=False):
        return array[()] if return_scalar else np.asarray(array)


def row_scores(together, y, scorer, name):
    """Score of every held-out row, or None if the metric is not a mean over rows."""
    rows = np.arange(len(y))
    if name in _ROW_SCORES:
        method, function = _ROW_SCORES[name]
        return function(y, getattr(together, method)(rows))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # metrics that one row does not define
        try:
            each = np.array([scorer(together, rows[[k]], y[[k]]) for k in rows], dtype=np.float64)
        except ValueError:
            return None
    return each if np.isclose(each.mean(), scorer(together, rows, y), rtol=1e-8, atol=1e-12) else None


def _check(function, aggregate, se):
    check_arguments(
        function, aggregate=(aggregate, [Options("folds", "pooled")]), se=(se, [Options("folds", "samples")])
    )


def _evaluate(result, name, X, y, scorer, scoring, aggregate, se):
    """Estimate and standard error of one metric from the result of scikit-learn's `cross_validate`."""
    scores = result[f"test_{name}"]
    estimate, std_error = scores.mean(), standard_error(scores)
    if aggregate == "pooled" or se == "samples":
        tests = result["indices"]["test"]
        truth = np.concatenate([np.asarray(take_rows(y, test)) for test in tests])
        tables = [take_rows(X, test) for test in tests]
        models = result["estimator"]
        asks = prediction_scorer(models[0], None if name == "score" and scoring is None else scorer)
        together = CachedPredictions(models, tables)
        if aggregate == "pooled":
            estimate = asks(together, np.arange(len(truth)), truth)
        if se == "samples":
            each = row_scores(together, truth, asks, name)
            if each is None:
                raise ValueError(
                    f"`se`='samples' requires a metric that averages over rows, which {name!r} does not; use "
                    "`se`='folds'."
                )
            std_error = standard_error(each)
    return estimate, std_error


def cross_val_score(
    estimator,
    X,
    y=None,
    *,
    groups=None,
    scoring=None,
    cv=None,
    n_jobs=None,
    verbose=0,
    params=None,
    pre_dispatch="2*n_jobs",
    error_score=np.nan,
    aggregate="folds",
    se="folds",
    random_state=None,
):
    r"""Cross-validated score with its standard error.

    With :math:`f^{-k}` fitted without fold :math:`F_k`, the estimate is the mean of the fold scores
    (``aggregate="folds"``) or the score over all rows, :math:`\frac1n \sum_k \sum_{i \in F_k} L(y_i, f^{-k}(x_i))`
    (``aggregate="pooled"``). They differ if folds differ in size, and for metrics that are not means over rows.

    Parameters
    ----------
    estimator : estimator
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,) or None, default=None
    groups : array-like of shape (n_samples,) or None, default=None
    scoring : str, callable or None, default=None
        Greater is better; None uses the `score` method of the estimator.
    cv : int, splitter, iterable or None, default=None
        None uses five folds, stratified for classifiers.
    n_jobs : int or None, default=None
    verbose : int, default=0
    params : dict or None, default=None
        Passed to `fit`.
    pre_dispatch : int or str, default="2*n_jobs"
    error_score : "raise" or float, default=nan
    aggregate : {"folds", "pooled"}, default="folds"
        Definition of `estimate`. Without `scoring`, the pooled score is R² for regressors and accuracy for classifiers.
    se : {"folds", "samples"}, default="folds"
        Standard deviation of the fold scores over √K, or of the scores of single rows over √n. The latter requires a
        metric that is a mean over rows.
    random_state : int, RandomState or None, default=None
        Shuffles the folds if `cv` is a number.

    Returns
    -------
    FoldScores
        Array of the K fold scores, as in scikit-learn, with `estimate`, `std_error` and `n_fits`.

    Notes
    -----
    Neither standard error is exact, because training sets overlap and folds are not independent. Every step that uses y
    must be inside the estimator (a pipeline), otherwise the estimate is too optimistic; see :func:`wrong_cv_demo`. Two
    folds overstate the error of a model trained on all rows. Leave-one-out hardly does, but it varies more between data
    sets and can fail completely: a majority vote on balanced labels is wrong on every row.

    References
    ----------
    Hastie, T., Tibshirani, R. & Friedman, J. (2009). The Elements of Statistical Learning, section 7.10.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.assess import PredefinedSplit, cross_val_score
    >>> from statlearn.linear import LinearRegression
    >>> X, y = np.arange(5.0)[:, None], np.array([0.0, 1.0, 2.0, 5.0, 4.0])
    >>> scores = cross_val_score(
    ...     LinearRegression(), X, y, scoring="neg_mean_squared_error", cv=PredefinedSplit([0, 0, 1, 1, 1]),
    ...     aggregate="pooled",
    ... )
    >>> scores.n_fits, bool(np.isclose(scores.estimate, (2 * scores[0] + 3 * scores[1]) / 5))
    (2, True)
    """
    _check(cross_val_score, aggregate, se)
    scorers = scorers_for(estimator, scoring)
    name, scorer = next(iter(scorers.items()))
    splitter = folds_for(cv, estimator, y, groups=groups, random_state=random_state)
    keep = aggregate == "pooled" or se == "samples"
    result = model_selection.cross_validate(
        estimator, X, y, groups=groups, scoring={name: scorer}, cv=splitter, n_jobs=n_jobs, verbose=verbose,
        params=params, pre_dispatch=pre_dispatch, error_score=error_score, return_estimator=keep, return_indices=keep,
    )  # fmt: skip
    estimate, std_error = _evaluate(result, name, X, y, scorer, scoring, aggregate, se)
    return FoldScores.build(result[f"test_{name}"], estimate, std_error)


def cross_validate(
    estimator,
    X,
    y=None,
    *,
    groups=None,
    scoring=None,
    cv=None,
    n_jobs=None,
    verbose=0,
    params=None,
    pre_dispatch="2*n_jobs",
    return_train_score=False,
    return_estimator=False,
    return_indices=False,
    error_score=np.nan,
    aggregate="folds",
    se="folds",
    random_state=None,
):
    """Cross-validation with several metrics, fit times and, optionally, the fitted models.

    Parameters
    ----------
    estimator : estimator
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,) or None, default=None
    groups : array-like of shape (n_samples,) or None, default=None
    scoring : str, callable, list, dict or None, default=None
        Greater is better; None uses the `score` method of the estimator.
    cv : int, splitter, iterable or None, default=None
        None uses five folds, stratified for classifiers.
    n_jobs : int or None, default=None
    verbose : int, default=0
    params : dict or None, default=None
        Passed to `fit`.
    pre_dispatch : int or str, default="2*n_jobs"
    return_train_score, return_estimator, return_indices : bool, default=False
    error_score : "raise" or float, default=nan
    aggregate : {"folds", "pooled"}, default="folds"
        Definition of the estimates; see :func:`cross_val_score`.
    se : {"folds", "samples"}, default="folds"
        Definition of the standard errors; see :func:`cross_val_score`.
    random_state : int, RandomState or None, default=None
        Shuffles the folds if `cv` is a number.

    Returns
    -------
    dict
        scikit-learn's arrays per fold, and for every metric m the numbers ``estimate_m`` and ``std_error_m``;
        ``n_fits``. With a single metric, m is "score".

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from statlearn.assess import cross_validate
    >>> from statlearn.linear import LinearRegression
    >>> X, y = load_diabetes(return_X_y=True)
    >>> found = cross_validate(LinearRegression(), X, y, scoring=["r2", "neg_mean_absolute_error"], aggregate="pooled")
    >>> round(found["estimate_r2"], 2), round(found["estimate_neg_mean_absolute_error"], 1), found["n_fits"]
    (0.5, -44.3, 5)
    """
    _check(cross_validate, aggregate, se)
    splitter = folds_for(cv, estimator, y, groups=groups, random_state=random_state)
    keep = aggregate == "pooled" or se == "samples"
    result = model_selection.cross_validate(
        estimator, X, y, groups=groups, scoring=read_scoring(scoring), cv=splitter, n_jobs=n_jobs, verbose=verbose,
        params=params, pre_dispatch=pre_dispatch, return_train_score=return_train_score,
        return_estimator=return_estimator or keep, return_indices=return_indices or keep, error_score=error_score,
    )  # fmt: skip
    names = [key.removeprefix("test_") for key in result if key.startswith("test_")]
    scorers = dict.fromkeys(names)
    if keep:
        known = scorers_for(estimator, scoring)
        scorers = {name: known.get(name, next(iter(known.values()))) for name in names}  # one metric is called "score"
    for name, scorer in scorers.items():
        estimate, std_error = _evaluate(result, name, X, y, scorer, scoring, aggregate, se)
        result[f"estimate_{name}"], result[f"std_error_{name}"] = float(estimate), float(std_error)
    result["n_fits"] = len(result["fit_time"])
    if not return_estimator:
        result.pop("estimator", None)
    if not return_indices:
        result.pop("indices", None)
    return result
