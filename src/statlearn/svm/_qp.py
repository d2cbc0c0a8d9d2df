"""A dense active-set method for the dual problem, exact up to rounding: the reference for the fast solver."""

import contextlib
import warnings

import numpy as np
import scipy.linalg

from statlearn._core.blas import single_blas_thread


def active_set(K, linear, lower, upper, start, *, group=None, tol=1e-10, max_steps=None):
    """Minimise b'Kb/2 + linear'b with lower <= b <= upper and the sums of b within groups fixed by `start`.

    Variables at a bound are held. Those that are free move to the minimum over the free ones, or along a direction
    without curvature, up to the first bound; at such a minimum the held variable with the most wrong sign is released.

    Parameters
    ----------
    K : ndarray of shape (m, m)
    linear, lower, upper, start : ndarray of shape (m,)
    group : ndarray of int of shape (m,) or None, default=None
        Groups 0 and 1; None is one group.
    tol : float, default=1e-10
        Largest violation at the end, relative to the largest entry of the diagonal of K and of `linear`.
    max_steps : int or None, default=None

    Returns
    -------
    b : ndarray
    steps : int
    converged : bool
    """
    b = np.array(start, dtype=np.float64)
    groups = np.zeros(b.size, dtype=int) if group is None else np.asarray(group, dtype=int)
    scale = max(1.0, float(np.abs(np.diag(K)).max(initial=0.0)), float(np.abs(linear).max(initial=0.0)))
    free = (b > lower) & (b < upper)
    limit = 100 * b.size + 1000 if max_steps is None else max_steps
    idle = 0
    with single_blas_thread():  # the same bits for any number of threads
        for step in range(limit):
            g = K @ b + linear
            at = np.flatnonzero(free)
            if at.size:
                direction, flat = _direction(K[np.ix_(at, at)], g[at], groups[at], scale)
                if np.abs(direction).max() > 1e-14 * max(1.0, np.abs(b[at]).max()):
                    with np.errstate(divide="ignore", invalid="ignore"):
                        room = np.where(
                            direction > 0, (upper[at] - b[at]) / direction,
                            np.where(direction < 0, (lower[at] - b[at]) / direction, np.inf),
                        )  # fmt: skip
                    length = min(room.min(), np.inf if flat else 1.0)
                    if not np.isfinite(length):
                        return b, step, False  # unbounded: only possible with infinite bounds
                    b[at] += length * direction
                    hit = room <= length * (1 + 1e-12)
                    b[at[hit]] = np.where(direction[hit] > 0, upper[at[hit]], lower[at[hit]])
                    free[at[hit]] = False
                    if hit.any() or flat:
                        idle = 0 if length > 0 else idle + 1
                        continue
                    g = K @ b + linear
            released = _release(b, g, free, groups, lower, upper, tol * scale, first=idle >= 10)
            if released is None:
                return b, step, True
            free[released] = True
    return b, limit, False


def _direction(K, g, groups, scale):
    """The step to the minimum over the free variables with fixed sums, or a descent direction without curvature."""
    m = g.size
    member = np.eye(2)[groups][:, np.unique(groups)]
    k = member.shape[1]
    system = np.block([[K, member], [member.T, np.zeros((k, k))]])
    right = np.concatenate([-g, np.zeros(k)])
    solution = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", scipy.linalg.LinAlgWarning)
        with contextlib.suppress(np.linalg.LinAlgError):
            solution = scipy.linalg.solve(system, right, assume_a="sym")
    if solution is None or not np.all(np.isfinite(solution)) or np.abs(right - system @ solution).max() > 1e-9 * scale:
        solution = np.linalg.lstsq(system, right, rcond=1e-13)[0]
        rest = (right - system @ solution)[:m]
        rest = rest - member @ (np.linalg.pinv(member) @ rest)
        if np.abs(rest).max() > 1e-8 * scale:
            return rest, True
    return solution[:m], False


def _release(b, g, free, groups, lower, upper, tol, *, first):
    """Held variables to set free: the one that violates most (or the first), or a pair; None at the optimum."""
    wrong = np.zeros(b.size)
    pairs = []
    for s in np.unique(groups):
        member = groups == s
        grow, fall = member & ~free & (b < upper), member & ~free & (b > lower)
        if (member & free).any():
            level = g[member & free].mean()
            wrong[grow] = np.maximum(wrong[grow], level - g[grow])
            wrong[fall] = np.maximum(wrong[fall], g[fall] - level)
        elif grow.any() and fall.any():
            i = np.flatnonzero(grow)[np.argmin(g[grow])]
            j = np.flatnonzero(fall)[np.argmax(g[fall])]
            if g[j] - g[i] > tol:
                pairs.append([i, j])
    if pairs:
        return pairs[0]
    if wrong.max(initial=0.0) <= tol:
        return None
    # After many steps of length 0 the first one is taken (Bland's rule against cycles).
    return [int(np.argmax(wrong > tol))] if first else [int(np.argmax(wrong))]
