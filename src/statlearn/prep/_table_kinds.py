"""What the columns of a table are taken for."""

import re

import numpy as np

from ._cells import counts, date_format, drop_markers, number_format

# Below this many rows nothing is called an identifier: a few rows are easily all different.
FEW_ROWS = 10
_ID_NAME = re.compile(r"(.*[_\W])?(id|uuid|guid|index|key|rownames?|row_?(number|id|nr)|unnamed: 0)", re.IGNORECASE)

# Columns that may well count from 1 and mean something.
_TIME_NAME = re.compile(r"(.*[_\W])?(t|time|age|(second|minute|hour|day|week|month|year|step|period)s?)", re.IGNORECASE)


def guess_kind(name, cells, *, max_levels=30, markers=()):
    """What a column is taken for: one of the kinds of :class:`TableTransformer`, "empty", "constant" or "identifier".

    Numbers are numbers, even if they have two values only; text is read as numbers or dates if every cell reads so.
    Text with two levels is "binary". It is "text" when its cells have several words and mostly differ, an "identifier"
    when nearly every row has a level of its own.
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
    found = counts(text)
    filled = sum(found.values())
    if not filled:
        return "empty"
    if len(found) == 1 and filled == len(text):
        return "constant"
    if cells.type == "ordinal":
        return "ordinal"
    if number_format(list(found)) is not None:
        return "number"
    if date_format(list(found)) is not None:
        return "date"
    if len(found) == 2:
        return "binary"
    return _guess_text(found, filled, max_levels)


def guess_numbers(names, values):
    """What columns of numbers are taken for, given as a matrix: "number", "empty", "constant" or "identifier".

    Identifiers are whole numbers, all different, that count the rows from 0 or 1 or whose column is called an
    identifier, unless it is named after time.
    """
    missing = np.isnan(values)
    size = len(values) - missing.sum(axis=0)
    low, high = np.fmin.reduce(values, axis=0), np.fmax.reduce(values, axis=0)
    kinds = np.full(len(names), "number", dtype=object)
    kinds[(size == len(values)) & (low == high)] = "constant"
    kinds[size == 0] = "empty"
    whole = np.isfinite(low) & np.isfinite(high) & ((values == np.round(values)) | missing).all(axis=0)
    for k in np.flatnonzero(whole & (size >= FEW_ROWS) & (kinds == "number")):
        name = str(names[k])
        counted = low[k] in (0, 1) and high[k] - low[k] == size[k] - 1
        called = (counted or _ID_NAME.fullmatch(name)) and not _TIME_NAME.fullmatch(name)
        if called and len(np.unique(values[~missing[:, k], k])) == size[k]:
            kinds[k] = "identifier"
    return kinds.tolist()


def _guess_text(found, filled, max_levels):
    words = sum(count * len(text.split()) for text, count in found.items()) / filled
    differ = len(found) / filled
    if (words >= 4 and differ > 0.5) or (words >= 2.5 and len(found) > max_levels):
        return "text"
    return "identifier" if differ > 0.9 and filled >= FEW_ROWS else "category"
