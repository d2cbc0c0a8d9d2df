"""Bootstrap estimates of prediction error: left-out error, .632, .632+, and optimism."""

from dataclasses import dataclass, field

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.metrics import check_scoring

from statlearn._core.frames import n_rows, take_per_row, take_rows
from statlearn._core.params import Int, Options, Real, check_arguments
from statlearn._math.inference import standard_error

from ._bootstrap import generator
from ._folds import run
from ._scorers import get_scorer

_LOSSES = {
    "squared_error": lambda y, p: (y - p) ** 2,
    "absolute_error": lambda y, p: np.abs(y - p),
    "zero_one": lambda y, p: (y != p).astype(float),
}


@dataclass
class BootstrapError:
    """Bootstrap estimate of prediction error.

    Parameters
    ----------
    estimate : float
        The requested estimate: the left-out error, .632 or .632+.
    left_out : float
        Mean over rows of their mean loss in the resamples that do not contain them.
    train : float
        Mean loss on the training rows of the model fitted to all of them.
    no_information : float
        Mean loss if responses were unrelated to the features: over all pairs of a response and a prediction.
    overfitting_rate : float
        R = (left_out - train) / (no_information - train), clipped to [0, 1].
    weight : float
        Weight of the left-out error in the estimate.
    std_error : float
        Standard error of the left-out error: standard deviation of its row means over √n.
    n_resamples : int
    row_losses : ndarray
        Left-out loss of every row; NaN if a row was in every resample.
    """

    estimate: float
    left_out: float
    train: float
    no_information: float
    overfitting_rate: float
    weight: float
    std_error: float
    n_resamples: int
    row_losses: np.ndarray = field(repr=False)

    def __float__(self):
        return self.estimate


def estimate_632(train, left_out, no_information=None):
    r"""The .632 rule, or .632+ if the no-information error is passed.

    .632: :math:`.368\,\overline{\mathrm{err}} + .632\,\mathrm{Err}^{(1)}`. .632+ replaces the weight by
    :math:`.632 / (1 - .368 R)` with the relative overfitting rate R, and the left-out error by at most the
    no-information error γ.

    Parameters
    ----------
    train : float
        Training error.
    left_out : float
        Error on rows left out of the resamples.
    no_information : float or None, default=None
        γ; None uses the plain .632 rule.

    Returns
    -------
    float

    References
    ----------
    Efron, B. & Tibshirani, R. (1997). Improvements on cross-validation: the .632+ bootstrap method. JASA 92, 548-560.

    Examples
    --------
    >>> from statlearn.assess import estimate_632
    >>> round(estimate_632(0.1, 0.3), 4)
    0.2264
    """
    check_arguments(
        estimate_632, train=(train, [Real(None, None)]), left_out=(left_out, [Real(None, None)]),
        no_information=(no_information, [Real(None, None), None]),
    )  # fmt: skip
    if no_information is None:
        return 0.368 * train + 0.632 * left_out
    weight = _overfitting(train, left_out, no_information)[1]
    return (1.0 - weight) * train + weight * min(left_out, no_information)


def _overfitting(train, left_out, no_information):
    """Relative overfitting rate and the resulting .632+ weight."""
    capped = min(left_out, no_information)
    above = capped > train and no_information > train
    rate = (capped - train) / (no_information - train) if above else 0.0
    return rate, 0.632 / (1.0 - 0.368 * rate)


def probability_left_out(n):
    """Probability that a given row of n is not in a bootstrap sample, (1 - 1/n)ⁿ.

    Parameters
    ----------
    n : int

    Returns
    -------
    float
        Tends to 1/e = 0.368, which gives the rule its name.

    Examples
    --------
    >>> from statlearn.assess import probability_left_out
    >>> round(probability_left_out(10), 7)
    0.3486784
    """
    check_arguments(probability_left_out, n=(n, [Int(1, None)]))
    return (1.0 - 1.0 / n) ** n


