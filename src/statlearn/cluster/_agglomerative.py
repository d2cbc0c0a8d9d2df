"""Agglomerative clustering of rows and of columns, with scikit-learn's interface."""

from heapq import heappush, heappushpop

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted, check_memory

from statlearn._core.fitted_state import forget
from statlearn._core.native import cluster as native
from statlearn._core.params import HasMethods, Instance, Int, Options, Real, check_params
from statlearn._core.validation import validate_data
from statlearn._core.warnings import warn
from statlearn._math.distances.metrics import BRUTE_METRICS, warn_of_distances

from ._connectivity import constrained_tree
from ._linkage import METHODS, condensed, condensed_dissimilarities, euclidean_tree, matrix_tree

_MONOTONE = METHODS[:5]


def build_tree(X, linkage, metric="euclidean", connectivity=None, n_clusters=None):
    """Children, heights, and the number of components of the connectivity graph.

    The tree is complete unless both a graph and `n_clusters` are given.
    """
    if metric == "cosine" and np.any(~np.any(X, axis=1)):
        raise ValueError("Cosine affinity cannot be used when X contains zero vectors.")
    if connectivity is not None:
        if linkage not in ("ward", "complete", "average", "single"):
            raise ValueError(f"`linkage`={linkage!r} does not support a connectivity graph; use `connectivity`=None.")
        return constrained_tree(X, connectivity, linkage, metric, n_clusters)
    if metric in ("euclidean", "l2"):
        Z = euclidean_tree(np.ascontiguousarray(X, dtype=np.float64), linkage)
    elif linkage in ("centroid", "median") and metric != "precomputed":
        raise ValueError(f"`linkage`={linkage!r} is defined for Euclidean distances only, got `metric`={metric!r}.")
    elif metric == "precomputed":
        Z = matrix_tree(condensed(np.asarray(X)), linkage)
    elif callable(metric):
        Z = matrix_tree(condensed(np.asarray(metric(X))), linkage)
    else:
        Z = matrix_tree(condensed_dissimilarities(X, metric), linkage)
    return Z[:, :2].astype(np.intp), Z[:, 2].copy(), 1


def cut(n_clusters, children, n_leaves):
    """Labels after undoing the last ``n_clusters - 1`` merges, with scikit-learn's numbers for the clusters."""
    if n_clusters > n_leaves:
        raise ValueError(
            f"Cannot extract more clusters than samples: {n_clusters} clusters were given for a tree with "
            f"{n_leaves} leaves."
        )
    heads = [-(len(children) + n_leaves - 1)]
    for _ in range(n_clusters - 1):
        left, right = children[-heads[0] - n_leaves]
        heappush(heads, -left)
        heappushpop(heads, -right)
    labels = np.full(n_leaves + len(children), -1, dtype=np.intp)
    labels[-np.array(heads)] = np.arange(n_clusters)
    native.spread_labels(np.ascontiguousarray(children), labels)
    return labels[:n_leaves].copy()


def parents_of(children, n_leaves):
    """Parent of every node; a root is its own parent."""
    parents = np.arange(n_leaves + len(children), dtype=np.intp)
    parents[children] = n_leaves + np.arange(len(children))[:, None]
    return parents


