"""Item sets with their counts, as columns."""

import itertools
import math
from fractions import Fraction

import numpy as np

from statlearn._core.fitted_state import check_indices, check_numbers, check_offsets
from statlearn._core.memory import available_memory
from statlearn._core.params import Int, Real, check_arguments

from ._baskets import sorted_labels

MAX_SETS = 10_000_000


class Itemsets:
    """Item sets and the number of baskets that contain each, as columns.

    Functions such as :func:`frequent_itemsets` return it. Python objects for single sets are created only on request.
    The sets are ordered by length, then by their items.

    Parameters
    ----------
    items : list
        Labels of all items.
    indices : ndarray of int32
        Positions in `items`, sets end to end, increasing within a set.
    offsets : ndarray of int64
        Set s holds the entries ``offsets[s]`` to ``offsets[s + 1] - 1`` of `indices`.
    counts : ndarray
        Number of baskets that contain each set, or their weight.
    n_baskets : int or float
        Number of baskets, or their weight.
    min_count : int or float
        Minimum count of the search.
    kind : {"frequent", "closed", "maximal"}, default="frequent"
        Kind of the item sets.
    search : dict or None, default=None
        Statistics of the search: number of passes over the data and, for Apriori, of candidates of each size.

    Examples
    --------
    >>> from statlearn.rules import frequent_itemsets
    >>> found = frequent_itemsets([["a", "b"], ["a"], ["a", "b", "c"]], min_support=2)
    >>> found.to_dict()
    {('a',): 3, ('b',): 2, ('a', 'b'): 2}
    >>> found.support
    array([1.        , 0.66666667, 0.66666667])
    """

    def __init__(self, items, indices, offsets, counts, n_baskets, min_count, kind="frequent", search=None):
        self.items = items
        self.indices = indices
        self.offsets = offsets
        self.counts = counts
        self.n_baskets = n_baskets
        self.min_count = min_count
        self.kind = kind
        self.search = {} if search is None else search

    @classmethod
    def from_dict(cls, sets, n_baskets, *, kind="frequent"):
        """Item sets of another program.

        Parameters
        ----------
        sets : dict of collections of items to int
            Count of each set.
        n_baskets : int
            Number of baskets.
        kind : {"frequent", "closed", "maximal"}, default="frequent"

        Returns
        -------
        Itemsets
        """
        items = sorted_labels(set(itertools.chain.from_iterable(sets)))
        place = {label: k for k, label in enumerate(items)}
        codes = [(len(s), sorted(place[i] for i in s), count) for s, count in sets.items()]
        if any(length == 0 or length != len(set(code)) for length, code, _ in codes):
            raise ValueError("`sets` contains an empty set or a set with repeated items.")
        codes.sort(key=lambda c: c[:2])
        counts = np.array([count for *_, count in codes])
        if len(counts) and (counts.dtype.kind not in "iuf" or counts.min() < 0 or counts.max() > n_baskets):
            raise ValueError(f"`sets` must map to counts from 0 to n_baskets={n_baskets}.")
        offsets = np.concatenate([[0], np.cumsum([length for length, *_ in codes])]).astype(np.int64)
        flat = np.fromiter(itertools.chain.from_iterable(code for _, code, _ in codes), np.int32, int(offsets[-1]))
        least = counts.min() if len(counts) else 0
        return cls(items, flat, offsets, counts if len(counts) else np.empty(0, np.int64), n_baskets, least, kind)

    def _check_state(self):
        check_indices("indices", self.indices, len(self.items))
        check_offsets("offsets", self.offsets, len(self.indices))
        check_numbers("counts", self.counts, shape=(len(self.offsets) - 1,))

    def __len__(self):
        return len(self.counts)

    @property
    def support(self):
        """Share of the baskets that contain each set."""
        return self.counts / self.n_baskets

    @property
    def lengths(self):
        """Number of items of each set."""
        return np.diff(self.offsets)

    def __getitem__(self, k):
        """Items of the set at a position, as a tuple of labels."""
        k = range(len(self))[k]
        return tuple(self.items[i] for i in self.indices[self.offsets[k] : self.offsets[k + 1]])

    def __iter__(self):
        labels = [self.items[i] for i in self.indices.tolist()]
        for (a, b), count in zip(itertools.pairwise(self.offsets.tolist()), self.counts.tolist()):
            yield tuple(labels[a:b]), count

    def to_dict(self):
        """Counts by set; the keys are tuples of labels."""
        return dict(self)

    def select(self, mask):
        """Some of the sets.

        Parameters
        ----------
        mask : array-like of bool or int
            Mask or positions, in increasing order.

        Returns
        -------
        Itemsets
        """
        chosen = positions(mask, len(self))
        lengths = self.lengths[chosen]
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        entries = np.repeat(self.offsets[chosen] - offsets[:-1], lengths) + np.arange(offsets[-1])
        return Itemsets(
            self.items, self.indices[entries], offsets, self.counts[chosen], self.n_baskets, self.min_count, self.kind
        )

    def to_frame(self, backend="pandas", *, style=None):
        """The sets as a data frame with the columns itemset (lists of labels), length, count and support.

        Parameters
        ----------
        backend : {"pandas", "polars"}, default="pandas"
        style : {None, "mlxtend"}, default=None
            "mlxtend" gives that package's columns support and itemsets (frozen sets), for pandas only.

        Returns
        -------
        data frame
        """
        if check_style(style, backend):
            return make_frame({"support": self.support, "itemsets": [frozenset(items) for items, _ in self]}, backend)
        sets = [list(items) for items, _ in self]
        columns = {"length": self.lengths, "count": self.counts, "support": self.support}
        return make_frame({"itemset": sets, **columns}, backend)

    def to_arrow(self):
        """The sets as a pyarrow table; the items are a dictionary-encoded list column, without copies of the labels.

        Returns
        -------
        pyarrow.Table
        """
        try:
            import pyarrow as pa
        except ImportError as error:
            raise ImportError("to_arrow requires pyarrow; install it, or use to_frame().") from error

        labels = self.items if len({type(i) for i in self.items}) == 1 else list(map(str, self.items))
        values = pa.DictionaryArray.from_arrays(pa.array(self.indices), pa.array(labels))
        sets = pa.LargeListArray.from_arrays(pa.array(self.offsets), values)
        return pa.table({"itemset": sets, "count": self.counts, "support": self.support})

    def __repr__(self):
        shown = [f"  {{{', '.join(map(str, self[k]))}}}  {self.counts[k]:g}" for k in range(min(len(self), 10))]
        more = [f"  ... and {len(self) - 10:,} more"] if len(self) > 10 else []
        head = f"{len(self):,} {self.kind} item sets of {self.n_baskets:,} baskets (count at least {self.min_count:g})"
        return "\n".join([head, *shown, *more])


