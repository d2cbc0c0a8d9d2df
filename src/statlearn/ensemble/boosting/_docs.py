"""What the docstrings of the boosting estimators share."""

_PARAMETERS = """
    learning_rate : float, default=0.1
        Factor on the values of every tree. Smaller steps need more rounds and usually predict better.
    n_estimators : int, default=100
        Rounds; each adds one tree (one per class where there are more than two).
    subsample : float, default=1.0
        Share of the rows, drawn without replacement, on which each round's trees are grown.
    min_samples_split : int or float, default=2
        Rows, or share of all rows, that a node must have to be split.
    min_samples_leaf : int or float, default=1
        Rows, or share of all rows, that every leaf must have.
    min_weight_fraction_leaf : float, default=0.0
        Share of the total weight that every leaf must have.
    max_depth : int or None, default=3
        Splits between root and leaf at most; None for no limit.
    min_impurity_decrease : float, default=0.0
        What a split must gain: twice the fall of the loss's quadratic approximation, per row. For squared error that is
        the fall of the mean squared error.
    init : {"zero"}, estimator or None, default=None
        Where the scores start: the best constant, zero, or the predictions of a model that is fitted first.
    random_state : int, RandomState or None, default=None
        For subsamples, columns, held-out rows and the rounding of gradients.
    max_features : int, float, {"sqrt", "log2"} or None, default=None
        Columns, or share of them, drawn for each split, among which the best is sought; None for all."""

_MORE_PARAMETERS = """
    verbose : int, default=0
        1 prints the training loss of the first ten rounds, then of every tenth, then of every hundredth; 2 of all.
    max_leaf_nodes : int or None, default=None
        With a number, leaves are split in the order of their gain until there are so many; without, level by level.
        For the fast growth that LightGBM is known for, set it to 31 and `max_depth` to None.
    warm_start : bool, default=False
        Whether another `fit` with more rounds goes on from the trees there are, with the columns, bins, classes and
        loss of the first.
    validation_fraction : float, default=0.1
        Share of the rows held out to watch the loss, where `n_iter_no_change` asks for it and no X_val is given.
    n_iter_no_change : int or None, default=None
        Stop when the validation loss is not by `tol` below any of those of so many rounds before; None never stops.
    tol : float, default=1e-4
        See `n_iter_no_change`.
    ccp_alpha : float, default=0.0
        Minimal cost-complexity pruning of each tree: subtrees go that gain at most so much for each of their leaves, in
        the units of `min_impurity_decrease`.
    tree_method : {"hist", "exact"}, default="hist"
        Thresholds between bins, or between any two neighbouring values (exact greedy search on columns sorted once;
        several times slower, sparse tables become dense). Columns of at most `max_bins` values divide the rows of a
        tree in the same way; between two values that are not neighbours in the table, the thresholds may differ.
    leaf : {"newton", "gradient"}, default="newton"
        Leaf values -G / (H + reg_lambda), or the plain gradient step -G, the sum over the leaf, on trees that see no
        second derivatives: choose a `learning_rate` that suits the number of rows.
    reg_lambda : float, default=0.0
        L2 penalty on leaf values (`l2_regularization` in scikit-learn's histogram boosting).
    reg_alpha : float, default=0.0
        L1 penalty on leaf values.
    gamma : float, default=0.0
        What a split must gain, in units of the summed loss (half of XGBoost's, whose gains lack the factor 1/2).
    min_child_weight : float, default=1e-7
        Sum of second derivatives that every leaf must have. Larger values (1e-3 in LightGBM, 1 in XGBoost) guard
        against huge steps where the loss is flat.
    post_prune : bool, default=False
        Whether splits that gain less than `gamma` are made first and cut afterwards, if no split below them pays; a
        good split behind a bad one survives so.
    goss : tuple (a, b) or None, default=None
        Gradient-based one-side sampling: a round uses the share `a` of the rows with the largest gradients and a random
        share `b` of all rows from the others, weighted up by (1 - a) / b.
    max_bins : int, default=255
        Bins per column, apart from the one for missing values; they hold about as many rows each, whatever the weights
        of these. A column with fewer distinct values is searched exactly.
    max_conflict_rate : float or None, default=0.0
        Columns of a sparse table share a byte as long as at most this share of the rows has two of them non-zero
        (exclusive feature bundling); with 0 the trees are those of the separate columns. None: no bundles.
    categorical_features : array-like of bool, int or str, "from_dtype" or None, default="from_dtype"
        Columns whose values are names: given, or those of a categorical type in a data frame. Their values are split
        into two sets, one of at most 64 values, instead of at a threshold; beyond 4096 values, those with similar mean
        gradients are taken as one. Values not seen in a node go where most of its rows went, values not seen at all
        count as missing.
    monotonic_cst : array-like of {-1, 0, 1}, dict of names, or None, default=None
        Columns in which the score must not fall (+1) or not rise (-1). Leaf values that are fitted to the rows of their
        leaf (absolute error, Huber, quantile) or are sums (`leaf="gradient"`) are moved together where they contradict
        a direction.
    interaction_cst : {"pairwise", "no_interactions"}, sequence of sets of columns, or None, default=None
        Columns that may be split on along one path: those of one set. Columns in no set form one of their own.
    scoring : str, callable or None, default=None
        Scorer by which `n_iter_no_change` judges the validation rows; None or "loss" for the loss.
    dropout : float, default=0.0
        Chance of every earlier round to be left out while a round's trees are grown (DART [5]_): k rounds left out are
        then scaled by k / (k + learning_rate), the new trees by learning_rate / (k + learning_rate). At a
        `learning_rate` of 1 later trees then matter about as much as the first ones. Earlier rounds change, so that
        `staged_predict` shows parts of the final sum, not the models on the way; a round costs in addition a walk
        through the trees that it leaves out."""

