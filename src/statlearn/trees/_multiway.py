"""Multiway trees: flat arrays, prediction, and the base class of their classifiers."""

from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.fitted_state import check_indices, check_numbers
from statlearn._core.native import trees as native
from statlearn._core.text_list import TextList
from statlearn._core.validation import check_weights, encode_classes

from ._attributes import categorical_mask, column_names, encode, learn_levels, read_columns
from ._rules import Condition, Rule


@dataclass
class MultiwayTree:
    """Multiway tree as flat arrays.

    The children of node k are ``first_child[k]`` and the ``n_children[k] - 1`` nodes after it. At a numeric split,
    values up to ``threshold[k]`` go to the first of two children. At a categorical split, a code goes to the child
    with that ``branch``. ``weight`` is the weight of the training rows of each class at each node.
    """

    feature: np.ndarray
    threshold: np.ndarray
    first_child: np.ndarray
    n_children: np.ndarray
    branch: np.ndarray
    weight: np.ndarray

    def _check_state(self):
        """Check that every node but the root is the child of an earlier node."""
        n = len(self.feature)
        for name in ("feature", "threshold", "first_child", "n_children", "branch"):
            check_numbers(name, getattr(self, name), kind="f" if name == "threshold" else "i", shape=(n,))
        check_numbers("weight", self.weight, kind="f", shape=(n, None))
        check_indices("n_children", self.n_children, n)
        inner = np.flatnonzero(self.n_children)
        first, last = self.first_child[inner], self.first_child[inner] + self.n_children[inner] - 1
        check_indices("first_child", first, n)
        check_indices("first_child", last, n)
        if np.any(first <= inner) or self.n_children.sum() != n - 1 or np.any(self.parent[1:] < 0):
            raise ValueError("`first_child` must be the children of a tree, after their parents.")

    @property
    def node_count(self):
        return len(self.feature)

    @property
    def is_leaf(self):
        return self.n_children == 0

    @property
    def n_leaves(self):
        return int(np.count_nonzero(self.is_leaf))

    @property
    def parent(self):
        """The parent of each node, -1 for the root."""
        parent = np.full(self.node_count, -1)
        inner = np.flatnonzero(self.n_children)
        children = np.repeat(self.first_child[inner], self.n_children[inner]) + _within(self.n_children[inner])
        parent[children] = np.repeat(inner, self.n_children[inner])
        return parent

    @property
    def depth(self):
        """Distance of each node from the root."""
        depth = np.zeros(self.node_count, int)
        for k, parent in enumerate(self.parent):
            if parent >= 0:
                depth[k] = depth[parent] + 1
        return depth

    def shares(self, codes, levels, smoothing=0.0):
        """Class proportions for each row of an encoded table; `levels` is the level count per column, 0 if numeric."""
        out = np.empty((codes.shape[0], self.weight.shape[1]))
        native.multiway_predict(codes, levels, *self.arrays(), float(smoothing), out)
        return out

    def arrays(self):
        return self.feature, self.threshold, self.first_child, self.n_children, self.branch, self.weight


def kernel_depth(max_depth):
    """`max_depth` for the kernel, which counts in 32 bits and reads 0 as no limit."""
    return 0 if max_depth is None else min(max_depth, np.iinfo(np.int32).max)


def _within(counts):
    """Counts 0, 1, ..., counts[0]-1, 0, 1, ..., counts[1]-1, ..."""
    ends = np.cumsum(counts)
    return np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - counts, counts)


