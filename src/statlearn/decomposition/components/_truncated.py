"""Truncated singular value decomposition."""

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.validation import FLOATS, check_array, check_weights, require_finite, validate_data
from statlearn._math.linalg.svd import leading_svd


class TruncatedSVD(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Truncated singular value decomposition, without centring.

    The best approximation of the table by one of rank k,

    .. math:: \min_{\mathrm{rank}\, M \le k} \lVert X - M \rVert_F^2, \qquad M = U_k D_k V_k^\top

    Scores are :math:`X V_k`. As the table is not centred, a sparse table remains sparse; on counts of words this is
    latent semantic analysis.

    Parameters
    ----------
    n_components : int, default=2
        Number k of components, at most the number of columns (fewer with ``algorithm="arpack"``).
    algorithm : {"randomized", "arpack"}, default="randomized"
        Block Krylov iteration with a fixed number of passes over X, or until convergence.
    n_iter : int, default=5
        Number of passes of "randomized".
    n_oversamples : int, default=10
        Directions beyond k.
    power_iteration_normalizer : {"auto", "QR", "LU", "none"}, default="auto"
        Accepted for compatibility.
    random_state : int, RandomState or None, default=None
        Seed of the initial vectors.
    tol : float, default=0.0
        Residual at which "arpack" stops, relative to the largest eigenvalue of X'X; 0 means the limit of the precision.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows, each with its entry of largest absolute value positive.
    explained_variance_ : ndarray of shape (n_components,)
        Variances of the scores of the training rows, with divisor n.
    explained_variance_ratio_ : ndarray of shape (n_components,)
        Share of the total variance of the columns. Not necessarily decreasing, as the table is not centred.
    singular_values_ : ndarray of shape (n_components,)
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined when X has string column names.

    See Also
    --------
    PCA : With centring.
    svd : Complete decomposition of a small dense matrix.

    Notes
    -----
    A Krylov space uses the vectors of all passes, not only those of the last one, so that it is more accurate than
    subspace iteration for the same number of passes. Cost O(nnz k n_iter).

    References
    ----------
    Musco and Musco (2015), Randomized block Krylov methods for stronger and faster approximate singular value
    decomposition. NIPS 28.

    Examples
    --------
    >>> from scipy import sparse
    >>> from statlearn.decomposition import TruncatedSVD
    >>> X = sparse.random_array((200, 100), density=0.05, rng=0, format="csr")
    >>> TruncatedSVD(3, random_state=0).fit_transform(X).shape
    (200, 3)
    """

    _constraints = {
        "n_components": [Int(1, None)],
        "algorithm": [Options("randomized", "arpack")],
        "n_iter": [Int(0, None)],
        "n_oversamples": [Int(1, None)],
        "power_iteration_normalizer": [Options("auto", "QR", "LU", "none")],
        "random_state": ["random_state"],
        "tol": [Real(0, None)],
    }

    def __init__(
        self,
        n_components=2,
        *,
        algorithm="randomized",
        n_iter=5,
        n_oversamples=10,
        power_iteration_normalizer="auto",
        random_state=None,
        tol=0.0,
    ):
        self.n_components = n_components
        self.algorithm = algorithm
        self.n_iter = n_iter
        self.n_oversamples = n_oversamples
        self.power_iteration_normalizer = power_iteration_normalizer
        self.random_state = random_state
        self.tol = tol

    def fit(self, X, y=None, sample_weight=None):
        """Compute the components.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), float or None, default=None
            A weight of k counts as k copies of the row; a weight of 0 leaves it out.

        Returns
        -------
        self
        """
        self.fit_transform(X, sample_weight=sample_weight)
        return self

    def fit_transform(self, X, y=None, sample_weight=None):
        """Compute the components and return the scores of the rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), float or None, default=None

        Returns
        -------
        scores : ndarray of shape (n_samples, n_components)
        """
        check_params(self)
        X = validate_data(self, X, dtype=FLOATS, accept_sparse=["csr", "csc"], ensure_min_features=2)
        weights = check_weights(sample_weight, X)
        p = X.shape[1]
        if self.n_components > p:
            raise ValueError(f"n_components({self.n_components}) must be <= n_features({p}).")
        if self.algorithm == "arpack" and self.n_components >= min(X.shape):
            raise ValueError(
                f"n_components={self.n_components} must be strictly less than min(n_samples, n_features)="
                f"{min(X.shape)} with algorithm='arpack'."
            )
        tol = None
        if self.algorithm == "arpack":
            tol = max(self.tol, 1e-13 if X.dtype == np.float64 else 1e-6)
        U, s, Vt = leading_svd(
            X,
            self.n_components,
            check_random_state(self.random_state),
            root_weights=None if weights is None else np.sqrt(weights),
            oversamples=self.n_oversamples,
            n_iter=self.n_iter,
            tol=tol,
        )
        require_finite(s, Vt)
        self.components_, self.singular_values_ = Vt.astype(X.dtype), s.astype(X.dtype)
        scores = (U * s).astype(X.dtype) if weights is None else X @ self.components_.T
        w = np.ones(X.shape[0]) if weights is None else np.asarray(weights, dtype=np.float64)
        self.explained_variance_ = _variances(scores, w).astype(X.dtype)
        total = float(_variances(X, w).sum())
        share = self.explained_variance_ / total if total > 0 else np.zeros(len(s))
        self.explained_variance_ratio_ = share.astype(X.dtype)
        return scores

    def transform(self, X):
        """Scores of new rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        scores : ndarray of shape (n_samples, n_components)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOATS, accept_sparse=["csr", "csc"], reset=False)
        return X @ self.components_.T.astype(X.dtype)

    def inverse_transform(self, X):
        """Rows with given scores.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)

        Returns
        -------
        rows : ndarray of shape (n_samples, n_features)
            Always dense.
        """
        check_is_fitted(self)
        return check_array(X, input_name="X") @ self.components_

    @property
    def _n_features_out(self):
        return self.components_.shape[0]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _variances(X, w):
    """Weighted variances of the columns of a dense or sparse table, with divisor n."""
    total = w.sum()
    if sparse.issparse(X):
        mean = (X.T @ w) / total
        return np.maximum(X.multiply(X).T @ w / total - mean**2, 0.0)
    mean = w @ X / total
    return w @ (X - mean) ** 2 / total
