"""Diffusion maps: coordinates from a random walk on the rows."""

import numpy as np
from scipy import linalg, sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from statlearn._core.blas import single_blas_thread
from statlearn._core.jobs import jobs
from statlearn._core.native import manifold as native
from statlearn._core.params import Int, Options, Real, check_arguments, check_params
from statlearn._core.validation import validate_data
from statlearn._core.warnings import StatlearnWarning, warn
from statlearn._math.distances.neighbor_index import build_index
from statlearn._math.graphs.laplacian import check_affinity
from statlearn._math.graphs.similarity import ordered_neighbor_affinity, rbf_affinity, scaled
from statlearn._math.linalg.eigen import fixed_signs, largest_eigenpairs, smallest_graph_eigenpairs, symmetric_product
from statlearn._math.linalg.sparse_arrays import compressed_arrays, to_dense
from statlearn.kernels import rbf_kernel

from ._graphs import heat_gamma

_COMPLETE = 400  # rows up to which the decomposition is complete (empirical)
_TOL = 1e-9  # largest residual of an eigenpair


def _require_degrees(degree, name, order=slice(None)):
    if not (degree > 0).all():
        row = np.arange(len(degree))[order][np.argmin(degree)]
        raise ValueError(
            f"{name}: row {row} has no similarity to any row, so a random walk cannot leave it. "
            "Remove the row, or use a wider kernel."
        )


def _degrees(K, name):
    degree = np.asarray(K.sum(axis=1)).ravel()
    _require_degrees(degree, name)
    return degree


def _with_diagonal(K):
    """A CSR array with an entry at every place of the diagonal, 0 where it had none."""
    if native.has_diagonal(*compressed_arrays(K)):
        return K
    K = K.tocoo()
    each = np.arange(K.shape[0])
    entries = np.r_[K.data, np.zeros(len(each))], (np.r_[K.row, each], np.r_[K.col, each])
    return sparse.csr_array(entries, shape=K.shape)


def _sparse_walk(K, alpha, order, keep):
    """The Laplacian I - D^-1/2 K D^-1/2 of similarities K after the density normalisation, the density and D.

    The values of K are written over unless they are to be kept.
    """
    K = _with_diagonal(K)
    n = K.shape[0]
    values, columns, starts = compressed_arrays(K)
    density, degree = np.empty(n), np.empty(n)
    laplacian = np.empty_like(values) if keep else values
    if not native.walk_laplacian(values, columns, starts, float(alpha), density, degree, laplacian):
        _require_degrees(degree, "X", order)
    return sparse.csr_array((laplacian, columns, starts), shape=(n, n)), density, degree


def diffusion_distance(W, t=1):
    r"""Diffusion distances between all nodes of a graph.

    With the random walk :math:`P = D^{-1} W` and its stationary distribution :math:`\pi`,

    .. math:: \delta_t(i, k)^2 = \sum_j \frac{(P^t_{ij} - P^t_{kj})^2}{\pi_j}.

    Rows are close if walks of length t from them end in the same places. The Euclidean distances of all coordinates of
    a `DiffusionMap` at time t are the same.

    Parameters
    ----------
    W : array-like or sparse matrix of shape (n, n)
        Symmetric weights of at least 0.
    t : int, default=1
        Number of steps.

    Returns
    -------
    distance : ndarray of shape (n, n)

    Examples
    --------
    >>> from statlearn.manifold import diffusion_distance
    >>> diffusion_distance([[0, 1, 0], [1, 0, 1], [0, 1, 0]]).round(3)
    array([[0., 2., 0.],
           [2., 0., 2.],
           [0., 2., 0.]])
    """
    check_arguments(diffusion_distance, t=(t, [Int(0, None)]))
    W = check_affinity(W, "W")
    W = to_dense(W)
    degree = _degrees(W, "W")
    steps = np.linalg.matrix_power(W / degree[:, None], t) / np.sqrt(degree / degree.sum())
    from statlearn._math.distances.metrics import pairwise_distances

    return pairwise_distances(np.ascontiguousarray(steps))


