"""Piecewise linear losses as quadratic programs: an interior-point method, then a crossover to the exact face."""

from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse

from statlearn._core.warnings import MAX_ITER, OK
from statlearn._math.linalg.positive import large_cholesky, regularised_cholesky
from statlearn._math.linalg.products import doubled_blocks
from statlearn._math.linalg.quantiles import weighted_quantile

from .solution import LinearSolution


class _Program:
    """The quadratic program of a piecewise linear loss: hinges max(0, a - e) with a affine in (w, b).

    Rows of the data come first (`k` stacked copies, one for each knot of the loss), then, with an L1 penalty, one row
    for each coefficient: l1 abs(w) = -l1 w + 2 l1 max(0, w). With v the dual variable of a hinge (0 <= v <= height),
    ``u = low + sum v`` is minus the slope of the loss, and optimality says X'u = l2 w + q, 1'u = 0, q = -l1 + v.
    """

    def __init__(self, problem):
        design, weights, l1 = problem.rows, problem.weights, problem.penalty.l1
        self.design, self.l1, self.l2, self.intercept = design, l1, problem.penalty.l2, problem.intercept
        pieces = problem.loss.pieces()
        self.centre = pieces.centre - problem.offset
        self.low = weights * pieces.low
        self.constant = weights @ pieces.constant
        self.k = pieces.knots.shape[0]
        n, p = design.n, design.p
        self.knots = np.concatenate([pieces.knots.ravel(), np.zeros(p if l1 > 0 else 0)])
        self.heights = np.concatenate([(weights * pieces.heights).ravel(), np.full(p if l1 > 0 else 0, 2.0 * l1)])
        self.rows = self.k * n

    def arguments(self, residual, coef):
        """a - e of every hinge."""
        a = np.tile(residual, self.k)
        return (np.concatenate([a, coef]) if self.l1 > 0 else a) - self.knots

    def per_row(self, hinges):
        return hinges[: self.rows].reshape(self.k, -1).sum(axis=0)

    def value(self, residual, coef):
        hinges = np.maximum(self.arguments(residual, coef), 0.0)
        linear = self.low @ residual - (self.l1 * coef.sum() if self.l1 > 0 else 0.0)
        return linear + self.heights @ hinges + 0.5 * self.l2 * coef @ coef + self.constant

    def stationarity(self, coef, v):
        """l2 w + q - X'u and -1'u."""
        u = self.low + self.per_row(v)
        q = v[self.rows :] - self.l1 if self.l1 > 0 else 0.0
        return self.l2 * coef + q - self.design.project(u), -u.sum() if self.intercept else 0.0


class _NormalEquations:
    """(diag(E) + X'DX with an intercept column) factored once, solved for several right-hand sides.

    `solve` returns x, the intercept b, and D (X x + b), which with few rows is known better than x itself.
    """

    def __init__(self, design, D, E, intercept, outer):
        self.intercept, self.design, self.D = intercept, design, D
        self.narrow = outer is None
        if self.narrow:
            S, self.mean, self.total = design.gram(D, intercept)
            S[np.diag_indices_from(S)] += E
            if not np.isfinite(S).all():
                raise linalg.LinAlgError("the normal equations have overflowed")
            self.factor = regularised_cholesky(S)
        else:
            # Fewer rows than columns: with q = D (X x + b) the system is (1/D + X X'/E) q = X rhs/E + b, 1'q = rhs_b.
            self.E = E
            K = outer(1.0 / E)
            K[np.diag_indices_from(K)] += 1.0 / D
            self.factor = large_cholesky(K)
            self.ones = self.factor.solve(np.ones(design.n))

    def solve(self, rhs, rhs_b):
        if not self.narrow:
            q = self.factor.solve(self.design.scores(rhs / self.E))
            b = (rhs_b - q.sum()) / self.ones.sum() if self.intercept else 0.0
            q += b * self.ones
            return (rhs - self.design.project(q)) / self.E, b, q
        if self.intercept:
            rhs = rhs - rhs_b * self.mean
        x = self.factor.solve(rhs)
        b = (rhs_b / self.total - self.mean @ x) if self.intercept else 0.0
        return x, b, self.D * (self.design.scores(x) + b)


