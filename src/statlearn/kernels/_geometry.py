"""Norms, distances, centres and projections in feature space, from kernel values alone."""

import numpy as np
from scipy import linalg

from statlearn._core.memory import require_memory
from statlearn._core.params import Int, Real, check_arguments
from statlearn._core.validation import FLOATS, check_array, naming

from ._gram import check_gram


def _check_cross(K, K_cross, diag_cross):
    """Kernel values between new rows and those of K, and of the new rows with themselves."""
    if diag_cross is None:
        raise ValueError("`K_cross` requires `diag_cross`, the values k(x, x) of its rows.")
    with naming("K_cross"):
        K_cross = check_array(K_cross, dtype=FLOATS, input_name="K_cross")
    if K_cross.shape[1] != len(K):
        raise ValueError(f"K_cross must have {len(K)} columns, one per row of K, got shape {K_cross.shape}.")
    return K_cross, _vector(diag_cross, len(K_cross), "diag_cross")


def _vector(values, n, name):
    with naming(name):
        values = check_array(values, dtype=FLOATS, ensure_2d=False, input_name=name)
    if values.ndim != 1 or len(values) != n:
        raise ValueError(f"{name} must contain {n} numbers, got shape {values.shape}.")
    return values


def kernel_norm(K, coef=None):
    r"""Norms in feature space.

    Parameters
    ----------
    K : array-like of shape (n, n)
        Kernel matrix.
    coef : array-like of shape (n,) or None, default=None
        Coefficients a of a combination. None means the norm of each item.

    Returns
    -------
    ndarray of shape (n,) or float
        :math:`\lVert \varphi(x_i) \rVert = \sqrt{K_{ii}}`, or :math:`\lVert \sum_i a_i \varphi(x_i) \rVert =
        \sqrt{a^\top K a}`.

    Examples
    --------
    >>> from statlearn.kernels import kernel_norm, linear_kernel
    >>> K = linear_kernel([[3.0, 4.0], [0.0, 1.0]])
    >>> kernel_norm(K)
    array([5., 1.])
    >>> kernel_norm(K, [1.0, -4.0])
    3.0
    """
    K = check_gram(K, "K")
    if coef is None:
        diagonal = np.diagonal(K)
        _refuse_negative_squares(diagonal, K)
        return np.sqrt(np.maximum(diagonal, 0.0))
    coef = _vector(coef, len(K), "coef")
    square = coef @ K @ coef
    _refuse_negative_squares(np.array([square]), K * (coef @ coef))
    return float(np.sqrt(max(square, 0.0)))


def _refuse_negative_squares(squares, K):
    """Raise an error for squared lengths that are more negative than rounding explains: K is not semi-definite."""
    scale = float(np.abs(K).max(initial=0.0))
    worst = float(np.min(squares, initial=0.0))
    if worst < -1e3 * np.finfo(np.asarray(K).dtype).eps * max(len(np.atleast_1d(K)), 1) * scale:
        raise ValueError(
            f"K is not positive semi-definite: a squared length is {worst:.3g}. Repair it with nearest_psd."
        )


def kernel_distance(K, K_cross=None, diag_cross=None, *, squared=False):
    r"""Distances in feature space, :math:`\lVert \varphi(x) - \varphi(z) \rVert^2 = k(x, x) - 2 k(x, z) + k(z, z)`.

    Parameters
    ----------
    K : array-like of shape (n, n)
        Kernel matrix of the items.
    K_cross : array-like of shape (m, n) or None, default=None
        Kernel between m other items and these. None means the distances between the items of K.
    diag_cross : array-like of shape (m,) or None, default=None
        Values k(x, x) of the other items, required with `K_cross`.
    squared : bool, default=False
        Whether to return squared distances.

    Returns
    -------
    ndarray of shape (n, n) or (m, n)

    Examples
    --------
    >>> from statlearn.kernels import kernel_distance, linear_kernel
    >>> kernel_distance(linear_kernel([[0.0, 0.0], [3.0, 4.0]]))
    array([[0., 5.],
           [5., 0.]])
    """
    check_arguments(kernel_distance, squared=(squared, ["boolean"]))
    K = check_gram(K, "K")
    diagonal = np.diagonal(K)
    if K_cross is None:
        if diag_cross is not None:
            raise ValueError("`diag_cross` requires `K_cross`.")
        squares = diagonal[:, None] - 2 * K + diagonal
        np.fill_diagonal(squares, 0.0)
    else:
        K_cross, diag_cross = _check_cross(K, K_cross, diag_cross)
        squares = diag_cross[:, None] - 2 * K_cross + diagonal
    _refuse_negative_squares(squares, K)
    squares = np.maximum(squares, 0.0)
    return squares if squared else np.sqrt(squares)


