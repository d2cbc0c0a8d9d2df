"""The table that a comparison learns from: features, target, groups, in the order of time."""

import re
from dataclasses import dataclass, replace

import narwhals as nw
import numpy as np

from statlearn._math.formulas.parser import parse_sides, written
from statlearn._math.formulas.terms import expand
from statlearn._math.formulas.tree import Name
from statlearn.app.compare.splits import Scheme
from statlearn.app.compare.task import check_classes, choose_task, target_array
from statlearn.app.errors import DataError, UsageError
from statlearn.app.setting_names import count, did_you_mean, option
from statlearn.app.tables import frames
from statlearn.app.tables.asked_kinds import with_kinds
from statlearn.app.tables.cell_text import read_cells
from statlearn.app.tables.profile import check_columns

MIN_ROWS = 10
_SORTABLE = re.compile(r"\d{4}[-_ ]?[A-Za-z]?\d{1,2}")  # quarters, weeks and months: "2024Q3", "2024-W07"


@dataclass(frozen=True, eq=False)
class LearningTable:
    """Rows to learn from, in the order of time if there is one."""

    frame: object  # features, a narwhals frame
    y: np.ndarray
    codes: np.ndarray | None = None  # numbers of the classes, None for regression
    classes: np.ndarray | None = None
    scheme: Scheme | None = None  # how rows depend on each other
    task: str = "regression"
    target: str = "y"
    order: np.ndarray | None = None  # numbers of these rows in the table as it was given
    features: object = None  # all rows of the table as it was given, without the columns of target and groups
    aside: tuple[str, ...] = ()  # columns that are there for groups or time only
    source: str = "table"
    n_rows: int | None = None  # of the whole table, where this is a sample of it
    notes: tuple[str, ...] = ()

    @property
    def truth(self):
        """What metrics compare with: values, or numbers of classes."""
        return self.y if self.codes is None else self.codes

    def rows(self, index):
        """The table of some of the rows."""
        return replace(
            self, frame=frames.take(self.frame, index), y=self.y[index], scheme=self.scheme.rows(index), features=None,
            codes=None if self.codes is None else self.codes[index],
            order=None if self.order is None else self.order[index],
        )  # fmt: skip

    def __getstate__(self):
        return {**self.__dict__, "frame": self.frame.to_native(), "features": None}

    def __setstate__(self, state):
        self.__dict__.update(state | {"frame": frames.as_frame(state["frame"])})


def learning_table(table, y, *, task="auto", groups=None, time_order=None, keep=(), drop=(), kinds=None):
    """The rows of a table that have a target, with what they are to learn.

    Parameters
    ----------
    table : Table
    y : str or array-like of shape (n_rows,)
        The target: the name of a column, its values or a formula.
    task : {"auto", "regression", "classification"}
    groups, time_order : str, array-like or None
        Column names, or one value per row.
    keep, drop : sequence of str
        Columns that must be there.
    kinds : dict or None
        What columns are, where the user says so; see :func:`statlearn.app.tables.asked_kinds.check_kinds`.

    Returns
    -------
    LearningTable
    """
    frame, target, aside, notes = _features_and_target(table, y, groups, time_order)
    check_columns(frame.columns, target.name, keep=keep, drop=drop)
    frame, remarks = with_kinds(frame, {c: kind for c, kind in (kinds or {}).items() if c != target.name})
    notes += remarks
    gone = frames.missing(target)
    present = np.flatnonzero(~gone)
    if len(present) == 0:
        raise DataError(f"the target {target.name!r} is missing in every row")
    if len(present) < MIN_ROWS:
        raise DataError(
            f"{len(present)} rows with a target are too few for training and testing; at least {MIN_ROWS} are needed"
        )
    if gone.any():
        notes.append(f"Left out {count(int(gone.sum()), 'row')} without a target.")
    group_values, frame = _side_column(frame, groups, "groups")
    times, frame = _side_column(frame, time_order, "time_order", keep_feature=True)
    order = present if times is None else present[np.argsort(times[present], kind="stable")]
    if groups is not None:
        group_values = group_values[order]
        if len(np.unique(group_values)) < 3:
            raise DataError(f"{option('groups')}: at least 3 groups are needed, got {len(np.unique(group_values))}")
    frame, infinite = frames.without_infinities(frame)
    if infinite:
        notes.append(f"Infinite values were treated as missing in {', '.join(map(repr, infinite[:5]))}.")
    target = target[order]
    task, note = choose_task(target, task)
    if note:
        notes.append(note)
    values, classes, codes = target_array(target, task), None, None
    if task == "classification":
        check_classes(values, target.name)
        classes, codes = np.unique(values, return_inverse=True)
    return LearningTable(
        frame=frames.take(frame, order), y=values, codes=codes, classes=classes,
        scheme=Scheme(task, group_values, time_order is not None), task=task, target=target.name, order=order,
        features=frame, aside=aside, source=table.source, n_rows=table.n_rows if table.sampled else None,
        notes=tuple(notes),
    )  # fmt: skip


def column_names(given, argument):
    """Names of columns as a tuple; a single name is accepted too."""
    if isinstance(given, str):
        return (given,)
    if not all(isinstance(name, str) for name in given):
        raise UsageError(f"{option(argument)} must contain column names, got {given!r}")
    return tuple(given)


