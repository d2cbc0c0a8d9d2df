"""Singular value decomposition of a dense matrix, and what follows from it."""

from typing import NamedTuple

import numpy as np
from scipy import linalg

from statlearn._core.params import Int, Options, Real, check_arguments
from statlearn._core.validation import FLOATS, check_array
from statlearn._math.linalg.svd import signed


class SVD(NamedTuple):
    """Factors of ``A = U diag(s) Vt``, with the singular values in decreasing order."""

    U: np.ndarray
    s: np.ndarray
    Vt: np.ndarray


class Subspaces(NamedTuple):
    """Orthonormal bases, as columns, of the four fundamental subspaces of A."""

    column_space: np.ndarray
    left_null_space: np.ndarray
    row_space: np.ndarray
    null_space: np.ndarray


class Norms(NamedTuple):
    """Norms of a matrix and its condition number in the 2-norm."""

    frobenius: float
    spectral: float
    nuclear: float
    condition: float


class RankK(NamedTuple):
    """Best approximation of a matrix by one of rank k, with its errors."""

    matrix: np.ndarray
    frobenius_error: float
    spectral_error: float


def numerical_rank(s, shape, tol=None):
    """Number of singular values above `tol` times the largest; None means the larger side times the precision."""
    if s.size == 0 or s[0] <= 0:
        return 0
    limit = max(shape) * np.finfo(s.dtype).eps if tol is None else tol
    return int(np.count_nonzero(s > limit * s[0]))


def _matrix(A):
    return check_array(A, dtype=FLOATS, input_name="A")


def _factors(A, *, full=False):
    try:
        return linalg.svd(A, full_matrices=full, check_finite=False)
    except linalg.LinAlgError:  # the divide-and-conquer driver failed: the slower one is safe
        return linalg.svd(A, full_matrices=full, check_finite=False, lapack_driver="gesvd")


def svd(A, *, mode="compact", k=None, tol=None):
    r"""Singular value decomposition :math:`A = U \,\mathrm{diag}(s)\, V^\top`.

    Parameters
    ----------
    A : array-like of shape (m, n)
    mode : {"complete", "thin", "compact", "truncated"}, default="compact"
        "complete" returns square orthogonal U and V, "thin" min(m, n) singular values, "compact" only those that are
        not 0 (the numerical rank), and "truncated" the `k` largest.
    k : int or None, default=None
        Number of singular values with ``mode="truncated"``, at most min(m, n).
    tol : float or None, default=None
        A singular value counts as 0 if it is at most `tol` times the largest. None means max(m, n) times the machine
        precision.

    Returns
    -------
    SVD
        Named tuple of `U`, `s` and `Vt`. The entry of largest absolute value in each row of `Vt` is positive.

    See Also
    --------
    TruncatedSVD : The leading part of large or sparse matrices.

    Examples
    --------
    >>> from statlearn.decomposition import svd
    >>> svd([[3.0, 0.0], [4.0, 5.0]]).s.round(4)
    array([6.7082, 2.2361])
    >>> svd([[1.0, 2.0], [2.0, 4.0]]).s
    array([5.])
    """
    check_arguments(
        svd,
        mode=(mode, [Options("complete", "thin", "compact", "truncated")]),
        k=(k, [Int(1, None), None]),
        tol=(tol, [Real(0, 1), None]),
    )
    A = _matrix(A)
    if (mode == "truncated") != (k is not None):
        raise ValueError("`k` must be given with `mode`='truncated', and only then.")
    if k is not None and k > min(A.shape):
        raise ValueError(f"`k`={k} exceeds min(m, n) = {min(A.shape)}.")
    U, s, Vt = _factors(A, full=mode == "complete")
    paired = len(s)
    U[:, :paired], Vt[:paired] = signed(U[:, :paired], Vt[:paired])
    if mode == "complete":
        # The rows beyond the singular values span null spaces and get separate signs.
        Vt[paired:] = signed(None, Vt[paired:])[1]
        U[:, paired:] = signed(None, U[:, paired:].T)[1].T
    elif mode in ("compact", "truncated"):
        keep = numerical_rank(s, A.shape, tol) if mode == "compact" else k
        U, s, Vt = U[:, :keep], s[:keep], Vt[:keep]
    return SVD(U, s, Vt)


