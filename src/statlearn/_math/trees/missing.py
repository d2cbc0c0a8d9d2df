"""Prediction for rows with missing values, by surrogate splits or fractional rows."""

from dataclasses import dataclass

import numpy as np

from statlearn._core.native import trees as native


@dataclass
class Surrogates:
    """Surrogate splits of a tree, the best first within each node.

    ``node`` is the node whose split is approximated. Values of column ``feature`` up to ``threshold`` go left if
    ``below_left`` is 1, otherwise values above it do. If ``set >= 0``, the levels in that row of the forest's
    `left_sets` go left. ``agreement`` is the proportion of rows that both splits send to the same side, and
    ``adjusted`` its improvement over sending all rows with the majority (from 0, none, to 1, perfect agreement).
    """

    node: np.ndarray
    feature: np.ndarray
    threshold: np.ndarray
    below_left: np.ndarray
    set: np.ndarray
    agreement: np.ndarray
    adjusted: np.ndarray

    def of_nodes(self, kept, is_leaf):
        """The surrogates of the nodes in `kept`, renumbered, without those of new leaves."""
        number = np.full(max(int(kept.max()), int(self.node.max(initial=0))) + 1, -1)
        number[kept] = np.arange(len(kept))
        node = number[self.node]
        here = (node >= 0) & ~is_leaf[node]
        fields = {name: getattr(self, name)[here] for name in self.__dataclass_fields__ if name != "node"}
        return Surrogates(node=node[here].astype(np.int32), **fields)


def surrogate_apply(forest, surrogates, X):
    """The leaf of each row, using the first non-missing surrogate for missing values."""
    leaves = np.empty(X.shape[0], np.int32)
    s = surrogates
    starts = np.searchsorted(s.node, np.arange(len(forest.feature) + 1)).astype(np.int32)
    native.surrogate_apply(X, *forest._walk(), starts, s.feature, s.threshold, s.below_left, s.set, leaves)
    return leaves


def fractional_values(forest, X):
    """Mean leaf values over the fractions of each row, split in proportion to the training rows at missing values."""
    values = np.zeros((X.shape[0], forest.value.shape[1]))
    share = np.zeros(len(forest.feature))
    inner = np.flatnonzero(~forest.is_leaf)
    left, right = forest.weight[forest.child[inner]], forest.weight[forest.child[inner] + 1]
    share[inner] = left / (left + right)
    native.fractional_predict(X, *forest._walk(), share, forest.value, values)
    return values
