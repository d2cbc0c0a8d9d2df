"""Augmented Lagrangian with Newton steps, for plain losses on which coordinate descent does not end."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse.linalg import LinearOperator, cg

from statlearn._core.blas import single_blas_thread
from statlearn._core.warnings import MAX_ITER, OK
from statlearn._math.linalg.positive import large_cholesky
from statlearn._math.rows.rows import Rows

# Empirical, all of them.
_MOST_DIRECT = 3000  # order of a system that is factorised
_RISE = 4.0  # of the stiffness between two rounds
_STIFFEST = 1e11  # stiffness times the curvature of the rows, beyond which rounding decides in the factor
_ACCURACY = 0.2  # of the Newton steps of a round, as a share of the movement of the multipliers
_ROUNDING = 1e-14
_PRODUCTS = 500  # of the matrix of a larger system, by conjugate gradients
_ENOUGH = 0.2  # share of the slope at the start that a step along a direction may leave


@dataclass
class PlainDual:
    """Multipliers a of the rows: min |sum a_i x_i|^2 / 2 + sum (epsilon |a_i| - c_i a_i), lower <= a <= upper."""

    target: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    epsilon: float
    scale: float  # of the constant column; its weight is penalised like the others
    free_intercept: bool  # an unpenalised intercept instead


def solve_augmented(X, dual, a, b, *, tol, max_iter):
    """Weights, intercept, Newton steps, relative duality gap and status, from multipliers that are nearly right.

    The k-th round minimises over w and b the machine with each loss replaced by its largest value
    ``(c - f) a - epsilon |a| - (a - a_k)^2 / (2 stiffness)`` over the multipliers a in their bounds, which is smooth,
    and takes the maximisers as a_{k+1}: the proximal point algorithm on the dual. A Newton step solves a system of the
    rows whose multiplier is inside its bounds, or of the columns, whichever is smaller. An unpenalised intercept is
    pulled towards its last value with a force that fades.

    Stops when the duality gap is at most `tol` times the objective, or what rounding of the scores makes of it.

    References: Y. Yan and Q. Li, "An efficient augmented Lagrangian method for support vector machine", Optimization
    Methods and Software 35 (2020).
    """
    with single_blas_thread():
        return _OuterRounds(Rows.double(X), dual, a, b).run(tol, max_iter)


class _OuterRounds:
    def __init__(self, design, dual, a, b):
        self.design, self.dual, self.gram = design, dual, _GramOfRows(design)
        squares = self.gram.squares
        self.curvature = max(float(squares.mean()), 1e-300)
        self.scale = 10.0 * np.sqrt(self.curvature) if dual.free_intercept else dual.scale
        self.centre = b if dual.free_intercept else 0.0  # from where the pull on the intercept is measured
        self.a = np.clip(a, dual.lower, dual.upper)
        self.w = design.project(self.a)
        self.v = 0.0 if dual.free_intercept else self.scale * self.a.sum()
        self.stiffness = float(np.abs(self.a).mean()) + 1.0 / self.curvature

    def run(self, tol, max_iter):
        steps, gap = 0, np.inf
        limit = min(_STIFFEST / (self.curvature + self.scale**2), 1e-6 / _ROUNDING * self.stiffness)
        while True:
            f = self.scores()
            while True:
                new, inside = self.multipliers(f)
                g, g_v = self.w - self.design.project(new), self.v - self.scale * new.sum()
                gap, error = self.relative_gap(f, new, inside, g, g_v)
                if gap <= max(tol, error):
                    return self.result(steps, gap, OK)
                moved = np.sum((new - self.a) ** 2) / self.stiffness
                if g @ g + g_v**2 <= max(_ACCURACY**2 * moved, self.rounding(f, new)):
                    break
                if steps == max_iter:
                    return self.result(steps, gap, MAX_ITER)
                steps += 1
                if not self.newton_step(f, g, g_v, inside):
                    break
                f = self.scores()
            if steps == max_iter:
                return self.result(steps, gap, MAX_ITER)
            self.a = new
            self.stiffness = min(_RISE * self.stiffness, limit)
            if self.dual.free_intercept:
                self.centre += self.scale * self.v
                self.v = 0.0

    def rounding(self, f, a):
        """Square of a gradient that differs from 0 only by rounding of the multipliers."""
        error = _ROUNDING**2 * np.sum(a * a + (self.stiffness * f) ** 2)
        return (self.curvature + self.scale**2) * error

    def result(self, steps, gap, status):
        return self.w, self.centre + self.scale * self.v, steps, gap, status

    def scores(self):
        return self.design.scores(self.w) + (self.centre + self.scale * self.v)

    def multipliers(self, f):
        """Maximisers of a round at the scores f, and mask of those inside their bounds."""
        dual, s = self.dual, self.stiffness
        z = self.a + s * (dual.target - f)
        if dual.epsilon:
            z = np.sign(z) * np.maximum(np.abs(z) - s * dual.epsilon, 0.0)
        inside = (z > dual.lower) & (z < dual.upper)
        if dual.epsilon:
            inside &= z != 0.0
        return np.clip(z, dual.lower, dual.upper), inside

    def relative_gap(self, f, a, inside, g, g_v):
        """Duality gap relative to the objective, and its part due to rounding of the scores."""
        dual = self.dual
        r = dual.target - f
        excess = np.sign(r) * np.maximum(np.abs(r) - dual.epsilon, 0.0)
        losses = np.where(excess > 0.0, dual.upper, dual.lower) * excess
        objective = 0.5 * (self.w @ self.w) + losses.sum()
        gap = np.sum(losses - r * a + dual.epsilon * np.abs(a)) + 0.5 * (g @ g)
        error = _ROUNDING * np.sum((dual.upper - dual.lower)[inside])
        if dual.free_intercept:
            gap += abs(a.sum()) * (abs(self.centre + self.scale * self.v) + 1.0)
        else:
            objective, gap = objective + 0.5 * self.v**2, gap + 0.5 * g_v**2
        objective = max(objective, 1e-300)
        return gap / objective, error / objective

    def newton_step(self, f, g, g_v, inside):
        """Move along the Newton direction to the minimum on it; returns whether the point changed."""
        d, d_v = self.direction(g, g_v, np.flatnonzero(inside))
        along = self.design.scores(d) + self.scale * d_v

        def slope(t):
            new, _ = self.multipliers(f + t * along)
            return (self.w + t * d) @ d + (self.v + t * d_v) * d_v - new @ along

        start = slope(0.0)
        if not start < 0.0:
            return False
        t = _root(slope, -_ENOUGH * start)
        self.w = self.w + t * d
        self.v += t * d_v
        return True

    def direction(self, g, g_v, rows):
        """-(I + stiffness A'A)^-1 g with the rows A whose multipliers are inside their bounds, constant included."""
        design, s, c = self.design, self.stiffness, self.scale
        if rows.size == 0:
            return -g, -g_v
        A = design.X[rows]
        if rows.size <= _MOST_DIRECT:
            K = self.gram.take(rows) + c * c
            K[np.diag_indices_from(K)] += 1.0 / s
            try:
                q = large_cholesky(K).solve(A @ g + c * g_v)
            except np.linalg.LinAlgError:
                return -g, -g_v
            return A.T @ q - g, c * q.sum() - g_v
        size = 1.0 + s * (np.asarray((A.multiply(A) if design.sparse else A * A).sum(axis=0)).ravel())
        size = np.append(size, 1.0 + s * c * c * rows.size)
        transposed = A.T.tocsr() if design.sparse else A.T

        def product(x):
            scores = s * (A @ x[:-1] + c * x[-1])
            return x + np.append(transposed @ scores, c * scores.sum())

        n = g.size + 1
        d, _ = cg(
            LinearOperator((n, n), product, dtype=float), -np.append(g, g_v), rtol=1e-3, maxiter=_PRODUCTS,
            M=LinearOperator((n, n), lambda x: x / size, dtype=float),
        )  # fmt: skip
        return d[:-1], d[-1]


def _root(slope, enough):
    """Step near 1 at which a slope that rises from a negative value at 0 is at most `enough` in size."""
    low, high, t = 0.0, None, 1.0
    for _ in range(60):
        value = slope(t)
        if abs(value) <= enough:
            break
        if value < 0.0:
            low = t
        else:
            high = t
        t = 2.0 * t if high is None else 0.5 * (low + high)
    return t


class _GramOfRows:
    """Inner products of the rows requested last, so that only those of new rows are computed."""

    def __init__(self, design):
        self.design = design
        X = design.X
        squares = X.multiply(X).sum(axis=1) if design.sparse else np.einsum("ij,ij->i", X, X)
        self.squares = np.asarray(squares).ravel()
        self.rows, self.K = np.empty(0, dtype=np.intp), np.empty((0, 0))

    def take(self, rows):
        """Copy of the inner products of some rows, given in increasing order."""
        _, place, before = np.intersect1d(rows, self.rows, assume_unique=True, return_indices=True)
        K = np.empty((rows.size, rows.size))
        K[np.ix_(place, place)] = self.K[np.ix_(before, before)]
        fresh = np.setdiff1d(np.arange(rows.size), place, assume_unique=True)
        if fresh.size:
            X = self.design.X
            block = X[rows[fresh]] @ X[rows].T
            block = block.toarray() if self.design.sparse else block
            K[fresh] = block
            K[:, fresh] = block.T
        self.rows, self.K = rows, K
        return K.copy()
