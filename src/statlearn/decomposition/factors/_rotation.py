"""Rotations of loadings to simple structure."""

from typing import NamedTuple

import numpy as np
from scipy import linalg

from statlearn._core.params import Int, Real, check_arguments
from statlearn._core.validation import check_array
from statlearn._core.warnings import MAX_ITER, OK, warn_if_stopped


class Rotation(NamedTuple):
    """Rotated loadings ``L @ matrix``, and the correlations of the rotated factors (I if orthogonal)."""

    loadings: np.ndarray
    matrix: np.ndarray
    correlation: np.ndarray


def _check(loadings):
    return check_array(loadings, dtype=np.float64, input_name="loadings")


def _kaiser(L, normalize):
    """Lengths of the rows, by which they are divided first if `normalize`."""
    if not normalize:
        return np.ones((len(L), 1))
    length = np.linalg.norm(L, axis=1, keepdims=True)
    return np.where(length > 0, length, 1.0)


def _orthomax(L, gamma, tol, max_iter, owner):
    """Orthogonal matrix of the largest sum of fourth powers minus gamma / p times squared column sums of squares.

    Turns pairs of columns by their best angle, in closed form, until no angle exceeds `tol`.
    """
    p, k = L.shape
    turned, R = L.copy(), np.eye(k)
    status = MAX_ITER
    for _ in range(max_iter):
        largest = 0.0
        for a in range(k - 1):
            for b in range(a + 1, k):
                x, y = turned[:, a], turned[:, b]
                u, v = x * x - y * y, 2.0 * x * y
                A, B = u.sum(), v.sum()
                above = 2.0 * (u @ v) - 2.0 * gamma * A * B / p
                beside = u @ u - v @ v - gamma * (A * A - B * B) / p
                angle = 0.25 * np.arctan2(above, beside)
                if abs(angle) <= tol:
                    continue
                largest = max(largest, abs(angle))
                c, s = np.cos(angle), np.sin(angle)
                plane = np.array([[c, -s], [s, c]])
                turned[:, [a, b]] = turned[:, [a, b]] @ plane
                R[:, [a, b]] = R[:, [a, b]] @ plane
        if largest <= tol:
            status = OK
            break
    warn_if_stopped(owner, status, f"the factors still turn after {max_iter} rounds", remedy="Increase max_iter.")
    return R


def _orthogonal(function, L, gamma, normalize, tol, max_iter):
    check_arguments(
        function, normalize=(normalize, ["boolean"]), tol=(tol, [Real(0, None)]), max_iter=(max_iter, [Int(1, None)])
    )
    L = _check(L)
    R = np.eye(1)
    if L.shape[1] > 1:
        R = _orthomax(L / _kaiser(L, normalize), gamma, tol, max_iter, function.__name__)
    return Rotation(L @ R, R, np.eye(L.shape[1]))


def varimax(loadings, *, normalize=True, tol=1e-10, max_iter=1000):
    r"""Varimax rotation of loadings.

    Maximises, over orthogonal rotations, the variance of the squared loadings within each factor, so that a factor has
    a few large loadings and many small ones:
    :math:`\sum_k \bigl[\sum_j l_{jk}^4 - \tfrac1p (\sum_j l_{jk}^2)^2 \bigr]`.

    Parameters
    ----------
    loadings : array-like of shape (n_features, n_factors)
    normalize : bool, default=True
        Divide each row by its length first (Kaiser), so that every column of the data counts the same.
    tol : float, default=1e-10
        Largest angle (in radians) between two factors at which the iteration stops.
    max_iter : int, default=1000

    Returns
    -------
    Rotation
        Named tuple of `loadings`, the rotation `matrix` and the factor `correlation` (I).

    References
    ----------
    Kaiser (1958), The varimax criterion for analytic rotation in factor analysis. Psychometrika 23.

    Examples
    --------
    >>> from statlearn.decomposition import varimax
    >>> varimax([[0.7, 0.7], [0.6, 0.6], [0.5, -0.5]], normalize=False).loadings.round(3) + 0.0
    array([[ 0.99 ,  0.   ],
           [ 0.849,  0.   ],
           [ 0.   , -0.707]])
    """
    return _orthogonal(varimax, loadings, 1.0, normalize, tol, max_iter)


def quartimax(loadings, *, normalize=False, tol=1e-10, max_iter=1000):
    """Quartimax rotation of loadings.

    Maximises the sum of the fourth powers of the loadings over orthogonal rotations, so that a column of the data loads
    on few factors. It tends to leave one general factor.

    Parameters
    ----------
    loadings : array-like of shape (n_features, n_factors)
    normalize : bool, default=False
        Divide each row by its length first (Kaiser).
    tol : float, default=1e-10
    max_iter : int, default=1000

    Returns
    -------
    Rotation
        Named tuple of `loadings`, the rotation `matrix` and the factor `correlation` (I).

    Examples
    --------
    >>> from statlearn.decomposition import quartimax
    >>> quartimax([[0.7, 0.7], [0.5, -0.5]]).loadings.round(3).shape
    (2, 2)
    """
    return _orthogonal(quartimax, loadings, 0.0, normalize, tol, max_iter)


