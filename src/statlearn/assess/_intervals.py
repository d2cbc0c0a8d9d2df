"""Confidence intervals for proportions and for the area under the ROC curve."""

import numpy as np
from scipy.special import betaincinv, ndtr, ndtri
from sklearn.utils.validation import check_consistent_length, column_or_1d

from statlearn._core.params import Options, Real, check_arguments

from ._confusion import distinct_labels
from ._result import Interval, TestResult

CONFIDENCE = [Real(0, 1, closed="neither")]


def rate_bounds(count, n, confidence, method="wilson"):
    """Lower and upper bounds for the proportions count / n; arrays of any shape."""
    count, n = np.asarray(count, dtype=float), np.asarray(n, dtype=float)
    tail = 0.5 * (1.0 - confidence)
    p = count / n
    if method == "exact":
        low = np.where(count > 0, betaincinv(np.maximum(count, 1e-300), n - count + 1, tail), 0.0)
        high = np.where(count < n, betaincinv(count + 1, np.maximum(n - count, 1e-300), 1.0 - tail), 1.0)
        return low, high
    z = -ndtri(tail)
    if method == "normal":
        half = z * np.sqrt(p * (1.0 - p) / n)
        return np.maximum(p - half, 0.0), np.minimum(p + half, 1.0)
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    # At the ends one bound is exactly 0 or 1, up to rounding.
    low = np.where(count == 0, 0.0, np.maximum(middle - half, 0.0))
    return low, np.where(count == n, 1.0, np.minimum(middle + half, 1.0))


def score_interval(count, n, *, confidence=0.95, method="wilson"):
    r"""Confidence interval for a proportion, such as accuracy, error rate or recall.

    The Wilson interval contains the proportions p that a z-test does not reject for the observed :math:`\hat p = count
    / n`:

    .. math:: \frac{\hat p + z^2/(2n) \pm z \sqrt{\hat p (1 - \hat p)/n + z^2/(4n^2)}}{1 + z^2/n}

    Parameters
    ----------
    count : float
        Number of successes, for example ``np.sum(y_true == y_pred)`` for the accuracy.
    n : float
        Total number of rows.
    confidence : float, default=0.95
    method : {"wilson", "normal", "exact"}, default="wilson"
        "normal" is :math:`\hat p \pm z \sqrt{\hat p(1 - \hat p)/n}`, clipped to [0, 1]. "exact" inverts the binomial
        test (Clopper and Pearson) and is never too short.

    Returns
    -------
    Interval
        Has `estimate`, `low`, `high`, `std_error`.

    See Also
    --------
    bootstrap_interval : any other metric.

    Notes
    -----
    The rows must be independent and the model fixed in advance: rows of a test set, not pooled folds. The normal
    interval is too short for small n and for proportions near 0 or 1, and has length 0 at the ends.

    References
    ----------
    Wilson (1927), Probable inference, the law of succession, and statistical inference. Brown, Cai and DasGupta (2001),
    Interval estimation for a binomial proportion.

    Examples
    --------
    >>> from statlearn.assess import score_interval
    >>> interval = score_interval(45, 50)
    >>> round(interval.estimate, 3), round(interval.low, 3), round(interval.high, 3)
    (0.9, 0.786, 0.957)
    """
    check_arguments(
        score_interval,
        count=(count, [Real(0, None)]),
        n=(n, [Real(0, None, closed="neither")]),
        confidence=(confidence, CONFIDENCE),
        method=(method, [Options("wilson", "normal", "exact")]),
    )
    if count > n:
        raise ValueError(f"`count` must be at most `n`, got {count} and {n}.")
    low, high = rate_bounds(count, n, confidence, method)
    p = count / n
    return Interval(float(p), float(low), float(high), confidence, method, float(np.sqrt(p * (1 - p) / n)))


def binary_truth(y_true, *others, pos_label=None):
    """Whether each row is positive (bool array), and the scores as float arrays of the same length."""
    y_true = column_or_1d(y_true)
    others = [column_or_1d(v).astype(np.float64, copy=False) for v in others]
    check_consistent_length(y_true, *others)
    classes = distinct_labels(y_true)
    if len(classes) != 2:
        raise ValueError(f"`y_true` must contain two classes, got {classes.tolist()[:5]}.")
    if pos_label is None:
        positive = y_true == classes[1]
    elif pos_label in classes.tolist():
        positive = y_true == pos_label
    else:
        raise ValueError(f"`pos_label`={pos_label!r} is not a class of y_true, which contains {classes.tolist()}.")
    if not all(np.isfinite(v).all() for v in others):
        raise ValueError("`y_score` contains NaN or infinity.")
    return positive, *others


def mid_ranks(values):
    """Ranks from 1, with mean ranks for ties; O(n log n)."""
    order = np.argsort(values)
    ordered = values[order]
    start = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    end = np.r_[start[1:], len(values)]
    ranks = np.empty(len(values))
    ranks[order] = np.repeat(0.5 * (start + end + 1), end - start)
    return ranks


def auc_placements(positive, score):
    """Fraction of the other class that each row beats, counting ties as one half.

    Placements of the positives and of the negatives; either averages to the area under the curve.
    """
    up, down = score[positive], score[~positive]
    ranks = mid_ranks(score)
    m, n = len(up), len(down)
    return (ranks[positive] - mid_ranks(up)) / n, 1.0 - (ranks[~positive] - mid_ranks(down)) / m


