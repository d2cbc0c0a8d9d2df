"""Forward stagewise additive modelling for any convex loss and any set of basis functions."""

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.fitted_state import forget
from statlearn._core.frames import refuse_names
from statlearn._core.params import Instance, Int, Options, Real, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.validation import FLOATS, check_weights, present_rows, validate_data
from statlearn._math.losses import scores as losses

from ._line_search import LOSSES, best_constant, best_step, bound_loss, candidate_losses, check_finite, check_target

_CELLS = 4_000_000  # rows x candidates processed together
_TIE = 1e-12


class _StagewiseStumps:
    """b(x) = +1 if x_j <= t, else -1, for every column and every threshold midway between adjacent values."""

    def __init__(self, X, weights):
        self.X = X
        self.order = np.argsort(X, axis=0, kind="stable")
        values = np.take_along_axis(X, self.order, axis=0)
        cuts = [np.flatnonzero(values[1:, j] > values[:-1, j]) for j in range(X.shape[1])]
        self.feature = np.repeat(np.arange(X.shape[1]), [len(c) for c in cuts])
        self.place = np.concatenate(cuts) if cuts else np.empty(0, int)
        low, high = values[self.place, self.feature], values[self.place + 1, self.feature]
        middle = low + (high - low) / 2
        self.threshold = np.where(middle < high, middle, low)

    def __len__(self):
        return len(self.feature)

    def evaluate(self, which):
        return np.where(self.X[:, self.feature[which]] <= self.threshold[which], 1.0, -1.0)

    def products(self, v):
        """Sums of v b for every candidate: twice the sum on the left minus the total, from cumulative sums."""
        sums = np.cumsum(v[self.order], axis=0)
        return 2.0 * sums[self.place, self.feature] - v.sum()

    def squares(self, weights):
        return np.full(len(self), weights.sum())

    def describe(self, which):
        return {"feature": int(self.feature[which]), "threshold": float(self.threshold[which])}

    @staticmethod
    def at(chosen, X):
        return np.where(X[:, chosen["feature"]] <= chosen["threshold"], 1.0, -1.0)


class _Columns:
    """Base learners b(x) = x_j minus its mean."""

    def __init__(self, X, weights):
        self.means = np.average(X, axis=0, weights=weights)
        self.B = X - self.means
        spread = np.sqrt(np.einsum("i,ij->j", weights, self.B**2))
        self.kept = np.flatnonzero(spread > 1e-12 * (np.abs(self.means) + spread))

    def __len__(self):
        return len(self.kept)

    def evaluate(self, which):
        return self.B[:, self.kept[which]]

    def products(self, v):
        return np.einsum("i,ij->j", v, self.B[:, self.kept])

    def squares(self, weights):
        return np.einsum("i,ij->j", weights, self.B[:, self.kept] ** 2)

    def describe(self, which):
        j = self.kept[which]
        return {"feature": int(j), "mean": float(self.means[j])}

    @staticmethod
    def at(chosen, X):
        return X[:, chosen["feature"]] - chosen["mean"]


class _Functions:
    """Columns of the matrix returned by a function of X."""

    def __init__(self, function, X, weights):
        self.B = self.table(function, X)
        self.kept = np.flatnonzero(np.einsum("i,ij->j", weights, self.B**2) > 0)

    @staticmethod
    def table(function, X):
        B = np.asarray(function(X), dtype=np.float64)
        if B.ndim != 2 or B.shape[0] != X.shape[0] or not np.all(np.isfinite(B)):
            raise ValueError("`basis` must return a matrix of finite numbers with one row for each row of X.")
        return B

    def __len__(self):
        return len(self.kept)

    def evaluate(self, which):
        return self.B[:, self.kept[which]]

    def products(self, v):
        return np.einsum("i,ij->j", v, self.B[:, self.kept])

    def squares(self, weights):
        return np.einsum("i,ij->j", weights, self.B[:, self.kept] ** 2)

    def describe(self, which):
        return {"function": int(self.kept[which])}


