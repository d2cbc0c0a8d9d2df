"""Sparse matrices in the form expected by the native kernels."""

import numpy as np

_LARGEST = np.iinfo(np.int32).max


def compressed_arrays(X):
    """Values, positions and starts of a CSR or CSC matrix, the last two as int32.

    No copy is made if the positions already have 32 bits.
    """
    if max(X.nnz, *X.shape) > _LARGEST:
        raise ValueError(
            f"X has shape {X.shape} with {X.nnz} stored values; sparse input is limited to {_LARGEST} rows, columns "
            "and stored values."
        )
    index = (np.ascontiguousarray(a, dtype=np.int32) for a in (X.indices, X.indptr))
    return np.ascontiguousarray(X.data), *index


def canonical(X):
    """A CSR or CSC matrix with sorted positions and without duplicates; copied only if X is not in this form."""
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X
