"""Coefficients that are not identifiable."""

import numpy as np
from scipy.linalg import lapack

from statlearn._core.warnings import RankWarning, warn
from statlearn._math.linalg.positive import cholesky, scaled_eigen, scales

from ._factor import GamFactor

_SINGULAR = 1e-13  # reciprocal condition number, of columns on a scale of 1


def is_singular(A, diagonal=None):
    """Whether a symmetric matrix with scaled columns is singular to working precision.

    Parameters
    ----------
    A : ndarray of shape (q, q)
    diagonal : slice or None, default=None
        Columns among which A is diagonal.
    """
    if diagonal is not None and np.all(np.diagonal(A)[diagonal] > 0):
        factor = GamFactor(A, diagonal)
        reduced = np.ascontiguousarray(factor.R / scales(A)[factor.rest])
        if lapack.dpocon(reduced, np.abs(reduced.T @ reduced).sum(axis=0).max())[0] > _SINGULAR:
            return False
    factor = cholesky(A)
    return factor is None or factor.rcond <= _SINGULAR


def inverse_information(A, ridge, names, diagonal=None, judged=None):
    """The inverse of the penalised cross-products; if they are singular, its part that the rows determine.

    Parameters
    ----------
    A : ndarray of shape (q, q)
        Symmetric.
    ridge : float or ndarray of shape (q,)
        What was added to its diagonal to keep the coefficients finite.
    names : list of str
        Names of the coefficients, for the warning.
    diagonal : slice or None, default=None
        Columns among which A is diagonal.
    judged : ndarray of shape (q, q) or None, default=None
        The same for equal weights and without the ridge, from which it is seen what the rows determine; None: A.

    Returns
    -------
    inverse : ndarray of shape (q, q)
    kept : ndarray of shape (q, q) or None
        None if A is nonsingular. Otherwise the projection that removes the undetermined part of the coefficients, in
        units of the columns.
    """
    judged = A if judged is None else judged
    if not is_singular(judged, diagonal):
        try:
            return (np.linalg.inv(A) if diagonal is None else GamFactor(A, diagonal).inverse()), None
        except np.linalg.LinAlgError:
            judged = A  # the weights of the rows that determine a coefficient have vanished
    values, vectors, scale = scaled_eigen(judged)
    lost = values <= _SINGULAR * len(A) * values[-1]
    share = np.sqrt(np.sum(vectors[:, lost] ** 2, axis=1))
    words = [name for name, part in zip(names, share, strict=True) if part > 0.1]
    warn(
        f"{len(words)} coefficients are not identifiable "
        f"({', '.join(words[:6])}{' ...' if words[6:] else ''}): a column is constant or a linear combination "
        "of others. Predictions are valid, but these coefficients cannot be interpreted one by one; drop "
        "redundant terms.",
        RankWarning,
    )
    root = vectors[:, ~lost] / scale[:, None]
    M = root.T @ (A - np.diag(np.broadcast_to(ridge, len(A)))) @ root
    return root @ np.linalg.solve(M, root.T), root @ (vectors[:, ~lost] * scale[:, None]).T
