"""H-mine: frequent item sets from one array of baskets and the links through it."""

import numpy as np

from statlearn._core.params import check_arguments

from ._baskets import label_order
from ._itemsets import Itemsets, check_use_colnames, count_threshold, refuse_too_many, storage_bounds
from ._mine import read_weighted, tidy_counts

MAX_DRAWN = 60  # entries; a drawing of more cannot be read


class HyperStructure:
    """Hyper-linked array of baskets, the H-struct of H-mine.

    Baskets are stored one after another without their infrequent items, each in the order of the header. Every basket
    is in the queue of its first item: the header holds the first entry of a queue, and each entry its successor. Once
    the sets with the first item of the header are found, its queue is dissolved, and each of its baskets joins the
    queue of its next item (:meth:`advance`). No basket is ever copied.

    Parameters
    ----------
    data : Baskets, iterable of iterables, data frame, array or sparse matrix
        Lists of items, or a table of booleans with one column per item; see :class:`Baskets`.
    min_support : float or int, default=1
        Threshold of the items. A float of at most 1 is a share of the baskets, an integer is a count.
    order : list or None, default=None
        Items in the order of the header; others follow. None means sorted labels.
    sample_weight : array-like of shape (n_baskets,) or None, default=None
        Weights of the baskets; a weight of k is equivalent to k copies.

    Attributes
    ----------
    header : list
        Frequent items.
    counts : ndarray
        Count of each item of the header.
    entries : ndarray of int
        Position in the header of each entry, baskets end to end.
    offsets : ndarray of int
        Basket r holds the entries ``offsets[r]`` to ``offsets[r + 1] - 1``.
    head : ndarray of int
        First entry of the queue of each item, or -1.
    link : ndarray of int
        Next entry in the same queue, or -1.
    n_baskets : int or float
        Number of baskets, or their weight.

    References
    ----------
    Pei, Han, Lu, Nishio, Tang and Yang (2001), H-mine: Hyper-structure mining of frequent patterns in large databases,
    IEEE International Conference on Data Mining.

    Examples
    --------
    >>> from statlearn.rules import HyperStructure
    >>> links = HyperStructure(map(list, ["cdefgi", "acdem", "abdegk", "acdh"]), min_support=2)
    >>> dict(zip(links.header, links.counts.tolist()))
    {'a': 3, 'c': 3, 'd': 4, 'e': 3, 'g': 2}
    >>> [links.queue(item) for item in links.header]
    [[1, 2, 3], [0], [], [], []]
    >>> links.advance("a").queue("c")
    [0, 1, 3]
    """

    def __init__(self, data, min_support=1, *, order=None, sample_weight=None):
        check_arguments("HyperStructure", order=(order, ["array-like", None]))
        baskets, weights, total = read_weighted(data, sample_weight)
        self.n_baskets, self.min_count = total, count_threshold(min_support, total) if total else 1
        self._build(baskets, weights, order)

    def _build(self, baskets, weights, order=None):
        n = len(baskets)
        rows = np.repeat(np.arange(n), np.diff(baskets.indptr))
        counts = np.bincount(
            baskets.indices, weights=weights[rows] if len(weights) else None, minlength=len(baskets.items)
        )
        place = {} if order is None else {item: k for k, item in enumerate(order)}
        frequent = sorted(
            np.flatnonzero(counts >= self.min_count).tolist(),
            key=lambda k: (place.get(baskets.items[k], len(place)), label_order(baskets.items[k])),
        )
        position = np.full(len(baskets.items), -1)
        position[frequent] = np.arange(len(frequent))
        ranks = position[baskets.indices] if len(baskets.indices) else np.empty(0, dtype=np.intp)
        in_header = ranks >= 0
        rows, ranks = rows[in_header], ranks[in_header]
        sequence = np.lexsort([ranks, rows])
        self.header = [baskets.items[k] for k in frequent]
        self.codes = np.array(frequent, dtype=np.int32)  # positions among all items
        self.counts = tidy_counts(counts[frequent], self.n_baskets)
        self.entries, self.rows = ranks[sequence], rows
        self.offsets = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))])
        self.ends = self.offsets[rows + 1] if len(rows) else np.empty(0, dtype=np.intp)
        self.weights = weights[rows] if len(weights) else None  # of the basket of each entry
        self.head = np.full(len(self.header), -1)
        self.link = np.full(len(self.entries), -1)
        for entry in self.offsets[:-1][np.diff(self.offsets) > 0][::-1].tolist():
            self._push(entry)

    def _push(self, entry):
        """Insert an entry in the queue of its item, which is ordered by baskets."""
        item = self.entries[entry]
        before, after = -1, self.head[item]
        while after >= 0 and after < entry:
            before, after = after, self.link[after]
        self.link[entry] = after
        if before < 0:
            self.head[item] = entry
        else:
            self.link[before] = entry

    def queue(self, item):
        """Numbers of the baskets in the queue of an item.

        Parameters
        ----------
        item : label

        Returns
        -------
        list of int
        """
        if item not in self.header:
            raise ValueError(f"{item!r} is not in the header: {self.header[:20]}.")
        baskets, entry = [], self.head[self.header.index(item)]
        while entry >= 0:
            baskets.append(int(self.rows[entry]))
            entry = self.link[entry]
        return baskets

    def advance(self, item):
        """The structure after the sets with an item are found: its baskets are in the queues of their next items.

        Parameters
        ----------
        item : label

        Returns
        -------
        HyperStructure
            A new object, which shares the baskets with this one.
        """
        self.queue(item)  # checks the label
        advanced = object.__new__(HyperStructure)
        advanced.__dict__.update(self.__dict__, head=self.head.copy(), link=self.link.copy())
        code = self.header.index(item)
        entry, advanced.head[code] = self.head[code], -1
        while entry >= 0:
            following, advanced.link[entry] = self.link[entry], -1
            if entry + 1 < self.ends[entry]:
                advanced._push(entry + 1)
            entry = following
        return advanced

    def __repr__(self):
        return (
            f"<HyperStructure: {len(self.entries):,} entries, {len(self.header):,} items, {self.n_baskets:,} baskets>"
        )

    def plot(self, *, ax=None):
        """Drawing of the header, the baskets and the links of the queues.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None

        Returns
        -------
        matplotlib Axes
        """
        if len(self.entries) > MAX_DRAWN:
            raise ValueError(
                f"The structure has {len(self.entries):,} entries, more than the {MAX_DRAWN} of a legible drawing; "
                "raise min_support."
            )
        from ._plots import draw_hyperlinks

        return draw_hyperlinks(self, ax=ax)


