"""FP-trees: baskets as paths from a root, with shared beginnings."""

import numpy as np

from statlearn._core import native
from statlearn._core.params import check_arguments

from ._baskets import label_order
from ._itemsets import count_threshold
from ._mine import read_weighted, tidy_counts

MAX_PAIRED = 5000  # items whose pairs are counted
MAX_DRAWN = 150  # nodes; a drawing of more cannot be read


class FPTree:
    """FP-tree of baskets, with its header, node links and array of pair counts.

    The first pass over the data counts the items. The second inserts each basket, without its infrequent items and
    ordered by the header, as a path from the root, and adds one to the count of each node on the path.

    Parameters
    ----------
    data : Baskets, iterable of iterables, data frame, array or sparse matrix
        Lists of items, or a table of booleans with one column per item; see :class:`Baskets`.
    min_support : float or int, default=1
        Threshold of the items. A float of at most 1 is a share of the baskets, an integer is a count.
    tie_order : list or None, default=None
        Order of items with equal counts, by their place in this list. None means sorted labels.
    sample_weight : array-like of shape (n_baskets,) or None, default=None
        Weights of the baskets; a weight of k is equivalent to k copies.

    Attributes
    ----------
    header : list
        Frequent items by decreasing count.
    counts : ndarray
        Count of each item of the header.
    node_item : ndarray of int
        Position of each node's item in the header; -1 for the root, node 0.
    node_parent, node_count : ndarray
        Parent and count of each node.
    node_link : ndarray of int
        Next node of the same item, or -1.
    head : ndarray of int
        First node of each item of the header.
    pair_counts : ndarray of shape (n_header, n_header)
        Lower triangle: number of baskets that contain two items of the header.
    n_baskets : int or float
        Number of baskets, or their weight.

    Examples
    --------
    >>> from statlearn.rules import FPTree
    >>> tree = FPTree([["a", "b"], ["a", "b", "c"], ["a", "c"]], min_support=2)
    >>> print(tree.to_text())
    root
      a: 3
        b: 2
          c: 1
        c: 1
    >>> tree.conditional("c").to_dict()
    {'a': 2}
    """

    def __init__(self, data, min_support=1, *, tie_order=None, sample_weight=None):
        check_arguments("FPTree", tie_order=(tie_order, ["array-like", None]))
        baskets, weights, total = read_weighted(data, sample_weight)
        least = count_threshold(min_support, total) if total else 1
        self._build(baskets.items, baskets.indptr, baskets.indices, weights, total, least, tie_order)

    def _build(self, labels, indptr, indices, weights, total, least, tie_order):
        rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
        w = weights[rows] if len(weights) else None
        counts = np.bincount(indices, weights=w, minlength=len(labels))
        ties = {item: k for k, item in enumerate(() if tie_order is None else tie_order)}
        order = sorted(
            np.flatnonzero(counts >= least).tolist(),
            key=lambda k: (-counts[k], ties.get(labels[k], len(ties)), label_order(labels[k])),
        )
        place = np.full(len(labels), -1, dtype=np.int32)
        place[order] = np.arange(len(order))
        ranks = place[indices] if len(indices) else np.empty(0, dtype=np.int32)
        frequent = ranks >= 0
        starts = np.concatenate([[0], np.cumsum(frequent)])[indptr].astype(np.int64)
        clean = native.rules.clean_baskets(starts, ranks[frequent], np.arange(max(len(order), 1), dtype=np.int32))
        item, parent, count, link, head, totals, pairs = native.rules.fp_tree(
            *clean, len(order), weights, len(order) <= MAX_PAIRED
        )
        self.header = [labels[k] for k in order]
        self.counts = tidy_counts(totals, total)
        self.node_item, self.node_parent, self.node_link, self.head = item, parent, link, head
        self.node_count = tidy_counts(count, total)
        self._pairs = tidy_counts(pairs, total)
        self.n_baskets, self.min_count = total, least

    @property
    def pair_counts(self):
        """Lower triangle of the numbers of baskets that contain two items of the header."""
        k = len(self.header)
        if k > MAX_PAIRED:
            raise ValueError(f"The header has {k:,} items, more than the {MAX_PAIRED:,} of an array of pairs.")
        table = np.zeros((k, k), dtype=self.counts.dtype)
        if k > 1:
            table[np.tril_indices(k, -1)] = self._pairs
        return table

    @property
    def n_nodes(self):
        """Number of nodes, without the root."""
        return len(self.node_item) - 1

    @property
    def is_single_path(self):
        """Whether no node has two children."""
        return len(np.unique(self.node_parent[1:])) == self.n_nodes

    def to_dict(self):
        """Counts of the items of the header."""
        return dict(zip(self.header, self.counts.tolist()))

    def paths(self, item):
        """Paths above the nodes of an item: (items from the root on, count) of each node.

        Parameters
        ----------
        item : label

        Returns
        -------
        list of (list, count)
        """
        prefix_paths, node = [], self.head[self._position(item)]
        while node >= 0:
            path, up = [], self.node_parent[node]
            while up > 0:
                path.append(self.header[self.node_item[up]])
                up = self.node_parent[up]
            prefix_paths.append((path[::-1], self.node_count[node].item()))
            node = self.node_link[node]
        return prefix_paths

    def conditional(self, item, *, tie_order=None):
        """FP-tree of the baskets that contain an item, over the items before it in the header.

        Parameters
        ----------
        item : label
        tie_order : list or None, default=None
            As in the constructor.

        Returns
        -------
        FPTree
        """
        place = {label: k for k, label in enumerate(self.header)}
        paths = self.paths(item)
        tree = FPTree.__new__(FPTree)
        indptr = np.concatenate([[0], np.cumsum([len(path) for path, _ in paths])]).astype(np.int64)
        indices = np.array([place[label] for path, _ in paths for label in path], dtype=np.int32)
        weights = np.array([count for _, count in paths], dtype=np.float64)
        total = self.counts[self._position(item)].item()
        tree._build(self.header, indptr, indices, weights, total, self.min_count, tie_order)
        return tree

    def _position(self, item):
        if item not in self.header:
            raise ValueError(f"{item!r} is not in the header of the tree: {self.header[:20]}.")
        return self.header.index(item)

    def _children(self):
        children = {}
        for node in range(1, len(self.node_item)):
            children.setdefault(int(self.node_parent[node]), []).append(node)
        for nodes in children.values():
            nodes.sort(key=lambda k: self.node_item[k])
        return children

    def to_text(self):
        """The tree as indented text, a node per line."""
        children, lines, stack = self._children(), ["root"], []
        stack = [(1, node) for node in reversed(children.get(0, []))]
        while stack:
            depth, node = stack.pop()
            lines.append(f"{'  ' * depth}{self.header[self.node_item[node]]}: {self.node_count[node]:g}")
            stack += [(depth + 1, child) for child in reversed(children.get(node, []))]
        return "\n".join(lines)

    def __repr__(self):
        return f"<FPTree: {self.n_nodes:,} nodes, {len(self.header):,} items, {self.n_baskets:,} baskets>"

    def plot(self, *, ax=None, links=True):
        """Drawing of the tree, with the links between nodes of the same item.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
        links : bool, default=True
            Whether to draw the node links as dashed lines.

        Returns
        -------
        matplotlib Axes
        """
        if self.n_nodes > MAX_DRAWN:
            raise ValueError(
                f"The tree has {self.n_nodes:,} nodes, more than the {MAX_DRAWN} of a legible drawing; raise "
                "min_support."
            )
        from ._plots import draw_tree

        return draw_tree(self, ax=ax, links=links)
