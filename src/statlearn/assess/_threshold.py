"""Metrics by decision threshold, equal error rate, and choice of a threshold."""

from dataclasses import dataclass

import numpy as np
from scipy.special import bdtrc

from statlearn._core.params import Options, Real, check_arguments
from statlearn._core.validation import check_weights

from ._intervals import CONFIDENCE, binary_truth


def _divide(top, bottom):
    return np.divide(top, bottom, out=np.zeros(np.shape(top)), where=bottom != 0)


@dataclass(frozen=True)
class ThresholdMetrics:
    """Counts and metrics at each threshold T, where rows with a score of at least T are predicted positive.

    Parameters
    ----------
    thresholds : ndarray of shape (m,)
        Thresholds in decreasing order, unless they were passed.
    tp, fp, fn, tn : ndarray of shape (m,)
        Counts, or sums of weights.
    """

    thresholds: np.ndarray
    tp: np.ndarray
    fp: np.ndarray
    fn: np.ndarray
    tn: np.ndarray

    NAMES = (
        "precision",
        "recall",
        "specificity",
        "false_positive_rate",
        "miss_rate",
        "accuracy",
        "error",
        "balanced_accuracy",
        "youden",
        "f1",
        "jaccard",
        "matthews",
        "kappa",
        "positive_share",
    )

    @property
    def total(self):
        """Number of rows, or the sum of their weights."""
        return self.tp + self.fp + self.fn + self.tn

    def f_beta(self, beta):
        """F-beta score, which weights recall beta times as much as precision; 0 if no row is or should be positive."""
        b = beta * beta
        return _divide((1 + b) * self.tp, (1 + b) * self.tp + b * self.fn + self.fp)

    def cost(self, false_positive, false_negative):
        """Mean cost per row from the costs of the two kinds of mistakes."""
        return (false_positive * self.fp + false_negative * self.fn) / self.total

    def __getitem__(self, name):
        if name not in self.NAMES:
            raise KeyError(f"{name!r} is not one of {', '.join(self.NAMES)}")
        tp, fp, fn, tn = self.tp, self.fp, self.fn, self.tn
        match name:
            case "precision":
                return _divide(tp, tp + fp)
            case "recall":
                return _divide(tp, tp + fn)
            case "specificity":
                return _divide(tn, tn + fp)
            case "false_positive_rate":
                return _divide(fp, tn + fp)
            case "miss_rate":
                return _divide(fn, tp + fn)
            case "accuracy":
                return (tp + tn) / self.total
            case "error":
                return (fp + fn) / self.total
            case "balanced_accuracy":
                return 0.5 * (self["recall"] + self["specificity"])
            case "youden":
                return self["recall"] + self["specificity"] - 1.0
            case "f1":
                return self.f_beta(1.0)
            case "jaccard":
                return _divide(tp, tp + fp + fn)
            case "matthews":
                # Square roots one by one: the product of the four sums can overflow.
                root = np.sqrt(tp + fp) * np.sqrt(tp + fn) * np.sqrt(tn + fp) * np.sqrt(tn + fn)
                return _divide(tp * tn - fp * fn, root)
            case "kappa":
                return _divide(2.0 * (tp * tn - fp * fn), (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn))
            case _:
                return (tp + fp) / self.total

    def to_frame(self):
        """A pandas DataFrame with one row per threshold."""
        import pandas as pd

        counts = {"tp": self.tp, "fp": self.fp, "fn": self.fn, "tn": self.tn}
        metrics = {name: self[name] for name in self.NAMES}
        return pd.DataFrame({"threshold": self.thresholds, **counts, **metrics})


