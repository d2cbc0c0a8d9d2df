"""Symmetric positive definite systems: one scaling, one measure of dependent columns, one way out of singularity.

Every matrix is scaled to a unit diagonal first, since the accuracy of a Cholesky factor depends on the best diagonal
scaling. The square of a diagonal entry of the factor is then the share of a column's sum of squares that the columns
before it leave unexplained, which is what is compared with a cutoff.
"""

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from statlearn._core.blas import single_blas_thread
from statlearn._core.validation import require_finite

DEPENDENT = 1e-11  # a column whose unexplained share is at most this depends on the others
RIDGES = (0.0, 1e-14, 1e-12, 1e-10, 1e-8)  # of a unit diagonal, until the rounding errors of a factor are outweighed


def scales(A, size=None):
    """Square roots of the diagonal (or of `size`), 1 where it is not positive."""
    d = np.diagonal(A) if size is None else size
    return np.sqrt(np.where(d > 0.0, d, 1.0))


@dataclass(frozen=True)
class ScaledCholesky:
    """A = D U'U D with an upper triangle U of unit columns and a diagonal D."""

    U: np.ndarray
    scale: np.ndarray
    norm: float = np.nan  # of U'U, the largest sum of absolute values of a column

    @property
    def rcond(self):
        """Reciprocal condition number of the scaled matrix, as LAPACK estimates it."""
        return float(linalg.lapack.dpocon(self.U, self.norm)[0])

    @property
    def whitening(self):
        """W with W'AW = I, an upper triangle."""
        inverse, _ = linalg.lapack.dtrtri(self.U)
        return inverse / self.scale[:, None]

    @property
    def pivots(self):
        """Share of each column that the columns before it leave unexplained."""
        return np.diagonal(self.U) ** 2

    @property
    def upper(self):
        """The factor of A itself, U D."""
        return self.U * self.scale

    @property
    def log_det(self):
        return 2.0 * float(np.log(np.diagonal(self.U)).sum() + np.log(self.scale).sum())

    @property
    def rank(self):
        return len(self.scale)

    def solve(self, B):
        """A^-1 B for a vector or a matrix; infinite where it overflows."""
        if len(B) == 0:
            return np.zeros_like(B)
        with np.errstate(over="ignore"):
            inner, _ = linalg.lapack.dpotrs(self.U, (B.T / self.scale).T)
            return (inner.T / self.scale).T

    def inverse(self):
        """A^-1, exactly symmetric."""
        V = self.solve(np.eye(len(self.scale)))
        return (V + V.T) / 2.0


@dataclass(frozen=True)
class ScaledPseudoInverse:
    """Pseudo-inverse of a singular A in the scaling of its unit diagonal, as H H'."""

    H: np.ndarray

    @property
    def rank(self):
        return self.H.shape[1]

    def solve(self, B):
        """The pseudo-inverse times a vector or a matrix."""
        return self.H @ (self.H.T @ B)

    def inverse(self):
        return self.H @ self.H.T


def cholesky(A, *, cutoff=0.0):
    """Scaled Cholesky factor of A; None if A is not positive definite, or a column explained beyond the cutoff."""
    scale = scales(A)
    with np.errstate(invalid="ignore"):  # of infinite entries
        C = A / scale / scale[:, None]
    U, info = linalg.lapack.dpotrf(C, lower=0, clean=1)
    if info != 0 or not (np.diagonal(U) ** 2).min(initial=1.0) > cutoff:
        return None
    return ScaledCholesky(U, scale, np.abs(C).sum(axis=0).max(initial=0.0))


def large_cholesky(A):
    """Cholesky factor of a large positive definite A, which is overwritten and not scaled.

    For matrices of rows, such as kernel matrices, whose diagonal entries are of one size. Raises LinAlgError if A is
    not positive definite.
    """
    U, info = linalg.get_lapack_funcs("potrf", (A,))(A.T, lower=0, clean=1, overwrite_a=1)
    if info != 0:
        raise linalg.LinAlgError("the matrix is not positive definite")
    return ScaledCholesky(U, np.ones(len(A)))


def scaled_eigen(A):
    """Eigenvalues and eigenvectors of A scaled to a unit diagonal, and the scale; a zero on the diagonal is kept."""
    require_finite(A)
    scale = scales(A)
    with single_blas_thread(len(A)):
        values, vectors = linalg.eigh(A / scale / scale[:, None])
    return values, vectors, scale


def positive_system(A, *, cutoff=DEPENDENT):
    """Solver for a symmetric positive semi-definite A: its Cholesky factor, or its pseudo-inverse if it is singular.

    Parameters
    ----------
    A : ndarray of shape (d, d)
    cutoff : float, default=1e-11
        Smallest unexplained share of a column, and smallest eigenvalue relative to the largest, that count as positive.

    Returns
    -------
    ScaledCholesky or ScaledPseudoInverse
        With `solve`, `inverse` and `rank`.
    """
    factor = cholesky(A, cutoff=cutoff)
    if factor is not None:
        return factor
    values, vectors, scale = scaled_eigen(A)
    keep = values > cutoff * max(values[-1], 0.0)
    return ScaledPseudoInverse(vectors[:, keep] / np.sqrt(values[keep]) / scale[:, None])


def positive_inverse(A):
    """Inverse of a symmetric positive definite A, the pseudo-inverse if it is singular; refused if it overflows."""
    with np.errstate(divide="ignore", over="ignore"):
        require_finite(1.0 / np.diagonal(A))
    inverse = positive_system(A).inverse()
    require_finite(inverse)
    return inverse


def regularised_cholesky(A, *, size=None):
    """Scaled Cholesky factor of A plus the smallest ridge that outweighs rounding errors.

    Raises LinAlgError if A is indefinite by more than that. The factor of an A with NaN contains NaN. `size` replaces
    the diagonal of A as the scale.
    """
    scale = np.sqrt(np.maximum(np.diagonal(A) if size is None else size, 1e-300))
    C = A / scale
    C /= scale[:, None]
    for ridge in RIDGES:
        U, info = linalg.lapack.dpotrf(C + ridge * np.eye(len(C)) if ridge else C)
        if info == 0:
            return ScaledCholesky(U, scale)
    raise linalg.LinAlgError("the matrix is not positive definite")


def independent_columns(S, *, cutoff=DEPENDENT, removed=None):
    """Mask of linearly independent columns, given their cross-products; of a dependent set, the first are kept.

    Parameters
    ----------
    S : ndarray of shape (p, p)
    cutoff : float, default=1e-11
        A column is dependent if earlier ones leave at most this share of its sum of squares unexplained.
    removed : ndarray of shape (p,), optional
        Sums of squares that centring has removed; a remainder below their rounding errors counts as 0.

    Returns
    -------
    ndarray of bool of shape (p,)
    """
    d = np.diagonal(S)
    present = d > (0.0 if removed is None else 1e-25 * np.asarray(removed))
    if present.all() and cholesky(S, cutoff=cutoff) is not None:
        return present
    # Column-wise Cholesky that skips the pivots of dependent columns.
    scale = np.sqrt(np.where(present, d, 1.0))
    C = S / scale / scale[:, None]
    p = len(C)
    L, chosen = np.zeros((p, p)), np.zeros(p, dtype=bool)
    for j in range(p):
        row = L[j, :j]
        pivot = 1.0 - row @ row
        if present[j] and pivot > cutoff:
            chosen[j] = True
            L[j, j] = np.sqrt(pivot)
            L[j + 1 :, j] = (C[j + 1 :, j] - L[j + 1 :, :j] @ row) / L[j, j]
    return chosen
