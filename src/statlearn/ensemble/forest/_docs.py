"""What the docstrings of the forests share."""

_PARAMETERS = """
    max_depth : int or None, default=None
        Splits between root and leaf at most; None grows until the leaves are pure.
    min_samples_split : int or float, default=2
        Rows that a node must have to be split; a float is a share of all rows.
    min_samples_leaf : int or float, default=1
        Rows that each side of a split must have; a float is a share of all rows. Rows count once, however often the
        bootstrap drew them.
    min_weight_fraction_leaf : float, default=0.0
        Share of the total weight that each side of a split must have.
    max_features : {features}
        Columns, drawn anew at each node, among which the split is sought: a number, a share, the square root, the
        logarithm to base 2, a third of the columns ("p/3"), or all (None). More are drawn while all of them are
        constant in the node.
    max_leaf_nodes : int or None, default=None
        With a number, nodes are split in the order of their gain until there are so many leaves.
    min_impurity_decrease : float, default=0.0
        What a split must lower the impurity by, weighted by the node's share of the rows.
    bootstrap : bool, default={bootstrap}
        Whether each tree has a sample of the rows, drawn with replacement, or all of them.
    oob_score : bool or callable, default=False
        Whether to predict each row by the trees that have not seen it; a callable (y_true, y_pred) replaces the
        {score}.
    n_jobs : int or None, default=None
        Threads; None and -1 take all that the process may use. The result does not depend on it.
    random_state : int, RandomState or None, default=None
        For samples, columns{cuts}.
    verbose : int, default=0
        Whether to print how many trees are grown.
    warm_start : bool, default=False
        Whether another `fit` with more `n_estimators` keeps the trees there are and adds to them."""

_LATER = """
    ccp_alpha : float, default=0.0
        Branches whose split lowers the impurity by less than this per leaf are cut off.
    max_samples : int, float or None, default=None
        Rows in each bootstrap sample, as a number or as a share; None for as many as there are.
    monotonic_cst : array-like of {-1, 0, 1} or None, default=None
        Columns in which the prediction must not fall (+1) or not rise (-1). Not for several outputs or more than two
        classes.
    splitter : {"binned", "exact"}, default="binned"
        Whether columns are cut into bins once, or every node knows all values. The exact search is several times
        slower; it pays where few columns carry a smooth signal with little noise.
    max_bins : int, default=255
        Bins per column, apart from the one for missing values. A column with no more distinct values is searched
        exactly.
    categorical_features : "from_dtype", array-like of bool, int or str, or None, default="from_dtype"
        Columns that hold categories: those of a data frame with a categorical type, or column numbers, names or a
        mask. Their levels are parted into two sets; of more than 254 levels, neighbours in the order of their mean
        response share one. Levels that a node has not seen go with its majority."""

_ATTRIBUTES = """
    forest_ : Forest
        The trees, in flat arrays.
    estimators_ : list of decision trees
        The trees one by one, made from `forest_` when asked for.
    estimators_samples_ : list of ndarray
        The training rows of each tree.
    seeds_ : ndarray of shape (n_estimators,)
        The seed of each tree.
    n_split_evaluations_ : int
        Candidate splits that were scored.
    feature_importances_ : ndarray of shape (n_features,)
        Mean fall of the impurity by the splits on each column, scaled to sum 1; see `impurity_importances`. Columns
        with many distinct values are favoured: compare with `oob_permutation_importance`.
    n_features_in_ : int
        Columns seen by `fit`.
    n_outputs_ : int
        Columns of y.
    feature_names_in_ : ndarray of str
        Their names, where X had them."""

_NOTES = """
    Columns are cut into bins of one byte once. A node's rows stand side by side in memory, bins, response and bootstrap
    count together, and are moved when the node is split; a node of many rows is searched through histograms, a node of
    few by comparing all of them. Cost per tree and level: O(rows x max_features). A missing value takes the side that
    lowers the impurity more, and the side of the majority where training knew none at that node.
    Averaging deep trees cures variance, not bias; more trees never overfit, deep trees on noisy data can. Many noise
    columns dilute the chance to draw a relevant one: see `relevant_split_probability`.
    Each tree has its own random stream: the same `random_state` gives the same trees for any number of threads."""

_REFERENCES = """
    .. [1] L. Breiman (2001), Random forests, Machine Learning 45.
    .. [2] P. Geurts, D. Ernst, L. Wehenkel (2006), Extremely randomized trees, Machine Learning 63."""

_PARTS = {
    "parameters": _PARAMETERS,
    "later": _LATER,
    "attributes": _ATTRIBUTES,
    "notes": _NOTES,
    "references": _REFERENCES,
}


def documented(features, bootstrap, score, cuts=""):
    """Fill the shared parts into the docstring of a forest."""
    words = {"features": features, "bootstrap": str(bootstrap), "score": score, "cuts": cuts}

    def fill(cls):
        text = cls.__doc__
        for name, part in _PARTS.items():
            text = text.replace(f"{{{name}}}", part.strip())
        for name, word in words.items():
            text = text.replace(f"{{{name}}}", word)
        cls.__doc__ = text
        return cls

    return fill
