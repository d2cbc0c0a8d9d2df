"""Gram matrices of vectors, strings and other objects, and kernels by name."""

import numpy as np
from scipy import sparse

from statlearn._core.memory import require_memory
from statlearn._core.params import Instance, Int, check_arguments
from statlearn._core.validation import FLOATS, check_array, naming

from . import _pairwise
from ._kernel import Kernel, count_items
from ._objects import (
    AdditiveChi2Kernel,
    Chi2Kernel,
    CosineKernel,
    FunctionKernel,
    GaussianKernel,
    LaplacianKernel,
    LinearKernel,
    MinKernel,
    PolynomialKernel,
    SigmoidKernel,
)
from ._strings import SpectrumKernel, spectrum_kernel

BY_NAME = {
    "additive_chi2": AdditiveChi2Kernel,
    "chi2": Chi2Kernel,
    "cosine": CosineKernel,
    "gaussian": GaussianKernel,
    "laplacian": LaplacianKernel,
    "linear": LinearKernel,
    "min": MinKernel,
    "poly": PolynomialKernel,
    "polynomial": PolynomialKernel,
    "rbf": GaussianKernel,
    "sigmoid": SigmoidKernel,
    "spectrum": SpectrumKernel,
}
NUMERIC = tuple(name for name in BY_NAME if name != "spectrum")
# Our functions of two tables, as opposed to functions of two rows.
_TABLE_FUNCTIONS = [getattr(_pairwise, name) for name in dir(_pairwise) if name.endswith(("_kernel", "_similarity"))]
_TABLE_FUNCTIONS.append(spectrum_kernel)


def as_kernel(kernel, params=None, *, pairs=True, filter_params=False):
    """Kernel object of a name, an object or a function.

    Parameters
    ----------
    kernel : str, Kernel or callable
        A function takes two items (`pairs`) or two tables; the functions of this package always take tables.
        scikit-learn's kernels of Gaussian processes are recognised by their ``diag``.
    params : dict or None, default=None
        Parameters of a named kernel or of a function.
    filter_params : bool, default=False
        Whether to ignore parameters that a named kernel does not have.
    """
    params = dict(params or {})
    if isinstance(kernel, str):
        if kernel not in BY_NAME:
            raise ValueError(f"Unknown kernel {kernel!r}; use one of {sorted(BY_NAME)}, a kernel object or a function.")
        known = BY_NAME[kernel]._names()
        unknown = sorted(set(params) - set(known))
        if unknown and not filter_params:
            raise TypeError(f"The kernel {kernel!r} has no parameter {unknown[0]!r}; it has {known}.")
        return BY_NAME[kernel](**{name: value for name, value in params.items() if name in known})
    if isinstance(kernel, Kernel):
        if params and not filter_params:
            raise ValueError(f"Set the parameters of {kernel!r} itself instead of passing {sorted(params)}.")
        return kernel
    if not callable(kernel) or isinstance(kernel, type):
        raise TypeError(
            f"`kernel` must be a name, a kernel object or a function, got {type(kernel).__name__}. The rows come "
            "first: gram_matrix(X, kernel)."
        )
    tables = (
        not pairs or any(kernel is function for function in _TABLE_FUNCTIONS) or callable(getattr(kernel, "diag", None))
    )
    return FunctionKernel(kernel, pairs=not tables, params=params or None)


def check_gram(K, name="X", *, symmetric=True):
    """A square kernel matrix as a float array."""
    with naming(name):
        K = check_array(K, dtype=FLOATS, input_name=name)
    if K.shape[0] != K.shape[1]:
        raise ValueError(f"{name} must be a square kernel matrix, got shape {K.shape}.")
    if symmetric and not is_symmetric(K):
        raise ValueError(f"{name} must be a symmetric kernel matrix; use ({name} + {name}.T) / 2 if it nearly is.")
    return K


def is_symmetric(K, rtol=1e-6):
    """Whether a matrix equals its transpose up to `rtol` times its largest entry."""
    scale = float(np.abs(K).max(initial=0.0))
    return bool(np.abs(K - K.T).max(initial=0.0) <= rtol * scale)


