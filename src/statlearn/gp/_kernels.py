"""Covariance functions with hyper-parameters: scikit-learn's names and interface, evaluated by the compiled core."""

import math

import numpy as np
from sklearn.gaussian_process import kernels as sk
from sklearn.gaussian_process.kernels import Hyperparameter

from statlearn._core.native import gp as native
from statlearn._core.validation import check_array, naming

from ._formula import compile_kernel, register


def count_items(X):
    """Number of rows of a table or of items of a sequence."""
    return X.shape[0] if hasattr(X, "shape") else len(X)


def as_rows(X, name="X"):
    """Table of numbers as the compiled core takes it. A single row or a scalar becomes a table, as in scikit-learn."""
    if isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype == np.float64 and X.flags.c_contiguous:
        return X
    with naming(name):
        return check_array(np.atleast_2d(X), dtype=np.float64, order="C", input_name=name, ensure_min_samples=0)


def check_rows(kernel, X):
    """Raise an error if the kernel does not fit the columns of X, or does not take its values."""
    for each in leaves(kernel):
        scale = getattr(each, "length_scale", None)
        if scale is not None and np.ndim(scale) > 0 and np.size(scale) not in (1, X.shape[1]):
            raise ValueError(
                "Anisotropic kernel must have the same number of dimensions as data "
                f"({np.size(scale)}!={X.shape[1]}): `length_scale` of {each} needs one entry per column of X."
            )
        if isinstance(each, Brownian):
            each.check_times(X)
        counts = isinstance(each, PairwiseKernel | sk.PairwiseKernel) and each.metric in ("chi2", "additive_chi2")
        if counts and np.any(X < 0):
            raise ValueError(f"X contains negative values, which the {each.metric!r} kernel does not take.")


def leaves(kernel):
    """The kernels at the ends of a formula, from left to right."""
    for name in ("k1", "k2", "kernel"):
        inner = getattr(kernel, name, None)
        if isinstance(inner, sk.Kernel):
            yield from leaves(inner)
    for inner in getattr(kernel, "kernels", ()):
        yield from leaves(inner)
    if not any(isinstance(getattr(kernel, name, None), sk.Kernel) for name in ("k1", "kernel")):
        yield kernel


def covariance(formula, X, Y=None):
    """Matrix of a formula's values for the rows of one table or of two."""
    out = np.empty((X.shape[0], X.shape[0] if Y is None else Y.shape[0]))
    if Y is None:
        native.covariance_gram(formula.args, X, True, out)
    else:
        native.covariance_cross(formula.args, X, Y, out)
    return out


