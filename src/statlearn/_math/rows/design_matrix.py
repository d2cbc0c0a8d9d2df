"""The design matrix used by the solvers, and the solution they return."""

import numpy as np
from scipy import sparse

from statlearn._math.rows.sparse_arrays import compressed_arrays
from statlearn._math.rows.statistics import CrossProducts


class DesignMatrix:
    """The rows in double precision, with the products needed by the solvers."""

    def __init__(self, X):
        self.sparse = sparse.issparse(X)
        if self.sparse:
            self.X = X.astype(np.float64).tocsr()
            self.transposed = self.X.T.tocsr()
        else:
            X = np.asarray(X, dtype=np.float64)
            self.X = X if X.flags.forc else np.ascontiguousarray(X)
        self.n, self.p = X.shape
        self._columns = None

    def scores(self, coef):
        return self.X @ coef

    def project(self, rows):
        """X' rows."""
        return self.transposed @ rows if self.sparse else self.X.T @ rows

    def cross_products(self, h, intercept):
        """X' diag(h) X about the h-weighted means, these means, and the sum of h; about zero without an intercept."""
        nothing = np.empty((self.n, 0))
        stats = CrossProducts.from_block(self.X, nothing, np.maximum(h, 0.0), centre=intercept)
        if h.min(initial=0.0) < 0.0:
            stats.G -= CrossProducts.from_block(self.X, nothing, np.maximum(-h, 0.0), centre=intercept).G
        if not intercept or not stats.total_weight > 0.0:
            return stats.uncentred()[0], np.zeros(self.p), 0.0
        return stats.centred()[0], stats.means()[0], stats.total_weight

    def columns(self):
        """The arrays that the column-wise kernel reads."""
        if self._columns is None:
            if self.sparse:
                self._columns = compressed_arrays(self.X.tocsc())
            else:
                self._columns = (np.asfortranarray(self.X),)
        return self._columns
