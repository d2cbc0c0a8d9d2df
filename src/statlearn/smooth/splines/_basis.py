"""Bases of functions of one variable: their values, derivatives, penalties and names.

A basis is a small object with

- ``n_functions``, ``lower`` and ``upper`` (the ends of the interval on which it is defined),
- ``design(x, derivative=0)``: values or derivatives, one row for each x,
- ``penalty(derivative=2)``: the matrix of integrals of products of derivatives over the interval,
- ``names(prefix)``.

Estimators and additive models are built on these; they are independent of data.
"""

import numpy as np
from scipy import sparse

from statlearn._core import native


def quantile_knots(x, n_knots, weights=None):
    """Knots at evenly spaced quantiles of x, including the extremes; weight k counts as k copies."""
    x = np.asarray(x, dtype=np.float64)
    shares = np.linspace(0.0, 1.0, n_knots)
    if weights is None:
        return np.quantile(x, shares)
    used = weights > 0
    order = np.argsort(x[used], kind="stable")
    value, weight = x[used][order], weights[used][order].astype(np.float64)
    if np.any(weight != np.round(weight)):
        weight *= len(weight) / weight.sum()  # shares, not counts
    # Linear interpolation between order statistics, of which every row occupies `weight`.
    end = np.cumsum(weight)
    place = shares * (end[-1] - 1.0)
    if place[-1] <= 0:
        return np.full(n_knots, value[0])
    low = np.floor(place + 1e-9)
    left = value[np.minimum(np.searchsorted(end, low + 1e-9, side="right"), len(value) - 1)]
    right = value[np.minimum(np.searchsorted(end, low + 1.0 + 1e-9, side="right"), len(value) - 1)]
    knots = left + np.clip(place - low, 0.0, 1.0) * (right - left)
    knots[0], knots[-1] = value[0], value[-1]  # whatever their weights
    return knots


def derivative_products(design, pieces, degree, derivative):
    """Integrals of products of derivatives of functions that are polynomials on each piece: exact, by Gauss's rule.

    `design(x, derivative)` gives them at any places inside the pieces.
    """
    pieces = np.unique(pieces)
    nodes, weights = np.polynomial.legendre.leggauss(max(1, degree - derivative + 1))
    half = np.diff(pieces)[:, None] / 2
    D = design((pieces[:-1, None] + half + half * nodes).ravel(), derivative)
    return (D.T * (half * weights).ravel()) @ D


class _Basis:
    """Shared part of all bases: exact penalties by Gauss quadrature on each piece."""

    def penalty(self, derivative=2):
        """Integrals of products of derivatives over the interval."""
        return derivative_products(self.design, self.pieces, self.degree, derivative)

    def extended(self, x, extrapolation, derivative=0):
        """`design` with extrapolation: "constant", "linear", "continue", "error" or "periodic"."""
        if extrapolation == "continue":
            return self.design(x, derivative)
        inside = np.clip(x, self.lower, self.upper)
        if extrapolation == "error":
            if np.any(inside != x):
                raise ValueError("Out of bounds: `X` contains values beyond the limits of the knots.")
            return self.design(x, derivative)
        values = self.design(inside, derivative)
        out = np.flatnonzero(inside != x)
        if extrapolation == "constant" and derivative:
            values[out] = 0.0
        elif extrapolation == "linear" and len(out):
            if derivative == 0:
                values[out] += (x - inside)[out, None] * self.design(inside[out], 1)
            elif derivative > 1:
                values[out] = 0.0
        return values

    def names(self, prefix):
        """Names of the functions."""
        return [f"{prefix}_sp_{j}" for j in range(self.n_functions)]


