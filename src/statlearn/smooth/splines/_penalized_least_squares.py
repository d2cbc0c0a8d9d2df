"""Penalised least squares on a basis, for all values of the penalty at once."""

import numpy as np
from scipy import linalg

from ._smoothing_problem import minimise


def reduce_rows(H, y, weights):
    """(F, z, rest) with F'F = H'WH, F'z = H'Wy and rest = y'Wy - z'z, from one QR decomposition; y has columns."""
    root = np.ones(len(H)) if weights is None else np.sqrt(weights)
    if len(H) <= H.shape[1]:
        return root[:, None] * H, root[:, None] * y, np.zeros(y.shape[1])
    k = H.shape[1]
    R = np.linalg.qr(root[:, None] * np.hstack([H, y]), mode="r")
    return R[:k, :k], R[:k, k:], np.sum(R[k:, k:] ** 2, axis=0)


def reduce_band(band, products, squares):
    """(F, z, rest) from the band of H'WH (lower form), H'Wy and y'Wy; None if H'WH is singular to rounding."""
    try:
        lower = linalg.cholesky_banded(band, lower=True)
    except linalg.LinAlgError:
        return None
    if lower[0].min() <= 1e-6 * lower[0].max():
        return None
    k = band.shape[1]
    F = np.zeros((k, k))
    for d in range(len(lower)):
        F[np.arange(k - d), np.arange(d, k)] = lower[d, : k - d]
    z = linalg.solve_triangular(F, products, trans="T")
    return F, z, np.maximum(squares - np.sum(z**2, axis=0), 0.0)


class PenalizedLeastSquares:
    r"""Minimises :math:`|z - F\beta|^2 + \lambda \beta^\top P \beta` for any :math:`\lambda`.

    One decomposition diagonalises both quadratic forms: with :math:`\tau` the ratio of their sizes and G the new basis,
    :math:`G^\top F^\top F G = C` and :math:`G^\top \tau P G = I - C`. Directions in the null space of both forms are
    dropped, which gives the minimum-norm coefficients in units of the columns' lengths.

    Parameters
    ----------
    F, z, rest : ndarray
        From `reduce_rows` or `reduce_band`.
    penalty : ndarray of shape (K, K) or None
    total : float
        Sum of the weights of the rows.

    Attributes
    ----------
    rank : int
        Of the design.
    """

    def __init__(self, F, z, rest, penalty, total):
        self.total = total
        k = F.shape[1]
        size = np.sum(F**2)
        root = np.zeros((0, k))
        self.ratio = 1.0
        if penalty is not None and np.any(penalty):
            values, vectors = np.linalg.eigh(penalty)
            root = np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T
            self.ratio = max(size, np.finfo(float).tiny) / np.sum(root**2)
            root = np.sqrt(self.ratio) * root
        # Scaled columns: the cube of a large number must not make the constant look negligible.
        both = np.vstack([F, root])
        length = np.linalg.norm(both, axis=0)
        length[length == 0] = 1.0
        _, s, Vt = linalg.svd(both / length, full_matrices=False)
        positive = s > 1e-12 * max(s[0], np.finfo(float).tiny) if len(s) else s > 0
        T = Vt[positive].T / s[positive] / length[:, None]
        # The singular values of F T are the cosines; those below rounding belong to the penalty alone.
        _, c, Zt = linalg.svd(F @ T, full_matrices=True)
        self.share = np.zeros(T.shape[1])
        self.share[: len(c)] = np.minimum(c, 1.0) ** 2
        self.share[self.share < 1e-18] = 0.0
        self.rank = int(np.count_nonzero(self.share > 1e-18))
        self.basis = T @ Zt.T
        projected = F @ self.basis  # orthogonal columns of squared length `share`
        self.pull = projected.T @ z
        seen = self.share > 0
        unit = projected[:, seen] / np.sqrt(self.share[seen])
        self.part = unit.T @ z
        self.rest = rest + np.sum((z - unit @ self.part) ** 2, axis=0)

    def _inverse(self, lam):
        """Diagonal of the inverse in the new basis; 0 for directions without data or penalty."""
        total = self.share + (lam / self.ratio) * (1.0 - self.share)
        return np.divide(1.0, total, out=np.zeros_like(total), where=(total > 0) & ((self.share > 0) | (lam > 0)))

    def coef(self, lam):
        """Coefficients, one column for each response."""
        return self.basis @ (self._inverse(lam)[:, None] * self.pull)

    def df(self, lam):
        """Trace of the smoother."""
        return float(np.sum(self.share * self._inverse(lam)))

    def rss(self, lam):
        """Weighted residual sum of squares of each response."""
        seen = self.share > 0
        missed = 1.0 - self.share[seen] * self._inverse(lam)[seen]
        return self.rest + np.sum((missed[:, None] * self.part) ** 2, axis=0)

    def gcv(self, lam):
        """Generalised cross-validation error, averaged over the responses."""
        slack = 1.0 - self.df(lam) / self.total
        return float(np.mean(self.rss(lam))) / self.total / slack**2 if slack > 0 else np.inf

    def covariance(self, lam):
        """Covariance of the coefficients for noise of variance 1, in the Bayesian model behind the penalty."""
        return (self.basis * self._inverse(lam)) @ self.basis.T

    def best_lambda(self):
        """Penalty with the smallest GCV."""
        grid = np.linspace(-9.0, 9.0, 25) + np.log10(self.ratio)
        return 10.0 ** minimise(lambda t: np.array([self.gcv(10.0**v) for v in t]), grid)

    def lambda_of_df(self, df):
        """Penalty at which the trace is `df`."""
        from scipy.optimize import brentq

        low, high = np.log10(self.ratio) - 14.0, np.log10(self.ratio) + 14.0
        upper, least = self.df(10.0**low), self.df(10.0**high)
        if not least < df < upper:
            raise ValueError(f"`df` must be between {least:.6g} and {upper:.6g} for these rows, got {df}.")
        return 10.0 ** brentq(lambda t: self.df(10.0**t) - df, low, high, xtol=1e-13, rtol=1e-13)
