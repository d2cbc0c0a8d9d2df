"""Solvers of linear machines: Newton's method, interior points, or dual coordinate descent, as the data suggest."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from statlearn._core.validation import require_finite
from statlearn._core.warnings import MAX_ITER, OK
from statlearn._math.linalg.sparse_arrays import canonical, to_dense, with_column
from statlearn._math.losses.scores import EpsilonInsensitive, Hinge, SquaredEpsilonInsensitive, SquaredHinge
from statlearn._math.penalties.elastic_net import ElasticNetPenalty
from statlearn._math.rows.rows import Rows
from statlearn._math.solvers.minimise import minimise
from statlearn.svm._augmented_lagrangian import PlainDual, solve_augmented

_SQUARED = ("squared_hinge", "squared_epsilon_insensitive")
_LOSSES = {
    "hinge": lambda y, _: Hinge(y),
    "squared_hinge": lambda y, _: SquaredHinge(y),
    "epsilon_insensitive": EpsilonInsensitive,
    "squared_epsilon_insensitive": SquaredEpsilonInsensitive,
}
# Empirical, all of them.
_MOST_COLUMNS = 1000  # of a Hessian
_MOST_CELLS = 20_000_000  # of a sparse table that interior points take as a dense one
_PASSES = 500  # of coordinate descent before another algorithm takes over
_GAP = 10  # times tol: relative duality gap with which coordinate descent may end
_PATIENCE = 40  # Newton steps at the full price before the path
_PATH_TOL = 1e-3  # relative, of the solutions before the last


@dataclass
class MachineProblem:
    """Rows, targets (labels +-1 or numbers) of one or several machines, and the form of the machine."""

    X: object
    targets: np.ndarray  # (machines, n)
    prices: np.ndarray  # (machines, n): C times weights
    loss: str
    penalty: str = "l2"
    epsilon: float = 0.0
    intercept: str = "none"  # "none", "penalised" or "free"
    intercept_scaling: float = 1.0

    @cached_property
    def rows(self):
        return kernel_rows(self.X)


def kernel_rows(X):
    """The table in the form that the kernels read by rows; they take a sparse one without entries as a dense one."""
    return Rows(canonical(X) if sparse.issparse(X) and X.nnz else np.ascontiguousarray(to_dense(X)))


def choose_algorithm(problem, dual):
    """ "newton", "truncated", "interior", "coordinates" or "proximal" for the problem and the parameter `dual`."""
    n, p = problem.X.shape
    if problem.penalty == "l1":
        return "proximal"
    squared, dense = problem.loss in _SQUARED, not problem.rows.sparse
    small = dense and p <= _MOST_COLUMNS
    if dual is True or not (squared or small):
        return "coordinates"
    if not squared:
        return "interior"
    # Many columns separate the classes, and then the dual has few multipliers that are not 0.
    if dual == "auto" and (n < p or (dense and not small)):
        return "coordinates"
    return "newton" if small else "truncated"


def solve_linear(problem, dual, *, tol, max_iter, random_state):
    """Coefficients of shape (machines, p), intercepts, number of iterations, remaining violation and status."""
    algorithm = choose_algorithm(problem, dual)
    if algorithm == "coordinates":
        other = _instead_of_coordinates(problem) if dual == "auto" else None
        passes = max_iter if other is None else min(max_iter, _PASSES)
        solution, a = _by_coordinates(problem, tol, passes, random_state, close_gap=dual == "auto")
        if other is None or solution[-1] != MAX_ITER or solution[2] >= max_iter:
            return solution
        if other == "augmented":
            return _from_multipliers(problem, a, solution, tol, max_iter)
        algorithm = other
    solvers = {"newton": _by_newton, "truncated": _by_newton}
    solver = solvers.get(algorithm, _by_loss_and_penalty)
    results = [solver(problem, y, price, tol, max_iter) for y, price in zip(problem.targets, problem.prices)]
    coef, intercept, n_iter, rest, status = zip(*results)
    return np.array(coef), np.array(intercept), max(n_iter), max(rest), max(status)


def _instead_of_coordinates(problem):
    """Algorithm that replaces coordinate descent if it would be slow, as with a large C, or None."""
    if problem.loss in _SQUARED:
        return "truncated"
    n, p = problem.X.shape
    return "interior" if p <= _MOST_COLUMNS and n * p <= _MOST_CELLS else "augmented"


def _by_newton(problem, y, price, tol, max_iter):
    """Newton's method, along a path of increasing prices if it takes many steps at the full price.

    With a large price and classes that can be separated, few rows have a loss near the solution, many at the start,
    and a step changes few of them. The solution of a tenth of the price is a start from where few have to change.
    """
    run, scale = _newton_steps(problem, y)
    w, done = np.zeros(problem.X.shape[1] + 1), 0
    n_iter, objective, decrease, status = run(price, 1e-4 * tol, min(max_iter, _PATIENCE), w)
    if status == MAX_ITER and max_iter > _PATIENCE:
        w[:] = 0.0
        for factor in _rising_factors(problem.rows, price):
            done += n_iter
            left = max(1, max_iter - done)
            goal = 1e-4 * tol if factor == 1.0 else _PATH_TOL
            n_iter, objective, decrease, status = run(factor * price, goal, left, w)
            if status not in (OK, MAX_ITER):
                break
    require_finite(w, remedy="Scale the columns, or choose a smaller `intercept_scaling`.")
    return w[:-1], scale * w[-1], done + n_iter, decrease / max(objective, 1e-300), status


def _rising_factors(rows, price):
    """Factors of the price up to 1, from where the curvature of the rows equals that of the penalty."""
    first = max(float(price.mean() * rows.squares().sum() / rows.n), 1.0)
    return 10.0 ** -np.arange(np.floor(np.log10(first)), -1.0, -1.0)


def _newton_steps(problem, y):
    """Native steps as a function of prices, tolerance, number of steps and start; and the constant."""
    rows = problem.rows
    name = "truncated_newton_fit" if rows.sparse or rows.p > _MOST_COLUMNS else "squared_newton_fit"
    kernel = rows.kernel(name, by="rows", family="svm", width=False)
    y, regression = np.ascontiguousarray(y), problem.loss != "squared_hinge"
    scale = 0.0 if problem.intercept == "none" else float(problem.intercept_scaling)

    def run(price, tol, max_iter, w):
        return kernel(
            y, np.ascontiguousarray(price), regression, float(problem.epsilon), scale,
            problem.intercept == "free", tol, max_iter, w,
        )  # fmt: skip

    return run, scale


def _by_loss_and_penalty(problem, y, price, tol, max_iter):
    """The general solver of loss plus penalty: interior points for the plain losses, (proximal) Newton otherwise."""
    X = problem.X
    if problem.penalty == "l2":
        X = to_dense(X)  # a small one, see `_instead_of_coordinates`: the Hessian is dense anyhow
    penalised = problem.intercept == "penalised"
    if penalised:
        X = with_column(X, float(problem.intercept_scaling))
    total = float(price.sum())
    penalty = ElasticNetPenalty(**{problem.penalty: 1.0 / total})
    solution = minimise(
        Rows.double(X),
        _LOSSES[problem.loss](y, problem.epsilon),
        penalty,
        price / total,
        intercept=problem.intercept == "free",
        tol=min(1e-8, 1e-4 * tol),
        max_iter=max_iter,
    )
    rest = solution.gap / max(abs(solution.objective), 1e-300)
    require_finite(solution.coef, remedy="Scale the columns, or choose a smaller `intercept_scaling`.")
    if penalised:
        return solution.coef[:-1], problem.intercept_scaling * solution.coef[-1], solution.n_iter, rest, solution.status
    return solution.coef, solution.intercept, solution.n_iter, rest, solution.status


def _by_coordinates(problem, tol, max_iter, random_state, *, close_gap):
    """Results of `solve_linear`, and the multipliers.

    The passes stop by the gradients, which C multiplies in the objective. To close the gap, they continue with a
    smaller tolerance until the duality gap is small too.
    """
    X, y, price = problem.X, problem.targets, problem.prices
    ridge = 0.5 / price if problem.loss in _SQUARED else np.zeros_like(price)
    lower, upper = _bounds(problem)
    machines, n = y.shape
    a, W, b = np.zeros((machines, n)), np.zeros((machines, X.shape[1])), np.zeros(machines)
    scale = float(problem.intercept_scaling) if problem.intercept == "penalised" else 0.0
    kernel = problem.rows.kernel("linear_dual_fit", by="rows", family="svm", width=False)
    free, seed, own_tol, done = problem.intercept == "free", _seed(random_state), float(tol), 0
    while True:
        infos = kernel(
            y, lower, upper, ridge, float(problem.epsilon), scale, free, own_tol, max_iter - done, seed,
            a, W, b,
        )  # fmt: skip
        require_finite(W, b, remedy="Scale the columns, or choose a smaller `intercept_scaling`.")
        n_iter, rest, status = zip(*infos)
        done += max(n_iter)
        if max(status) != OK or not close_gap or own_tol < 1e-9 or _gap(problem, a, W, b) <= _GAP * tol:
            break
        if done >= max_iter:
            status = (MAX_ITER,)
            break
        own_tol *= 0.1
    return (W, b, done, max(rest), max(status)), a


def _bounds(problem):
    """Lower and upper bounds of the multipliers of the rows."""
    limit = np.full_like(problem.prices, np.inf) if problem.loss in _SQUARED else problem.prices
    if "hinge" in problem.loss:
        return np.where(problem.targets > 0, 0.0, -limit), np.where(problem.targets > 0, limit, 0.0)
    return -limit, limit


def _gap(problem, a, coef, intercept):
    """Largest relative duality gap of the machines at given multipliers and the resulting weights."""
    squared = problem.loss in _SQUARED
    worst = 0.0
    for y, price, multipliers, w, b in zip(problem.targets, problem.prices, a, coef, intercept):
        rest = y - (problem.X @ w + b)
        size = np.abs(rest) if "epsilon" in problem.loss else np.maximum(y * rest, 0.0)
        size = np.maximum(size - problem.epsilon, 0.0)
        losses = price * (size**2 if squared else size)
        conjugate = problem.epsilon * np.abs(multipliers) + (multipliers**2 / (4.0 * price) if squared else 0.0)
        v = b / problem.intercept_scaling if problem.intercept == "penalised" else 0.0
        objective = 0.5 * (w @ w + v * v) + losses.sum()
        worst = max(worst, float(np.sum(losses - rest * multipliers + conjugate) / max(objective, 1e-300)))
    return worst


def _from_multipliers(problem, a, solution, tol, max_iter):
    """Solve problems with plain losses to the end, starting from the result of coordinate descent."""
    _, b, passes, _, _ = solution
    scale = float(problem.intercept_scaling) if problem.intercept == "penalised" else 0.0
    free = problem.intercept == "free"
    results = [
        solve_augmented(
            problem.X, PlainDual(y, lower, upper, float(problem.epsilon), scale, free), start, at,
            tol=1e-4 * tol, max_iter=max_iter - passes,
        )
        for y, lower, upper, start, at in zip(problem.targets, *_bounds(problem), a, b)
    ]  # fmt: skip
    coef, intercept, n_iter, rest, status = zip(*results)
    coef, intercept = np.array(coef), np.array(intercept)
    require_finite(coef, intercept, remedy="Scale the columns, or choose a smaller `intercept_scaling`.")
    return coef, intercept, passes + max(n_iter), max(rest), max(status)


def solve_crammer_singer(X, codes, n_classes, prices, scale, *, tol, max_iter, random_state):
    """Coefficients and intercepts of the joint multi-class machine, with iterations, violation and status."""
    W = np.zeros((n_classes, X.shape[1] + 1))
    arguments = (codes.astype(np.int32), n_classes, prices, float(scale), float(tol), max_iter, _seed(random_state), W)
    fit = kernel_rows(X).kernel("crammer_singer_fit", by="rows", family="svm", width=False)
    n_iter, rest, status = fit(*arguments)
    return W[:, :-1].copy(), scale * W[:, -1], n_iter, rest, status


def _seed(random_state):
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
