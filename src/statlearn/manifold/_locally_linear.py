"""Locally linear embedding, standard and modified."""

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import splu
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array, check_is_fitted

from statlearn._core.eigen import fixed_signs, largest_eigenpairs
from statlearn._core.jobs import jobs
from statlearn._core.neighbor_index import build_index
from statlearn._core.params import Int, Options, Real, check_arguments, check_params
from statlearn._core.validation import require_finite, validate_data
from statlearn._core.warnings import StatlearnWarning, warn

_DENSE = 300  # rows up to which the decomposition is complete (empirical)
_SHIFT = 1e-9  # of the inverse, relative to the largest entry: the wanted eigenvalues are close to 0


def barycenter_weights(X, near, rows, reg):
    """Weights that sum to 1 and rebuild each row from its neighbours in least squares.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Training rows.
    near : ndarray of shape (m, k)
        Neighbours of each of the rows.
    rows : ndarray of shape (m, p)
    reg : float
        The local Gram matrix gets `reg` times its trace on the diagonal.
    """
    difference = X[near] - rows[:, None, :]
    gram = difference @ difference.transpose(0, 2, 1)
    trace = np.trace(gram, axis1=1, axis2=2)
    ridge = np.where(trace > 0, reg * trace, reg)
    gram[:, np.arange(near.shape[1]), np.arange(near.shape[1])] += ridge[:, None]
    try:
        weights = np.linalg.solve(gram, np.ones((*near.shape, 1)))[..., 0]
    except np.linalg.LinAlgError:
        raise np.linalg.LinAlgError(
            f"The neighbours of a row are linearly dependent and `reg`={reg} is too small; increase `reg`."
        ) from None
    return weights / weights.sum(axis=1, keepdims=True)


def _standard_form(X, near, reg):
    """M = (I - W)'(I - W)."""
    n, k = near.shape
    weights = barycenter_weights(X, near, X, reg)
    W = sparse.csr_array((weights.ravel(), near.ravel(), np.arange(0, n * k + 1, k)), shape=(n, n))
    rest = sparse.eye_array(n, format="csr") - W
    return sparse.csr_array(rest.T @ rest)


def _modified_form(X, near, n_components, tol):
    """The sum over rows of the penalties of several weight vectors each (Zhang and Wang, 2007)."""
    n, k = near.shape
    centred = X[near] - X[:, None, :]
    gram = centred @ centred.transpose(0, 2, 1)
    values, vectors = np.linalg.eigh(gram)
    values, vectors = np.maximum(values[:, ::-1], 0.0), vectors[:, :, ::-1]  # decreasing
    ridge = 1e-3 * values.sum(axis=1)
    ridge = np.where(ridge > 0, ridge, 1e-3)
    sums = vectors.sum(axis=1)  # of each eigenvector
    weights = np.einsum("nij,nj->ni", vectors, sums / (values + ridge[:, None]))
    weights /= weights.sum(axis=1, keepdims=True)
    # Small eigenvalues span the directions in which the weights are not unique; how many are used depends on a
    # threshold that is the median of the ratio of small to large ones.
    large = values[:, :n_components].sum(axis=1)
    ratio = values[:, n_components:].sum(axis=1) / np.where(large > 0, large, 1.0)
    eta = np.median(ratio)
    tails = np.cumsum(values[:, ::-1], axis=1)[:, ::-1]  # sum of eigenvalues from each position on
    rows, columns, entries = [], [], []
    for i in range(n):
        enough = np.flatnonzero(tails[i, 1:] / np.maximum(tails[i, 0] - tails[i, 1:], 1e-300) <= eta) + 1
        s = k - int(enough[0]) if len(enough) else 1
        s = min(max(s, 1), k - n_components)
        V = vectors[i][:, k - s :]
        alpha = np.linalg.norm(V.sum(axis=0)) / np.sqrt(s)
        h = alpha - V.sum(axis=0)
        length = np.linalg.norm(h)
        h = h / length if length > tol else np.zeros(s)
        # Columns of (1 - alpha) w 1' + V (I - 2 h h'), the reflected weight vectors, against the row itself.
        several = V - 2.0 * np.outer(V @ h, h) + (1.0 - alpha) * weights[i][:, None]
        block = np.vstack([several, -several.sum(axis=0)[None, :]])
        places = np.append(near[i], i)
        product = block @ block.T
        rows.append(np.repeat(places, k + 1))
        columns.append(np.tile(places, k + 1))
        entries.append(product.ravel())
    M = sparse.coo_array((np.concatenate(entries), (np.concatenate(rows), np.concatenate(columns))), shape=(n, n))
    return sparse.csr_array(M.tocsr())


