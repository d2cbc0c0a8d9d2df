"""Baskets of items in compressed form, read from lists, matrices, data frames and long tables."""

import itertools
from collections import defaultdict
from numbers import Number

import numpy as np
from scipy import sparse

from statlearn._core import native
from statlearn._core.frames import as_frame, is_missing

_HOW = (
    "Pass baskets as lists of items, a table of True and False with one column per item, or "
    "Baskets.from_long(frame, basket, item); use BinarizeDataset for other tables."
)


def label_order(label):
    """Sorting key of labels of any type: numbers by size, then texts, then other types by their text."""
    if isinstance(label, (Number, np.number)) and not isinstance(label, complex):
        return (0, "", label, "")
    if isinstance(label, str):
        return (1, "", 0, label)
    return (2, type(label).__name__, 0, repr(label))


def sorted_labels(labels):
    """Labels in their natural order, or by :func:`label_order` if they are of mixed types."""
    kinds = set(map(type, labels))
    return sorted(labels) if len(kinds) == 1 and kinds <= {str, int} else sorted(labels, key=label_order)


class Baskets:
    """Baskets of items, encoded once for several searches.

    All functions of this family that take baskets accept lists, tables of booleans and objects of this class.

    Parameters
    ----------
    data : iterable of iterables, data frame, array or sparse matrix
        One list (or set, tuple, array) of items per basket; a series of lists; or a table of booleans (or of zeros and
        ones) with one column per item. Repeated items of a basket count once. Items may be of any hashable type, but
        not missing.
    sep : str or None, default=None
        Separator of the items, if each basket is a string such as "milk,bread".

    Attributes
    ----------
    items : list
        Labels, in sorted order (for tables, in the order of the columns).
    indptr : ndarray of int64
        Basket r holds the entries ``indptr[r]`` to ``indptr[r + 1] - 1`` of `indices`.
    indices : ndarray of int32
        Positions in `items`, increasing within a basket.

    Examples
    --------
    >>> from statlearn.rules import Baskets
    >>> baskets = Baskets([["milk", "bread"], ["bread"], []])
    >>> len(baskets), baskets.items
    (3, ['bread', 'milk'])
    """

    def __init__(self, data, *, sep=None):
        self.items, self.indptr, self.indices = _read(data, sep)

    @classmethod
    def from_long(cls, frame, basket, item):
        """Baskets of a long table with one row per item of a basket.

        Parameters
        ----------
        frame : data frame
        basket : str
            Column with the identifier of the basket. Baskets are ordered by first appearance.
        item : str
            Column with the item.

        Returns
        -------
        Baskets
        """
        table = as_frame(frame)
        if table is None:
            raise TypeError(f"`frame` must be a data frame, got {type(frame).__name__}.")
        for argument, column in (("basket", basket), ("item", item)):
            if column not in table.columns:
                raise ValueError(f"{argument}={column!r} is not a column; the columns are {list(table.columns)}.")
        keys, numbers = _codes(table[basket].to_list(), f"Column {basket!r}")
        labels, codes = _codes(table[item].to_list(), f"Column {item!r}")
        order = np.argsort(numbers, kind="stable")
        indptr = np.concatenate([[0], np.cumsum(np.bincount(numbers, minlength=len(keys)))]).astype(np.int64)
        return cls._from_codes(labels, indptr, codes[order])

    @classmethod
    def from_arrays(cls, items, indptr, indices):
        """Baskets of arrays in the form of the attributes; items of a basket may come in any order.

        Parameters
        ----------
        items : list
        indptr, indices : array-like of int

        Returns
        -------
        Baskets
        """
        baskets = cls.__new__(cls)
        baskets.items = list(items)
        baskets.indptr, baskets.indices = native.rules.clean_baskets(
            np.ascontiguousarray(indptr, dtype=np.int64),
            np.ascontiguousarray(indices, dtype=np.int32),
            np.arange(len(baskets.items), dtype=np.int32),
        )
        return baskets

    @classmethod
    def _from_codes(cls, labels, indptr, codes):
        baskets = cls.__new__(cls)
        baskets.items, baskets.indptr, baskets.indices = _in_label_order(labels, indptr, codes)
        return baskets

    def __len__(self):
        return len(self.indptr) - 1

    def __repr__(self):
        return f"<Baskets: {len(self):,} baskets of {len(self.items):,} items, {len(self.indices):,} entries>"

    @property
    def counts(self):
        """Number of baskets that contain each item."""
        return np.bincount(self.indices, minlength=len(self.items))

    def take(self, rows):
        """The baskets at the given positions, with the same items.

        Parameters
        ----------
        rows : array-like of int or bool

        Returns
        -------
        Baskets
        """
        matrix = self.to_sparse()[np.asarray(rows)]
        return Baskets.from_arrays(self.items, matrix.indptr, matrix.indices)

    def to_lists(self):
        """The baskets as lists of labels."""
        labels = [self.items[k] for k in self.indices]
        return [labels[a:b] for a, b in itertools.pairwise(self.indptr)]

    def to_sparse(self):
        """The baskets as a boolean CSR matrix with one column per item."""
        ones = np.ones(len(self.indices), dtype=bool)
        return sparse.csr_matrix((ones, self.indices, self.indptr), shape=(len(self), len(self.items)))


def read_baskets(data):
    """`data` as :class:`Baskets`."""
    return data if isinstance(data, Baskets) else Baskets(data)


