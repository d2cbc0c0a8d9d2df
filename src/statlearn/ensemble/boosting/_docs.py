"""Shared parts of the docstrings of gradient boosting."""

from statlearn._core.docstrings import filled

_PARAMETERS = """
    learning_rate : float, default=0.1
        Factor by which the values of every tree are multiplied. Smaller values need more rounds and usually predict
        better.
    n_estimators : int, default=100
        Number of rounds. Each adds one tree, or one per class if there are more than two.
    subsample : float, default=1.0
        Proportion of the rows, drawn without replacement, on which the trees of each round are grown.
    min_samples_split : int or float, default=2
        Minimum number (or proportion) of rows required to split a node.
    min_samples_leaf : int or float, default=1
        Minimum number (or proportion) of rows in each leaf.
    min_weight_fraction_leaf : float, default=0.0
        Minimum proportion of the total weight in each leaf.
    max_depth : int or None, default=3
        Maximum depth of the trees; None means no limit.
    min_impurity_decrease : float, default=0.0
        Minimum gain of a split, measured as twice the decrease in the quadratic approximation of the loss per row. For
        squared error this is the decrease in the mean squared error.
    init : {"zero"}, estimator or None, default=None
        Initial scores: the optimal constant (None), zero, or the predictions of a model that is fitted first.
    random_state : int, RandomState or None, default=None
        Seed for subsamples, columns, held-out rows and the stochastic rounding of gradients.
    max_features : int, float, {"sqrt", "log2"} or None, default=None
        Number (or proportion) of columns drawn at random as candidates for each split. None uses all columns."""

_MORE_PARAMETERS = """
    verbose : int, default=0
        1 prints the training loss of the first ten rounds, then of every tenth and later of every hundredth. 2 prints
        that of every round.
    max_leaf_nodes : int or None, default=None
        Maximum number of leaves. If given, leaves are split in order of decreasing gain until it is reached; otherwise
        trees are grown level by level. For leaf-wise growth as in LightGBM, set it to 31 and `max_depth` to None.
    warm_start : bool, default=False
        Whether another `fit` with a larger `n_estimators` continues from the existing trees. It uses the columns, bins,
        classes and loss of the first fit.
    validation_fraction : float, default=0.1
        Proportion of the rows held out for early stopping, if `n_iter_no_change` is set and `X_val` is not given.
    n_iter_no_change : int or None, default=None
        Stop if the validation loss has not improved by at least `tol` for this many rounds. None turns early stopping
        off.
    tol : float, default=1e-4
        Minimum improvement of the validation loss; see `n_iter_no_change`.
    ccp_alpha : float, default=0.0
        Minimal cost-complexity pruning of each tree. Subtrees with a gain of at most this value per leaf are pruned, in
        the units of `min_impurity_decrease`.
    tree_method : {"hist", "exact"}, default="hist"
        "hist" considers thresholds between bins. "exact" considers thresholds between any two adjacent values, by
        exact greedy search on columns sorted once; it is several times slower and converts sparse tables to dense.
        For columns with at most `max_bins` distinct values, both partition the training rows in the same way, although
        thresholds may differ between values that are not adjacent in the table.
    leaf : {leaf_rules}, default="newton"
        "newton" uses leaf values -G / (H + reg_lambda), or optimal ones for losses with linear tails. "gradient" uses
        the plain gradient step -G, a sum over the leaf, and grows trees without second derivatives; choose a
        `learning_rate` that suits the {rows}
    reg_lambda : float, default=0.0
        L2 penalty on leaf values (`l2_regularization` in scikit-learn's histogram boosting).
    reg_alpha : float, default=0.0
        L1 penalty on leaf values.
    gamma : float, default=0.0
        Minimum gain of a split in units of the summed loss (half of XGBoost's value, whose gains lack the factor 1/2).
    min_child_weight : float, default=1e-7
        Minimum sum of second derivatives in each leaf. Larger values (1e-3 in LightGBM, 1 in XGBoost) prevent huge
        steps where the loss is flat.
    post_prune : bool, default=False
        Whether splits with a gain below `gamma` are made first and pruned afterwards if no split below them is
        worthwhile. This preserves a good split below a poor one.
    goss : tuple (a, b) or None, default=None
        Gradient-based one-side sampling. Each round uses the proportion `a` of the rows with the largest gradients and
        a random sample of the others, amounting to the proportion `b` of all rows and weighted by (1 - a) / b.
    max_bins : int, default=255
        Maximum number of bins per column, not counting the one for missing values. Bins contain about equal numbers of
        rows, regardless of the row weights. Columns with fewer distinct values are searched exactly.
    max_conflict_rate : float or None, default=0.0
        Exclusive feature bundling: columns of a sparse table share a byte if at most this proportion of the rows has
        more than one of them non-zero. With 0 the trees are the same as for separate columns. None turns bundling off.
    categorical_features : array-like of bool, int or str, "from_dtype" or None, default="from_dtype"
        Categorical columns: the given ones, or those of a categorical data type in a data frame. Their levels are split
        into two sets, one of which has at most 64 levels, instead of at a threshold. With more than 4096 levels, levels
        with similar mean gradients are merged. Levels not seen at a node go to the child with more training rows, and
        levels not seen in training are treated as missing.
    monotonic_cst : array-like of {-1, 0, 1}, dict of names, or None, default=None
        Monotonicity constraints: columns in which the score must not decrease (+1) or not increase (-1). Leaf values
        that are fitted to the rows of their leaf (absolute error, Huber, log-cosh, quantile) or are sums
        (`leaf="gradient"`) are adjusted to a common value if they violate a constraint.
    interaction_cst : {"pairwise", "no_interactions"}, sequence of sets of columns, or None, default=None
        Sets of columns that may interact. All columns split on along a path must belong to the same set. Columns in no
        set form an additional set.
    scoring : str, callable or None, default=None
        Scorer for early stopping on the validation rows. None or "loss" uses the loss.
    dropout : float, default=0.0
        Probability that an earlier round is dropped while the trees of a new round are grown (DART [5]_). The k dropped
        rounds are then scaled by k / (k + learning_rate), and the new trees by learning_rate / (k + learning_rate).
        With a `learning_rate` of 1, later trees matter about as much as the first ones. As earlier rounds are rescaled,
        `staged_predict` returns partial sums of the final model rather than the intermediate models. Each round
        additionally costs a prediction with the dropped trees."""

