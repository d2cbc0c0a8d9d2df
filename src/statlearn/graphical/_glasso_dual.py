"""Projected Newton steps on the dual of the graphical lasso, for penalties too small for the other solvers.

The dual maximises log det V over the matrices with |V_ij - S_ij| <= L_ij. With fewer rows than columns and a small
penalty, nearly all entries of the solution K = V^-1 differ from zero, so that the primal solvers have thousands of
variables that depend on each other. Their dual counterparts lie on the edge of the box and cost nothing: only the
entries inside the box, where K is zero, are left to solve for.
"""

import copy

import numpy as np
from scipy import linalg
from scipy.sparse.linalg import LinearOperator, cg

from statlearn._core.warnings import MAX_ITER, OK
from statlearn._math.linalg.positive import cholesky
from statlearn._math.solvers.step import backtrack, rounding

_STAGE = 10.0  # factor between the penalties of the path
_STAGE_GAP = 0.05  # gap per column that ends the steps of a stage before the last
_AT_EDGE = 1e-3  # largest share of the penalty within which an entry counts as on the edge of the box
_DIRECT = 1500  # number of free entries up to which Newton steps are solved by factorisation
_CG_STEPS = 300  # of the conjugate gradients for more
_NOISE = 1e-6  # gain of the determinant per column that rounding errors can hide at the worst condition met here
_POLISH = 20  # steps beyond the requested gap


def factorise(A):
    """Lower Cholesky factor and log determinant; None and minus infinity if A is not positive definite."""
    factor, info = linalg.lapack.dpotrf(A, lower=1, clean=1)
    diagonal = np.diag(factor)
    if info != 0 or not np.isfinite(diagonal).all():
        return None, -np.inf
    return factor, 2.0 * float(np.log(diagonal).sum())


def invert(factor):
    """Inverse from the lower Cholesky factor, in full."""
    lower, _ = linalg.lapack.dpotri(factor, lower=1)
    return np.tril(lower) + np.tril(lower, -1).T


def dual_start(S, L):
    """A point of the dual box: S with its off-diagonal entries shrunk by one factor, as far as the penalties allow."""
    shrunk = min(1.0, _smallest_ratio(S, L))
    V = (1.0 - shrunk) * S
    np.fill_diagonal(V, np.diag(S) + np.diag(L))
    return V


def _smallest_ratio(S, L):
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(S != 0.0, L / np.abs(S), np.inf)
    np.fill_diagonal(ratio, np.inf)
    return float(ratio.min())


class _Box:
    """The pairs of columns that may move, and the dual point V."""

    def __init__(self, S, L, V, factor, log_det):
        self.S, self.L, self.V = S, L, V
        rows, columns = np.nonzero(np.triu(L, 1))
        self.pairs = rows, columns
        width, centre = L[rows, columns], S[rows, columns]
        self.low, self.high = centre - width, centre + width
        self.edge = np.where(np.isinf(width), 0.0, width)
        self._keep(V, factor, log_det)

    def _keep(self, V, factor, log_det):
        self.V, self.log_det = V, log_det
        self.K = invert(factor)
        self.k, self.x = self.K[self.pairs], V[self.pairs]
        diagonal = np.diag(self.K)
        self.curvature = diagonal[self.pairs[0]] * diagonal[self.pairs[1]] + self.k**2
        # Complementarity: an entry of K may differ from zero only at the edge that it points to. Entries with an
        # infinite penalty have no edge; their part is what a Newton step of their own would win.
        self.slack = np.where(self.k > 0.0, self.high - self.x, self.x - self.low)
        with np.errstate(invalid="ignore"):
            parts = np.where(np.isinf(self.slack), self.k**2 / self.curvature, np.abs(self.k) * self.slack)
        self.gap = 2.0 * float(parts.sum())

    def step(self):
        """Take one projected Newton step; returns whether it raised the determinant or lowered the gap."""
        # Bertsekas (1982): Newton on the free entries, a scaled gradient step on those at the edge.
        near = min(_AT_EDGE, 0.1 * self.gap / len(self.S))
        self.free = np.flatnonzero(self.slack > near * self.edge)
        move = self.k / self.curvature
        move[self.free] = self._newton_move()

        def point(t):
            return np.clip(self.x + t * move, self.low, self.high)

        def gain(t):  # to first order; each pair counts twice
            return 2.0 * float(np.dot(self.k, point(t) - self.x))

        def ahead(t):
            V = self.V.copy()
            V[self.pairs] = x = point(t)
            V.T[self.pairs] = x
            factor, log_det = factorise(V)
            return -log_det, (V, factor)

        def closer(t, new, state):
            # A gain below the rounding errors of the determinant is judged by the gap, which is a sum of products.
            V, factor = state
            if factor is None or gain(t) >= 2.0 * _NOISE * len(self.S):
                return False
            trial = copy.copy(self)
            trial._keep(V, factor, -new)
            return trial.gap < self.gap

        slack = rounding(self.log_det, len(self.S))
        step = backtrack(ahead, -self.log_det, lambda t: -gain(t), slack=slack, accept=closer)
        if step is None:
            return False
        before, gap = self.log_det, self.gap
        self._keep(*step.state, -step.value)
        return self.log_det > before or self.gap < gap

    def _newton_move(self):
        """Solve (K E K)_ij = K_ij for a symmetric E on the free pairs."""
        i, j = self.pairs[0][self.free], self.pairs[1][self.free]
        if len(i) <= _DIRECT:
            move = self._direct_move(i, j)
            if move is not None:
                return move
        E = np.zeros_like(self.K)

        def product(values):
            E[i, j] = E[j, i] = values
            return (self.K @ E @ self.K)[i, j]

        shape, curvature = (len(i), len(i)), self.curvature[self.free]
        operator = LinearOperator(shape, matvec=product, dtype=np.float64)
        scaled = LinearOperator(shape, matvec=lambda values: values / curvature, dtype=np.float64)
        accuracy = min(0.1, np.sqrt(self.gap / len(self.S)))
        return cg(operator, self.k[self.free], rtol=accuracy, maxiter=_CG_STEPS, M=scaled)[0]

    def _direct_move(self, i, j):
        """The Newton step by a Cholesky factor, or None if rounding errors make the matrix indefinite.

        The matrix has the square of the condition of K, so that conjugate gradients can end far from the solution.
        """
        H = self.K[np.ix_(i, i)] * self.K[np.ix_(j, j)] + self.K[np.ix_(i, j)] * self.K[np.ix_(j, i)]
        factor = cholesky(H)
        return None if factor is None else factor.solve(self.k[self.free])

    def sparse_precision(self):
        """K without the entries inside the box, its objective and its duality gap; infinite if it is indefinite."""
        K = self.K.copy()
        inside = self.slack > _AT_EDGE * self.edge
        K[self.pairs[0][inside], self.pairs[1][inside]] = 0.0
        K[self.pairs[1][inside], self.pairs[0][inside]] = 0.0
        factor, log_det = factorise(K)
        if factor is None:
            return K, None, np.inf, np.inf
        used = K != 0.0
        linear = float(np.sum(self.S[used] * K[used] + self.L[used] * np.abs(K[used])))
        return K, factor, linear - log_det, linear - log_det - self.log_det - len(K)


