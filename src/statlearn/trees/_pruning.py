"""Cost-complexity pruning with an alpha chosen by cross-validation."""

import numpy as np

from statlearn._core.params import Options, check_arguments
from statlearn._core.selection import CVCurve
from statlearn._math.trees.pruning import collapse_alphas, pruning_path


def prune_cv(estimator, X, y, *, cv=10, rule="min", sample_weight=None):
    """Cost-complexity pruning of a tree with alpha chosen by cross-validation.

    The tree is grown on all rows and pruned with the selected alpha. To select it, a tree is grown in each fold and
    pruned along its whole sequence. Losses are compared at the geometric means of adjacent alphas of the tree grown on
    all rows, since each of its subtrees is optimal on such an interval. Above the last alpha only the root is left, in
    the folds too. The loss is the error rate (or the mean loss by `loss_matrix`) for classifiers, the squared error for
    regressors, and the absolute error if that is the criterion.

    Parameters
    ----------
    estimator : DecisionTreeClassifier or DecisionTreeRegressor
        The tree to grow and prune. Its `ccp_alpha` is replaced.
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    cv : int, splitter or iterable of splits, default=10
        Cross-validation splits, stratified by class for classifiers.
    rule : {"min", "one_se"}, default="min"
        "min" selects the alpha with the smallest mean loss, "one_se" the largest alpha within one standard error of it.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Weights used in growing and in the losses.

    Returns
    -------
    estimator
        A fitted clone with `ccp_alpha` set and the additional attribute ``cv_curve_``.

    Notes
    -----
    Each row must reach a single leaf, so missing values are not supported with ``missing="fractional"``. The loss at
    the selected alpha is the smallest of many and therefore optimistic. Use other rows for an honest estimate.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.trees import DecisionTreeClassifier, prune_cv
    >>> X, y = load_iris(return_X_y=True)
    >>> prune_cv(DecisionTreeClassifier(), X, y, rule="one_se").get_n_leaves()
    3
    """
    from sklearn.base import clone, is_classifier
    from sklearn.model_selection import check_cv
    from sklearn.utils import indexable

    from statlearn._core.frames import take_rows

    from ._tree_base import BaseDecisionTree

    check_arguments(prune_cv, rule=(rule, [Options("min", "one_se")]), cv=(cv, ["cv"]))
    if not isinstance(estimator, BaseDecisionTree):
        raise TypeError(
            f"prune_cv requires a statlearn DecisionTreeClassifier or DecisionTreeRegressor, got "
            f"{type(estimator).__name__}."
        )
    X, y = indexable(X, y)
    if np.ndim(y) > 1 and np.shape(y)[1] == 1:
        y = np.ravel(y)
    if is_classifier(estimator) and np.ndim(y) > 1:
        raise ValueError("prune_cv does not support multi-output classification; fit one tree per output.")
    weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    grower = clone(estimator).set_params(ccp_alpha=0.0)
    forest = clone(grower).fit(X, y, sample_weight=weights).tree_.forest
    compared = geometric_midpoints(pruning_path(forest)[0])
    # With ccp_scale="count" an alpha refers to all rows, not to those of the fold.
    candidates = compared * (forest.weight[0] if estimator.ccp_scale == "count" else 1.0)
    compared[-1] = np.finfo(np.float64).max  # whatever the alpha of a fold's root
    losses, sizes = [], []
    for train, test in check_cv(cv, y, classifier=is_classifier(estimator)).split(X, y):
        row_weight = np.ones(len(test)) if weights is None else weights[test]
        if not row_weight.any():
            continue  # nothing to compare
        w = None if weights is None else weights[train]
        fold = clone(grower).fit(take_rows(X, train), take_rows(y, train), sample_weight=w)
        losses.append(_losses_along(fold, take_rows(X, test), take_rows(y, test), row_weight, compared))
        sizes.append(row_weight.sum())
    if not sizes:
        raise ValueError("`sample_weight` must be positive for at least one test row in some fold.")
    curve = CVCurve(candidates[::-1], np.array(losses).T[::-1], np.array(sizes), name="ccp_alpha")
    chosen = clone(estimator).set_params(ccp_alpha=float(curve.parameter[curve.chosen(rule)]))
    chosen.fit(X, y, sample_weight=weights)
    chosen.cv_curve_ = curve
    return chosen


def geometric_midpoints(alphas):
    """Geometric mean of each pair of adjacent alphas, followed by the last alpha, in increasing order."""
    alphas = np.unique(alphas)
    return np.append(np.sqrt(alphas[:-1] * alphas[1:]), alphas[-1])


def _losses_along(fold, X, y, weights, alphas):
    """Mean loss of the fold's subtrees for each alpha, from one pass of the test rows through the full tree."""
    forest = fold.tree_.forest
    ends = collapse_alphas(forest)
    path = fold.decision_path(X).tocoo()
    loss = fold._node_losses(np.asarray(y), path.row, path.col) * weights[path.row]
    # A node predicts the row while it is a leaf: from its own alpha up to that of its parent.
    parent = forest.parent[path.col]
    until = np.where(parent < 0, np.inf, ends[parent])
    first = np.searchsorted(alphas, ends[path.col], side="left")
    last = np.searchsorted(alphas, until, side="left")
    change = np.zeros(len(alphas) + 1)
    np.add.at(change, first, loss)
    np.subtract.at(change, last, loss)
    return np.cumsum(change)[:-1] / weights.sum()
