"""Sparse matrices as the native kernels take them."""

import numpy as np

_LARGEST = np.iinfo(np.int32).max


def compressed_arrays(X):
    """Values, positions and starts of a CSR or CSC matrix, the last two as int32.

    Nothing is copied if the positions have 32 bits already.
    """
    if max(X.nnz, *X.shape) > _LARGEST:
        raise ValueError(
            f"X has shape {X.shape} with {X.nnz} stored values; sparse input is limited to {_LARGEST} rows, columns "
            "and stored values."
        )
    index = (np.ascontiguousarray(a, dtype=np.int32) for a in (X.indices, X.indptr))
    return np.ascontiguousarray(X.data), *index


def canonical(X):
    """A CSR or CSC matrix with sorted positions and none stored twice; a copy only if X is not like that."""
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X
