"""Plans of dual problems for the native solver, and what their solutions say."""

import time
from dataclasses import dataclass, replace

import numpy as np

from statlearn._core import native
from statlearn._core.blas import single_blas_thread
from statlearn._core.warnings import DIVERGED, INTERRUPTED, MAX_ITER, OK
from statlearn._math.solvers.solution import Solution
from statlearn.svm._qp import active_set

_WORKING_SET = 512
LARGEST_C = 1e12  # stands for an infinite price
_POLISHED_TOL = 1e-6  # below, steps are slow: the last digits come from the linear system of the free variables
_POLISHED_ROWS = 2000
_POLISHED_FREE = 500
_DOUBLE_ROWS = 1000  # up to here the kernel is in double precision, which costs nothing there

NOT_FINITE = "The dual coefficients or intercepts are not finite. X may contain large values; scale the columns."


@dataclass
class Dual:
    """One machine: min b'Kb/2 + linear'b with lower <= b <= upper and fixed sums of b within groups.

    `rows` are the table's rows that take part; `row_of` gives each variable's position among them.
    """

    rows: np.ndarray
    row_of: np.ndarray
    linear: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    start: np.ndarray
    group: np.ndarray | None = None


@dataclass(frozen=True, kw_only=True)
class StepSettings:
    """When the steps of the native solver end, and what they may use."""

    tol: float  # no pair of variables violates the optimality conditions by this or more
    max_iter: int  # of each machine; -1 for no limit
    cache_size: float  # megabytes for kernel rows
    shrinking: bool = True
    verbose: bool = False
    name: str = "SVM"
    keep_interrupted: bool = False  # return what has been reached on Ctrl-C instead of raising


@dataclass(kw_only=True)
class MultiplierSolution(Solution):
    """Signed multipliers b of the variables, and K b on the machine's rows; the gap is the largest violation."""

    b: np.ndarray
    score: np.ndarray

    def multipliers(self, dual):
        """Signed multipliers by row of the machine."""
        return np.bincount(dual.row_of, weights=self.b, minlength=dual.rows.size)

    def gradient(self, dual):
        """Derivative of the objective with respect to each variable."""
        return self.score[dual.row_of] + dual.linear

    def level(self, dual, group=None):
        """The multiplier of the sum constraint: mean gradient of the free variables, else the feasible mid-point."""
        g = self.gradient(dual)
        member = np.ones(g.size, dtype=bool) if group is None else dual.group == group
        below, above = self.b < dual.upper, self.b > dual.lower
        free = member & below & above
        if free.any():
            return float(g[free].mean())
        low, high = g[member & above & ~below], g[member & below & ~above]
        if low.size == 0 or high.size == 0:
            known = low.max() if low.size else high.min() if high.size else 0.0
            return float(known)
        return float(0.5 * (low.max() + high.min()))


def start_for_larger_bounds(dual, solution, ratio):
    """Start for the same problem with bounds `ratio` >= 1 times as large: the best multiple of the solution.

    The objective q r^2 / 2 + l r of r b is least at r = -l / q. Without multipliers at a bound, r is 1 and b remains
    optimal; with all of them there, r is `ratio`.
    """
    quadratic = float(solution.multipliers(dual) @ solution.score)
    linear = float(dual.linear @ solution.b)
    best = -linear / quadratic if quadratic > 0.0 else ratio
    return solution.b * min(max(best, 1.0), ratio)


class _Reporter:
    """Printer of the progress of the machines, at most twice a second each, and of their ends."""

    def __init__(self, name, count):
        self._name, self._count, self._last = name, count, {}

    def __call__(self, machine, steps, violation, objective, active):
        now = time.monotonic()
        if now - self._last.get(machine, -1.0) < 0.5:
            return
        self._last[machine] = now
        which = f" {machine + 1}/{self._count}" if self._count > 1 else ""
        print(
            f"[{self._name}{which}] steps {steps:,}  violation {violation:.3e}  objective {objective:.8g}  "
            f"active {active:,}",
            flush=True,
        )


def in_single_precision(table, tol):
    """Whether kernel values in single precision are accurate enough for the tolerance."""
    if table.n <= _DOUBLE_ROWS or tol < 1e-4:
        return False
    return (table.kind == "rbf" or table.X.dtype == np.float32) and table.fits_single


def solve(table, duals, settings):
    """Solve dual problems on one kernel table.

    Parameters
    ----------
    table : KernelTable
    duals : list of Dual
    settings : StepSettings

    Returns
    -------
    list of MultiplierSolution
    """
    if settings.tol >= _POLISHED_TOL:
        return _solve_steps(table, duals, settings)
    first = _solve_steps(table, duals, replace(settings, tol=_POLISHED_TOL))
    if stopped_early(first):
        return first
    solutions = [polish(table, dual, solution) for dual, solution in zip(duals, first)]
    if max(s.gap for s in solutions) < settings.tol:
        return solutions
    for dual, solution in zip(duals, solutions):
        dual.start = solution.b
    if settings.max_iter >= 0:
        settings = replace(settings, max_iter=max(0, settings.max_iter - max(s.n_iter for s in solutions)))
    last = _solve_steps(table, duals, settings)
    for before, after in zip(solutions, last):
        after.n_iter += before.n_iter
    return last


