"""Operations that make kernels from kernels."""

import numpy as np

from statlearn._core.params import Int, Real, check_params

from ._kernel import Kernel, count_items
from ._objects import FunctionKernel, check_values


def inner_kernel(kernel, name="kernel"):
    """A kernel object, or a function ``f(X, Y)`` of two tables turned into one."""
    if isinstance(kernel, Kernel):
        return kernel
    if callable(kernel) and not isinstance(kernel, type):
        return FunctionKernel(kernel)
    raise TypeError(f"`{name}` must be a kernel or a function of two tables, got {kernel!r}.")


def _shown(kernel, rank):
    """Text of a kernel within a formula, in parentheses if its operator binds less tightly than the one around it."""
    if not isinstance(kernel, Kernel):
        return getattr(kernel, "__name__", repr(kernel))
    return repr(kernel) if kernel._rank >= rank else f"({kernel!r})"


class ConstantKernel(Kernel):
    """Constant kernel: the same value for every pair.

    Parameters
    ----------
    value : float, default=1.0
        Non-negative.

    Examples
    --------
    >>> from statlearn.kernels import ConstantKernel, LinearKernel
    >>> (LinearKernel() + ConstantKernel(2.0))([[1.0], [3.0]])
    array([[ 3.,  5.],
           [ 5., 11.]])
    """

    _constraints = {"value": [Real(0, None)]}

    def __init__(self, value=1.0):
        self.value = value

    def __call__(self, X, Y=None):
        check_params(self)
        return np.full((count_items(X), count_items(X if Y is None else Y)), float(self.value))

    def diag(self, X):
        check_params(self)
        return np.full(count_items(X), float(self.value))

    diag.__doc__ = Kernel.diag.__doc__

    def __repr__(self):
        return f"{self.value:g}" if isinstance(self.value, (int, float)) else super().__repr__()


class _Pair(Kernel):
    _constraints = {"k1": ["callable"], "k2": ["callable"]}

    def __init__(self, k1, k2):
        self.k1 = k1
        self.k2 = k2

    @property
    def psd(self):
        """Whether every Gram matrix of the kernel is positive semi-definite, which holds if both parts are so."""
        return inner_kernel(self.k1, "k1").psd and inner_kernel(self.k2, "k2").psd

    def _parts(self):
        check_params(self)
        return inner_kernel(self.k1, "k1"), inner_kernel(self.k2, "k2")


class KernelSum(_Pair):
    """Sum of two kernels, written ``k1 + k2``.

    Parameters
    ----------
    k1, k2 : Kernel or callable
        Kernels, or functions of two tables.

    Examples
    --------
    >>> from statlearn.kernels import GaussianKernel, KernelSum, LinearKernel
    >>> KernelSum(LinearKernel(), GaussianKernel(gamma=1.0))([[0.0], [1.0]]).round(4)
    array([[1.    , 0.3679],
           [0.3679, 2.    ]])
    """

    _rank = 0

    def __call__(self, X, Y=None):
        a, b = self._parts()
        return a(X, Y) + b(X, Y)

    def diag(self, X):
        a, b = self._parts()
        return a.diag(X) + b.diag(X)

    diag.__doc__ = Kernel.diag.__doc__

    def __repr__(self):
        return f"{_shown(self.k1, 0)} + {_shown(self.k2, 0)}"


class KernelProduct(_Pair):
    """Product of two kernels, written ``k1 * k2``.

    Parameters
    ----------
    k1, k2 : Kernel or callable
        Kernels, or functions of two tables.

    Examples
    --------
    >>> from statlearn.kernels import GaussianKernel, KernelProduct, LinearKernel
    >>> KernelProduct(LinearKernel(), GaussianKernel(gamma=1.0))([[1.0], [2.0]]).round(4)
    array([[1.    , 0.7358],
           [0.7358, 4.    ]])
    """

    _rank = 1

    def __call__(self, X, Y=None):
        a, b = self._parts()
        return a(X, Y) * b(X, Y)

    def diag(self, X):
        a, b = self._parts()
        return a.diag(X) * b.diag(X)

    diag.__doc__ = Kernel.diag.__doc__

    def __repr__(self):
        return f"{_shown(self.k1, 1)} * {_shown(self.k2, 2)}"


