"""Penalties of an additive model and their determinants."""

from dataclasses import dataclass

import numpy as np

from statlearn._math.linalg.positive import regularised_cholesky

from ._factor import as_slice, is_diagonal


@dataclass
class SmoothnessPenalty:
    """One smoothing parameter's matrix, and the columns it acts on."""

    at: slice
    S: np.ndarray

    @property
    def root(self):
        """Columns, and for them a matrix R of full rank with R R' = S, or its diagonal."""
        if is_diagonal(self.S):
            values = np.diagonal(self.S)
            positive = np.flatnonzero(values > 1e-12 * values.max())
            return as_slice(self.at.start + positive), np.sqrt(values[positive])
        values, vectors = np.linalg.eigh(self.S)
        positive = values > 1e-12 * values[-1]
        return self.at, vectors[:, positive] * np.sqrt(values[positive])


class Block:
    """The penalties of one term: the logarithm of the determinant of their sum on its range."""

    def __init__(self, at, matrices, which, null):
        self.at, self.which, self.null = at, np.asarray(which), null
        total = sum(S / np.linalg.norm(S) for S in matrices)
        # Penalties that act on different directions (one of them alone, or a smooth's two under `select`) have
        # determinants of their own, however far apart the smoothing parameters are.
        self.apart = all(
            np.linalg.norm(A @ B) <= 1e-8 * np.linalg.norm(A) * np.linalg.norm(B)
            for k, A in enumerate(matrices)
            for B in matrices[:k]
        )
        # Where the range is: columns with a matrix, or the diagonal of one, for `BlockColumns`.
        if self.apart and all(is_diagonal(S) for S in matrices):
            positive = np.sort(np.argsort(np.diagonal(total), kind="stable")[null:])
            self.range = as_slice(at.start + positive), np.ones(len(positive))
            spectra = [np.sort(np.maximum(np.diagonal(S)[positive], 0.0)) for S in matrices]
        else:
            U = np.linalg.eigh(total)[1][
                :, null:
            ]  # eigenvalues come in increasing order, those of the null space first
            self.range = at, U
            self.parts = [U.T @ S @ U for S in matrices]
            spectra = [np.maximum(np.linalg.eigvalsh(S), 0.0) for S in self.parts] if self.apart else None
        if self.apart:
            # Together they have the rank of the range: knots of a skewed feature spread the eigenvalues too far for a
            # threshold below which the small ones are 0.
            sizes = np.sort(np.concatenate([values / values[-1] for values in spectra]))
            smallest = sizes[-self.range[1].shape[-1]]
            positive = [values[values / values[-1] >= smallest] for values in spectra]
            self.ranks = np.array([float(len(values)) for values in positive])
            self.constant = float(sum(np.log(values).sum() for values in positive))

    def log_det(self, rho):
        """The value, its gradient and its matrix of second derivatives in the log smoothing parameters."""
        if self.apart:
            return self.constant + float(self.ranks @ rho), self.ranks, np.zeros((len(rho), len(rho)))
        lam = np.exp(rho)
        log_det, inverse = _sum_log_det(self.parts, lam)
        shares = [value * inverse @ S for value, S in zip(lam, self.parts)]
        slope = np.array([np.trace(A) for A in shares])
        return log_det, slope, np.diag(slope) - np.array([[np.sum(A * B.T) for B in shares] for A in shares])


def _sum_log_det(parts, lam):
    """log|sum_j lam_j S_j| and the inverse of the sum, for smoothing parameters that may be far apart.

    The directions that the strongest penalty leaves alone are split off: there the weaker ones decide, and their digits
    must not drown in those of the strongest (Wood, 2011, appendix B).
    """
    strongest = int(np.argmax([value * np.linalg.norm(S) for value, S in zip(lam, parts)]))
    values, vectors = np.linalg.eigh(parts[strongest])
    positive = values > 1e-12 * values[-1]
    R, N = vectors[:, positive], vectors[:, ~positive]
    rest = sum(value * S for j, (value, S) in enumerate(zip(lam, parts)) if j != strongest)
    A = np.diag(lam[strongest] * values[positive]) + R.T @ rest @ R
    factor = regularised_cholesky(A)
    A_inverse = factor.inverse()
    if not N.shape[1]:
        return factor.log_det, R @ A_inverse @ R.T
    cross = R.T @ rest @ N
    slopes = A_inverse @ cross
    schur = regularised_cholesky(N.T @ rest @ N - cross.T @ slopes)
    schur_inverse = schur.inverse()
    top = A_inverse + slopes @ schur_inverse @ slopes.T
    corner = slopes @ schur_inverse
    inverse = R @ top @ R.T - R @ corner @ N.T - N @ corner.T @ R.T + N @ schur_inverse @ N.T
    return factor.log_det + schur.log_det, inverse
