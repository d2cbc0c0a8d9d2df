"""Solvers of the ridge problem: cross-products, dual, SVD, conjugate gradients, and non-negative slopes."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from statlearn._core.validation import effective_rows
from statlearn._core.warnings import warn
from statlearn._math.linalg.nonnegative import nonnegative_quadratic
from statlearn._math.linalg.positive import cholesky
from statlearn._math.rows.rows import Rows

from ._spectrum import SAFE_RCOND, RidgeProducts, decompose

SOLVERS = ("auto", "svd", "cholesky", "dual", "lsqr", "sparse_cg", "sag", "saga", "lbfgs")
ITERATIVE = ("lsqr", "sparse_cg", "sag", "saga")
# Up to this many columns a sparse cross-product matrix is formed and factorised; beyond, conjugate gradients.
SPARSE_EXACT = 1000
# Up to this many columns the non-negative fit pivots on the cross-product matrix; beyond, L-BFGS-B.
POSITIVE_EXACT = 2000


@dataclass
class RidgeSolution:
    """Coefficients (m, p), intercepts (m,), dual variables (n, m) or None, iterations per target or None, solver."""

    coef: np.ndarray
    intercept: np.ndarray
    dual: np.ndarray | None
    n_iter: np.ndarray | None
    solver: str


class _IllConditioned(Exception):
    """Error for a Cholesky factor that does not exist or is too inaccurate."""


def _factorise(S, penalty):
    """The scaled Cholesky factor of S + penalty I."""
    M = S.copy()
    M[np.diag_indices_from(M)] += penalty
    factor = cholesky(M)
    if factor is None or factor.rcond < SAFE_RCOND:
        raise _IllConditioned
    return factor


def _solve_symmetric(S, B, penalties):
    """(S + penalty_t I)^-1 B_t for every target t, with one factorisation per distinct penalty."""
    result = np.empty_like(B)
    for penalty in np.unique(penalties):
        targets = penalties == penalty
        result[:, targets] = _factorise(S, penalty).solve(B[:, targets])
    return result


def _dot(design, W):
    """diag(root) A W."""
    return design.rooted(design.scores(W))


def _transposed_dot(design, R):
    """A' diag(root) R."""
    return design.project(design.rooted(R))


def _dual_variables(design, B, coef, penalties):
    """Dual variables of a primal solution: the weighted residuals over lambda.

    At lambda = 0 that limit is undefined, and the vector of smallest norm with X' dual = w is returned instead.
    """
    W = coef.T
    R = B - _dot(design, W)
    dual = np.empty_like(R)
    penalised = penalties > 0
    dual[:, penalised] = R[:, penalised] / penalties[penalised]
    if not penalised.all():
        spectrum, *_ = decompose(design.X, np.zeros((design.shape[0], 1)), design.weights,
                                 fit_intercept=design.mean is not None)  # fmt: skip
        V = spectrum.vectors
        dual[:, ~penalised] = _dot(design, V @ ((V.T @ W[:, ~penalised]) / spectrum.values[:, None]))
    return design.rooted(dual)


def _dual_by_svd(spectrum, B, penalties, full_rank):
    """(A A' + lambda I)^-1 b from the left singular vectors; what they do not span is divided by lambda."""
    dual = spectrum.left @ (spectrum.scores / (spectrum.values[:, None] + penalties))
    if len(spectrum.values) < full_rank:
        beyond = B - spectrum.left @ spectrum.scores
        dual += beyond * np.divide(1.0, penalties, where=penalties > 0, out=np.zeros_like(penalties))
    return dual


def conjugate_gradients(design, B, penalties, tol, max_iter):
    """Minimises |b - A w|² + lambda |w|² for all targets at once by conjugate gradients on the least-squares form.

    Works with A and A' only, never with A'A, so that the condition number is not squared in rounding. Columns are
    scaled to a common length where that cannot move the solution (more rows than columns, a penalty that matters).
    Stops when the norm of the gradient is at most `tol` times its initial value, or at the level of rounding.

    Returns
    -------
    W : ndarray of shape (p, m)
    R : ndarray of shape (n, m)
        Residuals b - A w.
    n_iter : ndarray of shape (m,)
    converged : bool
    """
    n, p = design.shape
    m = B.shape[1]
    norms = design.squares()
    scalable = n > p and penalties.min() > 1e-10 * norms.max(initial=0.0)
    scale = 1.0 / np.sqrt(norms[:, None] + penalties) if scalable else np.ones((p, 1))
    rounding = 4.0 * np.finfo(float).eps * np.sqrt(np.sum(norms[:, None] * scale**2, axis=0))

    W, R = np.zeros((p, m)), B.copy()
    S = scale * _transposed_dot(design, R)
    direction = S.copy()
    gamma = np.sum(S**2, axis=0)
    goal = tol * np.sqrt(gamma)
    n_iter = np.zeros(m, dtype=int)
    active = np.sqrt(gamma) > rounding * np.sqrt(np.sum(R**2, axis=0))
    for _ in range(max_iter):
        if not active.any():
            break
        step_w = scale * direction
        step_r = _dot(design, step_w)
        curvature = np.sum(step_r**2, axis=0) + penalties * np.sum(step_w**2, axis=0)
        length = np.where(active, gamma / np.where(curvature > 0, curvature, 1.0), 0.0)
        W += length * step_w
        R -= length * step_r
        n_iter += active
        S = scale * (_transposed_dot(design, R) - penalties * W)
        gamma_new = np.sum(S**2, axis=0)
        level = rounding * np.sqrt(np.sum(R**2, axis=0) + penalties * np.sum(W**2, axis=0))
        active &= (np.sqrt(gamma_new) > np.maximum(goal, level)) & (curvature > 0)
        direction = S + np.where(gamma > 0, gamma_new / np.where(gamma > 0, gamma, 1.0), 0.0) * direction
        gamma = gamma_new
    return W, R, n_iter, not active.any()


