"""Training rows with a kernel, in the form that the native solver takes, and kernel values between rows."""

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_array

from statlearn._core import native
from statlearn._core.validation import naming
from statlearn._core.warnings import StatlearnWarning, warn
from statlearn._math.linalg.sparse_arrays import canonical, compressed_arrays, stored_values

# Kinds of native/common/kernel_matrix.hpp.
KINDS = {"linear": 0, "poly": 1, "rbf": 2, "sigmoid": 4}
ALIASES = {"gaussian": "rbf", "polynomial": "poly"}
_BLOCK = 1 << 22  # kernel values of a block of predictions
_SAMPLE = 200  # rows whose kernel matrix is checked for negative eigenvalues
_DENSE_SIZE = 4_000_000  # sparse tables with fewer cells are computed as dense ones, which is faster


class IndefiniteKernelWarning(StatlearnWarning):
    """The kernel matrix has negative eigenvalues, so the dual problem is not convex."""


def resolve_gamma(gamma, X, weights=None):
    """The number behind gamma="scale", 1 / (p var(X)), and "auto", 1 / p; a row of weight k counts as k rows."""
    if not isinstance(gamma, str):
        return float(gamma)
    p = X.shape[1]
    if gamma == "auto":
        return 1.0 / p
    if weights is None:
        variance = (X.multiply(X)).mean() - X.mean() ** 2 if sparse.issparse(X) else X.var(dtype=np.float64)
    else:
        share = weights / (weights.sum() * p)
        mean = share @ np.asarray(X.sum(axis=1), dtype=np.float64).ravel()
        if sparse.issparse(X):
            variance = share @ np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel() - mean**2
        else:
            variance = share @ np.sum((X - mean) ** 2, axis=1, dtype=np.float64)
    return 1.0 / (p * variance) if variance > 0 else 1.0


def _fits_single(X, gamma):
    """Whether squares of the entries and gamma keep their digits in single precision."""
    values = stored_values(X)
    largest = max(abs(float(values.max(initial=0.0))), abs(float(values.min(initial=0.0))))
    return (largest == 0.0 or 1e-15 < largest < 1e15) and 1e-30 < gamma < 1e30