def _read(data, sep):
    if isinstance(data, Baskets):
        return data.items, data.indptr, data.indices
    if isinstance(data, (str, bytes, dict)):
        raise TypeError(f"X must be a collection of baskets, got {type(data).__name__}. {_HOW}")
    if sparse.issparse(data):
        return _from_sparse(data)
    if hasattr(data, "columns"):
        return _from_frame(data)
    if isinstance(data, np.ndarray) and data.dtype.kind != "O" and data.ndim != 1:
        return _from_matrix(data, range(data.shape[1]) if data.ndim == 2 else ())
    if not hasattr(data, "to_list") and not hasattr(data, "__iter__") and not hasattr(data, "__getitem__"):
        raise TypeError(f"X must be a collection of baskets, got {type(data).__name__}. {_HOW}")
    rows = data.to_list() if hasattr(data, "to_list") else list(data)
    return _from_lists(rows, sep)


def _from_lists(rows, sep):
    kinds = set(map(type, rows))
    if any(issubclass(kind, str) for kind in kinds):
        if sep is None:
            text = next(row for row in rows if isinstance(row, str))
            raise TypeError(f"X contains a string as a basket, {text!r}; split it into items, or set sep.")
        rows = [
            [part.strip() for part in row.split(sep) if part.strip()] if isinstance(row, str) else row for row in rows
        ]
        kinds = set(map(type, rows))
    for kind in kinds:
        if not hasattr(kind, "__iter__") or issubclass(kind, dict):
            at = next(r for r, row in enumerate(rows) if type(row) is kind)
            raise TypeError(f"X[{at}] must be a list of items, got {rows[at]!r}. {_HOW}")
    if not all(hasattr(kind, "__len__") for kind in kinds):
        rows = [list(row) for row in rows]
    elif any(issubclass(kind, np.ndarray) for kind in kinds):
        rows = [row.tolist() if isinstance(row, np.ndarray) else row for row in rows]
    indptr = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, rows), np.int64, len(rows)), out=indptr[1:])
    labels, codes = _codes(itertools.chain.from_iterable(rows), "X", int(indptr[-1]), rows)
    return _in_label_order(labels, indptr, codes)


def _codes(values, where, size=-1, rows=None):
    """Distinct values by first appearance, and the code of each value."""
    seen = defaultdict(itertools.count().__next__)
    try:
        codes = np.fromiter(map(seen.__getitem__, values), np.int32, size)
    except TypeError as error:
        raise TypeError(f"{where} contains an item that cannot be compared with others: {error}.") from None
    for label in seen:
        if is_missing(label):
            at = next((r for r, row in enumerate(rows) if any(map(is_missing, row))), None) if rows else None
            place = where if at is None else f"{where}[{at}]"
            raise ValueError(f"{place} contains a missing item ({label!r}); remove it from its basket.")
    return list(seen), codes


def _in_label_order(labels, indptr, codes):
    ordered = sorted_labels(labels)
    position = {label: k for k, label in enumerate(ordered)}
    place = np.fromiter((position[label] for label in labels), np.int32, len(labels))
    return ordered, *native.rules.clean_baskets(indptr, np.ascontiguousarray(codes), place)


def _from_sparse(data):
    matrix = data.tocsr()
    matrix.sum_duplicates()
    values = matrix.data
    if not np.all((values == 0) | (values == 1)):
        bad = values[(values != 0) & (values != 1)][0]
        raise ValueError(f"X must contain only 0 and 1, got {bad}. {_HOW}")
    if (values == 0).any():
        matrix = matrix.copy()
        matrix.eliminate_zeros()
    matrix.sort_indices()
    return list(range(matrix.shape[1])), matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32)


def _from_matrix(data, names):
    if data.ndim != 2:
        raise ValueError(f"X must have two dimensions, got {data.ndim}. {_HOW}")
    if data.dtype != bool:
        wrong = ~((data == 0) | (data == 1))
        if wrong.any():
            row, column = np.argwhere(wrong)[0]
            name = list(names)[column]
            raise ValueError(
                f"X must contain only True and False (or 0 and 1), but column {name!r} contains "
                f"{data[row, column]}. {_HOW}"
            )
        data = data == 1
    rows, columns = np.nonzero(data)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(data)))]).astype(np.int64)
    return list(names), indptr, columns.astype(np.int32)


def _from_frame(data):
    import narwhals as nw

    frame = as_frame(data)
    if frame is None:
        raise TypeError(f"X must be a collection of baskets, got {type(data).__name__}. {_HOW}")
    names = list(frame.columns)
    if len(names) == 1:
        only = frame[names[0]]
        first = next((value for value in only.to_list() if value is not None), None)
        if isinstance(only.dtype, (nw.List, nw.Array)) or isinstance(first, (list, tuple, set, frozenset)):
            return _from_lists([() if value is None else value for value in only.to_list()], None)
    columns = []
    for column in frame.iter_columns():
        if not (column.dtype.is_numeric() or column.dtype == nw.Boolean):
            raise ValueError(
                f"X must contain only True and False, but column {column.name!r} is {column.dtype}. {_HOW}"
            )
        if column.is_null().any() or (column.dtype.is_float() and column.is_nan().any()):
            raise ValueError(f"Column {column.name!r} contains missing values; fill them with False or drop the rows.")
        columns.append(np.asarray(column.to_numpy()))
    if not columns:
        raise ValueError(f"X has no columns. {_HOW}")
    matrix = np.column_stack([column.astype(float) if column.dtype.kind == "O" else column for column in columns])
    return _from_matrix(matrix, [name.item() if hasattr(name, "item") else name for name in names])
