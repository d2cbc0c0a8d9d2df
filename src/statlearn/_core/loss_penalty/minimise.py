r"""The solver behind "loss + penalty": any convex loss of a linear score, with L1 and L2 penalties.

Minimises over coefficients w and, if wanted, an unpenalised intercept b

.. math:: \sum_i s_i L_i(o_i + b + x_i^\top w) + l_1 \lVert w \rVert_1 + \tfrac12 l_2 \lVert w \rVert^2

with weights s that sum to 1 and fixed offsets o. `minimise` dispatches on the loss and the penalty:

========================  ==========================================================================================
smooth, l1 = 0            Newton's method; the system from one weighted cross-product (up to `_DIRECT` columns) or
                          conjugate gradients (beyond)
smooth, l1 > 0            proximal Newton; the inner problem by coordinate descent on the cross-product (up to
                          `_GRAM` columns) or on the columns (beyond)
piecewise linear          primal-dual interior point for the quadratic program, then a crossover to the exact face
========================  ==========================================================================================
"""

from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse

from statlearn._core import native
from statlearn._core.quantiles import weighted_quantile
from statlearn._core.statistics import CrossProducts
from statlearn._core.warnings import DIVERGED, MAX_ITER, OK

_DIRECT = 2000
_GRAM = 400
_EPS = np.finfo(np.float64).eps


@dataclass
class Solution:
    """Where a solver stopped."""

    coef: np.ndarray
    intercept: float
    objective: float
    gap: float  # what was left to gain: model decrease, or duality gap, on the scale of the objective
    n_iter: int
    status: int
    rank: int | None = None  # of the centred design, when a factorisation showed it
    aliased: np.ndarray | None = None  # columns that depend on the ones before them


class Design:
    """The rows that take part, in double precision, with what the solvers ask of them."""

    def __init__(self, X):
        self.sparse = sparse.issparse(X)
        if self.sparse:
            self.X = X.astype(np.float64).tocsr()
            self.transposed = self.X.T.tocsr()
        else:
            X = np.asarray(X, dtype=np.float64)
            self.X = X if X.flags.forc else np.ascontiguousarray(X)
        self.n, self.p = X.shape
        self._columns = None

    def scores(self, coef):
        return self.X @ coef

    def project(self, rows):
        """X' rows."""
        return self.transposed @ rows if self.sparse else self.X.T @ rows

    def cross_products(self, h, intercept):
        """X' diag(h) X about the h-weighted means, these means, and the sum of h; about zero without an intercept."""
        nothing = np.empty((self.n, 0))
        stats = CrossProducts.from_block(self.X, nothing, np.maximum(h, 0.0), centre=intercept)
        if h.min(initial=0.0) < 0.0:
            stats.G -= CrossProducts.from_block(self.X, nothing, np.maximum(-h, 0.0), centre=intercept).G
        if not intercept or not stats.total_weight > 0.0:
            return stats.uncentred()[0], np.zeros(self.p), 0.0
        return stats.centred()[0], stats.means()[0], stats.total_weight

    def columns(self):
        """The arrays that the column-wise kernel reads."""
        if self._columns is None:
            if self.sparse:
                csc = self.X.tocsc()
                self._columns = csc.data, csc.indices.astype(np.int32), csc.indptr.astype(np.int32)
            else:
                self._columns = (np.asfortranarray(self.X),)
        return self._columns


def minimise(design, loss, weights=None, *, l1=0.0, l2=0.0, intercept=True, offset=None, start=None, tol=1e-8,
             gradient_tol=None, max_iter=100):  # fmt: skip
    """Minimise the module's objective; see there.

    Parameters
    ----------
    design : Design
    loss : object of `_core.losses`, or any with `value`, `derivatives` (and `pieces` unless `smooth`)
    weights : ndarray of shape (n,) or None
        Positive, of sum 1; None weighs all rows equally.
    start : (coef, intercept) or None
    tol : float
        Smooth losses stop once the decrease that the quadratic model promises is at most `tol` times the objective (the
        step is still taken); piecewise linear ones once the duality gap is at most `tol` times the objective.
    gradient_tol : float or None
        Asks beside `tol` that no entry of the gradient exceeds this. Smooth losses without L1 only.

    Returns
    -------
    Solution
    """
    if weights is None:
        weights = np.full(design.n, 1.0 / design.n)
    offset = np.zeros(design.n) if offset is None else offset
    coef, b = (np.zeros(design.p), 0.0) if start is None else (np.array(start[0], dtype=np.float64), float(start[1]))
    if not loss.smooth:
        return _interior_point(design, loss, weights, l1, l2, intercept, offset, tol, max_iter)
    problem = _Smooth(design, loss, weights, l1, l2, intercept, offset)
    return _newton(problem, coef, b, tol, gradient_tol, max_iter)


