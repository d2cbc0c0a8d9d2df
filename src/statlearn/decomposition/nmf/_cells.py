"""The cells of the table that is factorised: dense, sparse, or with missing values."""

import numpy as np
from scipy import sparse

from statlearn._core import native
from statlearn._math.linalg.sparse_arrays import canonical, compressed_arrays, to_dense

from .._missing_cells import has_missing

EPSILON = float(np.finfo(np.float32).eps)
_BLOCK = 2**22  # cells of a dense block of fitted values of a sparse table


def multiply(A, B):
    """A B as a C-ordered array, for a dense or sparse A."""
    product = A @ B
    return np.ascontiguousarray(to_dense(product))


class ObservedCells:
    """Sums over the observed cells of X that the solvers need.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n, p)
        Missing values are NaN; a sparse X has none.
    beta : float
        Of the beta divergence.
    """

    def __init__(self, X, beta):
        self.X, self.beta, self.shape, self.dtype = X, float(beta), X.shape, X.dtype
        self.sparse = sparse.issparse(X)
        if self.sparse:
            self.X = canonical(X.tocsr())
        self.missing = not self.sparse and has_missing(X)
        self._turned = None

    @property
    def turned(self):
        """X' of a sparse X in compressed rows."""
        if self._turned is None:
            self._turned = self.X.T.tocsr()
        return self._turned

    def mean(self):
        """Mean of the observed cells."""
        return float(np.nanmean(self.X)) if self.missing else float(self.X.mean())

    def smallest(self):
        """The smallest observed cell."""
        return float(np.nanmin(self.X)) if self.missing else float(self.X.min())

    def right(self, H):
        """X H' of a complete table."""
        return multiply(self.X, H.T)

    def left(self, W):
        """X' W of a complete table."""
        return multiply(self.turned if self.sparse else self.X.T, W)

    def filled(self, W, H):
        """The table with fitted values in the missing values."""
        filled = np.empty(self.shape, self.dtype)
        native.decomposition.nmf_impute(self.X, W, H, filled)
        return filled

    def complete(self, W, H):
        """The cells, with fitted values instead of missing ones."""
        if not self.missing:
            return self
        cells = object.__new__(ObservedCells)
        cells.X, cells.beta, cells.shape, cells.dtype = self.filled(W, H), self.beta, self.shape, self.dtype
        cells.sparse = cells.missing = False
        cells._turned = None
        return cells

    def sums_right(self, W, H):
        """Numerator and denominator of the multiplicative update of W."""
        if self.beta == 2.0 and not self.missing:
            return self.right(H), W @ (H @ H.T)
        if self.sparse:
            return self._sparse_sums(self.X, W, np.ascontiguousarray(H.T))
        return self._dense_sums(W, H, columns=False)

    def sums_left(self, W, H):
        """Numerator and denominator of the multiplicative update of H."""
        if self.beta == 2.0 and not self.missing:
            return self.left(W).T, (W.T @ W) @ H
        if self.sparse:
            num, den = self._sparse_sums(self.turned, np.ascontiguousarray(H.T), W)
            return num.T, den.T
        return self._dense_sums(W, H, columns=True)

    def _dense_sums(self, W, H, columns):
        num = np.empty((H if columns else W).shape, self.dtype)
        plain = self.beta == 1.0 and not self.missing
        den = np.empty((0, 0) if plain else num.shape, self.dtype)
        native.decomposition.nmf_beta_sums(self.X, W, H, self.beta, columns, num, den)
        if plain:
            den = np.broadcast_to(W.sum(axis=0)[:, None] if columns else H.sum(axis=1), num.shape)
        return num, den

    def _sparse_sums(self, X, W, Ht):
        num = np.empty_like(W)
        native.decomposition.nmf_beta_sparse(*compressed_arrays(X), W, Ht, self.beta, num)
        if self.beta == 1.0:
            return num, np.broadcast_to(Ht.sum(axis=0), num.shape)
        den = np.empty_like(W)
        step = max(1, _BLOCK // Ht.shape[0])
        for first in range(0, W.shape[0], step):
            fitted = np.maximum(W[first : first + step] @ Ht.T, EPSILON)
            den[first : first + step] = fitted ** (self.beta - 1.0) @ Ht
        return num, den

    def divergence(self, W, H):
        """The beta divergence of the observed cells; half the squared error for beta = 2."""
        if not self.sparse:
            return native.decomposition.nmf_divergence(self.X, W, H, self.beta)
        X, beta = self.X, self.beta
        if beta == 2.0:
            square = float(X.data @ X.data) - 2.0 * float(np.sum(multiply(X, H.T) * W, dtype=np.float64))
            return max(0.0, square + float(np.sum((W.T @ W) * (H @ H.T), dtype=np.float64))) / 2.0
        step, total = max(1, _BLOCK // X.shape[1]), 0.0
        for first in range(0, X.shape[0], step):
            rows = slice(first, first + step)
            block = np.ascontiguousarray(X[rows].toarray())
            total += native.decomposition.nmf_divergence(block, np.ascontiguousarray(W[rows]), H, beta)
        return total
