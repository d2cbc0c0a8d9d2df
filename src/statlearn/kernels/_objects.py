"""Kernels of numeric tables, and kernels of user functions, as objects."""

import numpy as np

from statlearn._core.params import Instance, Options, Real, check_params
from statlearn._core.validation import check_array, naming

from ._evaluate import check_pair, check_rows, evaluate, evaluate_diagonal
from ._kernel import Kernel, count_items, items
from ._pairwise import default_gamma, gaussian_gamma, laplacian_gamma, refuse_negative


class _NumericKernel(Kernel):
    """A kernel of numeric rows that the compiled core evaluates."""

    _kind = ""
    _counts = False  # whether rows must be non-negative

    def _settings(self, X):
        """Keyword arguments of `evaluate`."""
        return {}

    def _name(self):
        return self._kind

    def __call__(self, X, Y=None):
        check_params(self)
        X, Y = check_pair(X, Y)
        if self._counts:
            refuse_negative(X)
            if Y is not None:
                refuse_negative(Y, "Y")
        return evaluate(self._name(), X, Y, **self._settings(X))

    def diag(self, X):
        check_params(self)
        X = check_rows(X)
        if self._counts:
            refuse_negative(X)
        return evaluate_diagonal(self._name(), X, **self._settings(X))

    diag.__doc__ = Kernel.diag.__doc__


class LinearKernel(_NumericKernel):
    r"""Linear kernel :math:`\langle x, z \rangle`.

    Parameters
    ----------
    None

    Examples
    --------
    >>> from statlearn.kernels import LinearKernel
    >>> LinearKernel()([[1.0, 2.0], [3.0, 0.0]])
    array([[5., 3.],
           [3., 9.]])
    """

    _kind = "linear"

    def __init__(self):
        pass


class CosineKernel(_NumericKernel):
    r"""Cosine of the angle between two rows, 0 for a row of zeros.

    Parameters
    ----------
    None

    Examples
    --------
    >>> from statlearn.kernels import CosineKernel
    >>> CosineKernel()([[3.0, 4.0]], [[0.0, 2.0]])
    array([[0.8]])
    """

    _kind = "cosine"

    def __init__(self):
        pass


class PolynomialKernel(_NumericKernel):
    r"""Polynomial kernel :math:`(\gamma \langle x, z \rangle + c)^d`.

    Parameters
    ----------
    degree : float, default=3
    gamma : float or None, default=None
        None means 1 / n_features, whereas the support vector machines use ``gamma="scale"``.
    coef0 : float, default=1
        The constant c. It is 0 by default in ``SVC(kernel="poly")`` and the other support vector machines. The kernel
        :math:`(1 + \langle x, z \rangle)^d` is ``PolynomialKernel(degree=d, gamma=1, coef0=1)``.

    See Also
    --------
    polynomial_kernel : the same as a function.

    Examples
    --------
    >>> from statlearn.kernels import PolynomialKernel
    >>> PolynomialKernel(degree=2, gamma=1.0)([[1.0, 2.0]], [[0.5, -1.0]])
    array([[0.25]])
    """

    _kind = "polynomial"
    _constraints = {"degree": [Real(0, None)], "gamma": [Real(0, None), None], "coef0": [Real(None, None)]}

    def __init__(self, degree=3, gamma=None, coef0=1):
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0

    @property
    def psd(self):
        """Whether every Gram matrix of the kernel is positive semi-definite: a whole degree and `coef0` >= 0."""
        return self.coef0 >= 0 and float(self.degree).is_integer()

    def _settings(self, X):
        return {"gamma": default_gamma(self.gamma, X), "coef0": self.coef0, "degree": self.degree}


