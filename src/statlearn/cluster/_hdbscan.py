"""Hierarchical density-based clustering."""

from numbers import Integral

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.fitted_state import forget
from statlearn._core.jobs import jobs
from statlearn._core.memory import require_memory
from statlearn._core.native import cluster as native
from statlearn._core.params import Instance, Int, Options, Real, check_params
from statlearn._core.validation import validate_data
from statlearn._core.warnings import warn
from statlearn._math.distances.metrics import (
    BALL_TREE_METRICS,
    BRUTE_METRICS,
    KD_TREE_METRICS,
    distance_block,
    resolve_metric,
    warn_of_distances,
)
from statlearn._math.linalg.sparse_arrays import by_rows, to_dense

from ._dendrogram import labels_of_nodes, number_by_first
from ._linkage import in_unit, refuse_many_copies

NOISE, INFINITE, MISSING = -1, -2, -3
# With more columns a tree bounds little; up to this many rows the matrix is then faster (measured).
_TREE_COLUMNS, _MATRIX_ROWS = 16, 20_000


class HDBSCAN(ClusterMixin, BaseEstimator):
    r"""HDBSCAN: hierarchical density-based clustering with noise.

    The core distance of a point is the distance to its `min_samples`-th neighbour (itself included), and

    .. math:: d_{ij} = \max(\mathrm{core}_i, \mathrm{core}_j, \lVert x_i - x_j \rVert / \alpha)

    is the mutual reachability distance of two points. Single linkage under this distance contains the DBSCAN results
    for every eps. In its tree, splits that separate fewer than `min_cluster_size` points are points leaving a cluster;
    other splits create new clusters. The clusters chosen are those that jointly persist longest (excess of mass).

    Parameters
    ----------
    min_cluster_size : int, default=5
        Minimum number of points in a cluster.
    min_samples : int or None, default=None
        Rank of the neighbour that defines the core distance; None means `min_cluster_size`. Larger values label more
        points as noise.
    cluster_selection_epsilon : float, default=0.0
        Clusters that split off at a smaller distance than this are merged with their neighbours.
    max_cluster_size : int or None, default=None
        Maximum number of points in a cluster chosen by excess of mass.
    metric : str or callable, default="euclidean"
        A metric of `statlearn.neighbors.pairwise_distances`, a function of two rows, or "precomputed". X is then a
        symmetric matrix of distances (infinite if unknown) or a sparse matrix of the known distances.
    metric_params : dict or None, default=None
        Additional parameters of the metric.
    alpha : float, default=1.0
        Divisor of the distances, as in robust single linkage.
    algorithm : {"auto", "brute", "kd_tree", "ball_tree"}, default="auto"
        "brute" computes the distance matrix; "auto" avoids it for Euclidean distances in few dimensions. "kd_tree" and
        "ball_tree" only restrict the metric. It does not affect the result.
    leaf_size : int, default=40
        Accepted for compatibility with scikit-learn; has no effect.
    n_jobs : int or None, default=None
        Number of threads; None uses all that are available. It does not affect the result.
    cluster_selection_method : {"eom", "leaf"}, default="eom"
        "eom" is excess of mass; "leaf" chooses the leaves of the cluster tree, which are smaller and more homogeneous.
    allow_single_cluster : bool, default=False
        Whether all points may form a single cluster.
    store_centers : {"centroid", "medoid", "both"} or None, default=None
        Which cluster centres to store.
    copy : bool, default=True
        Accepted for compatibility with scikit-learn; X is never changed.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row; -1 is noise, -2 a row with an infinite value, -3 a row with a missing value.
    probabilities_ : ndarray of shape (n_samples,)
        Persistence of each point in its cluster relative to the longest: 1 in the core, 0 for noise, NaN for rows with
        missing values.
    single_linkage_tree_ : ndarray of shape (n_finite_samples - 1, 4)
        Single linkage tree of the mutual reachability distances of the rows without missing or infinite values, in the
        format of `linkage`.
    centroids_ : ndarray of shape (n_clusters, n_features)
        Cluster means weighted by `probabilities_`. Only with ``store_centers="centroid"`` or ``"both"``.
    medoids_ : ndarray of shape (n_clusters, n_features)
        Members with the smallest weighted sum of distances to the others. Only with ``store_centers="medoid"`` or
        ``"both"``.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Defined only if X has column names that are all strings.

    See Also
    --------
    DBSCAN : a single density for all clusters.

    Notes
    -----
    For Euclidean distances (and "seuclidean", "mahalanobis") in up to 16 dimensions the minimum spanning tree is found
    by Borůvka's algorithm on a tree of boxes in O(n) memory; otherwise the distance matrix must fit in memory. Many
    mutual reachability distances are tied. Here all merges at the same height are treated as one, so the clusters do
    not depend on the order of the rows; implementations that merge pairs (such as scikit-learn's) may differ in a few
    points.

    References
    ----------
    Campello, Moulavi & Sander (2013), "Density-based clustering based on hierarchical density estimates", PAKDD.
    McInnes & Healy (2017), "Accelerated hierarchical density based clustering", ICDMW.
    Malzer & Baum (2020), "A hybrid approach to hierarchical density-based cluster selection", MFI.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.cluster import HDBSCAN
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.5], [6.0], [40.0]])
    >>> HDBSCAN(min_cluster_size=3, min_samples=2).fit(X).labels_
    array([ 0,  0,  0,  1,  1,  1, -1])
    """

    _constraints = {
        "min_cluster_size": [Int(2, None)],
        "min_samples": [Int(1, None), None],
        "cluster_selection_epsilon": [Real(0, None)],
        "max_cluster_size": [Int(1, None), None],
        "metric": [Options(*BRUTE_METRICS), "callable"],
        "metric_params": [Instance(dict), None],
        "alpha": [Real(0, None, closed="neither")],
        "algorithm": [Options("auto", "brute", "kd_tree", "ball_tree")],
        "leaf_size": [Int(1, None)],
        "n_jobs": [Instance(Integral), None],
        "cluster_selection_method": [Options("eom", "leaf")],
        "allow_single_cluster": ["boolean"],
        "store_centers": [Options("centroid", "medoid", "both"), None],
        "copy": ["boolean"],
    }

    def __init__(
        self,
        min_cluster_size=5,
        min_samples=None,
        cluster_selection_epsilon=0.0,
        max_cluster_size=None,
        metric="euclidean",
        metric_params=None,
        alpha=1.0,
        algorithm="auto",
        leaf_size=40,
        n_jobs=None,
        cluster_selection_method="eom",
        allow_single_cluster=False,
        store_centers=None,
        copy=True,
    ):
        self.min_cluster_size = min_cluster_size
        self.min_samples = min_samples
        self.cluster_selection_epsilon = cluster_selection_epsilon
        self.max_cluster_size = max_cluster_size
        self.metric = metric
        self.metric_params = metric_params
        self.alpha = alpha
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.n_jobs = n_jobs
        self.cluster_selection_method = cluster_selection_method
        self.allow_single_cluster = allow_single_cluster
        self.store_centers = store_centers
        self.copy = copy

    def fit(self, X, y=None):
        """Compute the clustering.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples)
            Rows, or distances with ``metric="precomputed"``. Rows with missing or infinite values receive special
            labels.
        y : None, default=None
            Ignored.

        Returns
        -------
        self
        """
        check_params(self)
        precomputed = self._is_precomputed()
        if precomputed and self.store_centers is not None:
            raise ValueError("Cannot store centers when using a precomputed distance matrix.")
        X = validate_data(
            self,
            X,
            accept_sparse=["csr", "lil"],
            dtype=np.float64,
            order="C",
            ensure_all_finite=precomputed and sparse.issparse(X),
        )
        if X.shape[0] == 1:
            raise ValueError("n_samples=1 while HDBSCAN requires more than one sample.")
        self._check_algorithm(X)
        warn_of_distances(X, self.metric)
        n = X.shape[0]
        sums = None if precomputed else np.asarray(X.sum(axis=1)).ravel()
        special = np.zeros(n, dtype=int)
        if precomputed:
            if not sparse.issparse(X) and np.isnan(X).any():
                raise ValueError("np.nan values found in precomputed-dense.")
        elif not np.isfinite(sums).all():
            values = by_rows(X)
            special = np.where(_any_row(values, np.isnan), MISSING, np.where(_any_row(values, np.isinf), INFINITE, 0))
            X = values[special == 0]
        k = self.min_cluster_size if self.min_samples is None else self.min_samples
        if k > X.shape[0]:
            raise ValueError(f"min_samples ({k}) must be at most the number of samples in X ({X.shape[0]}).")
        with jobs(self.n_jobs):
            self.single_linkage_tree_ = self._tree(X, k)
        self._select(special)
        forget(self, "centroids_", "medoids_")
        if self.store_centers is not None:
            self._centres(X, self.labels_[special == 0], self.probabilities_[special == 0])
        return self

    def _is_precomputed(self):
        return isinstance(self.metric, str) and self.metric == "precomputed"

    def _check_algorithm(self, X):
        for algorithm, name, valid in (
            ("kd_tree", "KDTree", KD_TREE_METRICS),
            ("ball_tree", "BallTree", BALL_TREE_METRICS),
        ):
            if self.algorithm == algorithm and (callable(self.metric) or self.metric not in valid):
                raise ValueError(
                    f"{self.metric} is not a valid metric for a {name}-based algorithm. "
                    "Please select a different metric."
                )
        if self.algorithm in ("kd_tree", "ball_tree") and sparse.issparse(X):
            raise ValueError("Sparse data matrices only support algorithm `brute`.")

    def _tree(self, X, k):
        """Single linkage under mutual reachability."""
        params = dict(self.metric_params or {})
        farthest = params.pop("max_distance", 0.0)
        if self._is_precomputed():
            if sparse.issparse(X):
                return sparse_tree(X.tocsr(), k, self.alpha, farthest)
            _check_symmetric(X)
            return matrix_tree(X, k, self.alpha)
        X = np.ascontiguousarray(to_dense(X))
        resolved = resolve_metric(self.metric, X, metric_params=params)
        n, p = X.shape
        if resolved.code == 0 and self.algorithm != "brute" and (p <= _TREE_COLUMNS or n > _MATRIX_ROWS):
            return euclidean_tree(resolved.map_rows(X), k, self.alpha)
        require_memory(
            8 * n * n,
            f"The {n:,} x {n:,} distance matrix",
            "Use Euclidean distances with `algorithm`='auto', which need no matrix, or cluster a sample of the rows.",
        )
        return matrix_tree(distance_block(resolved, X, X), k, self.alpha)

    def _select(self, special):
        n = len(self.single_linkage_tree_) + 1
        labels, strengths = np.empty(n, dtype=np.intp), np.empty(n)
        native.hdbscan_labels(
            self.single_linkage_tree_,
            int(self.min_cluster_size),
            self.cluster_selection_method == "leaf",
            bool(self.allow_single_cluster),
            float(self.cluster_selection_epsilon),
            n + 1 if self.max_cluster_size is None else int(self.max_cluster_size),
            labels,
            strengths,
        )
        self.labels_ = special.astype(np.intp)
        self.labels_[special == 0] = labels
        self.probabilities_ = np.where(special == MISSING, np.nan, 0.0)
        self.probabilities_[special == 0] = strengths

    def _centres(self, X, labels, strengths):
        n_clusters = labels.max(initial=-1) + 1
        X = to_dense(X)
        centroids, medoids = np.empty((n_clusters, X.shape[1])), np.empty((n_clusters, X.shape[1]))
        resolved = resolve_metric(self.metric, np.ascontiguousarray(X), metric_params=self.metric_params)
        for c in range(n_clusters):
            rows, weights = np.ascontiguousarray(X[labels == c]), strengths[labels == c]
            centroids[c] = np.average(rows, weights=weights, axis=0)
            if self.store_centers != "centroid":
                medoids[c] = rows[np.argmin(_weighted_sums(resolved, rows, weights))]
        if self.store_centers != "medoid":
            self.centroids_ = centroids
        if self.store_centers != "centroid":
            self.medoids_ = medoids

    def fit_predict(self, X, y=None):
        """Fit the model and return the cluster label of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples)
        y : None, default=None
            Ignored.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        return self.fit(X).labels_

    def dbscan_clustering(self, cut_distance, min_cluster_size=5):
        """Clusters that DBSCAN without border points would find with this eps.

        Parameters
        ----------
        cut_distance : float
            Points are linked if their mutual reachability distance is below this.
        min_cluster_size : int, default=5
            Smaller clusters are noise.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Clusters, numbered in the order of their first rows; noise and special rows as in `labels_`.
        """
        check_is_fitted(self)
        Z = self.single_linkage_tree_
        merges = int(np.searchsorted(Z[:, 2], cut_distance, side="left"))
        nodes = labels_of_nodes(Z[:merges, :2].astype(np.intp), len(Z) + 1)
        names, codes, counts = np.unique(nodes, return_inverse=True, return_counts=True)
        large = counts[codes] >= min_cluster_size
        clusters = np.full(len(nodes), NOISE, dtype=np.intp)
        clusters[large] = number_by_first(names[codes[large]])
        labels = self.labels_.copy()
        labels[labels > INFINITE] = clusters
        return labels

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self._is_precomputed()
        tags.input_tags.allow_nan = not self._is_precomputed()
        return tags


def euclidean_tree(X, k, alpha):
    """Tree of mutual reachability from rows, in O(n) memory."""
    refuse_many_copies(X)
    X, unit = in_unit(np.ascontiguousarray(X, dtype=np.float64))
    core, Z = np.empty(len(X)), np.empty((len(X) - 1, 4))
    native.core_distances(X, k, core)
    native.single_linkage(X, core, float(alpha), Z)
    Z[:, 2] *= unit
    return Z


def matrix_tree(D, k, alpha):
    """Tree of mutual reachability from the distance matrix."""
    D = np.ascontiguousarray(D, dtype=np.float64)
    core = np.ascontiguousarray(np.partition(D, k - 1, axis=1)[:, k - 1])
    Z = np.empty((len(D) - 1, 4))
    native.single_linkage_matrix(D if alpha == 1 else D / alpha, core, Z)
    if np.isinf(Z[:, 2]).any():
        warn(
            "The minimum spanning tree contains edge weights with value infinity. Potentially, you are missing too "
            "many distances in the initial distance matrix for the given neighborhood size."
        )
    return Z


def sparse_tree(D, k, alpha, farthest):
    """Tree of mutual reachability from known distances; `farthest` replaces unknown core distances."""
    n = D.shape[0]
    if D.shape[0] != D.shape[1] or abs(D - D.T).max() > 1e-5 * abs(D).max():
        _check_symmetric(D)
    counts = np.diff(D.indptr)
    if np.any(counts < k) and farthest <= 0:
        raise ValueError(
            f"There are points with fewer than {k} neighbors. Ensure your distance matrix has non-zero values for "
            f"at least `min_samples`={k} neighbors of each point (i.e. K-nn graph), or specify a `max_distance` in "
            "`metric_params` to use when distances are missing."
        )
    core = np.full(n, farthest, dtype=np.float64)
    for i in np.flatnonzero(counts >= k):
        core[i] = np.partition(D.data[D.indptr[i] : D.indptr[i + 1]], k - 1)[k - 1]
    rows = np.repeat(np.arange(n), counts)
    lengths = np.maximum(D.data / alpha, np.maximum(core[rows], core[D.indices]))
    n_components = connected_components(D, directed=False, return_labels=False)
    if n_components > 1:
        raise ValueError(
            f"Sparse mutual reachability matrix has {n_components} connected components. HDBSCAN cannot be performed "
            "on a disconnected graph. Ensure that the sparse distance matrix has only one connected component."
        )
    # Ranks instead of lengths: scipy takes an edge of length 0 for none.
    order = np.argsort(lengths, kind="stable")
    ranks = np.empty(len(order))
    ranks[order] = np.arange(1, len(order) + 1)
    tree = minimum_spanning_tree(sparse.csr_array((ranks, D.indices, D.indptr), shape=D.shape)).tocoo()
    chosen = order[tree.data.astype(np.intp) - 1]
    Z = np.empty((n - 1, 4))
    native.tree_of_edges(
        rows[chosen].astype(np.int32), D.indices[chosen].astype(np.int32), np.ascontiguousarray(lengths[chosen]), Z
    )
    return Z


def _check_symmetric(D):
    expected = "The precomputed distance matrix is expected to be symmetric, however"
    if D.shape[0] != D.shape[1]:
        raise ValueError(
            f"{expected} it has shape {D.shape}. Please verify that the distance matrix was constructed correctly."
        )
    if sparse.issparse(D) or not np.allclose(D, D.T):
        raise ValueError(
            f"{expected} its values appear to be asymmetric. Please verify that the distance matrix was constructed "
            "correctly."
        )


def _any_row(X, test):
    """Whether the test holds for any value of each row."""
    if not sparse.issparse(X):
        return test(X).any(axis=1)
    flags = np.zeros(X.shape[0], dtype=bool)
    flags[np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))[test(X.data)]] = True
    return flags


def _weighted_sums(metric, rows, weights):
    """Weighted sums of the distances from each row to the others, one block of rows at a time."""
    size = max(1, (1 << 24) // len(rows))
    blocks = [distance_block(metric, rows[b : b + size], rows) @ weights for b in range(0, len(rows), size)]
    return np.concatenate(blocks)
