"""Sums of distances from every row to every cluster, computed in strips without an n x n matrix."""

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_array

from statlearn._core.native import cluster as native
from statlearn._core.params import Options, check_value
from statlearn._core.validation import FLOATS
from statlearn._math.linalg.sparse_arrays import to_dense

from ._dissimilarity import check_dissimilarity
from ._labels import by_cluster, cluster_means

_NATIVE = {"euclidean": 0, "l2": 0, "manhattan": 2, "cityblock": 2, "l1": 2, "chebyshev": 3}
_ALL_AT_ONCE = 2**29  # bytes of sums below which every distance is computed once for both of its rows
_STRIP_BYTES = 2**27
_BLOCK = 128  # kPairBlock of the kernel: strips begin at its multiples

METRICS = (
    "braycurtis", "canberra", "chebyshev", "cityblock", "correlation", "cosine", "dice", "euclidean", "hamming",
    "haversine", "jaccard", "l1", "l2", "mahalanobis", "manhattan", "minkowski", "nan_euclidean", "precomputed",
    "rogerstanimoto", "russellrao", "seuclidean", "sokalsneath", "sqeuclidean", "yule",
)  # fmt: skip


def check_metric(metric, owner):
    """Raise an error for unknown metrics, listing the valid ones."""
    check_value("metric", metric, [Options(*METRICS), "callable"], owner)


def check_points(X, metric):
    """Validated rows, or a square matrix of distances."""
    if metric != "precomputed":
        dtype = FLOATS if metric in _NATIVE or metric == "sqeuclidean" else None
        finite = "allow-nan" if metric == "nan_euclidean" else True
        return check_array(X, accept_sparse="csr", dtype=dtype or "numeric", ensure_all_finite=finite, input_name="X")
    X = check_array(X, accept_sparse="csr", dtype=np.float64, order="C", input_name="X")
    return X if sparse.issparse(X) else check_dissimilarity(X)


def distance_sums(X, codes, n_clusters, metric="euclidean", **metric_params):
    """Yield (rows, sums): sums[i, c] is the sum of distances from row rows[i] to the rows of cluster c.

    Parameters
    ----------
    X : ndarray or sparse matrix
        From `check_points`.
    codes : ndarray of int
        The cluster of each row, 0 to n_clusters - 1.
    metric : str or callable, default="euclidean"
    """
    order, starts = by_cluster(codes, n_clusters)
    n = X.shape[0]
    if metric == "sqeuclidean" and not metric_params and not sparse.issparse(X):
        yield np.arange(n), _squared_sums(X, codes, n_clusters)
        return
    if metric in _NATIVE and not metric_params and not sparse.issparse(X):
        strip = n if 8 * n * n_clusters <= _ALL_AT_ONCE else _strip(_STRIP_BYTES // (8 * n_clusters))
        for begin in range(0, n, strip):
            sums = np.empty((min(strip, n - begin), n_clusters))
            native.cluster_sums(X, order, starts, _NATIVE[metric], begin, sums)
            yield order[begin : begin + strip], sums
        return
    sorted_rows = X[order]
    sorted_rows = sorted_rows[:, order] if metric == "precomputed" else sorted_rows
    strip = max(1, _STRIP_BYTES // (8 * n))
    for begin in range(0, n, strip):
        block = _block(sorted_rows, begin, strip, metric, metric_params)
        yield order[begin : begin + strip], np.add.reduceat(block, starts[:-1], axis=1)


def _strip(rows):
    return max(1, rows // _BLOCK) * _BLOCK


def _squared_sums(X, codes, n_clusters):
    """Sums of squared distances in closed form: N_c |x - m_c|^2 plus the sum of squares around the mean m_c."""
    X = X.astype(np.float64, copy=False)
    means, counts = cluster_means(X, codes, n_clusters)
    squares = np.bincount(codes, weights=((X - means[codes]) ** 2).sum(axis=1), minlength=n_clusters)
    away = np.stack([((X - mean) ** 2).sum(axis=1) for mean in means], axis=1)
    return counts * away + squares


def _block(rows, begin, strip, metric, metric_params):
    """Distances from a strip of rows to all rows, by any metric of scikit-learn."""
    if metric == "precomputed":
        block = rows[begin : begin + strip]
        return to_dense(block)
    from sklearn.metrics import pairwise_distances

    block = pairwise_distances(rows[begin : begin + strip], rows, metric=metric, **metric_params)
    # Of a row to itself: exactly 0, where rounding would leave a trace.
    local = np.arange(block.shape[0])
    block[local, begin + local] = 0.0
    return block
