"""The solver of the graphical lasso: screening into components, columns or Newton steps, a certificate."""

from dataclasses import dataclass, field

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from statlearn._core.blas import single_blas_thread
from statlearn._core.memory import require_memory
from statlearn._core.native import graphical as native
from statlearn._core.warnings import DIVERGED, MAX_ITER, OK
from statlearn._math.linalg.positive import cholesky
from statlearn._math.solvers.solution import Solution

from ._glasso_dual import dual_newton, dual_start, factorise

_SWEEPS = 40  # of the automatic choice: columns that have not converged by then hardly do; empirical
_PIVOT = 2e-3  # smallest share of a variance that the other columns leave unexplained, for columns; empirical
_NEWTON_STEPS = 30  # of the automatic choice, if neither columns nor the dual solved the problem
_OWN_THREADS = 1500  # columns beyond which BLAS may use its threads
_ROUNDING = 1e-11  # smallest duality gap per column that rounding errors allow


@dataclass(kw_only=True)
class PrecisionSolution(Solution):
    """Precision and covariance of a penalised fit, with its duality gap."""

    precision: np.ndarray
    covariance: np.ndarray
    labels: np.ndarray
    steps: list = field(default_factory=list)
    penalty: float = 0.0


def penalty_array(alpha, p, penalize_diagonal=False, penalty_matrix=None):
    """The p x p matrix of penalties from a number, or a checked matrix of penalties."""
    if penalty_matrix is None:
        L = np.full((p, p), float(alpha))
    else:
        L = np.array(penalty_matrix, dtype=np.float64)
        if L.shape != (p, p):
            raise ValueError(
                f"`penalty_matrix` must have shape {(p, p)}, one entry per pair of columns, got {L.shape}."
            )
        if np.isnan(L).any():
            raise ValueError("`penalty_matrix` contains NaN; use 0 for a free entry and infinity for a forced zero.")
        if (L < 0).any():
            i, j = np.argwhere(L < 0)[0]
            raise ValueError(f"`penalty_matrix` must not be negative, but entry ({i}, {j}) is {L[i, j]:.6g}.")
        if not np.array_equal(L, L.T):
            i, j = np.argwhere(L != L.T)[0]
            raise ValueError(
                f"`penalty_matrix` must be symmetric, but entries ({i}, {j}) and ({j}, {i}) are {L[i, j]:.6g} and "
                f"{L[j, i]:.6g}."
            )
    if not penalize_diagonal:
        np.fill_diagonal(L, 0.0)
    elif np.isinf(np.diag(L)).any():
        raise ValueError("`penalty_matrix` has an infinite entry on the diagonal; a variance cannot be forced to zero.")
    return L


def check_covariance(S, name="covariance", names=None):
    """A symmetric matrix with positive variances, as a contiguous array of doubles."""
    S = np.array(S, dtype=np.float64, order="C")
    if S.ndim != 2 or S.shape[0] != S.shape[1] or S.shape[0] == 0:
        raise ValueError(f"`{name}` must be a square matrix, got shape {S.shape}.")
    if not np.isfinite(S).all():
        raise ValueError(f"`{name}` contains NaN or infinity.")
    size = np.abs(S).max()
    if not np.allclose(S, S.T, rtol=1e-6, atol=1e-8 * size):
        raise ValueError(f"`{name}` must be symmetric.")
    S = (S + S.T) / 2.0
    if (np.diag(S) < 0).any():
        raise ValueError(f"`{name}` has a negative variance in column {int(np.argmin(np.diag(S)))}.")
    return S


def refuse_constant(S, L, names=None):
    """Raise an error for a column without variance, for which the likelihood is unbounded."""
    bad = np.flatnonzero(np.diag(S) + np.diag(L) <= 0.0)
    if len(bad):
        which = ", ".join(str(k if names is None else names[k]) for k in bad[:5])
        raise ValueError(
            f"X has constant columns ({which}{', ...' if len(bad) > 5 else ''}), for which the likelihood is "
            "unbounded. Drop them, or use penalize_diagonal=True."
        )


