"""Text export of trees in the styles of scikit-learn and R's rpart."""

import math

import numpy as np
from sklearn.base import BaseEstimator, is_classifier
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Int, Options, check_arguments

from ._multiway import MultiwayClassifier
from ._oblique import _ObliqueTree
from ._tree_base import BaseDecisionTree
from ._tree_rules import level_names


def check_tree(estimator, function):
    """Raise unless the estimator is a fitted binary tree of this package, or a tree of a boosted model."""
    if isinstance(estimator, BaseDecisionTree):
        check_is_fitted(estimator)
    elif not is_boosted_tree(estimator):
        raise TypeError(
            f"{function} requires a statlearn tree (such as DecisionTreeClassifier or ID3Classifier), got "
            f"{type(estimator).__name__}{_member_hint(estimator, function)}."
        )


def is_boosted_tree(estimator):
    """Whether this is one of the trees in `estimators_` of gradient boosting: node arrays without an estimator."""
    return not isinstance(estimator, BaseEstimator) and hasattr(getattr(estimator, "tree_", None), "forest")


def _member_hint(estimator, function):
    """Hint how to write a single tree of an ensemble."""
    if not isinstance(estimator, BaseEstimator) or not hasattr(type(estimator), "fit"):
        return ""
    members = getattr(estimator, "estimators_", None)
    if members is None:
        return ", which is not a single tree" if hasattr(estimator, "n_estimators") else ""
    index = "0, 0" if np.ndim(members) == 2 else "0"
    return f"; for one of its trees use {function}(model.estimators_[{index}])"


def names_of_columns(estimator, names, prefix):
    """Column names: as given, from the data frame, or the prefix followed by the column index."""
    if names is not None:
        if len(names) != estimator.n_features_in_:
            raise ValueError(f"feature_names must contain {estimator.n_features_in_} elements, got {len(names)}.")
        return [str(name) for name in names]
    known = getattr(estimator, "feature_names_in_", None)
    return [f"{prefix}{j}" for j in range(estimator.n_features_in_)] if known is None else [str(name) for name in known]


def names_of_classes(estimator, names):
    """Class names of a single-output classifier."""
    if names is None:
        return [str(c) for c in estimator.classes_]
    if len(names) != len(estimator.classes_):
        raise ValueError(
            "When `class_names` is an array, it should contain as many items as `decision_tree.classes_`. Got "
            f"{len(names)} while the tree was fitted with {len(estimator.classes_)} classes."
        )
    return [str(name) for name in names]


def branch_tests(estimator, node, name, number):
    """The tests that lead to the left and right child of a node, as text."""
    forest = estimator.tree_.forest
    if forest.category_set[node] < 0:
        if tells_missing(forest, node):
            return f"{name} is known", f"{name} is missing"
        cut = number(forest.threshold[node])
        return f"{name} <= {cut}", f"{name} >  {cut}"
    shown = "{" + ", ".join(branch_levels(estimator, node)[0]) + "}"
    return f"{name} in {shown}", f"{name} not in {shown}"


def oblique_test(estimator, node, names, digits):
    """The tests that lead to the left and right child of a node of an oblique tree, as text.

    A categorical column that is used together with others appears by the scores of its levels, "score(name)".
    """
    tree = estimator.tree_
    coef, cut, widths = tree.coef[node], -tree.intercept[node], np.diff(tree.level_start)
    scores = [tree.level_coef[node, s : s + w] for s, w in zip(tree.level_start, widths)]
    used = [j for j in range(len(coef)) if (scores[j].any() if widths[j] else coef[j] != 0)]
    if len(used) == 1 and widths[used[0]]:
        j = used[0]
        left = scores[j] <= cut
        levels = [str(level) for level in level_names(estimator, j)]
        return tuple(f"{names[j]} in {{{', '.join(v for v, k in zip(levels, side) if k)}}}" for side in (left, ~left))
    if len(used) == 1 and coef[used[0]]:
        j = used[0]
        shown = f"{cut / coef[j]:.{digits}g}"
        signs = ("<=", "> ") if coef[j] > 0 else (">=", "< ")
        return tuple(f"{names[j]} {sign} {shown}" for sign in signs)
    text = ""
    for j in used:
        weight = 1.0 if widths[j] else coef[j]
        size = "" if widths[j] else f"{abs(weight):.{digits}g} "
        sign = ("-" if weight < 0 else "") if not text else (" - " if weight < 0 else " + ")
        text += sign + size + (f"score({names[j]})" if widths[j] else names[j])
    text, shown = text or "0", f"{cut:.{digits}g}"
    return f"{text} <= {shown}", f"{text} >  {shown}"


