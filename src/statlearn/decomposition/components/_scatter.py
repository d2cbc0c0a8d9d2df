"""Mean and scatter of rows, as an additive statistic."""

import numpy as np
from scipy import sparse

from statlearn._math.rows.statistics import rough_centre

_SINGLE_ROWS = 16_384  # rows of a block in single precision; blocks are added in double precision
_NEAR = 2.0  # standard deviations of the mean from 0 that cost less than a digit
_BLOCK_NUMBERS = 2**20  # numbers of a block of rows: a few megabytes, of which the products are made in cache


def _shift(X):
    """A point near the mean in X's precision, or None if the mean is small compared with the standard deviations.

    Cross-products about a point far from the mean lose digits; about a near one they need no copy of the rows.
    """
    sample = X[:: max(1, len(X) // 256)]
    with np.errstate(invalid="ignore", over="ignore"):
        centre, spread = rough_centre(X), sample.std(axis=0, dtype=np.float64)
        near = np.abs(centre) <= _NEAR * spread
    return None if near.all() else centre.astype(X.dtype)


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
        shift = _shift(X)
        total, sums, products = 0.0, np.zeros(p), np.zeros((p, p))
        step = max(1, _BLOCK_NUMBERS // max(p, 1))
        if shift is None and weights is None:  # no copies: as few calls of BLAS as the precision allows
            step = n if X.dtype == np.float64 else max(step, _SINGLE_ROWS)
        for begin in range(0, n, step):
            Z = X[begin : begin + step]
            if shift is not None:
                Z = Z - shift
            if weights is None:
                total += len(Z)
                sums += np.ones(len(Z), dtype=Z.dtype) @ Z
            else:
                w = np.asarray(weights[begin : begin + step], dtype=np.float64)
                total += w.sum()
                sums += w @ Z
                Z = Z * np.sqrt(w).astype(Z.dtype)[:, None]
            products += Z.T @ Z  # numpy sees the same array twice and calls syrk
        mean = sums / total
        products -= total * np.outer(mean, mean)  # about the mean instead of the shift
        return cls(total, mean if shift is None else shift.astype(np.float64) + mean, products)

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
