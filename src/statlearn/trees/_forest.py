"""Binary trees in flat arrays: what every tree model keeps, and how it predicts."""

import numpy as np

from statlearn._core.native import trees as native


class Forest:
    """Trees one after the other in flat arrays.

    The children of node k are ``child[k]`` and ``child[k] + 1``; a leaf is its own child. A value x of column
    ``feature[k]`` goes left when ``x <= threshold[k]``, or, where ``category_set[k] >= 0``, when bit x of that row of
    ``left_sets`` is set; NaN goes left where ``missing_left[k]`` is 1.
    """

    _ARRAYS = {
        "feature": np.int32,
        "threshold": np.float64,
        "child": np.int32,
        "missing_left": np.uint8,
        "category_set": np.int32,
        "value": np.float64,
        "gain": np.float64,
        "rows": np.int64,
        "hessian": np.float64,
    }

    def __init__(self):
        for name, dtype in self._ARRAYS.items():
            setattr(self, name, np.empty(0, dtype))
        self.left_sets = np.empty((0, 8), np.uint32)
        self.roots = np.empty(0, np.int32)
        self.output = np.empty(0, np.int32)

    @classmethod
    def of(cls, trees, outputs):
        """A forest of trees given as dicts of arrays, each for one column of the prediction."""
        self = cls()
        if not trees:
            return self
        sizes = np.array([len(t["feature"]) for t in trees])
        sets = np.array([len(t["left_sets"]) for t in trees])
        self.roots = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int32)
        self.output = np.asarray(outputs, np.int32)
        for name, dtype in self._ARRAYS.items():
            setattr(self, name, np.concatenate([t[name] for t in trees]).astype(dtype, copy=False))
        self.left_sets = np.concatenate([t["left_sets"] for t in trees]).astype(np.uint32, copy=False)
        start, first_set = np.repeat(self.roots, sizes), np.repeat(np.cumsum(sets) - sets, sizes)
        nodes = np.arange(len(self.feature), dtype=np.int32)
        self.child = np.where(self.feature < 0, nodes, self.child + start).astype(np.int32)
        self.category_set = np.where(self.category_set < 0, -1, self.category_set + first_set).astype(np.int32)
        return self

    def joined(self, other):
        """This forest and another behind it."""
        both = Forest()
        for name in self._ARRAYS:
            setattr(both, name, np.concatenate([getattr(self, name), getattr(other, name)]))
        nodes, sets = len(self.feature), len(self.left_sets)
        both.child[nodes:] += nodes
        both.category_set[nodes:][other.category_set >= 0] += sets
        both.left_sets = np.concatenate([self.left_sets, other.left_sets])
        both.roots = np.concatenate([self.roots, other.roots + np.int32(nodes)])
        both.output = np.concatenate([self.output, other.output])
        return both

    def __len__(self):
        return len(self.roots)

    @property
    def is_leaf(self):
        """Whether each node is a leaf."""
        return self.child == np.arange(len(self.child))

    def first(self, n_trees):
        """The forest of the first trees: a view of the same arrays."""
        end = self.roots[n_trees] if n_trees < len(self) else len(self.feature)
        part = Forest()
        for name in self._ARRAYS:
            setattr(part, name, getattr(self, name)[:end])
        part.left_sets, part.roots, part.output = self.left_sets, self.roots[:n_trees], self.output[:n_trees]
        return part

    def tree(self, t):
        """Tree number t alone, its nodes counted from 0."""
        begin, end = self.roots[t], self.roots[t + 1] if t + 1 < len(self) else len(self.feature)
        part = Forest()
        for name in self._ARRAYS:
            setattr(part, name, getattr(self, name)[begin:end])
        part.child = part.child - begin
        part.left_sets, part.roots, part.output = self.left_sets, np.zeros(1, np.int32), np.zeros(1, np.int32)
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
            self.value,
        )

    def add_predictions(self, X, sums):
        """Add each tree's values to its column of `sums` (n_rows, n_outputs)."""
        native.forest_predict(X, *self._walk(), sums)

    def apply(self, X):
        """The leaf that each row reaches in each tree, counted within the tree."""
        leaves = np.empty((X.shape[0], len(self)), np.int32)
        native.forest_apply(X, *self._walk(), leaves)
        return leaves - self.roots

    def importances(self, n_features):
        """Total gain of the splits on each column, scaled to sum 1; zeros where nothing was split."""
        inner = ~self.is_leaf
        total = np.bincount(self.feature[inner], weights=self.gain[inner], minlength=n_features)
        return total / total.sum() if total.sum() > 0 else total
