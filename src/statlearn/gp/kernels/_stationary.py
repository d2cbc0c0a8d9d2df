"""Kernels of the difference of two rows."""

import math

import numpy as np
from scipy import special
from scipy.spatial.distance import cdist
from sklearn.gaussian_process import kernels as sk
from sklearn.gaussian_process.kernels import Hyperparameter

from ._base import Kernel, UnitVariance
from ._formula import compiled


@compiled("rbf", "length_scale", like=sk.RBF)
class RBF(UnitVariance, Kernel):
    r"""Squared exponential kernel :math:`\exp(-\tfrac12 \sum_k ((x_k - z_k) / l_k)^2)`.

    Its functions have derivatives of all orders, which is often smoother than data are: consider `Matern`.

    Parameters
    ----------
    length_scale : float or array-like of shape (n_features,), default=1.0
        One length scale l for all columns, or one for each, which shows the relevance of the columns: the larger, the
        less a column matters.
    length_scale_bounds : pair of floats or "fixed", default=(1e-5, 1e5)

    Examples
    --------
    >>> from statlearn.gp import RBF
    >>> RBF(2.0)([[0.0]], [[1.0]]).round(7)
    array([[0.8824969]])
    """

    def __init__(self, length_scale=1.0, length_scale_bounds=(1e-5, 1e5)):
        self.length_scale = length_scale
        self.length_scale_bounds = length_scale_bounds

    @property
    def anisotropic(self):
        """Whether every column has its own length scale."""
        return np.iterable(self.length_scale) and len(self.length_scale) > 1

    @property
    def hyperparameter_length_scale(self):
        """One length scale or one for each column."""
        if self.anisotropic:
            return Hyperparameter("length_scale", "numeric", self.length_scale_bounds, len(self.length_scale))
        return Hyperparameter("length_scale", "numeric", self.length_scale_bounds)

    def _formula(self, X, Z):
        r = cdist(X / self.length_scale, Z / self.length_scale)
        return np.exp(-(r**2) / 2)

    def __repr__(self):
        return f"{type(self).__name__}({self._length_words()})"

    def _length_words(self):
        if self.anisotropic:
            return f"length_scale=[{', '.join(f'{l:.3g}' for l in self.length_scale)}]"
        return f"length_scale={np.ravel(self.length_scale)[0]:.3g}"


def _smoothness(kernel):
    """Operation and smoothness of a Matern kernel."""
    if not kernel.nu > 0:
        raise ValueError(f"`nu`={kernel.nu!r} of the Matern kernel must be positive.")
    return ("rbf", 0.0) if math.isinf(kernel.nu) else ("matern", float(kernel.nu))


@compiled("matern", "length_scale", like=sk.Matern, extra=_smoothness)
class Matern(RBF):
    r"""Matern kernel :math:`\frac{2^{1-\nu}}{\Gamma(\nu)} t^\nu K_\nu(t)` with
    :math:`t = \sqrt{2\nu} \, (\sum_k ((x_k - z_k) / l_k)^2)^{1/2}`.

    Its functions have derivatives of every order below :math:`\nu`. The kernel is :math:`e^{-t}` for
    :math:`\nu = 1/2`, :math:`(1 + t) e^{-t}` for 3/2 and :math:`(1 + t + t^2/3) e^{-t}` for 5/2; with
    :math:`\nu = \infty` it is `RBF`.

    Parameters
    ----------
    length_scale : float or array-like of shape (n_features,), default=1.0
    length_scale_bounds : pair of floats or "fixed", default=(1e-5, 1e5)
    nu : float, default=1.5
        Smoothness. It is not fitted. Values other than 1/2, 3/2, 5/2 and infinity need Bessel functions, about ten
        times the time per entry.

    Examples
    --------
    >>> from statlearn.gp import Matern
    >>> Matern(2.0, nu=0.5)([[0.0]], [[1.0]]).round(7)
    array([[0.6065307]])
    """

    def __init__(self, length_scale=1.0, length_scale_bounds=(1e-5, 1e5), nu=1.5):
        super().__init__(length_scale, length_scale_bounds)
        self.nu = nu

    def _formula(self, X, Z):
        if math.isinf(self.nu):
            return super()._formula(X, Z)
        t = math.sqrt(2 * self.nu) * cdist(X / self.length_scale, Z / self.length_scale)
        t = np.maximum(t, 1e-12)  # the limit at 0 is 1
        return 2 ** (1 - self.nu) / special.gamma(self.nu) * t**self.nu * special.kv(self.nu, t)

    def __repr__(self):
        return f"{type(self).__name__}({self._length_words()}, nu={self.nu:.3g})"