class _HyperlinkSearch:
    """Depth-first search of H-mine over the queues of a structure.

    A level holds one queue per item: the entries of the baskets that contain the prefix and have this item next among
    those that are frequent with the prefix. The queues of a level are vectors rather than linked lists, which joins and
    advances all baskets of a queue in one operation.
    """

    def __init__(self, links, max_len, max_sets, max_entries):
        self.links, self.max_len, self.max_sets, self.max_entries = links, max_len, max_sets, max_entries
        self.sets, self.counts, self.n_entries = [], [], 0

    def run(self):
        links = self.links
        starts = links.offsets[:-1][np.diff(links.offsets) > 0]
        self._level((), links.counts, np.ones(len(links.header), dtype=bool), starts)

    def _level(self, prefix, counts, frequent, entries):
        """All sets that extend a prefix. `entries` are where the baskets of the prefix continue."""
        queues = [[] for _ in self.links.header]
        self._link(queues, entries, frequent)
        for item in np.flatnonzero(frequent).tolist():
            self._add((*prefix, item), counts[item])
            if queues[item]:
                queue = np.concatenate(queues[item])
                queues[item] = []
                if len(prefix) + 1 < self.max_len:
                    self._extend((*prefix, item), queue)
                self._link(queues, queue + 1, frequent, self.links.ends[queue])

    def _extend(self, prefix, queue):
        links = self.links
        lengths = links.ends[queue] - queue - 1
        if not lengths.any():
            return
        starts = np.cumsum(lengths) - lengths
        tails = np.arange(lengths.sum()) + np.repeat(queue + 1 - starts, lengths)
        weights = None if links.weights is None else links.weights[tails]
        counts = np.bincount(links.entries[tails], weights=weights, minlength=len(links.header))
        frequent = counts >= links.min_count
        if frequent.any():
            self._level(prefix, counts, frequent, queue[lengths > 0] + 1)

    def _link(self, queues, entries, frequent, ends=None):
        """Append baskets to the queues of their next frequent items, from `entries` on."""
        links = self.links
        ends = links.ends[entries] if ends is None else ends
        while len(entries):
            inside = entries < ends
            entries, ends = entries[inside], ends[inside]
            items = links.entries[entries]
            stop = frequent[items]
            order = np.argsort(items[stop], kind="stable")
            arrived, items = entries[stop][order], items[stop][order]
            if len(items):
                cuts = np.flatnonzero(np.diff(items)) + 1
                for part in np.split(arrived, cuts):
                    queues[links.entries[part[0]]].append(part)
            entries, ends = entries[~stop] + 1, ends[~stop]

    def _add(self, items, count):
        self.n_entries += len(items)
        if len(self.sets) >= self.max_sets or self.n_entries > self.max_entries:
            raise refuse_too_many(self.max_sets, self.links.min_count)
        self.sets.append(items)
        self.counts.append(count)


