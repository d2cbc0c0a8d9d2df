"""The marginal likelihood of a Gaussian process with Gaussian noise, and its gradient."""

import math
from dataclasses import dataclass

import numpy as np

from statlearn._core.memory import require_memory
from statlearn._core.native import gp as native

LOG_2PI = math.log(2.0 * math.pi)
_SCALABLE = "Use SparseGaussianProcessRegressor or VecchiaGaussianProcessRegressor for many rows."


@dataclass
class Posterior:
    """Factor and solutions at given hyper-parameters.

    With K = L L' the covariance of the observations, H the basis and r the residuals of y after the prior mean.
    """

    L: np.ndarray  # (n, n), lower triangle
    dual: np.ndarray  # (n, t): K^-1 r
    log_likelihood: float
    coef: np.ndarray  # (q, t): coefficients of the basis
    white_basis: np.ndarray  # (n, q): L^-1 H


class Evidence:
    """Marginal likelihood of targets at fixed rows, as a function of the kernel's hyper-parameters.

    Keeps two n x n arrays, which are reused from one evaluation to the next.

    Parameters
    ----------
    model : CompiledCovariance or ObjectCovariance
    X : table of n rows, or a sequence
    Y : ndarray of shape (n, t)
        Targets, after a fixed prior mean.
    noise : float or ndarray of shape (n,)
        Variances added to the diagonal.
    basis : ndarray of shape (n, q) or None, default=None
    """

    def __init__(self, model, X, Y, noise, basis=None):
        self.model, self.X, self.noise = model, X, noise
        self.Y = np.ascontiguousarray(Y, dtype=np.float64)
        n = len(self.Y)
        self.basis = np.empty((n, 0)) if basis is None else basis
        require_memory(2 * 8 * n**2, f"The {n:,} x {n:,} covariance matrix and its inverse", _SCALABLE)
        self._factor = np.empty((n, n))
        self._inverse = None

    def posterior(self, theta=None, gradient=False, jitter=0.0):
        """Factor and solutions, or None if the covariance matrix is not positive definite."""
        n, t = self.Y.shape
        K = self.model.gram(theta, self.X, self._factor, gradient)
        K.reshape(-1)[:: n + 1] += self.noise + jitter
        if native.cholesky_factor(K) != 0:
            return None
        log_det = 2.0 * np.log(np.diagonal(K)).sum()
        if not math.isfinite(log_det):
            return None
        q = self.basis.shape[1]
        solved = np.ascontiguousarray(np.hstack([self.Y, self.basis])) if q else self.Y.copy()
        native.cholesky_solve_half(K, False, solved)
        coef, white = np.zeros((0, t)), np.empty((n, 0))
        if q:
            white = np.ascontiguousarray(solved[:, t:])
            coef = np.linalg.lstsq(white, solved[:, :t], rcond=None)[0]
            solved = np.ascontiguousarray(solved[:, :t] - white @ coef)
        square = float(np.einsum("ij,ij->", solved, solved))
        native.cholesky_solve_half(K, True, solved)
        value = -0.5 * square - 0.5 * t * (log_det + n * LOG_2PI)
        return Posterior(K, solved, value, coef, white)

    def value_and_gradient(self, theta):
        """Log marginal likelihood and its gradient with respect to theta; -inf and 0 if it does not exist."""
        return self.value_and_gradients(theta)[:2]

    def value_and_gradients(self, theta):
        """Log marginal likelihood and its gradients with respect to theta and to the targets."""
        posterior = self.posterior(theta, gradient=True)
        if posterior is None:
            return -math.inf, np.zeros(len(theta)), np.zeros(self.Y.shape)
        t = self.Y.shape[1]
        slope = self.model.trace(theta, self.X, -0.5 * t, self.inverse(posterior), 0.5 * posterior.dual, posterior.dual)
        return posterior.log_likelihood, slope, -posterior.dual

    def value(self, theta):
        """Log marginal likelihood; -inf if it does not exist."""
        posterior = self.posterior(theta)
        return -math.inf if posterior is None else posterior.log_likelihood

    def sample(self, rows):
        """The likelihood of a subset of the rows."""
        noise = self.noise[rows] if np.ndim(self.noise) else self.noise
        return Evidence(self.model, np.ascontiguousarray(self.X[rows]), self.Y[rows], noise, self.basis[rows])

    def inverse(self, posterior):
        """Lower triangle of the inverse covariance matrix."""
        if self._inverse is None:
            self._inverse = np.empty_like(self._factor)
        native.cholesky_inverse(posterior.L, self._inverse)
        return self._inverse


def basis_root(white_basis):
    """A matrix R with R R' = (H' K^-1 H)^-1, generalised."""
    _, s, Vt = np.linalg.svd(white_basis, full_matrices=False)
    positive = s > s.max(initial=0.0) * len(white_basis) * np.finfo(float).eps
    return Vt[positive].T / s[positive]
