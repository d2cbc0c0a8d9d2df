"""Density-based clustering: clusters of any shape, and noise."""

from numbers import Integral

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.jobs import jobs
from statlearn._core.native import cluster as native
from statlearn._core.params import Instance, Int, Options, Real, check_params
from statlearn._core.validation import FLOATS, check_weights, validate_data
from statlearn._core.warnings import warn
from statlearn._math.distances.metrics import BRUTE_METRICS, resolve_metric, warn_of_distances
from statlearn._math.distances.neighbor_index import build_index
from statlearn._math.linalg.sparse_arrays import to_dense

from ._dissimilarity import check_dissimilarity

_NEIGHBOURS = 1 << 25  # neighbours kept in memory, or found at a time, for metrics without a native kernel


class DBSCAN(ClusterMixin, BaseEstimator):
    """DBSCAN: density-based clustering with noise.

    A core point has at least `min_samples` points (including itself) within `eps`. Clusters are the connected
    components of the core points, linked if within `eps`. Other points within `eps` of a core point are border points
    and join the first cluster that reaches them. The remaining points are noise (label -1).

    Parameters
    ----------
    eps : float, default=0.5
        Largest distance between neighbours. See `k_distance_plot` for a way to choose it.
    min_samples : int, default=5
        Minimum number of points (or total weight) within `eps` of a core point, including itself. A common rule is at
        least twice the number of columns.
    metric : str or callable, default="euclidean"
        A metric of `statlearn.neighbors.pairwise_distances`, a function of two rows, or "precomputed". X is then a
        symmetric matrix of dissimilarities, or a sparse graph whose stored entries are the neighbours of each row.
    metric_params : dict or None, default=None
        Additional parameters of the metric.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        Neighbour search for metrics other than Euclidean. It does not affect the result.
    leaf_size : int, default=30
        Number of points in a leaf of the search tree.
    p : float or None, default=None
        Power of the Minkowski metric; None means 2.
    n_jobs : int or None, default=None
        Number of threads; None uses all that are available. It does not affect the result.

    Attributes
    ----------
    core_sample_indices_ : ndarray of shape (n_core_samples,)
        Indices of the core points.
    components_ : ndarray of shape (n_core_samples, n_features)
        The core points as rows of X.
    labels_ : ndarray of shape (n_samples,)
        Clusters, numbered in the order of their first core points; -1 is noise.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Defined only if X has column names that are all strings.

    See Also
    --------
    HDBSCAN : clusters of different densities.
    k_distance_plot : distances to the neighbour that makes a core point, to choose eps.
    epsilon_components : connected components without the density condition.

    Notes
    -----
    Euclidean distances (and "seuclidean", "mahalanobis") need O(n) memory whatever the number of neighbours: the points
    are sorted into cells for up to three columns, and into a tree of boxes otherwise. For other metrics the neighbours
    are stored for a block of rows at a time.

    A weight of k is equivalent to k copies of a row. A row of weight 0 is ignored and cannot be a core point (unlike in
    scikit-learn), but it receives the label of a cluster within reach.

    The result does not depend on the order of the rows, except for the numbering of the clusters and for border points
    within reach of several clusters. A single `eps` cannot find clusters of different densities together, and in high
    dimensions distances are not very informative.

    References
    ----------
    Ester, Kriegel, Sander & Xu (1996), "A density-based algorithm for discovering clusters in large spatial databases
    with noise", KDD.
    Gunawan (2013), "A faster algorithm for DBSCAN", TU Eindhoven.
    Wang, Gu & Shun (2020), "Theoretically-efficient and practical parallel DBSCAN", SIGMOD.

    Examples
    --------
    >>> from statlearn.cluster import DBSCAN
    >>> model = DBSCAN(eps=3, min_samples=2).fit([[1, 2], [2, 2], [2, 3], [8, 7], [8, 8], [25, 80]])
    >>> model.labels_
    array([ 0,  0,  0,  1,  1, -1])
    >>> model.predict([[7, 6], [20, 20]])
    array([ 1, -1])
    """

    _constraints = {
        "eps": [Real(0, None, closed="neither")],
        "min_samples": [Int(1, None)],
        "metric": [Options(*BRUTE_METRICS), "callable"],
        "metric_params": [Instance(dict), None],
        "algorithm": [Options("auto", "ball_tree", "kd_tree", "brute")],
        "leaf_size": [Int(1, None)],
        "p": [Real(0, None, closed="both"), None],
        "n_jobs": [Instance(Integral), None],
    }

    def __init__(
        self,
        eps=0.5,
        *,
        min_samples=5,
        metric="euclidean",
        metric_params=None,
        algorithm="auto",
        leaf_size=30,
        p=None,
        n_jobs=None,
    ):
        self.eps = eps
        self.min_samples = min_samples
        self.metric = metric
        self.metric_params = metric_params
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.n_jobs = n_jobs

    def fit(self, X, y=None, sample_weight=None):
        """Compute the clustering.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples)
            Rows, or dissimilarities with ``metric="precomputed"``.
        y : None, default=None
            Ignored.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k is equivalent to k copies of the row.

        Returns
        -------
        self
        """
        check_params(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=None if callable(self.metric) else FLOATS)
        warn_of_distances(X, self.metric)
        weights = check_weights(sample_weight, X)
        if weights is not None:
            weights = weights.astype(np.float64)
        with jobs(self.n_jobs):
            core, labels = self._solve(X, weights)
        self.core_sample_indices_ = np.flatnonzero(core)
        self.labels_ = labels
        cores = self.core_sample_indices_
        self.components_ = X[cores].copy() if len(cores) else np.empty((0, X.shape[1]), dtype=X.dtype)
        return self

    def _solve(self, X, weights):
        n = X.shape[0]
        if isinstance(self.metric, str) and self.metric == "precomputed":
            return from_graph(n, precomputed_neighbours(X, self.eps), self.min_samples, weights)
        X = _dense(X)
        arguments = self._metric_arguments()
        resolved = resolve_metric(self.metric, X, p=arguments["p"], metric_params=arguments["metric_params"])
        if resolved.code == 0 and self.algorithm == "auto":  # Euclid, perhaps between mapped rows
            return euclidean_dbscan(resolved.map_rows(X), self.eps, self.min_samples, weights)
        index = build_index(X, self.metric, algorithm=self.algorithm, leaf_size=self.leaf_size, **arguments)
        return from_graph(n, index_neighbours(index, X, self.eps), self.min_samples, weights)

    def _metric_arguments(self):
        params = dict(self.metric_params or {})
        power = 2 if self.p is None else self.p
        if "p" in params:
            if self.p is not None:
                warn(
                    "Parameter p is found in metric_params. The corresponding parameter from __init__ is ignored.",
                    SyntaxWarning,
                )
            power = params.pop("p")
        return {"p": power, "metric_params": params or None}

    def predict(self, X):
        """Cluster of the nearest core point within eps, or -1 if there is none.

        For rows of the training data this is `labels_`, except for border points within reach of several clusters.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features)
            With ``metric="precomputed"``, the dissimilarities to the training rows.

        Returns
        -------
        labels : ndarray of shape (n_queries,)
        """
        check_is_fitted(self)
        dtype = None if callable(self.metric) else FLOATS
        X = validate_data(self, X, accept_sparse="csr", dtype=dtype, reset=False)
        labels = np.full(X.shape[0], -1, dtype=np.intp)
        cores = self.core_sample_indices_
        if not len(cores):
            return labels
        if isinstance(self.metric, str) and self.metric == "precomputed":
            X = X.tocsc()[:, cores] if sparse.issparse(X) else X[:, cores]
            distance = np.where(X.toarray() == 0, np.inf, X.toarray()) if sparse.issparse(X) else X
            nearest = np.argmin(distance, axis=1)
            distance = distance[np.arange(len(nearest)), nearest]
        else:
            index = build_index(
                _dense(self.components_), self.metric, algorithm=self.algorithm, **self._metric_arguments()
            )
            distance, nearest = (nearest_first[:, 0] for nearest_first in index.query(_dense(X), 1, n_jobs=self.n_jobs))
        near = distance <= self.eps
        labels[near] = self.labels_[cores[nearest[near]]]
        return labels

    def fit_predict(self, X, y=None, sample_weight=None):
        """Fit the model and return the cluster label of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples)
        y : None, default=None
            Ignored.
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        return self.fit(X, sample_weight=sample_weight).labels_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.metric, str) and self.metric == "precomputed"
        tags.input_tags.sparse = True
        return tags


def _dense(X):
    return np.ascontiguousarray(to_dense(X))


def euclidean_dbscan(X, eps, min_samples, weights):
    """Core flags and labels under Euclidean distance."""
    n = X.shape[0]
    core, labels = np.zeros(n, dtype=np.uint8), np.empty(n, dtype=np.intp)
    X = np.ascontiguousarray(X, dtype=np.float64)
    if np.abs(X).max(initial=0.0) > 1e100 or eps < 1e-100:  # squares would overflow or vanish
        X, eps = X / eps, 1.0
    native.dbscan(X, float(eps), float(min_samples), weights, X.shape[1] <= 3, core, labels)
    return core, labels


def precomputed_neighbours(D, eps):
    """Function that returns the neighbours of some rows, for a matrix or a sparse graph of dissimilarities."""
    if D.shape[0] != D.shape[1]:
        raise ValueError(f"Precomputed matrix must be square. Input is a {D.shape[0]}x{D.shape[1]} matrix.")
    if not sparse.issparse(D):
        graph = sparse.csr_array(check_dissimilarity(np.ascontiguousarray(D)) <= eps)
    else:
        near = D.data <= eps
        at = np.repeat(np.arange(D.shape[0]), np.diff(D.indptr))
        loops = np.arange(D.shape[0])  # a row is its own neighbour, whether stored or not
        i, j = (
            np.concatenate([at[near], D.indices[near], loops]),
            np.concatenate([D.indices[near], at[near], loops]),
        )
        graph = sparse.csr_array((np.ones(len(i), dtype=bool), (i, j)), shape=D.shape)

    def neighbours(rows):
        part = graph[rows]
        return part.indptr.astype(np.intp), part.indices.astype(np.intp)

    return neighbours


def index_neighbours(index, X, eps):
    """Function that returns the neighbours of some rows, for a search index."""

    def neighbours(rows):
        indptr, neighbors, _ = index.radius(X[rows], eps)
        return indptr.astype(np.intp, copy=False), neighbors.astype(np.intp, copy=False)

    return neighbours


def from_graph(n, neighbours, min_samples, weights):
    """Core flags and labels from a function that returns the neighbours of some rows.

    All neighbours are stored if there are not too many; otherwise they are computed twice.
    """
    counts, stored, n_kept = np.zeros(n), {}, 0
    weights = np.ones(n) if weights is None else weights
    size = max(1, min(n, _NEIGHBOURS // max(n, 1)))
    parts = [np.arange(begin, min(n, begin + size)) for begin in range(0, n, size)]
    for k, rows in enumerate(parts):
        indptr, neighbors = neighbours(rows)
        sums = np.concatenate([[0.0], np.cumsum(weights[neighbors])])
        counts[rows] = sums[indptr[1:]] - sums[indptr[:-1]]
        if n_kept + len(neighbors) <= _NEIGHBOURS:
            stored[k], n_kept = (indptr, neighbors), n_kept + len(neighbors)
    core = ((counts >= min_samples) & (weights > 0)).astype(np.uint8)
    parent = np.arange(n, dtype=np.intp)
    for k, rows in enumerate(parts):
        native.join_neighbours(rows, *(stored[k] if k in stored else neighbours(rows)), core, parent)
    labels = np.full(n, -1, dtype=np.intp)
    cores = np.flatnonzero(core)
    roots = _roots(parent)[cores]
    labels[cores] = np.unique(roots, return_inverse=True)[1]  # a root is the first row of its set
    for k, rows in enumerate(parts):
        rest = rows[core[rows] == 0]
        if len(rest):
            indptr, neighbors = stored[k] if k in stored else neighbours(rows)
            at = np.repeat(rows, np.diff(indptr))
            use = (core[at] == 0) & (core[neighbors] == 1)
            best = np.full(n, n, dtype=np.intp)
            np.minimum.at(best, at[use], labels[neighbors[use]])
            labels[rest] = np.where(best[rest] < n, best[rest], -1)
    return core, labels


def _roots(parent):
    while True:
        up = parent[parent]
        if np.array_equal(up, parent):
            return parent
        parent = up


def dbscan(
    X,
    eps=0.5,
    *,
    min_samples=5,
    metric="minkowski",
    metric_params=None,
    algorithm="auto",
    leaf_size=30,
    p=2,
    sample_weight=None,
    n_jobs=None,
):
    """DBSCAN as a function: core points and labels.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples)
    eps, min_samples, metric, metric_params, algorithm, leaf_size, p, n_jobs
        As in `DBSCAN`.
    sample_weight : array-like of shape (n_samples,) or None, default=None

    Returns
    -------
    core_samples : ndarray of shape (n_core_samples,)
    labels : ndarray of shape (n_samples,)

    Examples
    --------
    >>> from statlearn.cluster import dbscan
    >>> dbscan([[0.0], [1.0], [2.0], [3.0], [10.0]], eps=1, min_samples=3)
    (array([1, 2]), array([ 0,  0,  0,  0, -1]))
    """
    model = DBSCAN(
        eps,
        min_samples=min_samples,
        metric=metric,
        metric_params=metric_params,
        algorithm=algorithm,
        leaf_size=leaf_size,
        p=p,
        n_jobs=n_jobs,
    ).fit(X, sample_weight=sample_weight)
    return model.core_sample_indices_, model.labels_


def epsilon_components(X, eps=0.5, *, metric="euclidean", metric_params=None):
    """Connected components of the graph of rows within eps: DBSCAN without the density condition.

    A single row between two clusters is enough to link them, which `DBSCAN` avoids.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
    eps : float, default=0.5
    metric : str or callable, default="euclidean"
        As in `DBSCAN`.
    metric_params : dict or None, default=None

    Returns
    -------
    labels : ndarray of shape (n_samples,)
        Components, numbered in the order of their first rows.

    Examples
    --------
    >>> from statlearn.cluster import epsilon_components
    >>> epsilon_components([[0.0], [1.0], [2.0], [3.0], [10.0]], eps=1)
    array([0, 0, 0, 0, 1])
    """
    return DBSCAN(eps, min_samples=1, metric=metric, metric_params=metric_params).fit(X).labels_
