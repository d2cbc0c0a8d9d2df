"""Histogram-based gradient boosting for regression and classification."""

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils import assert_all_finite

from statlearn._core.callbacks import with_callbacks
from statlearn._core.class_weights import class_and_sample_weights
from statlearn._core.params import HasMethods, Instance, Options, Real, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.validation import check_weights, class_codes, encode_classes
from statlearn._math.losses.scores import loss_key, loss_names

from .._members import check_same_classes
from ._docs import documented
from ._gradient_boosting_base import GradientBoosting
from ._loss_history import ScoredClassifier, ScoredRegressor
from ._losses import check_target, classification_loss, regression_loss


def _in_precision(y, dtype, name):
    """The target in the precision of the table; raises if it overflows."""
    with np.errstate(over="ignore", invalid="ignore"):
        y = np.ascontiguousarray(y, dtype)
        assert_all_finite(y, input_name=name)
    return y


# In a comparison: small steps over samples of rows and columns. Stopping must not depend on the unit of the target, so
# any improvement on the validation rows counts.
SLOW = {
    "max_depth": None, "min_samples_leaf": 10, "learning_rate": 0.05, "n_estimators": 600, "n_iter_no_change": 20,
    "tol": 0.0, "subsample": 0.8, "max_features": 0.7, "reg_lambda": 1.0,
}  # fmt: skip