# ---------------------------------------------------------------------------------------------------- smooth losses


class ScaledSystem:
    """S^-1 rhs, by Cholesky where S has full rank to working precision, of minimum norm otherwise.

    Keeps the largest rank that was found, and the columns that depend on the ones before them: with positive weights
    the rank does not depend on them, and weights that vanish on the way to an infinite estimate only hide it.
    """

    rank: int | None = None
    aliased: np.ndarray | None = None

    def solve(self, S, rhs, damping=0.0):
        diagonal = np.sqrt(np.maximum(np.diag(S), 0.0))
        scale = np.where(diagonal > 0.0, diagonal, 1.0)
        C = S / np.outer(scale, scale)
        if damping > 0.0:
            C[np.diag_indices_from(C)] += damping
        factor, info = linalg.lapack.dpotrf(C, lower=True, clean=False)
        # The square of a diagonal entry is the share of a column that the ones before it leave unexplained.
        if info == 0 and (C.shape[0] == 0 or np.diag(factor).min() ** 2 > 1e-11):
            self.rank, self.aliased = C.shape[0], np.empty(0, dtype=np.intp)
            return linalg.cho_solve((factor, True), rhs / scale) / scale
        rank, aliased = _dependent_columns(C)
        if self.rank is None or rank > self.rank:
            self.rank, self.aliased = rank, aliased
        values, vectors = linalg.eigh(S)
        keep = values > 1e-13 * max(values[-1], 1e-300)
        V = vectors[:, keep]
        return V @ ((V.T @ rhs) / values[keep])


class _Smooth:
    """A smooth objective at a moving point, and its quadratic model there."""

    def __init__(self, design, loss, weights, l1, l2, intercept, offset):
        self.design, self.loss, self.weights, self.offset = design, loss, weights, offset
        self.l1, self.l2, self.intercept = l1, l2, intercept
        self.signed, self.system = None, ScaledSystem()
        self.inner_tol = 0.0

    def penalty(self, coef):
        return self.l1 * np.abs(coef).sum() + 0.5 * self.l2 * coef @ coef

    def loss_at(self, scores):
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            value = self.weights @ self.loss.value(scores)
        return value if np.isfinite(value) else np.inf

    def derivatives(self, scores):
        """Weighted slopes and curvatures of the rows, and the gradient (of the smooth part) in w and b."""
        g, h = self.loss.derivatives(scores)
        self.signed = None
        if h.min(initial=0.0) < 0.0:
            # Some rows bend the wrong way: the whole Hessian may be definite all the same (see `step`); the expected
            # curvature always is.
            self.signed, h = self.weights * h, self.loss.expected_curvature(scores)
        g, h = self.weights * g, self.weights * h
        return g, h, self.design.project(g), g.sum() if self.intercept else 0.0

    def step(self, coef, g, h, gradient, slope, damping):
        """Minimiser of the quadratic model as (change of w, change of b)."""
        if self.l1 > 0.0:
            return self._proximal_step(coef, g, h, gradient, slope, damping)
        gradient = gradient + self.l2 * coef
        if self.design.p > _DIRECT:
            return self._truncated_step(h, gradient, slope, damping)
        if self.signed is not None:
            S, mean, total = self.design.cross_products(self.signed, self.intercept)
            S[np.diag_indices_from(S)] += self.l2
            if total > 0.0 or not self.intercept:
                factor, info = linalg.lapack.dpotrf(S, lower=True, clean=False)
                if info == 0 and np.diag(factor).min(initial=1.0) > 0.0:
                    move = -linalg.cho_solve((factor, True), gradient - slope * mean)
                    return move, (-slope / total - mean @ move) if self.intercept else 0.0
        S, mean, total = self.design.cross_products(h, self.intercept)
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
            S, mean, total = self.design.cross_products(h, self.intercept)
            centred = gradient - slope * mean if total > 0 else gradient
            c = S @ coef - centred
            S[np.diag_indices_from(S)] += self.l2
            native.linear.quadratic_lasso_gram(np.ascontiguousarray(S), c, self.l1, self.inner_tol, 10000, w)
            return w - coef, (-slope / total - mean @ (w - coef)) if total > 0 else 0.0
        # Working residual -g/h: rows of no curvature (and hence, above the floor, no slope) do not take part.
        residual = np.divide(-g, h, out=np.zeros_like(g), where=h > 0)
        arrays = self.design.columns()
        kernel = native.linear.quadratic_lasso_sparse if self.design.sparse else native.linear.quadratic_lasso
        db, *_ = kernel(*arrays, h, self.l1, self.l2, self.intercept, self.inner_tol, 10000, w, 0.0, residual)
        return w - coef, db


