"""Shared parts of the docstrings of decision trees."""

from statlearn._core.docstrings import filled

_PARAMETERS = """
    splitter : {"best", "random", "binned"}, default="{splitter}"
        "best" considers all thresholds, "random" one random threshold per column, and "binned" the thresholds between
        at most `max_bins` bins per column, chosen once by quantiles. "binned" grows the same tree as "best" if no
        column has more than `max_bins` distinct values.
    max_depth : int or None, default=None
        Maximum depth of the tree; None means no limit.
    min_samples_split : int or float, default=2
        Minimum number (or proportion) of rows required to split a node.
    min_samples_leaf : int or float, default=1
        Minimum number (or proportion) of rows in each child of a split.
    min_weight_fraction_leaf : float, default=0.0
        Minimum proportion of the total weight in each child of a split.
    max_features : int, float, {"sqrt", "log2"} or None, default={max_features}
        Number of columns considered at each node: a number, a proportion, the square root or base-2 logarithm of the
        number of columns, or all. The columns are drawn at random for each node. If all of them are constant there,
        further columns are drawn.
    random_state : int, RandomState instance or None, default=None
        Seed for drawing columns and thresholds.
    max_leaf_nodes : int or None, default=None
        Maximum number of leaves. If given, nodes are split in order of decreasing gain until it is reached.
    min_impurity_decrease : float, default=0.0
        Minimum decrease in impurity for a split, weighted by the node's proportion of the total weight."""

_MORE = """
    ccp_alpha : float, default=0.0
        Complexity penalty per leaf. The tree is pruned to the smallest subtree that minimises
        cost + ccp_alpha * leaves.
    monotonic_cst : array-like of {-1, 0, 1}, dict of names, or None, default=None
        Monotonicity constraints. With +1, {rises} must not decrease as the column increases; with -1, it must not
        increase. 0 means no constraint.
    missing : {"direction", "category", "surrogate", "fractional"}, default="direction"
        Handling of missing values (NaN). "direction" sends them to the child that gives the better split. "category"
        treats them as a separate value: an additional level of a categorical column, and a separate branch of a numeric
        column before it is split at a threshold. "surrogate" chooses the split without them and sends them along the
        split on another column that agrees with it best, as in R's rpart (columns with a monotonicity constraint, or
        excluded by `interaction_cst`, are not used). "fractional" chooses the split without them and sends them to both
        children with proportional weights, as in C4.5; predictions are averaged over the leaves reached. With
        "direction" and "category", a value that is missing only at prediction goes to the child with more training
        rows.
    max_surrogates : int, default=5
        Maximum number of surrogate splits per node.
    categorical_features : "from_dtype", array-like of bool, int or str, or None, default="from_dtype"
        Categorical columns: those of a data frame with a categorical data type, or the given columns. They are split by
        sets of levels, with no limit on the number of levels. A level not seen at a node goes to the child with more
        training rows. A level not seen in training is treated as missing.
    categorical_split : {"ordered", "exhaustive", "multiway"}, default="ordered"
        "ordered" sorts the levels by mean target (or by the proportion of each class in turn) and splits the order at
        one point, which is optimal for two classes and for regression. "exhaustive" tries all partitions at nodes with
        at most 12 levels. "multiway" makes one branch per level, stored as a chain of binary splits.
    interaction_cst : {"pairwise", "no_interactions"}, sequence of sequences, or None, default=None
        Sets of columns (indices or names) that may interact. All columns tested on a path from the root must belong to
        the same set. Columns in no set form an additional set.
    max_bins : int, default=255
        Maximum number of bins per column with ``splitter="binned"``, one more than the number of thresholds.
    ccp_scale : {"mean", "count"}, default="mean"
        Scale of `ccp_alpha`: relative to the mean impurity per row, or to the impurity summed over rows (the textbook
        convention), which is n times larger.
    target_score : float or None, default=None
        If given, nodes are split in order of decreasing gain until the training {score} reaches this value."""

_ATTRIBUTES = """
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined only if X is a data frame.
    n_outputs_ : int
    max_features_ : int
    feature_importances_ : ndarray of shape (n_features,)
        Decrease in impurity by the splits on each column, normalised to sum to 1. Biased towards columns with many
        distinct values.
    tree_ : Tree
        The fitted tree as arrays with the same names as in scikit-learn. The children of a node have consecutive
        indices.
    surrogates_ : Surrogates or None
    n_split_evaluations_ : int
        Number of candidate splits scored."""

_NOTES = """
    A row goes left if x <= threshold. Thresholds lie midway between adjacent distinct values in the node. Ties are
    broken in favour of the first column and then the lowest threshold; gains within 1e-11 of the node's impurity count
    as equal. X keeps its precision, so float64 values are not rounded to float32.

    Each column is sorted once, in O(p n log n), and its order is maintained by stable partitions, in O(p n) per level
    of the tree. Large nodes are split with all threads across the columns, and subtrees of small nodes are grown in
    parallel. The result does not depend on the number of threads. Sparse input is converted to dense.

    Trees are unstable: a small change in the data can change the root split. Full trees overfit and predict
    probabilities of 0 and 1. Grow a full tree and prune it (:func:`prune_cv`) rather than stopping early, which misses
    structure that only appears two splits later (XOR). Avoid identifier-like columns. Consider whether values are
    missing at random before choosing `missing`."""

_REFERENCES = """
    Breiman, L., Friedman, J. H., Olshen, R. A. and Stone, C. J. (1984). *Classification and Regression Trees*.
    Therneau, T. M. and Atkinson, E. J. (2023). *An Introduction to Recursive Partitioning Using the RPART Routines*."""


def documented(splitter, max_features, rises, score):
    """Class decorator that fills in {parameters}, {more}, {attributes}, {notes} and {references} in a docstring."""
    return filled(
        parameters=_PARAMETERS,
        more=_MORE,
        attributes=_ATTRIBUTES,
        notes=_NOTES,
        references=_REFERENCES,
        splitter=splitter,
        max_features=max_features,
        rises=rises,
        score=score,
    )
