"""Categorical columns, and the constraints that a user puts on columns: from what the user writes to arrays."""

import functools
import re

import numpy as np

from statlearn._core.columns import column_mask
from statlearn._core.trees.bins import _codes


class CategoryCoder:
    """Codes 0, 1, ... for the levels of the categorical columns of a table.

    Parameters
    ----------
    given : "from_dtype", array-like or None
        Columns that hold categories: those of a data frame with a categorical data type, or column numbers, names, or
        a mask. Columns of text must be in a data frame.
    missing_level : bool
        Whether a missing value is a level of its own, behind the others.
    declared_order : bool
        Whether levels come in the order that a categorical data type declares, in the place of sorted ones.
    """

    def __init__(self, given, *, missing_level=False, declared_order=False):
        self.given = given
        self.missing_level = missing_level
        self.declared_order = declared_order
        self.text_levels = {}
        self.text_columns = []  # the numbers of the columns that these belong to
        self.levels = {}
        self.mask = np.zeros(0, bool)

    def fit_frame(self, X):
        """The table with its categorical columns of text (or of a categorical type) replaced by codes."""
        self.text_levels, self.text_columns = {}, []
        frame = _frame(X)
        if frame is None:
            return X
        for j, (column, chosen) in enumerate(zip(frame.iter_columns(), self._chosen(frame), strict=True)):
            if _is_numeric(column.dtype):
                continue
            if chosen:
                self.text_levels[column.name] = self._levels_of(column, frame)
                self.text_columns.append(j)
            else:
                _refuse_text(column)
        return self.read_frame(X)

    def _levels_of(self, column, frame):
        seen = {v for v in column.to_list() if not _is_gap(v)}
        if self.declared_order:
            declared = _declared_levels(column, frame)
            if declared is not None:
                return [level for level in declared if level in seen]
        return sorted(seen, key=lambda v: (str(type(v)), v))

    def read_frame(self, X):
        """The same for further tables; levels never seen are missing values."""
        if not self.text_levels:
            return X
        import narwhals as nw

        frame = _frame(X)
        if frame is None:
            return X
        new = []
        for name, levels in self.text_levels.items():
            if name not in frame.columns:
                continue  # validation says which names are wrong
            code = {level: float(k) for k, level in enumerate(levels)}
            values = [np.nan if _is_gap(v) else code.get(v, np.nan) for v in frame.get_column(name).to_list()]
            new.append(nw.new_series(name, values, nw.Float64, backend=frame.implementation))
        return frame.with_columns(*new).to_native()

    def fit(self, X, names=None):
        """Learn the levels of a checked table of numbers; `names`: those of its columns, if it has any."""
        self.mask = self.choose(X.shape[1], names)
        self.levels = {}
        for j in np.flatnonzero(self.mask):
            if j in self.text_columns:
                self.levels[int(j)] = np.arange(len(self.levels_of_text(j)), dtype=X.dtype)
            else:
                self.levels[int(j)] = np.unique(X[~np.isnan(X[:, j]), j])
        return self

    def levels_of_text(self, j):
        """The levels of column j in the order of their codes; None where a frame did not hold them as text."""
        return list(self.text_levels.values())[self.text_columns.index(j)] if j in self.text_columns else None

    def encode(self, X):
        """The table with codes in its categorical columns; NaN for missing values and for levels never seen."""
        if not self.levels:
            return X
        X = X.copy()
        for j, levels in self.levels.items():
            codes = _codes(X[:, j], levels, np.arange(len(levels)))
            if self.missing_level:
                codes[np.isnan(X[:, j])] = len(levels)
            X[:, j] = codes
        return X

    def _chosen(self, frame):
        import narwhals as nw

        if self.given is None:
            return [False] * len(frame.columns)
        if isinstance(self.given, str):
            return [column.dtype in (nw.Categorical, nw.Enum) for column in frame.iter_columns()]
        return self.choose(len(frame.columns), np.asarray(frame.columns, dtype=object))

    def choose(self, p, names):
        """Which columns hold categories."""
        if self.given is None:
            return np.zeros(p, bool)
        if isinstance(self.given, str):
            return np.isin(np.arange(p), self.text_columns)
        return column_mask(self.given, p, names, "categorical_features")


def refuse_lazy(X):
    """Refuse a frame that has not been computed."""
    if type(X).__name__ == "LazyFrame":
        raise TypeError("X is a lazy frame, a plan without rows: collect() it first.")


def _frame(X):
    """X as a narwhals frame, or None for anything else."""
    refuse_lazy(X)
    if not hasattr(X, "columns"):
        return None
    import narwhals as nw

    frame = nw.from_native(X, eager_only=True, pass_through=True)
    return frame if isinstance(frame, nw.DataFrame) else None


