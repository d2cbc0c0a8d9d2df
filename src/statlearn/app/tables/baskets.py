"""Baskets of a file: one per line, a long table, a table of items, or any table."""

import csv
import io
import re
import warnings
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from statlearn._core.warnings import AmbiguousInputWarning
from statlearn.app.errors import DataError, UsageError
from statlearn.app.setting_names import count, did_you_mean, option
from statlearn.app.tables import frames
from statlearn.app.tables.packed import unpacked
from statlearn.app.tables.profile import check_columns
from statlearn.app.tables.table import open_table

FORMATS = ("auto", "baskets", "long", "table")
SNIFFED = 200  # lines that decide whether a file has a basket per line
_EQUAL = 20  # lines at least that show that a first line is no header
_IDENTIFIER = re.compile(r"basket|trans|order|invoice|receipt|ticket|cart|session|tid|member|customer", re.IGNORECASE)
_ITEM = re.compile(r"item|product|article|sku|stock|goods|description|movie|title", re.IGNORECASE)


@dataclass
class BasketFile:
    """Baskets as they were read."""

    baskets: object  # statlearn.rules.Baskets
    source: str
    form: str  # what the file was taken for, in words
    notes: list = field(default_factory=list)
    dropped: dict = field(default_factory=dict)  # columns without items, and why
    binarized: bool = False


def read_basket_file(data, *, form="auto", basket=None, item=None, bins=2, keep=(), drop=(), seed=0, max_rows=None):
    """Baskets of a file or of a built-in table.

    Parameters
    ----------
    data : path or name of a built-in table
    form : {"auto", "baskets", "long", "table"}
    basket, item : str or None
        Columns of a long table.
    bins : int
        Intervals of numeric columns.
    keep, drop : sequence of str
        Columns of a table that form items even if they look like identifiers, and columns to leave out.
    seed, max_rows : int
        As in `open_table`.

    Returns
    -------
    BasketFile
    """
    if form not in FORMATS:
        raise UsageError(f"{option('format')} must be one of {', '.join(FORMATS)}, got {form!r}")
    if (basket is None) != (item is None):
        raise UsageError(f"{option('basket')} and {option('item')} must be given together")
    if bins < 2:
        raise UsageError(f"{option('bins')} must be at least 2, got {bins}")
    path = Path(data)
    if form == "baskets" or (form == "auto" and basket is None and path.is_file()):
        found = _lines(path, form == "baskets")
        if found is not None:
            return found
    table = open_table(data, seed, max_rows)
    found = table_baskets(
        table.frame, form=form, basket=basket, item=item, bins=bins, keep=keep, drop=drop, source=table.source
    )
    found.notes = [*table.notes, *found.notes]
    if table.sampled:
        found.notes.append(f"A random sample of {len(table.frame):,} of {table.n_rows:,} rows was used.")
    return found


def _lines(path, required):
    """Baskets of a file with one basket per line; None if the lines are those of a table, unless required."""
    if not path.is_file():
        raise DataError(f"{path}: no such file")
    notes: list[str] = []
    text = _text(path, notes)
    if text is None:
        if required:
            raise DataError(f"{path} is not a text file; {option('format')} baskets needs one basket per line of text")
        return None
    try:
        return _baskets_of(text, path, required, notes)
    except csv.Error as error:  # such as a field of more than csv.field_size_limit()
        if required:
            raise DataError(f"{path} cannot be read as baskets: {error}") from error
        return None


def _baskets_of(text, path, required, notes):
    """Baskets of a text with one basket per line; None if the lines are those of a table, unless required."""
    head = [line for line in text[:200_000].splitlines()[:SNIFFED] if line.strip()]
    separator = _basket_separator(head)
    widths = [len(_fields(line, separator)) for line in head]
    full = [len(row) for row in csv.reader(head, delimiter=separator, skipinitialspace=True)]  # quotes hold separators
    ragged = len(set(full)) > 1 and max(np.bincount(full)) < 0.9 * len(full)
    if not required and not ragged:
        if not _is_equal_baskets(head, separator):
            return None
        notes.append("The first line is taken as a basket, because all its fields occur below it in the same column.")
    rows = csv.reader(io.StringIO(text), delimiter=separator or " ", skipinitialspace=True)
    baskets = [[cell.strip() for cell in row if cell.strip()] for row in rows]
    empty = sum(not row for row in baskets)
    baskets = [row for row in baskets if row]
    if not baskets:
        raise DataError(f"{path} contains no baskets")
    if empty:
        notes.append(f"{count(empty, 'empty line')} left out.")
    repeated = sum(len(row) != len(set(row)) for row in baskets)
    if repeated:
        notes.append(f"{count(repeated, 'basket')} with repeated items; an item counts once per basket.")
    from statlearn.rules import Baskets

    name = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", " ": "spaces"}[separator]
    words = f"one basket per line, {np.median(widths):.0f} items in the median basket, separated by {name}"
    return BasketFile(Baskets(baskets), path.name, words, notes)


def _is_equal_baskets(head, separator):
    """Whether lines of equal length are baskets: no header, and no item in two columns, as in a table of codes."""
    rows = [[cell.strip() for cell in row] for row in csv.reader(head, delimiter=separator, skipinitialspace=True)]
    if len(rows) < _EQUAL or len(rows[0]) < 2 or any(len(row) != len(rows[0]) for row in rows):
        return False
    columns = [set(column) for column in zip(*rows[1:])]
    apart = len(set().union(*columns)) == sum(map(len, columns))
    few = max(map(len, columns)) <= len(rows) // 2
    return apart and few and all(cell in column for cell, column in zip(rows[0], columns))


