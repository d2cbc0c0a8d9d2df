"""Size and cost of decision trees."""

from dataclasses import dataclass

import numpy as np
from sklearn.utils.validation import check_is_fitted


@dataclass(frozen=True)
class TreeComplexity:
    """Size and computational cost of a decision tree.

    Parameters
    ----------
    n_leaves, n_splits, depth : int
        Number of leaves, number of splits and depth. In a binary tree n_leaves = n_splits + 1 and
        depth + 1 <= n_leaves <= 2^depth.
    split_evaluations : int
        Number of candidate splits scored while the tree was grown.
    expected_comparisons : float
        Mean number of tests on the path of a training row, which is the cost of one prediction.
    balanced_depth : float
        log2 of the number of leaves, the lower bound of `expected_comparisons` when all leaves have equal weight.
    sort_cost, scan_cost : float
        The two terms of the cost of growing: p N log2 N comparisons to sort the columns once, and p N times the mean
        depth to scan the sorted rows.
    """

    n_leaves: int
    n_splits: int
    depth: int
    split_evaluations: int
    expected_comparisons: float
    balanced_depth: float
    sort_cost: float
    scan_cost: float


def tree_complexity(estimator):
    """Size and computational cost of a fitted decision tree.

    Parameters
    ----------
    estimator : DecisionTreeClassifier, DecisionTreeRegressor or a subclass
        A fitted tree.

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
    forest = estimator.tree_.forest
    leaf = forest.is_leaf
    depth, weight = forest.depth[leaf], forest.weight[leaf]
    rows, columns = int(forest.rows[0]), estimator.n_features_in_
    mean_depth = float(np.average(depth, weights=weight))
    return TreeComplexity(
        n_leaves=int(leaf.sum()),
        n_splits=int((~leaf).sum()),
        depth=int(depth.max()),
        split_evaluations=estimator.n_split_evaluations_,
        expected_comparisons=mean_depth,
        balanced_depth=float(np.log2(leaf.sum())),
        sort_cost=columns * rows * float(np.log2(max(rows, 2))),
        scan_cost=columns * rows * mean_depth,
    )
