"""Laplace's approximation to the posterior of a latent function with binary observations."""

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from statlearn._core.memory import require_memory
from statlearn._core.native import gp as native
from statlearn._math.solvers.step import backtrack

_HALF_LOG_2PI = 0.5 * math.log(2.0 * math.pi)
_RISE = 1e-10  # of the log posterior in a Newton step, below which the mode is found


class LogisticLikelihood:
    """Link with p(y | f) = 1 / (1 + exp(-y f)), y in {-1, 1}."""

    @staticmethod
    def log_likelihood(y, f):
        """Sum of log p(y | f)."""
        return -float(np.logaddexp(0.0, -y * f).sum())

    @staticmethod
    def derivatives(y, f):
        """First derivative of log p, minus the second (W), and the derivative of W divided by W."""
        p = special.expit(f)
        return (y + 1) / 2 - p, p * special.expit(-f), 1.0 - 2.0 * p

    @staticmethod
    def average(mean, variance):
        r"""Mean of the probability of +1 over a normal latent value, to about ten digits.

        A trapezoidal sum: over the latent value for small variances, and over the density of the logistic distribution,
        as :math:`\int \operatorname{sech}^2(t/2)/4 \; \Phi((\mu - t)/\sigma) \, dt`, for large ones.
        """
        sd = np.sqrt(variance)
        out = np.empty_like(mean)
        small = sd < 1.0
        z = np.linspace(-8.5, 8.5, 69)
        weights = np.exp(-0.5 * z * z)
        out[small] = special.expit(mean[small, None] + sd[small, None] * z) @ (weights / weights.sum())
        t = np.linspace(-36.0, 36.0, 145)
        density = special.expit(t) * special.expit(-t)
        wide = ~small
        out[wide] = special.ndtr((mean[wide, None] - t) / sd[wide, None]) @ (density / density.sum())
        return out


class Probit:
    """Link with p(y | f) the normal distribution function of y f."""

    @staticmethod
    def log_likelihood(y, f):
        """Sum of log p(y | f)."""
        return float(special.log_ndtr(y * f).sum())

    @staticmethod
    def derivatives(y, f):
        """First derivative of log p, minus the second (W), and the derivative of W divided by W."""
        z = y * f
        ratio = np.exp(-0.5 * z * z - _HALF_LOG_2PI - special.log_ndtr(z))
        shifted = ratio + z
        # W = r (r + z), dr/dz = -W, so that dW/dz / W = (1 - W) / (r + z) - (r + z).
        W = ratio * shifted
        with np.errstate(divide="ignore", invalid="ignore"):
            relative = np.where(shifted > 0, (1.0 - W) / shifted - shifted, 0.0)
        return y * ratio, np.maximum(W, 0.0), y * relative

    @staticmethod
    def average(mean, variance):
        """Mean of the probability of +1 over a normal latent value, exactly."""
        return special.ndtr(mean / np.sqrt(1.0 + variance))


LINKS = {"logistic": LogisticLikelihood, "probit": Probit}


@dataclass
class Mode:
    """The mode of the latent function and what follows from it."""

    f: np.ndarray
    dual: np.ndarray  # K^-1 f
    slope: np.ndarray  # derivative of the log-likelihood
    root: np.ndarray  # sqrt of W
    relative: np.ndarray  # derivative of W divided by W
    L: np.ndarray  # factor of I + W^1/2 K W^1/2
    log_likelihood: float  # approximate log marginal likelihood
    n_iter: int
    converged: bool


