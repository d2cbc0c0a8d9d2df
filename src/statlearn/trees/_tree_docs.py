"""What the docstrings of the decision trees share."""

_PARAMETERS = """
    splitter : {"best", "random", "binned"}, default="%(splitter)s"
        The best threshold of all; the best of one random threshold per column; or the best of at most `max_bins`
        thresholds per column, chosen once by quantiles (the same tree as "best" where no column has more distinct
        values than that).
    max_depth : int or None, default=None
        Splits between the root and a leaf at most.
    min_samples_split : int or float, default=2
        Rows (or share of the rows) that a node must have to be split.
    min_samples_leaf : int or float, default=1
        Rows (or share of the rows) that each side of a split must have.
    min_weight_fraction_leaf : float, default=0.0
        Share of the total weight that each side of a split must have.
    max_features : int, float, {"sqrt", "log2"} or None, default=%(max_features)s
        Columns among which each node seeks its split: as many, a share, the root or the logarithm of their number, or
        all. They are drawn anew for each node; where all that were drawn are constant, further ones are drawn.
    random_state : int, RandomState instance or None, default=None
        Only draws of columns and of thresholds are random.
    max_leaf_nodes : int or None, default=None
        With a number, nodes are split in the order of their gain until the tree has so many leaves.
    min_impurity_decrease : float, default=0.0
        What a split must gain: the fall of impurity times the node's share of the total weight."""

_MORE = """
    ccp_alpha : float, default=0.0
        Price of a leaf: the tree is pruned to the smallest subtree that minimises cost + ccp_alpha * leaves.
    monotonic_cst : array-like of {-1, 0, 1}, dict of names, or None, default=None
        +1: %(rises)s must not fall as the column rises; -1: it must not rise.
    missing : {"direction", "category", "surrogate", "fractional"}, default="direction"
        What becomes of missing values (NaN). "direction": they go to the side that suits them better. "category": they
        are a value of their own: a further level of a categorical column, and a branch of their own before an ordered
        column is cut. "surrogate": a split is chosen without them, and they follow the split on another column that
        imitates it best (as in R's rpart; no column with a direction, nor one that may not meet those of the path).
        "fractional": a split is chosen without them, and they go to both sides with weights in proportion (as in C4.5);
        predictions are means over the leaves reached. A value that is missing at prediction only goes where most of the
        node's rows went ("direction", "category").
    max_surrogates : int, default=5
        Surrogate splits kept per node.
    categorical_features : "from_dtype", array-like of bool, int or str, or None, default="from_dtype"
        Columns whose values are names: those of a data frame with a categorical type, or these. They are split by sets
        of levels, as many as there may be. A level not seen in a node goes where most of its rows went; a level never
        seen in training is a missing value.
    categorical_split : {"ordered", "exhaustive", "multiway"}, default="ordered"
        Levels in the order of their mean target (or of the share of each class in turn) are cut at one place: the best
        of all partitions for two classes or numbers. "exhaustive": all partitions are tried where a node has at most
        12 levels. "multiway": one branch for each level, kept as a chain of binary splits.
    interaction_cst : {"pairwise", "no_interactions"}, sequence of sequences, or None, default=None
        Sets of columns (numbers or names); a path from the root tests columns of one set only. Columns in no set form
        one more.
    max_bins : int, default=255
        Thresholds per column of splitter="binned", less one.
    ccp_scale : {"mean", "count"}, default="mean"
        Whether `ccp_alpha` weighs leaves against the mean impurity of a row, or against the impurity summed over rows
        (the books' convention): the second is n times the first.
    target_score : float or None, default=None
        Grow in the order of gains, and stop as soon as the training %(score)s is as good."""

_ATTRIBUTES = """
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only for data frames.
    n_outputs_ : int
    max_features_ : int
    feature_importances_ : ndarray of shape (n_features,)
        Fall of impurity by the splits on each column, in shares. Columns with many distinct values are favoured.
    tree_ : Tree
        The tree in arrays under scikit-learn's names. The children of a node have neighbouring numbers.
    surrogates_ : Surrogates or None
    n_split_evaluations_ : int
        Candidate splits that were scored."""

_NOTES = """
    x goes left when x <= threshold; thresholds lie midway between neighbouring distinct values of the node. Equal gains
    go to the lowest column, then to the lowest threshold (gains within 1e-11 of the node's impurity are equal). X keeps
    its precision: float64 values are not rounded to float32.

    Each column is sorted once, O(p n log n), and its order is carried through the nodes by stable partitions, O(p n)
    per level of the tree. Splits of large nodes are sought with all threads over the columns, subtrees of small ones
    grow side by side; the result does not depend on the number of threads. Sparse tables are made dense.

    Trees are unstable: a small change of the data can change the root. Full trees overfit and give probabilities of 0
    and 1; grow, then prune (:func:`prune_cv`): stopping early misses what only shows two splits later (XOR). Avoid
    identifier-like columns. Tell informative from random missingness before choosing `missing`."""

_REFERENCES = """
    Breiman, L., Friedman, J. H., Olshen, R. A. and Stone, C. J. (1984). *Classification and Regression Trees*.
    Therneau, T. M. and Atkinson, E. J. (2023). *An Introduction to Recursive Partitioning Using the RPART Routines*."""


def documented(splitter, max_features, rises, score):
    """A class decorator that fills {parameters}, {more}, {attributes}, {notes} and {references} of a docstring."""
    words = {"splitter": splitter, "max_features": max_features, "rises": rises, "score": score}

    def fill(cls):
        doc = cls.__doc__
        for name, text in [
            ("parameters", _PARAMETERS % words),
            ("more", _MORE % words),
            ("attributes", _ATTRIBUTES),
            ("notes", _NOTES),
            ("references", _REFERENCES),
        ]:
            doc = doc.replace("{" + name + "}", text.strip())
        cls.__doc__ = doc
        return cls

    return fill