def _delong_covariance(placements):
    """Covariance matrix of the areas of several scores on the same rows."""
    V10 = np.array([p for p, _ in placements])
    V01 = np.array([q for _, q in placements])
    if V10.shape[1] < 2 or V01.shape[1] < 2:
        raise ValueError("The DeLong variance requires at least two rows of each class.")
    return np.atleast_2d(np.cov(V10)) / V10.shape[1] + np.atleast_2d(np.cov(V01)) / V01.shape[1]


def delong_interval(y_true, y_score, *, pos_label=None, confidence=0.95, transform="logit"):
    r"""DeLong confidence interval for the area under the ROC curve.

    Let :math:`V_i` be the fraction of negatives that positive i beats and :math:`W_j` the fraction of positives that
    beat negative j (ties count one half). The area is the mean of either, and its variance is estimated by
    :math:`s_V^2/m + s_W^2/n`.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Two classes.
    y_score : array-like of shape (n,)
        Larger for the positive class.
    pos_label : label or None, default=None
        None uses the larger of the two labels.
    confidence : float, default=0.95
    transform : {"logit", "none"}, default="logit"
        On the logit scale the interval is inside (0, 1) and has better coverage near the ends. "none" is symmetric (and
        clipped to [0, 1]), as printed by pROC. An area of exactly 0 or 1 has variance 0, so the interval is that point.

    Returns
    -------
    Interval

    See Also
    --------
    delong_test : two scores on the same rows.
    bootstrap_interval : resampling, for any metric.

    Notes
    -----
    Two sorts: O(n log n) time and O(n) memory.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson (1988), Comparing the areas under two or more correlated receiver operating
    characteristic curves. Sun and Xu (2014), Fast implementation of DeLong's algorithm.

    Examples
    --------
    >>> from statlearn.assess import delong_interval
    >>> interval = delong_interval([0, 0, 1, 0, 1, 1], [0.1, 0.4, 0.35, 0.2, 0.8, 0.7])
    >>> round(interval.estimate, 3), round(interval.std_error, 3)
    (0.889, 0.157)
    """
    check_arguments(
        delong_interval, confidence=(confidence, CONFIDENCE), transform=(transform, [Options("logit", "none")])
    )
    positive, score = binary_truth(y_true, y_score, pos_label=pos_label)
    placements = auc_placements(positive, score)
    area = float(np.mean(placements[0]))
    error = float(np.sqrt(_delong_covariance([placements])[0, 0]))
    z = float(ndtri(0.5 + 0.5 * confidence))
    if transform == "logit" and 0.0 < area < 1.0:
        centre, half = np.log(area / (1.0 - area)), z * error / (area * (1.0 - area))
        low, high = (float(1.0 / (1.0 + np.exp(-v))) for v in (centre - half, centre + half))
    else:
        low, high = max(area - z * error, 0.0), min(area + z * error, 1.0)
    return Interval(area, low, high, confidence, "DeLong", error)


def delong_test(y_true, y_score_a, y_score_b, *, pos_label=None, confidence=0.95):
    r"""DeLong test of equal areas under the ROC curves of two scores on the same rows.

    :math:`z = (A_a - A_b) / \sqrt{s_{aa} - 2 s_{ab} + s_{bb}}` with DeLong's covariance of the two areas.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Two classes.
    y_score_a, y_score_b : array-like of shape (n,)
    pos_label : label or None, default=None
        None uses the larger of the two labels.
    confidence : float, default=0.95
        Confidence level of the interval of the difference.

    Returns
    -------
    TestResult
        Has `statistic` (z), `p_value` (two-sided), `difference`, `std_error`, `low`, `high`.

    See Also
    --------
    delong_interval : a single score.

    Notes
    -----
    For models fitted to other rows. The test is far too conservative between a model and the same model with one more
    column, both fitted to these rows.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson (1988), Comparing the areas under two or more correlated receiver operating
    characteristic curves.

    Examples
    --------
    >>> from statlearn.assess import delong_test
    >>> y = [0, 0, 1, 0, 1, 1, 0, 1]
    >>> a, b = [0.1, 0.4, 0.35, 0.2, 0.8, 0.7, 0.3, 0.9], [0.5, 0.4, 0.3, 0.2, 0.8, 0.1, 0.3, 0.9]
    >>> result = delong_test(y, a, b)
    >>> round(result.difference, 4), round(result.p_value, 3)
    (0.3438, 0.158)
    """
    check_arguments(delong_test, confidence=(confidence, CONFIDENCE))
    positive, a, b = binary_truth(y_true, y_score_a, y_score_b, pos_label=pos_label)
    placements = [auc_placements(positive, a), auc_placements(positive, b)]
    S = _delong_covariance(placements)
    difference = float(np.mean(placements[0][0]) - np.mean(placements[1][0]))
    error = float(np.sqrt(max(S[0, 0] - 2.0 * S[0, 1] + S[1, 1], 0.0)))
    return normal_test(difference, error, confidence, "DeLong test of two areas")


def normal_test(difference, error, confidence, method):
    """Two-sided z-test of difference = 0, with its interval."""
    if error > 0.0:
        statistic = difference / error
    else:
        statistic = 0.0 if difference == 0.0 else float(np.copysign(np.inf, difference))
    half = float(ndtri(0.5 + 0.5 * confidence)) * error
    p = float(2.0 * ndtr(-abs(statistic)))
    return TestResult(statistic, p, None, method, difference, error, difference - half, difference + half)
