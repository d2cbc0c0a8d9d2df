"""AdaBoost.R2: boosting of regressors by resampling and weighted median."""

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from statlearn._core.frames import naming_text
from statlearn._core.params import Options, check_params
from statlearn._core.search import SearchSpace

from .._joined_trees import are_plain_trees, as_table, joined_trees, predictions
from .._weak_learner import seeded_clone
from ._line_search import check_finite
from ._weight_boosting import WeightBoosting

_EPS = np.finfo(np.float64).eps


def row_medians(values, weights):
    """Lower weighted median of each row of values (n, m), with column weights (m,)."""
    order = np.argsort(values, axis=1, kind="stable")
    reached = np.cumsum(np.asarray(weights)[order], axis=1)
    # A cumulative weight of exactly one half must not be missed because of rounding.
    at = np.argmax(reached >= 0.5 * (1 - 1e-12) * reached[:, -1:], axis=1)
    rows = np.arange(len(values))
    return values[rows, order[rows, at]]


MOST_COPIES = 10_000_000


def _rows_to_draw(sample_weight, n):
    """Number of rows to draw: the number of rows, counting copies if there are not too many."""
    weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    if weights is None or weights.ndim == 0 or np.any(weights != np.round(weights)):
        return n
    return int(weights.sum()) if weights.sum() <= MOST_COPIES else n


class AdaBoostRegressor(RegressorMixin, WeightBoosting):
    r"""AdaBoost.R2 regressor: regressors fitted in sequence to rows resampled by their errors.

    Round t draws rows with probabilities p proportional to the weights and fits a member. Its errors relative to the
    largest one, :math:`a_i = |y_i - h_t(x_i)| / D`, determine losses L and

    .. math:: \bar L = \sum_i p_i L_i, \qquad \beta = \bar L / (1 - \bar L), \qquad
        w_i \leftarrow w_i\, \beta^{\nu (1 - L_i)}

    The prediction is the lower weighted median of the members' predictions, with weights :math:`\nu \log(1/\beta)`.

    Parameters
    ----------
    estimator : regressor or None, default=None
        The base estimator. None uses :class:`statlearn.trees.DecisionTreeRegressor` with ``max_depth=3``.
    n_estimators : int, default=50
        Maximum number of rounds.
    learning_rate : float, default=1.0
        Factor :math:`\nu` that shrinks the steps.
    loss : {"linear", "square", "exponential"}, default="linear"
        L = a, a², or 1 - e^{-a}.
    random_state : int, RandomState or None, default=None
        Seed for resampling and for the members.

    Attributes
    ----------
    estimator_ : regressor
        The base estimator.
    estimators_ : list of regressors
        The fitted members.
    estimator_weights_ : ndarray of shape (n_estimators,)
        Weights in the median; 0 for rounds that were not needed.
    estimator_errors_ : ndarray of shape (n_estimators,)
        Average losses; 1 for rounds that were not needed.
    feature_importances_ : ndarray of shape (n_features,)
        Mean of the members' importances, weighted by `estimator_weights_`. Only for members that have importances, such
        as trees.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    Boosting stops if the average loss is 1/2 or more, in which case the member is discarded unless it is the only one,
    or if it is 0, in which case the member gets the weight for a loss of 2e-16. Errors are scaled by the largest one,
    so a single outlier makes the errors of all other rows look small. With outliers, use
    :class:`GradientBoostingRegressor` with the absolute or Huber loss.

    References
    ----------
    Drucker, H. (1997). Improving regressors using boosting techniques. *Proc. ICML*, 107-115.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.ensemble import AdaBoostRegressor
    >>> from statlearn.linear import LinearRegression
    >>> X = np.linspace(0, 1, 50)[:, None]
    >>> y = 2 * X[:, 0] + 0.1 * np.sin(40 * X[:, 0])
    >>> model = AdaBoostRegressor(LinearRegression(), n_estimators=20, random_state=0).fit(X, y)
    >>> bool(abs(model.predict([[0.5]])[0] - 1.0) < 0.1)
    True
    """

    _search_space = SearchSpace("AdaBoost.R2", grid={"n_estimators": [25, 50, 100, 200]})
    _constraints = {**WeightBoosting._constraints, "loss": [Options("linear", "square", "exponential")]}

    def __init__(self, estimator=None, *, n_estimators=50, learning_rate=1.0, loss="linear", random_state=None):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.loss = loss
        self.random_state = random_state

    def _default_member(self):
        from statlearn.trees import DecisionTreeRegressor

        return DecisionTreeRegressor(max_depth=3)

    @naming_text("a member")
    def fit(self, X, y, sample_weight=None):
        """Fit the boosted regressor.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Training data, as accepted by the members. Trees treat categorical columns of a data frame as categorical.
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,) or None, default=None
            Initial weights. Integer weights count copies of the rows, and the number of rows drawn is their sum (up to
            ten million). Other weights are probabilities up to a factor.

        Returns
        -------
        self : object
        """
        check_params(self)
        X, y, weights, _ = self._check_training(X, y, sample_weight)
        rng = check_random_state(self.random_state)
        draws = _rows_to_draw(sample_weight, len(y))
        self.estimator_ = self._columns.told(self._kind())
        self.estimators_ = []
        self.estimator_weights_ = np.zeros(self.n_estimators)
        self.estimator_errors_ = np.ones(self.n_estimators)
        for t in range(self.n_estimators):
            weights = np.maximum(weights, _EPS)
            weights /= weights.sum()
            member = seeded_clone(self.estimator_, rng)
            rows = rng.choice(len(y), size=draws, p=weights)
            member.fit(X[rows], y[rows])
            predicted = check_finite(member.predict(X), "prediction", type(member).__name__)
            losses = self._losses(np.abs(predicted - y))
            mean = float(np.sum(weights * losses))
            if mean >= 0.5:
                if not self.estimators_:
                    self.estimators_ = [member]
                    self.estimator_weights_[0], self.estimator_errors_[0] = 1.0, mean
                break
            self.estimators_.append(member)
            beta = max(mean, _EPS) / (1.0 - max(mean, _EPS))
            self.estimator_weights_[t] = self.learning_rate * np.log(1.0 / beta)
            self.estimator_errors_[t] = mean
            if mean <= 0.0:
                break
            weights = weights * beta ** (self.learning_rate * (1.0 - losses))
        return self

    def _losses(self, errors):
        largest = errors.max()
        scaled = errors / largest if largest > 0 else errors
        if self.loss == "square":
            return scaled**2
        return 1.0 - np.exp(-scaled) if self.loss == "exponential" else scaled

    def _predictions(self, X):
        check_is_fitted(self)
        X = self._check_table(X, reset=False)
        table = as_table(X, self.estimators_) if are_plain_trees(self.estimators_) else None
        if table is not None:
            values = [m.tree_.forest.value[:, 0] for m in self.estimators_]
            return predictions(joined_trees(self.estimators_, values), table)
        return np.column_stack([member.predict(X) for member in self.estimators_])

    def predict(self, X):
        """Predicted values: weighted median of the members' predictions.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        values = self._predictions(X)
        return row_medians(values, self.estimator_weights_[: values.shape[1]])

    def staged_predict(self, X):
        """`predict` after each round.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)

        Yields
        ------
        ndarray of shape (n_rows,)
        """
        values = self._predictions(X)
        for t in range(1, values.shape[1] + 1):
            yield row_medians(values[:, :t], self.estimator_weights_[:t])
