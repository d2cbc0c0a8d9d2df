"""Neighbour graphs, as functions and as transformers."""

import numpy as np
from scipy import sparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Instance, Int, Options, Real, check_arguments, check_params

from ._base import (
    METRIC_RULES,
    SEARCH_CONSTRAINTS,
    KNeighborsMixin,
    NeighborsBase,
    RadiusNeighborsMixin,
    wants_arrays,
)
from ._nearest_neighbors import NearestNeighbors


def _check_same(model, **wanted):
    """Raise an error if a fitted model uses another metric than the caller passes."""
    params = model.get_params()
    for name, value in wanted.items():
        if value != params[name]:
            raise ValueError(f"Got {value} for {name}, while the estimator has {params[name]} for the same parameter.")


def _with_self(include_self, mode):
    return mode == "connectivity" if include_self == "auto" else include_self


def _rules(mode, metric, p, metric_params, include_self, n_jobs, *modes):
    return dict(
        mode=(mode, [Options("connectivity", "distance", *modes)]),
        metric=(metric, METRIC_RULES),
        p=(p, [Real(0, None, closed="neither"), None]),
        metric_params=(metric_params, [Instance(dict), None]),
        include_self=(include_self, ["boolean", Options("auto")]),
        n_jobs=(n_jobs, [Int(), None]),
    )


def heat_weights(distances, bandwidth=None, exponent="two"):
    r"""Heat-kernel weights of distances.

    Parameters
    ----------
    distances : ndarray
    bandwidth : float or None, default=None
        :math:`\sigma`; None uses the median of the positive distances.
    exponent : {"two", "one"}, default="two"
        :math:`\exp(-d^2 / (2 \sigma^2))` or :math:`\exp(-d^2 / \sigma^2)`; both are in common use.
    """
    if bandwidth is None:
        positive = distances[distances > 0]
        bandwidth = float(np.median(positive)) if positive.size else 1.0
    return np.exp(-((distances / bandwidth) ** 2) / (2.0 if exponent == "two" else 1.0))


def kneighbors_graph(
    X,
    n_neighbors,
    *,
    mode="connectivity",
    metric="minkowski",
    p=2,
    metric_params=None,
    include_self=False,
    n_jobs=None,
    kind="directed",
    bandwidth=None,
    exponent="two",
):
    r"""Graph that connects each row to its nearest rows.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features), or a fitted estimator with `kneighbors`
    n_neighbors : int
        Number of neighbours of each row.
    mode : {"connectivity", "distance", "heat"}, default="connectivity"
        Whether the entries are 1, distances, or heat-kernel weights.
    metric : str, callable or object, default="minkowski"
        See :func:`pairwise_distances`.
    p : float, default=2
        Power of the Minkowski metric.
    metric_params : dict, default=None
        Parameters of the metric.
    include_self : bool or "auto", default=False
        Whether each row is its own first neighbour; "auto" does so only for ``mode="connectivity"``.
    n_jobs : int, default=None
        Number of threads; None uses all that are available.
    kind : {"directed", "symmetric", "mutual"}, default="directed"
        "directed" has an edge from i to j if j is among the neighbours of i, "symmetric" if that or the reverse holds,
        and "mutual" if both hold.
    bandwidth : float, default=None
        :math:`\sigma` of the heat kernel; None uses the median distance along the edges of the directed graph.
    exponent : {"two", "one"}, default="two"
        Heat kernel :math:`\exp(-d^2 / (2 \sigma^2))`, or :math:`\exp(-d^2 / \sigma^2)`.

    Returns
    -------
    A : sparse matrix of shape (n_samples, n_samples), CSR
        ``A[i, j]`` is the weight of the edge from i to j.

    Notes
    -----
    The mutual edges are a subset of the directed edges, which are a subset of the symmetric edges. The mutual graph
    falls apart where the density changes; the symmetric graph connects dense and sparse regions.

    References
    ----------
    .. [1] U. von Luxburg (2007). A tutorial on spectral clustering. Statistics and Computing 17, 395-416.

    Examples
    --------
    >>> from statlearn.neighbors import kneighbors_graph
    >>> X = [[0.0], [1.0], [3.0]]
    >>> kneighbors_graph(X, 1).toarray()
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 1., 0.]])
    >>> kneighbors_graph(X, 1, kind="mutual", mode="distance").toarray()
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 0., 0.]])
    """
    check_arguments(
        kneighbors_graph,
        n_neighbors=(n_neighbors, [Int(1, None)]),
        **_rules(mode, metric, p, metric_params, include_self, n_jobs, "heat"),
        kind=(kind, [Options("directed", "symmetric", "mutual")]),
        bandwidth=(bandwidth, [Real(0, None, closed="neither"), None]),
        exponent=(exponent, [Options("one", "two")]),
    )
    if isinstance(X, KNeighborsMixin):
        _check_same(X, metric=metric, p=p, metric_params=metric_params)
    else:
        X = NearestNeighbors(
            n_neighbors=n_neighbors, metric=metric, p=p, metric_params=metric_params, n_jobs=n_jobs
        ).fit(X)
    queries = X._fit_X if _with_self(include_self, mode) else None
    plain = "distance" if mode == "heat" else mode
    graph = X.kneighbors_graph(queries, n_neighbors=n_neighbors, mode=plain)
    if mode == "heat":
        graph.data = heat_weights(graph.data, bandwidth, exponent)
    return graph if kind == "directed" else _undirected(graph, kind == "mutual")


