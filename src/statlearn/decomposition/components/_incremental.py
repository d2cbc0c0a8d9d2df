"""Principal components from blocks of rows."""

import numpy as np
from scipy import linalg, sparse
from sklearn.utils import gen_batches

from statlearn._core.fitted_state import forget
from statlearn._core.params import Int, check_params
from statlearn._core.validation import FLOATS, require_finite, validate_data
from statlearn._math.linalg.sparse_arrays import to_dense
from statlearn._math.linalg.svd import signed

from ._base import ComponentsMixin


class IncrementalPCA(ComponentsMixin):
    """Principal component analysis of rows that arrive in blocks.

    After each block, the decomposition of the components so far, weighted by their singular values, the new centred
    rows and one row for the shift of the mean replaces the old one. With as many components as columns the result is
    that of `PCA`; with fewer, directions that are discarded early are lost.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of components; None keeps min(rows of the first block, n_features).
    whiten : bool, default=False
        Divide the scores by their standard deviations.
    copy : bool, default=True
        Accepted for compatibility; X is never changed.
    batch_size : int or None, default=None
        Rows per block in `fit`; None means five times the number of columns.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows, each with its entry of largest absolute value positive.
    explained_variance_ : ndarray of shape (n_components,)
        Variances of the scores, with divisor n - 1.
    explained_variance_ratio_ : ndarray of shape (n_components,)
    singular_values_ : ndarray of shape (n_components,)
    mean_, var_ : ndarray of shape (n_features,)
        Column means and variances (divisor n) of all rows so far.
    noise_variance_ : float
        Mean variance of the discarded components of the last update.
    n_components_, batch_size_ : int
    n_samples_seen_, n_samples_ : int
        Number of rows so far.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined when X has string column names.

    See Also
    --------
    PCA : From all rows at once, or from a memory map, in one exact pass for tall tables.

    References
    ----------
    Ross, Lim, Lin and Yang (2008), Incremental learning for robust visual tracking. Int. J. Computer Vision 77.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.decomposition import IncrementalPCA
    >>> X = load_iris().data
    >>> IncrementalPCA(2, batch_size=50).fit(X).explained_variance_.round(3)
    array([4.225, 0.242])
    """

    _constraints = {
        "n_components": [Int(1, None), None],
        "whiten": ["boolean"],
        "copy": ["boolean"],
        "batch_size": [Int(1, None), None],
    }

    def __init__(self, n_components=None, *, whiten=False, copy=True, batch_size=None):
        self.n_components = n_components
        self.whiten = whiten
        self.copy = copy
        self.batch_size = batch_size

    def fit(self, X, y=None):
        """Compute the components, block by block.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        check_params(self)
        X = validate_data(self, X, dtype=FLOATS, accept_sparse=["csr", "csc", "lil"])
        self._forget()
        n, p = X.shape
        if sparse.issparse(X):
            X = X.tocsr()
        self.batch_size_ = 5 * p if self.batch_size is None else self.batch_size
        for batch in gen_batches(n, self.batch_size_, min_batch_size=self.n_components or 0):
            rows = X[batch]
            self._update(to_dense(rows))
        return self

    def _forget(self):
        forget(self, "components_", "n_components_")
        self.n_samples_seen_ = 0

    def partial_fit(self, X, y=None):
        """Update the components with a block of rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        first = not hasattr(self, "components_")
        check_params(self)
        if sparse.issparse(X):
            raise TypeError(
                "IncrementalPCA.partial_fit does not support sparse input. Either convert data to dense or use "
                "IncrementalPCA.fit to do so in batches."
            )
        X = validate_data(self, X, dtype=FLOATS, reset=first)
        if first:
            self.n_samples_seen_ = 0
        self._update(X)
        return self

    def _update(self, X):
        n, p = X.shape
        first = not hasattr(self, "components_")
        seen = self.n_samples_seen_
        if first:
            wanted = min(n, p) if self.n_components is None else self.n_components
            if wanted > p:
                raise ValueError(
                    f"n_components={wanted} invalid for n_features={p}, need more rows than columns for IncrementalPCA "
                    f"processing; use at most {p}."
                )
            if wanted > n:
                raise ValueError(
                    f"n_components={wanted} must be less or equal to the batch number of samples {n} for the first "
                    "partial_fit call."
                )
        else:
            wanted = self.components_.shape[0]
            if self.n_components is not None and self.n_components != wanted:
                raise ValueError(
                    f"Number of input features has changed from {wanted} to {self.n_components} between calls to "
                    "partial_fit! Try setting n_components to a fixed value."
                )
        mean = X.mean(axis=0, dtype=np.float64)
        total = seen + n
        if first:
            new_mean, variance = mean, X.var(axis=0, dtype=np.float64)
            Z = X - mean.astype(X.dtype)
        else:
            step = mean - self.mean_
            new_mean = self.mean_ + step * (n / total)
            squares = seen * self.var_ + n * X.var(axis=0, dtype=np.float64) + step**2 * (seen * n / total)
            variance = squares / total
            correction = np.sqrt(seen / total * n) * -step
            Z = np.vstack(
                [
                    self.singular_values_[:, None] * self.components_,
                    X - mean.astype(X.dtype),
                    correction[None, :].astype(X.dtype),
                ]
            )
        require_finite(Z)
        _, s, Vt = linalg.svd(Z, full_matrices=False, check_finite=False)
        Vt = signed(None, Vt)[1]
        with np.errstate(over="ignore"):
            explained = s.astype(np.float64) ** 2 / max(total - 1, 1)
        require_finite(variance, explained)
        sum_of_squares = float(variance.sum()) * total
        ratio = s**2 / sum_of_squares if sum_of_squares > 0 else np.zeros_like(s)
        k = wanted
        self.n_samples_seen_, self.mean_, self.var_ = total, new_mean, variance
        self.components_, self.singular_values_ = Vt[:k].astype(X.dtype), s[:k].astype(X.dtype)
        self.explained_variance_ = explained[:k].astype(X.dtype)
        self.explained_variance_ratio_ = ratio[:k].astype(X.dtype)
        # As in scikit-learn, the noise is known only when the block shows directions beyond the components.
        self.noise_variance_ = float(explained[k:].mean()) if k not in (n, p) and len(explained) > k else 0.0
        self.n_components_ = k
        self.n_samples_ = total

    def transform(self, X):
        """Scores of rows on the components; a sparse table is taken block by block.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        scores : ndarray of shape (n_samples, n_components)
        """
        return super().transform(X)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
