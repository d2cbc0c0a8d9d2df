"""Bases of the smooth terms of an additive model, with their penalties."""

import numpy as np

from statlearn._core import native
from statlearn.smooth.splines._basis import BSplineBasis, NaturalBasis
from statlearn.smooth.splines._low_rank_plate import ThinPlate

BASES = ("cr", "ps", "cc", "tp", "re")


def _pieces(knots, derivatives, period):
    """Polynomials from the derivatives of orders 0 to 3 at the knots; straight lines beyond the outer ones."""
    pieces = np.column_stack(derivatives) / [1.0, 1.0, 2.0, 6.0]
    pieces[-1, 2:] = 0.0
    left = pieces[:1].copy()
    left[:, 2:] = 0.0
    return knots, np.ascontiguousarray(np.vstack([left, pieces])), period


def add_curve(curve, X, column, out):
    """Add the values of a curve (breaks, polynomials, period or None) at a column of X to `out`."""
    breaks, pieces, period = curve
    if period is not None:
        X, column = (breaks[0] + (X[:, [column]] - breaks[0]) % period), 0
    native.smooth.piecewise_add(X, column, breaks, pieces, out)


class CubicRegression:
    """Natural (or closed) cubic spline in its values at the knots, with the penalty ∫f''²."""

    cardinal = True

    def __init__(self, x, k, knots=None, closed=False):
        distinct = np.unique(x)
        if knots is None:
            # As many knots as there are values, at most.
            knots = np.quantile(distinct, np.linspace(0, 1, min(k, len(distinct))))
        elif not np.all(np.isfinite(knots)):
            raise ValueError("knots must be finite numbers")
        elif len(np.unique(knots)) < 3 + closed:
            raise ValueError(f"`knots` must have at least {3 + closed} distinct values, got {len(np.unique(knots))}")
        knots = np.unique(np.asarray(knots, np.float64))
        if len(knots) < 3 + closed:
            if k < 3 + closed:
                raise ValueError(f"k must be at least {3 + closed}, got {k}")
            raise ValueError(f"the feature must have at least {3 + closed} distinct values, got {len(distinct)}")
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

    cardinal = False

    def __init__(self, x, k):
        if k < 5:
            raise ValueError(f"k must be at least 5 for P-splines, got {k}")
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


class RandomEffect:
    """Indicators of the levels of a factor, with the identity as penalty."""

    null = 0

    def __init__(self, levels):
        self.levels = levels
        self.penalties = [np.eye(levels)]

    def design(self, codes):
        return (codes[:, None] == np.arange(self.levels)).astype(np.float64)


class Combined:
    """Linear combinations of the functions of a basis."""

    cardinal = False

    def __init__(self, basis, T, null):
        self.basis, self.T, self.null = basis, T, null
        self.penalties = [T.T @ S @ T for S in basis.penalties]

    def design(self, x):
        return self.basis.design(x) @ self.T


def centred(basis, sums):
    """The functions whose sum over the rows is zero; `sums`: those of the basis."""
    combined = Combined(basis, np.linalg.qr(sums[:, None], mode="complete")[0][:, 1:], basis.null - 1)
    combined.cardinal = basis.cardinal
    return combined


def in_values(basis, low, high):
    """A margin of a tensor product by its values at evenly spaced places, where it is not given by values already.

    Only then is the penalty of a product along one margin a mean of that margin's penalty over the others.
    """
    if basis.cardinal:
        return basis
    return Combined(basis, np.linalg.inv(basis.design(np.linspace(low, high, len(basis.penalties[0])))), basis.null)


class Tensor:
    """Row-wise products of bases, with each basis' penalty along its own direction."""

    def __init__(self, parts):
        self.parts = parts
        sizes = [len(part.penalties[0]) for part in parts]
        self.penalties = []
        for at, part in enumerate(parts):
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


def smooth_basis(basis, coded, k, knots=None):
    """The basis of a name for the values of a covariate (see `Coded`), of which the distinct ones may become knots."""
    x = coded.distinct
    if basis == "ps":
        return PSpline(x, k)
    if basis == "tp":
        return ThinPlate(x, k, coded.values, coded.weight)
    if basis in ("cr", "cc"):
        return CubicRegression(x, k, knots, closed=basis == "cc")
    raise ValueError(f"basis must be one of {', '.join(BASES)}, got {basis!r}")
