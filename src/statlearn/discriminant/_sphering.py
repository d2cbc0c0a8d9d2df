"""Sphering: the linear map that turns a covariance into the identity, and what to do if it is singular."""

import contextlib
from dataclasses import dataclass

import numpy as np
from scipy import linalg

from statlearn._core.blas import single_blas_thread
from statlearn._core.names import input_names
from statlearn._core.validation import require_finite
from statlearn._core.warnings import RankWarning, warn
from statlearn._math.linalg.positive import cholesky

# Conditional variances of correlated columns above which a Cholesky factor serves without a look at the eigenvalues.
_WELL_CONDITIONED = 1e-5


def small_blas(p):
    """A context for many factorisations of p x p matrices: with one thread where threads would wait for one another."""
    return single_blas_thread() if p <= 256 else contextlib.nullcontext()


def rounding_of(dtype, p):
    """The share of the largest eigenvalue below which eigenvalues of a covariance of p columns are rounding."""
    return 3e-7 * np.sqrt(p) if np.dtype(dtype) == np.float32 else 1e-14 * p


@dataclass
class Sphering:
    """A matrix W of shape (p, rank) with ``W' S W = I``; ``W W'`` is the inverse of S, or a generalised inverse."""

    W: np.ndarray
    log_det: float  # of S on the space that W spans

    @property
    def rank(self):
        return self.W.shape[1]


def sphere(S, *, tol=0.0, scaled=True, dtype=np.float64):
    """Sphering of a covariance by its eigendecomposition.

    Parameters
    ----------
    S : ndarray of shape (p, p)
    tol : float, default=0.0
        Directions whose standard deviation, in units of the columns' standard deviations, is at most `tol` are dropped.
    scaled : bool, default=True
        Whether the columns are scaled to variance 1 first, so that the rank does not depend on units.
    dtype : dtype
        Precision of the data behind S, which limits the eigenvalues that can be told from 0.
    """
    require_finite(S)
    scale = np.ones(len(S))
    if scaled:
        spread = np.sqrt(np.maximum(np.diagonal(S), 0.0))
        scale = np.where(spread > 0, spread, 1.0)
    values, vectors = linalg.eigh(S / np.outer(scale, scale))
    keep = values > max(tol**2 if scaled else 0.0, rounding_of(dtype, len(S)) * max(values[-1], 0.0))
    keep[values <= 0] = False
    eigenvalues = values[keep]
    W = vectors[:, keep] / np.sqrt(eigenvalues) / scale[:, None]
    return Sphering(W, float(np.log(eigenvalues).sum() + 2.0 * np.log(scale).sum()))


def sphere_regular(S, *, tol=0.0, dtype=np.float64):
    """`sphere` by a Cholesky factor where S is far from singular, at a tenth of the cost; W is then triangular."""
    require_finite(S)
    factor = cholesky(S, cutoff=max(_WELL_CONDITIONED, tol))
    if factor is not None:
        return Sphering(factor.whitening, factor.log_det)
    return sphere(S, tol=tol, dtype=dtype)


def correlation_condition(S):
    """Condition number of the correlation matrix behind a covariance; NaN if a variance is 0 or not known."""
    scale = np.sqrt(np.maximum(np.diagonal(S), 0.0))
    if not (np.isfinite(S).all() and np.all(scale > 0)):
        return np.nan
    return float(np.linalg.cond(S / np.outer(scale, scale)))


def stack_spherings(spherings, p, dtype):
    """The matrices W of several spherings of full rank in one array (k, p, p), and whether all are upper triangles.

    None, for a class that has no sphering, becomes zeros.
    """
    W = np.zeros((len(spherings), p, p), dtype=dtype)
    for place, each in zip(W, spherings):
        if each is not None:
            place[:] = each.W
    return W, not np.tril(W, -1).any()


def sphere_rows(Z, scale_by, *, tol=0.0):
    """Sphering of Z'Z by the singular values of Z (n x p, n < p), whose columns are divided by `scale_by` first."""
    require_finite(Z)
    _, s, Vt = linalg.svd(Z / scale_by, full_matrices=False)
    keep = s > max(tol, max(Z.shape) * np.finfo(Z.dtype).eps * (s[0] if len(s) else 0.0))
    return Sphering((Vt[keep] / scale_by).T / s[keep], float("nan"))


def warn_singular(estimator, rank, p, remedy, separators=()):
    """The one warning about a within-class scatter without an inverse; `separators` are columns that it ignores."""
    warn(
        f"{type(estimator).__name__}: the within-class scatter is singular (rank {rank} of {p} columns): columns are "
        f"collinear or constant within the classes, or there are too few rows. {remedy}"
        + separator_words(estimator, separators),
        RankWarning,
    )


def separating_columns(statistic, variances):
    """Positions of the columns that are constant within all classes and differ between some of them."""
    means = statistic.means[statistic.counts > 0]
    size = np.maximum(np.abs(means).max(axis=0), np.finfo(float).tiny)
    return np.flatnonzero((variances <= (1e-7 * size) ** 2) & (np.ptp(means, axis=0) > 1e-6 * size))


def separator_words(estimator, columns):
    """A sentence about columns that are ignored although they separate classes; empty if there are none."""
    if not len(columns):
        return ""
    names = [str(input_names(estimator)[j]) for j in columns[:5]]
    return (
        f" Columns that are constant within every class but differ between classes: {', '.join(names)}"
        f"{', ...' if len(columns) > 5 else ''}. They separate classes without error, but a Gaussian model cannot use "
        "them. Check whether they contain the answer; if not, use a tree or a rule."
    )


def between_basis(means, shares):
    """Orthonormal basis (p, r) of the space spanned by the differences of the class means."""
    gap = np.sqrt(shares)[:, None] * (means - shares @ means)
    _, s, Vt = linalg.svd(gap, full_matrices=False)
    return Vt[s > max(gap.shape) * np.finfo(float).eps * max(s[0], np.finfo(float).tiny)].T