class GaussianKernel(_NumericKernel):
    r"""Gaussian kernel :math:`\exp(-\gamma \lVert x - z \rVert^2)`.

    Parameters
    ----------
    gamma : float or None, default=None
        Factor of the squared distance. If no width is given, it is 1 / n_features.
    sigma : float or None, default=None
        Alternative width: :math:`\gamma = 1 / (2 \sigma^2)`.
    c : float or None, default=None
        Alternative width: :math:`\gamma = 1 / c`.

    See Also
    --------
    rbf_kernel : the same as a function.

    Examples
    --------
    >>> from statlearn.kernels import GaussianKernel
    >>> GaussianKernel(sigma=2.0)([[0.0]], [[2.0]]).round(4)
    array([[0.6065]])
    """

    _kind = "rbf"
    _constraints = {
        "gamma": [Real(0, None), None],
        "sigma": [Real(0, None, closed="neither"), None],
        "c": [Real(0, None, closed="neither"), None],
    }

    def __init__(self, gamma=None, *, sigma=None, c=None):
        self.gamma = gamma
        self.sigma = sigma
        self.c = c

    def _settings(self, X):
        return {"gamma": default_gamma(gaussian_gamma(self.gamma, self.sigma, self.c), X)}


class LaplacianKernel(_NumericKernel):
    r"""Laplacian kernel :math:`\exp(-\gamma \lVert x - z \rVert)`.

    Parameters
    ----------
    gamma : float or None, default=None
        None means 1 / n_features, unless `delta` is given.
    norm : {"l1", "l2"}, default="l1"
    delta : float or None, default=None
        Alternative to `gamma`: :math:`\gamma = 1 / \delta^2`.

    See Also
    --------
    laplacian_kernel : the same as a function.

    Examples
    --------
    >>> from statlearn.kernels import LaplacianKernel
    >>> LaplacianKernel(gamma=0.1)([[0.0, 0.0]], [[3.0, 4.0]]).round(4)
    array([[0.4966]])
    """

    _constraints = {
        "gamma": [Real(0, None), None],
        "norm": [Options("l1", "l2")],
        "delta": [Real(0, None, closed="neither"), None],
    }

    def __init__(self, gamma=None, *, norm="l1", delta=None):
        self.gamma = gamma
        self.norm = norm
        self.delta = delta

    def _name(self):
        return "laplacian" if self.norm == "l1" else "laplacian_l2"

    def _settings(self, X):
        return {"gamma": default_gamma(laplacian_gamma(self.gamma, self.delta), X)}


class SigmoidKernel(_NumericKernel):
    r"""Sigmoid kernel :math:`\tanh(\gamma \langle x, z \rangle + c)`, not positive semi-definite in general.

    Parameters
    ----------
    gamma : float or None, default=None
        None means 1 / n_features.
    coef0 : float, default=1
        The constant c.
    form : {"tanh", "logistic"}, default="tanh"

    See Also
    --------
    sigmoid_kernel : the same as a function.

    Examples
    --------
    >>> from statlearn.kernels import SigmoidKernel
    >>> SigmoidKernel(gamma=0.5, coef0=0)([[1.0]], [[2.0]]).round(4)
    array([[0.7616]])
    >>> SigmoidKernel().psd
    False
    """

    _constraints = {
        "gamma": [Real(0, None), None],
        "coef0": [Real(None, None)],
        "form": [Options("tanh", "logistic")],
    }

    def __init__(self, gamma=None, coef0=1, *, form="tanh"):
        self.gamma = gamma
        self.coef0 = coef0
        self.form = form

    @property
    def psd(self):
        """Whether every Gram matrix of the kernel is positive semi-definite: False."""
        return False

    def _name(self):
        return "sigmoid" if self.form == "tanh" else "logistic"

    def _settings(self, X):
        return {"gamma": default_gamma(self.gamma, X), "coef0": self.coef0}


class Chi2Kernel(_NumericKernel):
    r"""Chi-squared kernel :math:`\exp(-\gamma \sum_k (x_k - z_k)^2 / (x_k + z_k))` of non-negative rows.

    Parameters
    ----------
    gamma : float, default=1.0

    See Also
    --------
    chi2_kernel : the same as a function.

    Examples
    --------
    >>> from statlearn.kernels import Chi2Kernel
    >>> Chi2Kernel()([[1.0, 0.0]], [[0.5, 0.5]]).round(4)
    array([[0.5134]])
    """

    _kind = "chi2"
    _counts = True
    _constraints = {"gamma": [Real(0, None)]}

    def __init__(self, gamma=1.0):
        self.gamma = gamma

    def _settings(self, X):
        return {"gamma": self.gamma}