_ATTRIBUTES = """
    forest_ : Forest
        The trees, in flat arrays.
    estimators_ : ndarray of shape (n_estimators_, n_trees_per_iteration_)
        The trees one by one, each with a `tree_` under scikit-learn's names.
    start_ : ndarray of shape (n_scores,)
        The constant that the trees are added to.
    init_ : estimator or None
        The fitted `init`, where that is an estimator.
    loss_ : str
        Name of the loss that the trees were grown for; "custom" for a function.
    n_estimators_ : int
        Rounds that were made.
    n_trees_per_iteration_ : int
        Trees of a round: 1, or the number of classes beyond two.
    max_features_ : int
        Columns drawn for each split.
    train_score_ : ndarray of shape (n_estimators_,)
        Mean loss of the round's training rows after each round; squared error and binary log loss count twice, as in
        scikit-learn.
    validation_score_ : ndarray
        The same of the validation rows, or minus their score; empty without them.
    oob_scores_, oob_improvement_ : ndarray of shape (n_estimators_,)
        With `subsample` < 1: loss of the rows that the round did not see, and by how much the round made it fall.
    oob_score_ : float
        The last of the `oob_scores_`.
    feature_importances_ : ndarray of shape (n_features,)
        Total gain of the splits on each column, scaled to sum 1. Columns with many distinct values are favoured.
    n_features_in_ : int
        Columns seen by `fit`.
    feature_names_in_ : ndarray of str
        Their names, where X had them."""

_NOTES = """
    Each round fits a tree to the first and second derivatives g, h of the loss at the present scores. A leaf with
    sums G, H takes the value -G / (H + reg_lambda), and a split gains half the rise of G^2 / (H + reg_lambda) minus
    `gamma` [2]_. Columns are cut into bins of one byte once; a node's histogram of (G, H) costs one pass over the
    rows of its smaller child, the sibling's is the difference. From 20,000 rows on, g and h are rounded at random to
    six bits while splits are compared, and leaf values come from the exact sums [3]_.
    Cost: O(rows x columns) per level of a tree, one byte per cell twice in memory. Missing values go to the side
    that gains more. The same `random_state` gives the same trees for any number of threads.

    Defaults are those of scikit-learn's class of this name: 100 rounds of depth 3, no early stopping. It differs in
    that trees see second derivatives while they grow, and that columns with more than `max_bins` values are cut at
    quantiles: `tree_method="exact"` searches every threshold.

    Boosting wants weak trees and a small learning rate with many rounds: choose their number by `n_iter_no_change`
    or from `staged_predict`. For single rows in a service, `fast_predictor` skips the checks of the input."""

_REFERENCES = """
    .. [1] J. H. Friedman (2001), Greedy function approximation: a gradient boosting machine, Annals of Statistics 29.
    .. [2] T. Chen, C. Guestrin (2016), XGBoost: a scalable tree boosting system, KDD.
    .. [3] Y. Shi et al. (2022), Quantized training of gradient boosting decision trees, NeurIPS.
    .. [4] G. Ke et al. (2017), LightGBM: a highly efficient gradient boosting decision tree, NeurIPS.
    .. [5] K. V. Rashmi, R. Gilad-Bachrach (2015), DART: dropouts meet multiple additive regression trees, AISTATS."""


def documented(cls):
    """Fill the shared parts into the docstring of an estimator."""
    parts = {
        "parameters": _PARAMETERS,
        "more_parameters": _MORE_PARAMETERS,
        "attributes": _ATTRIBUTES,
        "notes": _NOTES,
        "references": _REFERENCES,
    }
    for name, text in parts.items():
        cls.__doc__ = cls.__doc__.replace(f"{{{name}}}", text.strip())
    return cls
