"""Gradient boosting of regression trees on histograms, for numbers and for classes."""

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.validation import validate_data

from statlearn._core.params import Instance, Options, Real, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.validation import FLOATS, check_weights, encode_classes

from ._boosting import GradientBoosting
from ._boosting_docs import documented
from ._boosting_losses import check_target, classification_loss, regression_loss


@documented
class GradientBoostingRegressor(RegressorMixin, GradientBoosting):
    r"""Trees added one by one, each along the gradient of the loss at the sum so far.

    Minimises the weighted mean of L(y, f(x)) over sums of trees by steps of `learning_rate`; prediction is f, or
    e^f for the losses with a logarithmic link.

    Parameters
    ----------
    loss : {"squared_error", "absolute_error", "huber", "quantile", "poisson", "gamma", "tweedie"}
        (y - f)^2 / 2; abs(y - f); squared up to the `alpha` quantile of the residuals and linear beyond; the check
        function of the `alpha` quantile; deviances with the mean e^f. For absolute, Huber and quantile loss each leaf
        takes the value that is best for its own rows.
    {parameters}
    alpha : float, default=0.9
        Quantile of the Huber and quantile losses.
    power : float, default=1.5
        Variance power of the Tweedie loss, between 1 and 2.

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

    _search_space = SearchSpace(
        "gradient boosting",
        5.0,
        grid={"max_leaf_nodes": [4, 8, 16, 31]},
        fixed={"max_depth": None, "min_samples_leaf": 10, "n_iter_no_change": 10, "n_estimators": 300},
        scaled=False,
    )
    _constraints = {
        **GradientBoosting._constraints,
        "loss": [Options("squared_error", "absolute_error", "huber", "quantile", "poisson", "gamma", "tweedie")],
        "alpha": [Real(0, 1, closed="neither")],
        "power": [Real(1, 2, closed="neither")],
    }

    def __init__(
        self,
        *,
        loss="squared_error",
        learning_rate=0.1,
        n_estimators=100,
        subsample=1.0,
        min_samples_leaf=1,
        max_depth=3,
        max_leaf_nodes=None,
        max_features=None,
        reg_lambda=0.0,
        reg_alpha=0.0,
        gamma=0.0,
        max_bins=255,
        categorical_features=None,
        monotonic_cst=None,
        warm_start=False,
        validation_fraction=0.1,
        n_iter_no_change=None,
        tol=1e-4,
        random_state=None,
        verbose=0,
        alpha=0.9,
        power=1.5,
    ):
        super().__init__(
            loss=loss,
            learning_rate=learning_rate,
            n_estimators=n_estimators,
            subsample=subsample,
            min_samples_leaf=min_samples_leaf,
            max_depth=max_depth,
            max_leaf_nodes=max_leaf_nodes,
            max_features=max_features,
            reg_lambda=reg_lambda,
            reg_alpha=reg_alpha,
            gamma=gamma,
            max_bins=max_bins,
            categorical_features=categorical_features,
            monotonic_cst=monotonic_cst,
            warm_start=warm_start,
            validation_fraction=validation_fraction,
            n_iter_no_change=n_iter_no_change,
            tol=tol,
            random_state=random_state,
            verbose=verbose,
        )
        self.alpha = alpha
        self.power = power

    def _loss(self):
        return regression_loss(self.loss, self.alpha, self.power)

    def fit(self, X, y, sample_weight=None, *, X_val=None, y_val=None, sample_weight_val=None):
        """Add the trees.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            NaN is a missing value.
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,) or None
        X_val, y_val, sample_weight_val : array-like or None
            Rows on which the loss is watched for `n_iter_no_change`.

        Returns
        -------
        self
        """
        check_params(self)
        X, y = validate_data(self, X, y, dtype=FLOATS, ensure_all_finite="allow-nan", y_numeric=True)
        weights = check_weights(sample_weight, X)
        y = np.ascontiguousarray(y, X.dtype)
        check_target(self.loss, y)
        if X_val is not None:
            X_val = self._check_table(X_val).astype(X.dtype, copy=False)
            y_val = np.ascontiguousarray(y_val, X.dtype)
            sample_weight_val = check_weights(sample_weight_val, X_val)
        return self._fit(X, y, weights, self._loss(), X_val, y_val, sample_weight_val)

    def predict(self, X):
        """The predicted mean (squared error and the deviances), median or quantile of each row."""
        scores = self._scores(X)
        return self._loss().prediction(scores)

    def staged_predict(self, X):
        """The predictions after each round."""
        for scores in self._staged_scores(X):
            yield self._loss().prediction(scores)


@documented
class GradientBoostingClassifier(ClassifierMixin, GradientBoosting):
    r"""Trees added one by one, each along the gradient of the loss of the class probabilities.

    Minimises the weighted mean of L(y, f(x)) over sums of trees by steps of `learning_rate`. Two classes share one
    score, the log-odds of the second; K > 2 classes have a score each, P(k) proportional to e^{f_k}.

    Parameters
    ----------
    loss : {"log_loss", "exponential"}
        Log loss, or for two classes AdaBoost's e^{-(2y - 1) f}, whose score is half the log-odds.
    {parameters}
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes; "balanced" gives all classes the same total.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
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

    _search_space = SearchSpace(
        "gradient boosting",
        5.0,
        grid={"max_leaf_nodes": [4, 8, 16, 31]},
        fixed={"max_depth": None, "min_samples_leaf": 10, "n_iter_no_change": 10, "n_estimators": 300},
        scaled=False,
    )
    _constraints = {
        **GradientBoosting._constraints,
        "loss": [Options("log_loss", "exponential")],
        "class_weight": [Instance(dict), Options("balanced"), None],
    }

    def __init__(
        self,
        *,
        loss="log_loss",
        learning_rate=0.1,
        n_estimators=100,
        subsample=1.0,
        min_samples_leaf=1,
        max_depth=3,
        max_leaf_nodes=None,
        max_features=None,
        reg_lambda=0.0,
        reg_alpha=0.0,
        gamma=0.0,
        max_bins=255,
        categorical_features=None,
        monotonic_cst=None,
        warm_start=False,
        validation_fraction=0.1,
        n_iter_no_change=None,
        tol=1e-4,
        random_state=None,
        verbose=0,
        class_weight=None,
    ):
        super().__init__(
            loss=loss,
            learning_rate=learning_rate,
            n_estimators=n_estimators,
            subsample=subsample,
            min_samples_leaf=min_samples_leaf,
            max_depth=max_depth,
            max_leaf_nodes=max_leaf_nodes,
            max_features=max_features,
            reg_lambda=reg_lambda,
            reg_alpha=reg_alpha,
            gamma=gamma,
            max_bins=max_bins,
            categorical_features=categorical_features,
            monotonic_cst=monotonic_cst,
            warm_start=warm_start,
            validation_fraction=validation_fraction,
            n_iter_no_change=n_iter_no_change,
            tol=tol,
            random_state=random_state,
            verbose=verbose,
        )
        self.class_weight = class_weight

    def _loss(self):
        return classification_loss(self.loss, len(self.classes_))

    def fit(self, X, y, sample_weight=None, *, X_val=None, y_val=None, sample_weight_val=None):
        """Add the trees.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            NaN is a missing value.
        y : array-like of shape (n_rows,)
            Labels.
        sample_weight : array-like of shape (n_rows,) or None
        X_val, y_val, sample_weight_val : array-like or None
            Rows on which the loss is watched for `n_iter_no_change`.

        Returns
        -------
        self
        """
        check_params(self)
        X, y = validate_data(self, X, y, dtype=FLOATS, ensure_all_finite="allow-nan")
        weights = check_weights(sample_weight, X)
        seen = y if weights is None else y[weights > 0]
        self.classes_, _ = encode_classes(seen, owner=type(self).__name__)
        if self.loss == "exponential" and len(self.classes_) > 2:
            raise ValueError(f"loss='exponential' is for two classes, but y has {len(self.classes_)}.")
        if weights is not None:  # a class whose rows all weigh nothing is absent
            kept = np.isin(y, self.classes_)
            X, y, weights = X[kept], y[kept], weights[kept]
        weights = self._with_class_weights(y, weights, X.dtype)
        codes = self._codes(y, X.dtype)
        if X_val is not None:
            X_val = self._check_table(X_val).astype(X.dtype, copy=False)
            y_val = self._codes(np.asarray(y_val), X.dtype)
            sample_weight_val = check_weights(sample_weight_val, X_val)
        return self._fit(X, codes, weights, self._loss(), X_val, y_val, sample_weight_val)

    def _codes(self, y, dtype):
        """0 and 1 as numbers for two classes, class numbers for more."""
        unknown = ~np.isin(y, self.classes_)
        if np.any(unknown):
            raise ValueError(f"y_val has a label that y has not: {y[unknown][0]!r}.")
        codes = np.searchsorted(self.classes_, y)
        return codes.astype(dtype if len(self.classes_) == 2 else np.int32)

    def _with_class_weights(self, y, weights, dtype):
        if self.class_weight is None:
            return weights
        from sklearn.utils.class_weight import compute_sample_weight

        own = compute_sample_weight(self.class_weight, y).astype(dtype)
        return own if weights is None else own * weights

    def decision_function(self, X):
        """The score of the second class, or of every class where there are more than two."""
        scores = self._scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict_proba(self, X):
        """Probability of each class, in the order of `classes_`."""
        scores = self._scores(X)
        return self._loss().prediction(scores)

    def predict_log_proba(self, X):
        """Logarithm of the class probabilities."""
        return np.log(self.predict_proba(X))

    def predict(self, X):
        """The most probable class of each row."""
        best = np.argmax(self.predict_proba(X), axis=1)
        return self.classes_[best]

    def staged_decision_function(self, X):
        """The scores after each round."""
        for scores in self._staged_scores(X):
            yield scores[:, 0] if scores.shape[1] == 1 else scores

    def staged_predict_proba(self, X):
        """The probabilities after each round."""
        for scores in self._staged_scores(X):
            yield self._loss().prediction(scores)

    def staged_predict(self, X):
        """The most probable classes after each round."""
        for probabilities in self.staged_predict_proba(X):
            yield self.classes_[np.argmax(probabilities, axis=1)]