def metrics_at_threshold(y_true, y_score, thresholds=None, *, pos_label=None, sample_weight=None):
    """All metrics of a binary classifier as functions of the threshold, from a single sort of the scores.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Two classes.
    y_score : array-like of shape (n,)
        Larger for the positive class.
    thresholds : array-like of shape (m,) or float or None, default=None
        None means infinity (no positives) followed by every distinct score in decreasing order. Scores equal to the
        threshold are predicted positive.
    pos_label : label or None, default=None
        None uses the larger of the two labels.
    sample_weight : array-like of shape (n,) or None, default=None

    Returns
    -------
    ThresholdMetrics
        Has `thresholds` and the counts `tp`, `fp`, `fn`, `tn`. Index it for a metric, ``result["f1"]``; ``to_frame()``
        returns all of them. Ratios with nothing to count are 0.

    See Also
    --------
    choose_threshold : the best threshold.
    roc_curve, precision_recall_curve, det_curve : pairs of these metrics.

    Examples
    --------
    >>> from statlearn.assess import metrics_at_threshold
    >>> result = metrics_at_threshold([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> result.thresholds
    array([ inf, 0.8 , 0.4 , 0.35, 0.1 ])
    >>> result["recall"]
    array([0. , 0.5, 0.5, 1. , 1. ])
    >>> metrics_at_threshold([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], [0.5])["precision"]
    array([1.])
    """
    positive, score = binary_truth(y_true, y_score, pos_label=pos_label)
    weights = None if sample_weight is None else check_weights(sample_weight, score)
    order = np.argsort(score)[::-1]  # equal scores count together, so their order does not matter
    ordered, positive = score[order], positive[order]
    if weights is None:
        tp, fp = np.cumsum(positive), None
    else:
        weights = weights[order]
        tp, fp = np.cumsum(weights * positive), np.cumsum(weights * ~positive)
    if thresholds is None:
        upto = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1], True])  # rows above each distinct score, and all
        thresholds = np.r_[np.inf, ordered[upto[1:] - 1]]
    else:
        thresholds = np.atleast_1d(np.asarray(thresholds, dtype=np.float64))
        if thresholds.ndim != 1 or np.isnan(thresholds).any():
            raise ValueError("`thresholds` must be a one-dimensional array of numbers.")
        upto = np.searchsorted(-ordered, -thresholds, side="right")
    true = _upto(tp, upto)
    false = upto - true if fp is None else _upto(fp, upto)
    n_positive, n_negative = float(tp[-1]), float(len(tp) - tp[-1] if fp is None else fp[-1])
    return ThresholdMetrics(thresholds, true, false, n_positive - true, n_negative - false)


def _upto(sums, rows):
    """Cumulative sums of the leading rows, as floats."""
    return np.where(rows > 0, sums[np.maximum(rows, 1) - 1], 0).astype(np.float64)


