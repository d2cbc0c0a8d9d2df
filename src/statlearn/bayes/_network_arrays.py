"""Discrete networks as flat arrays for the kernels: tables, junction tree, counts."""

import math

import numpy as np

from statlearn._core import native
from statlearn._core.memory import available_memory, size_words
from statlearn._math.graphs.graph import Digraph, JunctionTree

# Groups of missing values with at most this many completions are summed directly, others by the junction tree.
COMPLETIONS = 4096
# More cells than this are not tried, whatever the memory: a single propagation would take minutes.
MOST_CELLS = 2**28

_REMEDY = "Use `query` with method='sampling' (likelihood weighting), add evidence, or remove edges or merge states."


class NetworkLayout:
    """Numbers of states and parents of nodes 0..n-1, and where each table starts in one flat array.

    The table of a node has one axis per parent, in order, and its own axis last.
    """

    def __init__(self, sizes, parents):
        self.sizes = np.asarray(sizes, dtype=np.int32)
        self.parents = [list(map(int, each)) for each in parents]
        self.shapes = [tuple(int(self.sizes[u]) for u in (*each, v)) for v, each in enumerate(self.parents)]
        cells = [math.prod(shape) for shape in self.shapes]
        if sum(cells) > MOST_CELLS:
            v = int(np.argmax(cells))
            raise MemoryError(
                f"The table of node {v} has {cells[v]:,} cells ({size_words(8 * cells[v])}), because it has "
                f"{len(self.parents[v])} parents. Remove parents, or merge states."
            )
        self.table_start = np.concatenate([[0], np.cumsum(cells)]).astype(np.int64)
        self.parent_start = np.concatenate([[0], np.cumsum([len(each) for each in self.parents])]).astype(np.int32)
        self.parent_list = np.array([u for each in self.parents for u in each], dtype=np.int32)
        self._trees = {}

    def __len__(self):
        return len(self.sizes)

    def graph(self):
        """The directed graph of the node numbers."""
        return Digraph(range(len(self)), [(u, v) for v, node_parents in enumerate(self.parents) for u in node_parents])

    def flat(self, tables):
        """All tables in one array."""
        return np.concatenate([np.ravel(table) for table in tables]) if len(self) else np.empty(0)

    def split(self, flat):
        """The tables of a flat array, as views."""
        return [flat[a:b].reshape(s) for a, b, s in zip(self.table_start[:-1], self.table_start[1:], self.shapes)]

    def arrays(self, flat):
        return self.sizes, self.table_start, np.ascontiguousarray(flat), self.parent_start, self.parent_list

    def normalised(self, counts, alpha):
        """Tables from counts plus pseudo-counts; uniform where a combination of parents has no weight."""
        tables = []
        for table in self.split(counts):
            top = table + alpha
            total = top.sum(axis=-1, keepdims=True)
            tables.append(np.where(total > 0, top / np.where(total > 0, total, 1.0), 1.0 / table.shape[-1]))
        return self.flat(tables)

    def tree(self, observed=frozenset(), names=None, remedy=_REMEDY):
        """The clique arrays for the kernels; cliques contain no axes for observed nodes.

        Raises MemoryError if the cliques are too large. The tree without observed nodes is kept, and is preferred
        unless it is too large.
        """
        if frozenset() not in self._trees:
            self._trees[frozenset()] = self._build(frozenset())
        arrays, cells, largest = self._trees[frozenset()]
        if self._fits(cells):
            return arrays
        if observed:
            arrays, cells, largest = self._build(observed)
            if self._fits(cells):
                return arrays
        biggest = math.prod(int(self.sizes[v]) for v in largest)
        shown = ", ".join(str(v if names is None else names[v]) for v in sorted(largest)[:5])
        raise MemoryError(
            f"Exact inference needs a clique of {len(largest)} nodes ({shown}{', ...' if len(largest) > 5 else ''}) "
            f"with {biggest:,} cells ({size_words(8 * biggest)}). {remedy}"
        )

    @staticmethod
    def _fits(cells):
        left = available_memory()
        return cells <= MOST_CELLS and (left is None or 16 * cells <= left)

    def _build(self, observed):
        moral = self.graph().moral()
        hidden = [v for v in range(len(self)) if v not in observed]
        sizes = {v: int(self.sizes[v]) for v in hidden}
        triangulated = moral.subgraph(hidden).triangulate(sizes)
        cliques = [set(clique) for clique in triangulated.cliques] or [set()]
        cells = sum(math.prod(sizes[v] for v in clique) for clique in cliques)
        largest = max(cliques, key=lambda clique: math.prod(sizes[v] for v in clique))
        largest = set(largest)
        tree = JunctionTree([sorted(clique) for clique in cliques])
        if self._fits(cells):
            home = self._homes(cliques, observed)
        else:
            return None, cells, largest
        members = [sorted(clique) for clique in cliques]
        arrays = (
            np.concatenate([[0], np.cumsum([len(m) for m in members])]).astype(np.int32),
            np.array([v for m in members for v in m], dtype=np.int32),
            np.array(tree.parent, dtype=np.int32),
            np.array(tree.order, dtype=np.int32),
            np.array(home, dtype=np.int32),
        )
        return arrays, cells, largest

    def _homes(self, cliques, observed):
        """Smallest clique that contains each family; observed members belong to it without an axis."""
        holders = {}
        weight = [math.prod(int(self.sizes[v]) for v in clique) for clique in cliques]
        for i, clique in enumerate(cliques):
            for v in clique:
                holders.setdefault(v, []).append(i)
        home = []
        for v, node_parents in enumerate(self.parents):
            family = {v, *node_parents} - observed
            options = holders[next(iter(family))] if family else [0]
            home.append(min((i for i in options if family <= cliques[i]), key=lambda i: (weight[i], i)))
        for v, node_parents in enumerate(self.parents):
            cliques[home[v]] |= {v, *node_parents}
        return home


