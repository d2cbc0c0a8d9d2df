"""Base class of the approximations for many rows: noise apart from the kernel, targets, search, prediction."""

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from statlearn._core.blas import single_blas_thread
from statlearn._core.params import check_params
from statlearn._core.validation import validate_data

from ._regressor import default_kernel
from ._search import maximise, warn_at_bounds
from .kernels import WhiteKernel
from .kernels._base import check_parameters, check_rows
from .kernels._formula import NOISE_OP, SUM_OP, compile_kernel


class NoisyFormula:
    """A compiled kernel whose white noise is kept apart, since the approximations treat it as noise of observations.

    Parameters
    ----------
    kernel : Kernel
        Sums may contain white kernels; products and powers may not.
    alpha : float
        Further variance of the noise.
    owner : str
        Name of the estimator, for messages.
    """

    def __init__(self, kernel, alpha, owner):
        formula = compile_kernel(kernel) if kernel.requires_vector_input else None
        if formula is None:
            raise ValueError(
                f"`kernel` of {owner} must consist of kernels of this package or of scikit-learn, got {kernel}."
            )
        self._formula, self._alpha = formula, float(alpha)
        self._white = [int(first) for op, _, _, first, _ in formula.nodes if op == NOISE_OP]
        if self._white and not _noise_is_added(formula):
            raise ValueError(
                f"`kernel` of {owner} may contain a WhiteKernel as a summand, but not in a product or power: {kernel}."
            )
        if not self._white and not self._alpha > 0:
            raise ValueError(f"{owner} needs noise: set `alpha` > 0 or add a WhiteKernel to `kernel`.")

    def at(self, theta=None):
        """The formula without noise, and the variance of the noise."""
        formula = self._formula if theta is None else self._formula.at(theta)
        return formula.without_noise(), self._alpha + float(formula.values[self._white].sum())

    def add_noise(self, gradient, slope, theta):
        """Add the derivatives of the noise variances to a gradient, given the slope in the total variance."""
        values = self._formula.at(theta).values
        for place in self._white:
            slot = self._formula.slots[place]
            if slot >= 0:
                gradient[slot] += slope * values[place]
        return gradient


def _noise_is_added(formula):
    """Whether all white kernels are summands of the whole kernel."""
    reached, stack = set(), [len(formula.nodes) - 1]
    while stack:
        at = stack.pop()
        op, left, right, first, _ = (int(v) for v in formula.nodes[at])
        if op == NOISE_OP:
            reached.add(first)
        elif op == SUM_OP:
            stack += [left, right]
    return reached == {int(first) for op, _, _, first, _ in formula.nodes if op == NOISE_OP}


class ScalableRegressor(RegressorMixin, BaseEstimator):
    """Base of the approximations: `fit` prepares, searches and stores; subclasses say what is maximised."""

    def fit(self, X, y):
        """Fit the hyper-parameters and the approximate posterior.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        self
        """
        check_params(self)
        X, y = validate_data(self, X, y, y_numeric=True, dtype=np.float64, order="C")
        y = y.astype(np.float64)
        kernel = self._default_kernel() if self.kernel is None else clone(self.kernel)
        check_parameters(kernel)
        check_rows(kernel, X)
        self._y_mean, self._y_scale = 0.0, 1.0
        if self.normalize_y:
            self._y_mean, spread = float(y.mean()), float(y.std())
            self._y_scale = spread if spread > 10 * np.finfo(float).eps * np.abs(y).max() else 1.0
        y = (y - self._y_mean) / self._y_scale
        rng = check_random_state(self.random_state)
        with single_blas_thread():  # the same bits for any number of threads
            self._fit_approximation(X, np.ascontiguousarray(y), kernel, rng)
        return self

    def _default_kernel(self):
        return default_kernel() + WhiteKernel()

    def _maximise(self, objective, kernel, rng, rough=None):
        """Fit the hyper-parameters in place."""
        self.runs_ = []
        if self.optimizer is not None and kernel.n_dims > 0:
            theta, _, self.runs_ = maximise(
                objective, kernel, self.optimizer, self.n_restarts_optimizer, rng, type(self).__name__, rough
            )
            kernel.theta = theta

    def _finish(self, kernel):
        if self.runs_:
            warn_at_bounds(kernel)
        self.kernel_ = kernel

    def predict(self, X, return_std=False, *, latent=False):
        """Posterior mean, and standard deviation on request.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
        return_std : bool, default=False
        latent : bool, default=False
            Whether the standard deviation is that of the function, without the noise of a `WhiteKernel` in the kernel.

        Returns
        -------
        mean : ndarray of shape (n_queries,)
        std : ndarray of shape (n_queries,)
            Only with `return_std`.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, order="C", reset=False)
        check_rows(self.kernel_, X)
        with single_blas_thread():
            mean, variance = self._posterior(X, return_std)
        mean = mean * self._y_scale + self._y_mean
        if not return_std:
            return mean
        if not latent:
            variance = variance + NoisyFormula(self.kernel_, 1.0, type(self).__name__).at()[1] - 1.0
        return mean, np.sqrt(np.maximum(variance, 0.0)) * self._y_scale
