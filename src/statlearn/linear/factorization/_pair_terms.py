"""Pairwise products of a few features as explicit columns, which reduce a loss over many rows to a small model.

A score that is linear in the features and their products is phi'u with phi = (1, x, x_i x_j for i < j). Its squared
loss depends on the data only through the cross-products of phi, and its logistic loss has a quadratic model made of
them, so the cost of the solver does not grow with the number of rows.
"""

import numpy as np

from statlearn._core import native
from statlearn._math.linalg.sparse_arrays import to_dense
from statlearn._math.rows.statistics import CrossProducts

_CHUNK = 2_000_000  # entries of phi that are formed at a time


class PairTerms:
    """Rows of phi, formed chunk by chunk; u = (bias, linear, pairs)."""

    def __init__(self, X):
        self.X = X
        self.n, self.p = X.shape
        self.first, self.second = np.triu_indices(self.p, 1)
        self.size = 1 + self.p + len(self.first)

    def _chunks(self):
        """(slice of the rows, their x and pairs)."""
        step = max(1, _CHUNK // self.size)
        for begin in range(0, self.n, step):
            part = slice(begin, begin + step)
            X = self.X[part]
            X = np.asarray(to_dense(X), dtype=np.float64)
            yield part, np.ascontiguousarray(np.hstack([X, X[:, self.first] * X[:, self.second]]))

    def squared(self, y, weights):
        """(c, b, A) with sum_i weights_i (y_i - phi_i'u)^2 = c - 2 b'u + u'Au."""
        q = self.size
        blocks = (CrossProducts.from_block(Z, y[part], weights[part], centre=False).G for part, Z in self._chunks())
        G = sum(blocks)  # of (x and pairs, y, 1)
        order = np.append(q, np.arange(q - 1))
        return G[q - 1, q - 1], G[order, q - 1], G[np.ix_(order, order)]

    def logistic(self, u, y, weights):
        """Value, gradient and Hessian of sum_i weights_i log(1 + exp(-y_i phi_i'u)), y = +-1."""
        q = self.size
        value, gradient, hessian = 0.0, np.zeros(q), np.zeros((q, q))
        theta = np.append(u[1:], u[0])  # the kernel has the intercept last
        g, H, shift, nothing = np.empty(q), np.empty((q, q)), np.zeros(q - 1), np.empty(0)
        for part, Z in self._chunks():
            value += native.linear.logistic_pass(Z, shift, True, y[part], weights[part], nothing, theta, g, H)
            gradient += g
            hessian += H
        order = np.append(q - 1, np.arange(q - 1))
        return value, gradient[order], hessian[np.ix_(order, order)]


class PairQuadratic:
    """constant + gradient'(u - at) + (u - at)'H(u - at) / 2."""

    def __init__(self, constant, gradient, hessian, at):
        self.constant, self.gradient, self.hessian, self.at = constant, gradient, hessian, at

    def __call__(self, u):
        """Value and gradient."""
        d = u - self.at
        Hd = np.einsum("ij,j->i", self.hessian, d)  # too small for BLAS to start threads on
        return self.constant + (self.gradient + 0.5 * Hd) @ d, self.gradient + Hd
