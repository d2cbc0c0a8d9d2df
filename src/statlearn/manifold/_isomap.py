"""Isomap: classical scaling of distances along a neighbourhood graph."""

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.csgraph import floyd_warshall
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.jobs import jobs
from statlearn._core.memory import require_memory
from statlearn._core.native import manifold as native
from statlearn._core.params import Instance, Int, Options, Real, check_params
from statlearn._core.validation import require_finite, validate_data
from statlearn._core.warnings import StatlearnWarning, warn
from statlearn._math.distances.metrics import pairwise_distances, warn_of_distances

from ._classical_mds import centred_products, principal_coordinates
from ._dissimilarities import check_dissimilarities
from ._neighborhoods import GivenNeighborhoods, Neighborhoods, connect, undirected


def geodesic_distances(graph, sources=None):
    """Lengths of shortest paths from `sources` (all rows by default) along an undirected graph."""
    n = graph.shape[0]
    sources = np.arange(n, dtype=np.int32) if sources is None else np.asarray(sources, dtype=np.int32)
    distance = np.empty((len(sources), n))
    native.shortest_paths(
        np.ascontiguousarray(graph.indptr, dtype=np.int32),
        np.ascontiguousarray(graph.indices, dtype=np.int32),
        np.ascontiguousarray(graph.data, dtype=np.float64),
        sources,
        distance,
    )
    return distance