class AdditiveChi2Kernel(_NumericKernel):
    r"""Additive chi-squared kernel :math:`-\sum_k (x_k - z_k)^2 / (x_k + z_k)`, conditionally positive definite.

    Parameters
    ----------
    None

    See Also
    --------
    additive_chi2_kernel : the same as a function.

    Examples
    --------
    >>> from statlearn.kernels import AdditiveChi2Kernel
    >>> AdditiveChi2Kernel()([[1.0, 0.0]], [[0.5, 0.5]]).round(4)
    array([[-0.6667]])
    """

    _kind = "additive_chi2"
    _counts = True

    def __init__(self):
        pass

    @property
    def psd(self):
        """Whether every Gram matrix of the kernel is positive semi-definite: False, only conditionally."""
        return False


class MinKernel(_NumericKernel):
    r"""Minimum kernel :math:`\sum_k \min(x_k, z_k)` of non-negative rows.

    Parameters
    ----------
    None

    See Also
    --------
    min_kernel : the same as a function.

    Examples
    --------
    >>> from statlearn.kernels import MinKernel
    >>> MinKernel()([[3.0], [7.0]])
    array([[3., 3.],
           [3., 7.]])
    """

    _kind = "minimum"
    _counts = True

    def __init__(self):
        pass


class FunctionKernel(Kernel):
    """Kernel defined by a function.

    Parameters
    ----------
    function : callable
        ``function(X, Y)``, the matrix of values for two tables or sequences; or, with `pairs`, ``function(x, z)``, the
        value for two items.
    pairs : bool, default=False
        Whether the function takes single items. It is then called once per pair, and only once for the two orders of a
        pair in a Gram matrix.
    params : dict or None, default=None
        Keyword arguments of the function.
    assume_psd : bool, default=True
        The value of `psd`, which cannot be known.

    Examples
    --------
    >>> from statlearn.kernels import FunctionKernel
    >>> shared = FunctionKernel(lambda a, b: len(a & b), pairs=True)  # number of common elements of two sets
    >>> shared([{1, 2, 3}, {2, 3}, {5}])
    array([[3., 2., 0.],
           [2., 2., 0.],
           [0., 0., 1.]])
    """

    _constraints = {
        "function": ["callable"],
        "pairs": ["boolean"],
        "params": [Instance(dict), None],
        "assume_psd": ["boolean"],
    }

    def __init__(self, function, *, pairs=False, params=None, assume_psd=True):
        self.function = function
        self.pairs = pairs
        self.params = params
        self.assume_psd = assume_psd

    @property
    def psd(self):
        """Whether every Gram matrix of the kernel is positive semi-definite, as given by `assume_psd`."""
        return self.assume_psd

    def __call__(self, X, Y=None):
        check_params(self)
        params = self.params or {}
        if self.pairs:
            return self._by_pairs(X, Y, params)
        shape = (count_items(X), count_items(X if Y is None else Y))
        K = self.function(X, X if Y is None else Y, **params)
        return check_values(K, shape, self.function)

    def diag(self, X):
        if not self.pairs:
            return super().diag(X)
        check_params(self)
        return np.array([self._value(x, x, self.params or {}) for x in items(X)])

    diag.__doc__ = Kernel.diag.__doc__

    def _by_pairs(self, X, Y, params):
        left = items(X)
        right = left if Y is None else items(Y)
        K = np.empty((len(left), len(right)))
        for i, x in enumerate(left):
            for j in range(i if Y is None else 0, len(right)):
                K[i, j] = self._value(x, right[j], params)
                if Y is None:
                    K[j, i] = K[i, j]
        return K

    def _value(self, x, z, params):
        value = self.function(x, z, **params)
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise ValueError(f"{_called(self.function)} must return a number for two items, got {value!r}.") from None
        if not np.isfinite(number):
            raise ValueError(f"{_called(self.function)} must return finite numbers, got {number}.")
        return number


def _called(function):
    return f"The kernel function `{getattr(function, '__name__', type(function).__name__)}`"


def check_values(K, shape, function):
    """The values of a user's function as an array, refused if their shape or type is wrong."""
    with naming("kernel"):
        K = check_array(K, dtype=(np.float64, np.float32), input_name="kernel", ensure_min_samples=0)
    if K.shape != shape:
        raise ValueError(f"{_called(function)} must return an array of shape {shape}, got shape {K.shape}.")
    return K