def _outer_product(design):
    """Function E -> X diag(E) X' for designs with fewer rows than columns."""
    if design.sparse:
        return lambda E: (design.X @ sparse.diags_array(E) @ design.X.T).toarray()
    return lambda E: (design.X * E) @ design.X.T


@dataclass
class _Iterate:
    """A point of the interior-point method; xi - s = a - e holds throughout, so that every point is feasible."""

    coef: np.ndarray
    intercept: float
    residual: np.ndarray
    v: np.ndarray  # dual value of each hinge
    w: np.ndarray  # its height minus v
    xi: np.ndarray  # at least max(0, a - e)
    s: np.ndarray  # xi - (a - e)

    def gap(self):
        return self.v @ self.s + self.w @ self.xi

    def longest(self, step):
        """The longest step in [0, 1] at which v, w, xi and s remain positive."""
        return _longest((self.v, step.v), (self.w, step.w), (self.xi, step.xi), (self.s, step.s))

    def moved(self, step, t):
        return _Iterate(*(getattr(self, name) + t * getattr(step, name) for name in self.__dataclass_fields__))


def _direction(program, at, D, system, dual, dual_b, target_s, target_xi):
    """Newton step towards v s = target_s, w xi = target_xi and the dual equations."""
    k = D * ((target_s - at.v * at.s) / at.v - (target_xi - at.w * at.xi) / at.w)
    rhs = program.design.project(program.per_row(k)) - dual
    if program.l1 > 0:
        rhs -= k[program.rows :]
    coef, b, q = system.solve(rhs, program.per_row(k).sum() - dual_b if program.intercept else 0.0)
    residual = -q / system.D
    a = np.tile(residual, program.k)
    a = np.concatenate([a, coef]) if program.l1 > 0 else a
    v = D * a + k
    xi = (target_xi - at.w * at.xi + at.xi * v) / at.w
    return _Iterate(coef, b, residual, v, -v, xi, xi - a)


def interior_point(problem, tol, max_iter):
    """Minimise a `LinearProblem` of a piecewise linear loss by Mehrotra's predictor-corrector method on `_Program`."""
    program = _Program(problem)
    design, l1, l2, intercept = program.design, program.l1, program.l2, program.intercept
    n, p = design.n, design.p
    wide = p > n and (l1 > 0 or l2 > 0)
    size = 8.0 * (n if wide else p) ** 2
    if size > 8e9:
        raise MemoryError(
            f"loss: a piecewise linear loss requires a dense matrix of {size / 1e9:.0f} GB for {n} rows and {p} "
            "columns. Use a smooth loss (squared_hinge, huber) or fewer columns."
        )
    outer = _outer_product(design) if wide else None
    b = weighted_quantile(program.centre, problem.weights, 0.5) if intercept else 0.0
    coef, residual = np.zeros(p), program.centre - b
    null = objective = program.value(residual, coef)
    a = program.arguments(residual, coef)
    spread = max(float(np.mean(np.abs(a))), 1e-3 * float(np.abs(a).max(initial=0.0)), 1e-12)
    half = 0.5 * program.heights
    at = _Iterate(coef, b, residual, half, half, np.maximum(a, 0.0) + spread, np.maximum(-a, 0.0) + spread)
    # The largest value that each side of the optimality conditions can take, to measure their violation by.
    slopes = np.abs(program.low) + program.per_row(program.heights)
    if design.sparse:
        reach = abs(design.X).T @ slopes
    else:
        reach = sum(np.abs(block).T @ slopes[rows] for rows, block in doubled_blocks(design.X))
    dual_scale = max(np.max(reach, initial=0.0), 1e-300)
    best = (null, coef, b)
    status, gap, n_iter = MAX_ITER, np.inf, 0
    while n_iter < max_iter:
        gap = at.gap()
        if not np.isfinite(gap):
            break
        dual, dual_b = program.stationarity(at.coef, at.v)
        infeasible = max(np.abs(dual).max(initial=0.0) / dual_scale, abs(dual_b) / slopes.sum())
        if gap <= max(tol * abs(objective), 1e-12 * abs(null)) and infeasible <= 1e-7:
            status = OK
            break
        n_iter += 1
        D = 1.0 / (at.xi / at.w + at.s / at.v)
        E = np.full(p, l2) + (D[program.rows :] if l1 > 0 else 0.0)
        try:
            system = _NormalEquations(design, np.maximum(program.per_row(D), 1e-300), E, intercept, outer)
        except linalg.LinAlgError:
            break
        step = _direction(program, at, D, system, dual, dual_b, 0.0, 0.0)
        after = at.moved(step, at.longest(step)).gap()
        centring = (after / gap) ** 3 * gap / (2 * len(at.v))
        step = _direction(program, at, D, system, dual, dual_b, centring - step.v * step.s, centring - step.w * step.xi)
        t = min(1.0, 0.995 * at.longest(step))
        if not t > 1e-8:  # no further progress up to rounding (t may be NaN)
            break
        at = at.moved(step, t)
        objective = program.value(at.residual, at.coef)
        if objective <= best[0]:
            best = (objective, at.coef, at.intercept)
    if status != OK and gap <= 1e-6 * max(abs(best[0]), 1e-6 * abs(null)):
        status = OK  # rounding ended the path slightly before `tol`
    objective, coef, b = _crossover(program, at, spread, best, 1e-12 * max(abs(best[0]), 1e-6 * abs(null)))
    return LinearSolution(
        coef=coef, intercept=float(b), objective=float(objective), gap=float(gap), n_iter=n_iter, status=status
    )


