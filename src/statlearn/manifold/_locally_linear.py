"""Locally linear embeddings: standard, modified, Hessian, and alignment of tangent spaces."""

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import splu
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from statlearn._core.jobs import jobs
from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.validation import require_finite, validate_data
from statlearn._core.warnings import StatlearnWarning, warn
from statlearn._math.distances.neighbor_index import build_index
from statlearn._math.linalg.eigen import eigh_between, fixed_signs, largest_eigenpairs

from ._local_forms import barycenter_weights, hessian_form, modified_form, standard_form, tangent_form

_DENSE = 300  # rows up to which the decomposition is complete (empirical)
_SHIFT = 1e-9  # of the inverse, relative to the largest entry: the wanted eigenvalues are close to 0


def _null_space(M, k, solver, tol, max_iter, rng):
    """Eigenvectors of the k smallest eigenvalues of M after the constant one, and the sum of these eigenvalues."""
    n = M.shape[0]
    few_rows = n <= _DENSE or k + 1 > n // 10
    if solver == "dense" or (solver == "auto" and few_rows) or 2 * (k + 5) > n:
        values, vectors = eigh_between(M.toarray(), 1, k)
        return fixed_signs(vectors), float(values.sum())
    shift = _SHIFT * float(np.abs(M.data).max())
    factor = splu(
        sparse.csc_matrix(M + shift * sparse.eye_array(n)),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )
    constant = np.full((n, 1), n**-0.5)
    start = rng.standard_normal((n, k + 4))
    start -= constant * (constant.T @ start)
    # The wanted eigenvalues of the inverse may be far below 1 / shift: residuals are compared with an estimate of them.
    scale = np.linalg.norm(factor.solve(start / np.linalg.norm(start, axis=0)), axis=0).max()
    values, vectors, status = largest_eigenpairs(
        factor.solve, start, k + 1, known=constant, known_value=1.0 / shift, tol=tol * scale, max_passes=max_iter
    )
    if status != 0:
        warn(
            "The eigenvectors of the locally linear embedding are only approximate. Increase `max_iter`, `n_neighbors` "
            "or `reg`.",
            StatlearnWarning,
        )
    return fixed_signs(vectors[:, 1:]), float(np.sum(np.maximum(1.0 / values[1:] - shift, 0.0)))


def _form(X, near, settings):
    """The matrix M whose form y'My the coordinates minimise."""
    d, method = settings["n_components"], settings["method"]
    if method == "modified":
        return modified_form(X, near, d, settings["modified_tol"])
    if method == "hessian":
        return hessian_form(X, near, d)
    if method == "ltsa":
        return tangent_form(X, near, d)
    return standard_form(X, near, settings["reg"])


