"""Products of a table with arrays in double precision, without a copy of the table in that precision."""

import numpy as np
from scipy import sparse

_ENTRIES = 2**18  # of the part of the table that is in double precision at a time: 2 MB, for the caches


def row_blocks(X, entries=_ENTRIES):
    """Slices of consecutive rows with some `entries` entries each."""
    step = max(1, entries // max(1, X.shape[1]))
    return [slice(first, first + step) for first in range(0, X.shape[0], step)]


def doubled_blocks(X, entries=_ENTRIES):
    """Consecutive rows of a dense table, as pairs of a slice and these rows in double precision."""
    for rows in row_blocks(X, entries):
        yield rows, X[rows].astype(np.float64, copy=False)


def is_mixed(X, W):
    """Whether numpy would first convert all of a dense X to the precision of W."""
    return not sparse.issparse(X) and X.dtype != np.float64 and W.dtype == np.float64


def product(X, W):
    """X @ W for dense or sparse X of shape (n, p) and dense W of shape (p,) or (p, m)."""
    if not is_mixed(X, W):
        return X @ W
    out = np.empty((X.shape[0], *W.shape[1:]))
    for rows, block in doubled_blocks(X):
        out[rows] = block @ W
    return out


def transposed_product(X, R):
    """X' R for dense X of shape (n, p) and R of shape (n,) or (n, m)."""
    if not is_mixed(X, R):
        return X.T @ R
    out = np.zeros((X.shape[1], *R.shape[1:]))
    for rows, block in doubled_blocks(X):
        out += block.T @ R[rows]
    return out
