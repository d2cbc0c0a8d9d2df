"""Tables with categorical columns of text, read as one matrix of numbers and codes."""

import numpy as np

from statlearn._core.frames import as_frame, declared_categories, factorize, is_numeric, missing
from statlearn._core.frames.columns import column_mask
from statlearn._core.frames.text import refuse_text
from statlearn._core.validation import validate_data

from ._base import NO_Y

_NUMBERS = [np.float64, np.float32, np.int64]


class TableReaderMixin:
    """Reads X; columns of text or of a categorical data type become codes 0, 1, ... of their levels.

    So do columns of numbers that the parameter `categorical_features` names, if the estimator has it. `levels_` has one
    entry per column: a list of levels, or None for a column of numbers. Missing values are NaN. At prediction an
    unknown level has the code ``len(levels)``; further batches of a stream add their levels at the end.
    """

    def _read_table(self, X, y=NO_Y, *, reset, grow=False):
        """A numeric matrix (int64 without missing values if X is of integers), and y if given."""
        frame = as_frame(X)
        if frame is None and _is_text(X):
            X, found = self._code_array(np.asarray(X, dtype=object), reset=reset, grow=grow)
        elif frame is not None:
            X, found = self._code_frame(frame, X, reset=reset, grow=grow)
        else:
            found = {}
        if hasattr(X, "dtype") and getattr(X.dtype, "kind", "") == "b":
            X = np.asarray(X).astype(np.int64)
        options = {"dtype": _NUMBERS, "ensure_all_finite": "allow-nan", "reset": reset}
        if y is NO_Y:
            X = validate_data(self, X, **options)
        else:
            X, y = validate_data(self, X, y, **options)
        if reset:
            self.levels_ = [found.get(j) for j in range(X.shape[1])]
            self._coded_numbers = [j for j in self._categories_among(X) if self.levels_[j] is None]
        else:
            self._refuse_numbers(X, found)
            if grow:
                for j, levels in found.items():
                    self.levels_[j] = levels
        X = self._code_numbers(X, may_add=reset or grow)
        return X if y is NO_Y else (X, y)

    def _categories_among(self, X):
        """Columns that `categorical_features` names."""
        given = getattr(self, "categorical_features", None)
        if given is None:
            return []
        names = getattr(self, "feature_names_in_", None)
        return np.flatnonzero(column_mask(given, X.shape[1], names, "categorical_features")).tolist()

    def _code_numbers(self, X, *, may_add):
        """Codes instead of the numbers that are categories."""
        if not self._coded_numbers:
            return X
        X = X.copy()
        for j in self._coded_numbers:
            lost = np.isnan(X[:, j])
            values, place = np.unique(X[~lost, j], return_inverse=True)
            codes = np.full(len(X), -1, np.intp)
            codes[~lost] = place
            levels = _levels(codes, values.tolist(), self.levels_[j], None, may_add)
            X[~lost, j] = _encode(place, values.tolist(), levels)
            if may_add:
                self.levels_[j] = levels
        return X

    def _refuse_numbers(self, X, found):
        """Raise if a column that had text or categories in `fit` now has numbers; it may be all missing."""
        for j, levels in enumerate(self.levels_):
            if levels is None or j in found or j in self._coded_numbers:
                continue
            if X.dtype.kind != "f" or not np.all(np.isnan(X[:, j])):
                raise ValueError(f"X: column {j} had text or categories in fit, but now contains numbers.")

    def _known(self, j, reset, name):
        if reset or j >= len(self.levels_):
            return None
        if self.levels_[j] is None or j in self._coded_numbers:
            raise ValueError(f"X: column {name!r} had numbers in fit, but now contains text or categories.")
        return self.levels_[j]

    def _code_frame(self, frame, X, *, reset, grow):
        import narwhals as nw

        declared = declared_categories(X) if reset else {}
        declared = declared if isinstance(declared, dict) else {}
        coded, found = [], {}
        for j, column in enumerate(frame.iter_columns()):
            if is_numeric(column.dtype):
                continue
            if column.dtype.is_nested() or column.dtype.is_temporal():
                refuse_text(column)
            codes, values = factorize(column)
            known = self._known(j, reset, column.name)
            categorical = column.dtype in (nw.Categorical, nw.Enum)
            own = values if categorical and column.implementation.is_pandas_like() else None
            if column.dtype == nw.Enum:
                own = list(column.dtype.categories)
            levels = _levels(codes, values, known, own, grow or reset)
            found[j] = levels
            coded.append(
                nw.new_series(column.name, _encode(codes, values, levels), nw.Float64, backend=column.implementation)
            )
        return (frame.with_columns(*coded).to_native() if coded else X), found

    def _code_array(self, X, *, reset, grow):
        if X.ndim != 2:
            return X, {}
        numbers, found = np.empty(X.shape), {}
        for j, column in enumerate(X.T):
            lost = missing(column)
            if not any(isinstance(cell, str) for cell in column):
                numbers[:, j] = [np.nan if gone else cell for cell, gone in zip(column, lost)]
                continue
            mixed = [cell for cell, gone in zip(column, lost) if not gone and not isinstance(cell, str)]
            if mixed:
                raise ValueError(f"X: column {j} mixes text and other values ({mixed[0]!r}); convert it to one type.")
            values, place = np.unique(column[~lost].astype(str), return_inverse=True)
            codes = np.full(len(column), -1, np.intp)
            codes[~lost] = place
            levels = _levels(codes, values.tolist(), self._known(j, reset, j), None, grow or reset)
            found[j] = levels
            numbers[:, j] = _encode(codes, values.tolist(), levels)
        return numbers, found


def _is_text(X):
    """Whether X is an array or list of rows that contains text."""
    if hasattr(X, "toarray"):
        return False
    kind = getattr(getattr(X, "dtype", None), "kind", None)
    if kind is None:
        try:
            X = np.asarray(X, dtype=object)
        except (ValueError, TypeError):
            return False
        kind = "O"
    if kind == "U":
        return True
    if kind != "O" or getattr(X, "ndim", 0) != 2:
        return False
    return any(isinstance(cell, str) for cell in np.ravel(X))


def _levels(codes, values, known, declared, may_add):
    """The levels in the order of their codes."""
    if known is None and declared is not None:
        return list(declared)
    occurring = np.flatnonzero(np.bincount(codes[codes >= 0], minlength=len(values)))
    seen = sorted((values[k] for k in occurring), key=lambda v: (str(type(v)), v))
    if known is None:
        return seen
    return [*known, *(v for v in seen if v not in set(known))] if may_add else known


def _encode(codes, values, levels):
    """Codes among `levels` as floats: NaN if missing, ``len(levels)`` if unknown."""
    number = {level: float(k) for k, level in enumerate(levels)}
    table = np.array([*(number.get(value, float(len(levels))) for value in values), np.nan])
    return table[codes]
