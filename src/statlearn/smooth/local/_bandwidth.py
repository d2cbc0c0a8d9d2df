"""Bandwidth selection."""

import warnings
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import column_or_1d

from statlearn._core.params import HasMethods, Options, Real, check_arguments
from statlearn._core.selection import CVCurve, weighty_folds
from statlearn._core.validation import check_array, check_same_length
from statlearn._core.warnings import RankWarning, SeparationWarning

_EXCLUSIVE = ("bandwidth", "n_neighbors", "span")  # parameters of which a smoother takes one


@dataclass
class BandwidthChoice:
    """Result of `select_bandwidth`.

    Parameters
    ----------
    best : float or int
        The selected value.
    estimator : estimator
        The estimator with that value, fitted to all rows.
    values : ndarray of shape (k,)
        All candidate values, smoothest first.
    scores : ndarray of shape (k,)
        Criterion of each value.
    df : ndarray of shape (k,)
        Degrees of freedom of each value; NaN for ``criterion="cv"``.
    cv_curve : CVCurve or None
        Cross-validation curve for ``criterion="cv"``.
    """

    best: float
    estimator: object
    values: np.ndarray
    scores: np.ndarray
    df: np.ndarray
    cv_curve: CVCurve | None = None


def _one_column(X):
    return np.reshape(X, (-1, 1)) if np.ndim(X) == 1 else X


def select_bandwidth(
    estimator, X, y, values=None, *, parameter="bandwidth", criterion="loo", cv=None, rule="min", sample_weight=None
):
    """Bandwidth, number of neighbours or span with the smallest cross-validated error.

    Parameters
    ----------
    estimator : estimator
        A local smoother (:class:`NadarayaWatson`, :class:`LocalPolynomialRegressor`, :class:`Loess`), or a local
        likelihood, whose error is its deviance (:class:`LocalLikelihood`, :class:`LocalLogistic`).
    X : array-like of shape (n_samples, n_features) or (n_samples,)
    y : array-like of shape (n_samples,)
    values : array-like or None, default=None
        Candidate values. None uses 20 values between typical distances to neighbours and the extent of X, or spans from
        0.1 to 1, without those that are too small or too large for the rows.
    parameter : {"bandwidth", "n_neighbors", "span"}, default="bandwidth"
        Parameter to select; "span" for :class:`Loess` and local likelihoods.
    criterion : {"loo", "gcv", "aicc", "cv"}, default="loo"
        Leave-one-out without refitting, generalised cross-validation, corrected AIC, or cross-validation by folds.
    cv : int, splitter, iterable or None, default=None
        Cross-validation splitter for ``criterion="cv"``; None uses five folds.
    rule : {"min", "one_se"}, default="min"
        With ``criterion="cv"``, choose the best value, or the smoothest within one standard error of it.
    sample_weight : array-like of shape (n_samples,) or None, default=None

    Returns
    -------
    BandwidthChoice

    Notes
    -----
    A bandwidth at which some row has no neighbour but itself has an infinite leave-one-out error.

    References
    ----------
    Hurvich, C., Simonoff, J. and Tsai, C.-L. (1998). Smoothing parameter selection in nonparametric regression using an
    improved Akaike information criterion. Journal of the Royal Statistical Society B 60, 271-293.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.smooth import LocalPolynomialRegressor, select_bandwidth
    >>> rng = np.random.default_rng(0)
    >>> x = rng.uniform(size=100)
    >>> y = np.sin(6 * x) + 0.3 * rng.normal(size=100)
    >>> choice = select_bandwidth(LocalPolynomialRegressor(), x, y, [0.05, 0.2, 0.8, 3.0])
    >>> choice.best, choice.values.tolist()
    (0.2, [3.0, 0.8, 0.2, 0.05])
    """
    check_arguments(
        select_bandwidth,
        estimator=(estimator, [HasMethods("fit", "scores")]),
        parameter=(parameter, [Options("bandwidth", "n_neighbors", "span")]),
        criterion=(criterion, [Options("loo", "gcv", "aicc", "cv")]),
        cv=(cv, ["cv"]),
        rule=(rule, [Options("min", "one_se")]),
    )
    X = check_array(_one_column(X), dtype=np.float64, input_name="X")
    y = (
        column_or_1d(y)
        if is_classifier(estimator)
        else check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
    )
    check_same_length(X, y)
    if parameter not in estimator.get_params():
        raise ValueError(f"{type(estimator).__name__} has no parameter {parameter!r}.")
    automatic = values is None
    values = _grid(X, parameter) if automatic else np.asarray(values, dtype=np.float64)
    if values.ndim != 1 or not len(values) or np.any(~(values > 0)):
        raise ValueError(f"`values` must be positive numbers, got {values!r}.")
    values = np.unique(values)[::-1]

    def made(value):
        others = {name: None for name in _EXCLUSIVE if name in estimator.get_params()}
        return clone(estimator).set_params(**{**others, parameter: _plain(value, parameter)})

    if criterion == "cv":
        return _by_folds(made, X, y, values, automatic, parameter, cv, rule, sample_weight)
    if automatic:
        values = _accepted(made, X, y, values, sample_weight)
    scores, df = np.empty(len(values)), np.empty(len(values))
    with _quiet():
        for k, value in enumerate(values):
            criteria = made(value).fit(X, y, sample_weight).scores()
            scores[k], df[k] = criteria[criterion], criteria["df"]
    best = int(np.argmin(scores))
    if not np.isfinite(scores[best]):
        raise ValueError(
            "`values`: no value has a finite score because each leaves some rows without neighbours; try larger values."
        )
    return BandwidthChoice(
        _plain(values[best], parameter), made(values[best]).fit(X, y, sample_weight), values, scores, df
    )


@contextmanager
def _quiet():
    """Suppress warnings about the windows of candidate values; those about the selected value are issued."""
    with warnings.catch_warnings():
        for category in (RankWarning, SeparationWarning, ConvergenceWarning):
            warnings.simplefilter("ignore", category)
        yield


def _accepted(make, X, y, values, sample_weight):
    """Candidate values without those at either end that the smoother refuses for these rows."""
    with _quiet():
        first, last = 0, len(values) - 1
        while last > 0 and _refused(make(values[last]), X, y, sample_weight):
            last -= 1
        while first < last and _refused(make(values[first]), X, y, sample_weight):
            first += 1
    return values[first : last + 1]


def _refused(model, X, y, sample_weight):
    try:
        model.fit(X, y, sample_weight).predict(X[:1])
    except ValueError:
        return True
    return False


def _plain(value, parameter):
    return int(value) if parameter == "n_neighbors" else float(value)


def _grid(X, parameter):
    n = len(X)
    if parameter == "span":
        return np.geomspace(0.1, 1.0, 20)
    if parameter == "n_neighbors":
        return np.unique(np.round(np.geomspace(min(3, n), n, 20)))
    extent = float(np.linalg.norm(X.max(axis=0) - X.min(axis=0)))
    if extent == 0:
        raise ValueError("All rows of X are identical, so no bandwidth can be chosen.")
    return np.geomspace(2.0 * extent / max(n, 4) ** (1 / X.shape[1]), extent, 20)


def _by_folds(make, X, y, values, automatic, parameter, cv, rule, sample_weight):
    from sklearn.model_selection import check_cv

    w = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    folds = weighty_folds(check_cv(cv).split(X, y), None if sample_weight is None else w)
    for train, _ in folds if automatic else []:
        values = _accepted(make, X[train], y[train], values, None if sample_weight is None else w[train])
    loss, share = [], []
    for train, test in folds:
        weights = None if sample_weight is None else w[train]
        with _quiet():
            errors = [_losses(make(v).fit(X[train], y[train], weights), X[test], y[test]) for v in values]
        loss.append(np.average(errors, axis=1, weights=w[test]))
        share.append(w[test].sum())
    curve = CVCurve(values, np.array(loss).T, np.array(share), name=parameter)
    best = values[curve.chosen(rule)]
    fitted = make(best).fit(X, y, sample_weight)
    return BandwidthChoice(_plain(best, parameter), fitted, values, curve.mean, np.full(len(values), np.nan), curve)


def _losses(model, X, y):
    """Errors of the rows: deviances if the model has them, otherwise squares."""
    return model.row_losses(X, y) if hasattr(model, "row_losses") else (y - model.predict(X)) ** 2


def match_df(estimator, X, df, *, sample_weight=None):
    """Bandwidth at which the smoother matrix of a local smoother has trace `df`.

    Parameters
    ----------
    estimator : estimator
        A local smoother; its other parameters are kept.
    X : array-like of shape (n_samples, n_features) or (n_samples,)
    df : float
        Target trace, between that of a global fit of the degree and the number of distinct rows.
    sample_weight : array-like of shape (n_samples,) or None, default=None

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.smooth import LocalPolynomialRegressor, match_df
    >>> x = np.linspace(0, 1, 50)
    >>> h = match_df(LocalPolynomialRegressor(kernel="gaussian"), x, 6.0)
    >>> round(LocalPolynomialRegressor(h, kernel="gaussian").fit(x[:, None], x).df_, 4)
    6.0
    """
    from scipy.optimize import brentq

    check_arguments(
        match_df, estimator=(estimator, [HasMethods("fit", "scores")]), df=(df, [Real(1, None, closed="neither")])
    )
    if "bandwidth" not in estimator.get_params():
        raise ValueError(f"{type(estimator).__name__} has no parameter 'bandwidth'.")
    X = check_array(_one_column(X), dtype=np.float64, input_name="X")
    y = np.zeros(len(X))
    extent = float(np.linalg.norm(X.max(axis=0) - X.min(axis=0))) or 1.0

    def excess(log_h):
        model = clone(estimator).set_params(bandwidth=float(np.exp(log_h)), n_neighbors=None)
        return model.fit(X, y, sample_weight).scores()["df"] - df

    low, high = np.log(extent / len(X)), np.log(extent)
    for _ in range(40):
        if excess(high) > 0:
            high += 1.0
        elif excess(low) < 0:
            low -= 1.0
        else:
            return float(np.exp(brentq(excess, low, high, xtol=1e-10)))
    raise ValueError(f"`df`={df}: no bandwidth gives this many degrees of freedom on these rows.")
