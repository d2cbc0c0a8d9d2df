"""Formulas for ensembles: independent voters, correlated members and bootstrap samples."""

import numpy as np

from statlearn._core.params import Int, check_arguments
from statlearn._math.linalg.quantiles import weighted_quantile


def majority_vote_accuracy(p, n_voters):
    r"""Accuracy of a majority vote of independent voters.

    .. math:: \sum_{k > n/2} \binom{n}{k} p^k (1-p)^{n-k}

    plus, for an even number of voters, half the probability of a tie, which is decided by a coin flip.

    Parameters
    ----------
    p : float or array-like
        Probability that a single voter is right, between 0 and 1.
    n_voters : int
        Number of voters.

    Returns
    -------
    float or ndarray
        Same shape as `p`.

    Notes
    -----
    More voters help if p > 1/2 and hurt if p < 1/2, provided that their errors are independent. Those of the members
    of a fitted ensemble never are.

    Examples
    --------
    >>> from statlearn.ensemble import majority_vote_accuracy
    >>> majority_vote_accuracy([0.3, 0.5, 0.7], 11).round(4)
    array([0.0782, 0.5   , 0.9218])
    """
    from scipy.special import bdtr, bdtrc

    check_arguments(majority_vote_accuracy, n_voters=(n_voters, [Int(1, None)]))
    p = np.asarray(p, dtype=np.float64)
    if not np.all((p >= 0) & (p <= 1)):
        raise ValueError("`p` must be between 0 and 1.")
    half, odd = divmod(int(n_voters), 2)
    share = bdtrc(half, n_voters, p)
    if not odd:
        share = share + 0.5 * (bdtr(half, n_voters, p) - bdtr(half - 1, n_voters, p))
    return float(share) if share.ndim == 0 else share


def average_variance(rho, sigma2, n_members):
    r"""Variance of the average of equally correlated predictions.

    .. math:: \rho\sigma^2 + \frac{1-\rho}{B}\sigma^2

    Averaging more members reduces only the second term. Forests reduce the first by decorrelating their trees.

    Parameters
    ----------
    rho : float or array-like
        Correlation between two members, from -1/(B-1) to 1.
    sigma2 : float or array-like
        Variance of one member.
    n_members : int or array-like
        Number of members B.

    Returns
    -------
    float or ndarray

    Examples
    --------
    >>> from statlearn.ensemble import average_variance
    >>> [round(average_variance(0.3, 1.0, B), 6) for B in (1, 5, 10, 100)]
    [1.0, 0.44, 0.37, 0.307]
    """
    rho, sigma2, members = (np.asarray(a, dtype=np.float64) for a in (rho, sigma2, n_members))
    if not np.all(members >= 1):
        raise ValueError("`n_members` must be at least 1.")
    if not np.all(sigma2 >= 0):
        raise ValueError("`sigma2` must be non-negative.")
    if not np.all((rho <= 1) & (1 + (members - 1) * rho >= -1e-12)):
        raise ValueError("`rho` must be between -1/(n_members - 1) and 1.")
    variance = rho * sigma2 + (1 - rho) * sigma2 / members
    return float(variance) if variance.ndim == 0 else variance


def out_of_bag_share(n, n_draws=None):
    r"""Out-of-bag probability :math:`(1 - 1/n)^m` of a row in a bootstrap sample.

    For m = n it tends to 1/e.

    Parameters
    ----------
    n : int
        Number of rows.
    n_draws : int or None, default=None
        Sample size m. None means n.

    Returns
    -------
    float

    Examples
    --------
    >>> from statlearn.ensemble import out_of_bag_share
    >>> round(out_of_bag_share(100), 7)
    0.3660323
    """
    check_arguments(out_of_bag_share, n=(n, [Int(1, None)]), n_draws=(n_draws, [Int(0, None), None]))
    draws = n if n_draws is None else n_draws
    return float((1.0 - 1.0 / n) ** draws)


def bootstrap_mean_correlation(n):
    r"""Correlation :math:`n / (2n - 1)` between the means of two bootstrap samples of the same random rows.

    It always exceeds one half. Bagging cannot reduce the correlation of its members further, but randomisation within
    the base estimator can.

    Parameters
    ----------
    n : int
        Number of rows.

    Returns
    -------
    float

    Examples
    --------
    >>> from statlearn.ensemble import bootstrap_mean_correlation
    >>> round(bootstrap_mean_correlation(50), 7)
    0.5050505
    """
    check_arguments(bootstrap_mean_correlation, n=(n, [Int(1, None)]))
    return n / (2.0 * n - 1.0)


def weighted_median(values, weights=None):
    r"""Weighted median, the middle of the values of m that minimise :math:`\sum_i w_i |v_i - m|`.

    The smallest value with more than half of the weight at or below it. Where a value and those below it have exactly
    half of the weight, the midpoint between it and the next value, so that equal weights give the usual median.

    Parameters
    ----------
    values : array-like of shape (n,)
    weights : array-like of shape (n,) or None, default=None
        Non-negative weights with a positive sum. None gives all values the same weight.

    Returns
    -------
    float

    Examples
    --------
    >>> from statlearn.ensemble import weighted_median
    >>> weighted_median([1.0, 2.0, 10.0], [1.0, 1.0, 3.0])
    10.0
    >>> weighted_median([4.0, 1.0, 2.0, 3.0])
    2.5
    """
    values = np.asarray(values, dtype=np.float64)
    if values.ndim != 1 or values.size == 0 or np.isnan(values).any():
        raise ValueError("`values` must be a non-empty one-dimensional array without NaN.")
    if weights is not None:
        weights = np.asarray(weights, dtype=np.float64)
        if weights.shape != values.shape:
            raise ValueError(f"`weights` has shape {weights.shape}; it must have the shape {values.shape} of `values`.")
        if not np.all(np.isfinite(weights)) or np.any(weights < 0) or not np.any(weights > 0):
            raise ValueError("`weights` must be finite and non-negative with a positive sum.")
        values, weights = values[weights > 0], weights[weights > 0]
    return weighted_quantile(values, weights, 0.5, midpoint=True)
