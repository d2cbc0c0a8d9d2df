"""Rows and settings of a local regression, and calls of the native kernels."""

from dataclasses import dataclass

import numpy as np

from statlearn._core import native
from statlearn._core.memory import require_memory

_NONE = np.empty(0)
_CHUNK_BYTES = 64_000_000  # of an operator's rows that exist at one time


@dataclass
class LocalFits:
    """Local regressions at some points: values, slopes, and the operators that map responses to them."""

    places: np.ndarray
    values: np.ndarray
    coefs: np.ndarray
    reach: np.ndarray
    singular: int
    rcond: float

    @property
    def operator(self):
        return self.places, self.coefs, self.reach


@dataclass
class LoessProblem:
    """Rows (columns used for distances first, sorted if there is a single column) and the settings of the fit."""

    X: np.ndarray
    y: np.ndarray
    weights: np.ndarray | None
    counts: np.ndarray | None
    degree: int
    near: int
    squares: np.ndarray
    neighbors: float
    stretch: float

    def __len__(self):
        return len(self.y)

    @property
    def n_functions(self):
        p = self.X.shape[1]
        return (1, 1 + p, 1 + p + p * (p - 1) // 2 + int(self.squares.sum()))[self.degree]

    def _arguments(self, y=None, robust=None):
        weights = self.weights
        if robust is not None:
            weights = robust if weights is None else weights * robust
        return (
            self.X,
            self.y if y is None else y,
            _NONE if weights is None else weights,
            _NONE if self.counts is None else self.counts,
            self.squares,
            self.degree,
            self.near,
            float(self.neighbors),
            float(self.stretch),
        )

    def fit_at(self, places, *, slopes, y=None, robust=None):
        """Local regressions at the places."""
        places = np.ascontiguousarray(places, dtype=np.float64)
        m, parts = len(places), 1 + slopes * self.X.shape[1]
        k = self.n_functions
        require_memory(
            8 * m * parts * (k + 1),
            f"Local polynomials at {m:,} points",
            "Use surface='interpolate' or fewer rows.",
        )
        values, coefs, reach = np.empty((m, parts)), np.empty((m, parts, k)), np.empty(m)
        singular, _, rcond = native.smooth.loess_fit(self._arguments(y, robust), places, values, coefs, reach)
        return LocalFits(places, values, coefs, reach, singular, rcond)

    def cells(self, limit):
        """Cells with at most this many rows each, as the tuple of arrays that the kernels expect."""
        counts = _NONE if self.counts is None else self.counts
        return native.smooth.loess_cells(self.X, counts, self.near, float(limit))

    def diagonal(self, fits, cells):
        """Diagonal of the operator of the surface over the cells."""
        out = np.empty(len(self))
        native.smooth.loess_diagonal(self._arguments(), *fits, cells, out)
        return out

    def operator_rows(self, fits, blends, robust=None):
        """Rows of the operator, one for each blend."""
        q, n = len(blends[0]), len(self)
        require_memory(8 * q * n, f"A smoother matrix of {q:,} x {n:,}", "Ask for fewer rows.")
        rows = np.empty((q, n))
        native.smooth.loess_rows(self._arguments(robust=robust), *fits, *blends, rows)
        return rows

    def row_norms(self, places, robust=None):
        """Values of local regressions at the points, and squared lengths of the rows of their operators."""
        value, norm = np.empty(len(places)), np.empty(len(places))
        chunk = max(1, _CHUNK_BYTES // (8 * len(self)))
        for first in range(0, len(places), chunk):
            part = slice(first, first + chunk)
            fits = self.fit_at(places[part], slopes=False, robust=robust)
            rows = self.operator_rows(fits.operator, own_blends(len(fits.values)), robust)
            value[part] = fits.values[:, 0]
            norm[part] = np.sum(rows**2 if self.weights is None else rows**2 / self.weights, axis=1)
        return value, norm

    def gram(self, fits, cells, *, divide=None, with_blends=False):
        """Cross-products of the vertices' operator O, O D^-1 O'; or of [B' D^1/2; O D^-1/2] with the rows' blends B."""
        size = fits[1].shape[0] * fits[1].shape[1] * (1 + with_blends)
        require_memory(
            8 * size * size,
            f"The cross-products of {size:,} values and slopes",
            "Use a larger cell or statistics='approximate'.",
        )
        G = np.empty((size, size))
        native.smooth.loess_gram(self._arguments(), *fits, cells, _NONE if divide is None else divide, G)
        return G


def own_blends(m):
    """Blends that take the value at place i as it is."""
    return np.arange(m, dtype=np.int32)[:, None], np.ones((m, 1, 1))


def blends_at(cells, X):
    """How the surface at each row of X is made of values and slopes at the vertices."""
    return native.smooth.loess_blends(cells, X)


def blend_norms(blends, S):
    """b'Sb for each blend b."""
    out = np.empty(len(blends[0]))
    native.smooth.loess_norms(*blends, S, out)
    return out


def interpolate(cells, vertex_values, X):
    """The surface at the rows of X, which lie within the box."""
    out = np.empty(len(X))
    native.smooth.loess_surface(cells, vertex_values, X, out)
    return out