def gram_matrix(X, kernel="linear", Y=None, *, pairs=False, params=None, block_size=None, out=None):
    """Kernel matrix of vectors, strings or other objects.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features) or sequence
        Rows, strings, or whatever the kernel takes.
    kernel : str, Kernel or callable, default="linear"
        A name ("linear", "poly", "rbf", "laplacian", "sigmoid", "cosine", "chi2", "additive_chi2", "min", "spectrum"),
        a kernel object, a function, or "precomputed". X is then the matrix itself, which is checked and returned.
    Y : like X or None, default=None
        None means X itself.
    pairs : bool, default=False
        Whether a function takes two items instead of two tables or sequences.
    params : dict or None, default=None
        Parameters of a named kernel, or keyword arguments of a function.
    block_size : int or None, default=None
        Number of items per block, which bounds the memory that a kernel needs in addition to the result. None computes
        the matrix in one call.
    out : ndarray of shape (n_samples_X, n_samples_Y) or None, default=None
        Array for the result, such as a `numpy.memmap` for a matrix that does not fit into memory.

    Returns
    -------
    ndarray of shape (n_samples_X, n_samples_Y)

    Examples
    --------
    >>> from statlearn.kernels import gram_matrix
    >>> gram_matrix(["ab", "ba", "abab"], "spectrum", params={"m": 2})
    array([[1., 0., 2.],
           [0., 1., 1.],
           [2., 1., 5.]])
    >>> gram_matrix([{1, 2}, {2, 3}], lambda a, b: len(a & b) / len(a | b), pairs=True).round(3)
    array([[1.   , 0.333],
           [0.333, 1.   ]])
    """
    check_arguments(
        gram_matrix,
        pairs=(pairs, ["boolean"]),
        params=(params, [Instance(dict), None]),
        block_size=(block_size, [Int(1, None), None]),
        out=(out, [Instance(np.ndarray), None]),
    )
    if isinstance(kernel, str) and kernel == "precomputed":
        if Y is not None:
            raise ValueError("Y must be None if `kernel`='precomputed': X is the kernel matrix.")
        K = check_gram(X)
        return K if out is None else _store(K, out)
    function = as_kernel(kernel, params, pairs=pairs)
    if block_size is None and out is None:
        return function(X, Y)
    return _in_blocks(function, _sliceable(X), None if Y is None else _sliceable(Y), block_size, out)


def _sliceable(X):
    if sparse.issparse(X):
        return X.tocsr()
    if hasattr(X, "iloc"):
        return X.to_numpy()
    return X if isinstance(X, (np.ndarray, list, tuple)) or hasattr(X, "slice") else list(X)


def _store(K, out):
    if out.shape != K.shape:
        raise ValueError(f"`out` must have shape {K.shape}, got {out.shape}.")
    out[...] = K
    return out


def _in_blocks(kernel, X, Y, size, out):
    right = X if Y is None else Y
    n, m = count_items(X), count_items(right)
    size = max(n, m) if size is None else size
    if out is None:
        require_memory(8 * n * m, f"The {n:,} x {m:,} kernel matrix", "Pass a numpy.memmap as `out`.")
        dtype = getattr(X, "dtype", None)
        out = np.empty((n, m), dtype=dtype if dtype in FLOATS and getattr(right, "dtype", None) == dtype else float)
    elif out.shape != (n, m):
        raise ValueError(f"`out` must have shape {(n, m)}, got {out.shape}.")
    for i in range(0, n, size):
        for j in range(i if Y is None else 0, m, size):
            if Y is None and i == j:
                out[i : i + size, i : i + size] = kernel(X[i : i + size])
                continue
            block = kernel(X[i : i + size], right[j : j + size])
            out[i : i + size, j : j + size] = block
            if Y is None:
                out[j : j + size, i : i + size] = block.T
    return out


def pairwise_kernels(X, Y=None, metric="linear", *, filter_params=False, n_jobs=None, **kwds):
    """Kernel matrix by the name of the kernel, with scikit-learn's signature.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples_X, n_features), or (n_samples_X, n_samples_Y) if precomputed
    Y : {array-like, sparse matrix} of shape (n_samples_Y, n_features) or None, default=None
        None means X itself.
    metric : str, Kernel or callable, default="linear"
        A name, a kernel object, "precomputed", or a function of two rows.
    filter_params : bool, default=False
        Whether to ignore parameters that the named kernel does not have.
    n_jobs : int or None, default=None
        Number of threads; see :func:`statlearn.threads`.
    **kwds : dict
        Parameters of the kernel.

    Returns
    -------
    ndarray of shape (n_samples_X, n_samples_Y)

    Examples
    --------
    >>> from statlearn.kernels import pairwise_kernels
    >>> pairwise_kernels([[0.0], [1.0]], metric="rbf", gamma=1.0).round(4)
    array([[1.    , 0.3679],
           [0.3679, 1.    ]])
    """
    from statlearn._core.jobs import jobs

    check_arguments(pairwise_kernels, filter_params=(filter_params, ["boolean"]))
    if isinstance(metric, str) and metric == "precomputed":
        with naming("X"):
            X = check_array(X, dtype=FLOATS, input_name="X")
        wanted = X.shape[0] if Y is None else count_items(Y)
        if X.shape[1] != wanted:
            raise ValueError(
                f"Precomputed metric requires shape (n_queries, n_indexed). Got {X.shape} for {wanted} indexed."
            )
        return X
    with jobs(n_jobs):
        return as_kernel(metric, kwds, filter_params=filter_params)(X, Y)