class BSplineBasis(_Basis):
    """B-splines on base knots, the first and last of which bound the interval.

    Parameters
    ----------
    knots : ndarray of shape (K,)
        Non-decreasing knots.
    degree : int, default=3
    clamped : bool, default=False
        Repeat the outer knots, so that one function is 1 at each end (R's ``bs``), or add equally spaced knots beyond
        them (scikit-learn, and suitable for difference penalties).
    periodic : bool, default=False
        Functions and their derivatives agree at the two ends; x is taken modulo the length of the interval.
    """

    def __init__(self, knots, degree=3, *, clamped=False, periodic=False):
        knots = np.asarray(knots, dtype=np.float64)
        self.knots, self.degree, self.periodic = knots, degree, periodic
        self.lower, self.upper = knots[0], knots[-1]
        if periodic:
            period = knots[-1] - knots[0]
            ends = knots[-(degree + 1) : -1] - period, knots[1 : degree + 1] + period
        elif clamped:
            ends = np.full(degree, knots[0]), np.full(degree, knots[-1])
        else:
            steps = np.arange(1, degree + 1)
            first, last = knots[1] - knots[0], knots[-1] - knots[-2]
            ends = knots[0] - first * steps[::-1], knots[-1] + last * steps
        self.full_knots = np.concatenate([ends[0], knots, ends[1]])
        self.n_functions = len(knots) - 1 + (0 if periodic else degree)
        self.pieces = knots

    def banded(self, x, derivative=0):
        """The degree + 1 functions at each x that are not 0 there, and the number of the first."""
        x = self._wrapped(x)
        values, start = np.zeros((len(x), self.degree + 1)), np.zeros(len(x), dtype=np.int32)
        if derivative <= self.degree:
            native.smooth.bspline_values(x, self.full_knots, self.degree, derivative, values, start)
        return values, start

    def design(self, x, derivative=0):
        out = np.zeros((len(x), self.n_functions))
        self.write(x, out, derivative)
        return out

    def write(self, x, out, derivative=0):
        """Add the design to an array of zeros, float or double, with any strides; its columns may be fewer."""
        if derivative <= self.degree:
            functions = self.n_functions if self.periodic else len(self.full_knots)
            x = self._wrapped(x)
            native.smooth.bspline_design(x, self.full_knots, self.degree, derivative, functions, out)

    def _wrapped(self, x):
        x = np.ascontiguousarray(x, dtype=np.float64)
        if self.periodic and self.upper > self.lower:
            x = self.lower + (x - self.lower) % (self.upper - self.lower)
        return x

    def sparse_design(self, x, derivative=0):
        """The design as a CSR array."""
        values, columns = self._entries(x, derivative)
        n, width = values.shape
        shape = (n, self.n_functions)
        matrix = sparse.csr_array((values.ravel(), columns.ravel(), np.arange(0, n * width + 1, width)), shape=shape)
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        return matrix

    def _entries(self, x, derivative):
        values, start = self.banded(x, derivative)
        columns = start[:, None] + np.arange(self.degree + 1, dtype=np.int32)
        return values, columns % self.n_functions if self.periodic else columns

    def difference_penalty(self, order=2):
        """Sum of squared differences of neighbouring coefficients: the penalty of P-splines."""
        D = np.eye(self.n_functions)
        for _ in range(order):
            D = (np.roll(D, -1, axis=0) - D) if self.periodic else np.diff(D, axis=0)
        return D.T @ D

    def extended(self, x, extrapolation, derivative=0):
        if self.periodic:
            return self.design(x, derivative)
        return super().extended(x, extrapolation, derivative)


def power(x, degree, derivative):
    """The derivative of x^degree."""
    if derivative > degree:
        return np.zeros_like(x)
    factor = np.prod(np.arange(degree - derivative + 1, degree + 1, dtype=np.float64))
    return factor * x ** (degree - derivative)


class TruncatedPowerBasis(_Basis):
    """1, x, ..., x^degree and (x - k)^degree right of each inner knot k.

    Easy to interpret, but ill-conditioned with many knots; B-splines span the same functions.
    """

    def __init__(self, knots, degree=3):
        knots = np.asarray(knots, dtype=np.float64)
        self.knots, self.degree = knots, degree
        self.lower, self.upper = knots[0], knots[-1]
        self.inner = knots[1:-1]
        self.n_functions = degree + 1 + len(self.inner)
        self.pieces = knots

    def design(self, x, derivative=0):
        x = np.asarray(x, dtype=np.float64)
        columns = [power(x, d, derivative) for d in range(self.degree + 1)]
        for knot in self.inner:
            columns.append(np.where(x >= knot, power(np.maximum(x - knot, 0.0), self.degree, derivative), 0.0))
        return np.column_stack(columns)

    def names(self, prefix):
        powers = [f"{prefix}^0", prefix, *(f"{prefix}^{d}" for d in range(2, self.degree + 1))][: self.degree + 1]
        return powers + [f"({prefix}-{knot:.6g})+^{self.degree}" for knot in self.inner]


class NaturalBasis(_Basis):
    """Natural cubic splines: cubic between knots and linear beyond the outer ones, with one function per knot.

    Parameters
    ----------
    knots : ndarray of shape (K,)
        Increasing, two or more.
    form : {"difference_last", "difference_local", "bspline"}, default="difference_last"
        1, x and differences of truncated cubes anchored at the last knot; 1, x and differences anchored at the next
        knot, whose penalty is tridiagonal; or the B-splines under the natural end conditions, as R's ``ns`` has them.
    intercept : bool, default=True
        Whether the constant is in the span; without it there is one function fewer.
    """

    degree = 3

    def __init__(self, knots, form="difference_last", *, intercept=True):
        knots = np.asarray(knots, dtype=np.float64)
        self.knots, self.form, self.intercept = knots, form, intercept
        self.lower, self.upper = knots[0], knots[-1]
        self.n_functions = len(knots) - (0 if intercept else 1)
        self.pieces = knots
        if form == "bspline":
            self.bsplines = BSplineBasis(knots, 3, clamped=True)
            ends = self.bsplines.design(knots[[0, -1]], 2)[:, 0 if intercept else 1 :]
            self.constrain = np.linalg.qr(ends.T, mode="complete")[0][:, 2:]

    def design(self, x, derivative=0):
        x = np.asarray(x, dtype=np.float64)
        if self.form == "bspline":
            return self._bspline_design(x, derivative)
        columns = [power(x, 0, derivative)] if self.intercept else []
        columns.append(power(x, 1, derivative))
        K = len(self.knots)
        if self.form == "difference_last":
            last = self._cubes(x, K - 2, K - 1, derivative)
            columns += [self._cubes(x, k, K - 1, derivative) - last for k in range(K - 2)]
        else:
            columns += [
                self._cubes(x, k, k + 1, derivative) - self._cubes(x, k - 1, k, derivative) for k in range(1, K - 1)
            ]
        return np.column_stack(columns)

    def _cubes(self, x, k, anchor, derivative):
        """The derivative of ((x - knot_k)^3_+ - (x - knot_anchor)^3_+) / (knot_anchor - knot_k)."""
        a, b = self.knots[k], self.knots[anchor]
        cubes = [power(np.maximum(x - knot, 0.0), 3, derivative) for knot in (a, b)]
        if derivative == 3:  # constant right of the knot
            cubes = [np.where(x >= knot, cube, 0.0) for knot, cube in zip((a, b), cubes)]
        return (cubes[0] - cubes[1]) / (b - a)

    def _bspline_design(self, x, derivative):
        inside = np.clip(x, self.lower, self.upper)
        values = self.bsplines.design(inside, derivative)
        out = np.flatnonzero(inside != x)
        if len(out):
            slopes = self.bsplines.design(inside[out], 1)
            if derivative == 0:
                values[out] += (x - inside)[out, None] * slopes
            else:
                values[out] = slopes if derivative == 1 else 0.0
        return values[:, 0 if self.intercept else 1 :] @ self.constrain

    def extended(self, x, extrapolation, derivative=0):
        """Natural splines are linear beyond the outer knots for every extrapolation except "error"."""
        return super().extended(x, "error" if extrapolation == "error" else "continue", derivative)

    def names(self, prefix):
        if self.form == "bspline":
            return super().names(prefix)
        first = [f"{prefix}^0", prefix] if self.intercept else [prefix]
        return first + [f"{prefix}_ns_{j}" for j in range(1, self.n_functions - len(first) + 1)]


def make_basis(kind, knots, *, degree=3, form="difference_last", clamped=False, intercept=True):
    """The basis of a name: "bspline", "cyclic", "truncated_power" or "natural"."""
    if kind == "bspline":
        return BSplineBasis(knots, degree, clamped=clamped)
    if kind == "cyclic":
        return BSplineBasis(knots, degree, periodic=True)
    knots = np.unique(knots)
    if kind == "truncated_power":
        return TruncatedPowerBasis(knots, degree)
    if len(knots) < 2:
        raise ValueError("Natural splines require at least 2 distinct knots, but a column of X is constant.")
    return NaturalBasis(knots, form, intercept=intercept)
