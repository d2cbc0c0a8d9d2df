"""Sparse matrices in the form that a kernel or a dense method expects."""

import numpy as np
from scipy import sparse

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


def to_dense(X):
    """A sparse X as a dense array; a dense one as it is."""
    return X.toarray() if sparse.issparse(X) else X


def by_rows(X):
    """A sparse X in rows (CSR); a dense one as it is."""
    return X.tocsr() if sparse.issparse(X) else X


def stored_values(X):
    """Entries of X that are stored: all of a dense one."""
    return X.data if sparse.issparse(X) else X
