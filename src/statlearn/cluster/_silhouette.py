"""Silhouettes: how much nearer a row is to its own cluster than to the nearest other cluster."""

import numpy as np
from sklearn.utils import check_random_state

from statlearn._core.params import Int, check_arguments

from ._distance_sums import check_metric, check_points, distance_sums
from ._labels import encode_labels, require_partition


def silhouette_samples(X, labels, *, metric="euclidean", **kwds):
    r"""Silhouette coefficient of every row.

    With a the mean distance of a row to the other rows of its cluster, and b the smallest mean distance to the rows of
    another cluster,

    .. math:: s = \frac{b - a}{\max(a, b)}

    which is between -1 and 1. It is 0 for a row that forms a cluster on its own.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features), or distances of shape (n_samples, n_samples)
    labels : array-like of shape (n_samples,)
        At least two distinct labels, and fewer than rows. Noise (-1) is treated as a cluster; leave such rows out if it
        is not one.
    metric : str or callable, default="euclidean"
        As in scikit-learn; with "precomputed", X contains distances.
    **kwds
        Additional parameters of the metric.

    Returns
    -------
    ndarray of shape (n_samples,)

    Notes
    -----
    Exact, with O(n) memory in addition to a table of rows by clusters. For Euclidean, Manhattan and Chebyshev distances
    each of the n(n - 1)/2 distances is computed once, in blocks that fit in the cache, by all threads. Squared
    Euclidean distances need no pairs at all: O(n k p).

    References
    ----------
    Rousseeuw, P. J. (1987). Silhouettes. Journal of Computational and Applied Mathematics 20, 53-65.

    Examples
    --------
    >>> from statlearn.cluster import silhouette_samples
    >>> silhouette_samples([[0.0], [1.0], [10.0]], [0, 0, 1]).round(3)
    array([0.9  , 0.889, 0.   ])
    """
    check_metric(metric, "silhouette_samples")
    X = check_points(X, metric)
    _, codes = encode_labels(labels, X.shape[0])
    counts = np.bincount(codes)
    require_partition(len(counts), X.shape[0])
    scores = np.empty(X.shape[0])
    for rows, sums in distance_sums(X, codes, len(counts), metric, **kwds):
        scores[rows] = _quotients(sums, codes[rows], counts)
    return scores


def _quotients(sums, codes, counts):
    place = np.arange(len(codes)), codes
    within = sums[place] / np.maximum(counts[codes] - 1, 1)
    means = sums / counts
    means[place] = np.inf
    between = means.min(axis=1)
    larger = np.maximum(within, between)
    alone = (counts[codes] == 1) | (larger == 0)
    return np.where(alone, 0.0, (between - within) / np.where(larger == 0, 1.0, larger))


def silhouette_score(X, labels, *, metric="euclidean", sample_size=None, random_state=None, **kwds):
    """Mean silhouette coefficient of all rows, or of a random sample.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features), or distances of shape (n_samples, n_samples)
    labels : array-like of shape (n_samples,)
    metric : str or callable, default="euclidean"
    sample_size : int or None, default=None
        Number of rows to sample; only distances within the sample are used. None uses all rows.
    random_state : int, RandomState or None, default=None
        Seed of the sample.
    **kwds
        Additional parameters of the metric.

    Returns
    -------
    float
        1 for compact clusters far apart, near 0 where they overlap, below 0 where rows are in the wrong one.

    Examples
    --------
    >>> from statlearn.cluster import silhouette_score
    >>> silhouette_score([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1])
    0.899...
    """
    check_arguments(
        "silhouette_score",
        sample_size=(sample_size, [Int(1, None), None]),
        random_state=(random_state, ["random_state"]),
    )
    if sample_size is not None:
        check_metric(metric, "silhouette_score")
        X = check_points(X, metric)
        labels = np.asarray(labels)
        encode_labels(labels, X.shape[0])
        rows = check_random_state(random_state).permutation(X.shape[0])[:sample_size]
        X, labels = X[rows], labels[rows]
        X = X[:, rows] if metric == "precomputed" else X
    return float(np.mean(silhouette_samples(X, labels, metric=metric, **kwds)))
