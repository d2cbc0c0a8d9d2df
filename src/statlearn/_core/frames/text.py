"""Errors for text, categories and dates where numbers are required, which name the column and say what to do."""

import datetime
import functools
import numbers
import re
from collections.abc import Hashable

import numpy as np

from .frame import as_frame, is_numeric

_TIMES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)
_NAMES = "Give it a categorical data type, name it in categorical_features, or put a TableTransformer before it."


def refuse_names(X, owner, advice=None):
    """Raise if a frame has columns of text, categories or dates, for models that accept only numbers.

    `advice` is what the owner says of text, after its name: "accepts only numbers; ..." if None.
    """
    frame = as_frame(X)
    for column in () if frame is None else frame.iter_columns():
        if not is_numeric(column.dtype):
            refuse_text(column, _only_numbers(owner, advice))


def refuse_names_of_array(X, owner, advice=None):
    """`refuse_names` for a two-dimensional array or a list of rows, whose columns have positions only."""
    try:
        table = np.asarray(X, dtype=None if getattr(getattr(X, "dtype", None), "kind", "") in ("m", "M") else object)
    except ValueError:  # rows of different lengths
        return
    if table.ndim == 2:
        for position, column in enumerate(table.T):
            _refuse_values(column, f"Column {position} of X", _only_numbers(owner, advice))


def _only_numbers(owner, advice):
    advice = advice or (
        "accepts only numbers; put a TableTransformer before it in a Pipeline, or fit it by a formula "
        "(statlearn.formula)."
    )
    return f"{owner[0].upper()}{owner[1:]} {advice}"


def naming_text(owner):
    """Decorator for a `fit` that passes X to members, which makes their errors about text name the column."""

    def decorate(fit):
        @functools.wraps(fit)
        def with_names(self, X, *args, **kwargs):
            try:
                return fit(self, X, *args, **kwargs)
            except (ValueError, TypeError) as error:
                if _is_about(X, str(error)):
                    refuse_names(X, owner)
                raise

        return with_names

    return decorate


def _is_about(X, message):
    """Whether an error of a member is about text or dates in the frame X and does not yet name the column.

    A member may be of any origin, and may accept text. An error that is about a column quotes one of its values, or
    says of which type they are.
    """
    if re.match(r"Column \d+ of X contains", message):  # from a member, which was given an array
        return True
    frame = as_frame(X)
    if frame is None or message.startswith("Column "):
        return False
    return any(_is_quoted(column, message) for column in frame.iter_columns() if not is_numeric(column.dtype))


def _is_quoted(column, message):
    """Whether a message quotes a value of a column, or the type of its values."""
    values = {value for value in column.to_list() if isinstance(value, Hashable)}
    if any(f"{str(value)!r}" in message for value in values if isinstance(value, str)):
        return True
    types = {type(value).__name__.lower() for value in values if not isinstance(value, str)}
    return any(name in message.lower() for name in types | {str(column.dtype).partition("(")[0].lower()})


def refuse_text(column, advice=_NAMES):
    """Raise for text and dates where numbers are required; numbers written as text are accepted."""
    name = column.name.item() if hasattr(column.name, "item") else column.name
    if column.dtype.is_nested():
        raise ValueError(
            f"Column {name!r} contains lists or structs ({column.dtype}); convert it to numeric columns or drop it."
        )
    _refuse_values(column.to_list(), f"Column {name!r}", advice)


def _refuse_values(values, column, advice):
    """Raise for the first value that is text other than a number, or a date or time."""
    for value in values:
        if isinstance(value, _TIMES) and value == value:  # a missing time is not equal to itself
            raise ValueError(
                f"{column} contains dates or times ({str(value)!r}); convert it to numbers (year, day of the year, "
                "hours since a start, ...) or drop it."
            )
        if isinstance(value, str):
            try:
                float(value)
            except ValueError:
                raise ValueError(
                    f"{column} contains text ({str(value)!r}): could not convert string to float. {advice}"
                ) from None
        elif not _is_number(value):
            kind = type(value).__name__
            raise TypeError(
                f"{column} contains values of type {kind} ({str(value)!r}); the argument must be a string or a number. "
                "Convert the column to numbers, or drop it."
            )


def _is_number(value):
    """Whether a cell is a number, or missing."""
    if (
        isinstance(value, (numbers.Number, np.generic))
        or value is None
        or type(value).__name__ in ("NAType", "NaTType")
    ):
        return True
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True
