"""Gradient boosting in its general form: any convex loss, any regressor, and a line search in every round."""

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from statlearn._core.frames import naming_text
from statlearn._core.params import HasMethods, Instance, Int, Options, Real, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.validation import check_weights
from statlearn._math.losses import scores as losses

from .._joined_trees import are_plain_trees, as_table, joined_trees, sums
from .._member_tables import MemberTables
from .._weak_learner import WeakLearner
from ._line_search import LOSSES, best_constant, best_step, bound_loss, check_finite, check_target


class GradientBooster(MemberTables, MetaEstimatorMixin, RegressorMixin, BaseEstimator):
    r"""Gradient boosting with any regressor and any convex loss.

    Every round fits the regressor to the negative gradient of the loss and adds it with a line search,

    .. math:: r_i = -\frac{\partial L(y_i, f(x_i))}{\partial f}, \qquad h = \arg\min \sum_i s_i (r_i - h(x_i))^2,
        \qquad \rho = \arg\min \sum_i s_i L(y_i, f(x_i) + \rho h(x_i)), \qquad f \leftarrow f + \nu \rho h

    starting from the optimal constant. With squared error this is LS-Boost, with absolute error LAD-Boost.

    Parameters
    ----------
    estimator : regressor or None, default=None
        Regressor fitted to the gradients. None uses :class:`statlearn.trees.DecisionTreeRegressor` with
        ``max_depth=3``. If its `fit` does not accept weights, rows are resampled according to the weights.
    loss : str or callable, default="squared_error"
        For regression "squared_error" (with factor 1/2), "absolute_error", "huber", "log_cosh" or "quantile". For
        y = -1, +1 "exponential", "log_loss" (or "logistic"), "binomial_deviance", "squared_hinge" or "hinge", for which
        `predict` returns the score. Alternatively a function of y and f that returns three arrays, the loss, gradient
        and second derivative of every row, and does not modify its arguments.
    loss_params : dict or None, default=None
        Parameters of the loss, such as ``{"quantile": 0.9}`` or ``{"delta": 2.0}``.
    n_estimators : int, default=100
        Number of rounds.
    learning_rate : float, default=0.1
        Factor :math:`\nu` that shrinks the steps.
    line_search : {"member", "leaf"} or None, default="member"
        "member" finds one step :math:`\rho` for the whole member. "leaf", for trees, finds a separate constant for each
        leaf. None uses :math:`\rho = 1` without a search.
    init : {"best"} or float, default="best"
        Initial score: the optimal constant, or the given number.
    subsample : float, default=1.0
        Proportion of the rows, drawn without replacement, to which each member is fitted.
    random_state : int, RandomState or None, default=None
        Seed for the members and the subsamples.

    Attributes
    ----------
    estimator_ : regressor
        The base estimator.
    estimators_ : list of regressors
        The fitted members.
    steps_ : ndarray of shape (n_estimators,)
        :math:`\nu\rho` of each member; 1 if ``line_search="leaf"``.
    leaf_values_ : list of ndarray
        Contribution of each leaf (by node index) of each tree; empty unless ``line_search="leaf"``.
    start_ : float
        The initial score.
    train_score_ : ndarray of shape (n_estimators + 1,)
        Mean loss before the first round and after each round.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    The line search is exact. It has a closed form for squared error, is the weighted median of r/h with weights abs(h)
    for absolute error and a weighted quantile for other piecewise linear losses, and uses Newton's method for smooth
    losses. If several constants or steps
    are optimal for absolute error or quantiles, the middle one is taken: the usual median. The sign of a zero residual
    is 0. The training loss therefore never increases for :math:`\nu \le 1` and a convex loss. Separate steps for the
    leaves are never worse than a single step for the tree.

    For trees on large tables use :class:`GradientBoostingRegressor`, which is hundreds of times faster.

    References
    ----------
    Friedman, J. H. (2001). Greedy function approximation: a gradient boosting machine. *Ann. Statist.* 29, 1189-1232.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.ensemble import GradientBooster
    >>> from statlearn.linear import LinearRegression
    >>> X = np.arange(20.0)[:, None]
    >>> y = 3 * X[:, 0]
    >>> y[-1] = 1000.0
    >>> model = GradientBooster(LinearRegression(), loss="absolute_error", n_estimators=200, learning_rate=0.5)
    >>> model.fit(X, y).predict([[10.0]]).round(2)
    array([30.])
    """

    _search_space = SearchSpace("LS-Boost", grid={"n_estimators": [25, 50, 100, 200]})
    _constraints = {
        "estimator": [HasMethods("fit", "predict"), None],
        "loss": [Options(*losses.loss_names(LOSSES)), "callable"],
        "loss_params": [Instance(dict), None],
        "n_estimators": [Int(1, None)],
        "learning_rate": [Real(0, None, closed="neither")],
        "line_search": [Options("member", "leaf"), None],
        "init": [Options("best"), Real(None, None)],
        "subsample": [Real(0, 1, closed="right")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        estimator=None,
        *,
        loss="squared_error",
        loss_params=None,
        n_estimators=100,
        learning_rate=0.1,
        line_search="member",
        init="best",
        subsample=1.0,
        random_state=None,
    ):
        self.estimator = estimator
        self.loss = loss
        self.loss_params = loss_params
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.line_search = line_search
        self.init = init
        self.subsample = subsample
        self.random_state = random_state

    def _kind(self):
        if self.estimator is not None:
            return self.estimator
        from statlearn.trees import DecisionTreeRegressor

        return DecisionTreeRegressor(max_depth=3)

    @naming_text("a member")
    def fit(self, X, y, sample_weight=None):
        """Fit the boosted model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Training data, as accepted by the regressor. Trees treat categorical columns of a data frame as categorical.
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,) or None, default=None

        Returns
        -------
        self : object
        """
        check_params(self)
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None")
        X, y = self._check_table(X, y=y, y_numeric=True)
        y = np.asarray(y, dtype=np.float64)
        check_target(self.loss, y)
        weights = check_weights(sample_weight, np.empty((X.shape[0], 1)))
        if weights is None:
            weights = np.ones(len(y))
        elif not np.all(weights > 0):
            used = np.flatnonzero(weights > 0)
            X, y, weights = X[used], y[used], weights[used]
        loss = bound_loss(self.loss, self.loss_params, y)
        self.estimator_ = self._columns.told(self._kind())
        if self.line_search == "leaf" and not hasattr(self.estimator_, "apply"):
            raise ValueError(f"line_search='leaf' requires a tree, got {type(self.estimator_).__name__}.")
        self.start_ = best_constant(loss, weights) if self.init == "best" else float(self.init)
        self._boost(loss, X, weights, check_random_state(self.random_state))
        return self

    def _boost(self, loss, X, weights, rng):
        f = np.full(len(weights), self.start_)
        self.estimators_, self.leaf_values_, steps = [], [], []
        history = [self._mean_loss(loss, f, weights)]
        for _ in range(self.n_estimators):
            residuals = -check_finite(loss.derivatives(f)[0], "gradient")
            rows = self._draw(len(f), rng)
            learner = WeakLearner(self.estimator_, X[rows] if rows is not None else X, rng)
            taken = slice(None) if rows is None else rows
            member = learner.fit(residuals[taken], weights[taken])
            self.estimators_.append(member)
            if self.line_search == "leaf":
                steps.append(1.0)
                f = f + self._settle_leaves(loss, f, member.apply(X), weights, taken)
            else:
                h = np.asarray(member.predict(X), dtype=np.float64)
                check_finite(h, "prediction", type(member).__name__)
                rho = 1.0
                if self.line_search == "member":
                    rho = best_step(loss.take(taken), f[taken], h[taken], weights[taken])
                steps.append(self.learning_rate * rho)
                f = f + steps[-1] * h
            history.append(self._mean_loss(loss, f, weights))
        self.steps_ = np.array(steps)
        self.train_score_ = np.array(history)

    def _mean_loss(self, loss, f, weights):
        return float(np.sum(weights * check_finite(loss.value(f), "value")) / np.sum(weights))

    def _draw(self, n, rng):
        if self.subsample == 1.0:
            return None
        return np.sort(rng.permutation(n)[: max(1, int(self.subsample * n))])

    def _settle_leaves(self, loss, f, leaves, weights, taken):
        """Store the optimal constant of every leaf times the learning rate, and return its contribution to the rows."""
        leaves = np.asarray(leaves).reshape(-1)
        values = np.zeros(leaves.max() + 1)
        seen = np.zeros(len(leaves), bool)
        seen[taken] = True
        for leaf in np.unique(leaves[seen]):
            inside = seen & (leaves == leaf)
            step = best_step(loss.take(inside), f[inside], np.ones(int(inside.sum())), weights[inside])
            values[leaf] = self.learning_rate * step
        self.leaf_values_.append(values)
        return values[leaves]

    def staged_predict(self, X):
        """`predict` after each round.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)

        Yields
        ------
        ndarray of shape (n_rows,)
        """
        check_is_fitted(self)
        X = self._check_table(X, reset=False)
        f = np.full(X.shape[0], self.start_)
        for t, member in enumerate(self.estimators_):
            if self.leaf_values_:
                values = self.leaf_values_[t]
                leaves = np.asarray(member.apply(X)).reshape(-1)
                f = f + np.where(leaves < len(values), values[np.minimum(leaves, len(values) - 1)], 0.0)
            else:
                f = f + self.steps_[t] * member.predict(X)
            yield f

    def predict(self, X):
        """Predicted values, or scores of the class +1 for margin losses.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        check_is_fitted(self)
        X_ = self._check_table(X, reset=False)
        table = as_table(X_, self.estimators_) if are_plain_trees(self.estimators_) else None
        if table is not None:
            return self.start_ + sums(joined_trees(self.estimators_, self._node_values()), table, 1)[:, 0]
        *_, last = self.staged_predict(X)
        return last

    def _node_values(self):
        """Contribution of each node of each tree."""
        if not self.leaf_values_:
            return [step * m.tree_.forest.value[:, 0] for step, m in zip(self.steps_, self.estimators_, strict=True)]
        pairs = zip(self.leaf_values_, self.estimators_, strict=True)
        return [np.pad(values, (0, m.tree_.node_count - len(values))) for values, m in pairs]