def bootstrap_oob_error(
    estimator, X, y, *, loss=None, n_resamples=100, stratify=False, params=None, n_jobs=None, random_state=None
):
    r"""Left-out bootstrap error: every row is predicted by models whose resamples do not contain it.

    .. math:: \mathrm{Err}^{(1)} = \frac1n \sum_i \frac{1}{|C^{-i}|} \sum_{b \in C^{-i}} L(y_i, f^{*b}(x_i))

    Parameters
    ----------
    estimator : estimator
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    loss : str, callable or None, default=None
        "squared_error", "absolute_error", "zero_one", or a function of responses and predictions that returns one loss
        per row. None uses squared error for regressors and zero-one loss for classifiers.
    n_resamples : int, default=100
    stratify : bool, default=False
        Whether to resample within each class, so that none is lost.
    params : dict or None, default=None
        Arguments of `fit`; those with one entry per row are resampled with the rows.
    n_jobs : int or None, default=None
    random_state : int, RandomState or None, default=None

    Returns
    -------
    BootstrapError
        Convertible to the estimate by ``float(...)``.

    Notes
    -----
    A resample contains about 0.632 n distinct rows, so the estimate corresponds to a smaller training set and is too
    large if the learning curve is steep. `bootstrap_632` corrects for that.

    References
    ----------
    Hastie, T., Tibshirani, R. & Friedman, J. (2009). The Elements of Statistical Learning, section 7.11.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from statlearn.assess import bootstrap_oob_error
    >>> from statlearn.linear import LinearRegression
    >>> X, y = load_diabetes(return_X_y=True)
    >>> found = bootstrap_oob_error(LinearRegression(), X, y, n_resamples=20, random_state=0)
    >>> bool(found.left_out > found.train)
    True
    """
    _check(bootstrap_oob_error, n_resamples, stratify, loss)
    return _bootstrap_error(
        estimator, X, y, loss, n_resamples, stratify, params, n_jobs, random_state, lambda *_: (1.0, None)
    )


def bootstrap_632(
    estimator,
    X,
    y,
    *,
    plus=False,
    loss=None,
    n_resamples=100,
    stratify=False,
    params=None,
    n_jobs=None,
    random_state=None,
):
    """The .632 or .632+ bootstrap estimate of prediction error.

    Parameters
    ----------
    estimator : estimator
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    plus : bool, default=False
        Whether to use the .632+ rule, which gives more weight to the left-out error the more a method overfits.
    loss : str, callable or None, default=None
        As in :func:`bootstrap_oob_error`.
    n_resamples : int, default=100
    stratify : bool, default=False
    params : dict or None, default=None
    n_jobs : int or None, default=None
    random_state : int, RandomState or None, default=None

    Returns
    -------
    BootstrapError
        Convertible to the estimate by ``float(...)``; all components are attributes.

    Notes
    -----
    The plain rule is optimistic for methods that memorise the data: a training error of 0 is uninformative, yet has
    weight .368. Nearest neighbours on pure noise get .316 where the truth is .5; use ``plus=True`` there.

    References
    ----------
    Efron, B. & Tibshirani, R. (1997). Improvements on cross-validation: the .632+ bootstrap method. JASA 92, 548-560.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from statlearn.assess import bootstrap_632
    >>> from statlearn.linear import LinearRegression
    >>> X, y = load_diabetes(return_X_y=True)
    >>> found = bootstrap_632(LinearRegression(), X, y, n_resamples=20, random_state=0)
    >>> bool(found.train < found.estimate < found.left_out)
    True
    """
    _check(bootstrap_632, n_resamples, stratify, loss)
    check_arguments(bootstrap_632, plus=(plus, ["boolean"]))

    def combine(train, left_out, gamma):
        if not plus:
            return 0.632, None
        return _overfitting(train, left_out, gamma)[1], gamma

    return _bootstrap_error(estimator, X, y, loss, n_resamples, stratify, params, n_jobs, random_state, combine)


def _check(function, n_resamples, stratify, loss):
    check_arguments(
        function, n_resamples=(n_resamples, [Int(1, None)]), stratify=(stratify, ["boolean"]),
        loss=(loss, [Options(*_LOSSES), "callable", None]),
    )  # fmt: skip


def resampled_rows(n, n_resamples, rng, strata=None):
    """Row indices of bootstrap samples, one array per resample."""
    if strata is None:
        return [rng.integers(n, size=n) for _ in range(n_resamples)]
    return [np.concatenate([rng.choice(rows, size=len(rows)) for rows in strata]) for _ in range(n_resamples)]


def _strata(y, stratify):
    y = np.asarray(y)
    return [np.flatnonzero(y == label) for label in np.unique(y)] if stratify else None


