"""Children, tests, values and regions of each kind of tree, for its displays."""

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from ._export import branch_tests, check_tree, names_of_classes, names_of_columns, oblique_test
from ._multiway import MultiwayClassifier
from ._oblique import _ObliqueTree


def tree_view(tree, function, feature_names=None, class_names=None, precision=3):
    """The view of a fitted tree; TypeError for other estimators."""
    if isinstance(tree, MultiwayClassifier):
        check_is_fitted(tree)
        kind = MultiwayView
    elif isinstance(tree, _ObliqueTree):
        check_is_fitted(tree)
        kind = ObliqueView
    else:
        check_tree(tree, function)
        kind = BinaryView
    return kind(tree, feature_names, class_names, 3 if precision is None else precision)


class TreeView:
    """Base class: nodes with `values` (class proportions or means), `rows`, `weight`, `children` and tests."""

    prefix = "x"
    edges_at_root_only = True
    samples = "samples"

    def __init__(self, tree, feature_names, class_names, precision):
        self.tree, self.precision = tree, precision
        self.classifies = is_classifier(tree) if hasattr(tree, "__sklearn_tags__") else False
        self.n_outputs = getattr(tree, "n_outputs_", 1)
        self.names = names_of_columns(tree, feature_names, self.prefix)
        self.classes = None
        if self.classifies and self.n_outputs == 1 and class_names is not None and class_names is not False:
            self.classes = names_of_classes(tree, None if class_names is True else class_names)

    def number(self, value):
        value = round(float(value), self.precision)
        return repr(value) if abs(value) < 1e16 else f"{value:g}"

    def edges(self, node):
        """The text of the edge to each child."""
        return ["True", "False"]

    def decide(self, values):
        """Index of the predicted class for rows of class proportions."""
        return np.argmax(values, axis=-1)

    def measure(self, node):
        """Name and value of the impurity of a node, or None."""
        return None

    def value_text(self, node, proportion):
        value = self.values[node]
        if not self.classifies:
            return self.number(value[0])
        value = value if proportion else value * self.weight[node]
        return "[" + ", ".join(self.entries(value, proportion)) + "]"

    def entries(self, values, proportion):
        """Numbers of a class vector: counts without decimals where all are whole."""
        whole = np.allclose(values, np.round(values), atol=1e-9) and not proportion
        return [str(round(v)) if whole else self.number(v) for v in values]

    def heights(self, nodes):
        """Means, or probabilities of the last class."""
        values = self.values[nodes]
        return values[:, -1] if self.classifies else values[:, 0]


class BinaryView(TreeView):
    """Trees with tests of single columns: decision trees and members of boosting."""

    def __init__(self, tree, feature_names, class_names, precision):
        super().__init__(tree, feature_names, class_names, precision)
        self.forest = tree.tree_.forest
        if feature_names is None and getattr(tree, "feature_names_in_", None) is None:
            self.names = [f"x[{j}]" for j in range(tree.n_features_in_)]
        self.rows, self.values = self.forest.rows, self.forest.value

    def children(self, node):
        child = int(self.forest.child[node])
        return [] if child == node else [child, child + 1]

    def test(self, node):
        return branch_tests(self.tree, node, self.names[self.forest.feature[node]], self.number)[0]

    def measure(self, node):
        if len(self.forest.impurity):
            return self.tree.criterion, self.forest.impurity[node]
        return ("gain", self.tree.tree_.gain[node]) if self.children(node) else None

    def decide(self, values):
        return self.tree._decide(values)

    def value_text(self, node, proportion):
        value = self.tree.tree_.value[node]
        if self.classifies:
            value = value if proportion else value * self.tree._node_weights()[node]
            rows = [", ".join(self.entries(row, proportion)) for row in np.atleast_2d(value)]
        else:
            value = value[:, 0]
            if len(value) == 1:
                return self.number(value[0])
            rows = [", ".join(self.number(v) for v in value)]
        return f"[{rows[0]}]" if len(rows) == 1 else "[" + "\n".join(f"[{row}]" for row in rows) + "]"

    @property
    def has_categories(self):
        return bool((self.forest.category_set >= 0).any())

    def regions(self, low, high):
        """Leaf and corners of every rectangle within the limits."""
        return [(node, _corners(a, b)) for node, a, b in rectangles(self.forest, low, high)]