@compiled("rational", "alpha", "length_scale", like=sk.RationalQuadratic)
class RationalQuadratic(UnitVariance, Kernel):
    r"""Rational quadratic kernel :math:`(1 + \lVert x - z \rVert^2 / (2 a l^2))^{-a}`.

    It is a mixture of squared exponential kernels of many length scales; with :math:`a \to \infty` it is `RBF`.

    Parameters
    ----------
    length_scale : float, default=1.0
    alpha : float, default=1.0
        The parameter a of the mixture.
    length_scale_bounds : pair of floats or "fixed", default=(1e-5, 1e5)
    alpha_bounds : pair of floats or "fixed", default=(1e-5, 1e5)

    Examples
    --------
    >>> from statlearn.gp import RationalQuadratic
    >>> RationalQuadratic(1.0, alpha=1.0)([[0.0]], [[1.0]]).round(4)
    array([[0.6667]])
    """

    def __init__(self, length_scale=1.0, alpha=1.0, length_scale_bounds=(1e-5, 1e5), alpha_bounds=(1e-5, 1e5)):
        self.length_scale = length_scale
        self.alpha = alpha
        self.length_scale_bounds = length_scale_bounds
        self.alpha_bounds = alpha_bounds

    @property
    def hyperparameter_length_scale(self):
        """The length scale."""
        return Hyperparameter("length_scale", "numeric", self.length_scale_bounds)

    @property
    def hyperparameter_alpha(self):
        """The parameter of the mixture."""
        return Hyperparameter("alpha", "numeric", self.alpha_bounds)

    def __call__(self, X, Y=None, eval_gradient=False):
        if np.ndim(self.length_scale) > 0 and np.size(self.length_scale) > 1:
            raise AttributeError(
                "`length_scale` of RationalQuadratic must be one number: the kernel has no length scale per column."
            )
        return super().__call__(X, Y, eval_gradient)

    __call__.__doc__ = Kernel.__call__.__doc__

    def _formula(self, X, Z):
        return (1 + cdist(X, Z) ** 2 / (2 * self.alpha * self.length_scale**2)) ** -self.alpha

    def __repr__(self):
        return f"{type(self).__name__}(alpha={self.alpha:.3g}, length_scale={self.length_scale:.3g})"


@compiled("periodic", "length_scale", "periodicity", like=sk.ExpSineSquared)
class ExpSineSquared(UnitVariance, Kernel):
    r"""Periodic kernel :math:`\exp(-2 \sin^2(\pi \lVert x - z \rVert / p) / l^2)`.

    Parameters
    ----------
    length_scale : float, default=1.0
    periodicity : float, default=1.0
        The period p.
    length_scale_bounds : pair of floats or "fixed", default=(1e-5, 1e5)
    periodicity_bounds : pair of floats or "fixed", default=(1e-5, 1e5)

    Notes
    -----
    The likelihood has many maxima in the period: start near it and give close bounds. In two or more columns the kernel
    of the Euclidean distance is not positive definite in general; use a product of kernels of single columns.

    Examples
    --------
    >>> from statlearn.gp import ExpSineSquared
    >>> ExpSineSquared(1.0, 2.0)([[0.0]], [[1.0], [2.0]]).round(4)
    array([[0.1353, 1.    ]])
    """

    def __init__(
        self, length_scale=1.0, periodicity=1.0, length_scale_bounds=(1e-5, 1e5), periodicity_bounds=(1e-5, 1e5)
    ):
        self.length_scale = length_scale
        self.periodicity = periodicity
        self.length_scale_bounds = length_scale_bounds
        self.periodicity_bounds = periodicity_bounds

    @property
    def hyperparameter_length_scale(self):
        """The length scale."""
        return Hyperparameter("length_scale", "numeric", self.length_scale_bounds)

    @property
    def hyperparameter_periodicity(self):
        """The period."""
        return Hyperparameter("periodicity", "numeric", self.periodicity_bounds)

    def _formula(self, X, Z):
        return np.exp(-2 * np.sin(np.pi * cdist(X, Z) / self.periodicity) ** 2 / self.length_scale**2)

    def __repr__(self):
        return f"{type(self).__name__}(length_scale={self.length_scale:.3g}, periodicity={self.periodicity:.3g})"
