"""Calibration of predicted probabilities: reliability curves, Brier decomposition, calibration error, a test."""

from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc
from sklearn.utils.validation import check_array, check_consistent_length, column_or_1d

from statlearn._core.params import Int, Options, check_arguments
from statlearn._core.validation import check_weights

from ._confusion import distinct_labels
from ._intervals import CONFIDENCE, binary_truth, rate_bounds
from ._result import TestResult

STRATEGY = [Options("uniform", "quantile")]


def _probabilities(y_true, y_prob, pos_label, sample_weight):
    """Truth as 0 and 1, probabilities and weights (ones if none are passed)."""
    p = check_array(column_or_1d(y_prob), ensure_2d=False, dtype=np.float64, input_name="y_prob")
    if np.any(p < 0) or np.any(p > 1):
        raise ValueError("`y_prob` has values outside [0, 1].")
    y_true = column_or_1d(y_true)
    check_consistent_length(y_true, p)
    classes = distinct_labels(y_true)
    if len(classes) == 1 and (pos_label is not None or classes[0] in (0, 1)):
        positive = y_true == (1 if pos_label is None else pos_label)
    else:
        positive, _ = binary_truth(y_true, p, pos_label=pos_label)
    if sample_weight is None:
        return positive.astype(np.float64), p, np.ones(len(p))
    weights = check_weights(sample_weight, p)
    used = weights > 0
    return positive[used].astype(np.float64), p[used], weights[used]


def _edges(p, n_bins, strategy, weights):
    if strategy == "uniform":
        return np.linspace(0.0, 1.0, n_bins + 1)
    if np.all(weights == np.floor(weights)) and weights.sum() < 1e8:
        p = np.repeat(p, weights.astype(np.int64)) if np.any(weights != 1) else p
        return np.unique(np.quantile(p, np.linspace(0.0, 1.0, n_bins + 1)))
    order = np.argsort(p)
    share = np.cumsum(weights[order]) / weights.sum()
    inner = p[order][np.searchsorted(share, np.linspace(0.0, 1.0, n_bins + 1)[1:-1])]
    return np.unique(np.r_[p.min(), inner, p.max()])


def _bins(p, edges):
    """Bin index of each probability: [e0, e1), ..., the last one closed."""
    return np.clip(np.searchsorted(edges[1:-1], p, side="right"), 0, max(len(edges) - 2, 0))


def _sums(codes, y, p, weights):
    """Weight, sum of outcomes and sum of predictions of each nonempty bin."""
    if weights is None:
        sums = np.bincount(codes).astype(np.float64), np.bincount(codes, y), np.bincount(codes, p)
    else:
        sums = (np.bincount(codes, v) for v in (weights, weights * y, weights * p))
    count, sum_y, sum_p = sums
    used = count > 0
    return count[used], sum_y[used], sum_p[used]


@dataclass(frozen=True)
class ReliabilityCurve:
    """Observed and predicted probabilities by bin.

    Parameters
    ----------
    predicted : ndarray
        Mean prediction of each nonempty bin.
    observed : ndarray
        Observed proportion of positives.
    low, high : ndarray
        Wilson confidence band of the observed proportion.
    count : ndarray
        Number of rows, or sum of weights.
    edges : ndarray
        Edges of all bins.
    """

    predicted: np.ndarray
    observed: np.ndarray
    low: np.ndarray
    high: np.ndarray
    count: np.ndarray
    edges: np.ndarray


def reliability_curve(
    y_true, y_prob, *, n_bins=10, strategy="uniform", confidence=0.95, pos_label=None, sample_weight=None
):
    """Reliability curve: proportion of positives by mean predicted probability in bins, with confidence bands.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Two classes.
    y_prob : array-like of shape (n,)
        Predicted probability of the positive class.
    n_bins : int, default=10
    strategy : {"uniform", "quantile"}, default="uniform"
        Bins of equal width, or with about equal numbers of rows.
    confidence : float, default=0.95
        Confidence level of the band of each bin.
    pos_label : label or None, default=None
        None uses the larger of the two labels.
    sample_weight : array-like of shape (n,) or None, default=None

    Returns
    -------
    ReliabilityCurve
        Has arrays `predicted`, `observed`, `low`, `high`, `count` for the nonempty bins, and `edges`.

    See Also
    --------
    expected_calibration_error : mean distance from the diagonal.

    Notes
    -----
    A bin with few rows is not very informative and has a wide band. With weights, bands use the effective number of
    rows, (sum of weights)² / (sum of squared weights).

    Examples
    --------
    >>> from statlearn.assess import reliability_curve
    >>> curve = reliability_curve([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.7, 0.8, 0.9], n_bins=2)
    >>> curve.predicted.round(3), curve.observed.round(3)
    (array([0.2, 0.8]), array([0.333, 0.667]))
    """
    check_arguments(
        reliability_curve,
        n_bins=(n_bins, [Int(1, None)]),
        strategy=(strategy, STRATEGY),
        confidence=(confidence, CONFIDENCE),
    )
    y, p, w = _probabilities(y_true, y_prob, pos_label, sample_weight)
    edges = _edges(p, n_bins, strategy, w)
    codes = _bins(p, edges)
    count, sum_y, sum_p = _sums(codes, y, p, None if sample_weight is None else w)
    observed = sum_y / count
    rows = count
    if sample_weight is not None:
        squares = np.bincount(codes, w * w)
        rows = count**2 / squares[squares > 0]
    low, high = rate_bounds(observed * rows, rows, confidence)
    return ReliabilityCurve(sum_p / count, observed, low, high, count, edges)