def _solve_positive(design, B, penalties, solver, tol, max_iter, n_free):
    """Non-negative ridge; the coefficients of the last `n_free` columns (a penalised intercept) are unconstrained."""
    p = design.shape[1]
    free = np.zeros(p, dtype=bool)
    free[p - n_free :] = True
    coef = np.empty((B.shape[1], p))
    n_iter = np.zeros(B.shape[1], dtype=int)
    if solver == "auto" and p <= POSITIVE_EXACT:
        A = design.dense()
        S, Sxy = A.T @ A, A.T @ B
        for t, penalty in enumerate(penalties):
            # A floor at rounding level makes the pivots unique for collinear columns at lambda = 0.
            ridge = max(penalty, 1e-12 * np.trace(S) / p)
            coef[t], done = nonnegative_quadratic(S + ridge * np.eye(p), Sxy[:, t], free)
            if done:
                continue
            solver = "lbfgs"
        if solver == "auto":
            return coef, None, "cholesky"
    from scipy.optimize import minimize

    bounds = [(None, None) if f else (0.0, None) for f in free]
    for t, penalty in enumerate(penalties):
        b = B[:, [t]]

        def objective(w, b=b, penalty=penalty):
            R = b - _dot(design, w[:, None])
            gradient = penalty * w - _transposed_dot(design, R)[:, 0]
            return 0.5 * (np.sum(R**2) + penalty * (w @ w)), gradient

        options = {"maxiter": 15000 if max_iter is None else max_iter, "ftol": np.finfo(float).eps, "maxcor": 20}
        solution = minimize(objective, np.zeros(p), jac=True, method="L-BFGS-B", bounds=bounds, tol=tol, options={
            **options, "gtol": tol, "ftol": min(tol, 1e-10) * 1e-3})  # fmt: skip
        coef[t], n_iter[t] = solution.x, solution.nit
        if solution.status == 1:
            warn(
                f"The lbfgs solver did not converge after {solution.nit} iterations. Increase max_iter or tol.",
                ConvergenceWarning,
            )
    return coef, n_iter, "lbfgs"


def _choose_solver(solver, X, positive, n_rows):
    if positive or solver != "auto":
        return solver
    if sparse.issparse(X):
        return "cholesky" if X.shape[1] <= SPARSE_EXACT else "sparse_cg"
    return "dual" if X.shape[1] > n_rows else "cholesky"


def solve_ridge(
    X, Y, weights, penalties, *, fit_intercept=True, solver="auto", tol=1e-4, max_iter=None, positive=False, n_free=0
):
    """Ridge coefficients for targets Y (n, m) and penalties lambda (m,) of RSS + lambda |w|²."""
    n, p = X.shape
    solver = _choose_solver(solver, X, positive, effective_rows(n, weights))
    if solver == "cholesky" and not positive:
        products = RidgeProducts.of_rows(X, Y, weights, fit_intercept)
        try:
            coef = _solve_symmetric(products.S, products.Sxy, penalties).T
        except _IllConditioned:
            if sparse.issparse(X):
                coef = products.spectrum().coef(penalties)
            else:
                solver = "svd"
        if solver == "cholesky":
            x_mean, y_mean = products.x_mean, products.y_mean
            design = Rows(X, weights, mean=x_mean)
            dual = _dual_variables(design, design.rooted(Y - y_mean), coef, penalties)
            intercept = y_mean - coef @ x_mean if fit_intercept else y_mean
            return RidgeSolution(coef, intercept, dual, None, solver)

    if solver in (*ITERATIVE, "lbfgs") and not sparse.issparse(X):
        X = np.asarray(X, dtype=np.float64)  # once, not at every product
    design = Rows(X, weights, centre=fit_intercept)
    B, y_mean = design.targets(Y)
    dual = n_iter = None
    if positive:
        coef, n_iter, solver = _solve_positive(design, B, penalties, solver, tol, max_iter, n_free)
    elif solver == "dual":
        try:
            dual = _solve_symmetric(design.row_gram(), B, penalties)
            coef = _transposed_dot(design, dual).T
            dual = design.rooted(dual)
        except _IllConditioned:
            solver = "svd"
    elif solver in ITERATIVE:
        limit = 10 * max(100, min(n, p)) if max_iter is None else max_iter
        W, R, n_iter, converged = conjugate_gradients(design, B, penalties, tol, limit)
        coef = W.T
        if not converged:
            warn(
                f"Conjugate gradients (solver={solver!r}) did not converge after {n_iter.max()} iterations. Increase "
                "max_iter, raise tol, scale the features, or use an exact solver ('cholesky', 'svd', 'dual').",
                ConvergenceWarning,
            )
        penalised = np.where(penalties > 0, penalties, np.nan)
        dual = design.rooted(R / penalised)
        if not np.all(penalties > 0) and min(n, p) <= SPARSE_EXACT:
            dual = _dual_variables(design, B, coef, penalties)
    if solver == "svd":
        method = "eigen" if sparse.issparse(X) else "svd"
        spectrum, *_ = decompose(X, Y, weights, fit_intercept=fit_intercept, method=method)
        coef = spectrum.coef(penalties)
        if spectrum.left is None:
            dual = _dual_variables(design, B, coef, penalties)
        else:
            dual = design.rooted(_dual_by_svd(spectrum, B, penalties, n - fit_intercept))
    intercept = y_mean if design.mean is None else y_mean - coef @ design.mean
    return RidgeSolution(coef, intercept, dual, n_iter, solver)