def tells_missing(forest, node):
    """Whether a split sends all numbers to the left and missing values to the right."""
    return bool(np.isposinf(forest.threshold[node]))


def branch_levels(estimator, node):
    """Names of the levels that go left and right at a node, without levels that cannot reach it."""
    forest = estimator.tree_.forest
    feature = int(forest.feature[node])
    levels = [str(level) for level in level_names(estimator, feature)]

    def left_of(k):
        bits = forest.left_sets[forest.category_set[k]]
        return np.unpackbits(bits.view(np.uint8), bitorder="little")[: len(levels)].astype(bool)

    here, at, parent = np.ones(len(levels), bool), node, forest.parent
    while parent[at] >= 0:
        above = parent[at]
        if forest.feature[above] == feature:
            here &= left_of(above) == (at == forest.child[above])
        at = above
    inside = left_of(node)
    return [v for v, k in zip(levels, inside & here) if k], [v for v, k in zip(levels, ~inside & here) if k]


def export_text(
    decision_tree,
    *,
    feature_names=None,
    class_names=None,
    max_depth=10,
    spacing=3,
    decimals=2,
    show_weights=False,
    style="plain",
    digits=7,
):
    """Text representation of a fitted tree.

    Parameters
    ----------
    decision_tree : decision tree, ObliqueTreeClassifier, C45Classifier, ID3Classifier, HuntTree, ...
        A fitted tree, or a tree of a boosted model (``model.estimators_[0, 0]``), whose leaves show scores.
    feature_names : array-like of str or None, default=None
        Names of the columns. None uses those of the data frame the tree was fitted to.
    class_names : array-like of str or None, default=None
        Class names, in the order of `classes_`.
    max_depth : int, default=10
        Branches below this depth are truncated.
    spacing : int, default=3
        Number of characters per level of indentation.
    decimals : int, default=2
        Number of decimal places.
    show_weights : bool, default=False
        Whether to show the class weights in the leaves.
    style : {"plain", "rpart"}, default="plain"
        "rpart" prints like R's rpart package: the node number k (its children are 2k and 2k + 1), the test that leads
        to the node, the number of rows, loss or deviance, prediction and class proportions, with a star for leaves.
    digits : int, default=7
        Number of significant digits in the "rpart" style.

    Returns
    -------
    str

    Notes
    -----
    The "rpart" style prints x < s although the test is x <= s. As thresholds lie midway between values, both are
    equivalent. Children are listed in the order of the tree, with smaller values first, whereas R may swap them.
    Levels that no row of the node has are listed on the side they would go to, whereas R omits them. Multiway trees
    (C4.5, ID3, Hunt) have a single style, and oblique and boosted trees only "plain". The tests of oblique trees have
    weights with `decimals` + 1 significant digits.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.trees import DecisionTreeClassifier, export_text
    >>> iris = load_iris(as_frame=True)
    >>> tree = DecisionTreeClassifier(max_leaf_nodes=3).fit(iris.data, iris.target_names[iris.target])
    >>> print(export_text(tree), end="")
    |--- petal length (cm) <= 2.45
    |   |--- class: setosa
    |--- petal length (cm) >  2.45
    |   |--- petal width (cm) <= 1.75
    |   |   |--- class: versicolor
    |   |--- petal width (cm) >  1.75
    |   |   |--- class: virginica
    >>> print(export_text(tree, style="rpart"))
    n= 150
    <BLANKLINE>
    node), split, n, loss, yval, (yprob)
          * denotes terminal node
    <BLANKLINE>
    1) root 150 100 setosa (0.33333333 0.33333333 0.33333333)
      2) petal length (cm)< 2.45 50   0 setosa (1.00000000 0.00000000 0.00000000) *
      3) petal length (cm)>=2.45 100  50 versicolor (0.00000000 0.50000000 0.50000000)
        6) petal width (cm)< 1.75 54   5 versicolor (0.00000000 0.90740741 0.09259259) *
        7) petal width (cm)>=1.75 46   1 virginica (0.00000000 0.02173913 0.97826087) *
    """
    check_arguments(
        export_text,
        max_depth=(max_depth, [Int(0, None), None]),
        spacing=(spacing, [Int(1, None)]),
        decimals=(decimals, [Int(0, None)]),
        show_weights=(show_weights, ["boolean"]),
        style=(style, [Options("plain", "rpart")]),
        digits=(digits, [Int(1, 15)]),
    )
    if isinstance(decision_tree, MultiwayClassifier):
        return decision_tree.export_text(decimals=decimals)
    if isinstance(decision_tree, _ObliqueTree):
        check_is_fitted(decision_tree)
    else:
        check_tree(decision_tree, "export_text")
    if style == "rpart" and not isinstance(decision_tree, BaseDecisionTree):
        raise ValueError("style='rpart' supports decision trees only; use style='plain'.")
    if isinstance(decision_tree, _ObliqueTree):
        return _Oblique(
            decision_tree, feature_names, class_names, max_depth, spacing, decimals, show_weights, digits
        ).text()
    writer = _Rpart if style == "rpart" else _Plain
    return writer(decision_tree, feature_names, class_names, max_depth, spacing, decimals, show_weights, digits).text()


