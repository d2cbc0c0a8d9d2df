"""Mean and scatter of rows, as an additive statistic."""

import numpy as np
from scipy import sparse

from statlearn._core.statistics import rough_centre

_BLOCK_NUMBERS = 2**20  # numbers of a block of rows: a few megabytes, of which the products are made in cache


class Scatter:
    """Total weight, mean and centred cross-products of rows.

    Parameters
    ----------
    total : float
        Number of rows, or the sum of their weights.
    mean : ndarray of shape (p,)
    products : ndarray of shape (p, p)
        Cross-products about the mean.
    """

    def __init__(self, total, mean, products):
        self.total, self.mean, self.products = total, mean, products

    @classmethod
    def from_block(cls, X, weights=None):
        """One pass over the rows of X, dense or sparse."""
        n, p = X.shape
        if sparse.issparse(X):
            W = None if weights is None else np.asarray(weights, dtype=np.float64)
            total = float(n) if W is None else float(W.sum())
            A = X.tocsr().astype(np.float64)
            weighted = A if W is None else sparse.diags_array(W) @ A
            products = (A.T @ weighted).toarray()
            mean = np.asarray(weighted.sum(axis=0)).ravel() / total
            return cls(total, mean, products - total * np.outer(mean, mean))
        shift = rough_centre(X)
        total, sums, products = 0.0, np.zeros(p), np.zeros((p, p))
        step = max(1, _BLOCK_NUMBERS // max(p, 1))
        for begin in range(0, n, step):
            Z = X[begin : begin + step] - shift.astype(X.dtype)
            if weights is None:
                total += len(Z)
                sums += Z.sum(axis=0, dtype=np.float64)
            else:
                w = np.asarray(weights[begin : begin + step], dtype=np.float64)
                total += w.sum()
                sums += w @ Z
                Z = Z * np.sqrt(w).astype(Z.dtype)[:, None]
            products += Z.T @ Z  # numpy sees the same array twice and calls syrk
        mean = sums / total
        # About the mean instead of the shift, which is rounded to the precision of X.
        shift = shift.astype(X.dtype).astype(np.float64)
        return cls(total, shift + mean, products - total * np.outer(mean, mean))

    def merge(self, other):
        """The statistic of both blocks together."""
        total = self.total + other.total
        step = other.mean - self.mean
        mean = self.mean + step * (other.total / total)
        products = self.products + other.products + np.outer(step, step) * (self.total * other.total / total)
        return Scatter(total, mean, products)

    def about(self, point):
        """Cross-products about another point than the mean."""
        step = self.mean - point
        return self.products + self.total * np.outer(step, step)
