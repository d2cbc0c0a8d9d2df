"""Generalised linear models by native kernels: paths of L1 penalties, and Newton's method."""

from functools import partial

import numpy as np

from statlearn._core import native
from statlearn._core.warnings import OK
from statlearn._math.linalg.products import doubled_blocks
from statlearn._math.rows.rows import Rows
from statlearn._math.solvers.newton import ScaledSystem, newton
from statlearn._math.solvers.solution import LinearSolution

WIDEST = 500  # beyond, the general solver
_SMALL = 100_000  # entries of X
_AT_ONCE = 2**20  # entries that are in double precision at a time

# Families whose loss, under this link, is convex in the linear predictor with a simple conjugate; and their numbers.
_CODES = {
    ("gaussian", "identity"): 0,
    ("binomial", "logit"): 1,
    ("poisson", "log"): 2,
    ("gamma", "log"): 3,
    ("negative_binomial", "log"): 4,
    ("tweedie", "log"): 5,
}


def has_kernel(family, link):
    """Whether the kernel supports the pair."""
    if family.name == "tweedie" and not 1 < family.power < 2:
        return False
    return (family.name, link.name) in _CODES


def _parameter(family):
    return float(getattr(family, "theta", getattr(family, "power", 0.0)))


def _middle(problem):
    return problem.rows.middle() if problem.intercept else np.zeros(problem.rows.p)


def _model(problem):
    """The numbers by which the kernel knows the family and the link."""
    return _CODES[problem.family.name, problem.link.name], _parameter(problem.family)


def newton_path(problem, l1, l2, *, start=None, tol=1e-8, max_iter=100):
    """Minimise the mean half deviance plus l1 |w|_1 + l2/2 |w|^2 for each pair, in turn; a list of `LinearSolution`.

    Stops at a duality gap of `tol` times the mean half deviance of the model without slopes. Small problems are solved
    almost to machine precision, which costs very little. ``start`` is a pair of coefficients and intercept; None starts
    from the model without slopes.
    """
    rows, intercept, offset = problem.rows, problem.intercept, problem.offset
    if rows.n * rows.p <= _SMALL:
        tol = min(tol, 1e-15)
    l1, l2 = (np.ascontiguousarray(a, dtype=np.float64) for a in (l1, l2))
    k, q = len(l1), rows.p + bool(intercept)
    begin = np.zeros(q)
    if start is not None:
        begin[: rows.p] = start[0]
        if intercept:
            begin[-1] = start[1]
    theta, gaps, losses = np.zeros((k, q)), np.full(k, np.nan), np.full(k, np.nan)
    n_iters, status = np.zeros(k, dtype=np.intc), np.zeros(k, dtype=np.intc)
    rows.kernel("glm_path")(
        _middle(problem),
        *_model(problem),
        np.ascontiguousarray(problem.y),
        problem.shares,
        np.empty(0) if offset is None else np.ascontiguousarray(offset, dtype=np.float64),
        bool(intercept),
        l1,
        l2,
        begin,
        float(tol),
        int(max_iter),
        theta,
        gaps,
        losses,
        n_iters,
        status,
    )
    coefs = theta[:, : rows.p]
    penalties = l1 * np.abs(coefs).sum(axis=1) + 0.5 * l2 * (coefs**2).sum(axis=1)
    return [
        LinearSolution(
            coef=coefs[t].copy(),
            intercept=float(theta[t, -1]) if intercept else 0.0,
            objective=float(losses[t] + penalties[t]),
            gap=float(gaps[t]),
            n_iter=int(n_iters[t]),
            status=int(status[t]),
        )
        for t in range(k)
    ]


def worst_status(solutions):
    """Overall status of a path: OK only if every fit is OK."""
    return max((solution.status for solution in solutions), default=OK)


