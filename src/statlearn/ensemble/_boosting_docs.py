"""What the docstrings of the boosting estimators share."""

_PARAMETERS = """
    learning_rate : float, default=0.1
        Factor on the values of every tree. Smaller steps need more rounds and usually predict better.
    n_estimators : int, default=100
        Rounds; each adds one tree (one per class where there are more than two).
    subsample : float, default=1.0
        Share of the rows, drawn without replacement, on which each round's trees are grown.
    min_samples_leaf : int, default=1
        Rows that every leaf must have.
    max_depth : int or None, default=3
        Splits between root and leaf at most; None for no limit.
    max_leaf_nodes : int or None, default=None
        With a number, leaves are split in the order of their gain until there are so many; without, level by level.
    max_features : float or None, default=None
        Share of the columns, drawn for each split, among which the best is sought; None for all.
    reg_lambda : float, default=0.0
        L2 penalty on leaf values.
    reg_alpha : float, default=0.0
        L1 penalty on leaf values.
    gamma : float, default=0.0
        What a split must gain, in units of the summed loss.
    max_bins : int, default=255
        Bins per column, apart from the one for missing values. A column with fewer distinct values is searched
        exactly.
    categorical_features : array-like of bool, int or str, or None, default=None
        Columns whose numbers are names. Their values are split into two sets instead of at a threshold; beyond 254
        values the rarest share one bin. Values not seen in a node go where most of its rows went.
    monotonic_cst : array-like of {-1, 0, 1}, dict of names, or None, default=None
        Columns in which the score must not fall (+1) or not rise (-1).
    warm_start : bool, default=False
        Whether another `fit` with more rounds goes on from the trees there are.
    validation_fraction : float, default=0.1
        Share of the rows held out to watch the loss, where `n_iter_no_change` asks for it and no X_val is given.
    n_iter_no_change : int or None, default=None
        Stop when the validation loss has not fallen by `tol` for so many rounds; None never stops early.
    tol : float, default=1e-4
        See `n_iter_no_change`.
    random_state : int, RandomState or None, default=None
        For subsamples, columns, held-out rows and the rounding of gradients.
    verbose : int, default=0
        1 prints the loss of the first rounds and of every tenth, 2 of all."""

_ATTRIBUTES = """
    forest_ : Forest
        The trees, in flat arrays.
    start_ : ndarray of shape (n_scores,)
        The constant that the trees are added to.
    n_estimators_ : int
        Rounds that were made.
    train_score_ : ndarray of shape (n_estimators_,)
        Mean training loss before each round.
    validation_score_ : ndarray
        Mean validation loss after each round; empty without validation rows.
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
    that gains more. The same `random_state` gives the same trees for any number of threads."""

_REFERENCES = """
    .. [1] J. H. Friedman (2001), Greedy function approximation: a gradient boosting machine, Annals of Statistics 29.
    .. [2] T. Chen, C. Guestrin (2016), XGBoost: a scalable tree boosting system, KDD.
    .. [3] Y. Shi et al. (2022), Quantized training of gradient boosting decision trees, NeurIPS."""


def documented(cls):
    """Fill the shared parts into the docstring of an estimator."""
    parts = {"parameters": _PARAMETERS, "attributes": _ATTRIBUTES, "notes": _NOTES, "references": _REFERENCES}
    for name, text in parts.items():
        cls.__doc__ = cls.__doc__.replace(f"{{{name}}}", text.strip())
    return cls
