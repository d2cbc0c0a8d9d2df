"""Rules extracted from a tree: one per leaf, optionally shortened and sorted on validation rows."""

from dataclasses import replace

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from statlearn._core.params import check_arguments
from statlearn._core.text_list import TextList
from statlearn._core.validation import check_weights
from statlearn._math.linalg.sparse_arrays import to_dense

from ._attributes import column_names, read_columns
from ._multiway import MultiwayClassifier
from ._rules import Condition, Rule
from ._tree_base import BaseDecisionTree


def rules_from_tree(estimator, X_val=None, y_val=None, *, simplify=True, sort=True, sample_weight=None):
    """If-then rules of a fitted tree, one per leaf.

    If validation rows are given, conditions are dropped from each rule, one at a time, choosing the one whose removal
    raises the precision on these rows most, as long as any does. The rules are then sorted by decreasing precision on
    the validation rows, and by decreasing support in case of ties.

    Parameters
    ----------
    estimator : decision tree, C45Classifier, ID3Classifier or HuntTree
        A fitted single-output tree.
    X_val, y_val : array-like or None, default=None
        Validation rows on which rules are shortened and sorted, for classifiers only. Without them the rules are
        returned in the order of the leaves, from left to right.
    simplify : bool, default=True
        Whether to drop conditions.
    sort : bool, default=True
        Whether to sort the rules.
    sample_weight : array-like or None, default=None
        Weights of the validation rows.

    Returns
    -------
    list of Rule
        Prints one rule per line; ``to_frame()`` makes a data frame. Each rule has the attributes `conditions`,
        `prediction`, `support` and `precision`, and a method ``covers`` that returns which rows of a table (as the tree
        reads it) satisfy it.

    Notes
    -----
    The unmodified rules partition the rows: each row satisfies exactly one. Shortened rules overlap, so their order
    matters; use them as a :class:`DecisionList`. Bounds on the same column along a path are merged.

    References
    ----------
    Quinlan, J. R. (1987). Generating production rules from decision trees. *IJCAI*, 304-307.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.trees import DecisionTreeClassifier, rules_from_tree
    >>> X, y = load_iris(return_X_y=True)
    >>> for rule in rules_from_tree(DecisionTreeClassifier(max_leaf_nodes=3).fit(X, y)):
    ...     print(rule)
    x2 <= 2.45 -> 0 (50 rows, 100% right)
    x2 > 2.45 and x3 <= 1.75 -> 1 (54 rows, 91% right)
    x2 > 2.45 and x3 > 1.75 -> 2 (46 rows, 98% right)
    """
    check_arguments(rules_from_tree, simplify=(simplify, ["boolean"]), sort=(sort, ["boolean"]))
    check_is_fitted(estimator)
    if isinstance(estimator, MultiwayClassifier):
        rules = estimator.rules()
    elif isinstance(estimator, BaseDecisionTree):
        rules = _leaf_rules(estimator)
    else:
        raise TypeError(f"rules_from_tree requires a statlearn decision tree, got {type(estimator).__name__}.")
    if X_val is None:
        return TextList(rules)
    if not is_classifier(estimator):
        raise ValueError("`X_val` is only supported for classifiers, as rules are shortened and sorted by precision.")
    table, y = rule_table(estimator, X_val), column_or_1d(y_val)
    check_consistent_length(table[0], y)
    weights = check_weights(sample_weight, np.empty((len(y), 1)))
    weights = np.ones(len(y)) if weights is None else weights
    if simplify:
        rules = [shortened(rule, table, y, weights) for rule in rules]
    judged = [_judged(rule, table, y, weights) for rule in rules]
    return TextList(sorted_rules(judged) if sort else judged)


def rule_table(estimator, X):
    """The columns of X as the rules of a tree read them."""
    if isinstance(estimator, MultiwayClassifier):
        return read_columns(estimator, X)[0]
    X = estimator._check_table(X)
    return list(np.asfortranarray(to_dense(X)).T)


def _leaf_rules(estimator):
    """One rule per leaf of a binary tree, from left to right."""
    if estimator.n_outputs_ > 1:
        raise ValueError("rules_from_tree does not support multi-output trees.")
    if estimator._missing in ("surrogate", "fractional"):
        raise ValueError(
            f"rules_from_tree does not support missing={estimator._missing!r}, because rules need a single path for "
            "each row; use 'direction' or 'category'."
        )
    forest = estimator.tree_.forest
    names = column_names(estimator)
    rules, open_ = [], [(0, {})]
    while open_:
        node, path = open_.pop()
        child = forest.child[node]
        if child == node:
            conditions = tuple(condition for side, condition in path.items() if not _is_idle(side, path))
            rules.append(_leaf_rule(estimator, node, conditions))
            continue
        left, right = _conditions(estimator, node, names)
        open_ += [(child + 1, _joined(path, right)), (child, _joined(path, left))]
    return rules


def _leaf_rule(estimator, node, conditions):
    forest = estimator.tree_.forest
    value, support = forest.value[node], float(estimator._node_weights()[node])
    if not is_classifier(estimator):
        return Rule(conditions, float(value[0]), support, np.nan)
    label = int(estimator._decide(value[None])[0])
    return Rule(conditions, estimator.classes_[label], support, float(value[label] / value.sum()))


