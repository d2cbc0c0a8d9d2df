"""Kernel matrices of numeric tables, dense or sparse, from the compiled core."""

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_array

from statlearn._core.memory import require_memory
from statlearn._core.native import kernels as native
from statlearn._core.validation import FLOATS, naming
from statlearn._math.linalg.sparse_arrays import canonical, compressed_arrays

# Codes of native/common/kernel_matrix.hpp.
KINDS = {
    "linear": 0,
    "polynomial": 1,
    "rbf": 2,
    "laplacian": 3,
    "sigmoid": 4,
    "cosine": 5,
    "chi2": 6,
    "additive_chi2": 7,
    "minimum": 8,
    "laplacian_l2": 9,
    "logistic": 10,
}
_LARGE = 2**22  # numbers; asking for the free memory takes longer than a small matrix


def check_rows(X, name="X"):
    """A table as a C-ordered float array, or as a sparse matrix with sorted rows."""
    with naming(name):
        X = check_array(X, accept_sparse="csr", dtype=FLOATS, order="C", input_name=name)
    return canonical(X)


def check_pair(X, Y=None):
    """Two tables with the same columns, precision and storage; the second is None if it is missing or the first."""
    same = Y is None or Y is X
    X = check_rows(X)
    if same:
        return X, None
    Y = check_rows(Y, "Y")
    if X.shape[1] != Y.shape[1]:
        raise ValueError(
            f"Incompatible dimension for X and Y matrices: X.shape[1] == {X.shape[1]} while Y.shape[1] == {Y.shape[1]}."
        )
    if X.dtype != Y.dtype:
        X, Y = X.astype(np.float64, copy=False), Y.astype(np.float64, copy=False)
    if sparse.issparse(X) != sparse.issparse(Y):
        X, Y = (canonical(sparse.csr_array(A)) for A in (X, Y))
    return X, Y


def evaluate(kind, X, Y=None, *, gamma=1.0, coef0=0.0, degree=3.0):
    """Kernel matrix of checked tables (see `check_pair`); Y=None means X itself."""
    n, m = X.shape[0], (X if Y is None else Y).shape[0]
    if n * m > _LARGE:
        require_memory(
            n * m * X.dtype.itemsize,
            f"The {n:,} x {m:,} kernel matrix",
            "Use fewer rows, float32 or an approximate feature map such as Nystroem.",
        )
    out = np.empty((n, m), dtype=X.dtype)
    settings = (KINDS[kind], float(gamma), float(coef0), float(degree))
    if sparse.issparse(X):
        if Y is None:
            native.kernel_gram_sparse(*settings, *compressed_arrays(X), X.shape[1], out)
        else:
            native.kernel_cross_sparse(*settings, *compressed_arrays(X), *compressed_arrays(Y), X.shape[1], out)
    elif Y is None:
        native.kernel_gram(*settings, X, out)
    else:
        native.kernel_cross(*settings, X, Y, out)
    return out


def evaluate_diagonal(kind, X, *, gamma=1.0, coef0=0.0, degree=3.0):
    """Diagonal k(x_i, x_i) of a checked table."""
    out = np.empty(X.shape[0])
    settings = (KINDS[kind], float(gamma), float(coef0), float(degree))
    if sparse.issparse(X):
        native.kernel_diagonal_sparse(*settings, *compressed_arrays(X), X.shape[1], out)
    else:
        native.kernel_diagonal(*settings, X, out)
    return out.astype(X.dtype, copy=False)
