"""Positive semi-definiteness: checks, a report, and repair."""

from typing import NamedTuple

import numpy as np
from scipy import linalg
from sklearn.utils import check_random_state

from statlearn._core.params import Int, Options, Real, check_arguments
from statlearn._math.linalg.eigen import eigh_between

from ._gram import check_gram, is_symmetric


class MercerReport(NamedTuple):
    """Evidence on whether a matrix is a kernel matrix, as returned by :func:`mercer_report`.

    Parameters
    ----------
    symmetric : bool
        Whether it equals its transpose up to rounding.
    asymmetry : float
        Largest difference between opposite entries.
    smallest_eigenvalue, largest_eigenvalue : float
        Of the symmetric part.
    rank : int
        Number of eigenvalues larger than `tol` times the largest in absolute value.
    n_negative : int
        Number of eigenvalues below minus that threshold.
    negative_share : float
        Sum of the absolute negative eigenvalues divided by the sum of all absolute eigenvalues.
    smallest_form : float
        Smallest quadratic form v'Kv over random unit vectors v, never below the smallest eigenvalue.
    cauchy_schwarz : float
        Largest excess of K_ij^2 over K_ii K_jj, relative to the largest K_ij^2; at most 0 up to rounding for a kernel
        matrix.
    psd : bool
        Whether the matrix is symmetric and positive semi-definite up to `tol`.
    n_items : int
        Number of rows of the matrix.

    Examples
    --------
    >>> from statlearn.kernels import mercer_report
    >>> print(mercer_report([[2.0, 1.0], [1.0, 2.0]]))
    Positive semi-definite: yes
      symmetric                 yes (largest difference 0)
      eigenvalues               1 to 3, rank 2 of 2
      negative eigenvalues      0 (0% of the spectrum)
      smallest quadratic form   1 over random unit vectors
    """

    symmetric: bool
    asymmetry: float
    smallest_eigenvalue: float
    largest_eigenvalue: float
    rank: int
    n_negative: int
    negative_share: float
    smallest_form: float
    cauchy_schwarz: float
    psd: bool
    n_items: int

    def __str__(self):
        yes = {True: "yes", False: "no"}
        return "\n".join(
            [
                f"Positive semi-definite: {yes[self.psd]}",
                f"  symmetric                 {yes[self.symmetric]} (largest difference {self.asymmetry:.3g})",
                f"  eigenvalues               {self.smallest_eigenvalue:.3g} to {self.largest_eigenvalue:.3g}, "
                f"rank {self.rank} of {self.n_items}",
                f"  negative eigenvalues      {self.n_negative} ({100 * self.negative_share:.2g}% of the spectrum)",
                f"  smallest quadratic form   {self.smallest_form:.3g} over random unit vectors",
            ]
        )


def _tolerance(tol, K):
    return len(K) * np.finfo(K.dtype).eps if tol is None else float(tol)


def is_psd(K, *, tol=None):
    """Whether a matrix is symmetric and positive semi-definite up to rounding.

    Parameters
    ----------
    K : array-like of shape (n, n)
    tol : float or None, default=None
        Eigenvalues above -`tol` times the largest absolute eigenvalue count as non-negative. None means n times the
        machine epsilon.

    Returns
    -------
    bool

    Examples
    --------
    >>> from statlearn.kernels import is_psd
    >>> is_psd([[1.0, 0.5], [0.5, 1.0]]), is_psd([[1.0, 2.0], [2.0, 1.0]])
    (True, False)
    """
    check_arguments(is_psd, tol=(tol, [Real(0, None), None]))
    K = check_gram(K, "K", symmetric=False)
    if not is_symmetric(K):
        return False
    values = linalg.eigvalsh((K + K.T) / 2)
    return bool(values[0] >= -_tolerance(tol, K) * np.abs(values).max())