class DiffusionMap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Diffusion map.

    Similarities K of the rows, divided by their row sums D, are the steps of a random walk :math:`M = D^{-1} K`. With
    the eigenvectors :math:`M \phi_k = \lambda_k \phi_k`, scaled so that :math:`\sum_i \pi_i \phi_k(i)^2 = 1`, the
    coordinates at time t are :math:`\lambda_k^t \phi_k(i)`; the constant :math:`\phi_0` is left out. Their Euclidean
    distances are diffusion distances (see :func:`diffusion_distance`).

    Parameters
    ----------
    n_components : int, default=2
        Number of coordinates, by decreasing eigenvalue.
    t : int, default=1
        Number of steps of the walk. Longer walks smooth small structures away.
    alpha : float, default=0.0
        Density normalisation: K is replaced by :math:`D^{-\alpha} K D^{-\alpha}` first. 1 removes the influence of the
        sampling density on the limit, 0 keeps it.
    affinity : {"rbf", "nearest_neighbors", "precomputed"}, default="rbf"
        All pairs with weight :math:`\exp(-\gamma d^2)`, the same weights on a graph of near neighbours (for many
        rows), or X itself as the similarities.
    gamma : float or None, default=None
        Parameter of the weights; None means 1 over the number of columns.
    sigma : float or None, default=None
        Width of the weights, instead of `gamma`.
    sigma_form : {"2sigma2", "sigma2"}, default="2sigma2"
        Whether ``gamma = 1 / (2 sigma^2)`` or ``gamma = 1 / sigma^2``.
    n_neighbors : int, default=10
        Neighbours of each row, including itself, for "nearest_neighbors".
    random_state : int, RandomState or None, default=None
        Seed of the initial vectors of the eigensolver.
    n_jobs : int or None, default=None
        Number of threads; see :func:`statlearn.threads`.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
    eigenvalues_ : ndarray of shape (n_components,)
        Decreasing, without the trivial one, which is 1.
    eigenfunctions_ : ndarray of shape (n_samples, n_components)
        The :math:`\phi_k` at the training rows.
    stationary_ : ndarray of shape (n_samples,)
        Stationary distribution :math:`\pi` of the walk.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of str

    Notes
    -----
    M is similar to the symmetric :math:`D^{-1/2} K D^{-1/2}`, which is what is decomposed. For the same graph without
    loops, the eigenvalues are one minus those of `SpectralEmbedding`, with the same vectors. Dropping coordinates with
    small :math:`|\lambda|^t` changes the distances little.

    References
    ----------
    Coifman and Lafon (2006), Diffusion maps. Applied and Computational Harmonic Analysis 21.

    Examples
    --------
    >>> from statlearn.manifold import DiffusionMap, swiss_roll
    >>> X, _ = swiss_roll(200, random_state=0)
    >>> DiffusionMap(2, sigma=2.0, t=4).fit(X).embedding_.shape
    (200, 2)
    """

    _constraints = {
        "n_components": [Int(1, None)],
        "t": [Int(0, None)],
        "alpha": [Real(0, None)],
        "affinity": [Options("rbf", "nearest_neighbors", "precomputed")],
        "gamma": [Real(0, None), None],
        "sigma": [Real(0, None, closed="neither"), None],
        "sigma_form": [Options("2sigma2", "sigma2")],
        "n_neighbors": [Int(1, None)],
        "random_state": ["random_state"],
        "n_jobs": [Int(None, None), None],
    }

    def __init__(
        self,
        n_components=2,
        *,
        t=1,
        alpha=0.0,
        affinity="rbf",
        gamma=None,
        sigma=None,
        sigma_form="2sigma2",
        n_neighbors=10,
        random_state=None,
        n_jobs=None,
    ):
        self.n_components = n_components
        self.t = t
        self.alpha = alpha
        self.affinity = affinity
        self.gamma = gamma
        self.sigma = sigma
        self.sigma_form = sigma_form
        self.n_neighbors = n_neighbors
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X, y=None):
        """Compute the coordinates.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
            Rows, or similarities with ``affinity="precomputed"``, which may then be sparse.
        y : ignored

        Returns
        -------
        self
        """
        check_params(self)
        is_affinity = self.affinity == "precomputed"
        X = validate_data(
            self, X, accept_sparse="csr" if is_affinity else False, dtype=np.float64, order="C", ensure_min_samples=2
        )
        n = X.shape[0]
        if self.n_components > n - 1:
            raise ValueError(f"`n_components`={self.n_components} must be less than the {n} rows of X.")
        with jobs(self.n_jobs):
            K, order = self._similarities(X)
            if sparse.issparse(K):
                S, density, degree = _sparse_walk(K, self.alpha, order, keep=is_affinity)
            else:
                density = _degrees(K, "X") ** -self.alpha
                if self.alpha > 0:
                    K = scaled(K, density, density)
                degree = _degrees(K, "X")
                S = scaled(K, degree**-0.5, degree**-0.5)
            stationary = degree / degree.sum()
            values, vectors = self._decompose(S, stationary)
        self.eigenvalues_ = values
        self.stationary_, self._density = np.empty(n), np.empty(n)
        self.stationary_[order], self._density[order] = stationary, density
        functions = np.empty_like(vectors)
        functions[order] = vectors / np.sqrt(stationary)[:, None]
        self.eigenfunctions_ = np.ascontiguousarray(fixed_signs(functions))
        # Parameters that `transform` needs as of the fit.
        self._t = self.t
        self._neighbors = self.n_neighbors if self.affinity == "nearest_neighbors" else None
        self.embedding_ = self.eigenvalues_**self.t * self.eigenfunctions_
        self._X = None if is_affinity else X
        return self

    def _similarities(self, X):
        """The similarities, and the rows of X that their rows belong to."""
        as_given = slice(None)
        if self.affinity == "precomputed":
            return check_affinity(X, "X"), as_given
        self._gamma = heat_gamma(self.gamma, self.sigma, self.sigma_form, X.shape[1])
        if self.affinity == "rbf":
            return rbf_affinity(X, self._gamma), as_given
        return ordered_neighbor_affinity(X, self.n_neighbors, ties="either", gamma=self._gamma)

    def _decompose(self, S, stationary):
        """Leading eigenpairs of the symmetric form S after the trivial one; a sparse S is passed as I - S."""
        n, k = S.shape[0], self.n_components
        trivial = np.sqrt(stationary)[:, None]
        if n <= _COMPLETE or k > n // 10:
            S = np.eye(n) - S.toarray() if sparse.issparse(S) else S
            values, vectors = linalg.eigh(S - trivial @ trivial.T)
            # The trivial pair was moved to eigenvalue 0: it is the vector along `trivial`.
            along = np.abs(trivial.T @ vectors).ravel()
            keep = np.delete(np.arange(n), np.argmax(along))[::-1][:k]
            values, vectors = values[keep], vectors[:, keep]
        else:
            rng = check_random_state(self.random_state)
            if sparse.issparse(S):
                values, vectors, status = smallest_graph_eigenpairs(
                    S, k + 1, null=trivial, near=trivial.ravel(), random_state=rng, tol=_TOL
                )
                values = 1.0 - values
            else:
                S = np.ascontiguousarray(S)
                start = rng.standard_normal((n, -(-(k + 2) // 8) * 8))
                values, vectors, status = largest_eigenpairs(
                    lambda V: symmetric_product(S, V),
                    start,
                    k + 1,
                    known=trivial,
                    known_value=1.0,
                    tol=_TOL,
                    max_passes=1500,
                )
            if status != 0:
                warn(
                    "DiffusionMap: the eigenvectors are only approximate. Use a wider kernel or more neighbours.",
                    StatlearnWarning,
                )
            values, vectors = values[1:], vectors[:, 1:]
        if values[0] > 1 - 1e-10:
            warn(
                "The similarity graph falls into pieces, so the first coordinates of DiffusionMap only tell them "
                "apart. Use a wider kernel or more neighbours.",
                StatlearnWarning,
            )
        return values, vectors

    def fit_transform(self, X, y=None):
        """Compute and return the coordinates.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
        y : ignored

        Returns
        -------
        embedding : ndarray of shape (n_samples, n_components)
        """
        return self.fit(X).embedding_

    def transform(self, X):
        r"""Coordinates of new rows by Nyström's extension.

        :math:`\phi_k(x) = \sum_j p(x, x_j) \phi_k(x_j) / \lambda_k`, with p the steps of the walk from x. A training
        row gets its training coordinates. With "nearest_neighbors" this holds approximately, because the graph of the
        fit also contains rows that have the row as a neighbour.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features), or (n_queries, n_samples) if precomputed
            New rows, or their similarities to the training rows.

        Returns
        -------
        coordinates : ndarray of shape (n_queries, n_components)
        """
        check_is_fitted(self)
        is_affinity = self._X is None
        X = validate_data(
            self, X, accept_sparse="csr" if is_affinity else False, dtype=np.float64, order="C", reset=False
        )
        K = self._new_similarities(X)
        walk = K * self._density if not sparse.issparse(K) else sparse.csr_array(K @ sparse.diags_array(self._density))
        total = np.asarray(walk.sum(axis=1)).ravel()
        lost = int(np.sum(total <= 0))
        if lost:
            warn(
                f"{lost} rows of X have no similarity to any training row; predicting NaN for them. Use a wider "
                "kernel, or drop these rows.",
                StatlearnWarning,
            )
        # The normalisation of the new row itself cancels in its transition probabilities.
        with single_blas_thread():  # the same bits for any number of threads
            steps = (walk @ self.eigenfunctions_) / np.where(total > 0, total, np.nan)[:, None]
        small = np.abs(self.eigenvalues_) < 1e-12
        inverse = np.where(small, 0.0, 1.0 / np.where(small, 1.0, self.eigenvalues_))
        return steps * inverse * self.eigenvalues_**self._t

    def _new_similarities(self, X):
        if self._X is None:
            return X
        if self._neighbors is None:
            return rbf_kernel(X[:], self._X, gamma=self._gamma)  # computed alike if X is the training table itself
        far, near = build_index(self._X).query(X, self._neighbors)
        starts = np.arange(0, near.size + 1, self._neighbors)
        return sparse.csr_array((np.exp(-self._gamma * far**2).ravel(), near.ravel(), starts), (len(X), len(self._X)))

    @property
    def _n_features_out(self):
        return self.embedding_.shape[1]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.affinity == "precomputed"
        tags.input_tags.sparse = self.affinity == "precomputed"
        return tags
