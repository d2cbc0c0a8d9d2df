"""Minimisation of a logistic loss by the solver that suits its size."""

from dataclasses import replace

import numpy as np

from statlearn._core.warnings import OK

from .smooth import BlockHessian, DiagonalHessian, FullHessian, gradient_descent, newton, quasi_newton

# Beyond these numbers of parameters a Hessian costs more than the iterations it saves (measured, two cores).
_FULL_HESSIAN = 1000
_FULL_MULTINOMIAL = 300
_BLOCK_HESSIAN = 1200
# With many more rows than parameters, a sample of the rows finds the neighbourhood of the optimum.
_SAMPLE_ROWS = 40_000


def minimise_logistic(loss, start, *, solver, tol, max_iter, report=None):
    """Minimise a `LogisticLoss` by the named solver."""
    parameters = loss.n_rows * loss.q
    gauge = None
    if not loss.binary and loss.n_rows == loss.n_classes:
        # The likelihood is invariant to adding one vector to all classes; curvature along it makes steps unique.
        J = np.full((loss.n_rows, loss.n_rows), 1.0 / loss.n_rows)
        gauge = np.kron(J, np.diag(loss.diagonal_bound()[0]))
    if loss.in_blocks:  # a pass over the rows costs more than what is computed in it
        result = newton(loss, start, tol=1e-3 * tol, max_iter=max_iter, gauge=gauge, report=report)
        return result if solver == "irls" else replace(result, history={})
    full = parameters <= (_FULL_HESSIAN if loss.binary else _FULL_MULTINOMIAL)
    if solver == "gd":
        return gradient_descent(loss, start, tol=tol, max_iter=max_iter, report=report)
    if solver == "irls" or (solver in ("newton-cholesky", "newton-cg") and full):
        return newton(loss, start, tol=tol, max_iter=max_iter, gauge=gauge, report=report)
    n = loss.X.shape[0]
    if full:
        warm = False
        if n >= 3 * _SAMPLE_ROWS and n >= 300 * parameters and not np.any(start):
            near = _fit_sample(loss, start, max(_SAMPLE_ROWS, 60 * parameters), gauge)
            if near is not None:
                start, warm = near, True
        settings = dict(tol=tol, max_iter=max_iter, report=report)
        return quasi_newton(loss, start, FullHessian(loss, gauge), warm=warm, **settings)
    if loss.q <= _BLOCK_HESSIAN:
        rows = max(4096, 8 * loss.q)
        sample = loss if n <= 2 * rows else loss.subset(_random_rows(n, rows))
        return quasi_newton(loss, start, BlockHessian(loss, sample), tol=tol, max_iter=max_iter, report=report)
    return quasi_newton(loss, start, DiagonalHessian(loss), tol=tol, max_iter=max_iter, report=report)


def _random_rows(n, count):
    return np.sort(np.random.RandomState(0).choice(n, size=count, replace=False))


def _fit_sample(loss, start, count, gauge):
    """The optimum on a random sample of the rows, or None if the sample is not reliable."""
    part = loss.subset(_random_rows(loss.X.shape[0], min(count, loss.X.shape[0] // 3)))
    counts = np.bincount(part.codes, weights=part.weights if part.weights.size else None, minlength=loss.n_classes)
    if counts.min() < 5 * loss.q:
        return None
    result = quasi_newton(part, start, FullHessian(part, gauge), tol=1e-5, max_iter=30)
    return result.phi if result.status == OK and result.objective > 1e-3 else None
