"""C4.5: gain ratio, numeric and categorical columns, fractional rows for missing values, pessimistic pruning."""

from statlearn._core.native import trees as native
from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.search import SearchSpace

from ._multiway import MultiwayClassifier, MultiwayTree, kernel_depth


class C45Classifier(MultiwayClassifier):
    r"""C4.5 decision tree with gain-ratio splits and pessimistic error pruning.

    Categorical columns are split into one branch per level, numeric columns at a threshold. Among the splits whose
    information gain is at least the mean gain of all candidates, C4.5 chooses the one with the largest gain ratio

    .. math:: \frac{\text{gain}}{-\sum_b \frac{n_b}{n} \log_2 \frac{n_b}{n}}

    The gain is computed on the rows where the column is not missing, and multiplied by their proportion. The tree is
    then pruned from the leaves up. A subtree is replaced by a leaf, or by its heaviest branch, if this does not
    increase the number of errors expected at the upper limit of a binomial confidence interval.

    Parameters
    ----------
    criterion : {"gain_ratio", "gain"}, default="gain_ratio"
        "gain" chooses the split with the largest information gain instead.
    min_samples_leaf : float, default=2
        Minimum weight of rows in at least two branches of a split. Each side of a numeric split must also hold at
        least a tenth of the mean class weight at the node, up to 25 rows.
    max_depth : int or None, default=None
        Maximum depth of the tree; None means no limit.
    threshold_penalty : bool, default=True
        Whether the gain of a numeric split is reduced by log2(number of candidate thresholds) / n, to correct for the
        choice among thresholds (release 8 of Quinlan's program).
    prune : bool, default=True
        Whether to prune the grown tree.
    confidence : float, default=0.25
        Confidence level of the error estimate in pruning. Smaller values prune more.
    subtree_raising : bool, default=True
        Whether pruning may replace a node by its heaviest branch.
    categorical_features : array-like of int, str or bool, or None, default=None
        Numeric columns to treat as categorical, by index, name or mask. Columns of text or of a categorical type are
        always categorical.
    smoothing : float, default=0.0
        Number of rows of each class added to every leaf in `predict_proba`. 1 is Laplace smoothing.

    Attributes
    ----------
    tree_ : MultiwayTree
        The fitted tree as flat arrays.
    categories_ : list of ndarray or None
        The levels of each categorical column, None for numeric columns.
    classes_ : ndarray
        The class labels, sorted.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    Data frames that mix text and numbers can be passed directly. If the tested value of a row is missing, fractions of
    the row go down every branch, in proportion to the weights of the branches. This applies in training and in
    prediction, where the leaves reached are averaged. A level not seen in training is treated as missing. A level seen
    in training but not at the node receives the class proportions of the node. Fractions below a thousandth of a row
    go down the heaviest branch only.

    Columns with more than 0.3 n levels are excluded from the mean gain. Otherwise an identifier would raise it so far
    that no other column could reach it.

    Thresholds are midpoints between adjacent values (Quinlan's program uses the lower of the two). Ties are broken in
    favour of the first column and the lowest threshold. The confidence limit is a heuristic, since it is computed on
    the rows that grew the tree. If there are enough rows, prune on held-out rows instead with
    :func:`prune_reduced_error`.

    Growing costs O(n p log n) per level of the tree.

    References
    ----------
    Quinlan, J. R. (1993). *C4.5: Programs for Machine Learning*.

    Quinlan, J. R. (1996). Improved use of continuous attributes in C4.5. *Journal of Artificial Intelligence Research*
    4, 77-90.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.trees import C45Classifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> print(C45Classifier().fit(X, y).export_text())
    petal width (cm) <= 0.80: 0 (50)
    petal width (cm) > 0.80
    |   petal width (cm) <= 1.75
    |   |   petal length (cm) <= 4.95: 1 (48/1)
    |   |   petal length (cm) > 4.95
    |   |   |   petal width (cm) <= 1.55: 2 (3)
    |   |   |   petal width (cm) > 1.55: 1 (3/1)
    |   petal width (cm) > 1.75: 2 (46/1)
    """

    _search_space = SearchSpace(
        "C4.5 tree", grid={"confidence": [0.001, 0.05, 0.25]}, fixed={"min_samples_leaf": 5, "smoothing": 1.0}
    )
    _missing_level = False
    _names_only = False
    _constraints = {
        "criterion": [Options("gain_ratio", "gain")],
        "min_samples_leaf": [Real(0, None, closed="neither")],
        "max_depth": [Int(1, None), None],
        "threshold_penalty": ["boolean"],
        "prune": ["boolean"],
        "confidence": [Real(0, 0.5, closed="right")],
        "subtree_raising": ["boolean"],
        "categorical_features": ["array-like", None],
        "smoothing": [Real(0, None)],
    }

    def __init__(
        self,
        *,
        criterion="gain_ratio",
        min_samples_leaf=2,
        max_depth=None,
        threshold_penalty=True,
        prune=True,
        confidence=0.25,
        subtree_raising=True,
        categorical_features=None,
        smoothing=0.0,
    ):
        self.criterion = criterion
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        self.threshold_penalty = threshold_penalty
        self.prune = prune
        self.confidence = confidence
        self.subtree_raising = subtree_raising
        self.categorical_features = categorical_features
        self.smoothing = smoothing

    def fit(self, X, y, sample_weight=None):
        """Grow and prune the tree.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features)
            Training data. NaN, None and NA are missing values.
        y : array-like of shape (n_rows,)
            Class labels.
        sample_weight : array-like of shape (n_rows,) or None, default=None

        Returns
        -------
        self
        """
        check_params(self)
        table, codes, weights = self._read_training(X, y, sample_weight)
        self.tree_ = grown_tree(self, table, self._levels, codes, weights)
        return self


def grown_tree(model, table, levels, codes, weights):
    """The tree of a C4.5 classifier on encoded rows, grown and pruned."""
    rows = (table, levels, codes, weights)
    grown = native.multiway_grow(
        *rows,
        n_classes=len(model.classes_),
        gain_ratio=model.criterion == "gain_ratio",
        threshold_penalty=model.threshold_penalty,
        min_leaf=float(model.min_samples_leaf),
        min_gain=1e-12,  # smaller gains are rounding errors
        max_depth=kernel_depth(model.max_depth),
    )
    tree = MultiwayTree(**grown)
    if not model.prune:
        return tree
    return MultiwayTree(
        **native.multiway_prune(
            *rows, *tree.arrays(), confidence=float(model.confidence), raising=model.subtree_raising
        )
    )