def kernel_center_distance(K, K_cross=None, diag_cross=None, *, squared=False):
    r"""Distances to the centre of mass in feature space.

    With the centre :math:`\bar\varphi = \frac1n \sum_i \varphi(x_i)`, the squared distance of x is
    :math:`k(x, x) - \frac2n \sum_i k(x, x_i) + 1^\top K 1 / n^2`. The last term is the squared norm of the centre; the
    mean of the squared distances of the items is :math:`\operatorname{tr}(K) / n - 1^\top K 1 / n^2`.

    Parameters
    ----------
    K : array-like of shape (n, n)
        Kernel matrix of the items.
    K_cross : array-like of shape (m, n) or None, default=None
        Kernel between m other items and these. None means the items themselves.
    diag_cross : array-like of shape (m,) or None, default=None
        Values k(x, x) of the other items, required with `K_cross`.
    squared : bool, default=False
        Whether to return squared distances.

    Returns
    -------
    ndarray of shape (n,) or (m,)

    Examples
    --------
    >>> from statlearn.kernels import kernel_center_distance, linear_kernel
    >>> kernel_center_distance(linear_kernel([[0.0], [1.0], [5.0]]))
    array([2., 1., 3.])
    """
    check_arguments(kernel_center_distance, squared=(squared, ["boolean"]))
    K = check_gram(K, "K")
    middle = K.mean()
    if K_cross is None:
        if diag_cross is not None:
            raise ValueError("`diag_cross` requires `K_cross`.")
        squares = np.diagonal(K) - 2 * K.mean(axis=1) + middle
    else:
        K_cross, diag_cross = _check_cross(K, K_cross, diag_cross)
        squares = diag_cross - 2 * K_cross.mean(axis=1) + middle
    _refuse_negative_squares(squares, K)
    squares = np.maximum(squares, 0.0)
    return squares if squared else np.sqrt(squares)


def kernel_projection(K, K_cross, diag_cross=None, *, tol=None):
    r"""Projection of new items onto the span of the training items in feature space.

    The coefficients p of an item x solve :math:`K p = q` with :math:`q_i = k(x, x_i)`; the projection is
    :math:`\sum_i p_i \varphi(x_i)`, and the squared length of what it misses is :math:`k(x, x) - q^\top p`.

    Parameters
    ----------
    K : array-like of shape (n, n)
        Kernel matrix of the training items.
    K_cross : array-like of shape (m, n) or (n,)
        Kernel between the new and the training items.
    diag_cross : array-like of shape (m,), float or None, default=None
        Values k(x, x) of the new items. Without them the residuals are not computed.
    tol : float or None, default=None
        Eigenvalues of K up to `tol` times the largest count as 0. None means n times the machine epsilon.

    Returns
    -------
    coef : ndarray of shape (m, n) or (n,)
        Coefficients. If K is singular they are those of smallest norm.
    residual : ndarray of shape (m,) or float
        Squared lengths of the residuals; only with `diag_cross`.

    Examples
    --------
    >>> from statlearn.kernels import kernel_projection, linear_kernel
    >>> X = [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0]]
    >>> new = [[2.0, 3.0, 4.0]]
    >>> coef, residual = kernel_projection(linear_kernel(X), linear_kernel(new, X), linear_kernel(new).diagonal())
    >>> coef.round(6), residual.round(6)
    (array([[-1.,  3.]]), array([16.]))
    """
    check_arguments(kernel_projection, tol=(tol, [Real(0, None), None]))
    K = check_gram(K, "K")
    n = len(K)
    with naming("K_cross"):
        Q = check_array(K_cross, dtype=FLOATS, ensure_2d=False, input_name="K_cross")
    single = Q.ndim == 1
    Q = np.atleast_2d(Q)
    if Q.ndim != 2 or Q.shape[1] != n:
        raise ValueError(f"K_cross must have {n} columns, one per row of K, got shape {np.shape(K_cross)}.")
    values, vectors = linalg.eigh(K)
    limit = (n * np.finfo(K.dtype).eps if tol is None else float(tol)) * np.abs(values).max()
    if values[0] < -10 * limit - 1e-300 and values[0] < -1e-8 * np.abs(values).max():
        raise ValueError(f"K is not positive semi-definite: its smallest eigenvalue is {values[0]:.3g}.")
    positive = values > limit
    scores = (Q @ vectors[:, positive]) / np.sqrt(values[positive])
    coef = (scores / np.sqrt(values[positive])) @ vectors[:, positive].T
    if diag_cross is None:
        return coef[0] if single else coef
    diagonal = _vector(np.atleast_1d(diag_cross), len(Q), "diag_cross")
    residual = np.maximum(diagonal - np.einsum("ij,ij->i", scores, scores), 0.0)
    return (coef[0], float(residual[0])) if single else (coef, residual)


def median_heuristic(X, *, max_rows=2000, random_state=0):
    r"""Width of the Gaussian kernel from the median distance between rows.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    max_rows : int or None, default=2000
        With more rows, the median is taken over the pairs of a random sample of this many. None uses all pairs.
    random_state : int, RandomState instance or None, default=0
        Seed of the sample.

    Returns
    -------
    float
        The median Euclidean distance of pairs of different rows, for ``rbf_kernel(X, sigma=...)``. Pairs at distance 0
        do not count if the median is 0 otherwise.

    Notes
    -----
    A rule of thumb that puts the kernel's values of typical pairs at exp(-1/2). It ignores the response: in regression
    and classification choose the width by cross-validation around it.

    Examples
    --------
    >>> from statlearn.kernels import median_heuristic
    >>> median_heuristic([[0.0], [1.0], [3.0]])
    2.0
    """
    from scipy.spatial.distance import pdist
    from sklearn.utils import check_random_state

    check_arguments(
        median_heuristic,
        max_rows=(max_rows, [Int(2, None), None]),
        random_state=(random_state, ["random_state"]),
    )
    with naming("X"):
        X = check_array(X, dtype=np.float64, input_name="X", ensure_min_samples=2)
    n = len(X)
    if max_rows is not None and n > max_rows:
        X = X[check_random_state(random_state).choice(n, max_rows, replace=False)]
        n = max_rows
    require_memory(8 * n * (n - 1) // 2, f"The distances of {n:,} rows", "Set `max_rows`.")
    distances = pdist(X)
    median = float(np.median(distances))
    if median == 0.0:
        positive = distances[distances > 0]
        if len(positive) == 0:
            raise ValueError("X contains identical rows only, so there is no typical distance; set the width yourself.")
        median = float(np.median(positive))
    return median
