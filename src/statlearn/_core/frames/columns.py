"""Columns of tables of any kind, and columns selected or constrained by users."""

import numpy as np


def _is_polars(X):
    return type(X).__module__.partition(".")[0] == "polars"


def column_names(X):
    """Names of the columns as strings, or x0, x1, ... if the table has none."""
    names = frame_names(X)
    return [f"x{j}" for j in range(X.shape[1])] if names is None else [str(name) for name in names]


def frame_names(X):
    """Names of the columns of a data frame as they are, or None for other tables."""
    return X.column_names if hasattr(X, "column_names") else getattr(X, "columns", None)  # pyarrow, others


def take_columns(X, columns):
    """The columns at these positions, as a table of the same type."""
    if hasattr(X, "iloc"):
        return X.iloc[:, columns]
    return X[:, np.asarray(columns).tolist()]


def column_from_rows(X, j, rows, source=None):
    """`X` with column `j` replaced by the values at positions `rows` of that column in `source`, by default X itself.

    A permutation of the positions shuffles the column, and a repeated position makes it constant. As only values of the
    column itself are used, its type does not change.
    """
    rows = np.asarray(rows)
    source = X if source is None else source
    if hasattr(X, "iloc"):
        out = X.copy(deep=False)
        out.isetitem(j, source.iloc[rows, j].array)
        return out
    if _is_polars(X):
        return X.with_columns(source.to_series(j).gather(rows))
    if hasattr(X, "tocsc"):
        return _sparse_with(X, j, source.tocsr()[rows][:, [j]])
    out = X.copy()
    out[:, j] = source[rows, j]
    return out


def column_with_values(X, j, values):
    """`X` with column `j` replaced by the given values, one per row, keeping its type if it can hold them."""
    values = np.asarray(values)
    if hasattr(X, "iloc"):
        out = X.copy(deep=False)
        out.isetitem(j, _as_column_of(X, j, values))
        return out
    if _is_polars(X):
        column = X.to_series(j)
        return X.with_columns(type(column)(column.name, values, strict=False).cast(column.dtype, strict=False))
    if hasattr(X, "tocsc"):
        return _sparse_with(X, j, values[:, None])
    out = X.copy()
    out[:, j] = values
    return out


def _as_column_of(X, j, values):
    """The values as an array of the type of a pandas column."""
    import pandas as pd

    try:
        return pd.array(values, dtype=X.dtypes.iloc[j])
    except (TypeError, ValueError):
        return values


def _sparse_with(X, j, column):
    out = X.tolil(copy=True)
    out[:, [j]] = column
    return out.asformat(X.format)


def cells(X, j):
    """Column `j` as a one-dimensional numpy array."""
    if hasattr(X, "iloc"):
        return X.iloc[:, j].to_numpy()
    if _is_polars(X):
        return X.to_series(j).to_numpy()
    column = X[:, [j]].toarray()[:, 0] if hasattr(X, "tocsc") else X[:, j]
    return np.asarray(column)


def column_mask(given, p, names, parameter):
    """Columns by number, name or mask, as a mask."""
    given = np.asarray(given)
    mask = np.zeros(p, bool)
    if given.size == 0:
        return mask
    if given.dtype == bool:
        if given.shape != (p,):
            raise ValueError(f"`{parameter}` must have {p} entries if it is a boolean mask, got {given.shape[0]}.")
        return given.copy()
    if given.dtype.kind in "iu":
        if given.min() < 0 or given.max() >= p:
            raise ValueError(f"`{parameter}` must contain column indices between 0 and {p - 1}.")
        mask[given] = True
        return mask
    if names is None:
        raise ValueError(f"`{parameter}` can only contain column names if X is a data frame; use indices instead.")
    unknown = sorted(set(given.tolist()) - set(names))
    if unknown:
        raise ValueError(f"`{parameter}` contains {unknown[0]!r}, which is not a column of X.")
    return np.isin(names, given.tolist())


def interaction_sets(constraints, p, names=None):
    """Sets of columns that may interact, as rows of 0 and 1; columns in no set form an additional one."""
    if constraints is None:
        return np.empty((0, p), np.uint8)
    if isinstance(constraints, str):
        groups = {"no_interactions": [[j] for j in range(p)], "pairwise": None}[constraints]
        if groups is None:
            groups = [[i, j] for i in range(p) for j in range(i, p)]
    else:
        single = [group for group in constraints if not np.iterable(group) or isinstance(group, str)]
        if single:
            raise ValueError(f"`interaction_cst` must contain sets of columns, got {single[0]!r}.")
        groups = [list(group) for group in constraints]
    sets = [column_mask(group, p, names, "interaction_cst") for group in groups]
    rest = ~np.any(sets, axis=0) if sets else np.ones(p, bool)
    if rest.any():
        sets.append(rest)
    return np.array(sets, np.uint8)


def monotone_signs(constraints, p, names=None):
    """Constraints -1, 0 or +1 per column, from a list or a dict of names; empty if there are none."""
    if constraints is None:
        return np.empty(0, np.int8)
    if isinstance(constraints, dict):
        unknown = sorted(set(constraints) - set([] if names is None else names))
        if unknown:
            raise ValueError(f"`monotonic_cst` contains {unknown[0]!r}, which is not a column of X.")
        constraints = [constraints.get(name, 0) for name in names] if constraints else np.zeros(p)
    signs = np.asarray(constraints)
    if signs.shape != (p,):
        shape = signs.shape[0] if signs.ndim == 1 else signs.shape
        raise ValueError(f"monotonic_cst has shape {shape} but the input data X has {p} features.")
    if not np.all(np.isin(signs, (-1, 0, 1))):
        values = signs.tolist() if signs.dtype == object else np.unique(signs)
        raise ValueError(f"monotonic_cst must be None or an array-like of -1, 0 or 1, but got {values}.")
    return signs.astype(np.int8) if np.any(signs) else np.empty(0, np.int8)