def components_of(S, L):
    """Labels of the connected components of the entries with ``|S_ij| > L_ij``: the blocks of the solution.

    Witten, Friedman and Simon (2011) and Mazumder and Hastie (2012) show that these are the components of the graph.
    """
    joined = np.abs(S) > L
    np.fill_diagonal(joined, False)
    return connected_components(csr_array(joined), directed=False)[1]


def solve(S, L, *, tol=1e-4, max_iter=100, solver="auto", inner_tol=1e-6, start=None):
    """Minimise -log det K + tr(S K) + sum L |K| to a duality gap of `tol`.

    Parameters
    ----------
    S, L : ndarray of shape (p, p)
        Covariance and penalties, both symmetric, checked by the caller.
    tol : float, default=1e-4
        Duality gap of the whole problem at which the iterations stop.
    max_iter : int, default=100
        Maximum number of sweeps or Newton steps per component.
    solver : {"auto", "columns", "newton", "dual"}, default="auto"
    inner_tol : float, default=1e-6
        Tolerance of the regressions within a sweep.
    start : ndarray of shape (p, p) or None, default=None
        Precision matrix to start from.

    Returns
    -------
    PrecisionSolution
    """
    p = S.shape[0]
    refuse_constant(S, L)
    labels = components_of(S, L)
    diagonal = np.diag(S) + np.diag(L)
    K, W = np.diag(1.0 / diagonal), np.diag(diagonal)
    sizes = np.bincount(labels)
    largest = int(sizes.max())
    require_memory(8 * 6 * largest**2, f"The graphical lasso of a component of {largest:,} columns", "Increase alpha.")
    alone = sizes[labels] == 1
    base = float(np.sum(np.log(diagonal[alone]) + 1.0))
    pieces, status, n_iter = [], OK, 0
    order = np.argsort(labels, kind="stable")
    groups = np.split(order, np.cumsum(sizes)[:-1])
    for members in groups:
        if len(members) == 1:
            continue
        whole = len(members) == p
        block = np.ix_(members, members)
        part = _solve_component(
            S if whole else np.ascontiguousarray(S[block]),
            L if whole else np.ascontiguousarray(L[block]),
            tol * len(members) / p,
            max_iter,
            solver,
            inner_tol,
            None if start is None else np.ascontiguousarray(start[block]),
        )
        K[block], W[block] = part.precision, part.covariance
        pieces.append(part)
        status, n_iter = max(status, part.status), max(n_iter, part.n_iter)
    # The record of all components, those that stopped early continued by their last values.
    length = max((len(part.steps) for part in pieces), default=1)
    steps = np.zeros((length, 2))
    steps[:, 0] = base
    for part in pieces:
        part_steps = np.asarray(part.steps)
        steps += part_steps[np.minimum(np.arange(length), len(part_steps) - 1)]
    objective = base + sum(part.objective for part in pieces)
    gap = sum(part.gap for part in pieces)
    return PrecisionSolution(
        precision=K,
        covariance=W,
        objective=objective,
        gap=gap,
        n_iter=n_iter,
        status=status,
        labels=labels,
        steps=[tuple(map(float, step)) for step in steps],
    )


def _solve_component(S, L, tol, max_iter, solver, inner_tol, start):
    """One connected component."""
    p = S.shape[0]
    if p == 2 and L[0, 1] < np.inf:
        return _solve_pair(S, L)
    if not L.any():
        return _solve_free(S)
    if p > _OWN_THREADS:
        return _iterate(S, L, tol, max_iter, solver, inner_tol, start)
    with single_blas_thread():
        return _iterate(S, L, tol, max_iter, solver, inner_tol, start)


def _solve_pair(S, L):
    """Two joined columns: the off-diagonal covariance is moved towards zero by its penalty."""
    W = S + np.diag(np.diag(L))
    W[0, 1] = W[1, 0] = np.sign(S[0, 1]) * max(abs(S[0, 1]) - L[0, 1], 0.0)
    det = W[0, 0] * W[1, 1] - W[0, 1] ** 2
    if det <= 0.0:
        return _failed(S)
    K = np.array([[W[1, 1], -W[0, 1]], [-W[0, 1], W[0, 0]]]) / det
    value = float(np.log(det) + 2.0)  # the dual objective, since there is no gap
    return _exact(K, W, value)


