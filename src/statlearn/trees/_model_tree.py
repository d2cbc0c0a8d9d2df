"""Model trees: regression trees with linear models in the leaves."""

from itertools import pairwise

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.blas import single_blas_thread
from statlearn._core.frames import CategoryCoder
from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.validation import FLOATS, check_weights, present_rows, validate_data
from statlearn._math.linalg.positive import cholesky
from statlearn._math.trees.pruning import pruned
from statlearn._math.trees.tree import Tree

from ._level_steps import LevelSteps
from ._node_numbers import spread
from ._tree import DecisionTreeRegressor

# A fitted threshold counts as two parameters (empirical; Friedman, 1991, finds two to four for the knots of MARS).
SPLIT_PARAMETERS = 2.0


class NodeModels:
    """Ridge regressions at every node of a tree, from cross-products accumulated from the leaves up.

    `Z` has standardised columns, with NaN for missing values, and `y` is centred. In the model of a node, missing
    values are replaced by the node mean of the column. After `fit`, ``coef`` and ``intercept`` hold the models,
    ``filled`` the contribution of a missing value to the prediction, ``squares`` the residual sums of squares and
    ``parameters`` the effective numbers of parameters.
    """

    def __init__(self, forest, leaf, Z, y, w, alpha):
        self.forest, self.alpha = forest, alpha
        known = ~np.isnan(Z)
        gaps = np.flatnonzero(~known.all(axis=0))
        n, q = Z.shape
        # Missing values as 0, plus an indicator of known values for each column that has missing ones.
        self.table = np.column_stack([np.where(known, Z, 0.0), y, np.ones(n), known[:, gaps]])
        self.counter = np.full(q, q + 1)  # the column that counts the known values
        self.counter[gaps] = q + 2 + np.arange(len(gaps))
        self.w = w
        order = np.argsort(leaf, kind="stable")
        starts = np.searchsorted(leaf[order], np.arange(len(forest.feature) + 1))
        self.rows = [order[a:b] for a, b in pairwise(starts)]
        self.coef = np.zeros((len(forest.feature), q))
        self.filled = np.zeros((len(forest.feature), q))
        self.intercept = np.zeros(len(forest.feature))
        self.squares = np.zeros(len(forest.feature))
        self.parameters = np.zeros(len(forest.feature))

    def fit(self, n_features, columns_of):
        """Fit all models; `columns_of` maps the mask of features tested below a node to the columns of its model."""
        forest = self.forest
        is_leaf = forest.is_leaf
        done = {}  # cross-products and tested features of nodes whose parent is not done
        path = [(0, False)]
        while path:
            node, returning = path.pop()
            if is_leaf[node]:
                design = self.table[self.rows[node]]
                products, tested = (
                    (design * self.w[self.rows[node]][:, None]).T @ design,
                    np.zeros(n_features, bool),
                )
            elif not returning:
                path += [(node, True), (forest.child[node], False), (forest.child[node] + 1, False)]
                continue
            else:
                left, right = done.pop(forest.child[node]), done.pop(forest.child[node] + 1)
                products, tested = left[0] + right[0], left[1] | right[1]
                tested[forest.feature[node]] = True
            done[node] = products, tested
            self._solve(node, products, np.flatnonzero(columns_of(tested)))
        return self

    def _solve(self, node, products, columns):
        at_y, at_one = self.coef.shape[1], self.coef.shape[1] + 1
        n = products[at_one, at_one]
        middle = products[at_y, at_one] / n
        squares = max(products[at_y, at_y] - n * middle**2, 0.0)
        parameters = 1.0
        self.intercept[node] = middle
        if len(columns):
            inner, cross, means = self._centred(products, columns)
            ridge = inner + (self.alpha + 1e-10 * n) * np.eye(len(columns))
            factor = cholesky(ridge)
            if factor is not None:
                slopes = factor.solve(cross)
                squares = max(squares - 2 * slopes @ cross + slopes @ inner @ slopes, 0.0)
                parameters += np.trace(factor.solve(inner))
                self.coef[node, columns], self.filled[node, columns] = slopes, slopes * means
                self.intercept[node] -= slopes @ means
        self.squares[node], self.parameters[node] = squares, parameters

    def _centred(self, products, columns):
        """Cross-products centred at the means of the known values, with missing values as 0, and the means."""
        count = self.counter[columns]
        known = products[count, count]
        means = products[columns, count] / np.where(known > 0, known, 1.0)
        shared = products[np.ix_(count, columns)] * means[:, None]  # sum of z_k over known z_j, times the mean of z_j
        inner = products[np.ix_(columns, columns)] - shared - shared.T
        inner += products[np.ix_(count, count)] * np.outer(means, means)
        at_y = self.coef.shape[1]
        return inner, products[columns, at_y] - means * products[count, at_y], means

    def collapse(self):
        """Nodes whose own model has an expected error no larger than that of the models below them."""
        forest, weight = self.forest, self.forest.weight
        squares, parameters = self.squares.copy(), self.parameters.copy()  # of the best subtree so far
        collapsed = np.zeros(len(weight), bool)
        for node in np.flatnonzero(~forest.is_leaf)[::-1]:  # children come after their parents
            children = forest.child[node] + np.arange(2)
            below = squares[children].sum(), parameters[children].sum() + SPLIT_PARAMETERS
            leaf_cost = self.squares[node], self.parameters[node]
            collapsed[node] = _expected(*leaf_cost, weight[node]) <= _expected(*below, weight[node]) * (1 + 1e-12)
            squares[node], parameters[node] = leaf_cost if collapsed[node] else below
        return collapsed


