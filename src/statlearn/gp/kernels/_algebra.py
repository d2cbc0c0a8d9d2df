"""Sums, products and powers of kernels."""

import numpy as np
from sklearn.gaussian_process import kernels as sk

from ._base import Kernel
from ._constant import ConstantKernel
from ._formula import compiled


def as_kernel(value):
    """A kernel as it is, a number as a constant kernel."""
    return value if isinstance(value, sk.Kernel) else ConstantKernel(value)


def _parts(kernels, X, Y, eval_gradient):
    """Values and gradients of kernels, the latter empty unless wanted."""
    if not eval_gradient:
        return [(kernel(X, Y), None) for kernel in kernels]
    return [kernel(X, eval_gradient=True) for kernel in kernels]


@compiled("sum", like=sk.Sum)
class Sum(Kernel, sk.KernelOperator):
    r"""Sum of two kernels: the covariance of a sum of independent functions.

    Parameters
    ----------
    k1, k2 : Kernel

    Examples
    --------
    >>> from statlearn.gp import RBF, Sum, WhiteKernel
    >>> Sum(RBF(1.0), WhiteKernel(0.5))([[0.0], [1.0]]).round(4)
    array([[1.5   , 0.6065],
           [0.6065, 1.5   ]])
    """

    def _by_parts(self, X, Y, eval_gradient):
        (a, da), (b, db) = _parts((self.k1, self.k2), X, Y, eval_gradient)
        return (a + b, np.dstack((da, db))) if eval_gradient else a + b

    def diag(self, X):
        return self.k1.diag(X) + self.k2.diag(X)

    diag.__doc__ = Kernel.diag.__doc__

    def is_stationary(self):
        return self.k1.is_stationary() and self.k2.is_stationary()

    is_stationary.__doc__ = Kernel.is_stationary.__doc__

    def __repr__(self):
        return f"{self.k1} + {self.k2}"


@compiled("product", like=sk.Product)
class Product(Kernel, sk.KernelOperator):
    r"""Product of two kernels.

    Parameters
    ----------
    k1, k2 : Kernel

    Examples
    --------
    >>> from statlearn.gp import ConstantKernel, Product, RBF
    >>> Product(ConstantKernel(2.0), RBF(1.0))([[0.0]], [[1.0]]).round(4)
    array([[1.2131]])
    """

    def _by_parts(self, X, Y, eval_gradient):
        (a, da), (b, db) = _parts((self.k1, self.k2), X, Y, eval_gradient)
        return (a * b, np.dstack((da * b[:, :, None], db * a[:, :, None]))) if eval_gradient else a * b

    def diag(self, X):
        return self.k1.diag(X) * self.k2.diag(X)

    diag.__doc__ = Kernel.diag.__doc__

    def is_stationary(self):
        return self.k1.is_stationary() and self.k2.is_stationary()

    is_stationary.__doc__ = Kernel.is_stationary.__doc__

    def __repr__(self):
        left, right = (f"({k})" if isinstance(k, sk.Sum | Sum) else str(k) for k in (self.k1, self.k2))
        return f"{left} * {right}"


@compiled("power", like=sk.Exponentiation)
class Exponentiation(Kernel, sk.Exponentiation):
    r"""Power of a kernel, positive semi-definite for integer exponents.

    Parameters
    ----------
    kernel : Kernel
    exponent : float

    Examples
    --------
    >>> from statlearn.gp import DotProduct, Exponentiation
    >>> Exponentiation(DotProduct(1.0), 2)([[1.0]], [[2.0]])
    array([[9.]])
    """

    def _by_parts(self, X, Y, eval_gradient):
        (a, da) = _parts((self.kernel,), X, Y, eval_gradient)[0]
        power = a**self.exponent
        return (power, da * (self.exponent * a ** (self.exponent - 1))[:, :, None]) if eval_gradient else power

    def diag(self, X):
        return self.kernel.diag(X) ** self.exponent

    diag.__doc__ = Kernel.diag.__doc__

    def is_stationary(self):
        return self.kernel.is_stationary()

    is_stationary.__doc__ = Kernel.is_stationary.__doc__

    def __repr__(self):
        inner = f"({self.kernel})" if isinstance(self.kernel, sk.KernelOperator) else f"{self.kernel}"
        return f"{inner} ** {self.exponent}"


class CompoundKernel(sk.CompoundKernel):
    """Several kernels side by side, one per class in one-vs-rest classification.

    Parameters
    ----------
    kernels : list of Kernel

    Examples
    --------
    >>> from statlearn.gp import CompoundKernel, RBF
    >>> CompoundKernel([RBF(1.0), RBF(2.0)])([[0.0], [1.0]]).shape
    (2, 2, 2)
    """
