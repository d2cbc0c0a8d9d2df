"""Bootstrap confidence intervals of a metric on a test set, and of the difference between two models."""

import warnings
from functools import partial

import numpy as np
from scipy.special import ndtr, ndtri
from sklearn.utils import check_random_state
from sklearn.utils.validation import column_or_1d

from statlearn._core.params import Int, Options, check_arguments
from statlearn._core.warnings import StatlearnWarning

from ._intervals import CONFIDENCE
from ._result import Interval
from ._statistics import MeanStatistic, TableStatistic, resampled_means, statistic_of, table_formula, tables_of

MOST_ERRORS = 3.0  # standard errors that an end of a studentized interval may be away from the estimate


def generator(random_state):
    """numpy Generator from a `random_state` in scikit-learn's sense."""
    return np.random.default_rng(check_random_state(random_state).randint(2**31 - 1, size=4))


def _strata(stratify, y_true):
    if not stratify:
        return None
    y_true = column_or_1d(y_true)
    return [np.flatnonzero(y_true == label) for label in np.unique(y_true)]


def _bca_levels(value, draws, left_out, weights, tails):
    """Quantile levels of the BCa interval, from bias and acceleration."""
    share = np.mean(draws < value) + 0.5 * np.mean(draws == value)
    bias = ndtri(np.clip(share, 0.5 / len(draws), 1.0 - 0.5 / len(draws)))
    influence = np.average(left_out, weights=weights) - left_out
    spread = np.sum(weights * influence**2)
    acceleration = np.sum(weights * influence**3) / (6.0 * spread**1.5) if spread > 0 else 0.0
    shifted = bias + ndtri(tails)
    return ndtr(bias + shifted / (1.0 - acceleration * shifted))


def _interval(value, draws, left_out, confidence, method):
    undefined = ~np.isfinite(draws)
    if undefined.all():
        raise ValueError("`metric` is undefined on every bootstrap sample.")
    if undefined.any():
        warnings.warn(
            f"The metric is undefined on {undefined.sum()} of {len(draws)} bootstrap samples, probably because a "
            "class is missing there. These samples are ignored; use `stratify`=True to avoid this.",
            StatlearnWarning,
            stacklevel=3,
        )
        draws = draws[~undefined]
    tails = np.array([0.5 - 0.5 * confidence, 0.5 + 0.5 * confidence])
    if method == "bca":
        values, weights = left_out()
        finite = np.isfinite(values)
        tails = _bca_levels(value, draws, values[finite], weights[finite], tails)
    low, high = np.quantile(draws, tails)
    if method == "basic":
        low, high = 2.0 * value - high, 2.0 * value - low
    error = float(np.std(draws, ddof=1)) if len(draws) > 1 else float("nan")
    return Interval(float(value), float(low), float(high), confidence, f"bootstrap, {method}", error, draws)


def _check_studentized(statistic):
    """Raise unless the statistic is a mean of losses, or a function of one."""
    if not isinstance(statistic, MeanStatistic) or len(statistic.columns) > 1 or np.any(statistic.columns < 0):
        raise ValueError(
            "`method`='studentized' needs a metric that is a mean of non-negative losses, or the root of one, such as "
            "the log loss or the root mean squared error; use 'bca' for other metrics."
        )


def _studentized_interval(statistic, means, confidence):
    """Interval from resamples of (log mean* - log mean) / standard error*, with its ends exchanged.

    Losses are non-negative and skewed, and the larger their mean, the larger its standard error: on the scale of
    logarithms the ratio hardly depends on the mean. Samples that miss the few rows which carry the loss have hardly any
    standard error, so ratios are limited. `means` holds the resampled means of losses and squared losses.
    """
    n, draws = statistic.n, statistic.combine(means[:1])
    centre, relative = _relative_error(statistic.with_squares().columns.mean(axis=1)[:, None], n)
    error = float(np.std(draws, ddof=1)) if len(draws) > 1 else float("nan")
    low = high = centre
    if centre[0] > 0:
        with np.errstate(divide="ignore", invalid="ignore"):
            resampled, errors = _relative_error(means, n)
            ratios = np.log(resampled / centre) / errors
        ratios = np.clip(ratios[~np.isnan(ratios)], -MOST_ERRORS, MOST_ERRORS)
        tails = np.array([0.5 + 0.5 * confidence, 0.5 - 0.5 * confidence])
        if len(ratios):
            low, high = (centre * np.exp(-q * relative) for q in np.quantile(ratios, tails))
    ends = [float(np.squeeze(statistic.combine(end[None]))) for end in (low, high)]
    return Interval(statistic.value(), *ends, confidence, "bootstrap, studentized", error, draws)


