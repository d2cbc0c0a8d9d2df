"""Rows of arrays, sparse matrices and data frames alike."""

import numpy as np


def n_rows(X):
    """How many rows a table has."""
    return X.shape[0] if hasattr(X, "shape") else len(X)


def take_rows(X, rows):
    """The rows with these numbers, in their order, as what X is: array, sparse matrix, data frame or list."""
    if X is None:
        return None
    rows = np.asarray(rows)
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if hasattr(X, "columns") or hasattr(X, "to_numpy"):  # other data frames and their series
        import narwhals as nw

        native = nw.from_native(X, eager_only=True, allow_series=True)
        return nw.to_native(native[rows.tolist()])
    if hasattr(X, "tocsr"):
        return X.tocsr()[rows]
    return np.asarray(X)[rows] if hasattr(X, "__array__") else [X[k] for k in rows]


def missing_cells(X):
    """Where a 2-d array has NaN or None."""
    if X.dtype.kind == "f":
        return np.isnan(X)
    if X.dtype.kind != "O":
        return np.zeros(X.shape, dtype=bool)
    flat = np.fromiter((v is None or v != v for v in X.ravel()), bool, X.size)
    return flat.reshape(X.shape)