def given_target(y, target):
    """The one of `y` and `target` that was given."""
    if y is None and target is None:
        raise UsageError("no target was given; pass a column name as `target`, or values as `y`")
    if y is not None and target is not None:
        raise UsageError("`y` and `target` are both given; pass only one of them")
    if target is not None and not isinstance(target, str):
        raise UsageError(f"`target` must be a column name, got {type(target).__name__}; pass values as `y`")
    return target if y is None else y


def _features_and_target(table, y, groups, time_order):
    """Features and target from the name of the target, its values or a formula; columns set aside, and notes."""
    frame, notes, aside = frames.as_frame(table.frame), list(table.notes), ()
    if isinstance(y, str):
        if y not in frame.columns and "~" in y:
            y, features = read_formula(y, frame.columns)
            side = [c for c in (groups, time_order) if isinstance(c, str) and c in frame.columns and c not in features]
            frame, aside = frame.select([*features, *side, y]), tuple(side)
        if y not in frame.columns:
            raise UsageError(f"unknown column {y!r}; {did_you_mean(y, frame.columns)}")
        target, frame = frame[y], frame.drop(y)
    else:
        values = nw.from_native(y, series_only=True, pass_through=True)
        if not isinstance(values, nw.Series):
            array = np.asarray(y)
            if array.ndim == 2 and array.shape[1] == 1:
                array = array[:, 0]
            if array.ndim != 1:
                raise UsageError(f"`y` must have one value per row, got an array of shape {array.shape}")
            listed = frames.best_list(array) if array.dtype == object else array
            values = nw.new_series("y", listed, backend=frames.backend_name())
        if len(values) != len(frame):
            raise DataError(f"`X` has {len(frame)} rows, but `y` has {len(values)}")
        target = values if values.name else values.alias("y")
        target, more = read_cells(target.to_frame())
        target, notes = target[target.columns[0]], notes + more
        if target.name in frame.columns:
            target = target.alias("target" if "target" not in frame.columns else "(target)")
    if not frame.columns:
        raise DataError("the table has no columns besides the target")
    return frame, target, aside, notes


def read_formula(text, columns):
    """Target and features of a formula: names joined by + and -, "." for all other columns.

    Examples
    --------
    >>> from statlearn.app.tables.learning_table import read_formula
    >>> read_formula("y ~ . - b", ["a", "b", "y", "c d"])
    ('y', ['a', 'c d'])
    """
    try:
        left, right = parse_sides(text)
        if left is None:
            raise ValueError("it has no target; write it as 'y ~ x1 + x2'")
        target = left.name if isinstance(left, Name) else written(left)
        terms = expand(right, [name for name in columns if name != target])
    except (SyntaxError, ValueError) as error:
        raise UsageError(f"the formula {text!r} cannot be read: {error}") from None
    parts = [":".join(terms.ordered(term)) for term in terms.terms] + ["offset(...)"] * bool(terms.offsets)
    strange = [part for part in parts if not isinstance(terms.variables.get(part), Name)]
    if strange:
        raise UsageError(
            f"the formula {text!r}: only column names joined by + and - are supported, got {strange[0]!r}; "
            "for functions and interactions use `from_formula` of a single model"
        )
    chosen = [terms.variables[part].name for part in parts if terms.variables[part].name != target]
    for name in (target, *chosen):
        if name not in columns:
            raise UsageError(f"the formula {text!r}: unknown column {name!r}; {did_you_mean(name, columns)}")
    if not chosen:
        raise UsageError(f"the formula {text!r} has no column to learn from")
    return target, chosen


def _side_column(frame, given, argument, keep_feature=False):
    if given is None:
        return None, frame
    if isinstance(given, str):
        if given not in frame.columns:
            hint = did_you_mean(given, frame.columns)
            if argument == "time_order" and re.fullmatch(r"[0-9.]+\s*[a-z]*", given):
                hint = f"this option names a date or time column; for a time limit use {option('time_limit')}"
            raise UsageError(f"{option(argument)}: unknown column {given!r}; {hint}")
        series = frame[given]
        frame = frame if keep_feature else frame.drop(given)
    else:
        series = nw.from_native(given, series_only=True, pass_through=True)
        if not isinstance(series, nw.Series):
            series = nw.new_series(argument, np.asarray(given), backend=frames.backend_name())
    if len(series) != len(frame):
        raise DataError(f"{option(argument)} has {len(series)} values, but the table has {len(frame)} rows")
    if frames.missing(series).any():
        raise DataError(f"{option(argument)}: {series.name!r} has missing values; fill them or remove these rows")
    if not frames.is_text(series.dtype):
        return frames.numbers(series), frame
    if argument == "time_order":
        return _times_in_text(series), frame
    return frames.strings(series).astype(str), frame


def _times_in_text(series):
    """Values that sort the rows by time, from a column of text."""
    moments = frames.dates(series)
    if moments is not None:
        return frames.numbers(moments)
    texts = frames.strings(series).astype(str)
    strange = next((text for text in texts if not _SORTABLE.fullmatch(text)), None)
    if strange is not None or len({len(text) for text in texts}) > 1:
        raise DataError(
            f"{option('time_order')}: {series.name!r} contains text that cannot be read as dates, such as "
            f"{str(texts[0] if strange is None else strange)!r}; write them as 2024-12-31"
        )
    return texts
