"""Laplacian eigenmaps."""

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state

from statlearn._core.fitted_state import forget
from statlearn._core.jobs import jobs
from statlearn._core.params import Int, Options, Real, check_arguments, check_params
from statlearn._core.validation import FLOATS, validate_data
from statlearn._core.warnings import StatlearnWarning, warn
from statlearn._math.graphs.laplacian import Laplacian, check_affinity, smallest_eigenpairs
from statlearn._math.graphs.similarity import nearest_of_distances, neighbor_affinity, rbf_affinity, symmetric
from statlearn._math.linalg.eigen import fixed_signs

from ._graphs import affinity_graph, heat_gamma


def _eigenmap(W, k, *, normalized, drop_first, rng, tol, solver, owner):
    """Coordinates, eigenvalues and the number of components of the graph."""
    if k + drop_first > W.shape[0]:
        raise ValueError(f"`n_components`={k} needs at least {k + drop_first} rows, got {W.shape[0]}.")
    laplacian = Laplacian(W, "sym" if normalized else "unnormalized")
    values, vectors, pieces = smallest_eigenpairs(laplacian, k + drop_first, rng, tol=tol, solver=solver, owner=owner)
    if pieces > 1:
        warn(
            f"Graph is not fully connected: it has {pieces} components, so {min(pieces - 1, k)} of the coordinates of "
            f"{owner} only tell them apart. Increase `n_neighbors` or decrease `gamma`.",
            StatlearnWarning,
        )
    if normalized:
        vectors = vectors / laplacian.root[:, None]  # Y'DY = I
    first = int(drop_first)
    return np.ascontiguousarray(fixed_signs(vectors[:, first:])), values[first:], pieces


def spectral_embedding(
    adjacency,
    *,
    n_components=8,
    eigen_solver=None,
    random_state=None,
    eigen_tol="auto",
    norm_laplacian=True,
    drop_first=True,
):
    """Coordinates of the nodes of a graph from the smallest eigenvectors of its Laplacian.

    Parameters
    ----------
    adjacency : {array-like, sparse matrix} of shape (n_samples, n_samples)
        Symmetric weights of at least 0.
    n_components : int, default=8
    eigen_solver : {None, "arpack", "lobpcg", "amg"}, default=None
        None and "amg" are multigrid for sparse graphs, and a block Krylov method for dense ones.
    random_state : int, RandomState or None, default=None
        Seed of the initial vectors.
    eigen_tol : float or "auto", default="auto"
        Largest residual of an eigenpair, relative to the largest eigenvalue; "auto" is 1e-8.
    norm_laplacian : bool, default=True
        Whether to use the normalised Laplacian, with coordinates scaled so that Y'DY = I.
    drop_first : bool, default=True
        Whether to leave out the first vector, which is constant in a connected graph.

    Returns
    -------
    embedding : ndarray of shape (n_samples, n_components)

    Examples
    --------
    >>> from statlearn.manifold import spectral_embedding
    >>> spectral_embedding([[0, 1, 0], [1, 0, 1], [0, 1, 0]], n_components=1).round(3).ravel()
    array([ 0.707,  0.   , -0.707])
    """
    check_arguments(
        spectral_embedding,
        n_components=(n_components, [Int(1, None)]),
        eigen_solver=(eigen_solver, [Options("arpack", "lobpcg", "amg"), None]),
        eigen_tol=(eigen_tol, [Real(0, None), Options("auto")]),
        norm_laplacian=(norm_laplacian, ["boolean"]),
        drop_first=(drop_first, ["boolean"]),
    )
    return _eigenmap(
        check_affinity(adjacency, "adjacency"),
        n_components,
        normalized=norm_laplacian,
        drop_first=drop_first,
        rng=check_random_state(random_state),
        tol=1e-8 if eigen_tol == "auto" else eigen_tol,
        solver=eigen_solver,
        owner="spectral_embedding",
    )[0]


