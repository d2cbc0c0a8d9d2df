"""Quadratic programs with non-negative unknowns."""

import numpy as np
from scipy import linalg


def nonnegative_quadratic(S, b, free=None, max_iter=None):
    """Minimises w'Sw/2 - b'w over w >= 0 (free entries of either sign) by block principal pivoting.

    Exchanges all entries that violate a sign condition at once, and if that makes no progress, one at a time, which is
    certain to terminate (Kim & Park, 2011). S is positive definite. Returns w and whether the conditions were met.
    """
    p = len(b)
    free = np.zeros(p, dtype=bool) if free is None else free
    inside = free | (np.linalg.solve(S, b) > 0)
    scale = np.sqrt(np.diag(S))
    slack = 1e-12 * np.abs(b / scale).max(initial=0.0)
    fewest, patience = p + 1, 3
    w = np.zeros(p)
    for _ in range(max_iter or 50 + 10 * p):
        w[:] = 0.0
        if inside.any():
            w[inside] = linalg.solve(S[np.ix_(inside, inside)], b[inside], assume_a="pos", check_finite=False)
        gradient = (S[:, inside] @ w[inside] - b) / scale
        broken = (inside & (w * scale < 0.0) & ~free) | (~inside & (gradient < -slack))
        count = int(broken.sum())
        if count == 0:
            return w, True
        if count < fewest:
            fewest, patience = count, 3
        elif patience > 0:
            patience -= 1
        else:
            last = np.flatnonzero(broken)[-1]
            broken[:] = False
            broken[last] = True
        inside ^= broken
    return np.where(free, w, np.maximum(w, 0.0)), False