class AgglomerativeClustering(ClusterMixin, BaseEstimator):
    """Agglomerative clustering, cut at a number of clusters or at a height.

    Every row starts as its own cluster, and the two clusters with the smallest dissimilarity are merged
    repeatedly. See `linkage` for the dissimilarities between clusters.

    Parameters
    ----------
    n_clusters : int or None, default=2
        Number of clusters. Must be None if `distance_threshold` is set.
    metric : str or callable, default="euclidean"
        Dissimilarity of rows: a name, "precomputed" (X is then a symmetric matrix with a zero diagonal), or a callable
        that maps X to the matrix. Ward linkage supports Euclidean distances only.
    memory : str, object with the joblib.Memory interface, or None, default=None
        Cache for trees, useful to cut the same tree at several levels.
    connectivity : array-like, sparse matrix, callable or None, default=None
        Graph of the rows, or a callable that computes it from X. Only neighbours in the graph are merged. A graph with
        several components is connected by their shortest edges, with a warning.
    compute_full_tree : "auto" or bool, default="auto"
        Whether to continue merging after `n_clusters` are reached; relevant only with `connectivity`. "auto" stops
        early if there are more than 100 clusters and more than one per 50 rows.
    linkage : {"ward", "complete", "average", "single", "weighted", "centroid", "median"}, default="ward"
    distance_threshold : float or None, default=None
        Clusters are not merged at or above this height. Requires the full tree and heights that never decrease.
    compute_distances : bool, default=False
        Whether to store the heights in `distances_` if there is no threshold.

    Attributes
    ----------
    n_clusters_ : int
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row.
    n_leaves_ : int
        Number of rows.
    n_connected_components_ : int
        Number of components of the connectivity graph; 1 without a graph.
    children_ : ndarray of shape (n_merges, 2)
        The two clusters of each merge. Numbers below n_samples are rows; merge k creates cluster n_samples + k.
    distances_ : ndarray of shape (n_merges,)
        Heights of the merges. Only with `compute_distances` or `distance_threshold`.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Defined only if X has column names that are all strings.

    See Also
    --------
    linkage : the hierarchy alone, for `dendrogram`, `cophenetic` and `cut_tree`.
    FeatureAgglomeration : clusters of columns.

    Notes
    -----
    Memory is O(n) for Ward linkage and for single linkage of Euclidean data, O(edges) with a graph, and n (n - 1) / 2
    numbers otherwise (a MemoryError is raised if they do not fit). With a graph, complete and average linkage see only
    dissimilarities along its edges, and heights may decrease.

    The metric determines the result; standardise the columns only if that makes sense for the question. Single linkage
    follows chains, complete linkage splits elongated clusters, and Ward linkage prefers round clusters of similar size.
    There is no `predict`, because a new row could change the hierarchy. The labels are the same as scikit-learn's if no
    two dissimilarities are equal.

    Examples
    --------
    >>> from statlearn.cluster import AgglomerativeClustering
    >>> X = [[1, 2], [1, 4], [1, 0], [4, 2], [4, 4], [4, 0]]
    >>> AgglomerativeClustering().fit(X).labels_
    array([1, 1, 1, 0, 0, 0])
    """

    _constraints = {
        "n_clusters": [Int(1, None), None],
        "metric": [Options(*BRUTE_METRICS), "callable"],
        "memory": [Instance(str), HasMethods("cache"), None],
        "connectivity": ["array-like", HasMethods("tocsr"), "callable", None],
        "compute_full_tree": [Options("auto"), "boolean"],
        "linkage": [Options(*METHODS)],
        "distance_threshold": [Real(0, None), None],
        "compute_distances": ["boolean"],
    }

    def __init__(
        self,
        n_clusters=2,
        *,
        metric="euclidean",
        memory=None,
        connectivity=None,
        compute_full_tree="auto",
        linkage="ward",
        distance_threshold=None,
        compute_distances=False,
    ):
        self.n_clusters = n_clusters
        self.metric = metric
        self.memory = memory
        self.connectivity = connectivity
        self.compute_full_tree = compute_full_tree
        self.linkage = linkage
        self.distance_threshold = distance_threshold
        self.compute_distances = compute_distances

    def fit(self, X, y=None):
        """Build the hierarchy and cut it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
            Rows, or dissimilarities with ``metric="precomputed"``.
        y : None, default=None
            Ignored.

        Returns
        -------
        self
        """
        check_params(self)
        X = validate_data(self, X, ensure_min_samples=2)
        warn_of_distances(X, self.metric)
        return self._fit(X)

    def _fit(self, X):
        self._check_choices()
        connectivity = self.connectivity
        if connectivity is not None:
            if callable(connectivity):
                connectivity = connectivity(X)
            connectivity = check_array(connectivity, accept_sparse=["csr", "coo", "lil"], input_name="connectivity")
        n = X.shape[0]
        early = self._stops_early(n)
        if early and self.n_clusters > n:
            raise ValueError(
                f"Cannot provide more clusters than samples. {self.n_clusters} n_clusters was asked, and there are {n} "
                "samples."
            )
        build = check_memory(self.memory).cache(build_tree)
        children, heights, self.n_connected_components_ = build(
            X, self.linkage, self.metric, connectivity, self.n_clusters if early else None
        )
        self.children_, self.n_leaves_ = children, n
        forget(self, "distances_")
        if self.compute_distances or self.distance_threshold is not None:
            self.distances_ = heights
        if self.distance_threshold is None:
            self.n_clusters_ = self.n_clusters
        else:
            self.n_clusters_ = int(np.count_nonzero(heights >= self.distance_threshold)) + 1
        if early:
            from ._dendrogram import labels_of_nodes

            self.labels_ = np.unique(labels_of_nodes(children, n), return_inverse=True)[1].astype(np.intp)
        else:
            self.labels_ = cut(self.n_clusters_, children, n)
        return self

    def _check_choices(self):
        if (self.n_clusters is None) == (self.distance_threshold is None):
            raise ValueError(
                "Exactly one of n_clusters and distance_threshold has to be set, and the other needs to be None."
            )
        if self.distance_threshold is not None and not self.compute_full_tree:
            raise ValueError("`compute_full_tree` must be True if distance_threshold is set.")
        if self.linkage == "ward" and self.metric not in ("euclidean", "l2"):
            raise ValueError(
                f"{self.metric} was provided as metric. Ward can only work with euclidean distances "
                "(i.e. 'euclidean' and 'l2')."
            )
        if self.distance_threshold is not None and self.linkage not in _MONOTONE:
            raise ValueError(
                f"`distance_threshold` requires merge heights that never decrease, which `linkage`={self.linkage!r} "
                "does not guarantee; set `n_clusters` instead."
            )

    def _stops_early(self, n):
        if self.connectivity is None or self.distance_threshold is not None:
            return False
        if self.compute_full_tree == "auto":
            return self.n_clusters >= max(100, 0.02 * n)
        return not self.compute_full_tree


