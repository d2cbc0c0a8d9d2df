"""Gaussian process models of an optimiser: hyper-parameters with priors, predictions with slopes."""

import math
import warnings

import numpy as np
from scipy.linalg import solve_triangular
from scipy.optimize import minimize

from statlearn._core import native
from statlearn._core.blas import single_blas_thread
from statlearn._core.warnings import StatlearnWarning

from ._covariance import covariance_model
from ._evidence import Evidence
from ._regressor import GaussianProcessRegressor
from .kernels import RBF, ConstantKernel, Matern, WhiteKernel

RADIAL = {"rbf": 0, "matern32": 1, "matern52": 2}
LENGTHS, VARIANCES, NOISES = (1e-2, 1e3), (1e-3, 1e3), (1e-8, 1.0)
JITTER = 1e-10  # added to the diagonal; the objective has variance 1
POWER_STD = 0.5  # of the normal prior of the power of a map, whose mean is 1: no map
EVEN = (1e-8, 1e-6, 1e-4)  # noise variances of an objective without noise, tried until the matrix has a factor


class HyperPrior:
    """Independent normal priors of the logarithms: of the variance, the length scales and the noise variance."""

    def __init__(self, width, n_noise):
        # Length scales grow with the root of the number of dimensions, as distances do (Hvarfner et al., 2024).
        self.mean = np.r_[0.0, np.full(width, 0.5 * math.log(width)), np.full(n_noise, -8.0)]
        self.std = np.r_[1.0, np.full(width, 1.2), np.full(n_noise, 3.0)]

    def penalty(self, theta):
        """Negative logarithm of the density without its constant, and its gradient."""
        z = (theta - self.mean) / self.std
        return 0.5 * float(z @ z), z / self.std


