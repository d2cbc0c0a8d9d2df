"""Low-rank thin-plate splines in any number of dimensions."""

from itertools import product
from math import comb

import numpy as np
from scipy.linalg import block_diag
from scipy.spatial.distance import cdist

from ._thin_plate import radial

_MOST_CENTRES = 1000  # of a thin-plate basis: its set-up is cubic in them


def thin_plate_order(d):
    """Order m of the squared derivatives in the thin-plate penalty for d features, as in mgcv."""
    return (d + 1) // 2 + 1


def thin_plate_kernel(x, centres):
    """Radial functions of the centres at the rows of x: odd powers of the distance, even ones times its logarithm."""
    r, d = cdist(x, centres), x.shape[1]
    m = thin_plate_order(d)
    if d % 2:
        return (1.0 if (m - d // 2) % 2 == 0 else -1.0) * r ** (2 * m - d)
    return (-1.0) ** (m + 1 + d // 2) * r ** (2 * m - d - 2) * radial(r, 2)


class ThinPlate:
    """Low-rank thin-plate spline: the leading eigenvectors of the kernel of the full one (Wood, 2003).

    Parameters
    ----------
    x : ndarray of shape (n, d) or (n,)
        Centres of the radial functions; at most `max_centres` of them, drawn at random.
    k : int
        Number of functions, including polynomials.
    rows, weight : ndarray
        The rows and their weights: all functions have a mean square of 1 there, as in mgcv. Of those without penalty,
        centred polynomials, this fixes the constant in the restricted likelihood.
    """

    cardinal = False

    def __init__(self, x, k, rows, weight, max_centres=_MOST_CENTRES):
        distinct = np.unique(np.reshape(x, (len(x), -1)), axis=0)
        d, order = distinct.shape[1], thin_plate_order(distinct.shape[1])
        self.null = comb(order - 1 + d, d)
        if k <= self.null or len(distinct) <= self.null:
            raise ValueError(f"k and the number of distinct points must both exceed {self.null}")
        self.powers = [p for p in product(range(order), repeat=d) if sum(p) < order]
        if max_centres is not None and len(distinct) > max_centres:
            distinct = distinct[np.random.default_rng(0).choice(len(distinct), max_centres, replace=False)]
        k = min(k, len(distinct))
        self.centres = distinct
        rows = np.reshape(rows, (len(rows), -1))
        self.middle, self.size = np.average(rows, axis=0, weights=weight), 1.0
        self.size = np.sqrt(np.average(self._polynomial(rows) ** 2, axis=0, weights=weight))
        E, T = thin_plate_kernel(distinct, distinct), self._polynomial(distinct)
        values, vectors = np.linalg.eigh(E)
        leading = np.argsort(-np.abs(values), kind="stable")[:k]
        values, vectors = values[leading], vectors[:, leading]
        Z = np.linalg.qr(vectors.T @ T, mode="complete")[0][:, self.null :]
        self.weights = vectors @ Z
        size = np.sqrt(np.average((thin_plate_kernel(rows, distinct) @ self.weights) ** 2, axis=0, weights=weight))
        self.weights, Z = self.weights / size, Z / size
        S = Z.T @ (values[:, None] * Z)
        self.penalties = [block_diag((S + S.T) / 2, np.zeros((self.null, self.null)))]

    def _polynomial(self, x):
        return np.column_stack([np.prod((x - self.middle) ** p, axis=1) for p in self.powers]) / self.size

    def design(self, x):
        x = np.reshape(x, (len(x), -1))
        return np.column_stack([thin_plate_kernel(x, self.centres) @ self.weights, self._polynomial(x)])