def solve_by_qp(table, dual, *, start=None, max_steps=None):
    """The solution of a dual problem by the dense active-set method, from its own start or a given one."""
    K = table.values(dual.rows, dual.rows)
    b, steps, converged = active_set(
        K[np.ix_(dual.row_of, dual.row_of)], dual.linear, dual.lower, dual.upper,
        dual.start if start is None else start, group=dual.group, max_steps=max_steps, tol=1e-11,
    )  # fmt: skip
    by_row = np.bincount(dual.row_of, weights=b, minlength=dual.rows.size)
    with single_blas_thread():
        score = K @ by_row
    status = OK if converged else MAX_ITER
    solution = MultiplierSolution(b=b, score=score, objective=0.0, gap=0.0, n_iter=steps, status=status)
    g = solution.gradient(dual)
    solution.gap = violation_of(dual, b, g)
    solution.objective = 0.5 * float(b @ (g + dual.linear))
    return solution


def polish(table, dual, solution):
    """The last digits of a solution from linear systems of its free variables, if the problem is small enough."""
    free = np.count_nonzero((solution.b > dual.lower) & (solution.b < dual.upper))
    if free == 0 or free > _POLISHED_FREE or dual.row_of.size > _POLISHED_ROWS:
        return solution
    better = solve_by_qp(table, dual, start=solution.b, max_steps=30)
    if not better.gap < solution.gap:
        return solution
    better.n_iter, better.status = solution.n_iter, solution.status
    return better


def violation_of(dual, b, g):
    """Largest g_j - g_i over pairs of a group in which j may fall and i may grow."""
    worst = 0.0
    for s in (None,) if dual.group is None else (0, 1):
        member = np.ones(b.size, dtype=bool) if s is None else dual.group == s
        fall, grow = g[member & (b > dual.lower)], g[member & (b < dual.upper)]
        if fall.size and grow.size:
            worst = max(worst, float(fall.max() - grow.min()))
    return worst


def _solve_steps(table, duals, settings):
    """Solution by steps alone, without a fallback."""
    single = in_single_precision(table, settings.tol)
    dtype = np.float32 if single else np.float64
    budget = float(settings.cache_size) * 2**20
    if table.kind is not None and len(duals) > 2 and table.n**2 * np.dtype(dtype).itemsize <= budget:
        table = table.as_matrix(dtype)  # the machines share one kernel matrix
        budget -= table.X.nbytes

    row_start = np.cumsum([0] + [d.rows.size for d in duals]).astype(np.int32)
    start = np.cumsum([0] + [d.row_of.size for d in duals]).astype(np.int32)

    def join(name, dtype):
        return np.concatenate([getattr(d, name) for d in duals]).astype(dtype)

    b, score = join("start", np.float64), np.zeros(row_start[-1])
    linear, lower, upper = join("linear", np.float64), join("lower", np.float64), join("upper", np.float64)
    group = np.empty(0, np.uint8) if duals[0].group is None else join("group", np.uint8)
    plan = native.svm.Plan(
        row_start, join("rows", np.int32), start, join("row_of", np.int32), linear, lower, upper, group, b, score,
        float(settings.tol), int(settings.max_iter), max(budget, 0.0), _WORKING_SET, bool(settings.shrinking),
        _Reporter(settings.name, len(duals)) if settings.verbose else None,
    )  # fmt: skip
    try:
        infos = table.solve(plan, single=single)
    except KeyboardInterrupt:
        if not settings.keep_interrupted:
            raise
        infos = [(0, 0, 0, np.inf, np.nan, INTERRUPTED)] * len(duals)
    if any(status == DIVERGED for *_, status in infos):
        raise ValueError(NOT_FINITE)
    solutions = []
    for k, (steps, _, _, violation, objective, status) in enumerate(infos):
        solutions.append(
            MultiplierSolution(
                b=b[start[k] : start[k + 1]],
                score=score[row_start[k] : row_start[k + 1]],
                objective=objective,
                gap=violation,
                n_iter=steps,
                status=status,
            )
        )
    return solutions


def stopped_early(solutions):
    """Whether a solver ended before the optimum."""
    return any(s.status in (MAX_ITER, INTERRUPTED) for s in solutions)


def classification_dual(rows, y, upper, start=None):
    """Soft margin: labels +-1 and the upper bound C_i of every multiplier."""
    return Dual(
        rows,
        np.arange(rows.size),
        -y,
        np.where(y > 0, 0.0, -upper),
        np.where(y > 0, upper, 0.0),
        np.zeros(rows.size) if start is None else start,
    )


def regression_dual(y, upper, epsilon, start=None):
    """Epsilon-insensitive regression: two variables a row, non-negative and non-positive."""
    n = y.size
    zeros = np.zeros(n)
    if start is None:
        start = np.zeros(2 * n)
    else:
        start = np.concatenate([np.maximum(start, 0.0), np.minimum(start, 0.0)])
    return Dual(
        np.arange(n),
        np.tile(np.arange(n), 2),
        np.concatenate([epsilon - y, -epsilon - y]),
        np.concatenate([zeros, -upper]),
        np.concatenate([upper, zeros]),
        start,
    )


def fill_in_order(total, upper):
    """Values between 0 and `upper` that sum to `total`, filled from the first on."""
    before = np.concatenate([[0.0], np.cumsum(upper)[:-1]])
    return np.clip(total - before, 0.0, upper)