def dual_newton(S, L, tol, max_iter):
    """Minimise -log det K + tr(S K) + sum L |K| by projected Newton steps on the dual.

    The penalties fall to `L` in stages. A dual point of one stage, moved towards S in proportion, is feasible in the
    next; for small penalties it is also close to the optimum, because V - S becomes proportional to the penalty.

    Parameters
    ----------
    S, L : ndarray of shape (p, p)
        Covariance and penalties, both symmetric.
    tol : float
        Duality gap at which the steps end.
    max_iter : int
        Maximum number of steps of all stages together.

    Returns
    -------
    K, W : ndarray of shape (p, p)
        Precision and its inverse.
    objective, gap : float
    n_iter : int
    status : int
    steps : list of (objective, gap)

    None is returned instead of the tuple if no dual point was found to start from, or the sparse precision is not
    positive definite, as with penalties at the level of rounding errors.

    References
    ----------
    Bertsekas, D. (1982). Projected Newton methods for optimization problems with simple constraints. SIAM Journal on
    Control and Optimization 20, 221-246.
    """
    ratio = _smallest_ratio(S, L)
    scale = max(1.0, 0.5 / ratio) if ratio > 0.0 else 1.0
    V = dual_start(S, scale * L)
    factor, log_det = factorise(V)
    if factor is None:
        return None
    n_iter, steps = 0, []
    while scale > 1.0:
        box = _Box(S, scale * L, V, factor, log_det)
        n_iter += _climb(box, _STAGE_GAP * len(S), max_iter - n_iter, steps)
        smaller = max(scale / _STAGE, 1.0)
        V = S + (smaller / scale) * (box.V - S)
        factor, log_det = factorise(V)
        if factor is None:
            return None  # S is indefinite
        scale = smaller
    box = _Box(S, L, V, factor, log_det)
    n_iter += _climb(box, tol, max_iter - n_iter, steps)
    best = box.sparse_precision()
    # Entries that become zero may cost more than what the gap had left.
    for _ in range(min(_POLISH, max_iter - n_iter)):
        if best[3] <= tol or not box.step():
            break
        n_iter += 1
        steps.append((box.log_det + len(S) + box.gap, box.gap))
        best = min(best, box.sparse_precision(), key=lambda candidate: candidate[3])
    K, factor, objective, gap = best
    if factor is None:
        return None
    steps.append((objective, gap))
    return K, invert(factor), objective, gap, n_iter, OK if gap <= tol else MAX_ITER, steps


def _climb(box, enough, limit, steps):
    """Take steps until the gap is at most `enough`; returns their number."""
    for count in range(limit):
        if box.gap <= enough:
            return count
        going = box.step()
        steps.append((box.log_det + len(box.S) + box.gap, box.gap))
        if not going:
            return count + 1
    return limit