def _dependent_columns(C):
    """Rank of a scaled cross-product and the columns that depend on earlier ones, by a Cholesky that skips them."""
    A = np.array(C)
    p = A.shape[0]
    aliased = []
    for j in range(p):
        if A[j, j] <= 1e-11:
            aliased.append(j)
            continue
        column = A[j + 1 :, j] / A[j, j]
        A[j + 1 :, j + 1 :] -= np.outer(column, A[j, j + 1 :])
    return p - len(aliased), np.array(aliased, dtype=np.intp)


def _newton(problem, coef, b, tol, gradient_tol, max_iter):
    design, l1, l2 = problem.design, problem.l1, problem.l2
    scores = design.scores(coef) + b + problem.offset
    loss = problem.loss_at(scores)
    objective = loss + problem.penalty(coef)
    if not np.isfinite(objective):
        raise ValueError("The starting point lies outside the domain of the loss.")
    scale = max(objective, _EPS)
    status, decrease, damping, n_iter = MAX_ITER, np.inf, 0.0, 0
    while n_iter < max_iter:
        n_iter += 1
        g, h, gradient, slope = problem.derivatives(scores)
        flat = gradient_tol is None or _steepest(gradient + l2 * coef, slope) <= gradient_tol
        if l1 > 0.0 and damping == 0.0 and h.min() <= 1e-8 * h.max():
            damping = 1e-3
        # The inner problem is solved no better than the outer progress deserves; only a sharp one may end the loop.
        sharpest = 1e-3 * min(tol, 1e-6) * max(objective, 1e-10 * scale)
        problem.inner_tol = max(sharpest, min(1e-6 * objective, 1e-4 * decrease))
        accepted = False
        for _ in range(12):
            move, move_b = problem.step(coef, g, h, gradient, slope, damping)
            direction = design.scores(move) + move_b
            target = coef + move
            # The decrease that the model promises, to first order (half of it with the curvature).
            promised = -(
                gradient @ move + slope * move_b + l2 * (coef @ move) + l1 * (np.abs(target).sum() - np.abs(coef).sum())
            )
            if np.isfinite(promised) and promised >= 0.0 and np.all(np.isfinite(direction)):
                accepted, t, new_loss, new_objective = _line_search(
                    problem, coef, move, scores, direction, objective, promised, 4 * _EPS * scale
                )
                if accepted:
                    break
            damping = max(10.0 * damping, 1e-6)
        decrease = 0.5 * promised
        if not accepted:
            # Nothing left to gain at this precision, or no direction helps.
            status = OK if decrease <= 1e-9 * max(abs(objective), scale) else DIVERGED
            break
        coef, b = coef + t * move, b + t * move_b
        scores = scores + t * direction
        loss, objective = new_loss, new_objective
        if t == 1.0 and damping > 1e-9:
            damping *= 0.1
        # The second test is rounding: a gradient that cannot fall below `gradient_tol` must not keep the loop alive.
        if t == 1.0 and (
            (flat and decrease <= tol * max(objective, 1e-10 * scale) and (l1 == 0.0 or problem.inner_tol == sharpest))
            or (l1 == 0.0 and decrease <= 1e-17 * max(objective, 1e-6 * scale))
        ):
            status = OK
            break
    if status == MAX_ITER and gradient_tol is not None:
        _, _, gradient, slope = problem.derivatives(scores)
        if _steepest(gradient + l2 * coef, slope) <= gradient_tol:
            status = OK
    return Solution(coef, float(b), float(objective), float(decrease), n_iter, status, problem.system.rank,
                    problem.system.aliased)  # fmt: skip


def _steepest(gradient, slope):
    return max(np.abs(gradient).max(initial=0.0), abs(slope))


def _line_search(problem, coef, move, scores, direction, objective, promised, slack):
    """Halve the step until the objective falls by a fair share of what was promised."""
    t = 1.0
    for _ in range(40):
        loss = problem.loss_at(scores + t * direction)
        new = loss + problem.penalty(coef + t * move)
        if new <= objective - 1e-4 * t * promised + slack:
            return True, t, loss, new
        t *= 0.5
    return False, 0.0, None, objective


# ------------------------------------------------------------------------------------------ piecewise linear losses