def _check_neighbors(method, k, d):
    """Raise an error if `n_neighbors` = k leaves no degrees of freedom in d dimensions."""
    least = {"hessian": d * (d + 3) // 2 + 1, "modified": d + 1, "ltsa": d + 1}.get(method, 1)
    if k < least:
        raise ValueError(f"`n_neighbors`={k} must be at least {least} for `method`={method!r} and `n_components`={d}.")


def _embed(X, near, settings):
    n, k = near.shape
    d = settings["n_components"]
    if d > X.shape[1]:
        raise ValueError(f"`n_components`={d} must be at most {X.shape[1]}, the number of columns of X.")
    _check_neighbors(settings["method"], k, d)
    if d + 1 > n:
        raise ValueError(f"`n_components`={d} needs at least {d + 1} rows, got {n}.")
    _warn_of_pieces(near)
    M = _form(X, near, settings)
    require_finite(M.data)
    rng = check_random_state(settings["random_state"])
    return _null_space(M, d, settings["eigen_solver"], settings["tol"], settings["max_iter"], rng)


def _warn_of_pieces(near):
    n, k = near.shape
    graph = sparse.csr_array((np.ones(n * k), near.ravel(), np.arange(0, n * k + 1, k)), shape=(n, n))
    pieces = connected_components(graph, directed=False, return_labels=False)
    if pieces > 1:
        warn(
            f"The neighbourhood graph has {pieces} connected components, so the coordinates of the locally linear "
            "embedding mostly tell them apart. Increase `n_neighbors`, or embed each component on its own.",
            StatlearnWarning,
        )


def locally_linear_embedding(
    X,
    *,
    n_neighbors,
    n_components,
    reg=1e-3,
    eigen_solver="auto",
    tol=1e-6,
    max_iter=100,
    method="standard",
    hessian_tol=1e-4,
    modified_tol=1e-12,
    random_state=None,
    n_jobs=None,
):
    """Locally linear embedding of the rows of a table.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    n_neighbors : int
    n_components : int
    reg : float, default=1e-3
    eigen_solver : {"auto", "arpack", "dense"}, default="auto"
    tol : float, default=1e-6
    max_iter : int, default=100
    method : {"standard", "hessian", "modified", "ltsa"}, default="standard"
    hessian_tol : float, default=1e-4
    modified_tol : float, default=1e-12
    random_state : int, RandomState or None, default=None
    n_jobs : int or None, default=None
        As in `LocallyLinearEmbedding`.

    Returns
    -------
    Y : ndarray of shape (n_samples, n_components)
    squared_error : float
        Sum of the eigenvalues, which is the error of the coordinates.

    Examples
    --------
    >>> from statlearn.manifold import locally_linear_embedding, swiss_roll
    >>> X, _ = swiss_roll(200, random_state=0)
    >>> Y, error = locally_linear_embedding(X, n_neighbors=10, n_components=2)
    >>> Y.shape, error < 1e-3
    ((200, 2), True)
    """
    model = LocallyLinearEmbedding(
        n_neighbors=n_neighbors,
        n_components=n_components,
        reg=reg,
        eigen_solver=eigen_solver,
        tol=tol,
        max_iter=max_iter,
        method=method,
        hessian_tol=hessian_tol,
        modified_tol=modified_tol,
        random_state=random_state,
        n_jobs=n_jobs,
    ).fit(X)
    return model.embedding_, model.reconstruction_error_


def _neighbors(X, n_neighbors, algorithm, n_jobs):
    if n_neighbors > len(X) - 1:
        raise ValueError(f"Expected n_neighbors < n_samples, but n_samples = {len(X)}, n_neighbors = {n_neighbors}.")
    return build_index(X, algorithm=algorithm).query(None, n_neighbors, exclude_self=True, n_jobs=n_jobs)[1]


class LocallyLinearEmbedding(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Locally linear embedding.

    Each row is rebuilt from its neighbours by weights that sum to 1, and the coordinates are those that the same
    weights rebuild best: they minimise :math:`\sum_i \lVert y_i - \sum_j w_{ij} y_j \rVert^2` with
    :math:`Y^\top Y = I`.

    Parameters
    ----------
    n_neighbors : int, default=5
        Neighbours of each row.
    n_components : int, default=2
        Number of dimensions; at most the number of columns.
    reg : float, default=1e-3
        Ridge of the local least squares, as a share of the trace. It decides the weights if there are more neighbours
        than columns.
    eigen_solver : {"auto", "arpack", "dense"}, default="auto"
        All eigenvectors ("dense"), or the wanted ones by iterations with a sparse factorisation ("arpack"); "auto"
        chooses by the number of rows.
    tol : float, default=1e-6
        Tolerance of the iterations.
    max_iter : int, default=100
        Maximum number of iterations.
    method : {"standard", "hessian", "modified", "ltsa"}, default="standard"
        "modified" uses several weight vectors per row, which removes most of the distortions of the standard method;
        "hessian" penalises second derivatives along the manifold, and recovers surfaces with holes; "ltsa" aligns the
        local tangent spaces. "modified" and "ltsa" need more than d neighbours, "hessian" more than d (d + 3) / 2,
        where d is `n_components`.
    hessian_tol : float, default=1e-4
        Accepted for compatibility: the columns of the local Hessian sum to 0, so there is nothing to scale.
    modified_tol : float, default=1e-12
        Length below which a reflection of the modified method is left out.
    neighbors_algorithm : {"auto", "brute", "kd_tree", "ball_tree"}, default="auto"
        Search for the neighbours.
    random_state : int, RandomState or None, default=None
        Seed of the initial vectors of the eigensolver.
    n_jobs : int or None, default=None
        Number of threads; see :func:`statlearn.threads`.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
    reconstruction_error_ : float
        Sum of the eigenvalues.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of str

    Notes
    -----
    O(n k^3) for the weights and a sparse factorisation for the coordinates.

    References
    ----------
    Roweis and Saul (2000), Nonlinear dimensionality reduction by locally linear embedding. Science 290.
    Donoho and Grimes (2003), Hessian eigenmaps: locally linear embedding techniques for high-dimensional data. PNAS
    100.
    Zhang and Zha (2004), Principal manifolds and nonlinear dimensionality reduction via tangent space alignment. SIAM
    Journal on Scientific Computing 26.
    Zhang and Wang (2007), MLLE: modified locally linear embedding using multiple weights. NIPS 19.

    Examples
    --------
    >>> from statlearn.manifold import LocallyLinearEmbedding, swiss_roll
    >>> X, _ = swiss_roll(200, random_state=0)
    >>> LocallyLinearEmbedding(n_neighbors=10, method="modified").fit_transform(X).shape
    (200, 2)
    """

    _constraints = {
        "n_neighbors": [Int(1, None)],
        "n_components": [Int(1, None)],
        "reg": [Real(0, None)],
        "eigen_solver": [Options("auto", "arpack", "dense")],
        "tol": [Real(0, None)],
        "max_iter": [Int(1, None)],
        "method": [Options("standard", "hessian", "modified", "ltsa")],
        "hessian_tol": [Real(0, None)],
        "modified_tol": [Real(0, None)],
        "neighbors_algorithm": [Options("auto", "brute", "kd_tree", "ball_tree")],
        "random_state": ["random_state"],
        "n_jobs": [Int(None, None), None],
    }

    def __init__(
        self,
        *,
        n_neighbors=5,
        n_components=2,
        reg=1e-3,
        eigen_solver="auto",
        tol=1e-6,
        max_iter=100,
        method="standard",
        hessian_tol=1e-4,
        modified_tol=1e-12,
        neighbors_algorithm="auto",
        random_state=None,
        n_jobs=None,
    ):
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.reg = reg
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.max_iter = max_iter
        self.method = method
        self.hessian_tol = hessian_tol
        self.modified_tol = modified_tol
        self.neighbors_algorithm = neighbors_algorithm
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X, y=None):
        """Compute the coordinates.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        check_params(self)
        X = validate_data(self, X, dtype=np.float64, order="C", ensure_min_samples=2)
        if (X[0] == X).all():
            raise ValueError(
                f"All {len(X)} rows of X are equal, so they have no neighbourhoods to preserve. Pass at least two "
                "different rows."
            )
        with jobs(self.n_jobs):
            near = _neighbors(X, self.n_neighbors, self.neighbors_algorithm, self.n_jobs)
            self.embedding_, self.reconstruction_error_ = _embed(X, near, self.get_params(deep=False))
        self._X, self._k, self._reg = X, self.n_neighbors, self.reg
        return self

    def fit_transform(self, X, y=None):
        """Compute and return the coordinates.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        embedding : ndarray of shape (n_samples, n_components)
        """
        return self.fit(X).embedding_

    def transform(self, X):
        """Coordinates of new rows, by the weights that rebuild them from their nearest training rows.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)

        Returns
        -------
        coordinates : ndarray of shape (n_queries, n_components)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, order="C", reset=False)
        near = build_index(self._X).query(X, self._k)[1]
        weights = barycenter_weights(self._X, near, X, self._reg)
        return np.einsum("mk,mkc->mc", weights, self.embedding_[near])

    @property
    def _n_features_out(self):
        return self.embedding_.shape[1]