class Kernel(sk.Kernel):
    r"""Base class of covariance functions with hyper-parameters.

    The interface is that of scikit-learn's kernels, from which this class inherits the handling of parameters: `theta`
    holds the logarithms of all hyper-parameters that are not fixed, `bounds` their limits, ``clone_with_theta`` makes a
    changed copy. ``kernel(X, Y)`` is the matrix of covariances, and ``kernel(X, eval_gradient=True)`` also its
    derivatives with respect to `theta`. Kernels are combined by ``+``, ``*`` and ``**``.

    Kernels that consist of this package's classes, or scikit-learn's, are compiled to a formula that the native core
    evaluates and differentiates block by block. A class of your own may derive from this one: it is called as an
    object, with its gradient as an array of shape (n, n, n_hyperparameters).

    Parameters
    ----------
    None

    See Also
    --------
    statlearn.kernels.Kernel : kernels without hyper-parameters to be learned, for kernel ridge regression, support
        vector machines and kernel PCA. Both are evaluated by the same compiled code, and the objects of this module can
        be passed as `kernel` there.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.gp import RBF, WhiteKernel
    >>> kernel = 2.0 * RBF(length_scale=[1.0, 3.0]) + WhiteKernel(0.1)
    >>> kernel
    1.41**2 * RBF(length_scale=[1, 3]) + WhiteKernel(noise_level=0.1)
    >>> np.exp(kernel.theta).round(4)
    array([2. , 1. , 3. , 0.1])
    >>> kernel(np.array([[0.0, 0.0], [1.0, 0.0]])).round(4)
    array([[2.1   , 1.2131],
           [1.2131, 2.1   ]])
    """

    def __add__(self, other):
        return Sum(self, other if isinstance(other, sk.Kernel) else ConstantKernel(other))

    def __radd__(self, other):
        return Sum(other if isinstance(other, sk.Kernel) else ConstantKernel(other), self)

    def __mul__(self, other):
        return Product(self, other if isinstance(other, sk.Kernel) else ConstantKernel(other))

    def __rmul__(self, other):
        return Product(other if isinstance(other, sk.Kernel) else ConstantKernel(other), self)

    def __pow__(self, exponent):
        return Exponentiation(self, exponent)

    def __call__(self, X, Y=None, eval_gradient=False):
        """Covariances of the rows of X with those of Y, or of X with itself.

        Parameters
        ----------
        X : array-like of shape (n_samples_X, n_features)
        Y : array-like of shape (n_samples_Y, n_features) or None, default=None
            None means X itself. A white kernel is zero if Y is given, even if it equals X.
        eval_gradient : bool, default=False
            Whether to return the derivatives with respect to `theta` too; only without Y.

        Returns
        -------
        K : ndarray of shape (n_samples_X, n_samples_Y)
        gradient : ndarray of shape (n_samples_X, n_samples_X, n_dims)
            Only if `eval_gradient`.
        """
        if Y is not None and eval_gradient:
            raise ValueError("Gradient can only be evaluated when Y is None.")
        formula = compile_kernel(self, inherited=True) if self.requires_vector_input else None
        if formula is None:
            return self._by_parts(X, Y, eval_gradient)
        X, Y = as_rows(X), None if Y is None else as_rows(Y, "Y")
        if Y is not None and Y.shape[1] != X.shape[1]:
            raise ValueError(f"X and Y must have the same number of columns, got {X.shape[1]} and {Y.shape[1]}.")
        check_rows(self, X)
        if Y is not None:
            check_rows(self, Y)
        K = covariance(formula, X, Y)
        if not eval_gradient:
            return K
        gradient = np.empty((X.shape[0], X.shape[0], len(formula.free)))
        native.covariance_gradient(formula.args, X, gradient)
        return K, gradient

    def _by_parts(self, X, Y, eval_gradient):
        """Values of a kernel with parts that are not compiled."""
        raise NotImplementedError(f"{type(self).__name__} does not define __call__.")

    def diag(self, X):
        """Variances, the diagonal of ``kernel(X)``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        raise NotImplementedError(f"{type(self).__name__} does not define diag.")

    def is_stationary(self):
        """Whether the kernel depends on the difference of two rows only."""
        return False


class _Stationary(sk.StationaryKernelMixin):
    """Kernels of the difference of two rows."""


class _UnitVariance(_Stationary):
    """Stationary kernels with k(x, x) = 1."""

    def diag(self, X):
        return np.ones(count_items(np.atleast_2d(X) if np.ndim(X) < 2 else X))

    diag.__doc__ = Kernel.diag.__doc__


class _ItemKernel(sk.GenericKernelMixin):
    """Kernels that never look into the items of X."""

    def __call__(self, X, Y=None, eval_gradient=False):
        if Y is not None and eval_gradient:
            raise ValueError("Gradient can only be evaluated when Y is None.")
        n, m = count_items(X), count_items(X if Y is None else Y)
        K = self._matrix(n, m, Y is None)
        if not eval_gradient:
            return K
        name = self.hyperparameters[0].name
        fixed = getattr(self, "hyperparameter_" + name).fixed
        return K, np.empty((n, n, 0)) if fixed else K[:, :, None].copy()

    __call__.__doc__ = Kernel.__call__.__doc__

    def diag(self, X):
        return np.full(count_items(X), float(getattr(self, self.hyperparameters[0].name)))

    diag.__doc__ = Kernel.diag.__doc__


class ConstantKernel(_ItemKernel, _Stationary, Kernel):
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


class WhiteKernel(_ItemKernel, _Stationary, Kernel):
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


class RBF(_UnitVariance, Kernel):
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

    def __repr__(self):
        return f"{type(self).__name__}({self._length_words()})"

    def _length_words(self):
        if self.anisotropic:
            return f"length_scale=[{', '.join(f'{l:.3g}' for l in self.length_scale)}]"
        return f"length_scale={np.ravel(self.length_scale)[0]:.3g}"


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

    def __repr__(self):
        return f"{type(self).__name__}({self._length_words()}, nu={self.nu:.3g})"


class RationalQuadratic(_UnitVariance, Kernel):
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

    def __repr__(self):
        return f"{type(self).__name__}(alpha={self.alpha:.3g}, length_scale={self.length_scale:.3g})"


class ExpSineSquared(_UnitVariance, Kernel):
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

    def __repr__(self):
        return f"{type(self).__name__}(length_scale={self.length_scale:.3g}, periodicity={self.periodicity:.3g})"


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

    def diag(self, X):
        X = as_rows(X)
        return np.einsum("ij,ij->i", X, X) + (self.sigma_0**2 if self.squared else self.sigma_0)

    diag.__doc__ = Kernel.diag.__doc__

    def __repr__(self):
        return f"{type(self).__name__}(sigma_0={self.sigma_0:.3g})"


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
    import inspect

    try:
        return "gamma" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False


def _parts(kernels, X, Y, eval_gradient):
    """Values and gradients of kernels, the latter empty unless wanted."""
    if not eval_gradient:
        return [(kernel(X, Y), None) for kernel in kernels]
    return [kernel(X, eval_gradient=True) for kernel in kernels]


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


class Exponentiation(Kernel, sk.Exponentiation):
    r"""Power of a kernel. It is a kernel for whole exponents.

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
    """Several kernels side by side, as one-vs-rest classification has them.

    Parameters
    ----------
    kernels : list of Kernel

    Examples
    --------
    >>> from statlearn.gp import CompoundKernel, RBF
    >>> CompoundKernel([RBF(1.0), RBF(2.0)])([[0.0], [1.0]]).shape
    (2, 2, 2)
    """


for _own, _like in (
    (ConstantKernel, sk.ConstantKernel),
    (WhiteKernel, sk.WhiteKernel),
    (RBF, sk.RBF),
    (Matern, sk.Matern),
    (RationalQuadratic, sk.RationalQuadratic),
    (ExpSineSquared, sk.ExpSineSquared),
    (DotProduct, sk.DotProduct),
    (PairwiseKernel, sk.PairwiseKernel),
    (Sum, sk.Sum),
    (Product, sk.Product),
    (Exponentiation, sk.Exponentiation),
):
    register(_own, _like)
register(Brownian, None, minimum=True)