def _failed(S):
    p = S.shape[0]
    nothing = np.full((p, p), np.nan)
    return PrecisionSolution(
        precision=nothing,
        covariance=nothing,
        objective=np.inf,
        gap=np.inf,
        n_iter=0,
        status=DIVERGED,
        labels=np.zeros(p, dtype=int),
        steps=[(np.inf, np.inf)],
    )


def _exact(K, W, value):
    """Solution in closed form: one step, no gap, one component."""
    return PrecisionSolution(
        precision=K,
        covariance=W,
        objective=value,
        gap=0.0,
        n_iter=1,
        status=OK,
        labels=np.zeros(len(K), dtype=int),
        steps=[(value, 0.0)],
    )


def _solve_free(S):
    """Solution without any penalty: the inverse."""
    factor = cholesky(S, cutoff=10.0 * len(S) * np.finfo(float).eps)
    if factor is None:
        return _failed(S)
    value = factor.log_det + len(S)
    return _exact(factor.inverse(), S.copy(), value)


def _iterate(S, L, tol, max_iter, solver, inner_tol, start):
    p = S.shape[0]
    steps, n_iter, best = [], 0, None
    if solver in ("auto", "columns"):
        W = dual_start(S, L)
        if solver == "columns" or _well_conditioned(W):
            K, B = np.empty((p, p)), np.zeros((p, p)) if start is None else -start / np.diag(start)[:, None]
            np.fill_diagonal(B, 0.0)
            B[np.isinf(L)] = 0.0
            sweeps = max(max_iter, 1) if solver == "columns" else min(max(max_iter, 1), _SWEEPS)
            value, gap, n_iter, status, record = native.glasso_columns(S, L, tol, sweeps, inner_tol, K, W, B)
            if np.isfinite(value):
                best = K, W, value, gap, status
                steps += record.tolist()
                if status == OK or solver == "columns" or n_iter < _SWEEPS:
                    return _finish(S, K, W, value, gap, n_iter, status, steps)
    if solver in ("auto", "dual"):
        polished = dual_newton(S, L, tol, max(max_iter, 1))
        if polished is not None:
            K, W, value, gap, more, status, record = polished
            n_iter, steps = n_iter + more, steps + record
            if status == OK or gap <= _ROUNDING * max(p, abs(value)) or solver == "dual":
                return _finish(S, K, W, value, gap, n_iter, status, steps)
            if best is None or gap < best[3]:
                best = K, W, value, gap, status
        elif solver == "dual":
            return _failed(S)
    K, W = _primal_start(S, L, start if best is None else best[0])
    value, gap, more, status, record = native.glasso_newton(
        S, L, tol, max(max_iter, 1) if best is None else _NEWTON_STEPS, K, W
    )
    if best is not None and status != OK and not gap < best[3]:
        K, W, value, gap, status = best  # the better certificate
    return _finish(S, K, W, value, gap, n_iter + more, status, steps + record.tolist())


def _well_conditioned(W):
    """Whether the pivots of W are so large that sweeps over its columns converge in reasonable time."""
    factor, _ = factorise(W)
    return factor is not None and bool((np.diag(factor) ** 2 > _PIVOT * np.diag(W)).all())


def _primal_start(S, L, start):
    """Positive definite starting precision with zeros where they are forced, and space for its inverse."""
    if start is not None:
        candidate = np.where(np.isinf(L), 0.0, start)
        if factorise(candidate)[0] is not None:
            return np.ascontiguousarray(candidate), np.empty_like(S)
    return np.diag(1.0 / (np.diag(S) + np.diag(L))), np.empty_like(S)


def _finish(S, K, W, value, gap, n_iter, status, steps):
    p = S.shape[0]
    if status != OK and gap <= _ROUNDING * max(p, abs(value)):
        status = OK  # as small as rounding errors allow
    elif status == DIVERGED and np.isfinite(gap):
        status = MAX_ITER
    gap = max(float(gap), 0.0)
    return PrecisionSolution(
        precision=K,
        covariance=W,
        objective=float(value),
        gap=gap,
        n_iter=n_iter,
        status=status,
        labels=np.zeros(p, dtype=int),
        steps=[tuple(step) for step in steps],
    )
