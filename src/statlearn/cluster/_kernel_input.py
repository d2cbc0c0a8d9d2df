"""Tables and weights in the format of the compiled kernels."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from statlearn._core.validation import FLOATS, check_weights, validate_data
from statlearn._math.linalg.sparse_arrays import canonical, row_arrays

NO_WEIGHTS = np.empty(0)


def kernel_rows(X):
    """A validated table, dense in C order or CSR, as ``(values, columns, row starts, number of columns)``."""
    return *row_arrays(canonical(X)), X.shape[1]


def validate_rows(estimator, X, *, reset=True):
    """X as float32 or float64, dense in C order or CSR, with scikit-learn's checks."""
    if not reset:
        check_is_fitted(estimator)
    return validate_data(
        estimator, X, accept_sparse="csr", dtype=FLOATS, order="C", accept_large_sparse=False, reset=reset
    )


def kernel_weights(sample_weight, X):
    """Weights as doubles, empty if there are none, and the rows with positive weight (None if all)."""
    weights = check_weights(sample_weight, X)
    if weights is None:
        return NO_WEIGHTS, None
    weights = weights.astype(np.float64)
    present = weights > 0
    return (weights, None) if present.all() else (weights[present], np.flatnonzero(present))
