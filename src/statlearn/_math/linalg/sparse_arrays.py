"""Sparse matrices in the form that a kernel or a dense method expects."""

import numpy as np
from scipy import sparse

_LARGEST = np.iinfo(np.int32).max
_NO_INDEX = np.empty(0, dtype=np.int32)


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
    """X with sorted positions and without duplicates, copied only if a sparse X is not in this form."""
    if sparse.issparse(X) and not X.has_canonical_format:
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


def by_columns(X):
    """A sparse X in columns (CSC), a dense one in column-major order."""
    return X.tocsc() if sparse.issparse(X) else np.asfortranarray(X)


def row_arrays(X):
    """Values, column numbers and row starts of a table by rows; the last two are empty if X is dense."""
    return compressed_arrays(X) if sparse.issparse(X) else (X.reshape(-1), _NO_INDEX, _NO_INDEX)


def with_column(X, value=1.0):
    """X with a further column of one value; a sparse X in rows (CSR)."""
    column = np.full((X.shape[0], 1), value, dtype=X.dtype)
    if sparse.issparse(X):
        return sparse.hstack([X, column], format="csr", dtype=X.dtype)
    return np.hstack([X, column])
