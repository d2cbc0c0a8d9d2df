"""Kernels of the rows themselves: linear functions, Brownian motion, and the kernels of `statlearn.kernels`."""

import inspect
import math

import numpy as np
from sklearn.gaussian_process import kernels as sk
from sklearn.gaussian_process.kernels import Hyperparameter

from statlearn._core.native import gp as native

from ._base import Kernel, as_rows
from ._formula import LINEAR_KIND, NotCompiled, compile_kernel, compiled

# native/common/kernel_matrix.hpp
_PAIRWISE_KINDS = {
    "linear": LINEAR_KIND,
    "polynomial": 1,
    "poly": 1,
    "rbf": 2,
    "laplacian": 3,
    "sigmoid": 4,
    "cosine": 5,
    "chi2": 6,
    "additive_chi2": 7,
}


@compiled("dot", "sigma_0", like=sk.DotProduct)
class DotProduct(Kernel):
    r"""Dot-product kernel :math:`\sigma_0^2 + \langle x, z \rangle`, that of Bayesian linear regression.

    The coefficients have independent standard normal priors, the intercept has variance :math:`\sigma_0^2`. With an
    exponent of d the functions are polynomials of degree d.

    Parameters
    ----------
    sigma_0 : float, default=1.0
    sigma_0_bounds : pair of floats or "fixed", default=(1e-5, 1e5)
    squared : bool, default=True
        Whether the constant is :math:`\sigma_0^2`. False gives :math:`\sigma_0 + \langle x, z \rangle`.

    Examples
    --------
    >>> from statlearn.gp import DotProduct
    >>> DotProduct(2.0)([[1.0, 2.0]], [[3.0, 4.0]])
    array([[15.]])
    >>> DotProduct(2.0, squared=False)([[1.0, 2.0]], [[3.0, 4.0]])
    array([[13.]])
    """

    def __init__(self, sigma_0=1.0, sigma_0_bounds=(1e-5, 1e5), squared=True):
        self.sigma_0 = sigma_0
        self.sigma_0_bounds = sigma_0_bounds
        self.squared = squared

    @property
    def hyperparameter_sigma_0(self):
        """The constant, or its square root if `squared`."""
        return Hyperparameter("sigma_0", "numeric", self.sigma_0_bounds)

    def _formula(self, X, Z):
        return X @ Z.T + (self.sigma_0**2 if self.squared else self.sigma_0)

    def diag(self, X):
        X = as_rows(X)
        return np.einsum("ij,ij->i", X, X) + (self.sigma_0**2 if self.squared else self.sigma_0)

    diag.__doc__ = Kernel.diag.__doc__

    def __repr__(self):
        return f"{type(self).__name__}(sigma_0={self.sigma_0:.3g})"


@compiled("minimum", "scale")
class Brownian(Kernel):
    r"""Covariance of Brownian motion :math:`s \min(x, z)` at times :math:`x, z \ge 0`.

    Parameters
    ----------
    scale : float, default=1.0
        The variance s per unit of time.
    scale_bounds : pair of floats or "fixed", default=(1e-5, 1e5)

    See Also
    --------
    BrownianMotion : paths by increments.
    statlearn.kernels.MinKernel : the same function without a hyper-parameter, for any number of columns.

    Examples
    --------
    >>> from statlearn.gp import Brownian
    >>> Brownian()([[3.0], [7.0]])
    array([[3., 3.],
           [3., 7.]])
    """

    def __init__(self, scale=1.0, scale_bounds=(1e-5, 1e5)):
        self.scale = scale
        self.scale_bounds = scale_bounds

    @property
    def hyperparameter_scale(self):
        """The variance per unit of time."""
        return Hyperparameter("scale", "numeric", self.scale_bounds)

    def _formula(self, X, Z):
        return self.scale * np.minimum(X, Z.T)

    @staticmethod
    def check_times(X):
        """Raise an error for more than one column and for negative times."""
        if X.shape[1] != 1:
            raise ValueError(f"The Brownian kernel takes X with a single column, got {X.shape[1]} columns.")
        if np.any(X < 0):
            raise ValueError(f"The Brownian kernel takes times X >= 0, got {X.min():.6g}.")

    def diag(self, X):
        X = as_rows(X)
        self.check_times(X)
        return self.scale * X[:, 0]

    diag.__doc__ = Kernel.diag.__doc__

    def __repr__(self):
        return f"{type(self).__name__}(scale={self.scale:.3g})"