def mercer_report(K, *, tol=None, n_vectors=100, random_state=0):
    """Evidence on whether a matrix is a kernel matrix: symmetry, eigenvalues, quadratic forms.

    Parameters
    ----------
    K : array-like of shape (n, n)
    tol : float or None, default=None
        Eigenvalues within `tol` times the largest absolute eigenvalue count as zero. None means n times the machine
        epsilon.
    n_vectors : int, default=100
        Number of random unit vectors for the quadratic form.
    random_state : int, RandomState instance or None, default=0

    Returns
    -------
    MercerReport
        A named tuple that prints as a table.

    See Also
    --------
    nearest_psd : repair of a matrix that fails.

    Examples
    --------
    >>> from statlearn.kernels import mercer_report, sigmoid_kernel
    >>> report = mercer_report(sigmoid_kernel([[1.0], [2.0]], gamma=1.0, coef0=0.0))
    >>> report.psd, report.n_negative, round(report.smallest_eigenvalue, 3)
    (False, 1, -0.091)
    """
    check_arguments(
        mercer_report,
        tol=(tol, [Real(0, None), None]),
        n_vectors=(n_vectors, [Int(1, None)]),
        random_state=(random_state, ["random_state"]),
    )
    K = check_gram(K, "K", symmetric=False).astype(np.float64)
    n = len(K)
    symmetric = is_symmetric(K)
    middle = (K + K.T) / 2
    values = linalg.eigvalsh(middle)
    size = np.abs(values).max()
    limit = _tolerance(tol, K) * size
    vectors = check_random_state(random_state).normal(size=(n, n_vectors))
    vectors /= np.linalg.norm(vectors, axis=0)
    forms = np.einsum("ij,ij->j", vectors, middle @ vectors)
    diagonal = np.diagonal(K)
    largest = float(np.max(K**2))
    excess = float(np.max(K**2 - np.outer(diagonal, diagonal)))
    return MercerReport(
        symmetric=symmetric,
        asymmetry=float(np.abs(K - K.T).max()),
        smallest_eigenvalue=float(values[0]),
        largest_eigenvalue=float(values[-1]),
        rank=int(np.sum(np.abs(values) > limit)),
        n_negative=int(np.sum(values < -limit)),
        negative_share=float(np.abs(values[values < -limit]).sum() / np.abs(values).sum()) if size > 0 else 0.0,
        smallest_form=float(forms.min()),
        cauchy_schwarz=excess / largest if largest > 0 else 0.0,
        psd=bool(symmetric and values[0] >= -limit),
        n_items=n,
    )


def nearest_psd(K, *, method="clip"):
    """Positive semi-definite matrix close to a given symmetric matrix.

    Parameters
    ----------
    K : array-like of shape (n, n)
        Its symmetric part is used.
    method : {"clip", "shift", "flip"}, default="clip"
        "clip" sets negative eigenvalues to 0, which gives the nearest matrix in the Frobenius norm. "shift" adds the
        absolute smallest eigenvalue to the diagonal, which keeps the distances between different items. "flip" takes
        absolute eigenvalues.

    Returns
    -------
    ndarray of shape (n, n)

    References
    ----------
    Higham (1988), Computing a nearest symmetric positive semidefinite matrix.

    Examples
    --------
    >>> from statlearn.kernels import nearest_psd
    >>> nearest_psd([[1.0, 2.0], [2.0, 1.0]])
    array([[1.5, 1.5],
           [1.5, 1.5]])
    >>> nearest_psd([[1.0, 2.0], [2.0, 1.0]], method="shift")
    array([[2., 2.],
           [2., 2.]])
    """
    check_arguments(nearest_psd, method=(method, [Options("clip", "shift", "flip")]))
    K = check_gram(K, "K", symmetric=False)
    K = (K + K.T) / 2
    if method == "shift":
        smallest = eigh_between(K, 0, 0)[0][0]
        return K + max(0.0, -smallest) * np.eye(len(K), dtype=K.dtype)
    values, vectors = linalg.eigh(K)
    if values[0] >= 0:
        return K
    values = np.maximum(values, 0.0) if method == "clip" else np.abs(values)
    repaired = (vectors * values) @ vectors.T
    return (repaired + repaired.T) / 2