def hmine(data, min_support=0.1, *, max_len=None, max_sets=None, strict=False, sample_weight=None, use_colnames=True):
    """Frequent item sets by H-mine.

    One array holds the baskets, and queues of links lead through it (:class:`HyperStructure`). The baskets of a prefix
    are a queue, whose tails are counted in place. Baskets then pass to the queue of their next item. Unlike FP-growth,
    nothing is built or copied on the way down, so that memory is known beforehand. That suits sparse baskets, which
    share few prefixes.

    Parameters
    ----------
    data : Baskets, iterable of iterables, data frame, array or sparse matrix
        Lists of items, or a table of booleans with one column per item; see :class:`Baskets`.
    min_support : float or int, default=0.1
        Threshold. A float of at most 1 is a share of the baskets, an integer is a count.
    max_len : int or None, default=None
        Largest number of items of a set.
    max_sets : int or None, default=None
        Largest number of sets. If there are more, the function raises MemoryError. None means ten million, or fewer if
        memory is short.
    strict : bool, default=False
        Whether the support must exceed the threshold.
    sample_weight : array-like of shape (n_baskets,) or None, default=None
        Weights of the baskets; a weight of k is equivalent to k copies.
    use_colnames : True, default=True
        Accepted for calls as in mlxtend; sets always hold the labels of the items.

    Returns
    -------
    Itemsets
        The sets and their counts, by length, then by items.

    See Also
    --------
    frequent_itemsets : the same sets from compiled code, many times as fast.
    fpgrowth : the same sets by FP-trees.

    Notes
    -----
    Written in numpy to show the algorithm: one vector operation per prefix, some thousand sets per second.

    References
    ----------
    Pei, Han, Lu, Nishio, Tang and Yang (2001), H-mine: Hyper-structure mining of frequent patterns in large databases,
    IEEE International Conference on Data Mining.

    Examples
    --------
    >>> from statlearn.rules import hmine
    >>> hmine([["a", "b"], ["a", "b", "c"]], min_support=2).to_dict()
    {('a',): 2, ('b',): 2, ('a', 'b'): 2}
    """
    check_use_colnames(hmine, use_colnames)
    longest, max_count, entries = storage_bounds(max_len, max_sets)
    baskets, weights, total = read_weighted(data, sample_weight)
    if not len(baskets):
        raise ValueError("X contains no baskets.")
    links = object.__new__(HyperStructure)
    links.n_baskets, links.min_count = total, count_threshold(min_support, total, strict=strict)
    links._build(baskets, weights)
    search = _HyperlinkSearch(links, longest, max_count, entries)
    search.run()
    return _as_itemsets(links, search, baskets.items)


def _as_itemsets(links, search, items):
    """The sets of a search in the order of :class:`Itemsets`: by length, then by items."""
    coded = [tuple(sorted(links.codes[list(itemset)].tolist())) for itemset in search.sets]
    order = sorted(range(len(coded)), key=lambda k: (len(coded[k]), coded[k]))
    offsets = np.concatenate([[0], np.cumsum([len(coded[k]) for k in order])]).astype(np.int64)
    indices = np.fromiter((i for k in order for i in coded[k]), np.int32, int(offsets[-1]))
    counts = tidy_counts(np.array([search.counts[k] for k in order], dtype=float), links.n_baskets)
    return Itemsets(items, indices, offsets, counts, links.n_baskets, links.min_count, search={"passes": 2})
