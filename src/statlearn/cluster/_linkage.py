"""Hierarchical clustering: the order and heights of merges."""

import numpy as np
from scipy.spatial.distance import squareform
from sklearn.utils.validation import check_array

from statlearn._core.memory import require_memory
from statlearn._core.native import cluster as native
from statlearn._core.params import Options, check_arguments
from statlearn._core.validation import FLOATS
from statlearn._math.distances.metrics import distance_block, resolve_metric, warn_of_distances

from ._dissimilarity import check_dissimilarity

METHODS = ("single", "complete", "average", "weighted", "ward", "centroid", "median")  # as in linkage_matrix.hpp
EUCLIDEAN_ONLY = ("ward", "centroid", "median")
_BLOCK = 1 << 23  # dissimilarities computed at a time
# With more columns, boxes bound little, and single linkage is faster with a matrix that fits (measured).
_TREE_COLUMNS, _TREE_ROWS = 16, 20_000
_ORDERED_ROWS = 1000  # as kChainItems in merge_tree.hpp: below, equal dissimilarities are met in the order of the rows
_COPIES = 100_000  # a row with this many copies takes two minutes


def linkage(X, method="ward", *, metric="euclidean", metric_params=None):
    r"""Hierarchical clustering of the rows of X.

    Every row starts as a cluster, and the two clusters with the smallest dissimilarity are merged until one is left.
    The dissimilarity of two clusters A and B is

    - single: the smallest between a row of A and a row of B;
    - complete: the largest;
    - average: the mean over all pairs of rows;
    - weighted: the mean of those of the two clusters merged into A (so a small one counts the same as a large one);
    - ward: :math:`\sqrt{2 n_A n_B / (n_A + n_B)}\, \lVert c_A - c_B \rVert` with sizes n and centres c; half its square
      is the increase of the within-cluster sum of squares;
    - centroid: the distance of the centres; median: the same, with a new centre midway between the two old ones.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features), (n_samples, n_samples) or (n_samples * (n_samples - 1) / 2,)
        Rows to cluster. With ``metric="precomputed"``, dissimilarities: a symmetric matrix with a zero diagonal, or its
        upper triangle row by row.
    method : {"single", "complete", "average", "weighted", "ward", "centroid", "median"}, default="ward"
    metric : str or callable, default="euclidean"
        A metric of `statlearn.neighbors.pairwise_distances`, "precomputed", or a function of two rows. Ward, centroid
        and median linkage require Euclidean distances.
    metric_params : dict or None, default=None
        Additional parameters of the metric.

    Returns
    -------
    Z : ndarray of shape (n_samples - 1, 4)
        One row per merge in order of height: the two clusters, the height, and the number of rows in the union. Numbers
        below n_samples are rows; merge k creates cluster n_samples + k. This is scipy's format.

    Notes
    -----
    Ward linkage and single linkage of Euclidean data work on the points, in O(n) memory. Ward merges pairs that are
    each other's nearest neighbours, found in a tree of boxes; single linkage uses a minimum spanning tree (Borůvka's
    algorithm on such a tree). The others need all n (n - 1) / 2 dissimilarities and pass over them O(1) times on
    average. A matrix that does not fit in memory raises a MemoryError.

    If dissimilarities are tied, the hierarchy is not unique and other programs may find another one. Centroid and
    median linkage can merge at a lower height than before (inversions).

    References
    ----------
    Müllner (2011), "Modern hierarchical, agglomerative clustering algorithms", arXiv:1109.2378.
    Murtagh (1983), "A survey of recent advances in hierarchical clustering algorithms", The Computer Journal 26.
    March, Ram & Gray (2010), "Fast Euclidean minimum spanning tree", KDD.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.cluster import linkage
    >>> linkage(np.array([[0.0], [2.0], [10.0]]), "average")
    array([[0., 1., 2., 2.],
           [2., 3., 9., 3.]])
    """
    check_arguments(linkage, method=(method, [Options(*METHODS)]))
    if metric in ("euclidean", "l2") and not metric_params:
        X = check_array(X, dtype=np.float64, order="C", ensure_min_samples=2, input_name="X")
        warn_of_distances(X, metric)
        return euclidean_tree(X, method)
    if method in EUCLIDEAN_ONLY and metric != "precomputed":
        raise ValueError(f"`method`={method!r} is defined for Euclidean distances only, got `metric`={metric!r}.")
    if metric == "precomputed":
        X = check_array(X, dtype=np.float64, ensure_2d=False, ensure_min_samples=1, input_name="X")
        entries = X.copy() if X.ndim == 1 else condensed(X)
    else:
        X = check_array(X, ensure_min_samples=2, input_name="X")
        warn_of_distances(X, metric)
        entries = condensed_dissimilarities(X, metric, metric_params)
    return matrix_tree(entries, method)


