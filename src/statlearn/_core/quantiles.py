"""Quantiles of weighted values: weight k counts as k copies."""

import numpy as np


def weighted_quantile(values, weights, quantile, *, midpoint=False):
    """The smallest value with at least the share `quantile` of the weight at or below it.

    Parameters
    ----------
    values : ndarray of shape (n,)
    weights : ndarray of shape (n,) or None
        None counts every value once.
    quantile : float
        Between 0 and 1.
    midpoint : bool, default=False
        If the share is reached exactly, return the midpoint between this value and the next; at 0.5 the usual median.

    Returns
    -------
    float
    """
    if weights is None:
        method = "averaged_inverted_cdf" if midpoint else "inverted_cdf"
        return float(np.quantile(values, quantile, method=method))
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order], dtype=np.float64)
    share, last = quantile * reached[-1], len(values) - 1
    # Rounding must not miss or exceed a share that is reached exactly.
    low = values[order[min(np.searchsorted(reached, share * (1 - 1e-12), side="left"), last)]]
    if not midpoint:
        return float(low)
    high = values[order[min(np.searchsorted(reached, share * (1 + 1e-12), side="right"), last)]]
    return float(low + (high - low) / 2)