class MultiwayView(TreeView):
    """ID3, C4.5 and Hunt's trees: any number of branches, with the value at each edge."""

    edges_at_root_only = False

    def __init__(self, tree, feature_names, class_names, precision):
        super().__init__(tree, feature_names, class_names, precision)
        self.arrays, self.weight = tree.tree_, tree.tree_.weight.sum(axis=1)
        whole = np.all(self.weight == np.round(self.weight))
        self.rows = self.weight.astype(int) if whole else self.weight
        self.samples = "samples" if whole else "weight"
        self.values = tree.tree_.weight / np.where(self.weight > 0, self.weight, 1.0)[:, None]

    def children(self, node):
        first = int(self.arrays.first_child[node])
        return list(range(first, first + int(self.arrays.n_children[node])))

    def test(self, node):
        return self.names[self.arrays.feature[node]]

    def edges(self, node):
        if self.tree.categories_[self.arrays.feature[node]] is None:
            cut = self.number(self.arrays.threshold[node])
            return [f"<= {cut}", f"> {cut}"]
        levels = self.levels(self.arrays.feature[node])
        return [levels[self.arrays.branch[child]] for child in self.children(node)]

    def levels(self, j):
        """Names of the levels of a categorical column, in the order of their codes."""
        return [str(level.item() if hasattr(level, "item") else level) for level in self.tree.categories_[j]]

    @property
    def has_categories(self):
        return False  # levels are places on the axis

    def limits(self, low, high):
        """The limits of the plot: a categorical column has the places 0, 1, ..., one per level."""
        low, high = np.array(low, float), np.array(high, float)
        for j, levels in enumerate(self.tree.categories_):
            if levels is not None:
                low[j], high[j] = -0.5, max(len(levels), 1) - 0.5
        return low, high

    def regions(self, low, high):
        """Node and corners of every rectangle. Levels without a branch stop at the inner node."""
        leaves, open_ = [], [(0, np.array(low), np.array(high))]
        while open_:
            node, below, above = open_.pop()
            children = self.children(node)
            if not children:
                leaves.append((node, _corners(below, above)))
                continue
            j = self.arrays.feature[node]
            if self.tree.categories_[j] is None:
                cut = np.clip(self.arrays.threshold[node], below[j], above[j])
                bounds = {children[0]: (below[j], cut), children[1]: (cut, above[j])}
            else:
                bounds = {child: self.arrays.branch[child] + np.array([-0.5, 0.5]) for child in children}
                free = np.setdiff1d(
                    np.arange(round(below[j] + 0.5), round(above[j] + 0.5)), self.arrays.branch[children]
                )
                for code in free:
                    a, b = below.copy(), above.copy()
                    a[j], b[j] = code - 0.5, code + 0.5
                    leaves.append((node, _corners(a, b)))
            for child, (start, end) in bounds.items():
                a, b = below.copy(), above.copy()
                a[j], b[j] = max(start, below[j]), min(end, above[j])
                if b[j] > a[j]:
                    open_.append((child, a, b))
        return leaves


class ObliqueView(TreeView):
    """Trees that split by half-spaces."""

    def __init__(self, tree, feature_names, class_names, precision):
        super().__init__(tree, feature_names, class_names, precision)
        self.arrays = tree.tree_
        self.rows, self.weight, self.values = tree.tree_.rows, tree.tree_.weight, tree.tree_.value

    def children(self, node):
        child = int(self.arrays.child[node])
        return [] if child == node else [child, child + 1]

    def test(self, node):
        return oblique_test(self.tree, node, self.names, self.precision)[0]

    def measure(self, node):
        return self.tree.criterion, self.arrays.impurity[node]

    @property
    def has_categories(self):
        return bool(len(self.arrays.level_start) and np.any(np.diff(self.arrays.level_start)))

    def regions(self, low, high):
        """Leaf and corners of every convex polygon within the limits."""
        leaves, open_ = [], [(0, _corners(low, high))]
        while open_:
            node, corners = open_.pop()
            children = self.children(node)
            if not children:
                leaves.append((node, corners))
                continue
            side = corners @ self.arrays.coef[node] + self.arrays.intercept[node]
            for child, inside in zip(children, (-side, side)):
                part = _clipped(corners, inside)
                if len(part) > 2:
                    open_.append((child, part))
        return leaves


def _corners(low, high):
    return np.array([[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]], float)


def _clipped(corners, inside):
    """The part of a convex polygon where the linear function with values `inside` at its corners is positive."""
    if np.all(inside >= 0):
        return corners
    if np.all(inside <= 0):
        return corners[:0]
    out = []
    for k, (corner, value) in enumerate(zip(corners, inside)):
        before, last = corners[k - 1], inside[k - 1]
        if (value > 0) != (last > 0) and value != last:
            out.append(before + (corner - before) * (last / (last - value)))
        if value > 0:
            out.append(corner)
    return np.array(out)


def rectangles(forest, low, high):
    """Leaf, lower corner and upper corner of every region of a tree within the given limits."""
    leaves, open_ = [], [(0, np.array(low), np.array(high))]
    while open_:
        node, below, above = open_.pop()
        child = int(forest.child[node])
        if child == node:
            leaves.append((node, below, above))
            continue
        j = forest.feature[node]
        cut = np.clip(forest.threshold[node], below[j], above[j])
        left, right = above.copy(), below.copy()
        left[j] = right[j] = cut
        open_ += [(child + 1, right, above), (child, below, left)]
    return [box for box in leaves if np.all(box[2] > box[1])]