class ForwardStagewise(RegressorMixin, BaseEstimator):
    r"""Forward stagewise additive model for any convex loss and set of basis functions.

    Every round adds the basis function and coefficient that reduce the loss most,

    .. math:: (\beta, b) = \arg\min_{\beta,\, b \in B} \sum_i s_i L\bigl(y_i, f(x_i) + \beta\, b(x_i)\bigr), \qquad
        f \leftarrow f + \nu \beta b

    without changing earlier terms. With exponential loss and stumps this is AdaBoost with the stump of smallest error
    in each round. With squared error and single columns it is stagewise linear regression.

    Parameters
    ----------
    loss : str or callable, default="squared_error"
        For regression "squared_error" (with factor 1/2), "absolute_error", "huber", "log_cosh" or "quantile". For
        y = -1, +1 "exponential", "log_loss" (or "logistic"), "binomial_deviance", "squared_hinge" or "hinge", for which
        `predict` returns the score. Alternatively a function of y and f that returns three arrays, the loss, gradient
        and second derivative of every row, and does not modify its arguments.
    basis : {"stump", "column"} or callable, default="stump"
        The set B of basis functions: stumps with values +1 and -1 on either side of a threshold, single centred
        columns, or the columns of the matrix returned by a function of X.
    loss_params : dict or None, default=None
        Parameters of the loss, such as ``{"quantile": 0.9}``.
    n_estimators : int, default=50
        Number of rounds.
    learning_rate : float, default=1.0
        Factor :math:`\nu` that shrinks the steps.
    step : float or None, default=None
        Fixed absolute value of all coefficients, with the sign of the optimal one (incremental stagewise regression).
        None uses the optimal coefficient.
    init : {"best"} or float, default="best"
        Initial score: the optimal constant, or the given number.

    Attributes
    ----------
    start_ : float
        The initial score.
    chosen_ : list of dicts
        The basis function added in each round: column and threshold, column and mean, or index of the function.
    steps_ : ndarray of shape (n_rounds,)
        Coefficients :math:`\nu\beta`.
    coef_ : ndarray of shape (n_features,)
        Total coefficient of each column. Only with ``basis="column"``.
    train_score_ : ndarray of shape (n_rounds + 1,)
        Mean loss before the first round and after each round.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    Ties are broken in favour of the first column and the lowest threshold. Fitting stops early if no basis function
    reduces the loss. With squared error (any basis) and exponential loss (functions with values -1, +1) a round costs
    one pass over the table. For other losses every basis function needs its own line search, O(n) each, which is
    suitable only for small tables; use :class:`GradientBooster` for larger ones.

    See Also
    --------
    statlearn.linear.ForwardStagewiseRegressor : Whole path of small linear steps.
    AdaBoostClassifier : Exponential loss with any weak learner.

    References
    ----------
    Friedman, J., Hastie, T. & Tibshirani, R. (2000). Additive logistic regression: a statistical view of boosting.
    *Ann. Statist.* 28, 337-407.

    Hastie, T., Tibshirani, R. & Friedman, J. (2009). The Elements of Statistical Learning, section 10.3.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.ensemble import ForwardStagewise
    >>> X = np.arange(10.0)[:, None]
    >>> y = np.array([1, 1, 1, -1, -1, -1, 1, 1, 1, -1])
    >>> model = ForwardStagewise("exponential", n_estimators=3, init=0.0).fit(X, y)
    >>> [c["threshold"] for c in model.chosen_], model.steps_.round(4)
    ([2.5, 8.5, 5.5], array([ 0.4236,  0.6496, -0.752 ]))
    """

    _search_space = SearchSpace("forward stagewise stumps", grid={"n_estimators": [10, 25, 50, 100]})
    _constraints = {
        "loss": [Options(*losses.loss_names(LOSSES)), "callable"],
        "basis": [Options("stump", "column"), "callable"],
        "loss_params": [Instance(dict), None],
        "n_estimators": [Int(1, None)],
        "learning_rate": [Real(0, None, closed="neither")],
        "step": [Real(0, None, closed="neither"), None],
        "init": [Options("best"), Real(None, None)],
    }

    def __init__(
        self,
        loss="squared_error",
        basis="stump",
        *,
        loss_params=None,
        n_estimators=50,
        learning_rate=1.0,
        step=None,
        init="best",
    ):
        self.loss = loss
        self.basis = basis
        self.loss_params = loss_params
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.step = step
        self.init = init

    def fit(self, X, y, sample_weight=None):
        """Fit the additive model.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,) or None, default=None

        Returns
        -------
        self : object
        """
        check_params(self)
        refuse_names(X, type(self).__name__)
        X, y = validate_data(self, X, y, dtype=FLOATS, y_numeric=True)
        weights = check_weights(sample_weight, X)
        X, y = X.astype(np.float64, copy=False), np.asarray(y, dtype=np.float64)
        check_target(self.loss, y)
        X, y, weights = present_rows(weights, X, y)
        weights = np.ones(len(y)) if weights is None else weights
        weights = weights.astype(np.float64) / weights.sum(dtype=np.float64)
        loss = bound_loss(self.loss, self.loss_params, y)
        self.start_ = best_constant(loss, weights) if self.init == "best" else float(self.init)
        self._basis = self.basis  # as of this fit, whatever set_params changes later
        self._add_functions(loss, self._family(X, weights), weights)
        forget(self, "coef_")
        if self.basis == "column":
            self.coef_ = np.zeros(X.shape[1])
            np.add.at(self.coef_, [c["feature"] for c in self.chosen_], self.steps_)
        return self

    def _family(self, X, weights):
        if callable(self.basis):
            return _Functions(self.basis, X, weights)
        return _StagewiseStumps(X, weights) if self.basis == "stump" else _Columns(X, weights)

    def _add_functions(self, loss, family, weights):
        f = np.full(len(weights), self.start_)
        self.chosen_, steps = [], []
        history = [self._mean_loss(loss, f, weights)]
        for _ in range(self.n_estimators if len(family) else 0):
            which = self._best_candidate(loss, f, family, weights)
            b = family.evaluate(which)
            beta = best_step(loss, f, b, weights)
            if beta == 0.0:
                break
            steps.append(self.learning_rate * (beta if self.step is None else np.sign(beta) * self.step))
            self.chosen_.append(family.describe(which))
            f = f + steps[-1] * b
            history.append(self._mean_loss(loss, f, weights))
        self.steps_ = np.array(steps)
        self.train_score_ = np.array(history)

    def _mean_loss(self, loss, f, weights):
        return float(np.sum(weights * check_finite(loss.value(f), "value")))

    def _best_candidate(self, loss, f, family, weights):
        """The basis function with the smallest loss at its optimal coefficient."""
        if isinstance(loss, losses.SquaredError):
            gain = family.products(weights * loss.derivatives(f)[0]) ** 2 / family.squares(weights)
            return _first_largest(gain)
        if isinstance(loss, losses.Exponential) and isinstance(family, _StagewiseStumps):
            # The optimal loss is 2 sqrt(e (1 - e)) times the current one, smallest where abs(1/2 - e) is largest.
            return _first_largest(np.abs(family.products(weights * loss.value(f) * loss.y)))
        all_losses = []
        size = max(1, _CELLS // len(f))
        for begin in range(0, len(family), size):
            block = range(begin, min(begin + size, len(family)))
            H = np.column_stack([family.evaluate(k) for k in block])
            all_losses.append(candidate_losses(loss, f, H, weights)[1])
        return _first_largest(-np.concatenate(all_losses))

    def staged_predict(self, X):
        """`predict` after each round.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Yields
        ------
        ndarray of shape (n_rows,)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOATS, reset=False).astype(np.float64, copy=False)
        f = np.full(X.shape[0], self.start_)
        B = _Functions.table(self._basis, X) if callable(self._basis) and self.chosen_ else None
        at = _StagewiseStumps.at if self._basis == "stump" else _Columns.at
        for chosen, step in zip(self.chosen_, self.steps_, strict=True):
            f = f + step * (at(chosen, X) if B is None else B[:, chosen["function"]])
            yield f

    def predict(self, X):
        """Predicted values, or scores of the class +1 for margin losses.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        check_is_fitted(self)
        f = np.full(validate_data(self, X, dtype=FLOATS, reset=False).shape[0], self.start_)
        for f in self.staged_predict(X):  # noqa: B007
            pass
        return f


def _first_largest(values):
    """Index of the first entry equal to the maximum up to rounding."""
    top = values.max()
    return int(np.argmax(values >= top - _TIE * max(abs(top), np.finfo(float).tiny)))
