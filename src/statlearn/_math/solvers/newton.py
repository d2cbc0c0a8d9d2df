"""Newton's method, and proximal Newton with an L1 penalty, for smooth losses."""

import numpy as np
from scipy import linalg

from statlearn._core import native
from statlearn._core.blas import single_blas_thread
from statlearn._core.validation import require_finite
from statlearn._core.warnings import DIVERGED, MAX_ITER, OK
from statlearn._math.linalg.positive import DEPENDENT, cholesky, independent_columns, scales
from statlearn._math.solvers.step import backtrack, rounding

from .solution import LinearSolution

_EPS = np.finfo(np.float64).eps
_DIRECT = 2000  # columns up to which the Newton system is formed
_GRAM = 400  # columns up to which an L1 penalty works on the cross-product


class ScaledSystem:
    """S^-1 rhs, by Cholesky where S has full rank to working precision, of minimum norm otherwise.

    Stores the largest rank found, and the columns that depend on earlier ones. The rank is the same for all positive
    weights, but weights that vanish on the way to an infinite estimate can hide it.
    """

    rank: int | None = None
    aliased: np.ndarray | None = None

    def solve(self, S, rhs, damping=0.0):
        damped = S + np.diag(damping * scales(S) ** 2) if damping > 0.0 else S
        factor = cholesky(damped, cutoff=DEPENDENT)
        if factor is not None:
            self.rank, self.aliased = factor.rank, np.empty(0, dtype=np.intp)
            return factor.solve(rhs)
        require_finite(S, rhs)
        independent = independent_columns(damped)
        if self.rank is None or independent.sum() > self.rank:
            self.rank, self.aliased = int(independent.sum()), np.flatnonzero(~independent)
        with single_blas_thread(len(S)):
            values, vectors = linalg.eigh(S)
        keep = values > 1e-13 * max(values[-1], 1e-300)
        V = vectors[:, keep]
        return V @ ((V.T @ rhs) / values[keep])


class SmoothObjective:
    """A smooth objective at a moving point, and its quadratic model there; a point is known by the scores of the rows.

    What `newton` needs of an objective: `begin`, `derivatives`, `step`, `line`, and the attributes.
    """

    attempts = 12  # at a step, with more damping each

    def __init__(self, problem):
        self.design, self.loss = problem.rows, problem.loss
        self.weights, self.offset, self.intercept = problem.weights, problem.offset, problem.intercept
        self.penalty, self.l1, self.l2 = problem.penalty, problem.penalty.l1, problem.penalty.l2
        self.signed, self.system = None, ScaledSystem()
        self.inner_tol = 0.0

    def begin(self, coef, b):
        """The objective at the first point, and its scores."""
        scores = self.design.scores(coef) + b + self.offset
        return self.loss_at(scores) + self.penalty.value(coef), scores

    def loss_at(self, scores):
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            value = self.weights @ self.loss.value(scores)
        return value if np.isfinite(value) else np.inf

    def derivatives(self, scores):
        """Gradient of the loss in w and in b, and the weighted slopes and curvatures of the rows."""
        g, h = self.loss.derivatives(scores)
        self.signed = None
        if h.min(initial=0.0) < 0.0:
            # Some rows have negative curvature. The whole Hessian may still be definite (see `step`); the expected
            # curvature always is.
            self.signed, h = self.weights * h, self.loss.expected_curvature(scores)
        g, h = self.weights * g, self.weights * h
        return self.design.project(g), g.sum() if self.intercept else 0.0, (g, h)

    def first_damping(self, rows):
        """Damping that an L1 penalty needs where rows have hardly any curvature."""
        _, h = rows
        return 1e-3 if self.l1 > 0.0 and h.min() <= 1e-8 * h.max() else 0.0

    def line(self, coef, b, scores, move, move_b, last):
        """The objective along a step, with the scores; None if the step is not finite."""
        direction = self.design.scores(move) + move_b
        if not np.all(np.isfinite(direction)):
            return None

        def ahead(t):
            new = scores + t * direction
            return self.loss_at(new) + self.penalty.value(coef + t * move), new

        return ahead

    def step(self, coef, gradient, slope, rows, damping):
        """Minimiser of the quadratic model as (change of w, change of b)."""
        g, h = rows
        if self.l1 > 0.0:
            return self._proximal_step(coef, g, h, gradient, slope, damping)
        gradient = gradient + self.l2 * coef
        if self.design.p > _DIRECT:
            return self._truncated_step(h, gradient, slope, damping)
        if self.signed is not None:
            S, mean, total = self.design.gram(self.signed, self.intercept)
            S[np.diag_indices_from(S)] += self.l2
            if total > 0.0 or not self.intercept:
                factor = cholesky(S)
                if factor is not None:
                    move = -factor.solve(gradient - slope * mean)
                    return move, (-slope / total - mean @ move) if self.intercept else 0.0
        S, mean, total = self.design.gram(h, self.intercept)
        S[np.diag_indices_from(S)] += self.l2
        move = -self.system.solve(S, gradient - slope * mean if total > 0 else gradient, damping)
        return move, (-slope / total - mean @ move) if total > 0 else 0.0

    def _truncated_step(self, h, gradient, slope, damping):
        """Conjugate gradients, preconditioned by the diagonal, until the residual has fallen enough for Newton."""
        X, squares = self.design, self.design.X
        squares = squares.multiply(squares) if self.design.sparse else squares**2
        diagonal = np.append(squares.T @ h + self.l2, h.sum() if self.intercept else 1.0)
        diagonal = np.where(diagonal > 0, diagonal, 1.0)
        ridge = np.full(X.p + 1, self.l2)
        ridge[-1] = 0.0
        ridge += damping * diagonal
        rhs = -np.append(gradient, slope)

        def product(d):
            f = h * (X.scores(d[:-1]) + (d[-1] if self.intercept else 0.0))
            return np.append(X.project(f), f.sum() if self.intercept else 0.0) + ridge * d

        x = np.zeros_like(rhs)
        r = rhs.copy()
        z = r / diagonal
        d, rz = z.copy(), r @ z
        limit = min(0.1, np.sqrt(np.sqrt(rz))) ** 2 * rz * 1e-4
        for _ in range(min(1000, 2 * X.p)):
            q = product(d)
            curvature = d @ q
            if curvature <= 1e-16 * (d @ (diagonal * d)):
                break
            t = rz / curvature
            x += t * d
            r -= t * q
            z = r / diagonal
            new = r @ z
            if new <= limit:
                break
            d = z + new / rz * d
            rz = new
        return x[:-1], x[-1] if self.intercept else 0.0

    def _proximal_step(self, coef, g, h, gradient, slope, damping):
        w = coef.copy()
        # A floor under the curvature keeps rows on a straight part of their loss from unbounded steps.
        h = np.maximum(h, damping * h.max()) if damping > 0 else h
        if self.design.p <= _GRAM:
            S, mean, total = self.design.gram(h, self.intercept)
            centred = gradient - slope * mean if total > 0 else gradient
            c = S @ coef - centred
            S[np.diag_indices_from(S)] += self.l2
            native.linear.quadratic_lasso_gram(np.ascontiguousarray(S), c, self.l1, self.inner_tol, 10000, w)
            return w - coef, (-slope / total - mean @ (w - coef)) if total > 0 else 0.0
        # Working residual -g/h: rows of no curvature (and hence, above the floor, no slope) do not take part.
        residual = np.divide(-g, h, out=np.zeros_like(g), where=h > 0)
        kernel = self.design.kernel("quadratic_lasso")
        db, *_ = kernel(h, self.l1, self.l2, self.intercept, self.inner_tol, 10000, w, 0.0, residual)
        return w - coef, db


def newton(problem, coef, b, tol, gradient_tol, max_iter):
    """Minimise an objective (see `SmoothObjective`) from (coef, b) by damped Newton steps.

    The tolerances are explained in `minimise`.
    """
    l1, l2 = problem.l1, problem.l2
    objective, point = problem.begin(coef, b)
    if not np.isfinite(objective):
        raise ValueError("start lies outside the domain of the loss.")
    scale = max(objective, _EPS)
    status, decrease, damping, n_iter = MAX_ITER, np.inf, 0.0, 0
    while n_iter < max_iter:
        n_iter += 1
        gradient, slope, rows = problem.derivatives(point)
        flat = gradient_tol is None or _steepest(gradient + l2 * coef, slope) <= gradient_tol
        damping = damping or problem.first_damping(rows)
        # The inner accuracy follows the outer progress; only an accurate inner solution may end the loop.
        sharpest = 1e-3 * min(tol, 1e-6) * max(objective, 1e-10 * scale)
        problem.inner_tol = max(sharpest, min(1e-6 * objective, 1e-4 * decrease))
        step = None
        for _ in range(problem.attempts):
            move, move_b = problem.step(coef, gradient, slope, rows, damping)
            target = coef + move
            # The decrease predicted by the model to first order (half of it with the curvature).
            promised = -(
                gradient @ move + slope * move_b + l2 * (coef @ move) + l1 * (np.abs(target).sum() - np.abs(coef).sum())
            )
            ahead = problem.line(coef, b, point, move, move_b, flat and 0.5 * promised <= tol * objective)
            if ahead is not None and np.isfinite(promised) and promised >= 0.0:
                step = backtrack(ahead, objective, -promised, slack=rounding(scale))
                if step is not None:
                    break
            damping = max(10.0 * damping, 1e-6)
        decrease = 0.5 * promised
        if step is None:
            # Nothing left to gain at this precision, or no direction helps.
            status = OK if decrease <= 1e-9 * max(abs(objective), scale) else DIVERGED
            break
        t, objective, point = step
        coef, b = coef + t * move, b + t * move_b
        if t == 1.0 and damping > 1e-9:
            damping *= 0.1
        # The second test detects rounding: a gradient that cannot fall below `gradient_tol` must not prolong the loop.
        if t == 1.0 and (
            (flat and decrease <= tol * max(objective, 1e-10 * scale) and (l1 == 0.0 or problem.inner_tol == sharpest))
            or (l1 == 0.0 and decrease <= 1e-17 * max(objective, 1e-6 * scale))
        ):
            status = OK
            break
    if status == MAX_ITER and gradient_tol is not None:
        gradient, slope, _ = problem.derivatives(point)
        if _steepest(gradient + l2 * coef, slope) <= gradient_tol:
            status = OK
    return LinearSolution(
        coef=coef,
        intercept=float(b),
        objective=float(objective),
        gap=float(decrease),
        n_iter=n_iter,
        status=status,
        rank=problem.system.rank,
        aliased=problem.system.aliased,
    )


def _steepest(gradient, slope):
    return max(np.abs(gradient).max(initial=0.0), abs(slope))
