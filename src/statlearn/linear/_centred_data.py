"""The centred and weighted form of the data on which path algorithms work."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from statlearn._core import native
from statlearn._math.rows.sparse_arrays import compressed_arrays

# How validate_data prepares X for `ColumnData`.
COLUMNS = {"accept_sparse": "csc", "accept_large_sparse": False, "order": "F"}


def column_means(X, weights=None, columns=None):
    """Weighted means of the columns of a dense or sparse X, or of some of them, in double precision."""
    if columns is not None:
        X = X[:, columns]
    if weights is None:
        return np.asarray(X.sum(axis=0, dtype=np.float64)).ravel() / X.shape[0]
    weights = np.asarray(weights, dtype=np.float64)
    return np.asarray(weights @ X).ravel() / weights.sum()


@dataclass
class CentredData:
    """Columns and targets, centred if there is an intercept and scaled by the square roots of the weights.

    Least squares of `y` on `X` without an intercept is weighted least squares of the original data with one.
    """

    X: np.ndarray  # (n, p) double, Fortran order, rows times the square root of their weight
    y: np.ndarray  # (n, m) double
    x_mean: np.ndarray
    y_mean: np.ndarray
    total_weight: float
    max_rank: int  # rows, less one if they are centred

    def intercept(self, coef):
        """Intercepts (m,) for coefficients of shape (m, p)."""
        return self.y_mean - coef @ self.x_mean


def centred_data(X, y, weights=None, *, fit_intercept=True, copy=True):
    """Centre, drop rows of weight 0 and scale rows by the square roots of the weights.

    A constant column becomes exactly 0, so that rounding errors cannot pass for a feature. With ``copy=False``,
    X may be overwritten.
    """
    Y = np.array(y, dtype=np.float64, copy=True).reshape(len(y), -1)
    if weights is not None:
        keep = weights > 0
        X, Y, weights = X[keep], Y[keep], np.asarray(weights[keep], dtype=np.float64)
    in_place = not copy and weights is None and X.dtype == np.float64 and X.flags.writeable
    if not in_place:
        X = np.array(X, dtype=np.float64, order="F")
    x_mean, y_mean = np.zeros(X.shape[1]), np.zeros(Y.shape[1])
    if fit_intercept:
        x_mean = np.average(X, axis=0, weights=weights)
        y_mean = np.average(Y, axis=0, weights=weights)
        size = np.abs(X).max(axis=0)
        X -= x_mean
        Y -= y_mean
        X[:, np.abs(X).max(axis=0) <= 16 * np.finfo(np.float64).eps * size] = 0.0
        Y[:, np.abs(Y).max(axis=0) <= 16 * np.finfo(np.float64).eps * np.abs(y_mean)] = 0.0
    total = float(len(Y))
    if weights is not None:
        total = float(weights.sum())
        root = np.sqrt(weights)[:, None]
        X *= root
        Y *= root
    return CentredData(np.asfortranarray(X), Y, x_mean, y_mean, total, len(Y) - fit_intercept)


class ColumnData:
    """Data for the kernels that work column by column: X column-major or CSC, neither centred nor copied.

    `means` and `y_mean` are the weighted means that the kernel subtracts with ``centre``; 0 without an intercept.
    `weights` are those of the user up to a factor and sum to `weight_sum`; `total_weight` is the user's sum.
    """

    def __init__(self, X, y, weights, fit_intercept):
        self.X = X.tocsc() if sparse.issparse(X) else np.asfortranarray(X)
        self.y = np.asarray(y, dtype=np.float64)
        self.weights, self.total_weight, self.weight_sum = None, float(len(y)), float(len(y))
        if weights is not None:
            # Only ratios of weights matter. A power of two keeps their mean near 1 and every digit of them, so that
            # huge and tiny weights neither overflow nor underflow in the kernels.
            weights = np.ascontiguousarray(weights, dtype=np.float64)
            self.total_weight = float(weights.sum())
            exponent = -int(np.frexp(self.total_weight / len(weights))[1])
            self.weights = np.ldexp(weights, exponent)
            self.weight_sum = float(self.weights.sum())
        self.centre = fit_intercept
        self.means, self.y_mean = np.zeros(X.shape[1]), 0.0
        if fit_intercept:
            total = self.X.sum(axis=0, dtype=np.float64) if weights is None else self.X.T @ self.weights
            self.means = np.asarray(total, dtype=np.float64).ravel() / self.weight_sum
            self.y_mean = np.average(self.y, weights=self.weights)

    def run(self, name, *arguments):
        """Call the kernel ``<name>_dense`` or ``<name>_sparse`` on the data."""
        if sparse.issparse(self.X):
            function, data = getattr(native.linear, f"{name}_sparse"), compressed_arrays(self.X)
        else:
            function, data = getattr(native.linear, f"{name}_dense"), (self.X,)
        return function(*data, self.y, self.weights, self.centre, *arguments)

    def products(self, residual):
        """Weighted products of the centred columns with a vector."""
        weighted = residual if self.weights is None else self.weights * residual
        return self.X.T @ weighted - self.means * weighted.sum()

    def block(self, columns):
        """The given columns, centred and multiplied by the square roots of the weights."""
        part = self.X[:, columns]
        part = (part.toarray() if sparse.issparse(part) else part) - self.means[columns]
        return part if self.weights is None else np.sqrt(self.weights)[:, None] * part

    def norms(self):
        """Root mean squares of the centred columns; exactly 0 for constant ones."""
        if sparse.issparse(self.X):
            columns = np.repeat(np.arange(self.X.shape[1]), np.diff(self.X.indptr))
            w = np.ones(len(self.y)) if self.weights is None else self.weights
            w = w[self.X.indices]
            stored = np.bincount(columns, weights=w, minlength=len(self.means))
            squares = np.bincount(
                columns, weights=w * (self.X.data - self.means[columns]) ** 2, minlength=len(self.means)
            )
            # Not in place: without any entry, the sums are integers.
            squares = squares + np.maximum(self.weight_sum - stored, 0.0) * self.means**2
        else:
            squares = np.empty(len(self.means))
            for first in range(0, len(squares), 256):
                part = slice(first, first + 256)
                squares[part] = np.sum(self.block(part) ** 2, axis=0)
        norms = np.sqrt(squares / self.weight_sum)
        return np.where(norms > 16 * np.finfo(np.float64).eps * np.abs(self.means), norms, 0.0)

    def intercept(self, coef):
        """The intercept(s) for coefficients of shape (p,) or (k, p)."""
        return self.y_mean - coef @ self.means
