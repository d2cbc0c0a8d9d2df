"""Base class of kernel objects: parameters, arithmetic, values and diagonal."""

import inspect
import numbers

import numpy as np

_DIAGONAL_BLOCK = 64  # objects whose small Gram matrix is computed for its diagonal


class Kernel:
    """Base class of kernels: a function of pairs of rows, strings or other objects.

    ``kernel(X, Y)`` is the matrix of its values, ``kernel(X)`` that of X with itself, and ``kernel.diag(X)`` the
    diagonal of the latter. Kernels can be added, multiplied with one another and with non-negative numbers, and raised
    to whole powers. They have parameters like estimators (``get_params``, ``set_params``, `sklearn.base.clone`), also
    nested ones such as ``k1__gamma``, and estimators accept them as `kernel`.

    A subclass stores its constructor's arguments under their names and defines ``__call__``; ``diag`` may be defined
    for speed.

    Parameters
    ----------
    None

    Attributes
    ----------
    psd : bool
        Whether every Gram matrix of the kernel is positive semi-definite.

    Examples
    --------
    >>> from statlearn.kernels import GaussianKernel, LinearKernel
    >>> kernel = 2 * GaussianKernel(gamma=0.5) + LinearKernel() ** 2
    >>> kernel
    2 * GaussianKernel(gamma=0.5) + LinearKernel() ** 2
    >>> kernel([[0.0], [1.0]]).round(4)
    array([[2.    , 1.2131],
           [1.2131, 3.    ]])
    >>> kernel.diag([[0.0], [1.0]])
    array([2., 3.])
    """

    _constraints: dict[str, list] = {}
    _rank = 3  # of its sign in a formula: sums 0, products 1, powers 2, everything else 3

    @property
    def psd(self):
        """Whether every Gram matrix of the kernel is positive semi-definite."""
        return True

    def __call__(self, X, Y=None):
        """Kernel matrix of X and Y, or of X with itself."""
        raise NotImplementedError(f"{type(self).__name__} does not define __call__.")

    def diag(self, X):
        """Values k(x, x) for each item of X.

        Parameters
        ----------
        X : array-like or sequence

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        n = count_items(X)
        parts = [np.diagonal(self(X[b : b + _DIAGONAL_BLOCK])) for b in range(0, n, _DIAGONAL_BLOCK)]
        return np.concatenate(parts)

    # Parameters, as scikit-learn's estimators have them.

    @classmethod
    def _names(cls):
        return [name for name in inspect.signature(cls.__init__).parameters if name not in ("self", "args", "kwargs")]

    def get_params(self, deep=True):
        """Parameters by name, those of inner kernels included if `deep`.

        Parameters
        ----------
        deep : bool, default=True

        Returns
        -------
        dict
        """
        params = {name: getattr(self, name) for name in self._names()}
        if deep:
            for name, value in list(params.items()):
                if hasattr(value, "get_params") and not isinstance(value, type):
                    params.update({f"{name}__{inner}": v for inner, v in value.get_params().items()})
        return params

    def set_params(self, **params):
        """Set parameters by name, ``k1__gamma`` for one of an inner kernel.

        Parameters
        ----------
        **params : dict

        Returns
        -------
        self
        """
        known = self._names()
        inner: dict[str, dict] = {}
        for key, value in params.items():
            name, _, rest = key.partition("__")
            if name not in known:
                raise ValueError(f"Invalid parameter {name!r} for {self}. Valid parameters are: {known}.")
            if rest:
                inner.setdefault(name, {})[rest] = value
            else:
                setattr(self, name, value)
        for name, values in inner.items():
            getattr(self, name).set_params(**values)
        return self

    def __eq__(self, other):
        if type(self) is not type(other):
            return NotImplemented
        return all(_same(a, getattr(other, name)) for name, a in self.get_params(deep=False).items())

    __hash__ = None  # type: ignore[assignment]  # parameters can change

    def __repr__(self):
        defaults = {n: p.default for n, p in inspect.signature(type(self).__init__).parameters.items()}
        changed = [(n, v) for n, v in self.get_params(deep=False).items() if not _same(v, defaults[n])]
        shown = ", ".join(f"{n}={getattr(v, '__name__', None) or repr(v)}" for n, v in changed)
        return f"{type(self).__name__}({shown})"

    # Arithmetic.

    def __add__(self, other):
        from ._algebra import ConstantKernel, KernelSum

        if _is_number(other):
            return KernelSum(self, ConstantKernel(other))
        return KernelSum(self, other) if isinstance(other, Kernel) else NotImplemented

    def __radd__(self, other):
        from ._algebra import ConstantKernel, KernelSum

        return KernelSum(ConstantKernel(other), self) if _is_number(other) else NotImplemented

    def __mul__(self, other):
        from ._algebra import KernelProduct, KernelScale

        if _is_number(other):
            return KernelScale(self, other)
        return KernelProduct(self, other) if isinstance(other, Kernel) else NotImplemented

    def __rmul__(self, other):
        from ._algebra import KernelScale

        return KernelScale(self, other) if _is_number(other) else NotImplemented

    def __pow__(self, power):
        from ._algebra import KernelPower

        return KernelPower(self, power) if _is_number(power) else NotImplemented


def _is_number(value):
    return isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))


def _same(a, b):
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.array_equal(a, b)
    return a is b or bool(a == b)


def count_items(X):
    """Number of rows of a table or of items of a sequence."""
    return X.shape[0] if hasattr(X, "shape") else len(X)


def items(X):
    """Rows of a table, or the items of a sequence, as a list."""
    if hasattr(X, "iloc") or hasattr(X, "to_numpy"):
        X = X.to_numpy()
    if hasattr(X, "tocsr"):
        X = X.tocsr()
        return [X[[i]] for i in range(X.shape[0])]
    return list(X)