def propagate(layout, flat, evidence, tree, *, marginals=True):
    """Log probabilities of rows of evidence, and all marginals side by side."""
    evidence = np.ascontiguousarray(evidence, dtype=np.int32)
    logs = np.empty(len(evidence))
    out = np.empty((len(evidence), int(layout.sizes.sum()) if marginals else 0))
    native.bayes.propagate(*layout.arrays(flat), *tree, evidence, logs, out)
    return logs, out


def expected_counts(layout, flat, rows, weights, tree):
    """Expected family counts, log-likelihood, and the number of an impossible row or -1."""
    counts = np.zeros(len(flat))
    log_likelihood, impossible = native.bayes.expected_counts(
        *layout.arrays(flat), *tree, rows, weights, COMPLETIONS, counts
    )
    return counts, log_likelihood, impossible


def distinct_rows(codes, weights, sizes):
    """The distinct rows of codes (-1 for missing), and their total weights."""
    weights = np.ones(len(codes)) if weights is None else np.asarray(weights, dtype=np.float64)
    key = np.zeros(len(codes), dtype=np.int64)
    room = 1
    exact = True
    for j, size in enumerate(sizes):
        room *= int(size) + 1
        exact = exact and room < 2**62
        if exact:
            key = key * (int(size) + 1) + codes[:, j] + 1
    if not exact:
        rows = np.ascontiguousarray(codes, dtype=np.int32)
        key = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
    _, first, place = np.unique(key, return_index=True, return_inverse=True)
    return np.ascontiguousarray(codes[first], dtype=np.int32), np.bincount(place.ravel(), weights, minlength=len(first))


def joint_counts(codes, weights, sizes, sets):
    """Joint counts of several sets of columns, each an array with one axis per column of the set.

    `codes` is a column-major int32 array; rows with a missing code in a set are left out of it.
    """
    sizes = np.asarray(sizes, dtype=np.int32)
    shapes = [tuple(int(sizes[j]) for j in columns) for columns in sets]
    cells = [math.prod(shape) for shape in shapes]
    starts = np.concatenate([[0], np.cumsum([len(columns) for columns in sets])]).astype(np.int32)
    ends = np.concatenate([[0], np.cumsum(cells)]).astype(np.int64)
    columns = np.array([j for members in sets for j in members], dtype=np.int32)
    out = np.empty(int(ends[-1]))
    weights = np.empty(0) if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
    native.bayes.joint_counts(codes, weights, sizes, starts, columns, ends, out)
    return [out[a:b].reshape(shape) for a, b, shape in zip(ends[:-1], ends[1:], shapes)]