def _pairwise_kind(kernel):
    """Operation and kind of a kernel of `statlearn.kernels`."""
    named = isinstance(kernel.metric, str) and kernel.metric in _PAIRWISE_KINDS
    if not named or kernel.pairwise_kernels_kwargs:
        raise NotCompiled
    return "pairwise", float(_PAIRWISE_KINDS[kernel.metric])


@compiled("pairwise", "gamma", like=sk.PairwiseKernel, extra=_pairwise_kind)
class PairwiseKernel(Kernel):
    r"""A kernel of `statlearn.kernels` with one hyper-parameter, gamma.

    Parameters
    ----------
    gamma : float, default=1.0
        Factor of the inner product or distance.
    gamma_bounds : pair of floats or "fixed", default=(1e-5, 1e5)
    metric : str or callable, default="linear"
        "linear", "polynomial", "poly", "rbf", "laplacian", "sigmoid", "cosine", "chi2" or "additive_chi2"; or an object
        of `statlearn.kernels`; or a function of two rows, which may take `gamma` as a keyword.
    pairwise_kernels_kwargs : dict or None, default=None
        Keyword arguments of the kernel.

    Notes
    -----
    "linear", "cosine" and "additive_chi2" do not depend on gamma, so that its derivative is zero; "additive_chi2" and
    "sigmoid" are not positive definite. A function and a kernel with keyword arguments are evaluated in Python, and
    their derivative is a difference quotient.

    Examples
    --------
    >>> from statlearn.gp import PairwiseKernel
    >>> PairwiseKernel(0.5, metric="rbf")([[0.0]], [[1.0]]).round(4)
    array([[0.6065]])
    """

    def __init__(self, gamma=1.0, gamma_bounds=(1e-5, 1e5), metric="linear", pairwise_kernels_kwargs=None):
        self.gamma = gamma
        self.gamma_bounds = gamma_bounds
        self.metric = metric
        self.pairwise_kernels_kwargs = pairwise_kernels_kwargs

    @property
    def hyperparameter_gamma(self):
        """The factor."""
        return Hyperparameter("gamma", "numeric", self.gamma_bounds)

    def _values(self, X, Y, gamma):
        from statlearn import kernels

        if isinstance(self.metric, kernels.Kernel):
            return self.metric(X, Y)
        options = dict(self.pairwise_kernels_kwargs or {})
        if isinstance(self.metric, str) or _takes_gamma(self.metric):
            options["gamma"] = gamma
        return kernels.pairwise_kernels(X, Y, metric=self.metric, filter_params=True, **options)

    def _by_parts(self, X, Y, eval_gradient):
        X, Y = as_rows(X), None if Y is None else as_rows(Y, "Y")
        K = self._values(X, Y, self.gamma)
        if not eval_gradient:
            return K
        if self.hyperparameter_gamma.fixed:
            return K, np.empty((*K.shape, 0))
        step = 1e-6  # of log gamma, central: errors are of the order of its square
        up, down = (self._values(X, Y, self.gamma * math.exp(s)) for s in (step, -step))
        return K, ((up - down) / (2 * step))[:, :, None]

    def diag(self, X):
        X = as_rows(X)
        formula = compile_kernel(self)
        if formula is None:
            return np.array([self._values(X[[i]], None, self.gamma)[0, 0] for i in range(len(X))])
        single = np.empty((1, 1))
        out = np.empty(len(X))
        for i in range(len(X)):
            native.covariance_gram(formula.args, X[i : i + 1], True, single)
            out[i] = single[0, 0]
        return out

    diag.__doc__ = Kernel.diag.__doc__

    def is_stationary(self):
        return self.metric in ("rbf", "laplacian")

    is_stationary.__doc__ = Kernel.is_stationary.__doc__

    def __repr__(self):
        return f"{type(self).__name__}(gamma={self.gamma}, metric={self.metric})"


def _takes_gamma(function):
    try:
        return "gamma" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False