class _Program:
    """The quadratic program of a piecewise linear loss: hinges max(0, a - e) with a affine in (w, b).

    Rows of the data come first (`k` stacked copies, one for each knot of the loss), then, with an L1 penalty, one row
    for each coefficient: l1 abs(w) = -l1 w + 2 l1 max(0, w). With v the dual variable of a hinge (0 <= v <= height),
    ``u = low + sum v`` is minus the slope of the loss, and optimality says X'u = l2 w + q, 1'u = 0, q = -l1 + v.
    """

    def __init__(self, design, loss, weights, l1, l2, intercept, offset):
        self.design, self.l1, self.l2, self.intercept = design, l1, l2, intercept
        pieces = loss.pieces()
        self.centre = pieces.centre - offset
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
            S, self.mean, self.total = design.cross_products(D, intercept)
            S[np.diag_indices_from(S)] += E
            self.scale = np.sqrt(np.maximum(np.diag(S), 1e-300))
            C = S / np.outer(self.scale, self.scale)
            jitter = 1e-15
            while True:
                C[np.diag_indices_from(C)] += jitter
                self.factor, info = linalg.lapack.dpotrf(C, lower=True, clean=False)
                if info == 0:
                    break
                jitter *= 100.0
        else:
            # Fewer rows than columns: with q = D (X x + b) the system is (1/D + X X'/E) q = X rhs/E + b, 1'q = rhs_b.
            self.E = E
            K = outer(1.0 / E)
            K[np.diag_indices_from(K)] += 1.0 / D
            self.factor = linalg.cholesky(K, lower=True, overwrite_a=True, check_finite=False)
            self.ones = linalg.cho_solve((self.factor, True), np.ones(design.n), check_finite=False)

    def solve(self, rhs, rhs_b):
        if not self.narrow:
            q = linalg.cho_solve((self.factor, True), self.design.scores(rhs / self.E), check_finite=False)
            b = (rhs_b - q.sum()) / self.ones.sum() if self.intercept else 0.0
            q += b * self.ones
            return (rhs - self.design.project(q)) / self.E, b, q
        if self.intercept:
            rhs = rhs - rhs_b * self.mean
        x = linalg.cho_solve((self.factor, True), rhs / self.scale, check_finite=False) / self.scale
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
        """The longest step in [0, 1] that keeps v, w, xi and s positive."""
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


def _interior_point(design, loss, weights, l1, l2, intercept, offset, tol, max_iter):
    """Mehrotra's predictor-corrector method on `_Program`."""
    program = _Program(design, loss, weights, l1, l2, intercept, offset)
    n, p = design.n, design.p
    wide = p > n and (l1 > 0 or l2 > 0)
    size = 8.0 * (n if wide else p) ** 2
    if size > 8e9:
        raise MemoryError(
            f"A piecewise linear loss needs a dense matrix of {size / 1e9:.0f} GB for {n} rows and {p} columns. "
            "Choose a smooth loss (squared_hinge, huber), or fewer columns."
        )
    outer = _outer_product(design) if wide else None
    b = weighted_quantile(program.centre, weights, 0.5) if intercept else 0.0
    coef, residual = np.zeros(p), program.centre - b
    null = objective = program.value(residual, coef)
    a = program.arguments(residual, coef)
    spread = max(float(np.mean(np.abs(a))), 1e-3 * float(np.abs(a).max(initial=0.0)), 1e-12)
    half = 0.5 * program.heights
    at = _Iterate(coef, b, residual, half, half, np.maximum(a, 0.0) + spread, np.maximum(-a, 0.0) + spread)
    # The largest value that each side of the optimality conditions can take, to measure their violation by.
    slopes = np.abs(program.low) + program.per_row(program.heights)
    dual_scale = max((abs(design.X).T @ slopes).max(initial=0.0), 1e-300)
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
        if not t > 1e-8:  # rounding has the last word (t may be NaN)
            break
        at = at.moved(step, t)
        objective = program.value(at.residual, at.coef)
        if objective <= best[0]:
            best = (objective, at.coef, at.intercept)
    if status != OK and gap <= 1e-6 * max(abs(best[0]), 1e-6 * abs(null)):
        status = OK  # rounding ended the path a little before `tol`
    objective, coef, b = _crossover(program, at, spread, best, 1e-12 * max(abs(best[0]), 1e-6 * abs(null)))
    return Solution(coef, float(b), float(objective), float(gap), n_iter, status)


def _longest(*pairs):
    """The longest step in [0, 1] that keeps every vector positive."""
    step = 1.0
    for x, dx in pairs:
        ratio = np.max(-dx / x, initial=0.0)
        if ratio > 0:
            step = min(step, 1.0 / ratio)
    return step


def _crossover(program, at, spread, best, slack):
    """Solve for the point on the face that the interior iterates approach: exact zeros, exact knots.

    Hinges strictly between their slopes hold with equality (a = e); zero coefficients are those of the L1 hinges among
    them. The result is taken only if the objective does not get worse by more than `slack`.
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