class _Single(Kernel):
    kernel: Kernel

    @property
    def psd(self):
        """Whether every Gram matrix of the kernel is positive semi-definite, which holds if the inner kernel is so."""
        return inner_kernel(self.kernel).psd

    def _part(self):
        check_params(self)
        return inner_kernel(self.kernel)


class KernelScale(_Single):
    """Kernel multiplied by a non-negative number, written ``2.0 * kernel``.

    Parameters
    ----------
    kernel : Kernel or callable
    scale : float, default=1.0

    Examples
    --------
    >>> from statlearn.kernels import KernelScale, LinearKernel
    >>> KernelScale(LinearKernel(), 3.0)([[1.0], [2.0]])
    array([[ 3.,  6.],
           [ 6., 12.]])
    """

    _rank = 1
    _constraints = {"kernel": ["callable"], "scale": [Real(0, None)]}

    def __init__(self, kernel, scale=1.0):
        self.kernel = kernel
        self.scale = scale

    def __call__(self, X, Y=None):
        return float(self.scale) * self._part()(X, Y)

    def diag(self, X):
        return float(self.scale) * self._part().diag(X)

    diag.__doc__ = Kernel.diag.__doc__

    def __repr__(self):
        return f"{self.scale!r} * {_shown(self.kernel, 1)}"


class KernelPower(_Single):
    """Integer power of a kernel, written ``kernel ** 2``.

    Parameters
    ----------
    kernel : Kernel or callable
    power : int, default=2
        At least 1: other powers of a kernel need not be kernels.

    Examples
    --------
    >>> from statlearn.kernels import KernelPower, LinearKernel
    >>> KernelPower(LinearKernel(), 2)([[1.0], [2.0]])
    array([[ 1.,  4.],
           [ 4., 16.]])
    """

    _rank = 2
    _constraints = {"kernel": ["callable"], "power": [Int(1, None)]}

    def __init__(self, kernel, power=2):
        self.kernel = kernel
        self.power = power

    def __call__(self, X, Y=None):
        return self._part()(X, Y) ** int(self.power)

    def diag(self, X):
        return self._part().diag(X) ** int(self.power)

    diag.__doc__ = Kernel.diag.__doc__

    def __repr__(self):
        return f"{_shown(self.kernel, 3)} ** {self.power}"


class KernelMap(_Single):
    r"""Kernel of transformed items, :math:`f(x) \, k(\varphi(x), \varphi(z)) \, f(z)`.

    Parameters
    ----------
    kernel : Kernel or callable
    map : callable or None, default=None
        The function :math:`\varphi` of a whole table or sequence. None means the items themselves.
    weight : callable or None, default=None
        The function f of a whole table or sequence, with one number per item. None means 1.

    Notes
    -----
    If k is positive semi-definite, so is the result, whatever the two functions are.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.kernels import GaussianKernel, KernelMap, LinearKernel
    >>> periodic = KernelMap(GaussianKernel(gamma=1.0), map=lambda X: np.hstack([np.cos(X), np.sin(X)]))
    >>> periodic(np.array([[0.0]]), np.array([[2 * np.pi]])).round(6)
    array([[1.]])
    >>> KernelMap(LinearKernel(), weight=lambda X: X[:, 0])(np.array([[1.0], [2.0]]))
    array([[ 1.,  4.],
           [ 4., 16.]])
    """

    _constraints = {"kernel": ["callable"], "map": ["callable", None], "weight": ["callable", None]}

    def __init__(self, kernel, map=None, weight=None):
        self.kernel = kernel
        self.map = map
        self.weight = weight

    def __call__(self, X, Y=None):
        K = self._part()(self._mapped(X), None if Y is None else self._mapped(Y))
        if self.weight is None:
            return K
        left = self._weights(X)
        right = left if Y is None else self._weights(Y)
        return left[:, None] * K * right

    def diag(self, X):
        values = self._part().diag(self._mapped(X))
        return values if self.weight is None else values * self._weights(X) ** 2

    diag.__doc__ = Kernel.diag.__doc__

    def _mapped(self, X):
        return X if self.map is None else self.map(X)

    def _weights(self, X):
        values = np.asarray(self.weight(X), dtype=np.float64)
        if values.size != count_items(X):
            raise ValueError(f"`weight` must return one number per item ({count_items(X)}), got shape {values.shape}.")
        return check_values(values.reshape(-1, 1), (values.size, 1), self.weight)[:, 0]