def _text(path, notes):
    """Text of a file, unpacked if it is a gzip file; None if it is not text."""
    raw = path.read_bytes()
    if raw.startswith(b"\x1f\x8b"):
        raw = unpacked(path)
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            text = raw.decode("utf-16")
        except UnicodeDecodeError:
            return None
        notes.append("The file is not UTF-8; it was read as UTF-16.")
        return text
    if raw.startswith((b"PAR1", b"ARRO", b"PK\x03\x04", b"\x28\xb5\x2f\xfd")) or b"\0" in raw[:4096]:
        return None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        notes.append("The file is not UTF-8; it was read as Latin-1.")
        return raw.decode("latin-1")


def _fields(line, separator):
    return [cell for cell in line.split(separator) if cell.strip()]


def _basket_separator(head):
    """The character that divides the lines into most fields; spaces only if nothing else occurs."""
    totals = {c: sum(line.count(c) for line in head) for c in (",", ";", "\t", "|")}
    best = max(totals, key=totals.get)
    return best if totals[best] else " "


def table_baskets(table, *, form="auto", basket=None, item=None, bins=2, keep=(), drop=(), source="table"):
    """Baskets of a data frame: a long table, padded lists, items as columns, or any table.

    Parameters
    ----------
    table : data frame
    form : {"auto", "long", "table"}
    basket, item : str or None
    bins : int
    keep, drop : sequence of str
    source : str

    Returns
    -------
    BasketFile
    """
    from statlearn.rules import Baskets, BinarizeDataset

    frame = frames.as_frame(table)
    names = list(frame.columns)
    for argument, column in (("basket", basket), ("item", item)):
        if column is not None and column not in names:
            raise UsageError(f"{option(argument)}: unknown column {column!r}; {did_you_mean(column, names)}")
    check_columns(names, keep=keep, drop=drop)
    frame = frame.drop(list(drop))
    names = [name for name in names if name not in drop]
    notes: list[str] = []
    if basket is None and form in ("auto", "long"):
        basket, item = _long_columns(names)
        if basket is None and form == "long":
            raise UsageError(f"{option('basket')} and {option('item')} are required: name the two columns")
        if basket is not None and form == "auto":
            notes.append(f"Taken as a long table with baskets in {basket!r} and items in {item!r}, by their names.")
    if basket is not None:
        known = ~(frames.missing(frame[basket]) | frames.missing(frame[item]))
        if not known.all():
            notes.append(f"{count(int((~known).sum()), 'row')} without basket or item left out.")
            frame = frames.take(frame, np.flatnonzero(known))
        if not len(frame):
            raise DataError("the table has no row with a basket and an item")
        return BasketFile(Baskets.from_long(frame.to_native(), basket, item), source, "long table", notes)
    padded = _padded(frame) if form == "auto" else None
    if padded is not None:
        columns, rows = padded
        rest = {name: "not a column of items" for name in names if name not in columns}
        notes.append(f"Taken as lists of items in {len(columns)} columns, because the columns share their values.")
        return BasketFile(Baskets(rows), source, "one basket per row", notes, rest)
    try:
        return BasketFile(Baskets(frame.to_native()), source, "table of items", notes)
    except (ValueError, TypeError):
        pass
    frame, infinite = frames.without_infinities(frame)
    if infinite:
        notes.append(f"Infinite values were treated as missing in {', '.join(map(repr, infinite[:5]))}.")
    with warnings.catch_warnings():  # the list of items shows which columns were cut
        warnings.simplefilter("ignore", AmbiguousInputWarning)
        binarizer = BinarizeDataset(n_bins=bins, missing="ignore", keep=list(keep)).fit(frame.to_native())
    if not binarizer.items_:
        raise DataError("no column of this table can form items: " + _reasons(binarizer.dropped_))
    present = binarizer.transform(frame.to_native())
    rows, columns = np.nonzero(present)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(present)))])
    if (present.sum(axis=1) < len(set(binarizer.columns_))).any():
        notes.append("Missing values have no item; rules describe the known values.")
    made = Baskets.from_arrays(binarizer.items_, indptr, columns)
    words = f"table of {count(len(names), 'column')}, cut into {count(len(binarizer.items_), 'item')}"
    return BasketFile(made, source, words, notes, dict(binarizer.dropped_), binarized=True)


def _reasons(dropped):
    return "; ".join(f"{name} ({why})" for name, why in dropped.items())


def _long_columns(names):
    """Columns of baskets and of items by their names, in tables of two or three columns."""
    if not 2 <= len(names) <= 4:
        return None, None
    ids = [name for name in names if _IDENTIFIER.search(name)]
    items = [name for name in names if _ITEM.search(name) and name not in ids]
    return (ids[0], items[0]) if ids and items else (None, None)


def _padded(frame):
    """Columns and lists of a table whose text columns hold items in any order, as "item 1", "item 2", ...; or None."""
    text = [name for name in frame.columns if frames.is_text(frame[name].dtype)]
    if len(text) < 3 or len(text) < len(frame.columns) - 1:
        return None
    values = {name: {v for v in frame[name].to_list() if v is not None and v.strip()} for name in text}
    filled = [name for name in text if values[name]]
    shared = 0
    for name in filled:
        others = set().union(*(values[other] for other in filled if other != name))
        shared += len(values[name] & others) >= 0.5 * len(values[name])
    if shared < 0.8 * len(filled) or len(set().union(*values.values())) < 10:
        return None
    columns = [frame[name].to_list() for name in text]
    rows = [[v.strip() for v in row if v is not None and v.strip()] for row in zip(*columns)]
    return text, [row for row in rows if row]