def _null_space(M, k, rng):
    """Eigenvectors of the k smallest eigenvalues of M after the constant one, and the sum of these eigenvalues."""
    n = M.shape[0]
    if n <= _DENSE or k + 1 > n // 10:
        values, vectors = linalg.eigh(M.toarray(), subset_by_index=(1, k))
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
        factor.solve, start, k + 1, known=constant, known_value=1.0 / shift, tol=1e-6 * scale, max_passes=200
    )
    if status != 0:
        warn(
            "The eigenvectors of the locally linear embedding are only approximate. Increase `n_neighbors` or `reg`.",
            StatlearnWarning,
        )
    return fixed_signs(vectors[:, 1:]), float(np.sum(np.maximum(1.0 / values[1:] - shift, 0.0)))


def _embed(X, near, n_components, reg, method, modified_tol, rng):
    n, k = near.shape
    if n_components > X.shape[1]:
        raise ValueError("output dimension must be less than or equal to input dimension")
    if method == "modified" and k < n_components:
        raise ValueError(f"`n_neighbors`={k} must be at least `n_components`={n_components} for `method`='modified'.")
    if method == "modified" and k == n_components:
        raise ValueError(f"`n_neighbors`={k} must exceed `n_components`={n_components} for `method`='modified'.")
    if n_components + 1 > n:
        raise ValueError(f"`n_components`={n_components} needs at least {n_components + 1} rows, got {n}.")
    M = _standard_form(X, near, reg) if method == "standard" else _modified_form(X, near, n_components, modified_tol)
    require_finite(M.data)
    return _null_space(M, n_components, rng)


def locally_linear_embedding(
    X,
    *,
    n_neighbors,
    n_components,
    reg=1e-3,
    method="standard",
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
    method : {"standard", "modified"}, default="standard"
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
    check_arguments(
        locally_linear_embedding,
        n_neighbors=(n_neighbors, [Int(1, None)]),
        n_components=(n_components, [Int(1, None)]),
        reg=(reg, [Real(0, None)]),
        method=(method, [Options("standard", "modified")]),
    )
    X = check_array(X, dtype=np.float64, order="C", input_name="X", ensure_min_samples=2)
    near = _neighbors(X, n_neighbors, "auto", n_jobs)
    return _embed(X, near, n_components, reg, method, modified_tol, check_random_state(random_state))


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
    method : {"standard", "modified"}, default="standard"
        "modified" uses several weight vectors per row, which removes most of the distortions of the standard method; it
        needs more neighbours than components.
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

    Notes
    -----
    O(n k^3) for the weights and a sparse factorisation for the coordinates.

    References
    ----------
    Roweis and Saul (2000), Nonlinear dimensionality reduction by locally linear embedding. Science 290.
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
        "method": [Options("standard", "modified")],
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
        method="standard",
        modified_tol=1e-12,
        neighbors_algorithm="auto",
        random_state=None,
        n_jobs=None,
    ):
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.reg = reg
        self.method = method
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
        with jobs(self.n_jobs):
            near = _neighbors(X, self.n_neighbors, self.neighbors_algorithm, self.n_jobs)
            self.embedding_, self.reconstruction_error_ = _embed(
                X,
                near,
                self.n_components,
                self.reg,
                self.method,
                self.modified_tol,
                check_random_state(self.random_state),
            )
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
