"""C4.5: gain ratio, numbers and names, missing cells in pieces, pessimistic pruning."""

from statlearn._core.native import trees as native
from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.search import SearchSpace

from ._multiway import MultiwayClassifier, MultiwayTree


class C45Classifier(MultiwayClassifier):
    r"""Quinlan's C4.5: multiway splits on names, cuts of numbers, gain ratio, pruning by pessimistic error.

    Of the splits whose information gain is at least the mean gain of all candidates, the one with the largest

    .. math:: \frac{\text{gain}}{-\sum_b \frac{n_b}{n} \log_2 \frac{n_b}{n}}

    is taken. Gains are computed on the rows whose cell is known, times their share. The grown tree is pruned from its
    leaves up: a subtree becomes a leaf, or its heaviest branch takes its place, where the number of errors to expect
    at the upper limit of a binomial confidence interval does not grow by it.

    Parameters
    ----------
    criterion : {"gain_ratio", "gain"}, default="gain_ratio"
        "gain" takes the largest information gain.
    min_samples_leaf : float, default=2
        At least two branches of a split must hold this weight of rows. A side of a cut also holds at least a tenth of
        the mean class at the node, up to 25 rows.
    max_depth : int or None, default=None
        Most tests on a path.
    threshold_penalty : bool, default=True
        A cut of a column of numbers pays for the choice among its cuts with log2(number of cuts) / n of its gain
        (release 8 of the program).
    prune : bool, default=True
        Whether the grown tree is pruned.
    confidence : float, default=0.25
        Level of the confidence limit in pruning; smaller values prune more.
    subtree_raising : bool, default=True
        Whether pruning may put the heaviest branch of a node in its place.
    categorical_features : array-like of int, str or bool, or None, default=None
        Columns of numbers that are names: indices, names or a mask. Text and categories always are.
    smoothing : float, default=0.0
        Rows of each class added to every leaf in `predict_proba` (1: Laplace's rule).

    Attributes
    ----------
    tree_ : MultiwayTree
        The tree in flat arrays.
    categories_ : list of ndarray or None
        The levels of each column of names, None for columns of numbers.
    classes_ : ndarray
        The labels, sorted.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    Data frames with text and numbers can be given as they are. A row whose tested cell is missing goes down every
    branch, in pieces as heavy as the branches, in training as in prediction, where the leaves are averaged; a level
    that training never saw counts as missing. A level that training saw, but not at this node, gets the class shares
    of the node. Pieces below a thousandth of a row go down the heaviest branch only.

    Columns with more levels than 0.3 n do not count in the mean gain: else an identifier would lift it so far that
    nothing else could reach it.

    Thresholds are mid-points between neighbouring values (the program takes the lower of the two). Equal worth: the
    first column, the lowest threshold. The confidence limit is a heuristic, since the same rows grew the tree; where
    rows are plenty, validate (:func:`prune_reduced_error`).

    Growing costs O(n p log n) for each level of the tree.

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
        "C4.5 tree",
        3.2,
        grid={"confidence": [0.001, 0.05, 0.25]},
        fixed={"min_samples_leaf": 5, "smoothing": 1.0},
        table="native",
        max_rows=200_000,
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
        """Grow the tree and prune it.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features)
            NaN, None and NA are missing.
        y : array-like of shape (n_rows,)
            Labels.
        sample_weight : array-like of shape (n_rows,) or None

        Returns
        -------
        self
        """
        check_params(self)
        table, codes, weights = self._read_training(X, y, sample_weight)
        rows = (table, self._levels, codes, weights)
        grown = native.multiway_grow(
            *rows,
            n_classes=len(self.classes_),
            gain_ratio=self.criterion == "gain_ratio",
            threshold_penalty=self.threshold_penalty,
            min_leaf=float(self.min_samples_leaf),
            min_gain=1e-12,  # below this a gain is rounding
            max_depth=self.max_depth or 0,
        )
        self.tree_ = MultiwayTree(**grown)
        if self.prune:
            pruned = native.multiway_prune(
                *rows, *self.tree_.arrays(), confidence=float(self.confidence), raising=self.subtree_raising
            )
            self.tree_ = MultiwayTree(**pruned)
        return self
