"""Apriori: level-wise search for frequent item sets, in memory or over a stream of chunks."""

from collections import Counter

import numpy as np

from statlearn._core import native
from statlearn._core.memory import available_memory
from statlearn._core.params import Options, check_arguments

from ._baskets import Baskets, read_baskets, sorted_labels
from ._itemsets import Itemsets, check_use_colnames, count_threshold, refuse_too_many, storage_bounds
from ._mine import TOO_MANY


def apriori(
    data=None,
    min_support=0.1,
    *,
    stream=None,
    max_len=None,
    max_sets=None,
    join="shared",
    prune=True,
    strict=False,
    use_colnames=True,
):
    r"""Frequent item sets by Apriori, level by level.

    Level k joins frequent sets of k - 1 items to candidates of k items, counts the candidates in one pass over the
    data, and keeps those that reach the threshold. It stops at the first level without candidates or without frequent
    sets.

    Parameters
    ----------
    data : Baskets, iterable of iterables, data frame, array or sparse matrix, default=None
        Lists of items, or a table of booleans with one column per item; see :class:`Baskets`.
    min_support : float or int, default=0.1
        Threshold. A float of at most 1 is a share of the baskets, an integer is a count.
    stream : iterable of chunks, callable or None, default=None
        Instead of `data`: chunks of baskets, each in any form that `data` may have. The chunks are read once per level,
        so `stream` must be a collection, or a function that returns a new iterator at each call.
    max_len : int or None, default=None
        Largest number of items of a set.
    max_sets : int or None, default=None
        Largest number of sets. If there are more, the function raises MemoryError. None means ten million, or fewer if
        memory is short.
    join : {"shared", "prefix"}, default="shared"
        Sets to join: any two with k - 2 common items, or only those that differ in the last item. The result is the
        same; "prefix" makes fewer candidates and needs less memory.
    prune : bool, default=True
        Whether to drop candidates with an infrequent subset of k - 1 items before counting.
    strict : bool, default=False
        Whether the support must exceed the threshold.
    use_colnames : True, default=True
        Accepted for calls as in mlxtend; sets always hold the labels of the items.

    Returns
    -------
    Itemsets
        Its attribute `search` is a dict with the number of "passes" over the data and, in "levels", the number of
        joined candidates, of candidates after pruning, and of frequent sets of each length.

    See Also
    --------
    frequent_itemsets : the same sets, usually much faster if the data fit in memory.

    Notes
    -----
    A level takes one pass over the data and memory for its candidates only. If more candidates arise than fit in
    memory, the function raises MemoryError before it counts them.

    References
    ----------
    Agrawal and Srikant (1994), Fast algorithms for mining association rules, VLDB.

    Examples
    --------
    >>> from statlearn.rules import apriori
    >>> found = apriori([["a", "b"], ["a", "b", "c"], ["a"]], min_support=2)
    >>> found.to_dict()
    {('a',): 3, ('b',): 2, ('a', 'b'): 2}
    >>> found.search["passes"]
    2
    >>> apriori(stream=[[["a", "b"], ["a", "b", "c"]], [["a"]]], min_support=2).to_dict() == found.to_dict()
    True
    """
    check_use_colnames(apriori, use_colnames)
    check_arguments(apriori, join=(join, [Options("shared", "prefix")]), prune=(prune, ["boolean"]))
    longest, max_rules, entries = storage_bounds(max_len, max_sets)
    if (data is None) == (stream is None):
        raise ValueError("Pass either `data` or `stream`, not both.")
    source = _Memory(read_baskets(data)) if stream is None else _Stream(stream)
    items, counts, n_baskets = source.first_pass()
    if not n_baskets:
        raise ValueError(f"{'X' if stream is None else 'stream'} contains no baskets.")
    least = count_threshold(min_support, n_baskets, strict=strict)
    frequent = np.flatnonzero(counts >= least)
    levels = [{"length": 1, "joined": len(items), "candidates": len(items), "frequent": len(frequent)}]
    itemsets = [(frequent.astype(np.int32)[:, None], counts[frequent])]
    passes, total = 1, len(frequent)
    room = int((available_memory() or 8e9) / 256)
    while len(itemsets[-1][1]) > 1 and len(itemsets) < longest:
        width = len(itemsets)
        status, joined, flat = native.rules.join_sets(
            np.ascontiguousarray(itemsets[-1][0]).ravel(), width, join == "shared", bool(prune), room // (width + 1)
        )
        if status == TOO_MANY:
            raise MemoryError(
                f"Level {width + 1} has more than {room // (width + 1):,} candidates. Raise min_support, set max_len, "
                "or use join='prefix'."
            )
        candidates = flat.reshape(-1, width + 1)
        if not len(candidates):
            levels.append({"length": width + 1, "joined": joined, "candidates": 0, "frequent": 0})
            break
        counts = source.count(candidates, items)
        passes += 1
        enough = counts >= least
        levels.append(
            {"length": width + 1, "joined": joined, "candidates": len(candidates), "frequent": int(enough.sum())}
        )
        if not enough.any():
            break
        itemsets.append((candidates[enough], counts[enough]))
        total += int(enough.sum())
        if total > max_rules or sum(sets.size for sets, _ in itemsets) > entries:
            raise refuse_too_many(max_rules, least)
    if total > max_rules:
        raise refuse_too_many(max_rules, least)
    lengths = np.concatenate([np.full(len(c), sets.shape[1]) for sets, c in itemsets])
    return Itemsets(
        items,
        np.concatenate([sets.ravel() for sets, _ in itemsets]).astype(np.int32),
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        np.concatenate([c for _, c in itemsets]).astype(np.int64),
        n_baskets,
        least,
        search={"passes": passes, "levels": levels},
    )


