"""Classification and regression trees."""

import copy

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin

from statlearn._core.class_weights import label_and_sample_weights
from statlearn._core.params import Instance, Options, Real
from statlearn._core.search import SearchSpace
from statlearn._core.validation import check_labels
from statlearn._math.trees.growth import check_response

from ._loss_matrix import check_losses
from ._tree_base import BaseDecisionTree
from ._tree_docs import documented

_GRID = {"max_leaf_nodes": [2, 4, 8, 16, 32, 64]}
_FIXED = {"min_samples_leaf": 5}


@documented("best", "None", "the probability of the second class", "accuracy")
class DecisionTreeClassifier(ClassifierMixin, BaseDecisionTree):
    r"""CART classification tree.

    Each node is split to minimise the weighted impurity of its two children, until the leaves are pure or a limit is
    reached. A leaf predicts the class proportions of its training rows.

    Parameters
    ----------
    criterion : {"gini", "entropy", "log_loss", "error"}, default="gini"
        Impurity of a node with class proportions p: :math:`1 - \sum_k p_k^2` ("gini"),
        :math:`-\sum_k p_k \log_2 p_k` ("entropy" or "log_loss"), or :math:`1 - \max_k p_k` ("error"), which is meant
        for pruning and comparison rather than for growing.
    {parameters}
    class_weight : dict, list of dicts, "balanced" or None, default=None
        Factors by which the row weights of each class are multiplied. "balanced" gives all classes the same total
        weight.
    {more}
    loss_matrix : array-like of shape (n_classes, n_classes) or None, default=None
        ``loss_matrix[k, l]`` is the loss of predicting class l when the true class is k. The tree is grown by the
        loss-weighted Gini index :math:`\sum_{k \ne l} L_{kl} p_k p_l`. With two classes this index is a multiple of the
        plain one, so rows are weighted by their loss instead. `predict` returns the class with the smallest expected
        loss.
    smoothing : float, default=0.0
        Number of rows of each class added to every leaf in `predict_proba`. 1 is Laplace smoothing.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), or list of these
    n_classes_ : int, or ndarray of int
    {attributes}

    See Also
    --------
    prune_cv : Cost-complexity pruning with cross-validation.

    Notes
    -----
    {notes}

    References
    ----------
    {references}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.trees import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = DecisionTreeClassifier(max_leaf_nodes=3).fit(X, y)
    >>> tree.tree_.feature
    array([ 2, -2,  3, -2, -2])
    >>> round(tree.score(X, y), 2)
    0.96
    """

    # Laplace smoothing: pure leaves must not claim certainty.
    _search_space = SearchSpace("decision tree", grid=_GRID, fixed={**_FIXED, "smoothing": 1.0})
    _constraints = {
        **BaseDecisionTree._constraints,
        "criterion": [Options("gini", "entropy", "log_loss", "error")],
        "class_weight": [Instance(dict), Instance(list), Options("balanced"), None],
        "loss_matrix": ["array-like", None],
        "smoothing": [Real(0, None)],
    }

    _smoothing, _loss_table = 0.0, None  # defaults for trees made without `fit`, like `_missing`

    def __init__(
        self,
        *,
        criterion="gini",
        splitter="best",
        max_depth=None,
        min_samples_split=2,
        min_samples_leaf=1,
        min_weight_fraction_leaf=0.0,
        max_features=None,
        random_state=None,
        max_leaf_nodes=None,
        min_impurity_decrease=0.0,
        class_weight=None,
        ccp_alpha=0.0,
        monotonic_cst=None,
        missing="direction",
        max_surrogates=5,
        categorical_features="from_dtype",
        categorical_split="ordered",
        interaction_cst=None,
        max_bins=255,
        ccp_scale="mean",
        target_score=None,
        loss_matrix=None,
        smoothing=0.0,
    ):
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.monotonic_cst = monotonic_cst
        self.missing = missing
        self.max_surrogates = max_surrogates
        self.categorical_features = categorical_features
        self.categorical_split = categorical_split
        self.interaction_cst = interaction_cst
        self.max_bins = max_bins
        self.ccp_scale = ccp_scale
        self.target_score = target_score
        self.loss_matrix = loss_matrix
        self.smoothing = smoothing

    def _encode_target(self, y):
        check_labels(y)
        outputs = [np.unique(column, return_inverse=True) for column in y.T]
        self._set_classes([classes for classes, _ in outputs])
        return np.column_stack([codes for _, codes in outputs])

    def _set_classes(self, classes):
        """Set `classes_` and `n_classes_` from the classes of each output."""
        counts = np.array([len(labels) for labels in classes])
        self.classes_, self.n_classes_ = (classes[0], counts[0]) if len(classes) == 1 else (classes, counts)

    def _class_weighted(self, weights, y):
        y = y if y.shape[1] > 1 else y[:, 0]
        return label_and_sample_weights(self.class_weight, y, weights, weighted_counts=False)

    def _criterion(self, target, weights):
        # As of this fit, whatever set_params changes later.
        self._smoothing = self.smoothing
        self._loss_table = None if self.loss_matrix is None else self._losses(self.n_classes_)
        losses = self._loss_table
        if losses is None:
            return self.criterion, None, weights
        if len(losses) > 2:
            return "loss", (losses + losses.T) / 2, weights
        by_class = losses.sum(axis=1)
        if not np.all(by_class > 0):
            raise ValueError("`loss_matrix` must have positive off-diagonal entries when there are two classes.")
        case = by_class[target[:, 0]]
        return self.criterion, losses, case if weights is None else weights * case

    def _losses(self, n_classes):
        if self.n_outputs_ > 1:
            raise ValueError("`loss_matrix` is not supported for multi-output classification.")
        if self.criterion != "gini":
            raise ValueError(f"`loss_matrix` requires criterion='gini', got criterion={self.criterion!r}.")
        return check_losses(self.loss_matrix, int(np.ravel(n_classes)[0]))

    def _settle_values(self, forest, losses):
        if losses is None or len(losses) > 2:
            return
        shares = forest.value / losses.sum(axis=1)  # undoes the weighting of rows by their loss
        forest.value = shares / shares.sum(axis=1, keepdims=True)

    def _node_weights(self):
        forest = self.tree_.forest
        if self._loss_table is None or self.n_classes_ > 2:
            return forest.weight
        return forest.weight / (forest.value @ self._loss_table.sum(axis=1))

    def _target_risk(self, target, weights):
        if self.target_score is None:
            return -1.0
        return (1.0 - self.target_score) * (len(target) if weights is None else weights.sum()) * (1 + 1e-12)

    def _decide(self, shares):
        """Indices of the predicted classes for class proportions (n, n_classes)."""
        if self._loss_table is None:
            return np.argmax(shares, axis=1)
        return np.argmin(shares @ self._loss_table, axis=1)

    def _node_risks(self):
        """Expected loss of each node's label for its own rows."""
        shares = self.tree_.forest.value
        if self._loss_table is None:
            return 1.0 - shares.max(axis=1)
        return (shares @ self._loss_table).min(axis=1)

    def _node_losses(self, y, rows, nodes):
        """Loss of the label of each node for the corresponding row."""
        shares = self.tree_.forest.value
        codes = np.searchsorted(self.classes_, y)
        known = np.isin(y, self.classes_)
        label = self._decide(shares)
        codes = np.minimum(codes, len(self.classes_) - 1)[rows]
        if self._loss_table is not None:
            return np.where(known[rows], self._loss_table[codes, label[nodes]], 0.0)
        return ((codes != label[nodes]) | ~known[rows]).astype(np.float64)

    def predict(self, X, check_input=True):
        """Predicted class: the most frequent one in the leaf, or the one with the smallest expected loss.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        check_input : bool, default=True

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        shares = self._leaf_values(self._check_table(X, check_input))
        if self.n_outputs_ == 1:
            return self.classes_[self._decide(shares[:, 0])]
        return np.column_stack([c[np.argmax(shares[:, o], axis=1)] for o, c in enumerate(self.classes_)])

    def predict_proba(self, X, check_input=True):
        """Class probabilities: training class proportions in the leaf of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        check_input : bool, default=True

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or list of these for several outputs
        """
        X = self._check_table(X, check_input)
        shares = self._smoothed(X) if self._smoothing > 0 else self._leaf_values(X)
        if self.n_outputs_ == 1:
            return shares[:, 0]
        return [shares[:, o, :k] for o, k in enumerate(self.n_classes_)]

    def _smoothed(self, X):
        """Leaf values with `smoothing` rows of each class added to every node."""
        k, weight = np.atleast_1d(self.n_classes_), self._node_weights()[:, None, None]
        real = np.arange(self.tree_.max_n_classes) < k[:, None]  # an output may have fewer classes than another
        value = (self.tree_.value * weight + self._smoothing * real) / (weight + self._smoothing * k[:, None])
        forest = copy.copy(self.tree_.forest)
        forest.value = value.reshape(forest.value.shape)
        return self._leaf_values(X, forest)

    def predict_log_proba(self, X):
        """Logarithm of the class probabilities.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or list of these for several outputs
        """
        shares = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            return np.log(shares) if self.n_outputs_ == 1 else [np.log(s) for s in shares]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags


@documented("best", "None", "the prediction", "R^2")
class DecisionTreeRegressor(RegressorMixin, BaseDecisionTree):
    r"""CART regression tree.

    Each node is split to minimise the total deviation within its two children, until the leaves are constant or a limit
    is reached. A leaf predicts the mean of its training rows (the median for the absolute error).

    Parameters
    ----------
    criterion : {"squared_error", "absolute_error", "poisson"}, default="squared_error"
        Deviation in a node: the mean squared deviation from the mean ("squared_error"), the mean absolute deviation
        from the median ("absolute_error", which costs an additional O(n log n) per column and level), or half the mean
        Poisson deviance for non-negative targets ("poisson").
    {parameters}
    {more}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    prune_cv : Cost-complexity pruning with cross-validation.

    Notes
    -----
    {notes}

    References
    ----------
    {references}

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.trees import DecisionTreeRegressor
    >>> x = np.arange(1.0, 11.0)[:, None]
    >>> y = [5.56, 5.70, 5.91, 6.40, 6.80, 7.05, 8.90, 8.70, 9.00, 9.05]
    >>> tree = DecisionTreeRegressor(max_depth=1).fit(x, y)
    >>> float(tree.tree_.threshold[0]), tree.predict([[3.0], [9.0]]).round(4)
    (6.5, array([6.2367, 8.9125]))
    """

    _search_space = SearchSpace("regression tree", grid=_GRID, fixed=_FIXED)
    _constraints = {
        **BaseDecisionTree._constraints,
        "criterion": [Options("squared_error", "absolute_error", "poisson")],
    }

    def __init__(
        self,
        *,
        criterion="squared_error",
        splitter="best",
        max_depth=None,
        min_samples_split=2,
        min_samples_leaf=1,
        min_weight_fraction_leaf=0.0,
        max_features=None,
        random_state=None,
        max_leaf_nodes=None,
        min_impurity_decrease=0.0,
        ccp_alpha=0.0,
        monotonic_cst=None,
        missing="direction",
        max_surrogates=5,
        categorical_features="from_dtype",
        categorical_split="ordered",
        interaction_cst=None,
        max_bins=255,
        ccp_scale="mean",
        target_score=None,
    ):
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.ccp_alpha = ccp_alpha
        self.monotonic_cst = monotonic_cst
        self.missing = missing
        self.max_surrogates = max_surrogates
        self.categorical_features = categorical_features
        self.categorical_split = categorical_split
        self.interaction_cst = interaction_cst
        self.max_bins = max_bins
        self.ccp_scale = ccp_scale
        self.target_score = target_score

    def _encode_target(self, y):
        y = np.asarray(y, dtype=np.float64)
        if not np.all(np.isfinite(y)):
            raise ValueError("Input y contains NaN or infinity.")
        check_response(y, self.criterion)
        return y

    def _criterion(self, target, weights):
        return self.criterion, None, weights

    def _target_risk(self, target, weights):
        if self.target_score is None:
            return -1.0
        if self.criterion != "squared_error":
            raise ValueError(f"`target_score` requires criterion='squared_error', got criterion={self.criterion!r}.")
        centred = target - np.average(target, axis=0, weights=weights)
        squares = (centred**2).mean(axis=1)
        return (1.0 - self.target_score) * np.sum(squares if weights is None else weights * squares) * (1 + 1e-12)

    def _node_losses(self, y, rows, nodes):
        """Loss of the prediction of each node for the corresponding row."""
        y = np.asarray(y, dtype=np.float64).reshape(len(y), -1)
        residual = y[rows] - self.tree_.forest.value[nodes]
        return np.mean(np.abs(residual) if self.criterion == "absolute_error" else residual**2, axis=1)

    def predict(self, X, check_input=True):
        """Predicted values: the mean (or median) of the leaf of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        check_input : bool, default=True

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        values = self._leaf_values(self._check_table(X, check_input))[:, :, 0]
        return values[:, 0] if self.n_outputs_ == 1 else values