def promax(loadings, *, power=4, normalize=True):
    r"""Promax rotation of loadings to correlated factors.

    The varimax loadings are regressed on their own signed powers :math:`l |l|^{m-1}`, which are larger for large and
    smaller for small ones.

    Parameters
    ----------
    loadings : array-like of shape (n_features, n_factors)
    power : float, default=4
        The power m. Larger values give more strongly correlated factors.
    normalize : bool, default=True
        Whether the varimax rotation divides each row by its length first.

    Returns
    -------
    Rotation
        Named tuple of `loadings`, the `matrix` and the factor `correlation`.

    References
    ----------
    Hendrickson and White (1964), Promax: a quick method for rotation to oblique simple structure. British Journal of
    Statistical Psychology 17.

    Examples
    --------
    >>> from statlearn.decomposition import promax
    >>> promax([[0.8, 0.1], [0.7, 0.2], [0.1, 0.9], [0.3, 0.6]]).correlation.round(2)
    array([[1.  , 0.46],
           [0.46, 1.  ]])
    """
    check_arguments(promax, power=(power, [Real(1, None)]), normalize=(normalize, ["boolean"]))
    L = _check(loadings)
    first = varimax(L, normalize=normalize)
    x = first.loadings
    U = np.linalg.lstsq(x, x * np.abs(x) ** (power - 1), rcond=None)[0]
    try:
        U = U * np.sqrt(np.diag(linalg.inv(U.T @ U)))
        matrix = first.matrix @ U
        correlation = linalg.inv(matrix.T @ matrix)
    except linalg.LinAlgError:
        raise linalg.LinAlgError(
            "promax: the loadings of the factors are linearly dependent, so there is no oblique rotation. Use fewer "
            "factors, or varimax."
        ) from None
    return Rotation(L @ matrix, matrix, correlation)


def oblimin(loadings, *, gamma=0.0, normalize=False, tol=1e-8, max_iter=5000):
    r"""Direct oblimin rotation of loadings to correlated factors.

    Minimises over factors of variance 1
    :math:`\sum_{k < l} \bigl[\sum_j l_{jk}^2 l_{jl}^2 - \tfrac{\gamma}{p} \sum_j l_{jk}^2 \sum_j l_{jl}^2\bigr]`
    by gradient projection. With :math:`\gamma = 0` this is quartimin.

    Parameters
    ----------
    loadings : array-like of shape (n_features, n_factors)
    gamma : float, default=0.0
        At most 0 is advised; larger values give more strongly correlated factors and can diverge.
    normalize : bool, default=False
        Divide each row by its length first (Kaiser).
    tol : float, default=1e-8
        Norm of the projected gradient at which the iteration stops.
    max_iter : int, default=5000

    Returns
    -------
    Rotation
        Named tuple of `loadings`, the `matrix` and the factor `correlation`.

    References
    ----------
    Jennrich (2002), A simple general method for oblique rotation. Psychometrika 67.

    Examples
    --------
    >>> from statlearn.decomposition import oblimin
    >>> oblimin([[0.8, 0.1], [0.7, 0.2], [0.1, 0.9], [0.3, 0.6]]).loadings.round(2)
    array([[ 0.82, -0.05],
           [ 0.7 ,  0.08],
           [-0.04,  0.92],
           [ 0.22,  0.57]])
    """
    check_arguments(
        oblimin,
        gamma=(gamma, [Real(None, 1)]),
        normalize=(normalize, ["boolean"]),
        tol=(tol, [Real(0, None)]),
        max_iter=(max_iter, [Int(1, None)]),
    )
    L = _check(loadings)
    p, k = L.shape
    if k == 1:
        return Rotation(L.copy(), np.eye(1), np.eye(1))
    A = L / _kaiser(L, normalize)
    others = np.ones((k, k)) - np.eye(k)

    def criterion(T):
        turned = A @ linalg.inv(T).T
        square = turned**2
        spread = square - gamma / p * square.sum(axis=0)
        X = spread @ others
        gradient = -(turned.T @ (turned * X) @ linalg.inv(T)).T
        return 0.25 * np.sum(square * X), gradient

    T = np.eye(k)
    step = 1.0
    value, gradient = criterion(T)
    status, slope = MAX_ITER, np.inf
    for _ in range(max_iter):
        direction = gradient - T * np.sum(T * gradient, axis=0)
        slope = float(np.linalg.norm(direction))
        if slope <= tol:
            status = OK
            break
        step *= 2.0
        for _ in range(30):
            moved = T - step * direction
            moved = moved / np.linalg.norm(moved, axis=0)
            new_value, new_gradient = criterion(moved)
            if value - new_value > 0.5 * slope**2 * step:
                break
            step /= 2.0
        if not new_value < value:  # the limit of the precision
            status = OK if slope <= 1e3 * tol else MAX_ITER
            break
        T, value, gradient = moved, new_value, new_gradient
    warn_if_stopped("oblimin", status, f"the projected gradient is {slope:.1e}", remedy="Increase max_iter or tol.")
    matrix = linalg.inv(T).T
    return Rotation(L @ matrix, matrix, T.T @ T)


ROTATIONS = {"varimax": varimax, "quartimax": quartimax, "promax": promax, "oblimin": oblimin}
