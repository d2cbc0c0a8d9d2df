"""Typed values of single columns, for tables of any kind."""

import datetime
import numbers
from collections import Counter
from dataclasses import dataclass

import numpy as np

from statlearn._core.text_values import instant

from .frame import plain_columns
from .rows import missing as missing_cells

DAY = np.timedelta64(1, "D")
MISSING_MARKERS = ("", "?", "NA", "N/A", "NaN", "nan", "null", "NULL")  # text that stands for a missing value


@dataclass
class Cells:
    """One column: its kind, its values, and its levels if the type orders them.

    `values` is a float array with NaN ("number", "boolean"), a datetime64[us] array with NaT ("date"), or an object
    array of strings with None ("string", "ordinal"). A column without any known value is "empty". `ordered` says
    that the levels of a category column are declared to be in order, where a reader of the column asks for it.
    """

    type: str
    values: np.ndarray
    levels: list | None = None
    ordered: bool = False

    def __len__(self):
        return len(self.values)

    @property
    def missing(self):
        if self.type in ("number", "boolean"):
            return np.isnan(self.values)
        if self.type == "date":
            return np.isnat(self.values)
        return np.asarray(np.equal(self.values, None), dtype=bool)  # texts are never equal to None

    def as_strings(self):
        """The column as text: 3.0 is "3", True is "True"."""
        if self.type in ("string", "ordinal", "empty"):
            return self.values
        if self.type == "date":
            text = np.datetime_as_string(self.values, unit="s").astype(object)
        elif self.type == "boolean":
            text = np.where(self.values == 1, "True", "False").astype(object)
        else:
            distinct, place = np.unique(self.values, return_inverse=True)
            text = np.array([_plain_number(v) for v in distinct], dtype=object)[place]
        text[self.missing] = None
        return text


def _plain_number(value):
    return str(int(value)) if np.isfinite(value) and value == int(value) and abs(value) < 2**53 else repr(float(value))


def is_frame(X):
    """Whether X is a data frame (pandas, polars, pyarrow, ...)."""
    return hasattr(X, "columns") and (hasattr(X, "__dataframe__") or hasattr(X, "dtypes") or hasattr(X, "schema"))


def frame_columns(X, wanted=None):
    """Names and :class:`Cells` of the columns of a data frame, in order; only the `wanted` ones, if given."""
    import narwhals as nw

    frame = nw.from_native(X, eager_only=True)
    names = [name for name in frame.columns if wanted is None or name in wanted]
    plain = plain_columns(frame, names)
    for name in names:
        yield name, Cells("number", plain[name]) if name in plain else _series_cells(frame[name], name, nw)


def array_columns(X):
    """The columns of a 2-d array as :class:`Cells`."""
    kind = X.dtype.kind
    for column in X.T:
        if kind in "biuf":
            yield Cells("boolean" if kind == "b" else "number", column.astype(np.float64))
        elif kind == "M":
            yield Cells("date", column.astype("datetime64[us]"))
        else:
            yield _object_cells(column.astype(object))


def _series_cells(series, name, nw):
    dtype = series.dtype
    if dtype == nw.Unknown and series.is_null().all():
        return Cells("empty", np.full(len(series), None, dtype=object))
    if dtype.is_numeric():
        return Cells("number", _floats(series, nw))
    if dtype == nw.Boolean:
        return Cells("boolean", _floats(series, nw))
    if dtype == nw.Date or dtype == nw.Datetime:
        return Cells("date", series.to_numpy().astype("datetime64[us]"))
    if dtype == nw.Duration:
        return Cells("number", series.dt.total_microseconds().cast(nw.Float64).to_numpy() / 86_400e6)
    if dtype == nw.Categorical or dtype == nw.Enum:
        values = _strings(series.to_numpy(), series.is_null().to_numpy())
        levels = [str(v) for v in dtype.categories] if dtype == nw.Enum else None
        return Cells("string" if levels is None else "ordinal", values, levels)
    if dtype in (nw.String, nw.Object, nw.Time):
        return _object_cells(series.to_numpy(), series.is_null().to_numpy())
    kind = getattr(series.to_native(), "dtype", dtype) if dtype == nw.Unknown else dtype
    raise TypeError(f"Column {name!r} has values of type {kind}, which cannot be used in a design matrix; drop it.")


def _floats(series, nw):
    return np.array(series.cast(nw.Float64).to_numpy(), dtype=np.float64)


def _strings(values, missing):
    text = np.empty(len(values), dtype=object)
    text[:] = [v if type(v) is str else str(v) for v in values]
    text[missing] = None
    return text


def _object_cells(values, missing=None):
    """Cells of Python objects: all booleans, all numbers, all dates, or otherwise text."""
    values = np.array(values, dtype=object)
    if missing is None:
        missing = missing_cells(values)
    kinds = {type(v) for v in values[~missing]}
    if not kinds:
        return Cells("empty", np.full(len(values), None, dtype=object))
    if kinds == {str}:
        values[missing] = None
        return Cells("string", values)
    if all(issubclass(k, (bool, np.bool_)) for k in kinds):
        return Cells("boolean", _filled(values, missing))
    if all(issubclass(k, numbers.Number) and not issubclass(k, (complex, np.complexfloating)) for k in kinds):
        return Cells("number", _filled(values, missing))
    if all(issubclass(k, (datetime.date, np.datetime64)) for k in kinds):
        return Cells("date", np.array([instant(v) if not m else None for v, m in zip(values, missing)], "M8[us]"))
    if kinds == {datetime.time}:
        hours = [np.nan if m else v.hour + v.minute / 60 + v.second / 3600 for v, m in zip(values, missing)]
        return Cells("number", np.array(hours))
    return Cells("string", _strings(values, missing))


def _filled(values, missing):
    numeric = np.full(len(values), np.nan)
    numeric[~missing] = values[~missing].astype(np.float64)
    return numeric


# Columns of text -----------------------------------------------------------------------------------------------------


def drop_markers(values, markers):
    """The strings, with markers of missing values replaced by None."""
    if not any(v is not None and v.strip() in markers for v in set(values)):
        return values
    text = np.empty(len(values), dtype=object)
    text[:] = [None if v is None or v.strip() in markers else v for v in values]
    return text


def counts(values):
    """Number of occurrences of each string, ignoring missing values."""
    frequencies = Counter(values.tolist())
    frequencies.pop(None, None)
    return frequencies


def map_cells(values, table, default):
    """`table[value]` for every value, or `default` if the table has no entry."""
    return [table.get(v, default) for v in values]
