"""The base class of covariance functions with hyper-parameters, and what their families share."""

import numpy as np
from sklearn.gaussian_process import kernels as sk

from statlearn._core.native import gp as native
from statlearn._core.validation import check_array, naming

from ._formula import compile_kernel


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
        if hasattr(each, "check_times"):
            each.check_times(X)
        metric = getattr(each, "metric", None)
        if isinstance(metric, str) and metric in ("chi2", "additive_chi2") and np.any(X < 0):
            raise ValueError(f"X contains negative values, which the {metric!r} kernel does not take.")


def check_parameters(kernel):
    """Raise an error for hyper-parameters or bounds that are impossible; fixed variances may be 0."""
    for each in leaves(kernel):
        for hyper in getattr(each, "hyperparameters", ()):
            if hyper.value_type != "numeric":
                continue
            raw = getattr(each, hyper.name)
            values = np.ravel(np.asarray(raw, dtype=np.float64))
            zero = hyper.fixed and hyper.name in ("constant_value", "noise_level", "sigma_0", "scale")
            if not (np.isfinite(values) & ((values >= 0) if zero else (values > 0))).all():
                raise ValueError(f"`{hyper.name}` of {type(each).__name__} must be positive and finite, got {raw!r}.")
            if not hyper.fixed and not ((hyper.bounds[:, 0] >= 0) & (hyper.bounds[:, 0] <= hyper.bounds[:, 1])).all():
                raise ValueError(
                    f"`{hyper.name}_bounds` of {type(each).__name__} must be (low, high) with 0 <= low <= high, got "
                    f"{getattr(each, hyper.name + '_bounds', hyper.bounds)!r}."
                )


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


def _algebra():
    """Module of sums, products and powers, which are kernels themselves."""
    from . import _algebra

    return _algebra


def _combined(operation, *kernels):
    algebra = _algebra()
    return getattr(algebra, operation)(*map(algebra.as_kernel, kernels))


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
        return _combined("Sum", self, other)

    def __radd__(self, other):
        return _combined("Sum", other, self)

    def __mul__(self, other):
        return _combined("Product", self, other)

    def __rmul__(self, other):
        return _combined("Product", other, self)

    def __pow__(self, exponent):
        return _algebra().Exponentiation(self, exponent)

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


class Stationary(sk.StationaryKernelMixin):
    """Kernels of the difference of two rows."""


class UnitVariance(Stationary):
    """Stationary kernels with k(x, x) = 1."""

    def diag(self, X):
        return np.ones(count_items(np.atleast_2d(X) if np.ndim(X) < 2 else X))

    diag.__doc__ = Kernel.diag.__doc__


class ItemKernel(sk.GenericKernelMixin):
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
