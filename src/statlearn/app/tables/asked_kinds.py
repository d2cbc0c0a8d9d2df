"""Kinds of columns that the user sets: checked, and cells that are read accordingly."""

import narwhals as nw

from statlearn._core.frames.typed_columns import MISSING_MARKERS, frame_columns
from statlearn._core.text_values import read_number
from statlearn.app.errors import DataError, UsageError
from statlearn.app.setting_names import count, option
from statlearn.app.tables import frames
from statlearn.app.tables.cell_text import read_cells
from statlearn.app.tables.profile import check_columns

KINDS = ("number", "category", "date", "text", "identifier")


def check_kinds(kinds):
    """The kinds as a dict of a word, or of a tuple of levels from low to high, by column.

    Parameters
    ----------
    kinds : mapping, sequence of str or None
        A sequence holds texts such as "zip=category" and "size=S<M<L".

    Returns
    -------
    dict of str to (str or tuple of str)

    Examples
    --------
    >>> from statlearn.app.tables.asked_kinds import check_kinds
    >>> check_kinds(["zip=category", "size=S<M<L"])
    {'zip': 'category', 'size': ('S', 'M', 'L')}
    """
    if kinds is None:
        return {}
    if isinstance(kinds, str) or not hasattr(kinds, "items"):
        kinds = dict(_assignment(text) for text in ([kinds] if isinstance(kinds, str) else kinds))
    return {name: _checked(name, kind) for name, kind in kinds.items()}


def _assignment(text):
    name, sign, kind = str(text).rpartition("=")
    if not sign or not name:
        raise UsageError(f"{option('kinds')} must have the form COLUMN=KIND, got {text!r}")
    return name.strip(), [level.strip() for level in kind.split("<")] if "<" in kind else kind.strip()


def _checked(name, kind):
    if isinstance(kind, str):
        if kind not in KINDS:
            raise UsageError(
                f"{option('kinds')}: the kind of {name!r} must be one of {', '.join(KINDS)}, or levels from low to "
                f"high, got {kind!r}"
            )
        return kind
    levels = tuple(str(level) for level in kind)
    if len(levels) < 2 or len(set(levels)) < len(levels) or not all(levels):
        raise UsageError(f"{option('kinds')}: the levels of {name!r} must be at least two different ones, got {levels}")
    return levels


def with_kinds(frame, kinds):
    """The frame with the cells of columns that are to be numbers read as numbers, and notes.

    Parameters
    ----------
    frame : narwhals frame
    kinds : dict
        As `check_kinds` returns it.

    Returns
    -------
    frame : narwhals frame
    notes : list of str
    """
    check_columns(frame.columns, kinds=kinds)
    numbers = [name for name, kind in kinds.items() if kind == "number" and frames.is_text(frame[name].dtype)]
    frame, notes = read_cells(frame, only=numbers, codes=True)
    frame, more = mostly_numbers(frame, numbers)
    notes += more
    for name in numbers:
        if frames.is_text(frame[name].dtype):
            raise DataError(f"{option('kinds')}: {name!r} cannot be a number because most of its cells are not numbers")
    for name, kind in kinds.items():
        if isinstance(kind, tuple):
            _check_levels(frame, name, kind)
        elif kind == "date" and frames.dates(frame[name]) is None:
            raise DataError(f"{option('kinds')}: {name!r} cannot be a date because its cells have no common form")
    return frame, notes


def mostly_numbers(frame, names):
    """Columns of text that are known to be numbers, half of whose cells are: the others become missing values.

    Parameters
    ----------
    frame : narwhals frame
    names : sequence of str

    Returns
    -------
    frame : narwhals frame
    notes : list of str
    """
    columns, notes = [], []
    for name in names:
        if not frames.is_text(frame[name].dtype):
            continue
        texts = [text for text in frames.strings(frame[name]) if text is not None]
        tables = [{t: v for t in set(texts) if (v := read_number(t, sign)) is not None} for sign in (".", ",")]
        read = [sum(text in table for text in texts) for table in tables]
        best = read.index(max(read))
        if 2 * read[best] < len(texts) or not texts:
            continue
        values = [tables[best].get(text) for text in frames.strings(frame[name])]
        columns.append(nw.new_series(name, values, nw.Float64, backend=frame.implementation))
        if lost := len(texts) - read[best]:
            strange = next(text for text in texts if text not in tables[best])
            notes.append(f"In {name!r}, {count(lost, 'cell')} such as {strange[:40]!r} became missing values.")
    return (frame.with_columns(*columns) if columns else frame), notes


def levels_of(frame, name):
    """The levels of a column as text, sorted: numbers by size, 3.0 as "3"."""
    cells = dict(frame_columns(frame.select(name).to_native()))[name]
    levels = {text for text in cells.as_strings() if text is not None and text.strip() not in MISSING_MARKERS}
    try:
        return sorted(levels, key=float)
    except ValueError:
        return sorted(levels)


def _check_levels(frame, name, levels):
    """Refuse orders that leave levels of the column out."""
    lacking = [level for level in levels_of(frame, name) if level not in levels]
    if lacking:
        raise DataError(
            f"{option('kinds')}: the order of {name!r} lacks {count(len(lacking), 'level')}, such as {lacking[0]!r}"
        )