def _bootstrap_error(estimator, X, y, loss, n_resamples, stratify, params, n_jobs, random_state, combine):
    n, truth = n_rows(X), np.asarray(y)
    if loss is None:
        loss = "zero_one" if is_classifier(estimator) else "squared_error"
    function = loss if callable(loss) else _LOSSES[loss]
    draws = resampled_rows(n, n_resamples, generator(random_state), _strata(y, stratify))

    def one(rows):
        model = clone(estimator).fit(take_rows(X, rows), take_rows(y, rows), **take_per_row(params, rows, n))
        out = np.setdiff1d(np.arange(n), rows)
        if len(out) == 0:
            return out, np.empty(0)
        return out, np.asarray(function(truth[out], np.asarray(model.predict(take_rows(X, out)))), dtype=float)

    total, count = np.zeros(n), np.zeros(n)
    for out, losses in run(one, [(rows,) for rows in draws], n_jobs):
        total[out] += losses
        count[out] += 1
    if not count.any():
        raise ValueError("Every row was drawn in every resample, so no row is held out; increase `n_resamples`.")
    with np.errstate(invalid="ignore"):
        row_losses = total / np.where(count > 0, count, np.nan)
    left_out = float(np.nanmean(row_losses))
    fitted = np.asarray(clone(estimator).fit(X, y, **(params or {})).predict(X))
    train = float(np.mean(function(truth, fitted)))
    gamma = no_information_error(truth, fitted, loss, function)
    weight, cap = combine(train, left_out, gamma)
    finite_losses = row_losses[np.isfinite(row_losses)]
    return BootstrapError(
        estimate=(1.0 - weight) * train + weight * (left_out if cap is None else min(left_out, cap)),
        left_out=left_out,
        train=train,
        no_information=gamma,
        overfitting_rate=_overfitting(train, left_out, gamma)[0],
        weight=weight,
        std_error=standard_error(finite_losses),
        n_resamples=n_resamples,
        row_losses=row_losses,
    )


def no_information_error(y, predictions, loss, function):
    """Mean loss over all pairs of a response and a prediction; unnamed losses are evaluated by shifts."""
    if loss == "squared_error":
        return float(np.mean(y**2) - 2 * np.mean(y) * np.mean(predictions) + np.mean(predictions**2))
    if loss == "zero_one":
        labels = np.unique(np.concatenate([y, predictions]))
        return float(1.0 - sum(np.mean(y == k) * np.mean(predictions == k) for k in labels))
    n = len(y)
    shifts = np.unique(np.linspace(0, n - 1, min(n, 500)).astype(int))
    return float(np.mean([np.mean(function(y, np.roll(predictions, k, axis=0))) for k in shifts]))


@dataclass
class BootstrapOptimism:
    """Score corrected for optimism.

    Parameters
    ----------
    apparent : float
        Score on the training rows of the model fitted to all of them.
    optimism : float
        Mean over resamples of the score on the resample minus the score on all rows.
    corrected : float
        apparent - optimism.
    std_error : float
        Standard error of the optimism over the resamples, which shows whether there are enough of them.
    n_resamples : int
    """

    apparent: float
    optimism: float
    corrected: float
    std_error: float
    n_resamples: int

    def __float__(self):
        return self.corrected


def bootstrap_optimism(
    estimator, X, y, *, scoring=None, n_resamples=100, stratify=False, params=None, n_jobs=None, random_state=None
):
    """Training score corrected for optimism by the bootstrap (Efron; Harrell's "validate").

    The model is fitted to resamples. The optimism of the apparent score is estimated by how much better the model
    performs on its own resample than on the original rows.

    Parameters
    ----------
    estimator : estimator
        Estimator that includes all steps that use y (screening, tuning).
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    scoring : str, callable or None, default=None
        Greater is better; None uses the `score` method of the estimator.
    n_resamples : int, default=100
    stratify : bool, default=False
        Whether to resample within each class, so that none is lost.
    params : dict or None, default=None
        Arguments of `fit`; those with one entry per row are resampled with the rows.
    n_jobs : int or None, default=None
    random_state : int, RandomState or None, default=None

    Returns
    -------
    BootstrapOptimism

    References
    ----------
    Harrell, F., Lee, K. & Mark, D. (1996). Multivariable prognostic models. Statistics in Medicine 15, 361-387.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from statlearn.assess import bootstrap_optimism
    >>> from statlearn.linear import LinearRegression
    >>> X, y = load_diabetes(return_X_y=True)
    >>> found = bootstrap_optimism(LinearRegression(), X, y, n_resamples=50, random_state=0)
    >>> bool(0 < found.corrected < found.apparent)
    True
    """
    check_arguments(
        bootstrap_optimism, n_resamples=(n_resamples, [Int(2, None)]), stratify=(stratify, ["boolean"])
    )  # fmt: skip
    n = n_rows(X)
    score = check_scoring(estimator, get_scorer(scoring))
    draws = resampled_rows(n, n_resamples, generator(random_state), _strata(y, stratify))

    def one(rows):
        X_rows, y_rows = take_rows(X, rows), take_rows(y, rows)
        model = clone(estimator).fit(X_rows, y_rows, **take_per_row(params, rows, n))
        return float(score(model, X_rows, y_rows)) - float(score(model, X, y))

    gains = np.array(run(one, [(rows,) for rows in draws], n_jobs))
    apparent = float(score(clone(estimator).fit(X, y, **(params or {})), X, y))
    optimism = float(gains.mean())
    return BootstrapOptimism(apparent, optimism, apparent - optimism, standard_error(gains), n_resamples)