def _count(baskets, sets):
    counts = np.zeros(len(sets))
    offsets = np.arange(len(sets) + 1, dtype=np.int64) * sets.shape[1]
    native.rules.count_sets(
        baskets.indptr, baskets.indices, len(baskets.items), np.empty(0), np.ascontiguousarray(sets).ravel(), offsets,
        counts,
    )  # fmt: skip
    return counts.astype(np.int64)


class _Memory:
    """Baskets in memory."""

    def __init__(self, baskets):
        self.baskets = baskets

    def first_pass(self):
        return self.baskets.items, self.baskets.counts, len(self.baskets)

    def count(self, candidates, items):
        return _count(self.baskets, candidates)


class _Stream:
    """Chunks of baskets, read again for each level. A chunk need not know the items of the others."""

    def __init__(self, stream):
        if not callable(stream) and iter(stream) is stream:
            raise TypeError(
                "stream is an iterator, which can be read only once, but each level reads the data. Pass a collection "
                "of chunks or a function that returns a new iterator."
            )
        self.stream = stream

    def _chunks(self):
        for chunk in self.stream() if callable(self.stream) else self.stream:
            yield read_baskets(chunk)

    def first_pass(self):
        totals, rows = Counter(), 0
        for chunk in self._chunks():
            totals.update(dict(zip(chunk.items, chunk.counts.tolist())))
            rows += len(chunk)
        items = sorted_labels(totals)
        self.rows = rows
        return items, np.array([totals[item] for item in items], dtype=np.int64), rows

    def count(self, candidates, items):
        used = np.unique(candidates)
        place = {items[k]: int(k) for k in used}
        counts, rows = np.zeros(len(candidates), dtype=np.int64), 0
        for chunk in self._chunks():
            rows += len(chunk)
            known = np.array([place.get(label, -1) for label in chunk.items], dtype=np.int64)
            if not (known >= 0).any():
                continue
            entries = known[chunk.indices] >= 0
            indptr = np.concatenate([[0], np.cumsum(entries)])[chunk.indptr]
            counts += _count(Baskets.from_arrays(items, indptr, known[chunk.indices][entries]), candidates)
        if rows != self.rows:
            raise ValueError(f"stream gave {rows:,} baskets after {self.rows:,} at the first pass; it must not change.")
        return counts


def count_sets(data, sets):
    """Counts of an :class:`Itemsets`' sets in other baskets; items that do not occur count as 0."""
    baskets = read_baskets(data)
    place = {label: k for k, label in enumerate(sets.items)}
    known = np.array([place.get(label, -1) for label in baskets.items], dtype=np.int64)
    entries = known[baskets.indices] >= 0 if len(baskets.items) else np.empty(0, dtype=bool)
    indptr = np.concatenate([[0], np.cumsum(entries)])[baskets.indptr]
    same = Baskets.from_arrays(sets.items, indptr, known[baskets.indices][entries] if len(entries) else [])
    counts = np.zeros(len(sets))
    native.rules.count_sets(same.indptr, same.indices, len(same.items), np.empty(0), sets.indices, sets.offsets, counts)
    return counts.astype(np.int64), len(baskets)
