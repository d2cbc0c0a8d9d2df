"""Rows and missing values of arrays, sparse matrices, data frames and lists."""

import numbers

import numpy as np


def n_rows(X):
    """Number of rows."""
    if not hasattr(X, "shape") and not hasattr(X, "__len__"):
        raise ValueError(f"X must be a table, got {type(X).__name__}.")
    return X.shape[0] if hasattr(X, "shape") else len(X)


def take_rows(X, rows):
    """The rows at the given positions or mask, as the same type as X; None if X is None.

    A sparse matrix is returned in CSR format, a list or tuple as a list.
    """
    if X is None:
        return None
    rows = np.asarray(rows)
    if rows.dtype == bool:
        rows = np.flatnonzero(rows)
    elif rows.size == 0:
        rows = rows.astype(np.intp)  # an empty list becomes an array of floats
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if hasattr(X, "tocsr"):
        return X.tocsr()[rows]
    if isinstance(X, np.ndarray):
        return X[rows]
    if hasattr(X, "columns") or hasattr(X, "to_numpy"):  # other data frames and their series
        import narwhals as nw

        return nw.to_native(nw.from_native(X, eager_only=True, allow_series=True)[rows])
    return np.asarray(X)[rows] if hasattr(X, "__array__") else [X[k] for k in rows]


def take_per_row(arguments, rows, n):
    """Keyword arguments for a subset of n rows; those with one entry per row are subset, others unchanged."""
    return {
        name: take_rows(value, rows)
        if hasattr(value, "__len__") and not isinstance(value, str) and len(value) == n
        else value
        for name, value in (arguments or {}).items()
    }


def is_missing(value):
    """Whether a value is None, NaN, NaT or pandas' NA, which compares with itself as neither True nor False."""
    kind = type(value)
    if kind is str:
        return False
    if value is None or kind.__name__ in ("NAType", "NaTType"):
        return True
    return (kind is float or isinstance(value, (numbers.Number, np.generic))) and bool(value != value)


def missing(values):
    """Mask of None, NaN, NaT and pandas' NA in an array of any shape."""
    values = np.asarray(values)
    if values.dtype.kind in "fc":
        return np.isnan(values)
    if values.dtype.kind in "mM":
        return np.isnat(values)
    if values.dtype.kind != "O":
        return np.zeros(values.shape, dtype=bool)
    return np.fromiter(map(is_missing, values.ravel()), bool, values.size).reshape(values.shape)
