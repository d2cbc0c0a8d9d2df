"""The linear program of a quantile regression, prepared once and solved for any number of quantiles."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from statlearn._core import native
from statlearn._core.warnings import OK
from statlearn._math.linalg.sparse_arrays import canonical, compressed_arrays
from statlearn._math.rows.rows import Rows


@dataclass
class QuantileFit:
    """One solution: coefficients on the original scale, rows fitted exactly, and solver information."""

    coef: np.ndarray
    intercept: float
    basis: np.ndarray
    kept: np.ndarray
    n_iter: int
    n_pivots: int
    violation: float
    status: int


class QuantileDesign:
    """X prepared once for any number of quantiles: columns centred and scaled, dependent ones dropped.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, p)
    weights : ndarray of shape (n,), all positive
    fit_intercept : bool
    drop_dependent : bool
        Drop dependent columns (their coefficient is 0); not needed with a penalty.
    """

    def __init__(self, X, weights, fit_intercept, *, drop_dependent):
        self.weights, self.fit_intercept, self.n_columns = weights, fit_intercept, X.shape[1]
        self.kept = np.ones(X.shape[1], dtype=bool)
        if drop_dependent:
            self.kept = Rows(X, weights, centre=fit_intercept).independent()
        X = X if self.kept.all() else X[:, self.kept]
        rows = Rows(X, weights, centre=fit_intercept and not sparse.issparse(X))
        square = rows.squares() / rows.total_weight
        self.scale, self.centre = np.sqrt(np.where(square > 0, square, 1.0)), rows.means()
        self.X = canonical(rows.csr.astype(np.float64)) if rows.sparse else rows.X

    def solve(self, y, quantile, penalty, tol, max_iter):
        """Minimise sum_i w_i pinball(r_i) + penalty |w|_1; `y` in double precision."""
        first = int(self.fit_intercept)
        beta = np.empty(self.scale.size + first)
        basis = np.empty(beta.size, dtype=np.int32)
        if not beta.size:  # no column is left, and there is no intercept
            return QuantileFit(np.zeros(self.n_columns), 0.0, basis, self.kept, 0, 0, 0.0, OK)
        prices = np.zeros(beta.size)
        prices[first:] = penalty / self.scale
        rest = (
            self.fit_intercept, np.ascontiguousarray(y, dtype=np.float64), quantile * self.weights,
            (1.0 - quantile) * self.weights, prices, float(tol), int(max_iter), beta, basis,
        )  # fmt: skip
        if sparse.issparse(self.X):
            answer = native.linear.quantile_fit_csr(*compressed_arrays(self.X), self.scale, *rest)
        else:
            answer = native.linear.quantile_fit(self.X, self.centre, self.scale, *rest)
        violation, n_iter, n_pivots, status = answer
        coef = np.zeros(self.n_columns)
        coef[self.kept] = beta[first:] / self.scale
        intercept = beta[0] - self.centre @ coef[self.kept] if first else 0.0
        return QuantileFit(coef, float(intercept), basis, self.kept, n_iter, n_pivots, violation, status)