class Isomap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Isometric feature mapping.

    Near neighbours are joined by edges of the length of their distance. The lengths of shortest paths approximate
    distances along the data, and classical scaling of them gives the coordinates.

    Parameters
    ----------
    n_neighbors : int or None, default=5
        Neighbours of each row; None if `radius` is set. Too few disconnect the graph, too many short-circuit the
        manifold.
    radius : float or None, default=None
        Rows within this distance are neighbours.
    n_components : int, default=2
        Number of dimensions.
    eigen_solver : {"auto", "arpack", "dense"}, default="auto"
        Accepted for compatibility; the solver is chosen by the number of rows.
    tol : float, default=0
        Accepted for compatibility; eigenpairs are exact to rounding.
    max_iter : int or None, default=None
        Accepted for compatibility.
    path_method : {"auto", "FW", "D"}, default="auto"
        Floyd-Warshall in O(n^3), or Dijkstra's algorithm from every row in O(n (n + m) log n); "auto" is Dijkstra.
    neighbors_algorithm : {"auto", "brute", "kd_tree", "ball_tree"}, default="auto"
        Search for the neighbours.
    n_jobs : int or None, default=None
        Number of threads; see :func:`statlearn.threads`.
    metric : str or callable, default="minkowski"
        A metric of :func:`statlearn.neighbors.pairwise_distances`, or "precomputed".
    p : float, default=2
        Power of the Minkowski metric.
    metric_params : dict or None, default=None
        Parameters of the metric.
    on_disconnected : {"bridge", "error", "largest"}, default="bridge"
        If the graph is in several pieces: join them by the shortest connections with a warning, raise an error, or
        embed the largest piece only (the other rows get NaN).
    n_eigenvalues : int, "all" or None, default=None
        Length of ``eigenvalues_``, at least `n_components`, which None means. The spectrum beyond the dimensions in use
        shows how many there are: it drops after the last of the manifold.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
    dist_matrix_ : ndarray of shape (n_kept, n_kept)
        Geodesic distances.
    eigenvalues_ : ndarray of shape (n_components,) or (n_eigenvalues,)
        Leading eigenvalues of the double-centred squared distances, decreasing. All of them contain negative ones,
        because geodesic distances are not Euclidean.
    kept_ : ndarray of int
        Rows in the graph; all of them unless ``on_disconnected="largest"``.
    nbrs_ : NearestNeighbors
        Search among the training rows, with the number of neighbours or the radius of the fit.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of str

    Notes
    -----
    Needs the n x n matrix of geodesic distances.

    References
    ----------
    Tenenbaum, de Silva and Langford (2000), A global geometric framework for nonlinear dimensionality reduction.
    Science 290.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.manifold import Isomap
    >>> t = np.linspace(0, 3, 50)
    >>> half_circle = np.column_stack([np.cos(t), np.sin(t)])
    >>> Y = Isomap(n_neighbors=2, n_components=1).fit_transform(half_circle)
    >>> abs(np.corrcoef(Y[:, 0], t)[0, 1]).round(4)
    np.float64(1.0)
    """

    _constraints = {
        "n_neighbors": [Int(1, None), None],
        "radius": [Real(0, None, closed="right"), None],
        "n_components": [Int(1, None)],
        "eigen_solver": [Options("auto", "arpack", "dense")],
        "tol": [Real(0, None)],
        "max_iter": [Int(1, None), None],
        "path_method": [Options("auto", "FW", "D")],
        "neighbors_algorithm": [Options("auto", "brute", "kd_tree", "ball_tree")],
        "n_jobs": [Int(None, None), None],
        "metric": [Instance(str), "callable"],
        "p": [Real(1, None)],
        "metric_params": [Instance(dict), None],
        "on_disconnected": [Options("bridge", "error", "largest")],
        "n_eigenvalues": [Int(1, None), Options("all"), None],
    }

    def __init__(
        self,
        *,
        n_neighbors=5,
        radius=None,
        n_components=2,
        eigen_solver="auto",
        tol=0,
        max_iter=None,
        path_method="auto",
        neighbors_algorithm="auto",
        n_jobs=None,
        metric="minkowski",
        p=2,
        metric_params=None,
        on_disconnected="bridge",
        n_eigenvalues=None,
    ):
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.n_components = n_components
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.max_iter = max_iter
        self.path_method = path_method
        self.neighbors_algorithm = neighbors_algorithm
        self.n_jobs = n_jobs
        self.metric = metric
        self.p = p
        self.metric_params = metric_params
        self.on_disconnected = on_disconnected
        self.n_eigenvalues = n_eigenvalues

    def fit(self, X, y=None):
        """Compute the coordinates.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples)
            Rows, or distances with ``metric="precomputed"``: a matrix, or a sparse graph of near neighbours.
        y : ignored

        Returns
        -------
        self
        """
        check_params(self)
        if self.n_neighbors is not None and self.radius is not None:
            raise ValueError("Both n_neighbors and radius are provided; set one of them to None.")
        if self.n_neighbors is None and self.radius is None:
            raise ValueError("Set either `n_neighbors` or `radius`; both are None.")
        X = validate_data(self, X, dtype=np.float64, order="C", accept_sparse="csr", ensure_min_samples=2)
        if self._precomputed:
            self._check_distances(X)
        warn_of_distances(X, self.metric)
        n = X.shape[0]
        if self.n_neighbors is not None and self.n_neighbors > n - 1:
            raise ValueError(
                f"Expected n_neighbors < n_samples, but `n_neighbors`={self.n_neighbors}, n_samples = {n}."
            )
        require_memory(16 * n * n, f"The {n:,} x {n:,} geodesic distances", "Use a sample of the rows.")
        with jobs(self.n_jobs):
            self._neighborhoods = self._search(X)
            graph = undirected(self._neighborhoods.graph())
            graph, self.kept_ = connect(graph, self._neighborhoods, self.on_disconnected, type(self).__name__)
            if self.path_method == "FW":
                self.dist_matrix_ = np.ascontiguousarray(floyd_warshall(graph, directed=False))
            else:
                self.dist_matrix_ = geodesic_distances(graph)
            if self.n_components > len(self.kept_):
                raise ValueError(
                    f"`n_components`={self.n_components} exceeds the {len(self.kept_)} rows of X; use fewer."
                )
            B, self._column_means, self._squared_norm = centred_products(self.dist_matrix_)
            require_finite(self._column_means)
            coordinates, self.eigenvalues_, self._vectors = principal_coordinates(B, self.n_components)
            if self.n_eigenvalues is not None:
                self.eigenvalues_ = self._spectrum(B)
        self.embedding_ = np.full((n, self.n_components), np.nan)
        self.embedding_[self.kept_] = coordinates
        return self

    def _spectrum(self, B):
        """Leading eigenvalues; the first ones belong to the coordinates."""
        n = len(B)
        count = n if self.n_eigenvalues == "all" else self.n_eigenvalues
        if not self.n_components <= count <= n:
            raise ValueError(
                f"`n_eigenvalues`={count} must be between `n_components`={self.n_components} and the {n} rows of X."
            )
        values = linalg.eigvalsh(B, subset_by_index=(n - count, n - 1))[::-1]
        return np.concatenate([self.eigenvalues_, values[self.n_components :]])

    def fit_transform(self, X, y=None):
        """Compute and return the coordinates.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples)
        y : ignored

        Returns
        -------
        embedding : ndarray of shape (n_samples, n_components)
        """
        return self.fit(X).embedding_

    def transform(self, X):
        """Coordinates of new rows.

        A new row is joined to its nearest training rows; its geodesic distances to all training rows are the shortest
        over them, and are projected onto the axes of the fit.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features) or (n_queries, n_samples)

        Returns
        -------
        coordinates : ndarray of shape (n_queries, n_components)
            NaN, with a warning, for a row without a neighbour among the training rows that have coordinates.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, order="C", accept_sparse="csr", reset=False)
        with jobs(self.n_jobs):
            starts, near, far = self._neighborhoods.of(X)
        position = np.full(self.embedding_.shape[0], -1)
        position[self.kept_] = np.arange(len(self.kept_))
        result = np.empty((X.shape[0], self._vectors.shape[1]))
        scale = np.sqrt(np.maximum(self.eigenvalues_[: self._vectors.shape[1]], 0.0))
        axes = np.divide(self._vectors, scale, out=np.zeros_like(self._vectors), where=scale > 0)
        for i in range(X.shape[0]):
            here = slice(starts[i], starts[i + 1])
            rows, lengths = position[near[here]], far[here]
            lengths, rows = lengths[rows >= 0], rows[rows >= 0]
            if len(rows) == 0:
                result[i] = np.nan  # no neighbour within the radius, or none in the graph
                continue
            geodesic = (self.dist_matrix_[rows] + lengths[:, None]).min(axis=0)
            squares = -0.5 * geodesic**2
            centred = squares - squares.mean() - self._column_means + self._column_means.mean()
            result[i] = centred @ axes
        lost = int(np.isnan(result).all(axis=1).sum())
        if lost:
            warn(
                f"{lost} of {len(result)} rows of X have no neighbour among the training rows with coordinates; "
                "predicting NaN for them. Increase `n_neighbors` or `radius`.",
                StatlearnWarning,
            )
        return result

    def reconstruction_error(self):
        r"""Error of the inner products, :math:`\lVert B - Y Y^\top \rVert_F / n`.

        Returns
        -------
        error : float
        """
        check_is_fitted(self)
        used = self.eigenvalues_[: self._vectors.shape[1]]
        return float(np.sqrt(max(self._squared_norm - np.sum(used**2), 0.0)) / len(self.kept_))

    def residual_variance(self):
        """One minus the squared correlation of geodesic and embedded distances, for every number of dimensions.

        The elbow of this curve suggests how many dimensions the data have.

        Returns
        -------
        residual : ndarray of shape (n_components,)
        """
        check_is_fitted(self)
        upper = np.triu_indices(len(self.kept_), 1)
        geodesic = self.dist_matrix_[upper]
        Y = self.embedding_[self.kept_]
        return np.array(
            [
                1 - np.corrcoef(geodesic, pairwise_distances(Y[:, :k])[upper])[0, 1] ** 2
                for k in range(1, Y.shape[1] + 1)
            ]
        )

    @staticmethod
    def _check_distances(D):
        if not sparse.issparse(D):
            check_dissimilarities(D)
        elif D.shape[0] != D.shape[1]:
            raise ValueError(f"X must be a square graph of distances with metric='precomputed', got shape {D.shape}.")
        elif D.data.min(initial=0.0) < 0:
            raise ValueError(f"X contains negative distances (minimum {D.data.min():g}); they must be at least 0.")

    def _search(self, X):
        if self._precomputed:
            return GivenNeighborhoods(X, self.n_neighbors, self.radius)
        return Neighborhoods(
            X, self.n_neighbors, self.radius, self.metric, self.p, self.metric_params, self.neighbors_algorithm
        )

    @property
    def nbrs_(self):
        """Search among the training rows, as a :class:`statlearn.neighbors.NearestNeighbors`."""
        check_is_fitted(self)
        return self._neighborhoods.nearest_neighbors()

    @property
    def _precomputed(self):
        return isinstance(self.metric, str) and self.metric == "precomputed"

    @property
    def _n_features_out(self):
        return self.embedding_.shape[1]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._precomputed
        tags.input_tags.sparse = True
        return tags
