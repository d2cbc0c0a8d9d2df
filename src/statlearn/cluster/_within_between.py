"""Scatter of a partition: within clusters, between clusters, and total."""

from dataclasses import dataclass

import numpy as np

from ._distance_sums import check_metric, check_points, distance_sums
from ._labels import encode_labels


@dataclass(frozen=True)
class WithinBetween:
    """Result of `within_between_total`; total = within + between in both conventions.

    Attributes
    ----------
    within, between, total : float
        Sums of squared distances of rows to their cluster mean (`KMeans.inertia_`), of cluster means to the overall
        mean, and of rows to the overall mean. For other dissimilarities d, the sums over the pairs of a cluster divided
        by its size.
    within_pairs, between_pairs, total_pairs : float
        Half the sums of d over ordered pairs: within clusters, between clusters, and all.
    by_cluster : ndarray of shape (n_clusters,)
        Contribution of each cluster to `within`.
    sizes : ndarray of shape (n_clusters,)
    """

    within: float
    between: float
    total: float
    within_pairs: float
    between_pairs: float
    total_pairs: float
    by_cluster: np.ndarray
    sizes: np.ndarray


def within_between_total(X, labels, *, metric="sqeuclidean", **kwds):
    r"""Within-cluster, between-cluster and total scatter of a partition, from centres and from pairs.

    .. math:: W = \sum_k \sum_{i \in k} \lVert x_i - m_k \rVert^2 = \sum_k \frac{1}{2 N_k} \sum_{i, j \in k} d_{ij},
        \qquad W_{pairs} = \tfrac12 \sum_k \sum_{i, j \in k} d_{ij}

    where d is the squared Euclidean distance or another dissimilarity; T is the same with all rows as one cluster, and
    B = T - W.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features), or dissimilarities of shape (n_samples, n_samples)
    labels : array-like of shape (n_samples,)
    metric : str or callable, default="sqeuclidean"
        Dissimilarity d; with "precomputed", X contains d. Only the squared Euclidean distance makes W the scatter
        around the means.
    **kwds
        Additional parameters of the metric.

    Returns
    -------
    WithinBetween

    Notes
    -----
    W decreases with the number of clusters even if there are none; compare it with that of a reference
    (`gap_statistic`).

    Examples
    --------
    >>> from statlearn.cluster import within_between_total
    >>> scatter = within_between_total([[1.0], [2.0], [3.0], [10.0], [11.0], [12.0]], [0, 0, 0, 1, 1, 1])
    >>> scatter.within, scatter.between, scatter.total
    (4.0, 121.5, 125.5)
    >>> scatter.within_pairs
    12.0
    """
    check_metric(metric, "within_between_total")
    X = check_points(X, metric)
    _, codes = encode_labels(labels, X.shape[0])
    n, sizes = X.shape[0], np.bincount(codes)
    if metric == "sqeuclidean":
        X = X - X.mean(axis=0)  # nothing is lost to a far origin
    inside, everything = np.zeros(len(sizes)), 0.0
    for rows, sums in distance_sums(X, codes, len(sizes), metric, **kwds):
        codes_here = codes[rows]
        inside += np.bincount(codes_here, weights=sums[np.arange(len(rows)), codes_here], minlength=len(sizes))
        everything += float(sums.sum())
    parts = inside / (2 * sizes)
    within, total = float(parts.sum()), everything / (2 * n)
    pairs = float(inside.sum()) / 2
    return WithinBetween(
        within, total - within, total, pairs, everything / 2 - pairs, everything / 2, by_cluster=parts, sizes=sizes
    )
