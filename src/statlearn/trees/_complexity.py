"""Size and cost of decision trees and of ensembles of them."""

from dataclasses import dataclass, fields, replace

import numpy as np
from sklearn.utils.validation import check_is_fitted

from statlearn._math.trees.growth import features_to_draw


@dataclass(frozen=True)
class TreeComplexity:
    """Size and computational cost of a decision tree, or of all trees of an ensemble.

    Parameters
    ----------
    n_leaves, n_splits, depth : int
        Number of leaves, number of splits and depth. In a binary tree n_leaves = n_splits + 1 and
        depth + 1 <= n_leaves <= 2^depth. For an ensemble the sums over its trees, and the largest depth.
    split_evaluations : int
        Number of candidate splits scored while the trees were grown. Gradient boosting does not count them; for it this
        is the number of splits between the rows of all nodes, an upper bound.
    expected_comparisons : float
        Mean number of tests on the path of a training row, which is the cost of one prediction; the sum over the trees.
    balanced_depth : float
        log2 of the number of leaves, the lower bound of `expected_comparisons` when all leaves have equal weight; the
        sum over the trees.
    sort_cost, scan_cost : float
        The two terms of the cost of growing: p N log2 N comparisons to sort the columns once, and p' N times the mean
        depth to scan the sorted rows, with the number p' of columns tried at a node. For B trees the second term is
        O(B N p' depth); trees of forests and of gradient boosting share the sorting.
    n_trees : int
        Number of trees.
    """

    n_leaves: int
    n_splits: int
    depth: int
    split_evaluations: int
    expected_comparisons: float
    balanced_depth: float
    sort_cost: float
    scan_cost: float
    n_trees: int = 1


def tree_complexity(estimator):
    """Size and computational cost of a fitted decision tree, forest, boosting or bagging model.

    Parameters
    ----------
    estimator : fitted estimator
        A decision tree of this package, or an ensemble of such trees, for which costs are summed over the trees.

    Returns
    -------
    TreeComplexity

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.trees import DecisionTreeClassifier, tree_complexity
    >>> size = tree_complexity(DecisionTreeClassifier(max_depth=2).fit(*load_iris(return_X_y=True)))
    >>> size.n_leaves, size.n_splits, size.depth
    (3, 2, 2)
    """
    check_is_fitted(estimator)
    if hasattr(estimator, "tree_"):
        rows, columns = int(estimator.tree_.forest.rows[0]), estimator.n_features_in_
        tried = getattr(estimator, "max_features_", columns)
        return _of_tree(estimator.tree_.forest, columns, tried, rows, estimator.n_split_evaluations_)
    if hasattr(estimator, "forest_") and hasattr(estimator.forest_, "rows") and len(estimator.forest_.rows):
        return _of_forest(estimator)
    members = list(np.ravel(np.asarray(getattr(estimator, "estimators_", ()), dtype=object)))
    if not members or not all(hasattr(member, "tree_") or hasattr(member, "forest_") for member in members):
        raise TypeError(
            "`estimator` must be a decision tree of statlearn or an ensemble of such trees, got "
            f"{type(estimator).__name__}."
        )
    return _total([tree_complexity(member) for member in members])


def _of_tree(forest, columns, tried, rows, evaluations):
    leaf = forest.is_leaf
    depth, weight = forest.depth[leaf], forest.weight[leaf]
    mean_depth = float(np.average(depth, weights=weight))
    return TreeComplexity(
        n_leaves=int(leaf.sum()),
        n_splits=int((~leaf).sum()),
        depth=int(depth.max()),
        split_evaluations=evaluations,
        expected_comparisons=mean_depth,
        balanced_depth=float(np.log2(leaf.sum())),
        sort_cost=columns * rows * float(np.log2(max(rows, 2))),
        scan_cost=tried * rows * mean_depth,
    )


def _of_forest(model):
    """Complexity of a forest or of gradient boosting, whose columns are sorted or binned once."""
    forest, columns = model.forest_, model.n_features_in_
    drawn = "p/3" if model.max_features == "p/3" else features_to_draw(model.max_features, columns)
    tried = max(1, columns // 3) if drawn == "p/3" else min(drawn, columns)
    parts = []
    for t in range(len(forest)):
        tree = forest.tree(t)
        between = tried * int(np.sum(np.maximum(tree.rows - 1, 0)))
        parts.append(_of_tree(tree, columns, tried, int(tree.rows[0]), between))
    counted = getattr(model, "n_split_evaluations_", None)
    total = _total(parts)
    evaluations = total.split_evaluations if counted is None else int(counted)
    return replace(total, split_evaluations=evaluations, sort_cost=max(part.sort_cost for part in parts))


def _total(parts):
    sums = {field.name: sum(getattr(part, field.name) for part in parts) for field in fields(TreeComplexity)}
    return TreeComplexity(**{**sums, "depth": max(part.depth for part in parts)})
