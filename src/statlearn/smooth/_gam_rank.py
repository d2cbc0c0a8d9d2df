"""Coefficients that the rows cannot tell apart."""

import numpy as np
from scipy.linalg import lapack

from statlearn._core.warnings import RankWarning, warn

from ._gam_factor import Factor

_SINGULAR = 1e-13  # reciprocal condition number, of columns on a scale of 1


def inverse_information(A, names, diagonal=None):
    """The inverse of the penalised cross-products, or where they are singular its part that the rows determine.

    Parameters
    ----------
    A : ndarray of shape (q, q)
        Symmetric.
    names : list of str
        Of the coefficients, for the warning.
    diagonal : slice or None, default=None
        Columns among which A is diagonal.

    Returns
    -------
    inverse : ndarray of shape (q, q)
    regular : bool
        Whether it is the inverse of all.
    """
    scale = np.sqrt(np.maximum(np.diagonal(A), 0.0))
    scale[scale == 0] = 1.0
    if diagonal is not None:
        factor = Factor(A, diagonal)
        own = np.ascontiguousarray(factor.R / scale[factor.rest])
        if lapack.dpocon(own, np.abs(own.T @ own).sum(axis=0).max())[0] > _SINGULAR:
            return factor.inverse(), True
    M = A / scale / scale[:, None]
    factor, info = lapack.dpotrf(M, lower=1)
    if info == 0 and lapack.dpocon(factor, np.abs(M).sum(axis=0).max(), uplo="L")[0] > _SINGULAR:
        return np.linalg.inv(A), True
    values, vectors = np.linalg.eigh(M)
    lost = values <= _SINGULAR * len(M) * values[-1]
    share = np.sqrt(np.sum(vectors[:, lost] ** 2, axis=1))
    words = [name for name, part in zip(names, share, strict=True) if part > 0.1]
    warn(
        f"The rows cannot tell {len(words)} coefficients apart, {', '.join(words[:6])}{' ...' if words[6:] else ''}: a "
        "column is constant or follows from others. What they are together is right; leave out terms to read them.",
        RankWarning,
    )
    kept = vectors[:, ~lost] / scale[:, None]
    return (kept / values[~lost]) @ kept.T, False
