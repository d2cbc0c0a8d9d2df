"""Metrics as functions of the threshold, the equal error rate, and the choice of a threshold."""

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
    """Counts and metrics at each threshold T, where rows with a score of at least T are called positive.

    Parameters
    ----------
    thresholds : ndarray of shape (m,)
        Decreasing, unless they were given.
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
        """All rows, or the sum of their weights."""
        return self.tp + self.fp + self.fn + self.tn

    def f_beta(self, beta):
        """The F score that weighs recall beta times as much as precision; 0 where nothing is or should be positive."""
        b = beta * beta
        return _divide((1 + b) * self.tp, (1 + b) * self.tp + b * self.fn + self.fp)

    def cost(self, false_positive, false_negative):
        """Mean cost of a row, from the prices of the two mistakes."""
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
    """All metrics of two classes as functions of the threshold, from one sort of the scores.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Two classes.
    y_score : array-like of shape (n,)
        Larger for the positive class.
    thresholds : array-like of shape (m,) or float or None, default=None
        None means infinity (nothing is positive) and then every distinct score, decreasing. Scores equal to the
        threshold count as positive.
    pos_label : label or None, default=None
        None uses the larger of the two labels.
    sample_weight : array-like of shape (n,) or None

    Returns
    -------
    ThresholdMetrics
        `thresholds` and the counts `tp`, `fp`, `fn`, `tn`; index it for a metric: ``result["f1"]``; ``to_frame()``
        gives all. Ratios with nothing to count are 0.

    See Also
    --------
    choose_threshold : The best of them.
    roc_curve, precision_recall_curve, det_curve : Pairs of these.

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
    """Cumulative sums of the first so many rows, as floats."""
    return np.where(rows > 0, sums[np.maximum(rows, 1) - 1], 0).astype(np.float64)


def equal_error_rate(y_true, y_score, *, pos_label=None, sample_weight=None):
    """Where the miss rate equals the false alarm rate: on the ROC curve, straight between its points, 1 - TPR = FPR.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Two classes.
    y_score : array-like of shape (n,)
    pos_label : label or None, default=None
        None uses the larger of the two labels.
    sample_weight : array-like of shape (n,) or None

    Returns
    -------
    float
        0 is perfect, one half is chance.

    See Also
    --------
    det_curve : Miss rate against false alarm rate.
    choose_threshold : With ``metric="equal_error"``, the threshold nearest to this point.

    Notes
    -----
    Both rates are within their class, so the result does not depend on the shares of the classes.

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
        Call positive what scores at least this; infinite when nothing should be.
    value : float
        Of what was optimised.
    criterion : str
    metrics : dict
        All metrics there, on the rows that chose it: an optimistic view.
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
    r"""Choose the threshold of a score by a metric, by costs, or under a bound on false alarms.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Two classes.
    y_score : array-like of shape (n,)
    metric : str or callable or None, default=None
        What to maximise: a name of `metrics_at_threshold`, such as "f1", "balanced_accuracy" or "matthews"; for
        "error", "miss_rate" and "false_positive_rate" what to minimise; "equal_error", where miss and false alarm
        rates are nearest; or a function of the `ThresholdMetrics` that gives an array to maximise. None means "f1",
        unless one of the next two is given.
    costs : pair of float or None, default=None
        Prices of a false positive and of a false negative: minimise the mean cost. For calibrated probabilities the
        threshold is near :math:`c_{FP}/(c_{FP} + c_{FN})`.
    max_false_positive_rate : float or None, default=None
        Neyman-Pearson: the highest recall whose false positive rate is at most this.
    confidence : float or None, default=None
        With `max_false_positive_rate`: choose so that the bound holds for new rows with at least this probability (over
        the negatives given here, which must not have trained the model); None only makes it hold on these rows.
    pos_label : label or None, default=None
        None uses the larger of the two labels.
    sample_weight : array-like of shape (n,) or None

    Returns
    -------
    ThresholdChoice
        With `threshold`, `value`, `criterion` and `metrics`.

    See Also
    --------
    metrics_at_threshold : The whole curves.

    Notes
    -----
    Candidates are the distinct scores and infinity; the highest threshold wins a tie. Choose on rows that were kept
    apart from training, and judge the result on others again.

    With `confidence` the threshold lies above the k-th smallest score of the m negatives, k the smallest with
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
    """The smallest threshold above an order statistic of the negatives that keeps the bound with that confidence."""
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
