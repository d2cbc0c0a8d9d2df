"""Least-squares solvers without a factorisation: gradient descent and non-negative least squares."""

import math

import numpy as np
from scipy import linalg

from statlearn._core.warnings import DIVERGED, MAX_ITER, OK
from statlearn._math.rows.least_squares import LeastSquaresSolution, singular_values


def gradient_descent(statistic, *, step, tol, max_iter):
    """Minimise the residual sum of squares by steps along its negative gradient, columns at unit norm.

    The gradient of |y - Zb|^2 is -2 Z'(y - Zb), its Lipschitz constant L = 2 lambda_max(Z'Z). Stops when the largest
    entry of the gradient is at most tol |y|. Returns coefficients (p, m), the trace of the sum of squares, the number
    of steps and a status.
    """
    scale = statistic.scales()
    divisor = np.where(scale > 0, scale, 1.0)
    Z = np.where(scale > 0, statistic.design / divisor, 0.0)
    C, b, tss = Z.T @ Z, Z.T @ statistic.targets, statistic.tss
    if step is None:
        largest = linalg.eigvalsh(C, check_finite=False)[-1]
        step = 0.5 / largest if largest > 0 else 1.0
    coef = np.zeros_like(b)
    limit = tol * np.sqrt(tss)
    trace, status = [], MAX_ITER
    for _ in range(max_iter):
        Cb = C @ coef
        with np.errstate(over="ignore", invalid="ignore"):
            trace.append(float(np.sum(tss - 2.0 * np.sum(b * coef, axis=0) + np.sum(coef * Cb, axis=0))))
        gradient = -2.0 * (b - Cb)
        if np.all(np.abs(gradient) <= limit):
            status = OK
            break
        if not math.isfinite(trace[-1]):
            status = DIVERGED
            break
        coef = coef - step * gradient
    return coef / divisor[:, None], np.array(trace), max(1, len(trace) - (status == OK)), status


def non_negative(statistic, max_iter):
    """Non-negative least squares on the triangular factor, columns at unit norm."""
    from scipy.optimize import nnls

    scale = statistic.scales()
    divisor = np.where(scale > 0, scale, 1.0)
    A = np.where(scale > 0, statistic.design / divisor, 0.0)
    coef = np.column_stack([nnls(A, b, maxiter=max(max_iter, 3 * A.shape[1]))[0] for b in statistic.targets.T])
    rss = np.sum((statistic.targets - A @ coef) ** 2, axis=0)
    return LeastSquaresSolution(coef / divisor[:, None], A.shape[1], np.empty(0, dtype=np.intp), rss)


def design_singular_values(statistic):
    """Singular values of the (centred, weighted) design, min(n, p) of them."""
    values = singular_values(statistic.design)
    size = min(statistic.n_rows, statistic.n_features)
    return np.concatenate([values, np.zeros(max(0, size - len(values)))])[:size]