def expected_calibration_error(
    y_true, y_prob, *, n_bins=15, strategy="uniform", norm="l1", pos_label=None, sample_weight=None
):
    """Expected calibration error: the mean distance between predicted and observed probabilities over bins.

    Parameters
    ----------
    y_true : array-like of shape (n,)
    y_prob : array-like of shape (n,) or (n, n_classes)
        Probability of the positive class, or of every class in sorted order. In the latter case the probability of the
        most probable class is compared with how often it is correct.
    n_bins : int, default=15
    strategy : {"uniform", "quantile"}, default="uniform"
    norm : {"l1", "l2", "max"}, default="l1"
        Mean distance, root mean squared distance, or largest distance. Bins are weighted by their rows.
    pos_label : label or None, default=None
        None uses the larger of the two labels.
    sample_weight : array-like of shape (n,) or None, default=None

    Returns
    -------
    float

    See Also
    --------
    brier_decomposition : calibration and sharpness together.

    Notes
    -----
    The estimate is biased upwards, because noise in the bins counts as distance; more bins increase the bias.
    Predicting the overall proportion for every row has no calibration error but is useless.

    References
    ----------
    Naeini, Cooper and Hauskrecht (2015), Obtaining well calibrated probabilities using Bayesian binning. Guo et al.
    (2017), On calibration of modern neural networks.

    Examples
    --------
    >>> from statlearn.assess import expected_calibration_error
    >>> round(expected_calibration_error([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.7, 0.8, 0.9], n_bins=2), 4)
    0.1333
    """
    check_arguments(expected_calibration_error, norm=(norm, [Options("l1", "l2", "max")]))
    if np.ndim(y_prob) == 2 and np.shape(y_prob)[1] > 1:
        P = check_array(y_prob, dtype=np.float64, input_name="y_prob")
        classes, codes = np.unique(column_or_1d(y_true), return_inverse=True)
        if len(classes) != P.shape[1]:
            raise ValueError(f"`y_prob` has {P.shape[1]} columns, but `y_true` contains {len(classes)} classes.")
        check_consistent_length(codes, P)
        y_true, y_prob, pos_label = (P.argmax(axis=1) == codes).astype(int), P.max(axis=1), 1
    curve = reliability_curve(
        y_true, y_prob, n_bins=n_bins, strategy=strategy, pos_label=pos_label, sample_weight=sample_weight
    )
    gap = np.abs(curve.predicted - curve.observed)
    if norm == "max":
        return float(gap.max())
    mean = np.average(gap if norm == "l1" else gap**2, weights=curve.count)
    return float(mean if norm == "l1" else np.sqrt(mean))


@dataclass(frozen=True)
class BrierDecomposition:
    """Brier score = reliability - resolution + uncertainty + within_bin.

    Parameters
    ----------
    brier : float
        Mean squared distance of the probabilities from the outcomes.
    reliability : float
        Mean squared distance of observed proportions from predictions; 0 is perfectly calibrated.
    resolution : float
        Variance of the observed proportions between bins: how well the predictions discriminate.
    uncertainty : float
        Variance of the outcome, the score of a constant prediction.
    within_bin : float
        Variation within the bins; 0 if each distinct prediction is a bin.
    """

    brier: float
    reliability: float
    resolution: float
    uncertainty: float
    within_bin: float


