"""Weighted least squares with a penalty, for kernels that work column by column."""

import numpy as np

from statlearn._math.linalg.sparse_arrays import by_columns
from statlearn._math.rows.rows import Rows


def even_weights(weights):
    """The weights times a power of two that brings their mean near 1 and keeps every digit; None stays None.

    Only ratios of weights matter to a kernel, in which huge and tiny weights would overflow or underflow.
    """
    if weights is None:
        return None
    weights = np.asarray(weights, dtype=np.float64)
    return np.ldexp(weights, -int(np.frexp(weights.sum() / len(weights))[1]))


class ColumnProblem:
    """Rows and a target, which the kernel centres if there is an intercept. `total_weight` is that of the user."""

    def __init__(self, X, y, weights, fit_intercept):
        X = by_columns(X)
        self.rows = Rows(X, even_weights(weights), centre=fit_intercept)
        self.total_weight = float(len(y)) if weights is None else float(np.sum(weights, dtype=np.float64))
        self.y = np.asarray(y, dtype=np.float64)
        self.y_mean = self.rows.average(self.y)

    def run(self, name, *arguments):
        """Call the kernel of this name."""
        return self.rows.kernel(name)(self.y, self.rows.weights, self.rows.centre, *arguments)

    def products(self, residual):
        """Weighted products of the centred columns with a vector."""
        return self.rows.project(self.rows.weighted(residual))

    def intercept(self, coef):
        """The intercept(s) for coefficients of shape (p,) or (k, p)."""
        return self.y_mean - coef @ self.rows.means()
