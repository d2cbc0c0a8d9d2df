"""Principal component pursuit: a table as the sum of a table of low rank and a sparse one."""

import numpy as np
from scipy import linalg
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Int, Real, check_params
from statlearn._core.validation import FLOATS, check_array, require_finite, validate_data
from statlearn._core.warnings import MAX_ITER, OK, warn_if_stopped
from statlearn._math.linalg.eigen import eigh, eigh_between
from statlearn._math.linalg.svd import signed

_GROWTH = 1.5  # factor of the penalty in each step
_COMPLETE = 300  # sides up to which a complete decomposition is as fast


class PrincipalComponentPursuit(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Principal component pursuit.

    Splits the table into a part of low rank and a sparse part of corrupted cells,

    .. math:: \min_{L, S} \; \lVert L \rVert_* + \lambda \lVert S \rVert_1 \quad \text{with} \quad L + S = X

    by the augmented Lagrangian method. Stops when :math:`\lVert X - L - S \rVert_F \le \mathrm{tol} \lVert X \rVert_F`.

    Parameters
    ----------
    alpha : float or None, default=None
        The weight :math:`\lambda` of the sparse part; None means :math:`1 / \sqrt{\max(n, p)}`, with which exact
        recovery is guaranteed under the conditions below.
    max_iter : int, default=200
    tol : float, default=1e-7

    Attributes
    ----------
    low_rank_ : ndarray of shape (n_samples, n_features)
        The part L.
    sparse_ : ndarray of shape (n_samples, n_features)
        The part S.
    components_ : ndarray of shape (rank, n_features)
        Right singular vectors of L.
    singular_values_ : ndarray of shape (rank,)
        Singular values of L.
    n_components_ : int
        The rank of L.
    alpha_ : float
    n_iter_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined when X has string column names.

    See Also
    --------
    IRLSPCA, RANSACPCA : For outlying rows.

    Notes
    -----
    If L has a low rank and singular vectors that are spread over rows and columns, and the corrupted cells are at
    random positions and not too many, both parts are recovered exactly, however large the errors. Dense noise is not
    part of the model; it goes into S. The table is not centred: constant columns add one to the rank.
    A step costs a decomposition of the leading singular vectors, which starts from those of the step before.

    References
    ----------
    Candès, Li, Ma and Wright (2011), Robust principal component analysis? Journal of the ACM 58.
    Lin, Chen and Ma (2010), The augmented Lagrange multiplier method for exact recovery of corrupted low-rank matrices.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.decomposition import PrincipalComponentPursuit
    >>> rng = np.random.default_rng(0)
    >>> L = rng.normal(size=(50, 2)) @ rng.normal(size=(2, 40))
    >>> S = np.where(rng.random(L.shape) < 0.05, 10.0, 0.0)
    >>> model = PrincipalComponentPursuit().fit(L + S)
    >>> model.n_components_, bool(np.allclose(model.low_rank_, L, atol=1e-4))
    (2, True)
    """

    _constraints = {
        "alpha": [Real(0, None, closed="neither"), None],
        "max_iter": [Int(1, None)],
        "tol": [Real(0, None, closed="neither")],
    }

    def __init__(self, alpha=None, *, max_iter=200, tol=1e-7):
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol

    def fit(self, X, y=None):
        """Split the table.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        check_params(self)
        X = validate_data(self, X, dtype=FLOATS)
        M = X.astype(np.float64)
        self.alpha_ = 1.0 / np.sqrt(max(M.shape)) if self.alpha is None else float(self.alpha)
        size = float(np.linalg.norm(M))
        require_finite(np.array(size))
        tall = M.shape[0] >= M.shape[1]
        L, S, (s, V), self.n_iter_, status, gap = _pursue(
            M if tall else np.ascontiguousarray(M.T), self.alpha_, self.max_iter, self.tol * size
        )
        warn_if_stopped(
            self, status, f"|X - L - S| is {gap:.1e} after {self.n_iter_} steps", remedy="Increase max_iter or tol."
        )
        if not tall:
            L, S = np.ascontiguousarray(L.T), np.ascontiguousarray(S.T)
            _, s, Vt = linalg.svd(L, full_matrices=False)
            V = Vt[: max(1, np.count_nonzero(s > 1e-9 * max(s[0], 1e-300)))].T
            s = s[: V.shape[1]]
        if V.shape[1] == 0:  # nothing but sparse cells, or zeros: one direction without variance
            V, s = np.eye(M.shape[1], 1), np.zeros(1)
        self.low_rank_, self.sparse_ = L.astype(X.dtype), S.astype(X.dtype)
        self.components_ = signed(None, V.T)[1].astype(X.dtype)
        self.singular_values_ = s.astype(X.dtype)
        self.n_components_ = len(s)
        return self

    def transform(self, X):
        """Projections of rows on the components of the low-rank part.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        scores : ndarray of shape (n_samples, rank)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOATS, reset=False)
        return X @ self.components_.T.astype(X.dtype)

    def inverse_transform(self, X):
        """Rows of low rank with given scores.

        Parameters
        ----------
        X : array-like of shape (n_samples, rank)

        Returns
        -------
        rows : ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        return check_array(X, dtype=FLOATS, input_name="X") @ self.components_

    @property
    def _n_features_out(self):
        return self.components_.shape[0]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _pursue(M, alpha, max_iter, limit):
    """The iteration for a tall table: L, S, (singular values, right vectors) of L, steps, status, final gap."""
    p = M.shape[1]
    if not np.any(M):
        return M.copy(), M.copy(), (np.zeros(0), np.zeros((p, 0))), 1, OK, 0.0
    products = M.T @ M
    if not np.any(products):
        raise ValueError("X is too small: the squares of its entries are 0 in floating point. Scale it.")
    largest = float(np.sqrt(eigh_between(products, p - 1, p - 1)[0][0]))
    Y = M / max(largest, np.abs(M).max() / alpha)
    mu, top = 1.25 / largest, 1e7 * 1.25 / largest
    S = np.zeros_like(M)
    basis = None
    step, gap = 0, np.inf
    while step == 0 or (gap > limit and step < max_iter):
        step += 1
        target = M - S + Y / mu
        s, V, basis = _leading(target, 1.0 / mu, basis)
        L = (target @ (V * (np.maximum(s - 1.0 / mu, 0.0) / np.where(s > 0, s, 1.0)))) @ V.T
        rest = M - L + Y / mu
        S = np.where(np.abs(rest) > alpha / mu, rest - np.sign(rest) * (alpha / mu), 0.0)
        difference = M - L - S
        Y += mu * difference
        gap = float(np.linalg.norm(difference))
        shrunk = s - 1.0 / mu
        mu = min(_GROWTH * mu, top)
    return L, S, (shrunk, V), step, OK if gap <= limit else MAX_ITER, gap


def _leading(A, limit, basis):
    """Singular values of a tall matrix above a limit, right vectors, and a starting block for the next call."""
    p = A.shape[1]
    if p > _COMPLETE and basis is not None and basis.shape[1] < p // 4:
        # Subspace iteration: the matrix changes little from one step to the next.
        Q = basis
        for _ in range(3):
            Q = linalg.qr(A.T @ (A @ Q), mode="economic", check_finite=False)[0]
        image = A @ Q
        values, turn = eigh(image.T @ image)
        s = np.sqrt(np.maximum(values[::-1], 0.0))
        V = Q @ turn[:, ::-1]
        rank = int(np.count_nonzero(s > limit))
        if rank + 5 <= len(s):
            return s[:rank], V[:, :rank], _block(V, rank, p)
    values, vectors = eigh(A.T @ A)
    s, V = np.sqrt(np.maximum(values[::-1], 0.0)), vectors[:, ::-1]
    rank = int(np.count_nonzero(s > limit))
    return s[:rank], V[:, :rank], _block(V, rank, p)


def _block(V, rank, p):
    """Starting block with the number of vectors expected in the next step, and some more."""
    width = min(rank + 10 + rank // 4, p)
    return V[:, :width] if V.shape[1] >= width else np.hstack([V, np.eye(p, width - V.shape[1])])