class KernelTable:
    """Rows and a kernel, or a kernel matrix.

    Parameters
    ----------
    X : ndarray, csr matrix or, with kind None, the kernel matrix
    kind : str or None
        A name of `KINDS` or `ALIASES`; None if X is a kernel matrix.
    gamma, coef0, degree : float
    """

    def __init__(self, X, kind, gamma=1.0, coef0=0.0, degree=3):
        kind = ALIASES.get(kind, kind)
        if sparse.issparse(X) and X.shape[0] * X.shape[1] <= _DENSE_SIZE:
            X = X.toarray()
        if kind is not None and X.dtype == np.float32 and not _fits_single(X, gamma):
            X = X.astype(np.float64)
        self.X, self.kind = X, kind
        self.parameters = () if kind is None else (KINDS[kind], float(gamma), float(coef0), float(degree))

    @property
    def n(self):
        """Number of rows."""
        return self.X.shape[0]

    @property
    def fits_single(self):
        """Whether the kernel can be evaluated in single precision."""
        return self.kind is None or _fits_single(self.X, self.parameters[1])

    def solve(self, plan, *, single):
        """Run the native solver on a plan, in single precision if `single`."""
        X = self._in_precision(np.float32 if single else np.float64)
        if self.kind is None:
            return native.svm.machines_fit_matrix(X, plan)
        if sparse.issparse(X):
            return native.svm.machines_fit_sparse(*self.parameters, *compressed_arrays(X), X.shape[1], plan)
        return native.svm.machines_fit_dense(*self.parameters, X, plan)

    def _in_precision(self, dtype):
        X = self.X
        if sparse.issparse(X):
            return canonical(X.astype(dtype, copy=False))
        if self.kind == "rbf" and dtype == np.float32 and X.dtype != dtype:
            X = X - X.mean(axis=0)  # distances do not change, and far fewer digits are lost
        return np.ascontiguousarray(X, dtype=dtype)

    def as_matrix(self, dtype):
        """The table with its whole kernel matrix computed."""
        if self.kind is None:
            return self
        working = dtype if self.fits_single else np.float64
        X = self._in_precision(working)
        out = np.empty((self.n, self.n), working)
        if sparse.issparse(X):
            native.kernels.kernel_gram_sparse(*self.parameters, *compressed_arrays(X), X.shape[1], out)
        else:
            native.kernels.kernel_gram(*self.parameters, X, out)
        return KernelTable(out.astype(dtype, copy=False), None)

    def values(self, rows, columns):
        """K[rows][:, columns] in double precision."""
        if self.kind is None:
            return np.asarray(self.X[np.ix_(rows, columns)], dtype=np.float64)
        return cross_values(self.X[rows], self.X[columns], self.parameters)

    def diagonal(self, rows):
        """K(x, x) of these rows."""
        if self.kind is None:
            return self.X[rows, rows]
        blocks = np.array_split(np.asarray(rows), max(1, len(rows) // 64))
        return np.concatenate([np.diagonal(self.values(block, block)) for block in blocks])


def cross_values(X, Y, parameters):
    """Kernel values between the rows of X and Y (both dense or both sparse, of one precision)."""
    if X.dtype == np.float32 and not (_fits_single(X, parameters[1]) and _fits_single(Y, parameters[1])):
        X, Y = X.astype(np.float64), Y.astype(np.float64)
    out = np.empty((X.shape[0], Y.shape[0]), X.dtype)
    if sparse.issparse(X) and max(X.shape[0], Y.shape[0]) * X.shape[1] <= _DENSE_SIZE:
        X, Y = X.toarray(), Y.toarray()
    if sparse.issparse(X):
        X, Y = canonical(X.tocsr()), canonical(Y.tocsr())
        native.kernels.kernel_cross_sparse(*parameters, *compressed_arrays(X), *compressed_arrays(Y), X.shape[1], out)
    else:
        native.kernels.kernel_cross(*parameters, np.ascontiguousarray(X), np.ascontiguousarray(Y), out)
    return out


def sums_of_kernels(X, support, parameters, coef, segments):
    """sum over the support vectors of a segment of coef times kernel, of shape (rows, segments, rows of coef).

    With `parameters` None, X holds the kernel values themselves. Rows come in blocks, so that the whole cross kernel
    is never in memory.
    """
    n, m = X.shape[0], coef.shape[1]
    out = np.empty((n, len(segments) - 1, coef.shape[0]))
    starts = np.asarray(segments, dtype=np.int32)
    coef = np.ascontiguousarray(coef, dtype=np.float64)
    block = int(np.clip(_BLOCK // max(m, 1), 64, 4096))
    for begin in range(0, n, block):
        rows = X[begin : begin + block]
        K = np.ascontiguousarray(rows) if parameters is None else cross_values(rows, support, parameters)
        native.svm.segment_sums(K, coef, starts, out[begin : begin + block])
    return out


def callable_kernel(kernel, X, Y):
    """Values of a kernel function as a float64 matrix of the right shape."""
    K = kernel(X, Y)
    if sparse.issparse(K):
        K = K.toarray()
    with naming("kernel"):
        K = check_array(K, dtype=np.float64, order="C", input_name="kernel values")
    n, m = _rows(X), _rows(Y)
    if K.shape != (n, m):
        raise ValueError(
            f"kernel returned an array of shape {K.shape}, expected {(n, m)}: a row for each row of its first argument "
            "and a column for each row of its second."
        )
    return K


def _rows(X):
    return X.shape[0] if hasattr(X, "shape") else len(X)


def check_gram(K):
    """Raise an error unless a kernel matrix is square and symmetric."""
    if K.shape[0] != K.shape[1]:
        raise ValueError(f"Precomputed matrix must be a square matrix. Input X is a {K.shape[0]}x{K.shape[1]} matrix.")
    asymmetry = max(
        float(np.abs(K[i : i + 512] - K[:, i : i + 512].T).max(initial=0.0)) for i in range(0, K.shape[0], 512)
    )
    if asymmetry > 1e-6 * max(float(np.abs(K).max()), 1e-300):
        raise ValueError(
            f"X must be a symmetric kernel matrix; K[i, j] and K[j, i] differ by up to {asymmetry:.3g}. "
            "Use (K + K.T) / 2."
        )


def warn_if_indefinite(table, name):
    """Warn if the kernel matrix of some of the rows, and so that of all, has a clearly negative eigenvalue."""
    rows = np.unique(np.linspace(0, table.n - 1, min(table.n, _SAMPLE)).astype(int))
    values = np.linalg.eigvalsh(table.values(rows, rows))
    if values[0] < -1e-6 * max(abs(values[-1]), 1e-300):
        warn(
            f"The kernel matrix of {name} is indefinite (smallest eigenvalue {values[0]:.3g}, largest "
            f"{values[-1]:.3g}). "
            "The dual problem is not convex; the solution is a stationary point that depends on the solver. Use a "
            "positive definite kernel.",
            IndefiniteKernelWarning,
        )
