"""Bases of the smooth terms of an additive model, with their penalties."""

import numpy as np
from scipy.linalg import block_diag
from scipy.spatial.distance import cdist

from statlearn._core import native

from ._basis import BSplineBasis, NaturalBasis
from ._thin_plate import radial

BASES = ("cr", "ps", "cc", "tp", "re")
_MOST_CENTRES = 1000  # of a thin-plate basis: its set-up is cubic in them


def _pieces(knots, derivatives, period):
    """Polynomials from the derivatives of orders 0 to 3 at the knots; straight lines beyond the outer ones."""
    pieces = np.column_stack(derivatives) / [1.0, 1.0, 2.0, 6.0]
    pieces[-1, 2:] = 0.0
    left = pieces[:1].copy()
    left[:, 2:] = 0.0
    return knots, np.ascontiguousarray(np.vstack([left, pieces])), period


def add_curve(curve, X, column, out):
    """Add to `out` what a curve (breaks, polynomials, period or None) gives for a column of X."""
    breaks, pieces, period = curve
    if period is not None:
        X, column = (breaks[0] + (X[:, [column]] - breaks[0]) % period), 0
    native.smooth.piecewise_add(X, column, breaks, pieces, out)


class CubicRegression:
    """Natural (or closed) cubic spline in its values at the knots, with the penalty ∫f''²."""

    def __init__(self, x, k, knots=None, closed=False):
        distinct = np.unique(x)
        if knots is None:
            # As many knots as there are values, at most.
            knots = np.quantile(distinct, np.linspace(0, 1, min(k + closed, len(distinct))))
        knots = np.unique(np.asarray(knots, np.float64))
        if len(knots) < 3 + closed:
            if k < 3:
                raise ValueError(f"needs k of at least 3, got {k}")
            raise ValueError(f"needs at least {3 + closed} distinct values, got {len(distinct)}")
        self.low, self.high = knots[0], knots[-1]
        self.closed = closed
        # On [0, 1] for conditioning; the penalty goes back to the scale of x.
        unit = (knots - self.low) / (self.high - self.low)
        if closed:
            self.basis = BSplineBasis(unit, 3, periodic=True)
            at_knots = self.basis.design(unit[:-1])
        else:
            self.basis = NaturalBasis(unit, "bspline")
            at_knots = self.basis.design(unit)
        self.to_values = np.linalg.inv(at_knots)
        omega = self.basis.penalty(2) / (self.high - self.low) ** 3
        S = self.to_values.T @ omega @ self.to_values
        self.penalties = [(S + S.T) / 2]
        self.null = 1 if closed else 2

    def design(self, x):
        return self.basis.design((x - self.low) / (self.high - self.low)) @ self.to_values

    def curve(self, beta):
        """The function with these coefficients: its breaks and its polynomials right of each, see `add_curve`."""
        unit, length = self.basis.knots, self.high - self.low
        coef = self.to_values @ beta
        derivatives = [self.basis.design(unit, d) @ coef / length**d for d in range(4)]
        return _pieces(self.low + length * unit, derivatives, self.high - self.low if self.closed else None)


class PSpline:
    """Cubic B-splines on equal intervals with squared second differences of the coefficients."""

    def __init__(self, x, k):
        if k < 5:
            raise ValueError(f"P-splines need k of at least 5, got {k}")
        low, high = x.min(), x.max()
        if low == high:
            raise ValueError("the feature is constant")
        margin = 0.001 * (high - low)
        self.basis = BSplineBasis(np.linspace(low - margin, high + margin, k - 2), 3)
        self.penalties = [self.basis.difference_penalty(2)]
        self.null = 2

    def design(self, x):
        return self.basis.extended(x, "linear")

    def curve(self, beta):
        knots = self.basis.knots
        return _pieces(knots, [self.basis.design(knots, d) @ beta for d in range(4)], None)


class ThinPlate:
    """Thin-plate spline of low rank: the leading eigenvectors of the full one's kernel (Wood, 2003)."""

    def __init__(self, x, k):
        distinct = np.unique(x, axis=0)
        d = distinct.shape[1]
        self.null = d + 1
        if d > 3:
            raise ValueError("thin-plate terms take up to three features")
        if k <= self.null or len(distinct) <= self.null:
            raise ValueError(f"needs k and the number of distinct points above {self.null}")
        if len(distinct) > _MOST_CENTRES:
            distinct = distinct[np.random.default_rng(0).choice(len(distinct), _MOST_CENTRES, replace=False)]
        k = min(k, len(distinct))
        self.middle, self.centres = distinct.mean(axis=0), distinct
        E, T = self._kernel(distinct), self._polynomial(distinct)
        values, vectors = np.linalg.eigh(E)
        leading = np.argsort(-np.abs(values), kind="stable")[:k]
        values, vectors = values[leading], vectors[:, leading]
        Z = np.linalg.qr(vectors.T @ T, mode="complete")[0][:, self.null :]
        self.weights = vectors @ Z
        S = Z.T @ (values[:, None] * Z)
        self.penalties = [block_diag((S + S.T) / 2, np.zeros((self.null, self.null)))]

    def _kernel(self, x):
        r = cdist(x, self.centres)
        return -r if x.shape[1] == 3 else radial(r, x.shape[1])

    def _polynomial(self, x):
        return np.column_stack([np.ones(len(x)), x - self.middle])

    def design(self, x):
        return np.column_stack([self._kernel(x) @ self.weights, self._polynomial(x)])


class RandomEffect:
    """Indicators of the levels of a factor, with the identity as penalty."""

    null = 0

    def __init__(self, levels):
        self.levels = levels
        self.penalties = [np.eye(levels)]

    def design(self, codes):
        return (codes[:, None] == np.arange(self.levels)).astype(np.float64)


class Tensor:
    """Row-wise products of bases, with each basis' penalty along its own direction."""

    def __init__(self, parts):
        self.parts = parts
        sizes = [len(part.penalties[0]) for part in parts]
        self.penalties = []
        for at, part in enumerate(parts):
            # The penalty of a product of cardinal functions is that of the values along this direction.
            S = np.ones((1, 1))
            for other, size in enumerate(sizes):
                S = np.kron(S, part.penalties[0] / np.linalg.norm(part.penalties[0]) if other == at else np.eye(size))
            self.penalties.append(S)
        self.null = int(np.prod([part.null for part in parts]))

    def design(self, columns):
        out = np.ones((len(columns), 1))
        for part, x in zip(self.parts, columns.T, strict=True):
            B = part.design(x)
            out = (out[:, :, None] * B[:, None, :]).reshape(len(columns), -1)
        return out


def marginal_basis(basis, x, k, knots=None):
    """The basis of a name for one feature; x holds values that may become knots."""
    if basis == "ps":
        return PSpline(x, k)
    if basis == "tp":
        return ThinPlate(np.asarray(x)[:, None], k)
    if basis in ("cr", "cc"):
        return CubicRegression(x, k, knots, closed=basis == "cc")
    raise ValueError(f"basis must be one of {', '.join(BASES)}, got {basis!r}")
