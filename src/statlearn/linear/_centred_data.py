"""The centred and weighted form of the data on which path algorithms work."""

from dataclasses import dataclass

import numpy as np


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
