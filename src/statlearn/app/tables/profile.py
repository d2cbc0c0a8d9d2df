"""What the columns of a table are: one answer, for every command."""

import re

import narwhals as nw
import numpy as np

from statlearn._core.frames.column_kinds import FEW_ROWS, guess_kind, names_group, numbers_rows
from statlearn._core.frames.typed_columns import MISSING_MARKERS, frame_columns
from statlearn._core.text_values import month_comes_first, number_format, read_number
from statlearn.app.compare.result import ColumnProfile, TableProfile
from statlearn.app.errors import DataError, UsageError
from statlearn.app.setting_names import listed
from statlearn.app.tables import frames

SAMPLE_ROWS = 100_000  # statistics of longer tables come from this many rows
HISTOGRAM_COLUMNS = 200  # wider tables carry no histograms
LEVELS_SHOWN = 12
ASSOCIATED_P = 1e-3  # from here on an identifier is more than a name; empirical like the next one
ASSOCIATED_SHARE = 0.01  # of the variance of the ranks

# Remarks on columns, which the honesty box looks for.
NUMBERS_THE_ROWS = "it numbers the rows and is associated with the target; they may have been sorted by it"
LABELS = "its numbers are taken for labels of repeated measurements"
KEPT_IDENTIFIER = "named like an identifier, kept because it is associated with the target"

MOSTLY_NUMBERS = "mostly numbers, with some text"

LEFT_OUT = {
    "identifier": "identifier",
    "constant": "constant",
    "empty": "empty",
    "drop": "as requested",
    "leak": "the target in disguise",
}
_WORDS = {"binary": "category", "ordinal": "category", "empty": "constant"}


def profile_table(
    frame, *, source="table", target=None, n_rows=None, notes=(), seed=0, truth=None, keep=(), drop=(), asked=None
):
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
    truth : ndarray or None
        The target: values, or numbers of classes (integers). An identifier that is associated with it is kept.
    keep, drop : sequence of str
        Columns that are used whatever they look like, and columns that are left out.
    asked : dict or None
        Kinds that the user has set, by column: a word, or the levels of an ordered category.

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
    kinds, left_out, remarks = column_kinds(frame, truth=truth, keep=keep, drop=drop, spare=(target,), asked=asked)
    columns = [profile_column(shown[name], kinds[name], histogram=not wide) for name in frame.columns]
    for column in columns:
        column.left_out = left_out.get(column.name, "")
        column.note = "; ".join(filter(None, [column.note, remarks.get(column.name, "")]))
    swapped = [name for name in frame.columns if kinds[name] == "date" and _month_first(frame[name])]
    if swapped:
        notes = [
            *notes,
            f"The dates in {listed(swapped)} were read with the month first; all could have the day first.",
        ]
    return TableProfile(
        source=source,
        n_rows=total,
        columns=columns,
        target=target,
        n_duplicates=int(len(shown) - len(np.unique(row_hashes(shown)))),
        sampled_rows=len(shown) if len(shown) < total else None,
        notes=list(notes),
        read_rows=len(frame),
        kinds={
            name: "drop" if name in left_out else _in_full(kind, (asked or {}).get(name))
            for name, kind in kinds.items()
        },
    )


def _in_full(kind, wish):
    """A kind, or the levels where an ordered category was asked for."""
    return wish if isinstance(wish, tuple) and kind == "ordinal" else kind


def _month_first(series):
    """Whether the order of day and month in a column of text is a guess."""
    if not frames.is_text(series.dtype):
        return False
    return month_comes_first([text for text in set(frames.strings(series)) if text is not None])


def column_kinds(frame, *, truth=None, keep=(), drop=(), spare=(), asked=None):
    """What each column is, which are left out and why, and remarks on single columns.

    Identifiers, constants and empty columns are left out. An identifier is kept if it is associated with the target,
    unless it only counts the rows: then it stands for the order of the table, and a remark says so. If nothing else is
    there to learn from, identifiers that are numbers are kept. Numbers that label groups of rows (a repeated "id") are
    a category, unless they are in `keep`.

    Parameters
    ----------
    frame : narwhals DataFrame
    truth : ndarray or None
        Values of the target, or numbers of classes (integers).
    keep, drop : sequence of str
    spare : sequence of str
        Columns that are never left out, such as the target.
    asked : dict or None
        Kinds that the user has set.

    Returns
    -------
    kinds, left_out, remarks : dict of str to str
    """
    check_columns(frame.columns, keep=keep, drop=drop)
    kinds, left_out, remarks = {}, {}, {}
    numeric = []
    for name, cells in frame_columns(frame.to_native()):
        kind = guess_kind(name, cells, markers=MISSING_MARKERS)
        values = cells.values if cells.type == "number" else None
        wish = (asked or {}).get(name)
        if wish is not None:
            constant = kind in ("constant", "empty")
            kind = kind if constant else "ordinal" if isinstance(wish, tuple) else wish
        elif kind == "identifier" and name in keep:
            kind = "number" if values is not None else "category"
        elif kind == "identifier" and values is not None and truth is not None and _associated(values, truth):
            if numbers_rows(name, values[~np.isnan(values)]):
                remarks[name] = NUMBERS_THE_ROWS
            else:
                kind = "number"
                remarks[name] = KEPT_IDENTIFIER
        elif kind == "number" and values is not None and name not in (*keep, *spare) and _labels_groups(name, values):
            kind = "category"
            remarks[name] = LABELS
        kinds[name] = kind
        if name in spare:
            continue
        if name in drop:
            left_out[name] = LEFT_OUT["drop"]
        elif kind in LEFT_OUT:
            left_out[name] = LEFT_OUT[kind]
            if kind == "identifier" and values is not None:
                numeric.append(name)
    if len(left_out) == len([name for name in kinds if name not in spare]):
        for name in numeric:
            kinds[name] = "number"
            del left_out[name]
            remarks.pop(name, None)
    return kinds, left_out, remarks