@documented
class GradientBoostingRegressor(RegressorMixin, GradientBoosting):
    r"""Gradient-boosted regression trees.

    Minimises the weighted mean of L(y, f(x)) over sums of trees f by adding trees along the gradient, in steps of
    `learning_rate`. The prediction is f, or e^f for losses with a log link.

    Parameters
    ----------
    loss : {"squared_error", "absolute_error", "huber", "log_cosh", "quantile", "poisson", "gamma", "tweedie"} or \
            callable, default="squared_error"
        In this order: (y - f)^2 / 2; abs(y - f); squared up to the `alpha` quantile of the absolute residuals and
        linear beyond; log cosh(y - f); the check function of the `alpha` quantile; deviances with mean e^f. For the
        absolute, Huber, log-cosh and quantile losses each leaf gets the value that is optimal for its rows, the middle
        one if there are several, and the gradient of a zero residual is 0. A function of (y, f) must return three
        arrays, the loss of every row and its first and second derivatives with respect to f, the second non-negative,
        and must not modify its arguments. Its leaf values are Newton steps, halved until the loss of the leaf does not
        rise.
    {parameters}
    alpha : float, default=0.9
        Quantile of the Huber and quantile losses.
    {more_parameters}
    power : float, default=1.5
        Variance power of the Tweedie loss, between 1 and 2.
    delta : float or None, default=None
        Residual at which the Huber loss becomes linear. None uses the `alpha` quantile of the absolute residuals in
        each round.

    Attributes
    ----------
    {attributes}

    Notes
    -----
    {notes}

    References
    ----------
    {references}

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.ensemble import GradientBoostingRegressor
    >>> X = np.linspace(0, 6, 200)[:, None]
    >>> model = GradientBoostingRegressor(random_state=0).fit(X, np.sin(X[:, 0]))
    >>> bool(model.score(X, np.sin(X[:, 0])) > 0.99)
    True
    """

    _search_space = SearchSpace("gradient boosting", grid={"max_leaf_nodes": [4, 8, 16, 31]}, fixed=SLOW)
    _constraints = {
        **GradientBoosting._constraints,
        "loss": [
            Options(
                *loss_names(
                    ("squared_error", "absolute_error", "huber", "log_cosh", "quantile", "poisson", "gamma", "tweedie")
                )
            ),
            "callable",
        ],
        "init": [Options("zero"), None, HasMethods("fit", "predict")],
        "alpha": [Real(0, 1, closed="neither")],
        "power": [Real(1, 2, closed="neither")],
        "delta": [Real(0, None, closed="neither"), None],
        "leaf": [Options("newton", "gradient", "one_step")],
    }

    def __init__(
        self,
        *,
        loss="squared_error",
        learning_rate=0.1,
        n_estimators=100,
        subsample=1.0,
        min_samples_split=2,
        min_samples_leaf=1,
        min_weight_fraction_leaf=0.0,
        max_depth=3,
        min_impurity_decrease=0.0,
        init=None,
        random_state=None,
        max_features=None,
        alpha=0.9,
        verbose=0,
        max_leaf_nodes=None,
        warm_start=False,
        validation_fraction=0.1,
        n_iter_no_change=None,
        tol=1e-4,
        ccp_alpha=0.0,
        tree_method="hist",
        leaf="newton",
        reg_lambda=0.0,
        reg_alpha=0.0,
        gamma=0.0,
        min_child_weight=1e-7,
        post_prune=False,
        goss=None,
        max_bins=255,
        max_conflict_rate=0.0,
        categorical_features="from_dtype",
        monotonic_cst=None,
        interaction_cst=None,
        scoring=None,
        dropout=0.0,
        power=1.5,
        delta=None,
    ):
        self.loss = loss
        self.learning_rate = learning_rate
        self.n_estimators = n_estimators
        self.subsample = subsample
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_depth = max_depth
        self.min_impurity_decrease = min_impurity_decrease
        self.init = init
        self.random_state = random_state
        self.max_features = max_features
        self.alpha = alpha
        self.verbose = verbose
        self.max_leaf_nodes = max_leaf_nodes
        self.warm_start = warm_start
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.ccp_alpha = ccp_alpha
        self.tree_method = tree_method
        self.leaf = leaf
        self.reg_lambda = reg_lambda
        self.reg_alpha = reg_alpha
        self.gamma = gamma
        self.min_child_weight = min_child_weight
        self.post_prune = post_prune
        self.goss = goss
        self.max_bins = max_bins
        self.max_conflict_rate = max_conflict_rate
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.scoring = scoring
        self.dropout = dropout
        self.power = power
        self.delta = delta

    def _loss(self):
        return regression_loss(self.loss, self.alpha, self.power, self.delta, self.leaf == "one_step")

    def _fitted_loss(self):
        """The loss used in training, for converting scores to predictions and back."""
        return regression_loss(self.loss_)

    @with_callbacks
    def fit(self, X, y, sample_weight=None, monitor=None, *, X_val=None, y_val=None, sample_weight_val=None):
        """Fit the boosted trees.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
            Training data. NaN is a missing value.
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,) or None, default=None
        monitor : callable or None, default=None
            Called as ``monitor(round, self, locals)`` after each round. If it returns True, fitting stops.
        X_val, y_val, sample_weight_val : array-like or None, default=None
            Validation rows for early stopping with `n_iter_no_change`.

        Returns
        -------
        self
        """
        check_params(self)
        self._check_options()
        if self.leaf == "one_step" and self.loss != "huber":
            raise ValueError(f"`leaf`='one_step' requires loss='huber', got loss={self.loss!r}.")
        X, y = self._read_training(X, y, y_numeric=True)
        weights = check_weights(sample_weight, X)
        y = _in_precision(y, X.dtype, "y")
        check_target(self.loss, y if weights is None else y[weights > 0])
        X_val, y_val, weights_val = self._read_validation(X_val, y_val, sample_weight_val, X)
        if y_val is not None:
            y_val = _in_precision(y_val, X.dtype, "y_val")
            check_target(self.loss, y_val, "y_val")
        return self._fit(X, y, weights, self._loss(), (X_val, y_val, weights_val), monitor)

    def _init_scores(self, X):
        return self._fitted_loss().scores_of(self.init_.predict(X))

    def _labels(self, y):
        return y

    def _scored_proxy(self):
        return ScoredRegressor(self._loss())

    def predict(self, X):
        """Predicted mean (squared error and deviances), median or quantile of each row."""
        scores = self._scores(X)  # raises if the model is not fitted and has no loss yet
        return self._fitted_loss().prediction(scores)

    def staged_predict(self, X):
        """Predictions after each round."""
        for scores in self._staged_scores(X):
            yield self._fitted_loss().prediction(scores)

    def apply(self, X):
        """Index of the leaf that each row reaches in each tree, of shape (n_rows, n_estimators_)."""
        return self._leaves(X)[:, :, 0]