def _relative_error(means, n):
    """The means and the standard errors of their logarithms, from the means of losses and of their squares."""
    mean, square = means
    variance = np.maximum(square - mean**2, 0.0) * n / max(n - 1, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return mean, np.sqrt(variance / n) / mean


def _check(function, confidence, n_resamples, method, stratify, random_state, studentized=True):
    check_arguments(
        function,
        confidence=(confidence, CONFIDENCE),
        n_resamples=(n_resamples, [Int(1, None)]),
        method=(method, [Options("percentile", "bca", "basic", *(["studentized"] if studentized else []))]),
        stratify=(stratify, ["boolean"]),
        random_state=(random_state, ["random_state"]),
    )


def bootstrap_interval(
    metric,
    y_true,
    y_pred,
    *,
    confidence=0.95,
    n_resamples=1000,
    method="percentile",
    stratify=False,
    random_state=None,
):
    """Bootstrap confidence interval of a metric on a test set.

    Parameters
    ----------
    metric : callable or str
        Function of ``(y_true, y_pred)``, or the name of one in `statlearn.assess` or `sklearn.metrics`. Common metrics
        have fast implementations, see the notes; ``functools.partial(f1_score, average="macro")`` still uses them.
    y_true : array-like of shape (n,)
    y_pred : array-like of shape (n,) or (n, k)
        Input of the metric: values, labels, scores or probabilities.
    confidence : float, default=0.95
    n_resamples : int, default=1000
    method : {"percentile", "bca", "basic", "studentized"}, default="percentile"
        "percentile" uses the quantiles of the resampled values. "bca" corrects them for bias and for a variance that
        changes with the value (Efron). "basic" reflects them about the estimate. "studentized" (the bootstrap-t, on the
        scale of logarithms) divides by the standard error of each sample. It is for means of non-negative losses, and
        closest to the stated confidence where the losses have heavy tails.
    stratify : bool, default=False
        Whether to resample within each class of y_true, so that no class can be lost.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    Interval
        Has `estimate`, `low`, `high`, `std_error` and the resampled values in `distribution`.

    See Also
    --------
    bootstrap_difference : two models on the same rows.
    delong_interval : area under the ROC curve, without resampling.
    score_interval : a proportion.

    Notes
    -----
    The model is fixed: the interval reflects the uncertainty due to the test rows, not how the model would change with
    other training rows. Rows must be independent.

    For the area under the ROC curve, the rows are sorted once and only the number of draws of each is needed (O(n) per
    sample). Metrics that are functions of means (squared and absolute error, R², log loss, Brier score) need one
    product with these counts. Metrics of labels need one multinomial draw of the confusion matrix, whatever n. Any
    other function is called on the resampled rows. "bca" uses exact leave-one-out values for the former, and at most
    200 left-out groups of rows for any other function.

    References
    ----------
    Efron and Tibshirani (1993), An introduction to the bootstrap, chapters 12 to 14.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.assess import bootstrap_interval
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 500)
    >>> interval = bootstrap_interval("roc_auc_score", y, y + rng.normal(size=500), random_state=0)
    >>> interval.low < interval.estimate < interval.high
    True
    """
    _check(bootstrap_interval, confidence, n_resamples, method, stratify, random_state)
    rng = generator(random_state)
    statistic = statistic_of(metric, y_true, y_pred)
    if method == "studentized":
        _check_studentized(statistic)
        means = statistic.with_squares().resampled(rng, n_resamples, _strata(stratify, y_true))
        return _studentized_interval(statistic, means, confidence)
    draws = statistic.resampled(rng, n_resamples, _strata(stratify, y_true))
    return _interval(statistic.value(), draws, lambda: statistic.left_out(rng), confidence, method)


def bootstrap_intervals(
    cases, y_true, *, confidence=0.95, n_resamples=1000, method="percentile", stratify=False, random_state=None
):
    """Bootstrap confidence intervals of several metrics or models on the same test rows.

    The intervals are those of :func:`bootstrap_interval`, but metrics that are functions of means share one set of
    resamples.

    Parameters
    ----------
    cases : sequence of (metric, y_pred)
        Metrics and predictions as in :func:`bootstrap_interval`.
    y_true : array-like of shape (n,)
    confidence : float, default=0.95
    n_resamples : int, default=1000
    method : {"percentile", "bca", "basic", "studentized"}, default="percentile"
    stratify : bool, default=False
        Whether to resample within each class of y_true, so that no class can be lost.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    list of Interval
        One per case, in the same order.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.assess import bootstrap_intervals
    >>> rng = np.random.default_rng(0)
    >>> y = rng.normal(size=200)
    >>> cases = [("mean_squared_error", 0.9 * y), ("mean_absolute_error", 0.8 * y)]
    >>> [interval.low < interval.estimate < interval.high for interval in bootstrap_intervals(cases, y, random_state=0)]
    [True, True]
    """
    _check(bootstrap_intervals, confidence, n_resamples, method, stratify, random_state)
    strata = _strata(stratify, y_true)
    statistics = [statistic_of(metric, y_true, y_pred) for metric, y_pred in cases]
    if method == "studentized":
        for s in statistics:
            _check_studentized(s)
        wide = [s.with_squares() for s in statistics]
        shared = resampled_means(wide, generator(random_state), n_resamples, strata) if wide else []
        return [_studentized_interval(s, means, confidence) for s, means in zip(statistics, shared)]
    means = [s for s in statistics if isinstance(s, MeanStatistic)]
    shared = resampled_means(means, generator(random_state), n_resamples, strata) if means else []
    drawn = dict(zip(map(id, means), shared))
    intervals = []
    for s in statistics:
        rng = generator(random_state)
        draws = drawn[id(s)] if id(s) in drawn else s.resampled(rng, n_resamples, strata)
        intervals.append(_interval(s.value(), draws, partial(s.left_out, rng), confidence, method))
    return intervals


def _joint_table(metric, y_true, y_pred_a, y_pred_b):
    """Distinct triples (true, a, b) as one table, so that both predictions of a row are drawn together."""
    labels_a, a = np.unique(column_or_1d(y_pred_a), return_inverse=True)
    labels_b, b = np.unique(column_or_1d(y_pred_b), return_inverse=True)
    K, y_true = len(labels_b), column_or_1d(y_true)
    formula = table_formula(metric, y_true, labels_a, labels_b)

    def difference(true, pair, sample_weight):
        first = metric(true, labels_a[pair // K], sample_weight=sample_weight)
        return first - metric(true, labels_b[pair % K], sample_weight=sample_weight)

    def of_draws(true, pair, draws):
        first = formula(tables_of(true, labels_a[pair // K], draws))
        return first - formula(tables_of(true, labels_b[pair % K], draws))

    return TableStatistic(difference, y_true, K * a + b, of_draws if formula else None)


def bootstrap_difference(
    metric,
    y_true,
    y_pred_a,
    y_pred_b,
    *,
    confidence=0.95,
    n_resamples=1000,
    method="percentile",
    stratify=False,
    random_state=None,
):
    """Bootstrap confidence interval of the difference of a metric between two models, on the same resampled rows.

    Parameters
    ----------
    metric : callable or str
        Function of ``(y_true, y_pred)``, or the name of one.
    y_true : array-like of shape (n,)
    y_pred_a, y_pred_b : array-like of shape (n,) or (n, k)
        Inputs of the metric from the two models.
    confidence : float, default=0.95
    n_resamples : int, default=1000
    method : {"percentile", "bca", "basic"}, default="percentile"
    stratify : bool, default=False
        Whether to resample within each class of y_true.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    Interval
        Interval of metric(a) - metric(b).

    See Also
    --------
    delong_test : areas under ROC curves, without resampling.

    Notes
    -----
    Rows that are hard for one model are mostly hard for the other, so the paired interval is shorter than two separate
    intervals suggest.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.assess import bootstrap_difference
    >>> rng = np.random.default_rng(0)
    >>> y = rng.normal(size=300)
    >>> a, b = y + 0.5 * rng.normal(size=300), y + rng.normal(size=300)
    >>> bootstrap_difference("mean_squared_error", y, a, b, random_state=0).high < 0
    True
    """
    _check(bootstrap_difference, confidence, n_resamples, method, stratify, random_state, studentized=False)
    rng = generator(random_state)
    a, b = (statistic_of(metric, y_true, y) for y in (y_pred_a, y_pred_b))
    if isinstance(a, TableStatistic):
        joint = _joint_table(a.metric, y_true, y_pred_a, y_pred_b)
        draws = joint.resampled(rng, n_resamples, _strata(stratify, y_true))
        return _interval(joint.value(), draws, lambda: joint.left_out(rng), confidence, method)
    # The same stream of random numbers draws the same rows for both.
    seed = int(rng.integers(2**63))
    strata = _strata(stratify, y_true) or [np.arange(a.n)]
    draws = [s.resampled(np.random.default_rng(seed), n_resamples, strata) for s in (a, b)]

    def left_out():
        (first, weights), (second, _) = (s.left_out(np.random.default_rng(seed)) for s in (a, b))
        return first - second, weights

    return _interval(a.value() - b.value(), draws[0] - draws[1], left_out, confidence, method)
