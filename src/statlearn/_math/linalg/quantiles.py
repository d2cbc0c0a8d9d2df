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


def equal_weight_edges(values, weights, n_bins):
    """Inner edges of at most `n_bins` bins of about equal weight, midway between neighbouring distinct values.

    A column of few distinct values has one bin per value. Any other column that varies has two bins at least, even if
    one value has nearly all of the weight: each edge is the one nearest to its share of the weight.

    Parameters
    ----------
    values : ndarray of shape (n,)
        NaN marks missing values, which are left out.
    weights : ndarray of shape (n,) or None
        None counts every value once; values of weight 0 are left out.
    n_bins : int

    Returns
    -------
    ndarray
        Increasing. A value on an edge belongs to the bin above it.
    """
    seen = ~np.isnan(values)
    if weights is not None:
        seen &= weights > 0
        weights = weights[seen]
    distinct, place = np.unique(values[seen].astype(np.float64), return_inverse=True)
    last = len(distinct) - 1
    if last < 1:
        return np.empty(0)
    cuts = np.arange(last)
    if last >= n_bins:
        mass = np.bincount(place, weights, minlength=len(distinct))
        reached = np.cumsum(mass) / mass.sum()
        shares = np.arange(1, n_bins) / n_bins
        # Rounding must not miss a share that is reached exactly, nor decide between two cuts that are equally good.
        cuts = np.searchsorted(reached, shares * (1 - 1e-12))
        below = shares - reached[np.maximum(cuts - 1, 0)]
        cuts -= (cuts > 0) & (below < (reached[cuts] - shares) * (1 - 1e-9))
        cuts = np.unique(cuts[cuts < last])
    return distinct[cuts] / 2 + distinct[cuts + 1] / 2
