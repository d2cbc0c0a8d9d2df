"""Inference of the kinds of the columns of a table."""

import re

import numpy as np

from statlearn._core.text_values import date_format, number_format

from .typed_columns import counts, drop_markers

# Below this many rows no column is considered an identifier, as a few values are often all different.
FEW_ROWS = 10
# An identifier names nearly every row differently; a few rows may share one.
DISTINCT_SHARE = 0.9
# Names that denote an identifier, in snake_case, with spaces, or in camelCase (userId), in English and German.
_KEY_NAME = re.compile(r"(?i:(.*[_\W])?(id|uuid|guid|uid|pid))|.*[a-z](Id|ID)")
_NUMBER_NAME = re.compile(r"(?i:.+[_\W](nr|no|num|number|nummer|#))|.*[a-z](Nr|No|Num|Number)|(?i:.{2,}(nr|nummer))")
# Names of quantities that are measured repeatedly: the numbers in such a column are labels.
_SUBJECT_NAME = re.compile(
    r"(?i:(subject|patient|person|user|customer|client|participant|respondent|household|child|pupil|student|animal)"
    r"([_. ]?(nr|no|num|number|code|key))?)"
)
# Names commonly given to the row number.
_ROW_NAME = re.compile(r"(?i:row[_. ]?(names?|number|num|nr|id|index)|unnamed: ?\d+)|")
# Names that may denote the row number, accepted only if the column counts the rows.
_COUNT_NAME = re.compile(r"(?i:rows?|index|nr|no|number|obs|observation|case|key|#)")

_WORD = re.compile(r"\S*[^\W\d_]\S*")


def names_identifier(name):
    """Whether the name of a column alone indicates an identifier.

    Examples
    --------
    >>> from statlearn._core.frames.column_kinds import names_identifier
    >>> [names_identifier(name) for name in ("user_id", "rownames", "Unnamed: 0", "Kundennr", "order_no")]
    [True, True, True, True, True]
    >>> [names_identifier(name) for name in ("dose", "paid", "casino", "no")]
    [False, False, False, False]
    """
    return bool(names_key(name) or _NUMBER_NAME.fullmatch(name) or _ROW_NAME.fullmatch(name))


def names_key(name):
    """Whether the name of a column says that its values are keys ("id", "userId"), of rows or of groups of rows."""
    return bool(_KEY_NAME.fullmatch(name))


def names_group(name):
    """Whether the name of a column says that its values label rows or groups of rows ("id", "Subject").

    Examples
    --------
    >>> from statlearn._core.frames.column_kinds import names_group
    >>> [names_group(name) for name in ("school_id", "Subject", "patient.no", "rooms_per_person", "users")]
    [True, True, True, False, False]
    """
    return names_key(name) or bool(_SUBJECT_NAME.fullmatch(name))


def counts_rows(values):
    """Whether the values are 0, 1, 2, ... or 1, 2, 3, ... in some order, without gaps."""
    low = values.min() if len(values) else np.nan
    return bool(low in (0, 1) and values.max() - low == len(values) - 1 and len(np.unique(values)) == len(values))


def numbers_rows(name, values):
    """Whether an identifier only says which row of its table a row is: it counts them, or its name says that it does.

    By its name it may have gaps, as in a table of which some rows were left out.
    """
    return counts_rows(values) or bool(_ROW_NAME.fullmatch(name) and len(np.unique(values)) == len(values))


def guess_kind(name, cells, *, max_levels=30, markers=()):
    """Inferred kind of a column: one of the kinds of :class:`TableTransformer`, "empty", "constant" or "identifier".

    Numbers are numeric even if they have only two distinct values. Text is parsed as numbers or dates if every value
    can be parsed. Text with two levels is "binary". It is "text" if its values have several words and mostly differ,
    and an "identifier" if nearly all rows have different values.
    """
    if cells.type == "number":
        return guess_numbers([name], cells.values[:, None])[0]
    if cells.type in ("boolean", "date"):
        present = cells.values[~cells.missing]
        if not present.size:
            return "empty"
        if len(present) == len(cells) and (present == present[0]).all():
            return "constant"
        return "binary" if cells.type == "boolean" else "date"
    text = drop_markers(cells.values, markers)
    frequencies = counts(text)
    filled = sum(frequencies.values())
    if not filled:
        return "empty"
    if len(frequencies) == 1 and filled == len(text):
        return "constant"
    if cells.type == "ordinal":
        return "ordinal"
    if number_format(list(frequencies)) is not None:
        return "number"
    if date_format(list(frequencies)) is not None:
        return "date"
    if len(frequencies) == 2:
        return "binary"
    return _guess_text(frequencies, filled, max_levels)


def guess_numbers(names, values):
    """Inferred kinds of the columns of a numeric matrix: "number", "empty", "constant" or "identifier".

    Identifiers are integers, nearly all distinct, in a column with a matching name. Numbers that merely count from 1
    may be a dose, a day or a position, and are treated as numbers.
    """
    missing = np.isnan(values)
    size = len(values) - missing.sum(axis=0)
    low, high = np.fmin.reduce(values, axis=0), np.fmax.reduce(values, axis=0)
    kinds = np.full(len(names), "number", dtype=object)
    kinds[(size == len(values)) & (low == high)] = "constant"
    kinds[size == 0] = "empty"
    whole = np.isfinite(low) & np.isfinite(high) & ((values == np.round(values)) | missing).all(axis=0)
    for k in np.flatnonzero(whole & (size >= FEW_ROWS) & (kinds == "number")):
        name, present = str(names[k]), values[~missing[:, k], k]
        called = names_identifier(name) or (_COUNT_NAME.fullmatch(name) and counts_rows(present))
        if called and len(np.unique(present)) > DISTINCT_SHARE * size[k]:
            kinds[k] = "identifier"
    return kinds.tolist()


def _guess_text(frequencies, filled, max_levels):
    # Numbers are no words: those of telephones and parcels have several parts, and are identifiers all the same.
    words = sum(count * len(_WORD.findall(text)) for text, count in frequencies.items()) / filled
    differ = len(frequencies) / filled
    if (words >= 4 and differ > 0.5) or (words >= 2.5 and len(frequencies) > max_levels):
        return "text"
    return "identifier" if differ > DISTINCT_SHARE and filled >= FEW_ROWS else "category"