def equal_error_rate(y_true, y_score, *, pos_label=None, sample_weight=None):
    """Equal error rate: the point 1 - TPR = FPR on the linearly interpolated ROC curve.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Two classes.
    y_score : array-like of shape (n,)
    pos_label : label or None, default=None
        None uses the larger of the two labels.
    sample_weight : array-like of shape (n,) or None, default=None

    Returns
    -------
    float
        0 is perfect, one half is chance.

    See Also
    --------
    det_curve : miss rate by false alarm rate.
    choose_threshold : with ``metric="equal_error"``, the threshold nearest to this point.

    Notes
    -----
    Both rates are computed within a class, so the result does not depend on the class proportions.

    Examples
    --------
    >>> from statlearn.assess import equal_error_rate
    >>> equal_error_rate([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.5
    """
    curve = metrics_at_threshold(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
    false_alarm, miss = curve["false_positive_rate"], curve["miss_rate"]
    gap = false_alarm - miss  # from -1 up to 1
    k = int(np.argmax(gap >= 0.0))
    if gap[k] == 0.0:
        return float(miss[k])
    t = gap[k - 1] / (gap[k - 1] - gap[k])
    return float(false_alarm[k - 1] + t * (false_alarm[k] - false_alarm[k - 1]))


@dataclass(frozen=True)
class ThresholdChoice:
    """A chosen threshold.

    Parameters
    ----------
    threshold : float
        Smallest score that is predicted positive; infinite if none should be.
    value : float
        Value of the criterion.
    criterion : str
    metrics : dict
        All metrics at the threshold on the rows used to choose it, which is optimistic.
    """

    threshold: float
    value: float
    criterion: str
    metrics: dict


def choose_threshold(
    y_true,
    y_score,
    *,
    metric=None,
    costs=None,
    max_false_positive_rate=None,
    confidence=None,
    pos_label=None,
    sample_weight=None,
):
    r"""Choice of a decision threshold by a metric, by costs, or under a bound on the false positive rate.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Two classes.
    y_score : array-like of shape (n,)
    metric : str or callable or None, default=None
        Metric to maximise: a name of `metrics_at_threshold`, such as "f1", "balanced_accuracy" or "matthews". "error",
        "miss_rate" and "false_positive_rate" are minimised, and "equal_error" makes miss and false positive rates as
        equal as possible. A callable receives the `ThresholdMetrics` and returns an array to maximise. None means "f1",
        unless one of the next two is set.
    costs : pair of float or None, default=None
        Costs of a false positive and of a false negative; the mean cost is minimised. For calibrated probabilities the
        threshold is near :math:`c_{FP}/(c_{FP} + c_{FN})`.
    max_false_positive_rate : float or None, default=None
        Neyman-Pearson criterion: the highest recall with a false positive rate of at most this.
    confidence : float or None, default=None
        With `max_false_positive_rate`, the bound holds for new rows with at least this probability (over the negatives
        passed here, which must not have been used for training). None only ensures it on these rows.
    pos_label : label or None, default=None
        None uses the larger of the two labels.
    sample_weight : array-like of shape (n,) or None, default=None

    Returns
    -------
    ThresholdChoice
        Has `threshold`, `value`, `criterion` and `metrics`.

    See Also
    --------
    metrics_at_threshold : the whole curves.

    Notes
    -----
    Candidates are the distinct scores and infinity; ties go to the highest threshold. Choose on rows that were not used
    for training, and assess the result on yet other rows.

    With `confidence` the threshold is above the k-th smallest score of the m negatives, where k is the smallest with
    :math:`\sum_{j \ge k} \binom{m}{j} (1 - \alpha)^j \alpha^{m-j} \le 1 - \text{confidence}`.

    References
    ----------
    Tong, Feng and Li (2018), Neyman-Pearson classification algorithms and NP receiver operating characteristics.

    Examples
    --------
    >>> from statlearn.assess import choose_threshold
    >>> y, s = [0, 0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.9]
    >>> choose_threshold(y, s, metric="f1").threshold
    0.4
    >>> choose_threshold(y, s, costs=(5, 1)).threshold
    0.6
    >>> choose_threshold(y, s, max_false_positive_rate=0.25).metrics["recall"]
    1.0
    """
    rate = [Real(0, 1, closed="both"), None]
    names = Options(*ThresholdMetrics.NAMES, "equal_error")
    check_arguments(
        choose_threshold,
        metric=(metric, [names, "callable", None]),
        max_false_positive_rate=(max_false_positive_rate, rate),
        confidence=(confidence, [*CONFIDENCE, None]),
    )
    if sum(v is not None for v in (metric, costs, max_false_positive_rate)) > 1:
        raise ValueError("Pass only one of `metric`, `costs` and `max_false_positive_rate`.")
    if confidence is not None and (max_false_positive_rate is None or sample_weight is not None):
        raise ValueError("`confidence` requires `max_false_positive_rate` and does not support `sample_weight`.")
    common = dict(pos_label=pos_label, sample_weight=sample_weight)
    if confidence is not None:
        positive, score = binary_truth(y_true, y_score, pos_label=pos_label)
        threshold = _guarded_threshold(score[~positive], max_false_positive_rate, confidence)
        there = metrics_at_threshold(y_true, y_score, [threshold], **common)
        name = f"recall with false positive rate of at most {max_false_positive_rate:g}, confidence {confidence:g}"
        return _choice(there, there["recall"], 0, name)
    curve = metrics_at_threshold(y_true, y_score, **common)
    if costs is not None:
        fp, fn = costs
        check_arguments(choose_threshold, costs=(fp, [Real(0, None)]))
        check_arguments(choose_threshold, costs=(fn, [Real(0, None)]))
        values = curve.cost(fp, fn)
        return _choice(curve, values, int(np.argmin(values)), "mean cost")
    if max_false_positive_rate is not None:
        allowed = curve["false_positive_rate"] <= max_false_positive_rate
        values = curve["recall"]
        name = f"recall with false positive rate of at most {max_false_positive_rate:g}"
        return _choice(curve, values, int(np.argmax(np.where(allowed, values, -1.0))), name)
    if metric == "equal_error":
        gap = np.abs(curve["false_positive_rate"] - curve["miss_rate"])
        return _choice(curve, 0.5 * (curve["false_positive_rate"] + curve["miss_rate"]), int(np.argmin(gap)), metric)
    if callable(metric):
        values = np.asarray(metric(curve), dtype=np.float64)
        return _choice(curve, values, int(np.argmax(values)), getattr(metric, "__name__", "metric"))
    metric = "f1" if metric is None else metric
    values = curve[metric]
    best = np.argmin(values) if metric in ("error", "miss_rate", "false_positive_rate") else np.argmax(values)
    return _choice(curve, values, int(best), metric)


def _choice(curve, values, k, criterion):
    metrics = {name: float(curve[name][k]) for name in curve.NAMES}
    return ThresholdChoice(float(curve.thresholds[k]), float(values[k]), criterion, metrics)


def _guarded_threshold(negatives, alpha, confidence):
    """Smallest threshold above an order statistic of the negatives that satisfies the bound with that confidence."""
    m = len(negatives)
    # P(more than alpha of new negatives above the k-th of m) = P(Binomial(m, 1 - alpha) >= k).
    risk = bdtrc(np.arange(m), m, 1.0 - alpha)
    k = int(np.argmax(risk <= 1.0 - confidence))
    if not risk[k] <= 1.0 - confidence:
        raise ValueError(
            f"{m} negatives are too few to guarantee a false positive rate of {alpha:g} with confidence "
            f"{confidence:g}; at least {int(np.ceil(np.log(1.0 - confidence) / np.log1p(-alpha)))} are required."
        )
    return float(np.nextafter(np.partition(negatives, k)[k], np.inf))
