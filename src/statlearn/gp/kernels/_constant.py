"""Kernels that do not look at the values of a row: a constant, and white noise."""

import numpy as np
from sklearn.gaussian_process import kernels as sk
from sklearn.gaussian_process.kernels import Hyperparameter

from ._base import ItemKernel, Kernel, Stationary
from ._formula import compiled


@compiled("constant", "constant_value", like=sk.ConstantKernel)
class ConstantKernel(ItemKernel, Stationary, Kernel):
    r"""Constant covariance :math:`k(x, z) = c`.

    As a factor it sets the variance of another kernel, as a summand it lets the level of the function vary. A number in
    a sum or product stands for it: ``2.0 * RBF()``.

    Parameters
    ----------
    constant_value : float, default=1.0
    constant_value_bounds : pair of floats or "fixed", default=(1e-5, 1e5)

    Examples
    --------
    >>> from statlearn.gp import ConstantKernel
    >>> ConstantKernel(3.0)([[0.0], [1.0]])
    array([[3., 3.],
           [3., 3.]])
    """

    def __init__(self, constant_value=1.0, constant_value_bounds=(1e-5, 1e5)):
        self.constant_value = constant_value
        self.constant_value_bounds = constant_value_bounds

    @property
    def hyperparameter_constant_value(self):
        """The constant."""
        return Hyperparameter("constant_value", "numeric", self.constant_value_bounds)

    def _matrix(self, n, m, same):
        return np.full((n, m), float(self.constant_value))

    def __repr__(self):
        return f"{np.sqrt(self.constant_value):.3g}**2"


@compiled("white", "noise_level", like=sk.WhiteKernel)
class WhiteKernel(ItemKernel, Stationary, Kernel):
    r"""White noise: :math:`k(x, z) = v` for a row with itself, 0 for any other pair.

    It adds noise of variance v to observations. Two equal rows have independent noise, and ``kernel(X, Y)`` is zero
    even if Y equals X.

    Parameters
    ----------
    noise_level : float, default=1.0
        The variance v.
    noise_level_bounds : pair of floats or "fixed", default=(1e-5, 1e5)

    Notes
    -----
    A kernel with this summand and `alpha` of the regressor act alike on the training rows. The difference is in
    predictions: their standard deviation includes this noise, but never `alpha`.

    Examples
    --------
    >>> from statlearn.gp import WhiteKernel
    >>> kernel = WhiteKernel(0.5)
    >>> kernel([[0.0], [0.0]])
    array([[0.5, 0. ],
           [0. , 0.5]])
    >>> kernel([[0.0]], [[0.0]])
    array([[0.]])
    """

    def __init__(self, noise_level=1.0, noise_level_bounds=(1e-5, 1e5)):
        self.noise_level = noise_level
        self.noise_level_bounds = noise_level_bounds

    @property
    def hyperparameter_noise_level(self):
        """The variance."""
        return Hyperparameter("noise_level", "numeric", self.noise_level_bounds)

    def _matrix(self, n, m, same):
        return np.diag(np.full(n, float(self.noise_level))) if same else np.zeros((n, m))

    def __repr__(self):
        return f"{type(self).__name__}(noise_level={self.noise_level:.3g})"