def _undirected(graph, mutual):
    """Edges present in both directions (mutual), or in either. Explicit zeros are edges, too."""
    n = graph.shape[0]
    at = np.repeat(np.arange(n), np.diff(graph.indptr))
    forward, backward = at * n + graph.indices, graph.indices.astype(np.int64) * n + at
    if mutual:
        keep = np.isin(forward, backward)
        edges, values = forward[keep], graph.data[keep]
    else:
        edges, first = np.unique(np.concatenate([forward, backward]), return_index=True)
        values = np.concatenate([graph.data, graph.data])[first]
    joined = sparse.coo_array((values, (edges // n, edges % n)), shape=graph.shape).tocsr()
    return joined if wants_arrays() else sparse.csr_matrix(joined)


def radius_neighbors_graph(
    X,
    radius,
    *,
    mode="connectivity",
    metric="minkowski",
    p=2,
    metric_params=None,
    include_self=False,
    n_jobs=None,
    bandwidth=None,
    exponent="two",
):
    r"""Graph that connects each row to all rows within a radius.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features), or a fitted estimator with `radius_neighbors`
    radius : float
        Largest distance, inclusive.
    mode : {"connectivity", "distance", "heat"}, default="connectivity"
        Whether the entries are 1, distances, or heat-kernel weights.
    metric : str, callable or object, default="minkowski"
        See :func:`pairwise_distances`.
    p : float, default=2
        Power of the Minkowski metric.
    metric_params : dict, default=None
        Parameters of the metric.
    include_self : bool or "auto", default=False
        Whether each row is its own neighbour; "auto" does so only for ``mode="connectivity"``.
    n_jobs : int, default=None
        Number of threads; None uses all that are available.
    bandwidth : float, default=None
        :math:`\sigma` of the heat kernel; None uses the median distance along the edges.
    exponent : {"two", "one"}, default="two"
        Heat kernel :math:`\exp(-d^2 / (2 \sigma^2))`, or :math:`\exp(-d^2 / \sigma^2)`.

    Returns
    -------
    A : sparse matrix of shape (n_samples, n_samples), CSR

    Examples
    --------
    >>> from statlearn.neighbors import radius_neighbors_graph
    >>> radius_neighbors_graph([[0.0], [1.0], [3.0]], 1.5).toarray()
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 0., 0.]])
    """
    check_arguments(
        radius_neighbors_graph,
        radius=(radius, [Real(0, None)]),
        **_rules(mode, metric, p, metric_params, include_self, n_jobs, "heat"),
        bandwidth=(bandwidth, [Real(0, None, closed="neither"), None]),
        exponent=(exponent, [Options("one", "two")]),
    )
    if isinstance(X, RadiusNeighborsMixin):
        _check_same(X, metric=metric, p=p, metric_params=metric_params)
    else:
        X = NearestNeighbors(radius=radius, metric=metric, p=p, metric_params=metric_params, n_jobs=n_jobs).fit(X)
    queries = X._fit_X if _with_self(include_self, mode) else None
    graph = X.radius_neighbors_graph(queries, radius, mode="distance" if mode == "heat" else mode)
    if mode == "heat":
        graph.data = heat_weights(graph.data, bandwidth, exponent)
    return graph


def _require_rows(X):
    if X is None:
        raise ValueError("X must not be None; `fit_transform` gives the graph of the training rows.")


class KNeighborsTransformer(ClassNamePrefixFeaturesOutMixin, KNeighborsMixin, TransformerMixin, NeighborsBase):
    """Transformer of rows into the graph of their nearest training rows.

    Parameters
    ----------
    mode : {"distance", "connectivity"}, default="distance"
        Whether the entries are distances or 1.
    n_neighbors : int, default=5
        Number of neighbours of each row. With ``mode="distance"`` one more is kept, because a training row is its own
        nearest neighbour.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        As in :class:`NearestNeighbors`.
    leaf_size : int, default=30
        Number of rows in a leaf of a search tree.
    metric : str, callable or object, default="minkowski"
        See :func:`pairwise_distances`.
    p : float, default=2
        Power of the Minkowski metric.
    metric_params : dict, default=None
        Parameters of the metric.
    n_jobs : int, default=None
        Number of threads; None uses all that are available.

    Attributes
    ----------
    effective_metric_ : str or callable
    effective_metric_params_ : dict
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Defined only if X has column names that are all strings.
    n_samples_fit_ : int
        Number of training rows.

    See Also
    --------
    RadiusNeighborsTransformer : graph of all rows within a radius.
    kneighbors_graph : the same as a function, with symmetric and mutual graphs.

    Notes
    -----
    Use it before an estimator with ``metric="precomputed"`` to share one search between many settings.

    Examples
    --------
    >>> from statlearn.neighbors import KNeighborsTransformer
    >>> KNeighborsTransformer(n_neighbors=1).fit_transform([[0.0], [1.0], [3.0]]).toarray()
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 2., 0.]])
    """

    _constraints = {
        "mode": [Options("distance", "connectivity")],
        "n_neighbors": [Int(1, None)],
        **SEARCH_CONSTRAINTS,
    }

    def __init__(
        self,
        *,
        mode="distance",
        n_neighbors=5,
        algorithm="auto",
        leaf_size=30,
        metric="minkowski",
        p=2,
        metric_params=None,
        n_jobs=None,
    ):
        self.mode = mode
        self.n_neighbors = n_neighbors
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.metric = metric
        self.p = p
        self.metric_params = metric_params
        self.n_jobs = n_jobs

    def fit(self, X, y=None):
        """Store the training rows in a search index.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : Ignored

        Returns
        -------
        self : KNeighborsTransformer
        """
        check_params(self)
        self._fit_index(self._validate_rows(X))
        self._n_features_out = self.n_samples_fit_
        return self

    def transform(self, X):
        """Graph from the rows of X to the training rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features)

        Returns
        -------
        Xt : sparse matrix of shape (n_queries, n_samples_fit), CSR
        """
        check_is_fitted(self)
        _require_rows(X)
        return self.kneighbors_graph(X, self.n_neighbors + (self.mode == "distance"), self.mode)

    def fit_transform(self, X, y=None):
        """Graph of the training rows, each of which is its own nearest neighbour.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : Ignored

        Returns
        -------
        Xt : sparse matrix of shape (n_samples, n_samples), CSR
        """
        return self.fit(X).transform(X)


class RadiusNeighborsTransformer(
    ClassNamePrefixFeaturesOutMixin, RadiusNeighborsMixin, TransformerMixin, NeighborsBase
):
    """Transformer of rows into the graph of the training rows within a radius.

    Parameters
    ----------
    mode : {"distance", "connectivity"}, default="distance"
        Whether the entries are distances or 1.
    radius : float, default=1.0
        Largest distance, inclusive.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        As in :class:`NearestNeighbors`.
    leaf_size : int, default=30
        Number of rows in a leaf of a search tree.
    metric : str, callable or object, default="minkowski"
        See :func:`pairwise_distances`.
    p : float, default=2
        Power of the Minkowski metric.
    metric_params : dict, default=None
        Parameters of the metric.
    n_jobs : int, default=None
        Number of threads; None uses all that are available.

    Attributes
    ----------
    effective_metric_ : str or callable
    effective_metric_params_ : dict
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Defined only if X has column names that are all strings.
    n_samples_fit_ : int
        Number of training rows.

    See Also
    --------
    KNeighborsTransformer : graph of a fixed number of neighbours.

    Examples
    --------
    >>> from statlearn.neighbors import RadiusNeighborsTransformer
    >>> RadiusNeighborsTransformer(radius=1.5).fit_transform([[0.0], [1.0], [3.0]]).toarray()
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 0., 0.]])
    """

    _constraints = {
        "mode": [Options("distance", "connectivity")],
        "radius": [Real(0, None, closed="both")],
        **SEARCH_CONSTRAINTS,
    }

    def __init__(
        self,
        *,
        mode="distance",
        radius=1.0,
        algorithm="auto",
        leaf_size=30,
        metric="minkowski",
        p=2,
        metric_params=None,
        n_jobs=None,
    ):
        self.mode = mode
        self.radius = radius
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.metric = metric
        self.p = p
        self.metric_params = metric_params
        self.n_jobs = n_jobs

    def fit(self, X, y=None):
        """Store the training rows in a search index.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : Ignored

        Returns
        -------
        self : RadiusNeighborsTransformer
        """
        check_params(self)
        self._fit_index(self._validate_rows(X))
        self._n_features_out = self.n_samples_fit_
        return self

    def transform(self, X):
        """Graph from the rows of X to the training rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features)

        Returns
        -------
        Xt : sparse matrix of shape (n_queries, n_samples_fit), CSR
        """
        check_is_fitted(self)
        _require_rows(X)
        return self.radius_neighbors_graph(X, mode=self.mode, sort_results=True)

    def fit_transform(self, X, y=None):
        """Graph of the training rows, each of which is its own neighbour.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : Ignored

        Returns
        -------
        Xt : sparse matrix of shape (n_samples, n_samples), CSR
        """
        return self.fit(X).transform(X)