class FeatureAgglomeration(ClassNamePrefixFeaturesOutMixin, TransformerMixin, AgglomerativeClustering):
    """Agglomerative clustering of columns, pooling each cluster into one column.

    Parameters
    ----------
    n_clusters : int or None, default=2
        Number of clusters of columns. Must be None if `distance_threshold` is set.
    metric : str or callable, default="euclidean"
        Dissimilarity of columns, as in `AgglomerativeClustering`.
    memory : str, object with the joblib.Memory interface, or None, default=None
        Cache for trees.
    connectivity : array-like, sparse matrix, callable or None, default=None
        Graph of the columns; only neighbours are merged.
    compute_full_tree : "auto" or bool, default="auto"
        Whether to continue merging after `n_clusters` are reached; relevant only with `connectivity`.
    linkage : {"ward", "complete", "average", "single", "weighted", "centroid", "median"}, default="ward"
    pooling_func : callable, default=np.mean
        Pools several columns into one. Receives an array of shape (n_samples, columns) and ``axis=1``.
    distance_threshold : float or None, default=None
        Clusters are not merged at or above this height.
    compute_distances : bool, default=False
        Whether to store the heights in `distances_` if there is no threshold.

    Attributes
    ----------
    n_clusters_ : int
    labels_ : ndarray of shape (n_features,)
        Cluster of each column.
    n_leaves_ : int
        Number of columns.
    n_connected_components_ : int
    children_ : ndarray of shape (n_merges, 2)
    distances_ : ndarray of shape (n_merges,)
        Heights of the merges. Only with `compute_distances` or `distance_threshold`.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Defined only if X has column names that are all strings.

    See Also
    --------
    AgglomerativeClustering : clusters of rows.

    Notes
    -----
    Columns are compared without scaling; standardise them if their units differ. Under Euclidean distance a column and
    its negative are far apart.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.cluster import FeatureAgglomeration
    >>> X = np.array([[1.0, 1.1, 5.0], [2.0, 2.1, 4.0]])
    >>> FeatureAgglomeration(2).fit(X).transform(X)
    array([[1.05, 5.  ],
           [2.05, 4.  ]])
    """

    _constraints = {**AgglomerativeClustering._constraints, "pooling_func": ["callable"]}

    def __init__(
        self,
        n_clusters=2,
        *,
        metric="euclidean",
        memory=None,
        connectivity=None,
        compute_full_tree="auto",
        linkage="ward",
        pooling_func=np.mean,
        distance_threshold=None,
        compute_distances=False,
    ):
        super().__init__(
            n_clusters,
            metric=metric,
            memory=memory,
            connectivity=connectivity,
            compute_full_tree=compute_full_tree,
            linkage=linkage,
            distance_threshold=distance_threshold,
            compute_distances=compute_distances,
        )
        self.pooling_func = pooling_func

    def fit(self, X, y=None):
        """Build the hierarchy of the columns and cut it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : None, default=None
            Ignored.

        Returns
        -------
        self
        """
        check_params(self)
        X = validate_data(self, X, ensure_min_features=2)
        self._fit(X.T)
        self._n_features_out = self.n_clusters_
        return self

    def transform(self, X):
        """Pool the columns of each cluster into one.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_clusters_)
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False)
        if self.pooling_func is not np.mean:
            return np.array([self.pooling_func(X[:, self.labels_ == c], axis=1) for c in range(self.n_clusters_)]).T
        member = np.zeros((X.shape[1], self.n_clusters_), dtype=X.dtype if X.dtype.kind == "f" else np.float64)
        member[np.arange(X.shape[1]), self.labels_] = 1.0
        return X @ member / np.bincount(self.labels_, minlength=self.n_clusters_).astype(member.dtype)

    def inverse_transform(self, X):
        """Map pooled columns back: each original column gets the value of its cluster.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_clusters_) or (n_clusters_,)

        Returns
        -------
        ndarray of shape (n_samples, n_features) or (n_features,)
        """
        check_is_fitted(self)
        return np.asarray(X)[..., self.labels_]

    @property
    def fit_predict(self):
        """Not available for columns."""
        raise AttributeError("FeatureAgglomeration clusters columns, not rows; read `labels_` instead.")


def _tree(X, linkage, metric, connectivity, n_clusters, return_distance):
    X = np.asarray(X)
    X = check_array(X[:, None] if X.ndim == 1 else X, ensure_min_samples=2, input_name="X")
    if connectivity is not None:
        connectivity = check_array(connectivity, accept_sparse=True, input_name="connectivity")
        if n_clusters is not None and n_clusters > len(X):
            raise ValueError(
                f"Cannot provide more clusters than samples. {n_clusters} n_clusters was asked, and there are {len(X)} "
                "samples."
            )
    elif n_clusters is not None:
        warn(
            "Partial build of the tree is implemented only for structured clustering (i.e. with explicit "
            "connectivity). The full tree is built."
        )
    children, heights, n_components = build_tree(X, linkage, metric, connectivity, n_clusters)
    parents = None if connectivity is None else parents_of(children, len(X))
    result = (children, n_components, len(X), parents)
    return (*result, heights) if return_distance else result


def ward_tree(X, *, connectivity=None, n_clusters=None, return_distance=False):
    """Ward hierarchy in the format of scikit-learn's function of this name; `linkage` returns it in scipy's format.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    connectivity : array-like, sparse matrix or None, default=None
        Graph; only neighbours are merged.
    n_clusters : int or None, default=None
        Number of clusters at which to stop, with a graph.
    return_distance : bool, default=False
        Whether to also return the heights.

    Returns
    -------
    children : ndarray of shape (n_merges, 2)
    n_connected_components : int
    n_leaves : int
    parents : ndarray of shape (n_nodes,) or None
        Parent of each node; only with a graph.
    distances : ndarray of shape (n_merges,)
        Only if requested.

    Examples
    --------
    >>> from statlearn.cluster import ward_tree
    >>> ward_tree([[0.0], [2.0], [10.0]])[0]
    array([[0, 1],
           [2, 3]])
    """
    return _tree(X, "ward", "euclidean", connectivity, n_clusters, return_distance)


def linkage_tree(
    X, connectivity=None, n_clusters=None, linkage="complete", affinity="euclidean", return_distance=False
):
    """Hierarchy of a linkage other than Ward in the format of scikit-learn's function of this name.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
    connectivity : array-like, sparse matrix or None, default=None
        Graph; only neighbours are merged.
    n_clusters : int or None, default=None
        Number of clusters at which to stop, with a graph.
    linkage : {"complete", "average", "single", "weighted", "centroid", "median"}, default="complete"
    affinity : str or callable, default="euclidean"
        The metric, as in `AgglomerativeClustering`.
    return_distance : bool, default=False
        Whether to also return the heights.

    Returns
    -------
    children, n_connected_components, n_leaves, parents, distances
        As in `ward_tree`.

    Examples
    --------
    >>> from statlearn.cluster import linkage_tree
    >>> linkage_tree([[0.0], [2.0], [10.0]], return_distance=True)[-1]
    array([ 2., 10.])
    """
    known = [name for name in METHODS if name != "ward"]
    if linkage not in known:
        raise ValueError(f"Unknown linkage option, linkage should be one of {known}, but {linkage} was given.")
    return _tree(X, linkage, affinity, connectivity, n_clusters, return_distance)