class _TreeWriter:
    """Writer of a tree from left to right."""

    prefix = "x"

    def __init__(self, tree, feature_names, class_names, max_depth, spacing, decimals, show_weights, digits):
        self.tree, self.forest = tree, getattr(tree.tree_, "forest", tree.tree_)
        self.names = names_of_columns(tree, feature_names, self.prefix)
        self.classifies = not is_boosted_tree(tree) and is_classifier(tree)
        self.one_class = self.classifies and getattr(tree, "n_outputs_", 1) == 1
        self.classes = names_of_classes(tree, class_names) if self.one_class else None
        self.max_depth = np.inf if max_depth is None else max_depth
        self.spacing, self.decimals, self.show_weights, self.digits = spacing, decimals, show_weights, digits

    def is_leaf(self, node):
        return self.forest.child[node] == node


class _Plain(_TreeWriter):
    prefix = "feature_"

    def text(self):
        lines, open_ = [], [(0, 1, None)]
        depths = self._depth_below()
        while open_:
            node, depth, test = open_.pop()
            if test is not None:
                lines.append(self._indent(depth - 1) + test)
            if self.is_leaf(node):
                lines.append(self._indent(depth) + self._leaf(node))
            elif depth > self.max_depth + 1:
                below = depths[node]
                said = "truncated branch of depth " + str(below)
                lines.append(self._indent(depth) + (self._leaf(node) if below == 1 else said))
            else:
                left, right = self._branches(node)
                child = int(self.forest.child[node])
                open_ += [(child + 1, depth + 1, right), (child, depth + 1, left)]
        return "\n".join(lines) + "\n"

    def _branches(self, node):
        name = self.names[self.forest.feature[node]]
        return branch_tests(self.tree, node, name, lambda cut: f"{cut:.{self.decimals}f}")

    def _indent(self, depth):
        return ("|" + " " * self.spacing) * (depth - 1) + "|" + "-" * self.spacing + " "

    def _depth_below(self):
        """Number of levels below each node, including the node itself."""
        below = np.ones(len(self.forest.child), int)
        for node in np.flatnonzero(~self.forest.is_leaf)[::-1]:
            below[node] = 1 + below[self.forest.child[node] : self.forest.child[node] + 2].max()
        return below

    def _leaf(self, node):
        value = self.tree.tree_.value[node]
        if self.classifies:
            weights = value[0] * self.tree._node_weights()[node]
            shown = "[" + ", ".join(f"{v:.{self.decimals}f}" for v in weights) + "]"
            if self.one_class:
                label = self.classes[int(self.tree._decide(value[0][None])[0])]
            else:
                label = [c[np.argmax(v)] for c, v in zip(self.tree.classes_, value)]
            return (f"weights: {shown} " if self.show_weights else "") + f"class: {label}"
        return "value: [" + ", ".join(f"{v:.{self.decimals}f}" for v in value[:, 0]) + "]"


