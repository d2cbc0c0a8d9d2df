"""Binary trees as flat arrays, the representation and prediction of all tree models."""

import numpy as np

from statlearn._core.fitted_state import check_indices, check_numbers
from statlearn._core.native import trees as native

_MAX_FEATURES = 2**26  # numbers of columns that a file may name; a model says how many it has


class Forest:
    """Concatenated trees as flat arrays.

    The children of node k are ``child[k]`` and ``child[k] + 1``; a leaf is its own child. A value x of column
    ``feature[k]`` goes left if ``x <= threshold[k]`` or, if ``category_set[k] >= 0``, if bit x of that row of
    ``left_sets`` is set (32 bits per column). NaN, and categories beyond the last bit, go left if ``missing_left[k]``
    is 1.

    ``value`` has one number per node, which each tree adds to column ``output[t]`` of the prediction, or one row per
    node (n_nodes, width), which every tree adds to the whole row of the prediction. Optional node statistics are
    ``gain`` (weighted decrease in impurity or loss at the split), ``rows``, ``hessian``, ``impurity`` and ``weight``
    (sum of the row weights); unknown ones are empty.
    """

    _ARRAYS = {
        "feature": np.int32,
        "threshold": np.float64,
        "child": np.int32,
        "missing_left": np.uint8,
        "category_set": np.int32,
        "value": np.float64,
    }
    _FACTS = {
        "gain": np.float64,
        "rows": np.int64,
        "hessian": np.float64,
        "impurity": np.float64,
        "weight": np.float64,
    }
    _PER_NODE = (*_ARRAYS, *_FACTS)

    def __init__(self):
        for name, dtype in {**self._ARRAYS, **self._FACTS}.items():
            setattr(self, name, np.empty(0, dtype))
        self.left_sets = np.empty((0, 8), np.uint32)
        self.roots = np.empty(0, np.int32)
        self.output = np.empty(0, np.int32)

    def _check_state(self):
        """Children come in pairs after their parents, within their tree; every array has an entry per node."""
        n = len(self.feature)
        for name in self._PER_NODE:
            array = getattr(self, name)
            kind = "iu" if np.dtype({**self._ARRAYS, **self._FACTS}[name]).kind in "iu" else "f"
            check_numbers(name, array, kind=kind)
            if array.ndim != 1 and not (name == "value" and array.ndim == 2):
                raise ValueError(f"`{name}` must have a number per node.")
            if len(array) != n and not (name in self._FACTS and not len(array)):
                raise ValueError(f"`{name}` must have {n} entries, one per node, got {len(array)}.")
        check_numbers("left_sets", self.left_sets, kind="u", ndim=2)
        check_indices("roots", self.roots, max(n, 1))
        check_numbers("output", self.output, kind="i", shape=(len(self.roots),))
        if np.any(self.output < 0) or np.any(self.roots[:1] != 0) or np.any(np.diff(self.roots) < 1):
            raise ValueError("`roots` must increase from 0.")
        check_indices("child", self.child, max(n, 1))
        inner = np.flatnonzero(self.child != np.arange(n))
        if len(inner) and not len(self.roots):
            raise ValueError("`roots` must have the first node of each tree.")
        ends = np.append(self.roots[1:], n)[np.searchsorted(self.roots, inner, side="right") - 1]
        if np.any(self.child[inner] <= inner) or np.any(self.child[inner] + 1 >= ends):
            raise ValueError("`child` must follow its parent within the tree.")
        if np.any(np.diff(np.sort(self.child[inner])) < 2):
            raise ValueError("`child` must belong to one parent.")
        check_indices("feature", self.feature[inner], _MAX_FEATURES)
        check_indices("category_set", self.category_set[inner], len(self.left_sets), start=-1)

    @classmethod
    def of(cls, trees, outputs=None):
        """A forest of trees given as dicts of arrays; `outputs` is the column of the prediction each adds to."""
        self = cls()
        if not trees:
            return self
        if len(trees) == 1:
            return self._hold(trees[0], outputs)
        sizes = np.array([len(t["feature"]) for t in trees])
        sets = np.array([len(t["left_sets"]) for t in trees])
        self.roots = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int32)
        self.output = np.zeros(len(trees), np.int32) if outputs is None else np.asarray(outputs, np.int32)
        for name, dtype in self._ARRAYS.items():
            setattr(self, name, np.concatenate([t[name] for t in trees]).astype(dtype, copy=False))
        for name, dtype in self._FACTS.items():
            if all(name in t for t in trees):
                setattr(self, name, np.concatenate([t[name] for t in trees]).astype(dtype, copy=False))
        self.left_sets = _stacked([t["left_sets"] for t in trees])
        start, first_set = np.repeat(self.roots, sizes), np.repeat(np.cumsum(sets) - sets, sizes)
        nodes = np.arange(len(self.feature), dtype=np.int32)
        self.child = np.where(self.feature < 0, nodes, self.child + start).astype(np.int32)
        self.category_set = np.where(self.category_set < 0, -1, self.category_set + first_set).astype(np.int32)
        return self

    @classmethod
    def of_arrays(cls, arrays):
        """A forest of the concatenated arrays of its trees, which all add to column 0 of the prediction."""
        self = cls()
        for name, array in arrays.items():
            setattr(self, name, array)
        self.output = np.zeros(len(self.roots), np.int32)
        return self

    def _hold(self, tree, outputs):
        """Become the forest of one tree, without shifting or padding, which matters for boosting on few rows."""
        for name, dtype in self._ARRAYS.items():
            setattr(self, name, np.ascontiguousarray(tree[name], dtype))
        for name, dtype in self._FACTS.items():
            if name in tree:
                setattr(self, name, np.ascontiguousarray(tree[name], dtype))
        self.left_sets = np.ascontiguousarray(tree["left_sets"], np.uint32)
        self.roots = np.zeros(1, np.int32)
        self.output = np.zeros(1, np.int32) if outputs is None else np.asarray(outputs, np.int32)
        self.child = np.where(self.feature < 0, np.arange(len(self.feature), dtype=np.int32), self.child)
        return self

    def joined(self, other):
        """The forest followed by another."""
        both = Forest()
        for name in self._PER_NODE:
            a, b = getattr(self, name), getattr(other, name)
            known = len(a) == len(self.feature) and len(b) == len(other.feature)
            setattr(both, name, np.concatenate([a, b]) if known else a[:0])
        nodes, sets = len(self.feature), len(self.left_sets)
        both.child[nodes:] += nodes
        both.category_set[nodes:][other.category_set >= 0] += sets
        both.left_sets = _stacked([self.left_sets, other.left_sets])
        both.roots = np.concatenate([self.roots, other.roots + np.int32(nodes)])
        both.output = np.concatenate([self.output, other.output])
        return both

    def __len__(self):
        return len(self.roots)

    @property
    def is_leaf(self):
        """Whether each node is a leaf."""
        return self.child == np.arange(len(self.child))

    @property
    def depth(self):
        """Distance of each node from its root."""
        depth = np.empty(len(self.child), np.int32)
        native.node_depths(self.child, self.roots, depth)
        return depth

    @property
    def parent(self):
        """The parent of each node, -1 for roots."""
        parent = np.full(len(self.child), -1, np.int32)
        inner = np.flatnonzero(~self.is_leaf)
        parent[self.child[inner]] = parent[self.child[inner] + 1] = inner
        return parent

    def first(self, n_trees):
        """The forest of the first trees, as views of the same arrays."""
        return self._slice(0, n_trees)

    def tree(self, t):
        """Tree t as a forest, with its nodes numbered from 0."""
        return self._slice(t, t + 1)

    def _slice(self, start, stop):
        begin = self.roots[start] if start < len(self) else len(self.feature)
        end = self.roots[stop] if stop < len(self) else len(self.feature)
        part = Forest()
        for name in self._PER_NODE:
            setattr(part, name, getattr(self, name)[begin:end])
        part.left_sets, part.roots, part.output = self.left_sets, self.roots[start:stop], self.output[start:stop]
        if begin > 0:
            part.child, part.roots = part.child - begin, part.roots - begin
        return part

    def _walk(self):
        return (
            self.feature,
            self.threshold,
            self.child,
            self.missing_left,
            self.category_set,
            self.left_sets,
            self.roots,
            self.output,
        )

    def add_predictions(self, X, sums):
        """Add each tree's values to its column of `sums` (n_rows, n_outputs), or to whole rows."""
        predict = native.forest_predict if self.value.ndim == 1 else native.forest_predict_vectors
        predict(X, *self._walk(), self.value, sums)

    def apply(self, X):
        """Index within the tree of the leaf that each row reaches in each tree."""
        leaves = np.empty((X.shape[0], len(self)), np.int32)
        native.forest_apply(X, *self._walk(), leaves)
        return leaves - self.roots

    def decision_path(self, X):
        """Nodes on the path of each row, as a sparse 0/1 matrix (n_rows, n_nodes) over the nodes of all trees."""
        return self.paths(self.apply(X))

    def paths(self, leaves):
        """Nodes on the path of each row, given the leaves returned by `apply`."""
        from scipy.sparse import csr_matrix

        leaves = leaves + self.roots
        depth, parent = self.depth, self.parent  # raises for corrupted trees
        counts = (depth[leaves] + 1).sum(axis=1, dtype=np.int64)
        indptr = np.concatenate([[0], np.cumsum(counts)])
        indices = np.empty(indptr[-1], np.int64)
        # Upwards from the leaves, written from the end of each row's segment, so that indices increase within a tree.
        ends = np.cumsum(depth[leaves] + 1, axis=1) + indptr[:-1, None]
        at, node = ends.ravel() - 1, leaves.ravel()
        while len(node):
            indices[at] = node
            node = parent[node]
            going = node >= 0
            at, node = at[going] - 1, node[going]
        ones = np.ones(len(indices), np.int64)
        return csr_matrix((ones, indices, indptr), shape=(len(leaves), len(self.feature)))

    def importances(self, n_features, *, normalize=True):
        """Total gain of the splits on each column, normalised to sum to 1; zeros if there are no splits."""
        inner = ~self.is_leaf
        total = np.bincount(self.feature[inner], weights=self.gain[inner], minlength=n_features)
        return total / total.sum() if normalize and total.sum() > 0 else total


def _stacked(sets):
    """Level sets of several trees stacked, padded to the widest."""
    width = max(s.shape[1] for s in sets)
    stacked = np.zeros((sum(len(s) for s in sets), width), np.uint32)
    first = 0
    for s in sets:
        stacked[first : first + len(s), : s.shape[1]] = s
        first += len(s)
    return stacked