@documented
class GradientBoostingClassifier(ClassifierMixin, GradientBoosting):
    r"""Gradient-boosted classification trees.

    Minimises the weighted mean of L(y, f(x)) over sums of trees f by adding trees along the gradient, in steps of
    `learning_rate`. Two classes share one score, the log-odds of the second. With K > 2 classes there is one score per
    class, and P(k) is proportional to e^{f_k}.

    Parameters
    ----------
    loss : {"log_loss", "deviance", "exponential"} or callable, default="log_loss"
        "log_loss" (or "logistic") is the log loss. For two classes, with s = 2y - 1, "deviance" is log(1 + e^{-2sf})
        and "exponential" is AdaBoost's e^{-sf}; their scores are half the log-odds. A function of (y, f) for two
        classes, with y 0 or 1, must return three arrays, the loss of every row and its first and second derivatives
        with respect to f. The score f is then interpreted as the log-odds.
    {parameters}
    {more_parameters}
    class_weight : dict, "balanced" or None, default=None
        Class weights. "balanced" gives all classes the same total weight.
    growth : {"newton", "gradient"}, default="newton"
        "newton" grows trees on first and second derivatives. "gradient" grows them by least squares on the residuals
        y - p, as in [1]_ (L2- and LK-TreeBoost) and in scikit-learn, and then gives each leaf its Newton step:
        Σr / Σp(1 - p) of its rows, times (K - 1)/K for more than two classes.

    Attributes
    ----------
    classes_ : ndarray
        The class labels, sorted.
    n_classes_ : int
        Number of classes.
    {attributes}

    Notes
    -----
    {notes}

    References
    ----------
    {references}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.ensemble import GradientBoostingClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> GradientBoostingClassifier(n_estimators=20, random_state=0).fit(X, y).predict(X[:2])
    array([0, 0])
    """

    _search_space = SearchSpace("gradient boosting", grid={"max_leaf_nodes": [4, 8, 16, 31]}, fixed=SLOW)
    _constraints = {
        **GradientBoosting._constraints,
        "loss": [Options(*loss_names(("log_loss", "deviance", "exponential"))), "callable"],
        "init": [Options("zero"), None, HasMethods("fit", "predict_proba")],
        "class_weight": [Instance(dict), Options("balanced"), None],
        "growth": [Options("newton", "gradient")],
    }

    def __init__(
        self,
        *,
        loss="log_loss",
        learning_rate=0.1,
        n_estimators=100,
        subsample=1.0,
        min_samples_split=2,
        min_samples_leaf=1,
        min_weight_fraction_leaf=0.0,
        max_depth=3,
        min_impurity_decrease=0.0,
        init=None,
        random_state=None,
        max_features=None,
        verbose=0,
        max_leaf_nodes=None,
        warm_start=False,
        validation_fraction=0.1,
        n_iter_no_change=None,
        tol=1e-4,
        ccp_alpha=0.0,
        tree_method="hist",
        leaf="newton",
        reg_lambda=0.0,
        reg_alpha=0.0,
        gamma=0.0,
        min_child_weight=1e-7,
        post_prune=False,
        goss=None,
        max_bins=255,
        max_conflict_rate=0.0,
        categorical_features="from_dtype",
        monotonic_cst=None,
        interaction_cst=None,
        scoring=None,
        dropout=0.0,
        class_weight=None,
        growth="newton",
    ):
        self.loss = loss
        self.learning_rate = learning_rate
        self.n_estimators = n_estimators
        self.subsample = subsample
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_depth = max_depth
        self.min_impurity_decrease = min_impurity_decrease
        self.init = init
        self.random_state = random_state
        self.max_features = max_features
        self.verbose = verbose
        self.max_leaf_nodes = max_leaf_nodes
        self.warm_start = warm_start
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.ccp_alpha = ccp_alpha
        self.tree_method = tree_method
        self.leaf = leaf
        self.reg_lambda = reg_lambda
        self.reg_alpha = reg_alpha
        self.gamma = gamma
        self.min_child_weight = min_child_weight
        self.post_prune = post_prune
        self.goss = goss
        self.max_bins = max_bins
        self.max_conflict_rate = max_conflict_rate
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.scoring = scoring
        self.dropout = dropout
        self.class_weight = class_weight
        self.growth = growth

    def _loss(self):
        return classification_loss(self.loss, len(self.classes_))

    def _fitted_loss(self):
        """The loss used in training, for converting scores to probabilities and back."""
        return classification_loss(self.loss_, len(self.classes_))

    @with_callbacks
    def fit(self, X, y, sample_weight=None, monitor=None, *, X_val=None, y_val=None, sample_weight_val=None):
        """Fit the boosted trees.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
            Training data. NaN is a missing value.
        y : array-like of shape (n_rows,)
            Class labels.
        sample_weight : array-like of shape (n_rows,) or None, default=None
        monitor : callable or None, default=None
            Called as ``monitor(round, self, locals)`` after each round. If it returns True, fitting stops.
        X_val, y_val, sample_weight_val : array-like or None, default=None
            Validation rows for early stopping with `n_iter_no_change`.

        Returns
        -------
        self
        """
        check_params(self)
        self._check_options()
        X, y = self._read_training(X, y)
        weights = check_weights(sample_weight, X)
        codes, used = self._read_classes(y, weights)
        if used is not None:
            X, weights = X[used], weights[used]
        if self.class_weight is not None:
            weights = class_and_sample_weights(self.class_weight, self.classes_, codes, weights).astype(X.dtype)
        X_val, y_val, weights_val = self._read_validation(X_val, y_val, sample_weight_val, X)
        if y_val is not None:
            y_val = self._as_target(self._codes_of(y_val), X.dtype)
        codes = self._as_target(codes, X.dtype)
        return self._fit(X, codes, weights, self._loss(), (X_val, y_val, weights_val), monitor)

    def _read_classes(self, y, weights):
        """Set the classes, and return the class indices and the mask of the rows used (None for all).

        A class whose rows all have weight 0 is ignored, as are these rows.
        """
        classes, codes = encode_classes(y, owner=type(self).__name__)
        used = None
        if weights is not None:
            present = np.bincount(codes, weights > 0, len(classes)) > 0
            if present.sum() < 2:
                raise ValueError(
                    f"y contains {present.sum()} class after sample_weight trimmed classes with zero weights, while a "
                    "minimum of 2 classes are required."
                )
            if not present.all():
                used = present[codes]
                classes, codes = classes[present], (np.cumsum(present) - 1)[codes[used]]
        if self._continues:
            check_same_classes(self.classes_, classes)
        self.classes_, self.n_classes_ = classes, len(classes)
        if loss_key(self.loss) != "log_loss" and self.n_classes_ > 2:
            raise ValueError(
                f"loss={self.loss!r} is only suitable for a binary classification problem, you have "
                f"n_classes={self.n_classes_}. Please use loss='log_loss' instead."
            )
        return codes, used

    def _codes_of(self, y_val):
        """Class indices of validation rows."""
        return class_codes(self.classes_, y_val, name="`y_val`", among="the classes in y")

    def _as_target(self, codes, dtype):
        """Class indices as the loss expects them: 0.0 and 1.0 for two classes, integers for more."""
        return codes.astype(dtype if len(self.classes_) == 2 else np.int32)

    def _labels(self, codes):
        return self.classes_[codes.astype(np.intp)]

    def _strata(self, y):
        return y

    def _check_held_out(self, y, train):
        if len(np.unique(y[train])) != self.n_classes_:
            raise ValueError(
                "The training data after the early stopping split is missing some classes. Try using another random "
                "seed."
            )

    def _init_scores(self, X):
        return self._fitted_loss().scores_of(np.asarray(self.init_.predict_proba(X), np.float64))

    def _scored_proxy(self):
        return ScoredClassifier(self._loss(), self.classes_)

    def decision_function(self, X):
        """Decision function: score of the second class, or of every class if there are more than two."""
        scores = self._scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict_proba(self, X):
        """Class probabilities, in the order of `classes_`."""
        scores = self._scores(X)  # raises if the model is not fitted and has no loss yet
        return self._fitted_loss().prediction(scores)

    def predict_log_proba(self, X):
        """Logarithm of the class probabilities."""
        return np.log(self.predict_proba(X))

    def predict(self, X):
        """Predicted class: the most probable class of each row."""
        best = np.argmax(self.predict_proba(X), axis=1)
        return self.classes_[best]

    def staged_decision_function(self, X):
        """Scores after each round."""
        for scores in self._staged_scores(X):
            yield scores[:, 0] if scores.shape[1] == 1 else scores

    def staged_predict_proba(self, X):
        """Class probabilities after each round."""
        for scores in self._staged_scores(X):
            yield self._fitted_loss().prediction(scores)

    def staged_predict(self, X):
        """Predicted classes after each round."""
        for probabilities in self.staged_predict_proba(X):
            yield self.classes_[np.argmax(probabilities, axis=1)]

    def apply(self, X):
        """Index of the leaf that each row reaches in each tree.

        The shape is (n_rows, n_estimators_, n_trees_per_iteration_).
        """
        return self._leaves(X)
