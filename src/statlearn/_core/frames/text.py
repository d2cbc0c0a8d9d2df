"""Errors for text, categories and dates where numbers are required, which name the column and say what to do."""

import functools
import re

from .frame import as_frame, is_numeric

_NAMES = "Give it a categorical data type, name it in categorical_features, or put a TableTransformer before it."
NO_NUMBERS = ("could not convert", "float() argument", "DType", "Cannot cast")  # in messages of numpy and pandas


def refuse_names(X, owner, alternative=None):
    """Raise if a frame has columns of text, categories or dates, for models that accept only numbers.

    `alternative` is the name of a similar model that accepts text.
    """
    use = f"use {alternative}, which accepts text, or " if alternative else ""
    frame = as_frame(X)
    for column in () if frame is None else frame.iter_columns():
        if not is_numeric(column.dtype):
            advice = (
                f"{owner[0].upper()}{owner[1:]} accepts only numbers; {use}put a TableTransformer before it in a "
                "Pipeline."
            )
            refuse_text(column, advice)


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
    """Whether an error is about values of the frame X, not of the target, and does not yet name the column."""
    if message.startswith("Column ") or not any(sign in message for sign in NO_NUMBERS):
        return False
    found = re.search(r"could not convert string to float: (?:np\.str_\()?'(.*?)'", message)
    frame = as_frame(X)
    if found is None or frame is None:
        return True
    columns = (column for column in frame.iter_columns() if not is_numeric(column.dtype))
    return any(found.group(1) in map(str, column.to_list()) for column in columns)


def refuse_text(column, advice=_NAMES):
    """Raise for text and dates where numbers are required; numbers written as text are accepted."""
    name = column.name.item() if hasattr(column.name, "item") else column.name
    if column.dtype.is_nested():
        raise ValueError(
            f"Column {name!r} contains lists or structs ({column.dtype}); convert it to numeric columns or drop it."
        )
    if column.dtype.is_temporal():
        raise ValueError(
            f"Column {name!r} contains dates or times ({column.dtype}); convert it to numbers (year, day of the year, "
            "hours since a start, ...) or drop it."
        )
    for value in column.to_list():
        if isinstance(value, str):
            try:
                float(value)
            except ValueError:
                raise ValueError(
                    f"Column {name!r} contains text ({value!r}): could not convert string to float. {advice}"
                ) from None
