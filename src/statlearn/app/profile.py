"""What the columns of a table are, in numbers."""

import re

import narwhals as nw
import numpy as np

from statlearn.app import frames
from statlearn.app.result import ColumnProfile, TableProfile

SAMPLE_ROWS = 100_000  # statistics of longer tables come from so many rows
HISTOGRAM_COLUMNS = 200  # wider tables carry no histograms
LEVELS_SHOWN = 12

_IDENTIFIER = re.compile(r"(?i)^(id|.*[_ ]id|uuid|guid|index|row_?(names?|number|id)?|unnamed: ?\d+|)$")


def profile_table(frame, *, source="table", target=None, n_rows=None, notes=(), seed=0):
    """Describe every column of a frame.

    Parameters
    ----------
    frame : narwhals DataFrame
    source : str
        Where it came from.
    target : str or None
        The column to be learned.
    n_rows : int or None
        Rows of the table, where the frame is a sample of it.
    notes : sequence of str
        What the reader had to say.
    seed : int
        For the sample behind the statistics.

    Returns
    -------
    TableProfile
    """
    shown = frame
    if len(frame) > SAMPLE_ROWS:
        rows = np.sort(np.random.default_rng(seed).choice(len(frame), SAMPLE_ROWS, replace=False))
        shown = frames.take(frame, rows)
    total = len(frame) if n_rows is None else n_rows
    wide = len(frame.columns) > HISTOGRAM_COLUMNS
    return TableProfile(
        source=source,
        n_rows=total,
        columns=[profile_column(shown[name], histogram=not wide) for name in frame.columns],
        target=target,
        n_duplicates=int(len(shown) - len(np.unique(row_hashes(shown)))),
        sampled_rows=len(shown) if len(shown) < total else None,
        notes=list(notes),
    )


def profile_column(series, *, histogram=True):
    """One column: its kind and its numbers."""
    name, n = series.name, len(series)
    gone = frames.missing(series)
    n_missing = int(gone.sum())
    if n_missing == n:
        return ColumnProfile(name, "constant", n_missing, 0, note="every cell is missing")
    if series.dtype.is_numeric() or series.dtype in (nw.Boolean, nw.Date, nw.Datetime, nw.Duration, nw.Time):
        return _profile_numbers(series, gone, histogram)
    texts = frames.strings(series)[~gone]
    values, counts = np.unique(texts.astype(str), return_counts=True)
    order = np.lexsort((values, -counts))[:LEVELS_SHOWN]
    levels = [(str(values[i]), int(counts[i])) for i in order]
    kind = _kind_of_text(name, values, counts)
    note = _note_on_text(values, counts) if kind == "category" else ""
    return ColumnProfile(name, kind, n_missing, len(values), levels=levels, note=note)


def _profile_numbers(series, gone, histogram):
    name = series.name
    values = np.sort(frames.numbers(series)[~gone])
    n_missing = int(gone.sum())
    finite = values[np.isfinite(values)]
    note = "" if len(finite) == len(values) else f"{len(values) - len(finite)} infinite values"
    starts = np.flatnonzero(np.r_[True, values[1:] != values[:-1]])
    distinct, counts = values[starts], np.diff(np.r_[starts, len(values)])
    if series.dtype == nw.Boolean:
        levels = [("true" if v else "false", int(c)) for v, c in zip(distinct, counts)]
        kind = "boolean" if len(distinct) > 1 else "constant"
        return ColumnProfile(name, kind, n_missing, len(distinct), {"mean": float(values.mean())}, levels, note=note)
    statistics = {}
    if len(finite):
        q = _sorted_quantiles(finite, np.array([0, 0.25, 0.5, 0.75, 1]))
        statistics = dict(zip(("min", "q1", "median", "q3", "max"), map(float, q)))
        statistics |= {"mean": float(finite.mean()), "std": float(finite.std(ddof=1)) if len(finite) > 1 else 0.0}
    if len(distinct) < 2:
        kind = "constant"
    elif not series.dtype.is_numeric():
        kind = "date"
    elif _counts_rows(name, values, distinct):
        kind = "identifier"
    else:
        kind = "number"
    bars = None
    if histogram and kind in ("number", "date") and len(finite) > 1 and np.ptp(finite) > 0:
        edges = np.linspace(finite[0], finite[-1], min(40, max(5, int(np.sqrt(len(finite))))) + 1)
        bars = (edges, np.diff(np.r_[0, np.searchsorted(finite, edges[1:-1]), len(finite)]))
    levels = [(_short(v), int(c)) for v, c in zip(distinct, counts)] if kind == "number" and len(distinct) <= 10 else []
    return ColumnProfile(name, kind, n_missing, len(distinct), statistics, levels, bars, note)


def _sorted_quantiles(values, q):
    """Quantiles of sorted values, interpolated as numpy does by default."""
    at = q * (len(values) - 1)
    low = np.floor(at).astype(int)
    high = np.minimum(low + 1, len(values) - 1)
    return values[low] + (at - low) * (values[high] - values[low])


def _counts_rows(name, values, distinct):
    """Whole numbers, all different, that either run without gaps or bear an identifier's name."""
    if len(distinct) < len(values) or len(values) < 20 or np.any(values != np.round(values)):
        return False
    return distinct[-1] - distinct[0] + 1 == len(distinct) or bool(_IDENTIFIER.match(name))


def _kind_of_text(name, values, counts):
    n, distinct = counts.sum(), len(values)
    if distinct == 1:
        return "constant"
    words = np.mean([value.count(" ") + 1 for value in values[:1000]])
    if words >= 4 and distinct > 0.5 * n:
        return "text"
    if distinct == n and n >= 20:
        return "identifier" if words < 2 or _IDENTIFIER.match(name) else "text"
    return "category"


def _note_on_text(values, counts):
    if len(values) > 50 and len(values) > 0.1 * counts.sum():
        return "many levels for the rows there are"
    looks = sum(bool(re.fullmatch(r"\s*[-+]?\d+([.,]\d+)?\s*", value)) for value in values[:1000])
    if 0.5 * min(len(values), 1000) < looks < min(len(values), 1000):
        return "mostly numbers, with some text among them"
    return ""


def _short(value):
    return str(int(value)) if np.isfinite(value) and value == np.round(value) else f"{value:g}"


def row_hashes(frame):
    """One 64-bit number per row; equal rows have equal numbers."""
    native = frame.to_native()
    if frame.implementation.is_polars():
        return native.hash_rows(seed=0).to_numpy()
    from pandas.util import hash_pandas_object

    return hash_pandas_object(native, index=False).to_numpy()