class Surrogate:
    """Model of one function on the unit cube, fitted to its values scaled to mean 0 and variance 1.

    The hyper-parameters maximise the marginal likelihood times `HyperPrior`. They depend on the data only, never on
    earlier fits: a study that is resumed proposes what it would have proposed.

    Parameters
    ----------
    X : ndarray of shape (n, width)
    y : ndarray of shape (n,)
    noise : bool, default=True
        Whether to estimate the noise variance.
    kernel : {"matern52", "matern32", "rbf"}, default="matern52"
    theta : ndarray or None, default=None
        Hyper-parameters of an earlier fit to be used as they are.
    scale : tuple of two floats or None, default=None
        Mean and standard deviation to subtract and divide by; those of `y` by default.
    level : bool, default=True
        Whether to estimate the mean of the process by generalised least squares. The mean of `y` itself is biased: an
        optimiser evaluates good points close together, and would expect nearly as good values in empty regions.
    warp : Warp or None, default=None
        Map of the values to the scale of the model. Its power is estimated with the hyper-parameters: the likelihood
        is that of the values themselves. All predictions are on the scale of the model.
    """

    def __init__(self, X, y, *, noise=True, kernel="matern52", theta=None, scale=None, level=True, warp=None):
        self.kernel, self.noise, self.level = kernel, noise, level
        width = X.shape[1]
        base = {"rbf": RBF, "matern32": Matern, "matern52": Matern}[kernel]
        extra = {} if kernel == "rbf" else {"nu": 1.5 if kernel == "matern32" else 2.5}
        parts = ConstantKernel(1.0, VARIANCES) * base(np.ones(width), LENGTHS, **extra)
        if noise:
            parts = parts + WhiteKernel(1e-4, NOISES)
        self.prior = HyperPrior(width, int(noise))
        self.model = self._fit(X, y, parts, theta, scale, warp)
        self.theta = np.array(self.model.kernel_.theta)
        self._take(X)

    def _fit(self, X, y, kernel, theta, scale, warp):
        for last, share in enumerate((JITTER, *EVEN[1:]) if self.noise else EVEN, start=1):
            best, self.warp = (theta, warp) if theta is not None else self._search(X, y, kernel, share, scale, warp)
            values = y if self.warp is None else self.warp(y)
            self.centre, self.scale = _centre_and_scale(values) if scale is None else scale
            model = GaussianProcessRegressor(
                kernel.clone_with_theta(best),
                alpha=share,
                optimizer=None,
                mean_function="constant" if self.level else None,
            )
            with warnings.catch_warnings():
                # Exact values that contradict each other are the user's claim: the model does what it can.
                warnings.simplefilter("ignore", StatlearnWarning)
                try:
                    return model.fit(X, (values - self.centre) / self.scale)
                except np.linalg.LinAlgError:
                    if last == len(EVEN):
                        raise

    def _take(self, X):
        self.variance = math.exp(self.theta[0])
        self.lengths = np.exp(self.theta[1 : 1 + X.shape[1]])
        self.noise_variance = (math.exp(self.theta[-1]) if self.noise else 0.0) * self.scale**2
        self._X = np.ascontiguousarray(X / self.lengths)
        self._alpha = np.ascontiguousarray(self.model.alpha_.ravel())
        self._L = np.ascontiguousarray(self.model.L_)
        if self.level:
            self.centre += self.scale * float(self.model.coef_[0])

    def _search(self, X, y, kernel, share, scale, warp):
        """Hyper-parameters and power of the map: the best of two searches, from long length scales and short ones."""
        n, width = X.shape
        basis = np.ones((n, 1)) if self.level else None
        evidence = Evidence(covariance_model(kernel), X, np.empty((n, 1)), share, basis)
        bounds = [*kernel.bounds, (1.0, 1.0) if warp is None else warp.powers(y)]

        def function(at):
            theta, power = at[:-1], at[-1]
            values = y if warp is None else warp.at(power)(y)
            centre, spread = _centre_and_scale(values) if scale is None else scale
            scaled = (values - centre) / spread
            evidence.Y = scaled[:, None]
            value, slope, by_target = evidence.value_and_gradients(theta)
            penalty, tilt = self.prior.penalty(theta)
            by_power = 0.0
            if bounds[-1][0] < bounds[-1][1]:
                jacobian, by_jacobian = warp.at(power).log_slope(y)
                moved = warp.at(power).by_power(y)
                moved -= moved.mean()
                change = float(np.mean(scaled * moved))  # of the spread
                z = (power - 1.0) / POWER_STD
                value += jacobian - n * math.log(spread / warp.scale)
                by_power = z / POWER_STD - by_jacobian + n * change / spread
                by_power -= float(by_target[:, 0] @ (moved - scaled * change)) / spread
                penalty += 0.5 * z * z
            return penalty - value, np.r_[tilt - slope, by_power]

        best = None
        with single_blas_thread():  # the same bits for any number of threads
            for length in (0.5 * math.sqrt(width), 0.15 * math.sqrt(width)):
                start = np.r_[0.0, np.full(width, math.log(length)), np.full(int(self.noise), -8.0), 1.0]
                result = minimize(function, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 60})
                if best is None or result.fun < best.fun:
                    best = result
        return best.x[:-1], None if warp is None else warp.at(best.x[-1])

    def predict(self, X):
        """Mean and variance at rows, in the unit of the function."""
        none = np.empty((0, X.shape[1]))
        mean, var = np.empty(len(X)), np.empty(len(X))
        self._run(X, mean, var, none, none)
        return self.centre + self.scale * mean, self.scale**2 * var

    def slopes(self, X):
        """Mean and variance at rows, and their derivatives by the coordinates."""
        mean, var, by_mean, by_var = np.empty(len(X)), np.empty(len(X)), np.empty(X.shape), np.empty(X.shape)
        self._run(X, mean, var, by_mean, by_var)
        by_mean *= self.scale / self.lengths
        by_var *= self.scale**2 / self.lengths
        return self.centre + self.scale * mean, self.scale**2 * var, by_mean, by_var

    def _run(self, X, mean, var, by_mean, by_var):
        native.gp.posterior_slope(
            RADIAL[self.kernel], self.variance, self._X, self._alpha, self._L,
            np.ascontiguousarray(X / self.lengths), mean, var, by_mean, by_var,
        )  # fmt: skip

    def joint(self, X):
        """Mean and covariance of the function at rows."""
        mean, _ = self.predict(X)
        V = self._half(X)
        return mean, self.scale**2 * (self._process(X, X) - V.T @ V)

    def cross(self, X, Z):
        """Covariances of the function at rows of X with those of Z, and mean and variance at rows of X."""
        mean, var = self.predict(X)
        return self.scale**2 * (self._process(X, Z) - self._half(X).T @ self._half(Z)), mean, var

    def _half(self, X):
        return solve_triangular(self._L, self._process(self.model.X_train_, X), lower=True)

    def _process(self, X, Z):
        kernel = self.model.kernel_.k1 if self.noise else self.model.kernel_
        return kernel(X, Z)

    def conditioned(self, X, y):
        """The model with the same hyper-parameters on other data."""
        return Surrogate(
            X,
            y,
            noise=self.noise,
            kernel=self.kernel,
            theta=self.theta,
            scale=(self.centre, self.scale),
            level=self.level,
        )


def _centre_and_scale(y):
    centre, scale = float(np.mean(y)), float(np.std(y))
    return centre, scale if scale > 1e-12 * max(abs(centre), 1e-290) else 1.0
