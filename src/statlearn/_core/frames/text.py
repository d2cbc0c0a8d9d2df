"""Text, categories and dates where a model wants numbers: errors that name the column and say what to do."""

import functools
import re

from .frame import as_frame, is_numeric

_NAMES = "Give it a categorical data type, name it in categorical_features, or put a TableTransformer before it."
_NO_NUMBERS = ("could not convert", "float() argument", "DType", "Cannot cast")  # as numpy and pandas put it


def refuse_names(X, owner):
    """Refuse text, categories and dates in the columns of a frame for a model that takes numbers only."""
    frame = as_frame(X)
    for column in () if frame is None else frame.iter_columns():
        if not is_numeric(column.dtype):
            advice = (
                f"{owner[0].upper()}{owner[1:]} takes numbers only: put a TableTransformer before it, in a Pipeline."
            )
            refuse_text(column, advice)


def naming_text(owner):
    """Decorates a `fit` that hands X to members: their error about text names the column and says what to do."""

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
    """Whether an error complains of cells of the frame X, not of a target, and does not say of which column yet."""
    if message.startswith("Column ") or not any(sign in message for sign in _NO_NUMBERS):
        return False
    found = re.search(r"could not convert string to float: (?:np\.str_\()?'(.*?)'", message)
    frame = as_frame(X)
    if found is None or frame is None:
        return True
    columns = (column for column in frame.iter_columns() if not is_numeric(column.dtype))
    return any(found.group(1) in map(str, column.to_list()) for column in columns)


def refuse_text(column, advice=_NAMES):
    """Say what to do about words and dates where numbers are wanted; numbers written as text pass."""
    name = column.name.item() if hasattr(column.name, "item") else column.name
    if column.dtype.is_nested():
        raise ValueError(f"Column {name!r} holds lists or structures ({column.dtype}): make columns of numbers of it.")
    if column.dtype.is_temporal():
        raise ValueError(
            f"Column {name!r} holds dates or times ({column.dtype}): make numbers of it (year, day of the year, "
            "hours since a start, ...), or drop it."
        )
    for value in column.to_list():
        if isinstance(value, str):
            try:
                float(value)
            except ValueError:
                raise ValueError(
                    f"Column {name!r} holds text ({value!r}): could not convert string to float. {advice}"
                ) from None
