"""Columns of categories: their levels, and codes in the place of their cells."""

import numpy as np

from .columns import column_mask
from .frame import as_frame, is_numeric
from .text import refuse_text


def factorize(column):
    """A number for each cell of a narwhals column, and the distinct values that the numbers stand for.

    Missing cells (None, NaN, NaT, pandas' NA) have the number -1. Values may be listed that no cell has: those that a
    categorical data type declares.

    Parameters
    ----------
    column : narwhals.Series
        Of text, categories, objects or dates.

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
    """`factorize` for Python objects that no library understands."""
    number = {}
    codes = [-1 if v is None or v != v else number.setdefault(v, len(number)) for v in cells]
    return np.array(codes, np.intp), list(number)


def are_codes(values):
    """Whether numbers (sorted or not, no NaN) may index a table: not below 0, not large."""
    return len(values) > 0 and values.min() >= 0 and values.max() < 2**16


def level_codes(column, levels, codes):
    """The code of each number of a column, given sorted levels; NaN for NaN and for numbers that are no level."""
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
        """The values that cells have, in the order of their codes to be."""
        found = np.flatnonzero(np.bincount(codes[codes >= 0], minlength=len(values)))
        seen = [values[k] for k in found]
        if self.declared_order:
            declared = _declared_levels(column, values)
            if declared is not None:
                seen = set(seen)
                return [level for level in declared if level in seen]
        return sorted(seen, key=lambda v: (str(type(v)), v))

    def _coded(self, nw, column, codes, values):
        """The column of numbers in the place of one whose cells have been factorized."""
        code = {level: float(k) for k, level in enumerate(self.text_levels[column.name])}
        table = np.array([*(code.get(value, np.nan) for value in values), np.nan])  # the last entry: missing cells
        return nw.new_series(column.name, table[codes], nw.Float64, backend=column.implementation)

    def read_frame(self, X):
        """The same for further tables; levels never seen are missing values."""
        if not self.text_levels:
            return X
        import narwhals as nw

        frame = as_frame(X)
        if frame is None:
            return X
        known = [name for name in self.text_levels if name in frame.columns]  # validation says which are missing
        columns = [frame.get_column(name) for name in known]
        return frame.with_columns(*(self._coded(nw, column, *factorize(column)) for column in columns)).to_native()

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
        """Which columns hold categories."""
        if self.given is None:
            return np.zeros(p, bool)
        if isinstance(self.given, str):
            return np.isin(np.arange(p), self.text_columns)
        return column_mask(self.given, p, names, "categorical_features")


def _declared_levels(column, values):
    """The levels of a data type that has them in an order; None for others.

    Those of polars' Categorical come in the order in which the process has met them: that is none.
    """
    import narwhals as nw

    if column.dtype == nw.Enum:
        return list(column.dtype.categories)
    if column.dtype == nw.Categorical and column.implementation.is_pandas_like():
        return values
    return None
