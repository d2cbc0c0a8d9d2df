"""Decomposition of the centred, weighted design, from which ridge fits for every penalty follow.

With A = diag(sqrt(w)) (X - 1 m') and b = diag(sqrt(w)) (y - mean), A = U D V': coefficients, fits, leverages, residual
sums and degrees of freedom of ridge regression are sums over the singular directions with the factors d²/(d² + lambda).
"""

from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse

from statlearn._core.validation import effective_rows, require_finite
from statlearn._math.rows.rows import Rows
from statlearn._math.rows.statistics import CrossProducts

# Squared singular values below this fraction of the largest are rounding noise of a cross-product matrix.
RANK_TOL = 1e-13
# Below this reciprocal condition number a cross-product matrix is too inaccurate, and the SVD is used.
SAFE_RCOND = 1e-9


@dataclass
class Spectrum:
    """Singular values and directions of A, and the targets along them.

    Parameters
    ----------
    values : ndarray of shape (r,)
        Squared singular values d², largest first, without numerical zeros.
    vectors : ndarray of shape (p, r)
        Right singular vectors V.
    scores : ndarray of shape (r, m)
        U'b: the targets along the left singular vectors.
    total : ndarray of shape (m,)
        b'b, the sum of squares about the mean.
    x_mean : ndarray of shape (p,) or None
    y_mean : ndarray of shape (m,)
    left : ndarray of shape (n, r) or None
        U, if the decomposition yields it without extra work (p >= n, or by SVD).
    """

    values: np.ndarray
    vectors: np.ndarray
    scores: np.ndarray
    total: np.ndarray
    x_mean: np.ndarray | None
    y_mean: np.ndarray
    left: np.ndarray | None = None

    def coef(self, penalty):
        """Coefficients (m, p) for one penalty, or for one per target."""
        d = np.sqrt(self.values)
        factors = self.scores * d[:, None] / (self.values[:, None] + np.asarray(penalty))
        return (self.vectors @ factors).T

    def coefs(self, penalties):
        """Coefficients (k, m, p) for a grid of penalties, in one product."""
        penalties = np.asarray(penalties, dtype=np.float64)
        d = np.sqrt(self.values)
        factors = (self.scores * d[:, None])[:, :, None] / (self.values[:, None, None] + penalties)
        r, m, k = factors.shape
        return (self.vectors @ factors.reshape(r, m * k)).reshape(-1, m, k).transpose(2, 1, 0)

    def intercept(self, coef):
        """The intercept(s) that go with coefficients of shape (..., p)."""
        return self.y_mean if self.x_mean is None else self.y_mean - coef @ self.x_mean

    def df(self, penalty):
        """Trace of the ridge smoother without the intercept, sum d²/(d² + penalty)."""
        penalty = np.asarray(penalty, dtype=np.float64)
        return np.sum(self.values / (self.values + penalty[..., None]), axis=-1)

    def rss(self, penalties):
        """Residual sums of squares (k, m) on a grid of penalties."""
        left_over = np.maximum(self.total - np.sum(self.scores**2, axis=0), 0.0)
        penalties = np.asarray(penalties, dtype=np.float64)[:, None]
        shrunk = penalties / (self.values + penalties)
        return left_over + shrunk**2 @ self.scores**2


def _spectrum_by_svd(design, B, y_mean):
    U, d, Vt = linalg.svd(design.dense(), full_matrices=False, check_finite=False, lapack_driver="gesdd")
    keep = d > max(design.shape) * np.finfo(float).eps * (d[0] if d.size else 0.0)
    # Centring removes one direction; rounding must not restore it.
    keep[design.shape[0] - (design.mean is not None) :] = False
    U, d, Vt = U[:, keep], d[keep], Vt[keep]
    return Spectrum(d**2, Vt.T, U.T @ B, np.einsum("ij,ij->j", B, B), design.mean, y_mean, left=U)


def _spectrum_of_rows(design, B, y_mean):
    """Spectrum by the n x n matrix A A', for p >= n."""
    outer = design.row_gram()
    require_finite(outer)
    values, U = linalg.eigh(outer, driver="evd", check_finite=False)
    values, U = values[::-1], U[:, ::-1]
    keep = values > max(RANK_TOL, len(values) * np.finfo(float).eps) * max(values[0], 0.0)
    keep[design.shape[0] - (design.mean is not None) :] = False
    values, U = values[keep], U[:, keep]
    V = design.project(design.rooted(U)) / np.sqrt(values)
    return Spectrum(values, V, U.T @ B, np.einsum("ij,ij->j", B, B), design.mean, y_mean, left=U)


