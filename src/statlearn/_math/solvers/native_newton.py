"""Generalised linear models by native kernels: paths of L1 penalties, and Newton's method."""

from functools import partial

import numpy as np

from statlearn._core import native
from statlearn._core.warnings import DIVERGED, MAX_ITER, OK
from statlearn._math.linalg.products import doubled_blocks
from statlearn._math.rows.rows import Rows
from statlearn._math.solvers.newton import ScaledSystem
from statlearn._math.solvers.solution import LinearSolution
from statlearn._math.solvers.step import backtrack, rounding

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


class _Passes:
    """Mean half deviance with gradient and Hessian in one reading of X; parameters (w, intercept at the middle)."""

    def __init__(self, problem):
        design, weights, offset = problem.rows, problem.weights, problem.offset
        self.p, self.intercept = design.p, bool(problem.intercept)
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

    def __call__(self, coef, b, hessian):
        """(value, gradient, Hessian or None); the value is infinite where it overflows."""
        q = self.p + self.intercept
        theta = np.append(coef, b - self.shift @ coef) if self.intercept else np.ascontiguousarray(coef)
        gradient, H = np.empty(q), np.empty((q, q) if hessian else (0, 0))
        value = (self._run(theta, gradient, H) + self.constant) / self.total
        if not np.isfinite(value):
            value = np.inf
        return value, gradient / self.total, H / self.total if hessian else None


def newton_fit(problem, l2, *, start, tol, gradient_tol, max_iter):
    """Minimise the mean half deviance + l2/2 |w|^2 by Newton's method; rules and result as in `minimise`."""
    passes, intercept = _Passes(problem), problem.intercept
    coef, b = np.array(start[0], dtype=np.float64), float(start[1]) + passes.shift @ start[0]
    loss, g, H = passes(coef, b, True)
    objective = loss + 0.5 * l2 * coef @ coef
    scale = max(objective, np.finfo(np.float64).eps)
    status, decrease, n_iter, system = MAX_ITER, np.inf, 0, ScaledSystem()
    p = problem.rows.p
    while n_iter < max_iter:
        n_iter += 1
        gradient, slope = g[:p] + l2 * coef, g[p] if intercept else 0.0
        flat = gradient_tol is None or max(np.abs(gradient).max(initial=0.0), abs(slope)) <= gradient_tol
        S, mean = H[:p, :p], 0.0
        if intercept and H[p, p] > 0.0:  # the intercept eliminated
            mean = H[:p, p] / H[p, p]
            S = S - np.outer(H[:p, p], mean)
        S[np.diag_indices(p)] += l2
        move = -system.solve(S, gradient - slope * mean)
        move_b = -slope / H[p, p] - mean @ move if intercept and H[p, p] > 0.0 else 0.0
        promised = -(gradient @ move + slope * move_b)
        decrease = 0.5 * promised
        last = flat and decrease <= tol * objective  # most likely the last step, so no further Hessian is needed

        def ahead(t):
            trial, trial_b = coef + t * move, b + t * move_b
            value, g, H = passes(trial, trial_b, t == 1.0 and not last)
            return value + 0.5 * l2 * trial @ trial, (trial, trial_b, g, H)

        step = backtrack(ahead, objective, -promised, slack=rounding(scale))
        if step is None:  # nothing left to gain at this precision, or no direction helps
            status = OK if decrease <= 1e-9 * max(abs(objective), scale) else DIVERGED
            break
        objective, (coef, b, new_g, new_H) = step.value, step.state
        done = flat and decrease <= tol * max(objective, 1e-10 * scale)
        # The second test detects rounding: a gradient that cannot fall below `gradient_tol` must not prolong the loop.
        if (done and step.length == 1.0) or decrease <= 1e-17 * max(objective, 1e-6 * scale):
            status = OK
            break
        g, H = new_g, new_H if new_H is not None else passes(coef, b, True)[2]
    if status == MAX_ITER and gradient_tol is not None:
        new_g = new_g + l2 * np.append(coef, [0.0] * bool(intercept))
        status = OK if np.abs(new_g).max(initial=0.0) <= gradient_tol else MAX_ITER
    b = float(b - passes.shift @ coef) if intercept else 0.0
    return LinearSolution(
        coef=coef,
        intercept=b,
        objective=float(objective),
        gap=float(decrease),
        n_iter=n_iter,
        status=status,
        rank=system.rank,
        aliased=system.aliased,
    )