class SpectralEmbedding(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Laplacian eigenmaps.

    Minimises :math:`\sum_{ij} w_{ij} \lVert y_i - y_j \rVert^2` subject to :math:`Y^\top D Y = I` and
    :math:`Y^\top D 1 = 0`: rows that are joined by heavy edges come close together. The solution consists of the
    smallest eigenvectors of :math:`L u = \lambda D u` after the constant one.

    Parameters
    ----------
    n_components : int, default=2
        Number of dimensions.
    affinity : {"nearest_neighbors", "rbf", "precomputed", "precomputed_nearest_neighbors"} or callable, \
            default="nearest_neighbors"
        Graph of near neighbours, all pairs with weight :math:`\exp(-\gamma d^2)`, X itself as the weights, X as a
        sparse matrix of distances to neighbours, or a function that returns the weights of all pairs of rows.
    gamma : float or None, default=None
        Parameter of "rbf"; None means 1 over the number of columns.
    random_state : int, RandomState or None, default=None
        Seed of the initial vectors of the eigensolver.
    eigen_solver : {None, "arpack", "lobpcg", "amg"}, default=None
        None and "amg" are multigrid for sparse graphs, and a block Krylov method for dense ones.
    eigen_tol : float or "auto", default="auto"
        Largest residual of an eigenpair, relative to the largest eigenvalue; "auto" is 1e-8.
    n_neighbors : int or None, default=None
        Neighbours of each row, including itself; None means a tenth of the rows.
    n_jobs : int or None, default=None
        Number of threads; see :func:`statlearn.threads`.
    weights : {"binary", "heat"}, default="binary"
        Weights of the pairs of near neighbours with ``affinity="nearest_neighbors"``: 1, or a half if only one of the
        two is a neighbour of the other, as in scikit-learn; or :math:`\exp(-d^2 / (2\sigma^2))` for all of them, as
        :func:`affinity_graph` gives them for ``n_neighbors - 1`` other rows.
    sigma : float or None, default=None
        Width of the heat weights; None takes `gamma`, as in "rbf".

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
    affinity_matrix_ : ndarray or sparse matrix of shape (n_samples, n_samples)
    eigenvalues_ : ndarray of shape (n_components,)
        Increasing, of :math:`L u = \lambda D u`, which are those of :math:`L_{sym}`.
    n_neighbors_ : int
        Number of neighbours in use.
    gamma_ : float
        Value of `gamma` in use. Only with ``affinity="rbf"`` and heat weights.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of str

    Notes
    -----
    The coordinates of a graph in several pieces mostly tell the pieces apart; a warning says so.

    References
    ----------
    Belkin and Niyogi (2003), Laplacian eigenmaps for dimensionality reduction and data representation.
    Neural Computation 15.

    Examples
    --------
    >>> from statlearn.manifold import SpectralEmbedding, swiss_roll
    >>> X, _ = swiss_roll(200, random_state=0)
    >>> SpectralEmbedding(2, n_neighbors=10).fit_transform(X).shape
    (200, 2)
    """

    _constraints = {
        "n_components": [Int(1, None)],
        "affinity": [
            Options("nearest_neighbors", "rbf", "precomputed", "precomputed_nearest_neighbors"),
            "callable",
        ],
        "gamma": [Real(0, None), None],
        "random_state": ["random_state"],
        "eigen_solver": [Options("arpack", "lobpcg", "amg"), None],
        "eigen_tol": [Real(0, None), Options("auto")],
        "n_neighbors": [Int(1, None), None],
        "n_jobs": [Int(None, None), None],
        "weights": [Options("binary", "heat")],
        "sigma": [Real(0, None, closed="neither"), None],
    }

    def __init__(
        self,
        n_components=2,
        *,
        affinity="nearest_neighbors",
        gamma=None,
        random_state=None,
        eigen_solver=None,
        eigen_tol="auto",
        n_neighbors=None,
        n_jobs=None,
        weights="binary",
        sigma=None,
    ):
        self.n_components = n_components
        self.affinity = affinity
        self.gamma = gamma
        self.random_state = random_state
        self.eigen_solver = eigen_solver
        self.eigen_tol = eigen_tol
        self.n_neighbors = n_neighbors
        self.n_jobs = n_jobs
        self.weights = weights
        self.sigma = sigma

    def fit(self, X, y=None):
        """Compute the graph and the coordinates.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples)
            Rows, or weights or distances, depending on `affinity`.
        y : ignored

        Returns
        -------
        self
        """
        check_params(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=FLOATS, order="C", ensure_min_samples=2)
        kind, X = X.dtype, X.astype(np.float64, copy=False)
        with jobs(self.n_jobs):
            self.affinity_matrix_ = self._weights(X)
            built = self.affinity in ("rbf", "nearest_neighbors", "precomputed_nearest_neighbors")
            self.embedding_, self.eigenvalues_, _ = _eigenmap(
                self.affinity_matrix_ if built else check_affinity(self.affinity_matrix_, "X"),
                self.n_components,
                normalized=True,
                drop_first=True,
                rng=check_random_state(self.random_state),
                tol=1e-8 if self.eigen_tol == "auto" else self.eigen_tol,
                solver=self.eigen_solver,
                owner=type(self).__name__,
            )
        if kind == np.float32:
            self.embedding_ = self.embedding_.astype(kind)
            self.affinity_matrix_ = self.affinity_matrix_.astype(kind)
        return self

    def _weights(self, X):
        n = X.shape[0]
        forget(self, "gamma_", "n_neighbors_")
        heat = self.weights == "heat"
        if (heat or self.sigma is not None) and not (heat and self.affinity == "nearest_neighbors"):
            raise ValueError(
                "`weights`='heat' and `sigma` belong to the graph of near neighbours; set affinity='nearest_neighbors' "
                "and weights='heat', or use `gamma` with affinity='rbf'."
            )
        if callable(self.affinity):
            return self.affinity(X)
        if self.affinity == "precomputed":
            if X.shape[0] != X.shape[1]:
                raise ValueError(f"X must be a square matrix of weights with `affinity`='precomputed', got {X.shape}.")
            return X
        if self.affinity == "rbf":
            self.gamma_ = 1.0 / X.shape[1] if self.gamma is None else self.gamma
            return rbf_affinity(X, self.gamma_)
        self.n_neighbors_ = max(int(n / 10), 1) if self.n_neighbors is None else self.n_neighbors
        if heat:
            self.gamma_ = heat_gamma(self.gamma, self.sigma, "2sigma2", X.shape[1])
            return affinity_graph(X, n_neighbors=max(self.n_neighbors_ - 1, 1), weights="heat", gamma=self.gamma_)
        if self.affinity == "nearest_neighbors":
            return neighbor_affinity(X, self.n_neighbors_)
        return symmetric(nearest_of_distances(X, self.n_neighbors_))

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

    @property
    def _n_features_out(self):
        return self.embedding_.shape[1]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.affinity in ("precomputed", "precomputed_nearest_neighbors")
        return tags


LaplacianEigenmaps = SpectralEmbedding
