"""Tables with categorical columns of text, read as one matrix of numbers and codes."""

import numbers
from collections.abc import Hashable

import numpy as np

from statlearn._core.frames import as_frame, factorize, is_mixed_frame, is_numeric, missing, n_rows, take_rows
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

    Columns of objects that are all numbers or booleans are categories if `_levels_of_objects`, otherwise numbers. After
    `fit`, they and columns without any value are what they were in `fit`.
    """

    _levels_of_objects = True

    def _category_columns(self, X, known):
        """Positions of the columns of a data frame that are categories; `known` are the `levels_` after `fit`."""
        if not hasattr(X, "columns") or not is_mixed_frame(X):
            return []
        return [j for j, column in enumerate(as_frame(X).iter_columns()) if self._is_category(column, j, known)]

    def _is_category(self, column, j, known):
        kind = content_of(column)
        if kind == "names":
            return True
        if known is None or j >= len(known):
            return kind == "nothing" or (kind == "objects" and self._levels_of_objects)
        return kind != "numbers" and known[j] is not None and j not in self._coded_numbers

    def _present_rows(self, X, y, sample_weight):
        """Rows of positive weight if X has categories, because levels of other rows are no levels.

        Weights that validation is going to refuse are left to it.
        """
        if sample_weight is None:
            return X, y, sample_weight
        try:
            weights = np.asarray(sample_weight, dtype=np.float64)
            alike = weights.shape == (n_rows(X),) == (len(y),) and np.all(weights >= 0) and np.any(weights > 0)
        except (TypeError, ValueError):
            return X, y, sample_weight
        if not alike or np.all(weights > 0):
            return X, y, sample_weight
        declared = getattr(self, "categorical_features", None)
        some = declared is not None and len(declared) > 0
        if not (some or (self._category_columns(X, None) if hasattr(X, "columns") else _is_text(X))):
            return X, y, sample_weight
        return tuple(take_rows(part, weights > 0) for part in (X, y, weights))

    def _read_table(self, X, y=NO_Y, *, reset, grow=False):
        """A numeric matrix (int64 without missing values if X is of integers), and y if given."""
        frame = as_frame(X)
        names = None if reset else getattr(self, "feature_names_in_", None)
        if frame is not None and names is not None and list(frame.columns) != names.tolist():
            # Other columns, before their content is examined.
            validate_data(self, X, reset=False, skip_check_array=True)
        if frame is None and _is_text(X):
            X, by_column = self._code_array(np.asarray(X, dtype=object), reset=reset, grow=grow)
        elif frame is not None:
            X, by_column = self._code_frame(frame, X, reset=reset, grow=grow)
        else:
            by_column = {}
        if hasattr(X, "dtype") and getattr(X.dtype, "kind", "") == "b":
            X = np.asarray(X).astype(np.int64)
        options = {"dtype": _NUMBERS, "ensure_all_finite": "allow-nan", "reset": reset}
        if y is NO_Y:
            X = validate_data(self, X, **options)
        else:
            X, y = validate_data(self, X, y, **options)
        if reset:
            self.levels_ = [by_column.get(j) for j in range(X.shape[1])]
            self._coded_numbers = [j for j in self._categories_among(X) if self.levels_[j] is None]
        else:
            self._refuse_numbers(X, by_column)
            if grow:
                for j, levels in by_column.items():
                    self.levels_[j] = levels
        X = self._code_numbers(X, may_add=reset or grow)
        return X if y is NO_Y else (X, y)

    def _categories_among(self, X):
        """Positions of the columns named by `categorical_features`."""
        chosen = getattr(self, "categorical_features", None)
        if chosen is None:
            return []
        names = getattr(self, "feature_names_in_", None)
        return np.flatnonzero(column_mask(chosen, X.shape[1], names, "categorical_features")).tolist()

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

    def _refuse_numbers(self, X, numbers):
        """Raise if a column that had text or categories in `fit` now has numbers; it may be all missing."""
        for j, levels in enumerate(self.levels_):
            if levels is None or j in numbers or j in self._coded_numbers:
                continue
            if X.dtype.kind != "f" or not np.all(np.isnan(X[:, j])):
                name = self.feature_names_in_[j] if hasattr(self, "feature_names_in_") else j
                raise ValueError(f"X: column {name!r} had text or categories in fit, but now contains numbers.")

    def _known(self, j, reset, name):
        if reset or j >= len(self.levels_):
            return None
        if self.levels_[j] is None or j in self._coded_numbers:
            raise ValueError(f"X: column {name!r} had numbers in fit, but now contains text or categories.")
        return self.levels_[j]

    def _code_frame(self, frame, X, *, reset, grow):
        import narwhals as nw

        coded, levels_by_column = [], {}
        for j, column in enumerate(frame.iter_columns()):
            if not self._is_category(column, j, None if reset else self.levels_):
                continue
            codes, values = factorize(column)
            known = self._known(j, reset, column.name)
            categorical = column.dtype in (nw.Categorical, nw.Enum)
            declared = values if categorical and column.implementation.is_pandas_like() else None
            if column.dtype == nw.Enum:
                declared = list(column.dtype.categories)
            levels = _levels(codes, values, known, declared, grow or reset)
            levels_by_column[j] = levels
            coded.append(
                nw.new_series(column.name, _encode(codes, values, levels), nw.Float64, backend=column.implementation)
            )
        return (frame.with_columns(*coded).to_native() if coded else X), levels_by_column

    def _code_array(self, X, *, reset, grow):
        if X.ndim != 2:
            return X, {}
        numbers, levels_by_column = np.empty(X.shape), {}
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
            levels_by_column[j] = levels
            numbers[:, j] = _encode(codes, values.tolist(), levels)
        return numbers, levels_by_column


def content_of(column):
    """Content of a narwhals column: "numbers", "flags" (booleans), "names", "objects" (numbers), or "nothing".

    Dates and lists are refused.
    """
    import narwhals as nw

    if is_numeric(column.dtype):
        return "flags" if column.dtype == nw.Boolean else "numbers"
    if column.dtype in (nw.Categorical, nw.Enum):
        return "names"
    if column.dtype.is_nested() or column.dtype.is_temporal():
        refuse_text(column)
    if column.dtype == nw.String:
        return "nothing" if column.is_null().all() else "names"
    cells = np.fromiter(column.to_list(), dtype=object, count=len(column))
    for cell in cells:
        if not isinstance(cell, Hashable):
            raise ValueError(
                f"Column {column.name!r} contains an object of type {type(cell).__name__}, which cannot be a category; "
                "convert the column to numbers or text, or drop it."
            )
    cells = cells[~missing(cells)]
    if not len(cells):
        return "nothing"
    if all(isinstance(cell, (numbers.Number, np.bool_)) for cell in cells):
        return "objects"
    if not any(isinstance(cell, str) for cell in cells):
        refuse_text(column)
    return "names"


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
    """Codes of the values among `levels` as floats: NaN if missing, ``len(levels)`` if unknown."""
    number = {level: float(k) for k, level in enumerate(levels)}
    table = np.array([*(number.get(value, float(len(levels))) for value in values), np.nan])
    return table[codes]