def positions(chosen, n):
    """Positions behind a slice, a mask or a list of positions."""
    if not isinstance(chosen, slice):
        chosen = np.asarray(chosen)
        chosen = chosen if chosen.size else chosen.astype(np.intp)
    return np.arange(n)[chosen]


def check_style(style, backend):
    """Whether a frame like those of mlxtend is asked for."""
    if style not in (None, "mlxtend"):
        raise ValueError(f"`style` must be None or 'mlxtend', got {style!r}.")
    if style is not None and backend != "pandas":
        raise ValueError(f"`style`='mlxtend' has sets as cells and requires backend='pandas', got {backend!r}.")
    return style is not None


def check_use_colnames(function, use_colnames):
    """Accept mlxtend's option, but not its default."""
    if use_colnames is not True:
        raise ValueError(
            f"`use_colnames` must be True in {function.__name__}, got {use_colnames!r}: sets hold the labels of the "
            "items, and `indices` their positions."
        )


def make_frame(columns, backend):
    """A pandas or polars frame of columns."""
    if backend == "pandas":
        import pandas as pd

        return pd.DataFrame(columns)
    if backend == "polars":
        import polars as pl

        return pl.DataFrame(columns)
    raise ValueError(f"`backend` must be 'pandas' or 'polars', got {backend!r}.")


def count_threshold(min_support, n_baskets, *, strict=False, name="min_support"):
    """Smallest count that reaches a threshold, without rounding noise: 7 of 100 baskets have a support of 0.07.

    A float of at most 1 is a share, an integer a count. With `strict` the count must exceed the threshold.
    """
    check_arguments("itemsets", **{name: (min_support, [Real(0, 1, closed="right"), Int(1, None)])})
    if isinstance(min_support, (int, np.integer)):
        exact = Fraction(int(min_support))
    else:
        exact = Fraction(repr(float(min_support))) * Fraction(n_baskets)
    if isinstance(n_baskets, float):  # fractional weights
        return float(exact) * (1 + 1e-12 if strict else 1 - 1e-12)
    return int(math.floor(exact) + 1 if strict else max(math.ceil(exact), 1))


def storage_bounds(max_len, max_sets):
    """Bounds for the kernels: length, number of sets, and entries in all of them, within half of the free memory."""
    rules = {"max_len": (max_len, [Int(1, None), None]), "max_sets": (max_sets, [Int(1, 2**31 - 1), None])}
    check_arguments("itemsets", **rules)
    free = available_memory() or 8e9
    return (
        2**31 - 1 if max_len is None else int(max_len),
        int(min(MAX_SETS if max_sets is None else max_sets, free / 128)),
        int(free / 32),
    )


def refuse_too_many(max_sets, min_count, what="item sets"):
    """The error for a search that passed its bounds."""
    return MemoryError(
        f"More than {max_sets:,} {what} have a count of at least {min_count:g}, or they exceed half of the free "
        "memory. Raise min_support, limit the length of the sets with max_len, search only closed or maximal sets, or "
        "raise max_sets."
    )