class _Oblique(_Plain):
    """Trees that split by half-spaces."""

    def _branches(self, node):
        return oblique_test(self.tree, node, self.names, self.decimals + 1)

    def _leaf(self, node):
        value = self.forest.value[node]
        if not self.classifies:
            return f"value: [{value[0]:.{self.decimals}f}]"
        shown = "[" + ", ".join(f"{v:.{self.decimals}f}" for v in value * self.forest.weight[node]) + "]"
        return (f"weights: {shown} " if self.show_weights else "") + f"class: {self.classes[int(np.argmax(value))]}"


class _Rpart(_TreeWriter):
    def text(self):
        if self.tree.n_outputs_ > 1:
            raise ValueError("style='rpart' supports single-output trees only.")
        nodes = self._in_order()
        number = max(len(str(key)) for _, _, key, _ in nodes)
        order = [node for node, *_ in nodes]
        loss = r_format(self._rounded(self._losses()[order]), 7)
        values = self.forest.value[order]
        if self.one_class:
            heads = ["loss", "yval", "(yprob)"]
            labels = [self.classes[k] for k in self.tree._decide(values)]
            shares = np.array(self._shares(values.ravel())).reshape(values.shape)
            said = [f"{label} ({' '.join(row)})" for label, row in zip(labels, shares)]
        else:
            heads = ["deviance", "yval"]
            said = r_format(self._rounded(values[:, 0]), 7)
        lines = [
            f"n= {self.forest.rows[0]}",
            "",
            f"node), split, n, {', '.join(heads)}",
            "      * denotes terminal node",
            "",
        ]
        for k, (node, depth, key, test) in enumerate(nodes):
            star = " *" if self.is_leaf(node) else ""
            lines.append("  " * depth + f"{key:>{number}}) {test} {self.forest.rows[node]} {loss[k]} {said[k]}{star}")
        return "\n".join(lines)

    def _rounded(self, values):
        """Numbers rounded to significant digits, like R's `signif`."""
        return [float(f"{v:.{self.digits}g}") for v in values]

    def _shares(self, values):
        if len(self.classes) >= 5:
            return [f"{v:.2g}" for v in values]
        return r_format(values, self.digits, least=self.digits)

    def _in_order(self):
        """Node, depth, rpart node number and test of each line."""
        ordered, open_ = [], [(0, 0, 1, "root")]
        while open_:
            node, depth, key, test = open_.pop()
            ordered.append((node, depth, key, test))
            if self.is_leaf(node) or depth >= self.max_depth:
                continue
            child = int(self.forest.child[node])
            left, right = self._tests(node)
            open_ += [(child + 1, depth + 1, 2 * key + 1, right), (child, depth + 1, 2 * key, left)]
        return ordered

    def _tests(self, node):
        name = self.names[self.forest.feature[node]]
        if self.forest.category_set[node] < 0:
            if tells_missing(self.forest, node):
                return f"{name} is known", f"{name} is missing"
            cut = f"{self.forest.threshold[node]:.{self.digits}g}"
            return f"{name}< {cut}", f"{name}>={cut}"
        left, right = branch_levels(self.tree, node)
        return f"{name}={','.join(left)}", f"{name}={','.join(right)}"

    def _losses(self):
        """Weight (or loss, with a loss matrix) of the misclassified rows, or the sum of squares.

        For other regression criteria, weight times impurity.
        """
        if self.one_class:
            return self.tree._node_weights() * self.tree._node_risks()
        return self.forest.weight * self.forest.impurity


def r_format(values, digits, *, least=0):
    """Numbers formatted like R's `format`, all to the same width.

    The number of decimals is the largest that any of them needs for `digits` significant digits, and at least `least`.
    """
    decimals = least
    for value in values:
        if value == 0 or not math.isfinite(value):
            continue
        places = max(digits - 1 - math.floor(math.log10(abs(value))), 0)
        shown = f"{value:.{places}f}"
        decimals = max(decimals, len(shown.rstrip("0").partition(".")[2]) if "." in shown else 0)
    texts = [f"{value + 0.0:.{decimals}f}" for value in values]
    width = max(map(len, texts))
    return [text.rjust(width) for text in texts]
