"""Categorical columns: levels and codes."""

import numpy as np

from .columns import column_mask
from .frame import as_frame, is_numeric
from .text import refuse_text


def factorize(column):
    """An integer code for each value of a narwhals column, and the distinct values.

    Missing values (None, NaN, NaT, pandas' NA) have the code -1. The distinct values may include some that do not
    occur, if a categorical data type declares them.

    Parameters
    ----------
    column : narwhals.Series
        A column of text, categories, objects or dates.

    Returns
    -------
    codes : ndarray of int of shape (n,)
    values : list
    """
    import narwhals as nw

    categorical = column.dtype in (nw.Categorical, nw.Enum)
    native = column.to_native()
    if column.implementation.is_pandas_like():
        if categorical:
            return native.cat.codes.to_numpy().astype(np.intp), native.cat.categories.tolist()
        codes, values = native.factorize()
        return np.asarray(codes), values.tolist()
    if column.dtype == nw.Object:
        return _factorize_objects(column.to_list())
    if categorical:
        column = column.cast(nw.String)
    missing = column.is_null().to_numpy()
    codes = np.full(len(column), -1, np.intp)
    known = column.drop_nulls()
    values = known.unique().to_list()
    if values:
        codes[~missing] = known.replace_strict(values, range(len(values)), return_dtype=nw.Int64).to_numpy()
    return codes, values


def _factorize_objects(cells):
    """`factorize` for arbitrary Python objects."""
    number = {}
    codes = [-1 if v is None or v != v else number.setdefault(v, len(number)) for v in cells]
    return np.array(codes, np.intp), list(number)


def are_codes(values):
    """Whether numbers (in any order, without NaN) can index a lookup table: non-negative and not too large."""
    return len(values) > 0 and values.min() >= 0 and values.max() < 2**16


def level_codes(column, levels, codes):
    """The code of each number of a column, given sorted levels; NaN for NaN and for unknown numbers."""
    if not len(levels):
        return np.full(len(column), np.nan, column.dtype)
    if are_codes(levels) and np.array_equal(levels, np.floor(levels)):
        last = int(levels[-1])
        table = np.full(last + 2, np.nan, column.dtype)
        table[levels.astype(np.int64)] = codes
        whole = np.where((column >= 0) & (column <= last), column, last + 1).astype(np.int64)
        return np.where(whole == column, table[whole], np.nan).astype(column.dtype)
    at = np.minimum(np.searchsorted(levels, column), len(levels) - 1)
    return np.where(levels[at] == column, codes[at], np.nan).astype(column.dtype)


class CategoryCoder:
    """Encoder of the levels of categorical columns as codes 0, 1, ...

    Parameters
    ----------
    given : "from_dtype", array-like or None
        Categorical columns: those of a data frame with a categorical data type, or the given column indices, names or
        mask. Columns of text must be in a data frame.
    missing_level : bool, default=False
        Whether missing values form a separate level, after the others.
    declared_order : bool, default=False
        Whether levels have the order declared by a categorical data type, instead of being sorted.
    """

    def __init__(self, given, *, missing_level=False, declared_order=False):
        self.given = given
        self.missing_level = missing_level
        self.declared_order = declared_order
        self.text_levels = {}
        self.text_columns = []  # the indices of the columns that these belong to
        self.levels = {}
        self.mask = np.zeros(0, bool)

    def fit_frame(self, X):
        """The table with its categorical columns of text (or of a categorical type) replaced by codes."""
        import narwhals as nw

        self.text_levels, self.text_columns = {}, []
        frame = as_frame(X)
        if frame is None:
            return X
        coded = []
        for j, (column, chosen) in enumerate(zip(frame.iter_columns(), self._chosen(frame), strict=True)):
            if is_numeric(column.dtype):
                continue
            if chosen and not column.dtype.is_nested():
                codes, values = factorize(column)
                self.text_levels[column.name] = self._levels_of(column, codes, values)
                self.text_columns.append(j)
                coded.append(self._coded(nw, column, codes, values))
            else:
                refuse_text(column)
        return frame.with_columns(*coded).to_native() if coded else X

    def _levels_of(self, column, codes, values):
        """The values that occur, in the order of their future codes."""
        occurring = np.flatnonzero(np.bincount(codes[codes >= 0], minlength=len(values)))
        seen = [values[k] for k in occurring]
        if self.declared_order:
            declared = _declared_levels(column, values)
            if declared is not None:
                seen = set(seen)
                return [level for level in declared if level in seen]
        return sorted(seen, key=lambda v: (str(type(v)), v))

    def _coded(self, nw, column, codes, values):
        """The column of codes for a factorized column."""
        code = {level: float(k) for k, level in enumerate(self.text_levels[column.name])}
        table = np.array([*(code.get(value, np.nan) for value in values), np.nan])  # last: missing values
        return nw.new_series(column.name, table[codes], nw.Float64, backend=column.implementation)

    def read_frame(self, X):
        """A table for prediction with codes in its columns of text; unseen levels are treated as missing."""
        if not self.text_levels:
            return X
        import narwhals as nw

        frame = as_frame(X)
        if frame is None:
            return X
        known = [name for name in self.text_levels if name in frame.columns]  # validation reports missing columns
        columns = [frame.get_column(name) for name in known]
        return frame.with_columns(*(self._coded(nw, column, *factorize(column)) for column in columns)).to_native()

    def fit(self, X, names=None):
        """Learn the levels of a validated numeric table; `names` are its column names, if any."""
        self.mask = self.choose(X.shape[1], names)
        self.levels = {}
        for j in np.flatnonzero(self.mask):
            if j in self.text_columns:
                self.levels[int(j)] = np.arange(len(self.levels_of_text(j)), dtype=X.dtype)
            else:
                self.levels[int(j)] = np.unique(X[~np.isnan(X[:, j]), j])
        return self

    def levels_of_text(self, j):
        """The levels of column j in the order of their codes, or None if the column was not text in a frame."""
        return list(self.text_levels.values())[self.text_columns.index(j)] if j in self.text_columns else None

    def encode(self, X):
        """The table with codes in its categorical columns; NaN for missing values and unseen levels."""
        if not self.levels:
            return X
        X = X.copy()
        for j, levels in self.levels.items():
            codes = level_codes(X[:, j], levels, np.arange(len(levels)))
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
        """Mask of the categorical columns."""
        if self.given is None:
            return np.zeros(p, bool)
        if isinstance(self.given, str):
            return np.isin(np.arange(p), self.text_columns)
        return column_mask(self.given, p, names, "categorical_features")


def _declared_levels(column, values):
    """The levels of a data type that declares their order, or None.

    The levels of polars' Categorical are in the order in which the process encountered them, which is arbitrary.
    """
    import narwhals as nw

    if column.dtype == nw.Enum:
        return list(column.dtype.categories)
    if column.dtype == nw.Categorical and column.implementation.is_pandas_like():
        return values
    return None
