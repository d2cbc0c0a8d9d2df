"""Solvers of linear machines: Newton's method, interior points, or dual coordinate descent, as the data suggest."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from statlearn._core import native
from statlearn._core.loss_penalty.design_matrix import DesignMatrix
from statlearn._core.loss_penalty.minimise import minimise
from statlearn._core.losses import EpsilonInsensitive, Hinge, SquaredEpsilonInsensitive, SquaredHinge
from statlearn._core.sparse_arrays import canonical, compressed_arrays
from statlearn._core.validation import require_finite

_SQUARED = ("squared_hinge", "squared_epsilon_insensitive")
_LOSSES = {
    "hinge": lambda y, _: Hinge(y),
    "squared_hinge": lambda y, _: SquaredHinge(y),
    "epsilon_insensitive": EpsilonInsensitive,
    "squared_epsilon_insensitive": SquaredEpsilonInsensitive,
}
_MOST_COLUMNS = 1000  # of a Hessian; empirical


@dataclass
class LinearProblem:
    """Rows, targets (labels +-1 or numbers) of one or several machines, and the form of the machine."""

    X: object
    targets: np.ndarray  # (machines, n)
    prices: np.ndarray  # (machines, n): C times weights
    loss: str
    penalty: str = "l2"
    epsilon: float = 0.0
    intercept: str = "none"  # "none", "penalised" or "free"
    intercept_scaling: float = 1.0


def choose_algorithm(problem, dual):
    """ "newton", "truncated", "interior", "coordinates" or "proximal" for the problem and the parameter `dual`."""
    n, p = problem.X.shape
    if problem.penalty == "l1":
        return "proximal"
    squared, dense = problem.loss in _SQUARED, not sparse.issparse(problem.X)
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
        return _by_coordinates(problem, tol, max_iter, random_state)
    results = []
    for y, price in zip(problem.targets, problem.prices):
        if algorithm in ("newton", "truncated"):
            results.append(_by_newton(problem, y, price, tol, max_iter, algorithm == "truncated"))
        else:
            results.append(_by_loss_and_penalty(problem, y, price, tol, max_iter))
    coef, intercept, n_iter, rest, status = zip(*results)
    return np.array(coef), np.array(intercept), max(n_iter), max(rest), max(status)


def _by_newton(problem, y, price, tol, max_iter, truncated):
    X, kernel = problem.X, native.svm.squared_newton_fit
    if sparse.issparse(X) and X.nnz:
        arrays, kernel = compressed_arrays(canonical(X)), native.svm.truncated_newton_fit_csr
    else:
        arrays = (X.toarray() if sparse.issparse(X) else np.ascontiguousarray(X),)
        if truncated:
            kernel = native.svm.truncated_newton_fit
    w = np.zeros(X.shape[1] + 1)
    scale = 0.0 if problem.intercept == "none" else problem.intercept_scaling
    n_iter, objective, decrease, status = kernel(
        *arrays, np.ascontiguousarray(y), np.ascontiguousarray(price), problem.loss != "squared_hinge",
        float(problem.epsilon),
        float(scale), problem.intercept == "free", 1e-4 * tol, max_iter, w,
    )  # fmt: skip
    require_finite(w, remedy="Scale the columns, or choose a smaller `intercept_scaling`.")
    return w[:-1], scale * w[-1], n_iter, decrease / max(objective, 1e-300), status


def _by_loss_and_penalty(problem, y, price, tol, max_iter):
    """The general solver of loss plus penalty: interior points for the plain losses, (proximal) Newton otherwise."""
    X = problem.X
    penalised = problem.intercept == "penalised"
    if penalised:
        constant = np.full((X.shape[0], 1), float(problem.intercept_scaling), dtype=X.dtype)
        X = (
            sparse.hstack([X, sparse.csr_array(constant)], format="csr")
            if sparse.issparse(X)
            else np.hstack([X, constant])
        )
    total = float(price.sum())
    penalty = {"l1": 1.0 / total} if problem.penalty == "l1" else {"l2": 1.0 / total}
    found = minimise(
        DesignMatrix(X), _LOSSES[problem.loss](y, problem.epsilon), price / total,
        intercept=problem.intercept == "free",
        tol=min(1e-8, 1e-4 * tol), max_iter=max_iter, **penalty,
    )  # fmt: skip
    rest = found.gap / max(abs(found.objective), 1e-300)
    require_finite(found.coef, remedy="Scale the columns, or choose a smaller `intercept_scaling`.")
    if penalised:
        return found.coef[:-1], problem.intercept_scaling * found.coef[-1], found.n_iter, rest, found.status
    return found.coef, found.intercept, found.n_iter, rest, found.status


def _by_coordinates(problem, tol, max_iter, random_state):
    X, y, price = problem.X, problem.targets, problem.prices
    if problem.loss in _SQUARED:
        ridge, most = 0.5 / price, np.full_like(price, np.inf)
    else:
        ridge, most = np.zeros_like(price), price
    if "hinge" in problem.loss:
        lower, upper = np.where(y > 0, 0.0, -most), np.where(y > 0, most, 0.0)
    else:
        lower, upper = -most, most
    machines, n = y.shape
    a, W, b = np.zeros((machines, n)), np.zeros((machines, X.shape[1])), np.zeros(machines)
    scale = float(problem.intercept_scaling) if problem.intercept == "penalised" else 0.0
    arguments = (
        y, lower, upper, ridge, float(problem.epsilon), scale, problem.intercept == "free", float(tol), max_iter,
        _seed(random_state), a, W, b,
    )  # fmt: skip
    if sparse.issparse(X) and X.nnz:
        infos = native.svm.linear_dual_fit_csr(*compressed_arrays(canonical(X)), *arguments)
    else:
        X = X.toarray() if sparse.issparse(X) else np.ascontiguousarray(X)
        infos = native.svm.linear_dual_fit(X, *arguments)
    require_finite(W, b, remedy="Scale the columns, or choose a smaller `intercept_scaling`.")
    n_iter, rest, status = zip(*infos)
    return W, b, max(n_iter), max(rest), max(status)


def solve_crammer_singer(X, codes, n_classes, prices, scale, *, tol, max_iter, random_state):
    """Coefficients and intercepts of the joint multi-class machine, with iterations, violation and status."""
    W = np.zeros((n_classes, X.shape[1] + 1))
    arguments = (codes.astype(np.int32), n_classes, prices, float(scale), float(tol), max_iter, _seed(random_state), W)
    if sparse.issparse(X) and X.nnz:
        n_iter, rest, status = native.svm.crammer_singer_fit_csr(*compressed_arrays(canonical(X)), *arguments)
    else:
        X = X.toarray() if sparse.issparse(X) else np.ascontiguousarray(X)
        n_iter, rest, status = native.svm.crammer_singer_fit(X, *arguments)
    return W[:, :-1].copy(), scale * W[:, -1], n_iter, rest, status


def _seed(random_state):
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