def brier_decomposition(y_true, y_prob, *, n_bins=None, strategy="uniform", pos_label=None, sample_weight=None):
    r"""Brier score decomposition into reliability, resolution and uncertainty (Murphy), plus variation within bins.

    With mean prediction :math:`p_k`, observed proportion :math:`o_k` and weight :math:`w_k` of bin k, and the overall
    proportion o,

    .. math:: \sum_k w_k (p_k - o_k)^2 - \sum_k w_k (o_k - o)^2 + o(1 - o) + \text{within}.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Two classes.
    y_prob : array-like of shape (n,)
        Predicted probability of the positive class.
    n_bins : int or None, default=None
        None makes each distinct prediction a bin. The three terms are then exact, but for continuous predictions each
        row is a bin and the decomposition is uninformative.
    strategy : {"uniform", "quantile"}, default="uniform"
    pos_label : label or None, default=None
        None uses the larger of the two labels.
    sample_weight : array-like of shape (n,) or None, default=None

    Returns
    -------
    BrierDecomposition
        Has `brier`, `reliability`, `resolution`, `uncertainty`, `within_bin`.

    See Also
    --------
    reliability_curve

    References
    ----------
    Murphy (1973), A new vector partition of the probability score. Stephenson, Coelho and Jolliffe (2008), Two extra
    components in the Brier score decomposition.

    Examples
    --------
    >>> from statlearn.assess import brier_decomposition
    >>> parts = brier_decomposition([0, 0, 1, 1, 1, 0], [0.2, 0.2, 0.2, 0.8, 0.8, 0.8])
    >>> round(parts.reliability, 4), round(parts.resolution, 4), round(parts.uncertainty, 4), round(parts.brier, 4)
    (0.0178, 0.0278, 0.25, 0.24)
    """
    check_arguments(brier_decomposition, n_bins=(n_bins, [Int(1, None), None]), strategy=(strategy, STRATEGY))
    y, p, w = _probabilities(y_true, y_prob, pos_label, sample_weight)
    if n_bins is None:
        codes = np.unique(p, return_inverse=True)[1]
    else:
        codes = _bins(p, _edges(p, n_bins, strategy, w))
    count, sum_y, sum_p = _sums(codes, y, p, w)
    share, observed, predicted = count / w.sum(), sum_y / count, sum_p / count
    overall = float(np.average(y, weights=w))
    brier = float(np.average((p - y) ** 2, weights=w))
    reliability = float(share @ (predicted - observed) ** 2)
    resolution = float(share @ (observed - overall) ** 2)
    uncertainty = overall * (1.0 - overall)
    within = 0.0 if n_bins is None else brier - (reliability - resolution + uncertainty)
    return BrierDecomposition(brier, reliability, resolution, uncertainty, within)


def hosmer_lemeshow(y_true, y_prob, *, n_groups=10, fitted=True, pos_label=None):
    r"""Hosmer-Lemeshow test of agreement between predicted and observed counts in groups of similar predictions.

    :math:`\chi^2 = \sum_g (O_g - E_g)^2 / \{E_g (1 - E_g/n_g)\}` with groups formed at quantiles of the predictions.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Two classes.
    y_prob : array-like of shape (n,)
        Predicted probability of the positive class.
    n_groups : int, default=10
        Number of groups; fewer if predictions are tied.
    fitted : bool, default=True
        Whether the model was fitted to these rows. The degrees of freedom are then groups - 2, otherwise the number of
        groups.
    pos_label : label or None, default=None
        None uses the larger of the two labels.

    Returns
    -------
    TestResult
        A small p-value is evidence against calibration.

    See Also
    --------
    reliability_curve : look at it first; the test depends on the number of groups and on n.

    References
    ----------
    Hosmer and Lemeshow (1980), Goodness of fit tests for the multiple logistic regression model.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.assess import hosmer_lemeshow
    >>> rng = np.random.default_rng(0)
    >>> p = rng.uniform(0.1, 0.9, size=1000)
    >>> y = (rng.uniform(size=1000) < p).astype(int)
    >>> hosmer_lemeshow(y, p, fitted=False).p_value > 0.01, hosmer_lemeshow(y, p**2, fitted=False).p_value < 1e-6
    (True, True)
    """
    check_arguments(hosmer_lemeshow, n_groups=(n_groups, [Int(2, None)]), fitted=(fitted, ["boolean"]))
    y, p, _ = _probabilities(y_true, y_prob, pos_label, None)
    edges = np.unique(np.quantile(p, np.linspace(0.0, 1.0, n_groups + 1)))
    codes = np.searchsorted(edges[1:-1], p, side="left")  # closed on the right, as R cuts
    n, observed, expected = np.bincount(codes), np.bincount(codes, y), np.bincount(codes, p)
    used = n > 0
    n, observed, expected = n[used], observed[used], expected[used]
    df = len(n) - 2 if fitted else len(n)
    if df < 1:
        raise ValueError(f"The predictions form only {len(n)} groups, too few for the test.")
    spread = expected * (1.0 - expected / n)
    gap = (observed - expected) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = float(np.sum(np.where(gap > 0, gap / spread, 0.0)))
    return TestResult(statistic, float(chdtrc(df, statistic)), float(df), "Hosmer-Lemeshow test")