def _declared_levels(column, frame):
    """The levels of a data type that has them in an order; None for others.

    Those of polars' Categorical come in the order in which the process has met them: that is none.
    """
    import narwhals as nw

    if column.dtype == nw.Enum:
        return list(column.dtype.categories)
    if column.dtype == nw.Categorical and frame.implementation.is_pandas_like():
        return column.to_native().cat.categories.tolist()
    return None


def _is_numeric(dtype):
    import narwhals as nw

    return dtype.is_numeric() or dtype == nw.Boolean


def refuse_names(X, owner):
    """Refuse text, categories and dates in the columns of a frame for a model that takes numbers only."""
    frame = _frame(X)
    for column in () if frame is None else frame.iter_columns():
        if not _is_numeric(column.dtype):
            advice = (
                f"{owner[0].upper()}{owner[1:]} takes numbers only: put a TableTransformer before it, in a Pipeline."
            )
            _refuse_text(column, advice)


_NO_NUMBERS = ("could not convert", "float() argument", "DType", "Cannot cast")  # as numpy and pandas put it


def naming_text(owner):
    """Decorates a `fit` that hands X to members: their error about text names the column and says what to do."""

    def decorate(fit):
        @functools.wraps(fit)
        def with_names(self, X, *args, **kwargs):
            try:
                return fit(self, X, *args, **kwargs)
            except (ValueError, TypeError) as error:
                if _is_about(X, str(error)):
                    refuse_names(X, owner)
                raise

        return with_names

    return decorate


def _is_about(X, message):
    """Whether an error complains of cells of the frame X, not of a target, and does not say of which column yet."""
    if message.startswith("Column ") or not any(sign in message for sign in _NO_NUMBERS):
        return False
    found = re.search(r"could not convert string to float: (?:np\.str_\()?'(.*?)'", message)
    frame = _frame(X)
    if found is None or frame is None:
        return True
    columns = (column for column in frame.iter_columns() if not _is_numeric(column.dtype))
    return any(found.group(1) in map(str, column.to_list()) for column in columns)


def is_mixed_frame(X):
    """Whether X is a data frame that an array of numbers cannot hold: with text, categories, or types with gaps."""
    frame = _frame(X)
    return frame is not None and np.asarray(frame.head(0).to_native()).dtype.kind not in "fiub"


def plain_numbers(X):
    """A pandas frame whose truth values and numbers of types with gaps (Int64, ...) are floats; others as they are.

    Truth values that are categories become objects.

    Beside columns of names scikit-learn's validation cannot convert such types.
    """
    if not (hasattr(X, "iloc") and hasattr(X, "dtypes") and hasattr(X, "columns")):
        return X
    types = list(X.dtypes.items())
    if all(dtype.kind in "biuf" for _, dtype in types):
        return X
    new = {
        name: np.float64
        for name, dtype in types
        if dtype.kind == "b" or (dtype.kind in "iuf" and hasattr(dtype, "na_value"))
    }
    levels = {name: getattr(dtype, "categories", None) for name, dtype in types}
    new |= {name: object for name, known in levels.items() if known is not None and known.dtype.kind == "b"}
    return X.astype(new) if new else X


def columns_beside(X, numbers, names):
    """The data frame X with columns of numbers, so named, before its own.

    The numbers are an array, or another frame: then of the library that this one is from.
    """
    import narwhals as nw

    frame, like = _frame(X), _frame(numbers)
    if not all(isinstance(name, str) for name in frame.columns):
        frame = frame.rename({name: f"x{j}" for j, name in enumerate(frame.columns)})
    if like is not None and like.implementation != frame.implementation:
        backend = like.implementation
        frame = nw.from_dict(
            {c.name: nw.new_series(c.name, c.to_list(), c.dtype, backend=backend) for c in frame.iter_columns()}
        )
    cells = np.asarray(numbers)
    new = [nw.new_series(name, cells[:, k], backend=frame.implementation) for k, name in enumerate(names)]
    return frame.with_columns(*new).select(*names, *frame.columns).to_native()


_NAMES = "Give it a categorical data type, name it in categorical_features, or put a TableTransformer before it."


def _refuse_text(column, advice=_NAMES):
    """Say what to do about words and dates where numbers are wanted; numbers written as text pass."""
    name = column.name.item() if hasattr(column.name, "item") else column.name
    if column.dtype.is_nested():
        raise ValueError(f"Column {name!r} holds lists or structures ({column.dtype}): make columns of numbers of it.")
    if column.dtype.is_temporal():
        raise ValueError(
            f"Column {name!r} holds dates or times ({column.dtype}): make numbers of it (year, day of the year, "
            "hours since a start, ...), or drop it."
        )
    for value in column.to_list():
        if isinstance(value, str):
            try:
                float(value)
            except ValueError:
                raise ValueError(
                    f"Column {name!r} holds text ({value!r}): could not convert string to float. {advice}"
                ) from None


def _is_gap(value):
    return value is None or (isinstance(value, float) and value != value)
