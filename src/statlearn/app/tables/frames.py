"""Data frames of any library behind one small set of functions (narwhals)."""

import narwhals as nw
import numpy as np

from statlearn._core.text_values import date_format, read_date
from statlearn.app.errors import DataError


def as_frame(X):
    """X as a narwhals frame: pandas and polars are kept, anything else becomes polars (or pandas)."""
    if isinstance(X, nw.DataFrame):
        return X
    if hasattr(X, "iloc") and hasattr(X, "columns"):
        _refuse_duplicates(list(X.columns))
    frame = nw.from_native(X, pass_through=True)
    if isinstance(frame, nw.DataFrame) and frame.implementation.is_pandas():
        return _pandas_names(frame)
    if isinstance(frame, nw.DataFrame) and frame.implementation.is_polars():
        return frame
    if isinstance(frame, nw.LazyFrame):
        return frame.collect()
    if isinstance(frame, nw.DataFrame):  # Arrow and other makers
        return nw.from_native(_backend().DataFrame(frame.to_dict(as_series=False)), eager_only=True)
    return _from_array(X)


def _pandas_names(frame):
    names = list(frame.to_native().columns)
    if all(isinstance(name, str) for name in names):
        return frame
    return nw.from_native(frame.to_native().rename(columns=dict(zip(names, map(str, names)))), eager_only=True)


def _refuse_duplicates(names):
    twice = sorted({str(name) for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if twice:
        raise DataError(f"duplicate column names: {', '.join(twice)}; give every column its own name")


def _from_array(X):
    if hasattr(X, "tocsr"):
        raise DataError("`X` is a sparse matrix, which is not supported; pass a data frame or a dense array")
    array = np.asarray(X)
    if array.ndim != 2:
        raise DataError(f"`X` must be two-dimensional, got an array with {array.ndim} dimension(s)")
    columns = {f"x{j}": np.ascontiguousarray(array[:, j]) for j in range(array.shape[1])}
    if array.dtype == object:
        columns = {name: best_list(column) for name, column in columns.items()}
    return nw.from_native(_backend().DataFrame(columns), eager_only=True)


def best_list(column):
    """A column of objects as numbers where it holds numbers only, else as text; missing values are None."""
    values = [None if v is None or v != v else v for v in column]
    if all(v is None or isinstance(v, (bool, np.bool_)) for v in values):
        return values
    if all(v is None or isinstance(v, (int, float, np.number)) for v in values):
        return [None if v is None else float(v) for v in values]
    return [None if v is None else str(v) for v in values]


def _backend():
    """The library that makes new frames: polars, or pandas if it is not installed."""
    try:
        import polars
    except ImportError:
        import pandas

        return pandas
    return polars


def backend_name():
    """Its name."""
    return _backend().__name__


def from_columns(columns):
    """A native frame from columns."""
    return _backend().DataFrame(columns)


def from_rows(rows, columns=()):
    """A native frame from a list of dicts with the same keys; `columns` names them if there are no rows."""
    names = list(rows[0]) if rows else list(columns)
    return from_columns({name: [row[name] for row in rows] for name in names})


def take(frame, rows):
    """The rows with these numbers, in this order."""
    return frame[np.asarray(rows)]


def is_text(dtype):
    return dtype in (nw.String, nw.Categorical, nw.Enum, nw.Object)


def numbers(series):
    """A numeric, boolean or date column as float64 with NaN for missing values."""
    if series.dtype == nw.Boolean:
        series = series.cast(nw.Int8)
    if series.dtype in (nw.Date, nw.Datetime, nw.Duration, nw.Time):
        series = series.cast(nw.Datetime("us")).cast(nw.Int64) if series.dtype != nw.Duration else series.cast(nw.Int64)
    return series.cast(nw.Float64).to_numpy().astype(np.float64, copy=False)


def dates(series):
    """A column of dates as a column of datetimes; None if it holds anything else.

    Text is read in the format that all its cells agree on.
    """
    if series.dtype in (nw.Date, nw.Datetime):
        return series
    if not is_text(series.dtype):
        return None
    texts = strings(series)
    distinct = {text for text in texts if text is not None}
    form = date_format(list(distinct))
    if form is None:
        return None
    table = {text: read_date(text, form) for text in distinct}
    return nw.new_series(series.name, [table.get(t) for t in texts], nw.Datetime("us"), backend=series.implementation)


def strings(series):
    """A column as an object array of str, None for missing values."""
    values = np.array(series.cast(nw.String).to_list(), dtype=object)
    values[series.is_null().to_numpy()] = None  # pandas has NaN there
    return values


def missing(series):
    """Whether each cell is missing: null, or NaN among floats."""
    mask = series.is_null().to_numpy()
    if series.dtype.is_float():
        mask = mask | np.isnan(series.to_numpy().astype(np.float64, copy=False))
    return mask


def row_keys(frame, names):
    """One number per row, the same for the same cells of these columns whatever the library and the platform."""
    import zlib

    keys = np.full(len(frame), 14695981039346656037, dtype=np.uint64)
    for name in sorted(names):
        series = frame[name]
        if is_text(series.dtype):
            texts = ["" if text is None else text for text in strings(series)]
            table = {text: zlib.crc32(text.encode()) + 1 if text else 0 for text in set(texts)}
            cells = np.array([table[text] for text in texts], dtype=np.uint64)
        else:
            values = numbers(series) + 0.0  # -0 becomes 0
            cells = np.where(np.isnan(values), np.nan, values).astype(np.float64).view(np.uint64)
        keys = (keys ^ cells) * np.uint64(1099511628211)
        keys ^= keys >> np.uint64(29)
    return keys


def without_infinities(frame):
    """The frame with infinite values replaced by missing ones, and the columns that had some."""
    from statlearn._core.frames import plain_columns

    floats = [name for name, dtype in frame.schema.items() if dtype.is_float()]
    known = plain_columns(frame, floats)
    found = [name for name in floats if np.isinf(known[name] if name in known else numbers(frame[name])).any()]
    if found:
        frame = frame.with_columns(nw.when(nw.col(name).is_finite()).then(nw.col(name)).alias(name) for name in found)
    return frame, found