@dataclass
class RidgeProducts:
    """What a primal ridge solution needs: A'A (p, p), A'b (p, m), b'b (m,), the means and the number of rows."""

    S: np.ndarray
    Sxy: np.ndarray
    total: np.ndarray
    x_mean: np.ndarray | None
    y_mean: np.ndarray
    n_rows: int

    @classmethod
    def of_statistic(cls, statistic, fit_intercept=True):
        """From an additive `CrossProducts` statistic, of one block of rows or of many merged ones."""
        S, Sxy, Syy = statistic.centred() if fit_intercept else statistic.uncentred()
        x_mean, y_mean = statistic.means() if fit_intercept else (None, np.zeros(Syy.shape[0]))
        return cls(S, Sxy, np.diag(Syy).copy(), x_mean, y_mean, statistic.n_rows)

    @classmethod
    def of_rows(cls, X, Y, weights=None, fit_intercept=True):
        """From the rows, in one pass."""
        p, m = X.shape[1], Y.shape[1]
        if m <= max(p, 16):
            return cls.of_statistic(CrossProducts.from_block(X, Y, weights, centre=fit_intercept), fit_intercept)
        # With very many targets, their unused m x m products would dominate the cost.
        few = cls.of_statistic(CrossProducts.from_block(X, Y[:, :1], weights, centre=fit_intercept), fit_intercept)
        design = Rows(X, weights, centre=fit_intercept)
        B, y_mean = design.targets(Y)
        total = np.einsum("ij,ij->j", B, B)
        return cls(few.S, design.project(design.rooted(B)), total, few.x_mean, y_mean, few.n_rows)

    def spectrum(self):
        """The decomposition of A'A."""
        require_finite(self.S)
        values, vectors = linalg.eigh(self.S, driver="evd", check_finite=False)
        values, vectors = values[::-1], vectors[:, ::-1]
        keep = values > max(RANK_TOL, len(values) * np.finfo(float).eps) * max(values[0], 0.0)
        keep[self.n_rows - (self.x_mean is not None) :] = False
        values, vectors = values[keep], vectors[:, keep]
        scores = (vectors.T @ self.Sxy) / np.sqrt(values)[:, None]
        return Spectrum(values, vectors, scores, self.total, self.x_mean, self.y_mean)


def decompose(X, Y, weights=None, *, fit_intercept=True, method="auto", floor=0.0):
    """The spectrum of a ridge problem, with the design and the targets it belongs to.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n, p)
    Y : ndarray of shape (n, m)
    weights : ndarray of shape (n,) or None, default=None
    fit_intercept : bool, default=True
    method : {"auto", "eigen", "svd"}, default="auto"
        "eigen" decomposes A'A or A A', whichever is smaller; "auto" does the same, but uses the SVD of A if that
        matrix is too ill-conditioned for the smallest penalty.
    floor : float, default=0.0
        The smallest penalty that will be used.

    Returns
    -------
    spectrum : Spectrum
    design : Rows
    B : ndarray of shape (n, m)
        Centred, weighted targets.
    """
    Y = np.asarray(Y, dtype=np.float64)
    n, p = X.shape
    if method == "svd":
        design = Rows(X, weights, centre=fit_intercept)
        B, y_mean = design.targets(Y)
        return _spectrum_by_svd(design, B, y_mean), design, B
    if p < effective_rows(n, weights):
        spectrum = RidgeProducts.of_rows(X, Y, weights, fit_intercept).spectrum()
        design = Rows(X, weights, mean=spectrum.x_mean)
        B, y_mean = design.rooted(Y - spectrum.y_mean), spectrum.y_mean
    else:
        design = Rows(X, weights, centre=fit_intercept)
        B, y_mean = design.targets(Y)
        spectrum = _spectrum_of_rows(design, B, y_mean)
    if method == "auto" and not sparse.issparse(X) and _too_rough(spectrum.values, floor):
        spectrum = _spectrum_by_svd(design, B, y_mean)
    return spectrum, design, B


def _too_rough(values, floor):
    return values.size > 0 and values[-1] + floor < SAFE_RCOND * values[0]
