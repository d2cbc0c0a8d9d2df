"""Oblique trees: decision trees that split by half-spaces."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.blas import single_blas_thread
from statlearn._core.docstrings import filled
from statlearn._core.frames import CategoryCoder
from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.validation import check_weights, encode_classes, present_rows, validate_data

from ._oblique_grow import ObliqueGrower

_PARAMETERS = """
    direction : {"lda", "logistic", "search"}, default="lda"
        How the direction of a split is found: {direction}. "search" starts from the better of that hyperplane and the
        best split on a single column and improves it one coefficient at a time. The threshold along the direction
        minimises the impurity, and a split on a single column is used if no direction is better.
    criterion : {criterion}
    max_direction_features : int or None, default=None
        Maximum number of columns in one split. The columns with the best individual splits are used. 1 grows an
        axis-parallel tree, None allows all columns.
    max_depth : int or None, default=None
        Maximum depth of the tree; None means no limit.
    min_samples_split : int, default=2
        Minimum number of rows required to split a node.
    min_samples_leaf : int, default=1
        Minimum number of rows in a leaf.
    min_impurity_decrease : float, default=0.0
        Minimum decrease in impurity for a split, weighted by the node's proportion of the rows.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Categorical columns: those of a data frame with a categorical data type, or the given column indices, names or
        mask.
"""
_NOTES = """
    Columns are standardised within each node before a direction is computed, so the direction does not depend on their
    units. Ties are broken in favour of a split on a single column, the first column and the lowest threshold.

    A half-space needs numeric coordinates. In each node, a missing value (NaN) is replaced by the node mean of the
    column, and the levels of a categorical column are scored by
    {scores}.
    Levels that do not occur in the node are treated as missing. Scores are learned from the target, so with many levels
    of few rows each they overfit. They are computed one column at a time. If levels and numeric columns interact, a
    split on indicators of the levels (a TableTransformer before the tree) may separate better.

    One oblique split can replace a staircase of axis-parallel ones when the class boundary is not parallel to the axes,
    but it is harder to interpret. Oblique splits overfit small nodes with many columns. For noisy data, raise
    `min_samples_leaf` or lower `max_direction_features` well away from the defaults.

    A node of m rows costs O(p m log m + p^2 m), and the search O(p m log m) for each of its cycles.
"""


class _ObliqueTree(BaseEstimator):
    """Base class of the oblique tree classifier and regressor."""

    _constraints = {
        "direction": [Options("lda", "logistic", "search")],
        "max_direction_features": [Int(1, None), None],
        "max_depth": [Int(1, None), None],
        "min_samples_split": [Int(2, None)],
        "min_samples_leaf": [Int(1, None)],
        "min_impurity_decrease": [Real(0, None)],
        "categorical_features": [Options("from_dtype"), "array-like", None],
    }

    def _check_rows(self, X, y, sample_weight, **rules):
        """The rows of positive weight, with categories as codes."""
        self._coder = CategoryCoder(self.categorical_features)
        X, y = validate_data(
            self, self._coder.fit_frame(X), y, dtype=np.float64, ensure_all_finite="allow-nan", **rules
        )
        X, y, weights = present_rows(check_weights(sample_weight, X), X, y)
        X = self._coder.fit(X, getattr(self, "feature_names_in_", None)).encode(X)
        return X, y, weights

    def _grow(self, X, parts):
        limit = X.shape[1] if self.max_direction_features is None else self.max_direction_features
        grower = ObliqueGrower(
            direction=self.direction,
            criterion=self.criterion,
            max_columns=limit,
            max_depth=self.max_depth,
            min_split=self.min_samples_split,
            min_leaf=self.min_samples_leaf,
            min_decrease=self.min_impurity_decrease,
        )
        n_levels = np.array([len(self._coder.levels.get(j, ())) for j in range(X.shape[1])])
        with single_blas_thread():
            return grower.grow(X, parts, n_levels)

    def apply(self, X):
        """Index of the leaf that each row reaches.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of int
        """
        check_is_fitted(self)
        X = self._coder.read_frame(X)
        X = validate_data(self, X, dtype=np.float64, reset=False, ensure_all_finite="allow-nan")
        return self.tree_.apply(self._coder.encode(X))

    def get_depth(self):
        """Depth of the tree."""
        check_is_fitted(self)
        return int(self.tree_.depth.max())

    def get_n_leaves(self):
        """Number of leaves."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags


@filled(
    parameters=_PARAMETERS,
    notes=_NOTES,
    direction='the first discriminant coordinate ("lda"), or a logistic regression between two groups of classes '
    '("logistic")',
    criterion='{"gini", "entropy"}, default="gini"\n        Impurity measure.',
    scores="their first discriminant coordinate (for two classes the proportion of one, so that a split on the column\n"
    "    alone is optimal among all sets of levels)",
)
class ObliqueTreeClassifier(ClassifierMixin, _ObliqueTree):
    r"""Oblique classification tree, split by half-spaces :math:`w^\top x + w_0 > 0`.

    Rows inside the half-space go right.

    Parameters
    ----------
    {parameters}
    smoothing : float, default=0.0
        Number of rows of each class added to every leaf in `predict_proba`. 1 is Laplace smoothing.

    Attributes
    ----------
    tree_ : ObliqueTree
        Coefficients, intercepts, children and class proportions of the nodes as flat arrays.
    classes_ : ndarray
        The class labels, sorted.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    {notes}

    References
    ----------
    Murthy, S. K., Kasif, S. and Salzberg, S. (1994). A system for induction of oblique decision trees. *Journal of
    Artificial Intelligence Research* 2, 1-32.

    Loh, W.-Y. and Vanichsetakul, N. (1988). Tree-structured classification via generalized discriminant analysis.
    *Journal of the American Statistical Association* 83, 715-725. (Scores of levels, means for missing values.)

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.trees import ObliqueTreeClassifier
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> y = X[:, 0] > X[:, 1]
    >>> ObliqueTreeClassifier(max_depth=1).fit(X, y).score(X, y) > 0.97
    True
    """

    _search_space = SearchSpace(
        "oblique tree", grid={"max_depth": [2, 4, 8]}, fixed={"min_samples_leaf": 5, "smoothing": 1.0}
    )
    _constraints = {
        **_ObliqueTree._constraints,
        "criterion": [Options("gini", "entropy")],
        "smoothing": [Real(0, None)],
    }

    def __init__(
        self,
        *,
        direction="lda",
        criterion="gini",
        max_direction_features=None,
        max_depth=None,
        min_samples_split=2,
        min_samples_leaf=1,
        min_impurity_decrease=0.0,
        smoothing=0.0,
        categorical_features="from_dtype",
    ):
        self.direction = direction
        self.criterion = criterion
        self.max_direction_features = max_direction_features
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.smoothing = smoothing
        self.categorical_features = categorical_features

    def fit(self, X, y, sample_weight=None):
        """Grow the tree.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Training data. NaN is a missing value. Columns of a data frame may be categorical.
        y : array-like of shape (n_rows,)
            Class labels.
        sample_weight : array-like of shape (n_rows,) or None, default=None

        Returns
        -------
        self
        """
        check_params(self)
        X, y, weights = self._check_rows(X, y, sample_weight)
        self.classes_, codes = encode_classes(y, minimum=1)
        parts = np.zeros((len(y), len(self.classes_)))
        parts[np.arange(len(y)), codes] = 1.0 if weights is None else weights
        self._smoothing = self.smoothing  # as of this fit, whatever set_params changes later
        self.tree_ = self._grow(X, parts)
        return self

    def predict_proba(self, X):
        """Class probabilities: training class proportions in the leaf of each row, in the order of `classes_`."""
        leaf = self.apply(X)
        shares, weight = self.tree_.value[leaf], self.tree_.weight[leaf, None]
        return (shares * weight + self._smoothing) / (weight + self._smoothing * shares.shape[1])

    def predict_log_proba(self, X):
        """Logarithm of the class probabilities."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X):
        """Predicted class: the most frequent one in the leaf of each row."""
        best = np.argmax(self.predict_proba(X), axis=1)
        return self.classes_[best]


@filled(
    parameters=_PARAMETERS,
    notes=_NOTES,
    direction='least squares ("lda"), or a logistic regression of whether the target exceeds the '
    'node mean ("logistic")',
    criterion='{"squared_error"}, default="squared_error"\n        Impurity measure.',
    scores="their mean target, so that a split on the column alone is optimal among all sets of levels",
)
class ObliqueTreeRegressor(RegressorMixin, _ObliqueTree):
    r"""Oblique regression tree, split by half-spaces :math:`w^\top x + w_0 > 0`.

    Rows inside the half-space go right. Splits greedily minimise the sum of squares around the leaf means.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    tree_ : ObliqueTree
        Coefficients, intercepts, children and means of the nodes as flat arrays.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    {notes}

    References
    ----------
    Murthy, S. K., Kasif, S. and Salzberg, S. (1994). A system for induction of oblique decision trees. *Journal of
    Artificial Intelligence Research* 2, 1-32.

    Loh, W.-Y. and Vanichsetakul, N. (1988). Tree-structured classification via generalized discriminant analysis.
    *Journal of the American Statistical Association* 83, 715-725. (Scores of levels, means for missing values.)

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.trees import ObliqueTreeRegressor
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> y = np.sign(X[:, 0] + X[:, 1])
    >>> ObliqueTreeRegressor(max_depth=1).fit(X, y).score(X, y) > 0.9
    True
    """

    _search_space = SearchSpace("oblique tree", grid={"max_depth": [2, 4, 8]}, fixed={"min_samples_leaf": 5})
    _constraints = {**_ObliqueTree._constraints, "criterion": [Options("squared_error")]}

    def __init__(
        self,
        *,
        direction="lda",
        criterion="squared_error",
        max_direction_features=None,
        max_depth=None,
        min_samples_split=2,
        min_samples_leaf=1,
        min_impurity_decrease=0.0,
        categorical_features="from_dtype",
    ):
        self.direction = direction
        self.criterion = criterion
        self.max_direction_features = max_direction_features
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.categorical_features = categorical_features

    def fit(self, X, y, sample_weight=None):
        """Grow the tree.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Training data. NaN is a missing value. Columns of a data frame may be categorical.
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,) or None, default=None

        Returns
        -------
        self
        """
        check_params(self)
        X, y, weights = self._check_rows(X, y, sample_weight, y_numeric=True)
        y = y.astype(np.float64)
        weights = np.ones(len(y)) if weights is None else weights
        # Centred, so that sums of squares keep their precision.
        centre = np.average(y, weights=weights)
        centred = y - centre
        self.tree_ = self._grow(X, np.column_stack([weights, weights * centred, weights * centred**2]))
        self.tree_.value += centre
        return self

    def predict(self, X):
        """Predicted values: the mean of the leaf of each row."""
        leaf = self.apply(X)
        return self.tree_.value[leaf, 0]
