"""The table of a command without a target: columns set aside or left out, cells read, numbers for the method."""

from dataclasses import dataclass

import numpy as np

from statlearn.app.errors import DataError, UsageError
from statlearn.app.setting_names import did_you_mean, listed, option
from statlearn.app.tables import frames


@dataclass
class PreparedTable:
    """What `cluster` and `embed` work on."""

    frame: object  # the columns that may be used, a narwhals frame
    aside: object | None  # the column that is only compared with or shown
    transformer: object
    X: np.ndarray
    notes: list


def prepare(table, *, aside, drop, scale, min_rows, purpose, plain=False):
    """Read a table for a method without a target.

    Parameters
    ----------
    table : Table
    aside : str or None
        Column that the method does not see.
    drop : sequence of str
        Columns to leave out.
    scale : bool
        Whether numeric columns are scaled to mean 0 and variance 1.
    min_rows : int
    purpose : str
        What the table is for, in messages: "clustering", "an embedding".
    plain : bool
        Whether a date is one column, its days, and missing values get no indicator columns.

    Returns
    -------
    PreparedTable
    """
    notes = list(table.notes)
    frame, values = _leave_out(frames.as_frame(table.frame), aside, drop, purpose)
    frame, infinite = frames.without_infinities(frame)
    if infinite:
        notes.append(f"Infinite values were treated as missing in {listed(infinite)}.")
    if len(frame) < min_rows:
        raise DataError(f"{len(frame)} rows are too few for {purpose}; at least {min_rows} are needed")
    transformer, X = _design(frame, scale, plain, purpose)
    return PreparedTable(frame, values, transformer, X, notes)


def _leave_out(frame, aside, drop, purpose):
    """The frame without the column set aside and those to drop, and the values of the former."""
    for name in [*drop, *([] if aside is None else [aside])]:
        if name not in frame.columns:
            raise UsageError(f"unknown column {name!r}; {did_you_mean(name, frame.columns)}")
    left = [name for name in frame.columns if name != aside and name not in set(drop)]
    if not left:
        raise UsageError(f"no columns are left for {purpose}; shorten {option('drop')}")
    return frame.select(left), None if aside is None else frame[aside]


def _design(frame, scale, plain, purpose):
    from statlearn.prep import NoColumnsLeftError, TableTransformer

    transformer = TableTransformer(scale=scale, dates="days" if plain else "calendar", indicator=not plain)
    try:
        X = np.ascontiguousarray(transformer.fit_transform(frame.to_native()), dtype=np.float64)
    except NoColumnsLeftError as error:
        raise DataError(f"no column of this table can be used for {purpose}: {error}") from error
    return transformer, X
