"""Sequential minimal optimisation by the step, on a given kernel matrix."""

from dataclasses import dataclass

import numpy as np
from sklearn.utils import check_random_state

from statlearn._core.params import Int, Options, Real, check_arguments
from statlearn._core.validation import check_array, check_same_length, naming
from statlearn._core.warnings import MAX_ITER, warn_if_stopped

_FLAT = 1e-12


@dataclass
class SMOResult:
    """Result of `smo_solve`.

    Attributes
    ----------
    alpha : ndarray of shape (n,)
    intercept : float
        Mean over free multipliers, or the mid-point of the feasible interval if there are none.
    n_iter : int
    violation : float
        Largest violation of the optimality conditions at the end.
    objective : ndarray of shape (n_iter + 1,)
        Dual objective before the first and after every step; it never decreases.
    converged : bool

    Examples
    --------
    >>> from statlearn.svm import smo_solve
    >>> result = smo_solve([[1.0, -1.0], [-1.0, 1.0]], [-1, 1], C=10.0)
    >>> print(result.n_iter, result.converged, result.objective)
    1 True [0.  0.5]
    """

    alpha: np.ndarray
    intercept: float
    n_iter: int
    violation: float
    objective: np.ndarray
    converged: bool


def smo_step(alpha, i, j, K, y, C):
    r"""The exact optimum of the dual in two multipliers, with the others fixed.

    With errors :math:`E_k=\sum_l\alpha_ly_lK_{kl}-y_k` the second multiplier moves by
    :math:`y_j(E_i-E_j)/(K_{ii}+K_{jj}-2K_{ij})` and is clipped to [L, H]: L = max(0, a_j - a_i),
    H = min(C_j, C_i + a_j - a_i) for unequal labels, L = max(0, a_i + a_j - C_i), H = min(C_j, a_i + a_j) for equal
    ones. The first then moves so that :math:`\sum\alpha y` does not change.

    Parameters
    ----------
    alpha : array-like of shape (n,)
    i, j : int
        Positions of the two multipliers.
    K : array-like of shape (n, n)
    y : array-like of shape (n,)
        Labels -1 and +1.
    C : float or array-like of shape (n,)

    Returns
    -------
    alpha : ndarray of shape (n,)
        A changed copy.

    Examples
    --------
    >>> from statlearn.svm import smo_step
    >>> smo_step([0.0, 0.0], 0, 1, [[1.0, -1.0], [-1.0, 1.0]], [-1, 1], 10.0)
    array([0.5, 0.5])
    """
    K, y, C = _check_problem(K, y, C)
    alpha = np.array(alpha, dtype=np.float64)
    if alpha.shape != y.shape:
        raise ValueError(f"`alpha` has shape {alpha.shape}, expected {y.shape}.")
    if i == j:
        raise ValueError(f"i and j must differ, both are {i}.")
    return _step(alpha, i, j, K, y, C, K @ (alpha * y) - y)


def _step(alpha, i, j, K, y, C, errors):
    if y[i] != y[j]:
        low, high = max(0.0, alpha[j] - alpha[i]), min(C[j], C[i] + alpha[j] - alpha[i])
    else:
        low, high = max(0.0, alpha[i] + alpha[j] - C[i]), min(C[j], alpha[i] + alpha[j])
    curvature = max(K[i, i] + K[j, j] - 2.0 * K[i, j], _FLAT)
    moved = min(max(alpha[j] + y[j] * (errors[i] - errors[j]) / curvature, low), high)
    result = alpha.copy()
    result[j] = moved
    result[i] = alpha[i] + y[i] * y[j] * (alpha[j] - moved)
    for k in (i, j):  # a multiplier that differs from a bound by rounding only is put exactly there
        if result[k] < _FLAT * C[k]:
            result[k] = 0.0
        elif result[k] > (1.0 - _FLAT) * C[k]:
            result[k] = C[k]
    return result


def smo_solve(K, y, C=1.0, *, selection="second_order", tol=1e-3, max_iter=100_000, random_state=0):
    r"""The dual of the soft margin by sequential minimal optimisation.

    Maximises :math:`\sum\alpha_i-\frac12\sum\alpha_i\alpha_jy_iy_jK_{ij}` with :math:`0\le\alpha_i\le C_i` and
    :math:`\sum\alpha_iy_i=0`, two multipliers at a time. The textbook form of what `SVC` does by blocks: it needs the
    whole kernel matrix, and every step is in Python.

    Parameters
    ----------
    K : array-like of shape (n, n)
        Kernel matrix.
    y : array-like of shape (n,)
        Labels -1 and +1.
    C : float or array-like of shape (n,), default=1.0
    selection : {"second_order", "max_violation", "random"}, default="second_order"
        The pair of a step: the most violating multiplier with the partner of the largest estimated gain, the most
        violating pair, or a random violating pair.
    tol : float, default=1e-3
        Stop when no pair violates the optimality conditions by `tol` or more.
    max_iter : int, default=100000
    random_state : int, RandomState or None, default=0
        For ``selection="random"``.

    Returns
    -------
    SMOResult

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.svm import smo_solve
    >>> X = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]])
    >>> found = smo_solve(X @ X.T, [1, 1, -1], C=10.0)
    >>> print(found.alpha.round(4), round(found.intercept, 4))
    [0.25 0.   0.25] -2.0
    """
    check_arguments(
        smo_solve,
        selection=(selection, [Options("second_order", "max_violation", "random")]),
        tol=(tol, [Real(0, None, closed="neither")]),
        max_iter=(max_iter, [Int(1, None)]),
        random_state=(random_state, ["random_state"]),
    )
    K, y, C = _check_problem(K, y, C)
    generator = check_random_state(random_state)
    alpha = np.zeros(y.size)
    errors = -y.copy()
    diagonal = np.diag(K)
    trace = [0.0]
    violation = np.inf
    converged = False
    for _ in range(max_iter):
        grow = np.where(y > 0, alpha < C, alpha > 0)  # y alpha may grow
        fall = np.where(y > 0, alpha > 0, alpha < C)
        if not grow.any() or not fall.any():
            converged, violation = True, 0.0
            break
        i = np.flatnonzero(grow)[np.argmin(errors[grow])]
        violation = float(errors[fall].max() - errors[i])
        if violation < tol:
            converged = True
            break
        partners = np.flatnonzero(fall & (errors > errors[i]))
        if selection == "random":
            i = generator.choice(np.flatnonzero(grow & (errors < errors[fall].max() - 0.5 * tol)))
            partners = np.flatnonzero(fall & (errors > errors[i] + 0.5 * tol))
            j = generator.choice(partners)
        elif selection == "max_violation":
            j = partners[np.argmax(errors[partners])]
        else:
            curvature = np.maximum(diagonal[i] + diagonal[partners] - 2.0 * K[i, partners], _FLAT)
            j = partners[np.argmax((errors[partners] - errors[i]) ** 2 / curvature)]
        moved = _step(alpha, i, j, K, y, C, errors)
        change = (moved - alpha) * y
        errors = errors + change[i] * K[:, i] + change[j] * K[:, j]
        alpha = moved
        trace.append(float(alpha.sum() - 0.5 * (alpha * y) @ (errors + y)))
    free = (alpha > 0) & (alpha < C)
    if free.any():
        intercept = -float(errors[free].mean())
    else:
        grow, fall = np.where(y > 0, alpha < C, alpha > 0), np.where(y > 0, alpha > 0, alpha < C)
        ends = [e for e in (errors[fall].max(initial=-np.inf), errors[grow].min(initial=np.inf)) if np.isfinite(e)]
        intercept = -float(np.mean(ends))
    if not converged:
        warn_if_stopped("smo_solve", MAX_ITER, f"violation {violation:.1e} after {max_iter} steps")
    return SMOResult(alpha, intercept, len(trace) - 1, max(violation, 0.0), np.array(trace), converged)


def _check_problem(K, y, C):
    with naming("K"):
        K = check_array(K, dtype=np.float64, input_name="K")
    y = np.asarray(y, dtype=np.float64)
    check_same_length(K, y, name="K")
    if K.shape[0] != K.shape[1]:
        raise ValueError(f"K must be square, got shape {K.shape}. The linear kernel matrix of rows X is X @ X.T.")
    if not np.all(np.abs(y) == 1.0):
        raise ValueError("y must contain the labels -1 and +1 only.")
    C = np.broadcast_to(np.asarray(C, dtype=np.float64), y.shape)
    if not np.all(C > 0):
        raise ValueError("C must be positive.")
    return K, y, C
