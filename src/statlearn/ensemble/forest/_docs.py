"""Shared parts of the docstrings of forests."""

from statlearn._core.docstrings import filled

_PARAMETERS = """
    max_depth : int or None, default=None
        Maximum depth of the trees. None grows trees until the leaves are pure.
    min_samples_split : int or float, default=2
        Minimum number (or, as a float, proportion) of rows required to split a node.
    min_samples_leaf : int or float, default=1
        Minimum number (or, as a float, proportion) of rows in each child of a split. Each row counts once, regardless
        of how often it is in the bootstrap sample.
    min_weight_fraction_leaf : float, default=0.0
        Minimum proportion of the total weight in each child of a split.
    max_features : {features}
        Number of columns drawn at random at each node as candidates for the split: a number, a proportion, the square
        root, the base-2 logarithm or a third ("p/3") of the number of columns, or all (None). If all drawn columns are
        constant in the node, more are drawn.
    max_leaf_nodes : int or None, default=None
        Maximum number of leaves. If given, nodes are split in order of decreasing gain until it is reached.
    min_impurity_decrease : float, default=0.0
        Minimum decrease in impurity for a split, weighted by the node's proportion of the rows.
    bootstrap : bool, default={bootstrap}
        Whether each tree is grown on a sample of the rows, drawn with replacement, or on all rows.
    oob_score : bool or callable, default=False
        Whether to compute out-of-bag predictions and their score. A callable (y_true, y_pred) replaces the {score} as
        the score.
    n_jobs : int or None, default=None
        Number of threads. None and -1 use all threads available to the process. The result does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed for drawing {drawn}.
    verbose : int, default=0
        If positive, print the number of trees grown so far.
    warm_start : bool, default=False
        Whether another `fit` with a larger `n_estimators` adds trees to the existing ones."""

_LATER = """
    ccp_alpha : float, default=0.0
        Complexity parameter of minimal cost-complexity pruning. Branches that decrease the impurity by less than this
        per leaf are pruned.
    max_samples : int, float or None, default=None
        Number or proportion of rows in each bootstrap sample. None draws as many rows as X has.
    monotonic_cst : array-like of {-1, 0, 1} or None, default=None
        Monotonicity constraints: columns in which the prediction must not decrease (+1) or not increase (-1). Not
        supported for several outputs or more than two classes.
    splitter : {"binned", "exact"}, default="binned"
        "binned" bins the columns once, "exact" considers all values at every node. The exact search is several times
        slower. It is worthwhile if few columns carry a smooth signal with little noise.
    max_bins : int, default=255
        Maximum number of bins per column, not counting the one for missing values. Columns with no more distinct values
        are searched exactly.
    categorical_features : "from_dtype", array-like of bool, int or str, or None, default="from_dtype"
        Categorical columns: those of a data frame with a categorical data type, or the given column indices, names or
        mask. Their levels are split into two sets. With more than 254 levels, levels with similar mean responses are
        merged. Levels not seen at a node go to the child with more training rows."""

_ATTRIBUTES = """
    forest_ : Forest
        The trees as flat arrays.
    estimators_ : list of decision trees
        The individual trees, created from `forest_` on access.
    estimator_ : decision tree
        An unfitted tree with the parameters of the forest.
    estimators_samples_ : list of ndarray
        The training rows of each tree.
    seeds_ : ndarray of shape (n_estimators,)
        The seed of each tree.
    n_split_evaluations_ : int
        Number of candidate splits scored.
    feature_importances_ : ndarray of shape (n_features,)
        Mean decrease in impurity by the splits on each column, normalised to sum to 1; see `impurity_importances`.
        Biased towards columns with many distinct values; compare with `oob_permutation_importance`.
    n_features_in_ : int
        Number of columns seen during `fit`.
    n_outputs_ : int
        Number of columns of y.
    feature_names_in_ : ndarray of str
        Column names, if X had them."""

_NOTES = """
    Columns are binned once into bytes. The rows of a node are contiguous in memory, with bins, response and bootstrap
    count stored together, and are partitioned when the node is split. Nodes with many rows are searched with
    histograms, nodes with few rows by comparing all values. The cost per tree and level is O(rows x max_features). A
    missing value goes to the side that decreases the impurity more, or to the child with more training rows if the
    node had no missing values in training.
    Averaging deep trees reduces variance, not bias. Adding trees does not cause overfitting, but deep trees on noisy
    data can overfit. Many noise columns lower the probability of drawing a relevant one; see
    `relevant_split_probability`.
    Each tree has its own random stream, so the same `random_state` gives the same trees for any number of threads."""

_REFERENCES = """
    .. [1] L. Breiman (2001), Random forests, Machine Learning 45.
    .. [2] P. Geurts, D. Ernst, L. Wehenkel (2006), Extremely randomized trees, Machine Learning 63."""


def documented(features, bootstrap, score, drawn="samples, columns"):
    """Fill in the shared parts of the docstring of a forest."""
    return filled(
        parameters=_PARAMETERS,
        later=_LATER,
        attributes=_ATTRIBUTES,
        notes=_NOTES,
        references=_REFERENCES,
        features=features,
        bootstrap=bootstrap,
        score=score,
        drawn=drawn,
    )
