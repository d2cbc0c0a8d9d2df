"""What a model file keeps of the training table: a summary of each column and, if asked for, a sample of its rows."""

from dataclasses import dataclass, field

import narwhals as nw
import numpy as np

from statlearn.app.tables import frames

MAX_VALUES = 1000  # order statistics of a number
MAX_LEVELS = 1000  # of a category; with more, no level is called new
MAX_STORED = 1000  # rows


@dataclass
class ColumnSummary:
    """The training values of one column.

    Parameters
    ----------
    name : str
    kind : {"number", "levels", "text"}
        Dates are numbers (microseconds since 1970). Of free text only the missing values are counted.
    n, n_missing : int
        Rows, and rows without a value.
    values : ndarray
        Sorted values of a number, at most 1,000 order statistics evenly spaced in rank.
    levels : list of str
        The most frequent levels.
    counts : ndarray of int
        Rows of each level.
    complete : bool
        Whether `levels` holds every level.
    is_date : bool
    """

    name: str
    kind: str
    n: int
    n_missing: int
    values: np.ndarray = field(default_factory=lambda: np.empty(0))
    levels: list = field(default_factory=list)
    counts: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))
    complete: bool = True
    is_date: bool = False

    @property
    def is_number(self):
        """Whether the column has a smallest and a largest value."""
        return self.kind == "number" and len(self.values) > 0

    @property
    def low(self):
        """The smallest training value."""
        return float(self.values[0])

    @property
    def high(self):
        """The largest training value."""
        return float(self.values[-1])

    def is_new(self, value):
        """Whether no training row has this level; never if not all levels are stored."""
        return self.kind == "levels" and self.complete and level_text(value) not in set(self.levels)

    def _check_state(self):
        if self.kind not in ("number", "levels", "text"):
            raise ValueError("unknown kind of a column summary")
        if self.values.ndim != 1 or len(self.levels) != len(self.counts) or not 0 <= self.n_missing <= self.n:
            raise ValueError("the parts of a column summary do not fit together")
        if np.any(np.diff(self.values) < 0) or not np.isfinite(self.values).all() or np.any(self.counts < 0):
            raise ValueError("a column summary with impossible values")


@dataclass
class TrainingSummary:
    """Summaries of the columns that a model uses, from its training rows."""

    n_rows: int
    columns: list

    @classmethod
    def of(cls, frame, kinds):
        """From the training rows.

        Parameters
        ----------
        frame : narwhals DataFrame
        kinds : dict of str to str
            Kinds of the columns that the model uses.

        Returns
        -------
        TrainingSummary
        """
        return cls(len(frame), [_summary(frame[name], kind) for name, kind in kinds.items()])

    def _check_state(self):
        if not isinstance(self.columns, list) or not all(isinstance(c, ColumnSummary) for c in self.columns):
            raise ValueError("a summary of training rows without summaries of columns")

    def column(self, name):
        """The summary of a column, or None."""
        return next((column for column in self.columns if column.name == name), None)


@dataclass
class StoredRows:
    """A sample of the training rows.

    Parameters
    ----------
    columns : dict of str to list
        Cells of the columns that the model uses, as numbers, text, booleans or None; dates as text.
    rows : ndarray of int
        Positions in the table.
    target : list
    """

    columns: dict
    rows: np.ndarray
    target: list

    @classmethod
    def of(cls, frame, rows, y, seed=0):
        """At most 1,000 of the training rows.

        Parameters
        ----------
        frame : narwhals DataFrame
            The training rows.
        rows : ndarray of int
            Their positions in the table.
        y : array-like
            Their targets.
        seed : int

        Returns
        -------
        StoredRows
        """
        place = np.arange(len(frame))
        if len(frame) > MAX_STORED:
            place = np.sort(np.random.default_rng(seed).choice(len(frame), MAX_STORED, replace=False))
        some = frames.take(frame, place)
        columns = {name: [_plain(v) for v in some[name].to_list()] for name in some.columns}
        return cls(columns, np.asarray(rows)[place], [_plain(v) for v in np.asarray(y)[place].tolist()])

    def __len__(self):
        return len(self.rows)

    def frame_like(self, frame):
        """The rows as a narwhals frame with the columns and types of another one."""
        series = []
        for name in frame.columns:
            dtype = frame[name].dtype
            values = self.columns[name]
            if dtype in (nw.Date, nw.Datetime):
                made = nw.new_series(name, values, nw.String, backend=frame.implementation)
                series.append(made.str.to_datetime().cast(dtype))
            else:
                dtype = nw.String if frames.is_text(dtype) else nw.Float64 if dtype.is_numeric() else dtype
                series.append(nw.new_series(name, values, dtype, backend=frame.implementation))
        return series[0].to_frame().with_columns(*series[1:])

    def _check_state(self):
        n = len(self.rows)
        lists = isinstance(self.columns, dict) and all(isinstance(values, list) for values in self.columns.values())
        if not lists or np.asarray(self.rows).dtype.kind not in "iu":
            raise ValueError("stored rows that are no rows")
        if len(self.target) != n or any(len(values) != n for values in self.columns.values()):
            raise ValueError("stored rows of different lengths")


def column_values(series, kind):
    """The present values of a column as numbers or as levels, and the number of missing ones.

    Returns
    -------
    values : ndarray
        Floats of a number or date, str of a category, an empty array of free text.
    n_missing : int
    """
    gone = frames.missing(series)
    if kind == "text":
        return np.empty(0), int(gone.sum())
    dated = frames.dates(series) if kind == "date" else None
    series = series if dated is None else dated
    if kind in ("number", "date") and not frames.is_text(series.dtype):
        values = frames.numbers(series)
        values = values[~gone & np.isfinite(values)]
        return values, len(gone) - len(values)
    return np.array([level_text(v) for v in series.to_list() if v is not None and v == v], dtype=object), int(
        gone.sum()
    )


def level_text(value):
    """A level as text, the same whatever the type that a library reads it in."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, float, np.number)):
        return f"{float(value):.12g}"
    return str(value)


def _summary(series, kind):
    values, n_missing = column_values(series, kind)
    n = len(series)
    if kind == "text":
        return ColumnSummary(series.name, "text", n, n_missing)
    if values.dtype != object:
        values = np.sort(values)
        if len(values) > MAX_VALUES:
            values = values[np.linspace(0, len(values) - 1, MAX_VALUES).round().astype(int)]
        return ColumnSummary(series.name, "number", n, n_missing, values, is_date=kind == "date")
    levels, counts = np.unique(values.astype(str), return_counts=True)
    order = np.argsort(-counts, kind="stable")[:MAX_LEVELS]
    return ColumnSummary(
        series.name, "levels", n, n_missing, levels=levels[order].tolist(), counts=counts[order],
        complete=len(levels) <= MAX_LEVELS,
    )  # fmt: skip


def _plain(value):
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return None if value != value else value
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