_ATTRIBUTES = """
    forest_ : Forest
        The trees as flat arrays.
    estimators_ : ndarray of shape (n_rounds, n_trees_per_round)
        The individual trees, each with a `tree_` attribute as in scikit-learn.
    start_ : ndarray of shape (n_scores,)
        The constant to which the trees are added.
    init_ : estimator or None
        The fitted `init`, if it is an estimator.
    loss_ : str
        Name of the loss used in training; "custom" for a function.
    n_estimators_ : int
        Number of rounds performed.
    n_trees_per_iteration_ : int
        Number of trees per round: the number of classes if there are more than two, otherwise 1.
    max_features_ : int
        Number of columns drawn for each split.
    train_score_ : ndarray of shape (n_estimators_,)
        Mean loss of the training rows of the round, after each round. Squared error and binary log loss are multiplied
        by 2, as in scikit-learn.
    validation_score_ : ndarray
        The same for the validation rows, or minus their score if `scoring` is set. Empty without validation rows.
    oob_scores_, oob_improvement_ : ndarray of shape (n_estimators_,)
        Loss of the out-of-bag rows of each round and its decrease in that round. Only with `subsample` < 1.
    oob_score_ : float
        The last of the `oob_scores_`. Only with `subsample` < 1.
    feature_importances_ : ndarray of shape (n_features,)
        Total gain of the splits on each column, normalised to sum to 1. Biased towards columns with many distinct
        values.
    n_features_in_ : int
        Number of columns seen during `fit`.
    feature_names_in_ : ndarray of str
        Column names, if X had them."""

_NOTES = r"""
    Each round fits a tree :math:`T_m` to the first and second derivatives g, h of the loss at the current scores. With
    G and H their sums over the rows of a node, and λ = `reg_lambda`, γ = `gamma` [2]_,

    .. math::

        f_m = f_{m-1} + \nu T_m, \qquad \text{leaf} = -\frac{G}{H + \lambda}, \qquad \text{gain} = \frac12 \left[
        \frac{G_L^2}{H_L + \lambda} + \frac{G_R^2}{H_R + \lambda} - \frac{G^2}{H + \lambda}\right] - \gamma.

    Columns are binned once into bytes. The histogram of (G, H) at a node costs one pass over the
    rows of its smaller child, and that of the sibling is the difference. From 20,000 rows on, g and h are
    stochastically rounded to six bits while splits are compared, and leaf values are computed from the exact sums [3]_.
    The cost is O(rows x columns) per level of a tree, and the binned table is stored twice with one byte per value.
    Missing values go to the side with the larger gain. The same `random_state` gives the same trees for any number of
    threads.

    The defaults are those of scikit-learn's class of the same name: 100 rounds of depth 3 without early stopping.
    Unlike there, trees use second derivatives while they are grown, and columns with more than `max_bins` distinct
    values are binned at quantiles; `tree_method="exact"` searches every threshold.

    Boosting works best with weak trees and a small learning rate over many rounds. Choose the number of rounds with
    `n_iter_no_change` or from `staged_predict`. To predict single rows in a service, use `fast_predictor`, which skips
    input validation."""

_REFERENCES = """
    .. [1] J. H. Friedman (2001), Greedy function approximation: a gradient boosting machine, Annals of Statistics 29.
    .. [2] T. Chen, C. Guestrin (2016), XGBoost: a scalable tree boosting system, KDD.
    .. [3] Y. Shi et al. (2022), Quantized training of gradient boosting decision trees, NeurIPS.
    .. [4] G. Ke et al. (2017), LightGBM: a highly efficient gradient boosting decision tree, NeurIPS.
    .. [5] K. V. Rashmi, R. Gilad-Bachrach (2015), DART: dropouts meet multiple additive regression trees, AISTATS."""


_ONE_STEP = """
        "one_step", for the Huber loss, replaces the optimal start and leaf values by those of [1]_: the median plus the
        mean of the deviations from it, clipped at `delta`."""


def documented(cls):
    """Fill in the shared parts of the docstring of an estimator."""
    (leaf_rule,) = cls._constraints["leaf"]
    return filled(
        parameters=_PARAMETERS,
        more_parameters=_MORE_PARAMETERS,
        attributes=_ATTRIBUTES,
        notes=_NOTES,
        references=_REFERENCES,
        leaf_rules="{" + ", ".join(f'"{option}"' for option in leaf_rule.options) + "}",
        rows="number of rows." + (_ONE_STEP if "one_step" in leaf_rule.options else ""),
    )(cls)