def _longest(*pairs):
    """The longest step in [0, 1] at which every vector remains positive."""
    step = 1.0
    for x, dx in pairs:
        ratio = np.max(-dx / x, initial=0.0)
        if ratio > 0:
            step = min(step, 1.0 / ratio)
    return step


def _crossover(program, at, spread, best, slack):
    """Solve for the point on the face that the interior iterates approach: exact zeros, exact knots.

    Hinges strictly between their slopes hold with equality (a = e); zero coefficients are those of the L1 hinges among
    them. The result is accepted only if the objective does not increase by more than `slack`.
    """
    design, l1, l2 = program.design, program.l1, program.l2
    objective, coef, b = best
    v = at.v
    # On the central path one of the two sides goes to 0: which one is it?
    tight = np.minimum(v, at.w) / program.heights > np.maximum(at.s, at.xi) / spread
    zero = tight[program.rows :] if l1 > 0 else np.zeros(design.p, dtype=bool)
    active = np.flatnonzero(~zero)
    knots = np.flatnonzero(tight[: program.rows])
    if len(active) + len(knots) > 3000:
        return objective, coef, b
    rows = knots % design.n
    u = program.low + program.per_row(np.where(tight, 0.0, np.where(v > 0.5 * program.heights, program.heights, 0.0)))
    XA = design.X[rows][:, active]
    XA = XA.toarray() if design.sparse else XA
    m, k = len(active), len(knots)
    ones = 1 if program.intercept else 0
    # Unknowns: change of w_A and b, and the dual values of the tight rows.
    K = np.zeros((m + ones + k, m + ones + k))
    K[:m, :m] = l2 * np.eye(m)
    K[:m, m + ones :] = -XA.T
    K[m + ones :, :m] = XA
    if ones:
        K[m, m + ones :] = -1.0
        K[m + ones :, m] = 1.0
    start = np.where(zero, 0.0, coef)
    slope = design.project(u)[active] - l2 * start[active]
    if l1 > 0:
        slope -= np.where(v[program.rows :][active] > l1, l1, -l1)
    residual = program.centre - design.scores(start) - b
    rhs = np.concatenate([slope, [u.sum()] * ones, (residual[rows] - program.knots[knots])])
    try:
        solution = linalg.lstsq(K, rhs, lapack_driver="gelsy", check_finite=False)[0]
    except (linalg.LinAlgError, ValueError):
        return objective, coef, b
    polished = start
    polished[active] += solution[:m]
    polished_b = b + (solution[m] if ones else 0.0)
    value = program.value(program.centre - design.scores(polished) - polished_b, polished)
    if np.isfinite(value) and value <= objective + slack:
        return value, polished, polished_b
    return objective, coef, b