def euclidean_tree(X, method):
    """Hierarchy of rows (float64, C-contiguous) under Euclidean distance."""
    refuse_many_copies(X)
    n, p = X.shape
    X, unit = in_unit(X)
    Z = np.empty((n - 1, 4))
    if method == "ward":
        native.ward_linkage(X, Z)
    elif method == "single" and (p <= _TREE_COLUMNS or n > _TREE_ROWS):
        native.single_linkage(X, None, 1.0, Z)
    else:
        entries = _entries(n)
        # Clusters that merge should lie near each other in the matrix too: it is then read along its rows.
        order = native.spatial_order(X) if n > _ORDERED_ROWS else None
        native.condensed_distances(X if order is None else X[order], entries)
        Z = matrix_tree(entries, method)
        if order is not None:
            nodes = np.concatenate([order, np.arange(n, 2 * n - 1)])
            Z[:, :2] = np.sort(nodes[Z[:, :2].astype(np.intp)], axis=1)
    Z[:, 2] *= unit
    return Z


def refuse_many_copies(X):
    """Raise an error for a row with so many copies that no search tree can tell their distances apart.

    Each of them is compared with all others, since ties go to the lowest index.
    """
    if len(X) <= _COPIES:
        return
    keys = np.zeros(len(X), np.uint64)
    for column in X.T:
        bits = (column + 0.0).view(np.uint64)  # -0 is 0
        keys = (keys ^ bits ^ (bits >> np.uint64(29))) * np.uint64(0x9E3779B97F4A7C15)
        keys ^= keys >> np.uint64(32)
    keys.sort()
    starts = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1], True])
    copies = int(np.diff(starts).max())
    if copies > _COPIES:
        raise ValueError(
            f"X contains {copies:,} copies of one row; more than {_COPIES:,} would take long, as each is compared with "
            "all others. Drop duplicate rows, or use KMeans or DBSCAN, which accept `sample_weight`."
        )


def in_unit(X):
    """Rows rescaled so that squares neither overflow nor vanish, and the unit of length."""
    largest = np.abs(X).max(initial=0.0)
    if 1e-100 < largest < 1e100 or largest == 0:
        return X, 1.0
    return X / largest, largest


def matrix_tree(entries, method):
    """Hierarchy of condensed dissimilarities, which are overwritten."""
    n = round((1 + np.sqrt(1 + 8 * len(entries))) / 2)
    if n * (n - 1) // 2 != len(entries) or n < 2:
        raise ValueError(
            f"The condensed dissimilarities have {len(entries)} entries, which is not n (n - 1) / 2 for any integer n."
        )
    Z = np.empty((n - 1, 4))
    native.matrix_linkage(entries, METHODS.index(method), Z)
    return Z


def _entries(n):
    require_memory(
        4 * n * (n - 1),
        f"The {n * (n - 1) // 2:,} dissimilarities of {n:,} rows",
        "Ward and single linkage of Euclidean data need no matrix. Otherwise cluster a sample of the rows.",
    )
    return np.empty(n * (n - 1) // 2)


def condensed_dissimilarities(X, metric, metric_params=None):
    """Dissimilarities of the rows: the upper triangle row by row, computed one block of rows at a time."""
    X = np.ascontiguousarray(X if X.dtype in FLOATS else X.astype(np.float64))
    n = len(X)
    resolved = resolve_metric(metric, X, metric_params=metric_params)
    if resolved.name == "kl":
        raise ValueError("`metric`='kl' is not symmetric; use 'jeffreys'.")
    entries = _entries(n)
    size, at = max(1, _BLOCK // n), 0
    for begin in range(0, n, size):
        D = distance_block(resolved, X[begin : begin + size], X[begin:])
        for i, row in enumerate(D):
            entries[at : at + n - begin - i - 1] = row[i + 1 :]
            at += n - begin - i - 1
    if not np.all(np.isfinite(entries)):
        raise ValueError(f"`metric`={metric!r} returns infinite or NaN dissimilarities for X.")
    return entries


def condensed(D):
    """The upper triangle of a validated dissimilarity matrix."""
    if D.ndim != 2 or D.shape[0] != D.shape[1]:
        raise ValueError(f"Distance matrix should be square, got matrix of shape {D.shape}.")
    D = check_dissimilarity(np.ascontiguousarray(D, dtype=np.float64))
    return squareform(D, checks=False)