class NativeObjective:
    """Mean half deviance + l2/2 |w|^2, with gradient and Hessian in one reading of X: an objective for `newton`.

    A point is known by (w, intercept at the middle, gradient and Hessian of the loss); the Hessian is None where it was
    not computed.
    """

    l1, attempts = 0.0, 1

    def __init__(self, problem, l2):
        design, weights, offset = problem.rows, problem.weights, problem.offset
        self.p, self.intercept, self.l2 = design.p, bool(problem.intercept), l2
        self.system = ScaledSystem()
        self.shift = _middle(problem)
        nothing = np.empty(0)
        equal = np.all(weights == weights[0])
        self.total = float(design.n) if equal else float(weights.sum())
        model = _model(problem)
        rows = (np.ascontiguousarray(problem.y), nothing if equal else weights)
        self.constant = native.linear.glm_constant(*model, *rows)
        rows = (*rows, nothing if offset is None else offset)
        if design.sparse or design.X.dtype == np.float64:
            self._run = partial(design.kernel("glm_pass", by="rows"), self.shift, self.intercept, *model, *rows)
        else:
            self._run = partial(self._run_in_blocks, design.X, model, rows)

    def _run_in_blocks(self, X, model, arrays, theta, gradient, H):
        """A pass over rows that are in double precision only while they are read."""
        total, part, part_H = 0.0, np.empty_like(gradient), np.empty_like(H)
        gradient[:], H[:] = 0.0, 0.0
        for rows, block in doubled_blocks(X, _AT_ONCE):
            kernel = Rows(block).kernel("glm_pass", by="rows")
            some = (array[rows] if len(array) else array for array in arrays)
            total += kernel(self.shift, self.intercept, *model, *some, theta, part, part_H)
            gradient += part
            H += part_H
        return total

    def _at(self, coef, b, hessian):
        """The objective, infinite where it overflows, and the point."""
        q = self.p + self.intercept
        theta = np.append(coef, b - self.shift @ coef) if self.intercept else np.ascontiguousarray(coef)
        gradient, H = np.empty(q), np.empty((q, q) if hessian else (0, 0))
        value = (self._run(theta, gradient, H) + self.constant) / self.total
        value = value if np.isfinite(value) else np.inf
        point = coef, b, gradient / self.total, H / self.total if hessian else None
        return value + 0.5 * self.l2 * coef @ coef, point

    def begin(self, coef, b):
        return self._at(coef, b, True)

    def derivatives(self, point):
        coef, b, gradient, H = point
        H = self._at(coef, b, True)[1][3] if H is None else H
        return gradient[: self.p], gradient[self.p] if self.intercept else 0.0, H

    def first_damping(self, H):
        return 0.0

    def line(self, coef, b, point, move, move_b, last):
        """The objective along a step; the Hessian is not needed after the last step, or after a shorter one."""
        return lambda t: self._at(coef + t * move, b + t * move_b, t == 1.0 and not last)

    def step(self, coef, gradient, slope, H, damping):
        """Newton's step, with the intercept eliminated."""
        p = self.p
        gradient, free = gradient + self.l2 * coef, self.intercept and H[p, p] > 0.0
        mean = H[:p, p] / H[p, p] if free else 0.0
        S = H[:p, :p] - np.outer(H[:p, p], mean) if free else H[:p, :p].copy()
        S[np.diag_indices(p)] += self.l2
        move = -self.system.solve(S, gradient - slope * mean)
        return move, -slope / H[p, p] - mean @ move if free else 0.0


def newton_fit(problem, l2, *, start, tol, gradient_tol, max_iter):
    """Minimise the mean half deviance + l2/2 |w|^2 by Newton's method; rules and result as in `minimise`."""
    objective, coef = NativeObjective(problem, l2), np.array(start[0], dtype=np.float64)
    solution = newton(objective, coef, float(start[1]) + objective.shift @ coef, tol, gradient_tol, max_iter)
    solution.intercept = float(solution.intercept - objective.shift @ solution.coef) if problem.intercept else 0.0
    return solution
