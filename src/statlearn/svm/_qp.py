"""A dense active-set method for the dual problem, exact up to rounding: the reference for the fast solver."""

import numpy as np

from statlearn._core.warnings import MAX_ITER, OK
from statlearn.svm._solver import Solution, violation_of


def solve_by_qp(table, dual):
    """Solve one dual problem with its whole kernel matrix."""
    K = table.values(dual.rows, dual.rows)[np.ix_(dual.row_of, dual.row_of)]
    b, steps, converged = active_set(K, dual.linear, dual.lower, dual.upper, dual.start)
    by_row = np.bincount(dual.row_of, weights=b, minlength=dual.rows.size)
    score = table.values(dual.rows, dual.rows) @ by_row
    g = score[dual.row_of] + dual.linear
    violation = violation_of(dual, b, g)
    objective = 0.5 * b @ (g + dual.linear)
    return Solution(b, score, steps, violation, float(objective), OK if converged else MAX_ITER)


def active_set(K, linear, lower, upper, start, *, tol=1e-10):
    """Minimise b'Kb/2 + linear'b with lower <= b <= upper and the sum of b fixed by `start`.

    Variables at a bound are held. Those that are free move to the minimum over the free ones, or along a direction
    without curvature, up to the first bound; at such a minimum the held variable with the most wrong sign is released.

    Returns
    -------
    b : ndarray
    steps : int
    converged : bool
    """
    b = np.array(start, dtype=np.float64)
    scale = max(1.0, float(np.abs(np.diag(K)).max(initial=0.0)), float(np.abs(linear).max(initial=0.0)))
    free = (b > lower) & (b < upper)
    idle = 0
    limit = 100 * b.size + 1000
    for step in range(limit):
        g = K @ b + linear
        at = np.flatnonzero(free)
        moved = False
        if at.size:
            m = at.size
            system = np.zeros((m + 1, m + 1))
            system[:m, :m] = K[np.ix_(at, at)]
            system[:m, m] = system[m, :m] = 1.0
            right = np.append(-g[at], 0.0)
            solution = np.linalg.lstsq(system, right, rcond=1e-13)[0]
            residual = right - system @ solution
            rest = residual[:m] - residual[:m].mean()
            flat = np.abs(rest).max() > 1e-8 * scale
            direction = rest if flat else solution[:m]
            if np.abs(direction).max() > tol * max(1.0, np.abs(b[at]).max()):
                with np.errstate(divide="ignore", invalid="ignore"):
                    room = np.where(
                        direction > 0, (upper[at] - b[at]) / direction,
                        np.where(direction < 0, (lower[at] - b[at]) / direction, np.inf),
                    )  # fmt: skip
                length = min(room.min(), np.inf if flat else 1.0)
                if not np.isfinite(length):
                    return b, step, False  # unbounded: only possible with infinite bounds
                b[at] += length * direction
                hit = at[room <= length * (1 + 1e-12)]
                for v in hit:
                    b[v] = upper[v] if direction[np.searchsorted(at, v)] > 0 else lower[v]
                free[hit] = False
                moved = length > 0
                if hit.size or flat:
                    idle = 0 if moved else idle + 1
                    continue
                g = K @ b + linear
        # The minimum over the free variables: does a held one want to move?
        level = g[free].mean() if free.any() else None
        grow, fall = ~free & (b < upper), ~free & (b > lower)
        if level is None:
            if not grow.any() or not fall.any():
                return b, step, True
            i = np.flatnonzero(grow)[np.argmin(g[grow])]
            j = np.flatnonzero(fall)[np.argmax(g[fall])]
            if g[j] - g[i] <= tol * scale:
                return b, step, True
            free[[i, j]] = True
            continue
        wrong = np.where(grow, level - g, 0.0)
        wrong = np.maximum(wrong, np.where(fall, g - level, 0.0))
        if wrong.max() <= 100 * tol * scale:
            return b, step, True
        # The largest violation, or after many steps of length 0 the first one (Bland's rule against cycles).
        free[np.argmax(wrong) if idle < 10 else np.argmax(wrong > 100 * tol * scale)] = True
    return b, limit, False
