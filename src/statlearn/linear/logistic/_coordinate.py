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


def coordinate_path(problem, l1, l2, *, tol=1e-4, max_iter=100, start=None):
    """Minimise mean loss + l1 |W|_1 + l2/2 |W|^2 of a `LogisticProblem` for each pair of penalties, with warm starts.

    Two classes have one row of parameters; more classes have one row each, with the symmetric softmax.
    """
    (n, p), (rows, q) = problem.X.shape, problem.shape
    weights, offset, total = problem.weights, problem.offset, problem.total
    l1, l2 = (np.ascontiguousarray(a, dtype=np.float64) for a in (l1, l2))
    share = np.full(n, 1.0 / n) if weights is None else np.ascontiguousarray(weights, dtype=np.float64) / total
    offset = np.empty(0) if offset is None else np.ascontiguousarray(offset, dtype=np.float64).ravel()
    start = np.zeros((rows, q)) if start is None else np.ascontiguousarray(start, dtype=np.float64)
    codes = np.ascontiguousarray(problem.codes, dtype=np.intc)
    k = len(l1)
    theta, gaps, losses = np.zeros((k, rows, q)), np.full(k, np.nan), np.full(k, np.nan)
    n_iters, status = np.zeros(k, dtype=np.intc), np.zeros(k, dtype=np.intc)
    table = Rows(problem.X)
    table.kernel("logistic_path")(
        *((n,) if table.sparse else ()),
        table.middle() if problem.fit_intercept else np.zeros(p),
        codes,
        share,
        offset,
        bool(problem.fit_intercept),
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
