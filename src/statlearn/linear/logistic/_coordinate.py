"""Elastic-net logistic path: the Python interface to the native solver."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from statlearn._core import native
from statlearn._math.rows.sparse_arrays import compressed_arrays


@dataclass
class CoordinatePath:
    """One entry per penalty."""

    theta: np.ndarray  # (penalties, rows, q): slopes and intercept
    gaps: np.ndarray  # duality gap of the mean objective
    losses: np.ndarray  # summed loss, without penalty
    n_iters: np.ndarray
    status: np.ndarray


def coordinate_path(
    X, codes, n_classes, *, l1, l2, weights=None, offset=None, fit_intercept=True, tol=1e-4, max_iter=100, start=None
):
    """Minimise mean loss + l1 |W|_1 + l2/2 |W|^2 for each pair of penalties, with warm starts.

    Two classes have one row of parameters; more classes have one row each, with the symmetric softmax.
    """
    n, p = X.shape
    rows = 1 if n_classes == 2 else n_classes
    l1, l2 = (np.ascontiguousarray(a, dtype=np.float64) for a in (l1, l2))
    total = float(n if weights is None else weights.sum())
    share = np.full(n, 1.0 / n) if weights is None else np.ascontiguousarray(weights, dtype=np.float64) / total
    offset = np.empty(0) if offset is None else np.ascontiguousarray(offset, dtype=np.float64).ravel()
    q = p + bool(fit_intercept)
    start = np.zeros((rows, q)) if start is None else np.ascontiguousarray(start, dtype=np.float64)
    codes = np.ascontiguousarray(codes, dtype=np.intc)
    k = len(l1)
    theta, gaps, losses = np.zeros((k, rows, q)), np.full(k, np.nan), np.full(k, np.nan)
    n_iters, status = np.zeros(k, dtype=np.intc), np.zeros(k, dtype=np.intc)
    if sparse.issparse(X):
        run, data = native.linear.logistic_path_csc, (*compressed_arrays(X.tocsc()), n, np.zeros(p))
    else:
        shift = X[:: max(1, n // 256)].mean(axis=0, dtype=np.float64) if fit_intercept else np.zeros(p)
        run, data = native.linear.logistic_path, (np.asfortranarray(X), shift)
    run(
        *data,
        codes,
        share,
        offset,
        bool(fit_intercept),
        l1,
        l2,
        start,
        float(tol),
        int(max_iter),
        theta,
        gaps,
        losses,
        n_iters,
        status,
    )
    return CoordinatePath(theta, gaps, total * losses, n_iters, status)