class MultiwayClassifier(ClassifierMixin, BaseEstimator):
    """Base class of the multiway tree classifiers: reading tables, predicting, printing."""

    _missing_level = True  # missing values form a level; otherwise fractions of the row go down every branch
    _names_only = True  # all columns are categorical, even numeric ones

    def _read_training(self, X, y, sample_weight):
        """Codes, class indices and positive weights of the training rows."""
        columns, named, y = read_columns(self, X, y, reset=True)
        weights = check_weights(sample_weight, np.empty((len(y), 1)))
        weights = np.ones(len(y)) if weights is None else weights
        used = weights > 0
        if not used.all():
            columns, y, weights = [c[used] for c in columns], y[used], weights[used]
        self.classes_, codes = encode_classes(y, minimum=1)
        if self._names_only:
            named = np.ones(len(columns), bool)
        else:
            named = named | categorical_mask(self.categorical_features, self)
        self.categories_ = learn_levels(columns, named, missing_level=self._missing_level)
        table = encode(columns, self.categories_, column_names(self), missing_level=self._missing_level)
        self._smoothing = getattr(self, "smoothing", 0.0)  # as of this fit, whatever set_params changes later
        return table, codes.astype(np.int32), weights

    @property
    def _levels(self):
        """Number of levels of each column, 0 for numeric ones, as the kernels expect it."""
        return np.array([0 if c is None else max(len(c), 1) for c in self.categories_], np.int32)

    def _read(self, X):
        check_is_fitted(self)
        columns, _, _ = read_columns(self, X)
        return encode(columns, self.categories_, column_names(self), missing_level=self._missing_level)

    def predict_proba(self, X):
        """Class probabilities: training class proportions in the leaf of each row.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Probabilities, in the order of `classes_`.
        """
        table = self._read(X)
        # One extra level: an unseen level has no branch, so the row stops at that node.
        levels = self._levels + (self._levels > 0) if self._missing_level else self._levels
        return self.tree_.shares(table, levels.astype(np.int32), self._smoothing)

    def predict_log_proba(self, X):
        """Logarithm of the class probabilities."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X):
        """Predicted class: the most frequent one in the leaf of each row, the first in case of ties."""
        best = np.argmax(self.predict_proba(X), axis=1)
        return self.classes_[best]

    def get_depth(self):
        """Depth of the tree."""
        check_is_fitted(self)
        return int(self.tree_.depth.max())

    def get_n_leaves(self):
        """Number of leaves."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    def _condition(self, node, parent):
        """The test that leads from a node's parent to it."""
        tree = self.tree_
        j = int(tree.feature[parent])
        name, levels = column_names(self)[j], self.categories_[j]
        if levels is None:
            operator = "<=" if node == tree.first_child[parent] else ">"
            return Condition(j, operator, float(tree.threshold[parent]), name)
        return Condition(j, "==", levels[tree.branch[node]].item(), name)

    def rules(self):
        """Rules of the tree, one per leaf, from left to right.

        Returns
        -------
        list of Rule
            Prints one rule per line; ``to_frame()`` makes a data frame.
        """
        check_is_fitted(self)
        tree, parents = self.tree_, self.tree_.parent
        leaf_rules, open_ = [], [0]
        while open_:
            node = open_.pop()
            first, n = tree.first_child[node], tree.n_children[node]
            open_ += range(first + n - 1, first - 1, -1)
            if n:
                continue
            path, at = [], node
            while parents[at] >= 0:
                path.append(self._condition(at, parents[at]))
                at = parents[at]
            weight = tree.weight[node]
            best = int(np.argmax(weight))
            share = float(weight[best] / weight.sum())
            leaf_rules.append(Rule(tuple(path[::-1]), self.classes_[best], float(weight.sum()), share))
        return TextList(leaf_rules)

    def export_text(self, *, decimals=2):
        """Tree as indented text: tests, predicted classes, training weight and misclassified weight.

        Parameters
        ----------
        decimals : int, default=2
            Number of decimal places of thresholds.

        Returns
        -------
        str
        """
        check_is_fitted(self)
        tree, lines, open_ = self.tree_, [], [(0, -1, 0)]
        while open_:
            node, parent, depth = open_.pop()
            text = "root" if parent < 0 else self._condition(node, parent).text(decimals)
            if tree.n_children[node] == 0:
                total, top = tree.weight[node].sum(), tree.weight[node].max()
                label = self.classes_[int(np.argmax(tree.weight[node]))]
                wrong = f"/{total - top:.4g}" if total - top > 1e-9 else ""
                text += f": {label} ({total:.4g}{wrong})"
            lines.append("|   " * max(depth - 1, 0) + text)
            first = tree.first_child[node]
            open_ += [(c, node, depth + 1) for c in range(first + tree.n_children[node] - 1, first - 1, -1)]
        return "\n".join(lines if len(lines) == 1 else lines[1:])

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags
