"""Trees whose tests are half-spaces."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.blas import single_blas_thread
from statlearn._core.frames import CategoryCoder
from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.validation import check_weights, encode_classes, validate_data

from ._oblique_grow import ObliqueGrower

_PARAMETERS = """
    direction : {{"lda", "logistic", "search"}}, default="lda"
        How the direction of a test is found among the columns: {direction}; "search" improves both that plane
        and the best cut of a single column one coefficient at a time. The cut along the direction is the one that
        leaves the least impurity, and a cut of one column is taken where no direction beats it.
    criterion : {criterion}
    max_direction_features : int or None, default=None
        The most columns in one test, those with the best cuts of their own; 1 grows an axis-parallel tree, None allows
        all.
    max_depth : int or None, default=None
        Most tests on a path.
    min_samples_split : int, default=2
        The fewest rows that a node needs to be split.
    min_samples_leaf : int, default=1
        The fewest rows in a leaf.
    min_impurity_decrease : float, default=0.0
        The least fall of impurity by a split, times the share of the rows in the node.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Columns that hold categories: those of a data frame with a categorical data type, or column numbers, names, or
        a mask.
"""
_NOTES = """
    Columns are standardised within each node before a direction is looked for, so units do not matter to it. Ties are
    won by the cut of a single column, the first column, the lowest cut.

    A half-space needs every coordinate as a number. In each node a missing value (NaN) has the mean of the node's known
    ones, and the levels of a categorical column are scored by its rows:
    {scores}.
    Levels that the node has not seen are missing values. Scores are learned from the target: with many levels of a few
    rows each they say more about the training rows than about new ones. They look at one column at a time: where levels
    and numbers go together, a test that weighs indicators of the levels (a TableTransformer before the tree) may
    separate better.

    One oblique test replaces a staircase of axis-parallel ones where classes are divided by a slanted plane, at the
    price of tests that are harder to read. Small nodes with many columns are cut to order: keep `min_samples_leaf` or
    `max_direction_features` well away from the defaults for noisy data.

    A node of m rows costs O(p m log m + p^2 m), the search O(p m log m) for each of its cycles.
"""


def _documented(cls):
    direction = {
        "ObliqueTreeClassifier": 'the first discriminant coordinate ("lda"), or logistic regression between two groups '
        "of classes",
        "ObliqueTreeRegressor": 'least squares ("lda"), or logistic regression of the rows above the mean of the node',
    }[cls.__name__]
    criterion = {
        "ObliqueTreeClassifier": '{"gini", "entropy"}, default="gini"\n        Impurity of a node.',
        "ObliqueTreeRegressor": '{"squared_error"}, default="squared_error"\n        Impurity of a node.',
    }[cls.__name__]
    scores = {
        "ObliqueTreeClassifier": "their first discriminant coordinate (for two classes the share of one, so that a cut "
        "of the column\n    alone is the best of all sets of levels)",
        "ObliqueTreeRegressor": "the mean of the target, so that a cut of the column alone is the best of all sets of "
        "levels",
    }[cls.__name__]
    text = _PARAMETERS.format(direction=direction, criterion=criterion)
    notes = _NOTES.format(scores=scores)
    cls.__doc__ = cls.__doc__.replace("    {parameters}\n", text[1:]).replace("    {notes}\n", notes[1:])
    return cls


class _ObliqueTree(BaseEstimator):
    """What the classifier and the regressor share."""

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
        """The rows that take part, categories as codes."""
        self._coder = CategoryCoder(self.categorical_features)
        X, y = validate_data(
            self, self._coder.fit_frame(X), y, dtype=np.float64, ensure_all_finite="allow-nan", **rules
        )
        weights = check_weights(sample_weight, X)
        if weights is not None:
            X, y, weights = X[weights > 0], y[weights > 0], weights[weights > 0]
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
        """The leaf of every row.

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
        """Number of tests on the longest path."""
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


@_documented
class ObliqueTreeClassifier(ClassifierMixin, _ObliqueTree):
    r"""A classification tree whose tests are half-spaces: :math:`w^\top x + w_0 > 0` goes right.

    Parameters
    ----------
    {parameters}
    smoothing : float, default=0.0
        Rows of each class added to every leaf in `predict_proba` (1: Laplace's rule).

    Attributes
    ----------
    tree_ : ObliqueTree
        Coefficients, intercepts, children and class shares of the nodes in flat arrays.
    classes_ : ndarray
        The labels, sorted.
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
        "oblique tree",
        3.4,
        grid={"max_depth": [2, 4, 8]},
        fixed={"min_samples_leaf": 5, "smoothing": 1.0},
        table="native",
        max_rows=20_000,
        max_columns=100,
        needs=("dense",),
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
            NaN is a missing value; columns of a data frame may hold categories.
        y : array-like of shape (n_rows,)
            Labels.
        sample_weight : array-like of shape (n_rows,) or None

        Returns
        -------
        self
        """
        check_params(self)
        X, y, weights = self._check_rows(X, y, sample_weight)
        self.classes_, codes = encode_classes(y, minimum=1)
        parts = np.zeros((len(y), len(self.classes_)))
        parts[np.arange(len(y)), codes] = 1.0 if weights is None else weights
        self._smoothing = self.smoothing  # of this fit, whatever the parameter will be
        self.tree_ = self._grow(X, parts)
        return self

    def predict_proba(self, X):
        """Class shares of the training rows in the leaf of each row, in the order of `classes_`."""
        leaf = self.apply(X)
        shares, weight = self.tree_.value[leaf], self.tree_.weight[leaf, None]
        return (shares * weight + self._smoothing) / (weight + self._smoothing * shares.shape[1])

    def predict_log_proba(self, X):
        """Logarithm of the class shares."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X):
        """The most frequent class in the leaf of each row."""
        best = np.argmax(self.predict_proba(X), axis=1)
        return self.classes_[best]


@_documented
class ObliqueTreeRegressor(RegressorMixin, _ObliqueTree):
    r"""A regression tree whose tests are half-spaces: :math:`w^\top x + w_0 > 0` goes right.

    Minimises, greedily, the sum of squares around the means of the leaves.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    tree_ : ObliqueTree
        Coefficients, intercepts, children and means of the nodes in flat arrays.
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

    _search_space = SearchSpace(
        "oblique tree",
        3.4,
        grid={"max_depth": [2, 4, 8]},
        fixed={"min_samples_leaf": 5},
        table="native",
        max_rows=20_000,
        max_columns=100,
        needs=("dense",),
    )
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
            NaN is a missing value; columns of a data frame may hold categories.
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,) or None

        Returns
        -------
        self
        """
        check_params(self)
        X, y, weights = self._check_rows(X, y, sample_weight, y_numeric=True)
        y = y.astype(np.float64)
        weights = np.ones(len(y)) if weights is None else weights
        # Around its mean, so that sums of squares keep their digits.
        centre = np.average(y, weights=weights)
        own = y - centre
        self.tree_ = self._grow(X, np.column_stack([weights, weights * own, weights * own**2]))
        self.tree_.value += centre
        return self

    def predict(self, X):
        """The mean of the leaf of each row."""
        leaf = self.apply(X)
        return self.tree_.value[leaf, 0]