class LaplaceEvidence:
    """Approximate marginal likelihood of labels at fixed rows, as a function of the kernel's hyper-parameters.

    Keeps three n x n arrays. The mode is unique, so that the search may start where the last one ended.

    Parameters
    ----------
    model : CompiledCovariance or ObjectCovariance
    X : table of n rows, or a sequence
    signs : ndarray of shape (n,)
        Labels -1 and 1.
    link : Logistic or Probit
    max_iter : int
        Limit of Newton steps.
    """

    def __init__(self, model, X, signs, link, max_iter):
        self.model, self.X, self.y, self.link, self.max_iter = model, X, signs, link, max_iter
        n = len(signs)
        require_memory(
            3 * 8 * n**2,
            f"The {n:,} x {n:,} covariance matrix, its factor and its inverse",
            "Use fewer rows, or a linear model on features of statlearn.kernels.Nystroem.",
        )
        self._K, self._B, self._inverse = np.empty((n, n)), np.empty((n, n)), None
        self.start = np.zeros(n)  # K^-1 f

    def mode(self, theta=None, gradient=False):
        """Newton's method for the mode; each step solves with I + W^1/2 K W^1/2."""
        K = self.model.gram(theta, self.X, self._K, gradient, both=True)
        dual = self.start
        f = K @ dual
        value = self.link.log_likelihood(self.y, f) - 0.5 * dual @ f
        at_zero = self.link.log_likelihood(self.y, np.zeros_like(f))
        if not value >= at_zero:
            dual, f, value = np.zeros_like(f), np.zeros_like(f), at_zero
        n_iter = 0
        while n_iter < self.max_iter:
            n_iter += 1
            slope, W, _ = self.link.derivatives(self.y, f)
            root = np.sqrt(W)
            L = self._factor(K, root)
            if L is None:
                return None
            b = W * f + slope
            target = b - root * self._solve(L, root * (K @ b))
            direction = target - dual
            f_direction = K @ direction

            def ahead(t):
                new_dual, new_f = dual + t * direction, f + t * f_direction
                return 0.5 * new_dual @ new_f - self.link.log_likelihood(self.y, new_f), (new_dual, new_f)

            slope_along = dual @ f_direction - slope @ f_direction
            step = backtrack(ahead, -value, slope_along, slack=_RISE, shortest=1e-3)
            rise = 0.0 if step is None else -step.value - value
            if step is not None:
                value, (dual, f) = -step.value, step.state
            if rise < _RISE:
                break
        slope, W, relative = self.link.derivatives(self.y, f)
        root = np.sqrt(W)
        L = self._factor(K, root)
        if L is None or not math.isfinite(value):
            return None
        self.start = dual
        log_likelihood = value - np.log(np.diagonal(L)).sum()
        return Mode(f, dual, slope, root, relative, L, log_likelihood, n_iter, rise < _RISE)

    def _factor(self, K, root):
        np.multiply(K, root, out=self._B)
        self._B *= root[:, None]
        self._B[np.diag_indices_from(self._B)] += 1.0
        return self._B if native.cholesky_factor(self._B) == 0 else None

    @staticmethod
    def _solve(L, b):
        b = b[:, None].copy()
        native.cholesky_solve_half(L, False, b)
        native.cholesky_solve_half(L, True, b)
        return b[:, 0]

    def value_and_gradient(self, theta):
        """Approximate log marginal likelihood and its gradient; -inf and 0 if it does not exist."""
        mode = self.mode(theta, gradient=True)
        if mode is None:
            return -math.inf, np.zeros(len(theta))
        if self._inverse is None:
            self._inverse = np.empty_like(self._K)
        inverse = self._inverse
        native.cholesky_inverse(mode.L, inverse)
        # The mode moves with theta: log |B| changes by s per unit of f, with diag((K^-1 + W)^-1) = (1 - diag B^-1) / W.
        s = -0.5 * (1.0 - np.diagonal(inverse)) * mode.relative
        u = s - mode.root * self._solve(mode.L, mode.root * (self._K @ s))
        inverse *= mode.root
        inverse *= mode.root[:, None]
        U = np.column_stack([mode.dual, u, mode.slope]) / 2
        V = np.column_stack([mode.dual, mode.slope, u])
        return mode.log_likelihood, self.model.trace(theta, self.X, -0.5, inverse, U, V)