def _conditions(estimator, node, names):
    """The tests that lead to the left and to the right child."""
    forest = estimator.tree_.forest
    j = int(forest.feature[node])
    missing = bool(forest.missing_left[node])
    if forest.category_set[node] < 0:
        cut = float(forest.threshold[node])
        return Condition(j, "<=", cut, names[j], missing), Condition(j, ">", cut, names[j], not missing)
    bits = forest.left_sets[forest.category_set[node]]
    codes = tuple(float(c) for c in np.flatnonzero(np.unpackbits(bits.view(np.uint8), bitorder="little")))
    levels = level_names(estimator, j)
    codes = tuple(c for c in codes if c < len(levels))
    labels = tuple(levels[int(c)] for c in codes)
    return (
        Condition(j, "in", codes, names[j], missing, labels),
        Condition(j, "not in", codes, names[j], not missing, labels),
    )


def level_names(estimator, j):
    """Names of the levels of a categorical column, in the order of their codes."""
    coder = estimator._coder
    texts = coder.levels_of_text(j)
    levels = [_plain(v) for v in (coder.levels[j] if texts is None else texts)]
    return [*levels, "missing"] if coder.missing_level else levels


def _plain(value):
    value = value.item() if hasattr(value, "item") else value
    return int(value) if isinstance(value, float) and value == int(value) else value


def _joined(path, condition):
    """The conditions of a path with one more.

    A path has one bound on each side of a numeric column and one set of levels of a categorical column. A missing value
    must satisfy all conditions.
    """
    ordered = condition.operator in ("<=", ">")
    side = (condition.feature, condition.operator if ordered else "set")
    if side in path:
        condition = (_tighter if ordered else _both_sets)(path[side], condition)
    return {**path, side: condition}


def _is_idle(side, path):
    """Whether an upper bound is redundant because only missing values are left, which satisfy it."""
    other = path.get((side[0], ">"))
    return side[1] == "<=" and other is not None and np.isposinf(other.value)


def _tighter(a, b):
    """The condition equivalent to two bounds on the same side."""
    best = min if a.operator == "<=" else max
    return replace(b, value=best(a.value, b.value), missing=a.missing and b.missing)


def _both_sets(a, b):
    """The condition equivalent to two sets of allowed or forbidden levels of one column."""
    names = {**dict(zip(a.value, a.labels)), **dict(zip(b.value, b.labels))}
    if a.operator == b.operator == "not in":
        operator, codes = "not in", set(a.value) | set(b.value)
    elif a.operator == b.operator:
        operator, codes = "in", set(a.value) & set(b.value)
    else:
        inner, outer = (a, b) if a.operator == "in" else (b, a)
        operator, codes = "in", set(inner.value) - set(outer.value)
    codes = tuple(sorted(codes))
    labels = tuple(names[c] for c in codes)
    return replace(a, operator=operator, value=codes, missing=a.missing and b.missing, labels=labels)


def precision_of(rule, table, y, weights, *, smoothing=0.0, n_classes=0):
    """Precision of a rule and the weight of the rows it covers; 0 if it covers none.

    `smoothing` rows of each class are added before the precision is computed.
    """
    mask = rule.covers(table)
    total, right = weights[mask].sum(), weights[mask & (y == rule.prediction)].sum()
    return float(_share(right, total, smoothing, n_classes)), float(total)


def _share(right, total, smoothing, n_classes):
    both = total + smoothing * n_classes
    return (right + smoothing) / np.where(both > 0, both, 1.0)


def shortened(rule, table, y, weights, *, smoothing=0.0, n_classes=0):
    """The rule without the conditions whose removal raises its precision, dropped greedily."""
    if not rule.conditions:
        return rule
    right = weights * (y == rule.prediction)
    fails = np.array([~condition.holds(table[condition.feature]) for condition in rule.conditions])
    failed = fails.sum(axis=0)
    while len(fails):
        # A row that fails exactly one condition is covered once that condition is dropped.
        covered, nearly = failed == 0, np.flatnonzero(failed == 1)
        which = fails[:, nearly].argmax(axis=0)
        total = weights[covered].sum() + np.bincount(which, weights[nearly], len(fails))
        good = right[covered].sum() + np.bincount(which, right[nearly], len(fails))
        shares = _share(good, total, smoothing, n_classes)
        best = int(np.argmax(shares))
        if shares[best] <= _share(right[covered].sum(), weights[covered].sum(), smoothing, n_classes) + 1e-12:
            break
        failed = failed - fails[best]
        fails = np.delete(fails, best, axis=0)
        rule = rule.without(best)
    return rule


def _judged(rule, table, y, weights):
    precision, support = precision_of(rule, table, y, weights)
    return replace(rule, precision=precision, support=support)


def sorted_rules(rules):
    """Rules by decreasing precision, then by decreasing support, without duplicates."""
    unique = {}
    for rule in sorted(rules, key=lambda r: (-r.precision, -r.support)):
        unique.setdefault((frozenset(rule.conditions), rule.prediction), rule)
    return list(unique.values())