def fundamental_subspaces(A, *, tol=None):
    """Orthonormal bases of the column space, left null space, row space and null space of a matrix.

    Parameters
    ----------
    A : array-like of shape (m, n)
    tol : float or None, default=None
        Limit of a zero singular value relative to the largest, as in `svd`.

    Returns
    -------
    Subspaces
        Named tuple of `column_space` (m, r), `left_null_space` (m, m - r), `row_space` (n, r) and `null_space`
        (n, n - r), with r the numerical rank.

    Examples
    --------
    >>> from statlearn.decomposition import fundamental_subspaces
    >>> parts = fundamental_subspaces([[1.0, 2.0], [2.0, 4.0]])
    >>> [basis.shape[1] for basis in parts]
    [1, 1, 1, 1]
    """
    check_arguments(fundamental_subspaces, tol=(tol, [Real(0, 1), None]))
    U, s, Vt = svd(A, mode="complete")
    r = numerical_rank(s, (U.shape[0], Vt.shape[1]), tol)
    return Subspaces(U[:, :r], U[:, r:], Vt[:r].T, Vt[r:].T)


def svd_inverse(A, *, tol=None):
    r"""Inverse or Moore-Penrose pseudo-inverse :math:`V \,\mathrm{diag}(1/s)\, U^\top`.

    Parameters
    ----------
    A : array-like of shape (m, n)
    tol : float or None, default=None
        Singular values up to `tol` times the largest count as 0, as in `svd`.

    Returns
    -------
    inverse : ndarray of shape (n, m)

    Examples
    --------
    >>> from statlearn.decomposition import svd_inverse
    >>> svd_inverse([[2.0, 0.0], [0.0, 0.0]])
    array([[0.5, 0. ],
           [0. , 0. ]])
    """
    U, s, Vt = svd(A, tol=tol)
    return Vt.T @ (U.T / s[:, None]) + 0.0


def svd_norms(A):
    """Frobenius, spectral and nuclear norm and the condition number, from the singular values.

    Parameters
    ----------
    A : array-like of shape (m, n)

    Returns
    -------
    Norms
        Named tuple of `frobenius`, `spectral`, `nuclear` and `condition`. The condition number is the ratio of the
        largest to the smallest of the min(m, n) singular values: infinite if the rank is deficient.

    Examples
    --------
    >>> from statlearn.decomposition import svd_norms
    >>> norms = svd_norms([[3.0, 0.0], [4.0, 5.0]])
    >>> round(norms.frobenius**2), round(norms.condition, 6)
    (50, 3.0)
    """
    A = _matrix(A)
    s = linalg.svdvals(A, check_finite=False)
    full = numerical_rank(s, A.shape) == len(s)
    return Norms(
        float(np.linalg.norm(s)), float(s[0]), float(s.sum()), float(s[0] / s[-1]) if full and s[0] > 0 else np.inf
    )


def best_rank_k(A, k):
    r"""Best approximation of a matrix by one of rank k, in the Frobenius and in the spectral norm.

    .. math:: A_k = \sum_{i \le k} s_i u_i v_i^\top = U_k U_k^\top A = A V_k V_k^\top

    Its Frobenius error is :math:`(\sum_{i>k} s_i^2)^{1/2}` and its spectral error :math:`s_{k+1}`.

    Parameters
    ----------
    A : array-like of shape (m, n)
    k : int
        Rank, from 0 to min(m, n).

    Returns
    -------
    RankK
        Named tuple of `matrix`, `frobenius_error` and `spectral_error`.

    References
    ----------
    Eckart and Young (1936), The approximation of one matrix by another of lower rank. Psychometrika 1.

    Examples
    --------
    >>> from statlearn.decomposition import best_rank_k
    >>> best = best_rank_k([[3.0, 0.0], [4.0, 5.0]], 1)
    >>> best.matrix.round(6)
    array([[1.5, 1.5],
           [4.5, 4.5]])
    >>> round(best.frobenius_error**2, 6)
    5.0
    """
    check_arguments(best_rank_k, k=(k, [Int(0, None)]))
    A = _matrix(A)
    if k > min(A.shape):
        raise ValueError(f"`k`={k} exceeds min(m, n) = {min(A.shape)}.")
    U, s, Vt = svd(A, mode="thin")
    rest = s[k:]
    return RankK(
        (U[:, :k] * s[:k]) @ Vt[:k],
        float(np.linalg.norm(rest)),
        float(rest[0]) if rest.size else 0.0,
    )