def _labels_groups(name, values):
    """Whether repeated whole numbers are labels, as the name of the column says: then none is a quantity."""
    present = values[~np.isnan(values)]
    if len(present) < FEW_ROWS or not names_group(name) or np.any(present != np.round(present)):
        return False
    return 2 < len(np.unique(present)) < len(present)


def check_columns(columns, learned=None, /, **asked):
    """Refuse names of columns that are not there, the target, and columns that are both kept and dropped."""
    from statlearn.app.setting_names import did_you_mean, option

    for argument, names in asked.items():
        for name in names:
            if name == learned:
                raise UsageError(f"{option(argument)}: {name!r} is the target")
            if name not in columns:
                raise UsageError(f"{option(argument)}: unknown column {name!r}; {did_you_mean(name, columns)}")
    both = [name for name in asked.get("keep", ()) if name in asked.get("drop", ())]
    if both:
        raise UsageError(f"{option('keep')} and {option('drop')} both name {both[0]!r}; use only one of them")


def _associated(values, truth):
    """Whether the ranks of a column go with the target: correlation of ranks, or variance between classes."""
    from scipy.special import betainc
    from scipy.stats import rankdata

    here = ~np.isnan(values)
    if truth.dtype.kind == "f":
        here &= ~np.isnan(truth)
    x, target = rankdata(values[here]), truth[here]
    n = len(x)
    if n < 10:
        return False
    if np.issubdtype(target.dtype, np.integer):
        counts = np.bincount(target)
        means = np.bincount(target, x) / np.maximum(counts, 1)
        share, df = np.sum(counts * (means - x.mean()) ** 2) / np.sum((x - x.mean()) ** 2), np.count_nonzero(counts) - 1
    else:
        y = rankdata(target)
        share, df = (0.0 if np.ptp(y) == 0 else np.corrcoef(x, y)[0, 1] ** 2), 1
    if df < 1 or n - 1 - df < 1:
        return False
    # The share of explained variance follows a beta distribution under independence.
    p_value = 1 - betainc(df / 2, (n - 1 - df) / 2, min(share, 1.0))
    return bool(p_value < ASSOCIATED_P and share > ASSOCIATED_SHARE)


def profile_column(series, kind, *, histogram=True):
    """One column of a known kind: what it is called for people, and its numbers."""
    name, n = series.name, len(series)
    gone = frames.missing(series)
    n_missing = int(gone.sum())
    if n_missing == n:
        return ColumnProfile(name, "constant", n_missing, 0, note="all values are missing")
    if series.dtype.is_numeric() or series.dtype in (nw.Boolean, nw.Date, nw.Datetime, nw.Duration, nw.Time):
        return _profile_numbers(series, kind, gone, histogram)
    if kind == "date" and (moments := frames.dates(series)) is not None:
        return _profile_numbers(moments, kind, gone, histogram)
    texts = frames.strings(series)[~gone].astype(str)
    values, counts = np.unique(texts, return_counts=True)
    if kind == "number":
        return _profile_read_numbers(series, texts, values, histogram)
    order = np.lexsort((values, -counts))[:LEVELS_SHOWN]
    levels = [(str(values[i]), int(counts[i])) for i in order]
    note = _note_on_text(values, counts) if kind in ("category", "ordinal") else ""
    return ColumnProfile(name, _WORDS.get(kind, kind), n_missing, len(values), levels=levels, note=note)


def _profile_read_numbers(series, texts, values, histogram):
    """Text in which every cell shows a number ("75K", "12 %"): described by these numbers."""
    present = [value for value in values.tolist() if value.strip() not in MISSING_MARKERS]
    decimal = number_format(present)
    if decimal is None:
        raise DataError(f"the column {series.name!r} contains text that cannot be read as numbers")
    table = {value: read_number(value, decimal) for value in present}
    numbers = nw.new_series(
        series.name, [table.get(value, np.nan) for value in texts.tolist()], backend=series.implementation
    )
    gone = frames.missing(numbers)
    found = _profile_numbers(numbers, "number", gone, histogram)
    found.n_missing = len(series) - int((~gone).sum())
    found.note = "numbers read from text"
    return found


def _profile_numbers(series, kind, gone, histogram):
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
    if kind in ("category", "ordinal"):
        order = np.lexsort((distinct, -counts))[:LEVELS_SHOWN]
        levels = [(_short(distinct[i]), int(counts[i])) for i in order]
        return ColumnProfile(name, kind, n_missing, len(distinct), levels=levels, note=note)
    statistics = {}
    if len(finite):
        q = _sorted_quantiles(finite, np.array([0, 0.25, 0.5, 0.75, 1]))
        statistics = dict(zip(("min", "q1", "median", "q3", "max"), map(float, q)))
        statistics |= {"mean": float(finite.mean()), "std": float(finite.std(ddof=1)) if len(finite) > 1 else 0.0}
    kind = _WORDS.get(kind, kind)
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


def _note_on_text(values, counts):
    looks = sum(bool(re.fullmatch(r"\s*[-+]?\d+([.,]\d+)?\s*", value)) for value in values[:1000])
    if 0.5 * min(len(values), 1000) < looks < min(len(values), 1000):
        return MOSTLY_NUMBERS
    if len(values) > 50 and len(values) > 0.1 * counts.sum():
        return "many levels for this number of rows"
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
