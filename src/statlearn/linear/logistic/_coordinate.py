"""Elastic-net logistic path: the Python interface to the native solver."""

from dataclasses import dataclass

import numpy as np

from statlearn._math.rows.rows import Rows


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
    table = Rows(X)
    table.kernel("logistic_path")(
        *((n,) if table.sparse else ()),
        table.middle() if fit_intercept else np.zeros(p),
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