def _expected(squares, parameters, n):
    """Expected root mean squared error on new rows (Quinlan, 1992)."""
    return np.sqrt(squares / n) * (n + parameters) / (n - parameters) if n > parameters else np.inf


def smoothed(forest, models, k):
    """Leaf models averaged with the models of the nodes above them; predictions are linear in the rows of `models`.

    On the path from the leaf up, a prediction p becomes (n p + k q) / (n + k), with n the number of rows of the child
    and q the prediction of the parent's own model. This is linear, so the average is a single model for each leaf.
    """
    share, mixed = np.ones(len(models)), np.zeros_like(models)
    depth = forest.depth
    for level in range(int(depth.max())):
        at = np.flatnonzero((depth == level) & ~forest.is_leaf)
        for child in (forest.child[at], forest.child[at] + 1):
            n = forest.weight[child]
            share[child] = share[at] * n / (n + k)
            mixed[child] = mixed[at] + (share[at] * k / (n + k))[:, None] * models[at]
    return mixed + share[:, None] * models


class ModelTreeRegressor(RegressorMixin, BaseEstimator):
    r"""Model tree: a regression tree with linear models in the leaves.

    A regression tree is grown by squared error. Every node has a ridge regression that minimises

    .. math:: \sum_i w_i (y_i - b - x_i^\top \beta)^2 + \alpha \sum_j s_j^2 \beta_j^2

    over its own rows, where s are the standard deviations of the columns in the whole table and b is unpenalised.
    Subtrees whose expected error is not below that of the model at their root are pruned, and the leaf models may be
    smoothed along their paths.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the ridge penalty. It does not depend on the units of the columns.
    leaf : {"linear", "constant"}, default="linear"
        "constant" predicts leaf means, as a plain regression tree does, without pruning or smoothing.
    leaf_features : {"subtree", "all"}, default="subtree"
        Columns in the model of a node: those tested below it before pruning, or all.
    smoothing : float, default=15.0
        Weight k of the prediction q of a node's own model when it is combined with the prediction p of a child with n
        rows, :math:`(n p + k q) / (n + k)`. 0 turns smoothing off.
    prune : bool, default=True
        Whether to prune subtrees.
    max_depth : int or None, default=None
        Maximum depth of the tree; None means no limit.
    min_samples_leaf : float, default=4
        Minimum weight of rows in a leaf.
    max_leaf_nodes : int or None, default=None
        Maximum number of leaves. Nodes with the largest gain are split first.
    min_impurity_decrease : float, default=0.0
        Minimum decrease in variance for a split, weighted by the node's proportion of the rows.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Categorical columns: those of a data frame with a categorical data type, or the given column indices, names or
        mask.

    Attributes
    ----------
    tree_ : Tree
        The fitted tree. Its values are the node means.
    coef_ : ndarray of shape (n_nodes, n_terms)
        Smoothed slopes of the model of every node; those of the leaves are used in prediction. A numeric column has one
        slope. A categorical column with k levels has k - 1, each the difference between a level and the one before it
        in `level_order_`.
    missing_coef_ : ndarray of shape (n_nodes, n_terms)
        Contribution of a missing value to the prediction, instead of slope times value.
    intercept_ : ndarray of shape (n_nodes,)
    level_order_ : dict
        Maps the index of each categorical column to its levels, in increasing order of mean target.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    The expected error of a model, or of all models in a subtree, is the root mean squared error on the n rows times
    (n + v) / (n - v), where v is the effective number of parameters plus two for each split.

    Missing values (NaN) and categories are handled by the tree as in :class:`DecisionTreeRegressor`: missing values go
    to the side that fits the training rows best, and categorical splits separate sets of levels. In the linear model of
    a node, a missing value is replaced by the node mean of the column. A categorical column is coded as steps between
    its levels, ordered by their mean target over all rows, as in M5' (with more than 33 levels, adjacent levels share a
    step). A level not seen in training is treated as missing.

    Linear models extrapolate. Predictions far outside the training data may be far off, whereas a plain tree never
    leaves the range of the training target.

    In addition to growing the tree, the models cost O(n p^2) plus O(p^3) per node.

    References
    ----------
    Quinlan, J. R. (1992). Learning with continuous classes. *5th Australian Joint Conference on Artificial
    Intelligence*, 343-348.

    Wang, Y. and Witten, I. H. (1997). Inducing model trees for continuous classes. *ECML poster papers*, 128-137.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.trees import ModelTreeRegressor
    >>> x = np.linspace(-1, 1, 200)[:, None]
    >>> y = x[:, 0] + 3 * (x[:, 0] > 0)
    >>> model = ModelTreeRegressor(alpha=1e-6, smoothing=0).fit(x, y)
    >>> model.tree_.n_leaves, round(model.score(x, y), 4)
    (2, 1.0)
    """

    _search_space = SearchSpace("model tree", grid={"min_samples_leaf": [40, 15, 5]})
    _constraints = {
        "alpha": [Real(0, None)],
        "leaf": [Options("linear", "constant")],
        "leaf_features": [Options("subtree", "all")],
        "smoothing": [Real(0, None)],
        "prune": ["boolean"],
        "max_depth": [Int(1, None), None],
        "min_samples_leaf": [Real(0, None, closed="neither")],
        "max_leaf_nodes": [Int(2, None), None],
        "min_impurity_decrease": [Real(0, None)],
        "categorical_features": [Options("from_dtype"), "array-like", None],
    }

    def __init__(
        self,
        *,
        alpha=1.0,
        leaf="linear",
        leaf_features="subtree",
        smoothing=15.0,
        prune=True,
        max_depth=None,
        min_samples_leaf=4,
        max_leaf_nodes=None,
        min_impurity_decrease=0.0,
        categorical_features="from_dtype",
    ):
        self.alpha = alpha
        self.leaf = leaf
        self.leaf_features = leaf_features
        self.smoothing = smoothing
        self.prune = prune
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.categorical_features = categorical_features

    def fit(self, X, y, sample_weight=None):
        """Grow the tree and fit the node models.

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
        self._coder = CategoryCoder(self.categorical_features)
        X, y = validate_data(
            self, self._coder.fit_frame(X), y, dtype=FLOATS, y_numeric=True, ensure_all_finite="allow-nan"
        )
        weights = check_weights(sample_weight, np.empty((X.shape[0], 1)))
        X, y, weights = present_rows(weights, X, y)
        X, y = X.astype(np.float64), y.astype(np.float64)
        w = np.ones(len(y)) if weights is None else weights
        X = self._coder.fit(X, getattr(self, "feature_names_in_", None)).encode(X)
        self._steps = LevelSteps(self._coder.mask).fit(X, y, w)
        self.level_order_ = {j: self._level_names(j)[codes] for j, codes in self._steps.order.items()}
        # By weight, so that weights are equivalent to repeated rows. Slightly less than the minimum, so that rounding
        # cannot rule out a leaf of exactly that size.
        share = self.min_samples_leaf * (1 - 1e-9) / w.sum()
        tree = DecisionTreeRegressor(
            max_depth=self.max_depth,
            min_samples_split=2 if share <= 0.5 else len(y) + 1,
            min_weight_fraction_leaf=min(share, 0.5),
            max_leaf_nodes=self.max_leaf_nodes,
            min_impurity_decrease=self.min_impurity_decrease,
            categorical_features=self._coder.mask,
            random_state=0,
        ).fit(X, y, sample_weight=weights)
        self.tree_ = tree.tree_
        if self.leaf == "constant":
            self.coef_ = np.zeros((self.tree_.node_count, len(self._steps.feature)))
            self.missing_coef_ = np.zeros_like(self.coef_)
            self.intercept_ = tree.tree_.value[:, 0, 0].copy()
            return self
        with single_blas_thread():
            self._fit_models(X, y, w)
        return self

    def _level_names(self, j):
        texts = self._coder.levels_of_text(j)
        return np.asarray(self._coder.levels[j] if texts is None else texts, dtype=object)

    def _fit_models(self, X, y, w):
        forest, total = self.tree_.forest, w.sum()
        Z, middle = self._steps.design(X), w @ y / total
        known = ~np.isnan(Z)
        mass = np.maximum(w @ known, np.finfo(float).tiny)
        centre = w @ np.where(known, Z, 0.0) / mass
        Z = Z - centre
        scale = spread(np.where(known, Z, 0.0), w, mass)
        Z /= scale
        models = NodeModels(forest, self.tree_.apply(X), Z, y - middle, w, self.alpha)
        every, feature = np.ones(Z.shape[1], bool), self._steps.feature
        all_columns = self.leaf_features == "all"
        models.fit(X.shape[1], (lambda tested: every) if all_columns else (lambda tested: tested[feature]))
        table = np.column_stack([models.coef, models.filled, models.intercept])
        if self.prune:
            used, forest = pruned(forest, models.collapse())
            table = table[used]
            self.tree_ = Tree(forest, self.tree_.n_features, self.tree_.n_classes)
        if self.smoothing > 0:
            table = smoothed(forest, table, self.smoothing)
        self.coef_ = table[:, : Z.shape[1]] / scale
        # In the units of X a missing value is not at the centre, as the intercept would assume.
        self.missing_coef_ = table[:, Z.shape[1] : -1] + self.coef_ * centre
        self.intercept_ = table[:, -1] + middle - self.coef_ @ centre

    def _read(self, X):
        """Codes of the rows to predict."""
        check_is_fitted(self)
        X = self._coder.read_frame(X)
        X = validate_data(self, X, dtype=np.float64, reset=False, ensure_all_finite="allow-nan")
        return self._steps.known(self._coder.encode(X))

    def apply(self, X):
        """Index of the leaf that each row reaches.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of int
        """
        return self.tree_.apply(self._read(X))

    def predict(self, X):
        """Predicted values: the linear model of the leaf of each row."""
        X = self._read(X)
        leaf = self.tree_.apply(X)
        Z = self._steps.design(X)
        terms = np.where(np.isnan(Z), self.missing_coef_[leaf], Z * self.coef_[leaf])
        return terms.sum(axis=1) + self.intercept_[leaf]

    def get_depth(self):
        """Depth of the tree."""
        check_is_fitted(self)
        return self.tree_.max_depth

    def get_n_leaves(self):
        """Number of leaves."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags
