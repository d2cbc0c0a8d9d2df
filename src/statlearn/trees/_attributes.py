"""Encoding of tables with numeric and categorical columns for the tree kernels."""

import numbers

import numpy as np

from statlearn._core.frames import column_mask, declared_categories, missing, plain_numbers
from statlearn._core.validation import validate_data

MISSING = "missing"  # name of the level that stands for missing values


def read_columns(estimator, X, y="no_validation", *, reset=False, allow_nan=True, y_numeric=False):
    """The columns of X, a mask of the categorical ones, and y.

    Each column is an array of floats (NaN: missing) or of strings (None: missing). Sets or checks the estimator's
    feature names and number of features, as `validate_data` does. The mask marks columns of text or of a categorical
    type.
    """
    declared = declared_categories(X)
    X = plain_numbers(X)
    late = allow_nan or hasattr(X, "columns")  # checking a frame later lets the error name the column
    rules = {"dtype": None, "ensure_all_finite": "allow-nan" if late else True, "reset": reset}
    if isinstance(y, str):
        X, y = validate_data(estimator, X, **rules), None
    else:
        X, y = validate_data(estimator, X, y, y_numeric=y_numeric, **rules)
    names = column_names(estimator)
    if X.dtype.kind in "biuf":
        columns = list(X.astype(np.float64).T)
    else:
        columns = [_cells(X[:, j], names[j]) for j in range(X.shape[1])]
    if not allow_nan:
        empty = [name for name, column in zip(names, columns) if missing(column).any()]
        if empty:
            raise ValueError(
                f"Input X contains NaN: column {empty[0]!r} has missing values, which {type(estimator).__name__} does "
                "not support. Impute them first."
            )
    named = np.array([column.dtype == object for column in columns])
    named[[j for j in declared if j < len(columns)]] = True
    return columns, named, y


def column_names(estimator):
    """The names of the columns, or x0, x1, ..."""
    names = getattr(estimator, "feature_names_in_", None)
    return [f"x{j}" for j in range(estimator.n_features_in_)] if names is None else [str(name) for name in names]


def _cells(column, name):
    """One column of Python objects or of text."""
    if column.dtype.kind in "US":
        return column.astype(str).astype(object)
    absent = missing(column)
    known = column[~absent]
    if all(isinstance(v, str) for v in known):
        cells = np.empty(len(column), dtype=object)
        cells[~absent] = known
        return cells if len(known) else np.full(len(column), np.nan)
    if not all(isinstance(v, (numbers.Real, np.bool_)) for v in known):
        kinds = sorted({type(v).__name__ for v in known})
        raise TypeError(
            f"X: column {name!r} contains values of type {kinds}; the argument must be uniformly strings or numbers."
        )
    cells = np.full(len(column), np.nan)
    cells[~absent] = known.astype(np.float64)
    if np.isinf(cells).any():
        raise ValueError(f"Input X contains infinity in column {name!r}.")
    return cells


def categorical_mask(columns, estimator):
    """Boolean mask of columns given by position, name or mask."""
    p = estimator.n_features_in_
    names = getattr(estimator, "feature_names_in_", None)
    return np.zeros(p, bool) if columns is None else column_mask(columns, p, names, "categorical_features")


def learn_levels(columns, named, *, missing_level=False):
    """The sorted levels of each categorical column, None for numeric columns.

    With `missing_level`, a column that has missing values gets one more level for them, the last.
    """
    levels = []
    for column, is_named in zip(columns, named):
        if not is_named:
            levels.append(None)
            continue
        known = column[~missing(column)]
        seen = np.unique(known.astype(str)) if column.dtype == object else np.unique(known)
        if missing_level and len(known) < len(column):
            seen = np.append(seen.astype(str) if column.dtype == object else seen, _missing_mark(column))
        levels.append(seen)
    return levels


def _missing_mark(column):
    return MISSING if column.dtype == object else np.nan


def encode(columns, levels, names, *, missing_level=False):
    """A column-major matrix of numbers as they are and categories as the index of their level.

    NaN means missing. A level not seen in training gets the number of levels as its index.
    """
    codes = np.empty((len(columns[0]), len(columns)), order="F")
    for j, (column, known) in enumerate(zip(columns, levels)):
        is_text = column.dtype == object
        if known is None or known.dtype.kind != "U":
            if is_text:
                raise ValueError(f"X: column {names[j]!r} was numeric during fit but contains text.")
        elif not is_text and not np.isnan(column).all():
            raise ValueError(f"X: column {names[j]!r} was text during fit but contains numbers.")
        codes[:, j] = column if known is None else _level_numbers(column, known, missing_level)
    return codes


def decode(codes, levels):
    """The columns of a matrix made by `encode`, with levels instead of their numbers."""
    columns = []
    for column, known in zip(codes.T, levels):
        if known is None:
            columns.append(column)
            continue
        text = known.dtype.kind == "U"
        cells = np.full(len(column), None if text else np.nan, dtype=object if text else np.float64)
        present = ~np.isnan(column)
        cells[present] = known[column[present].astype(np.intp)]
        columns.append(cells)
    return columns


def _level_numbers(column, levels, missing_level):
    absent = missing(column)
    numbers = np.full(len(column), float(len(levels)))
    known = column[~absent]
    if len(known) and len(levels):
        known = known.astype(levels.dtype.type)
        order = np.argsort(levels, kind="stable")  # the level for missing values is last, not in sorted order
        place = order[np.minimum(np.searchsorted(levels, known, sorter=order), len(levels) - 1)]
        numbers[~absent] = np.where(levels[place] == known, place, len(levels))
    if not missing_level:
        numbers[absent] = np.nan
    elif absent.any():
        mark = MISSING if levels.dtype.kind == "U" else np.nan
        has_level = len(levels) and (levels[-1] == mark or levels[-1] != levels[-1])
        numbers[absent] = len(levels) - 1 if has_level else len(levels)
    return numbers
