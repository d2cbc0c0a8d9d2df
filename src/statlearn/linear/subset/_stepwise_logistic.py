"""Forward, backward and bidirectional stepwise logistic regression."""

import copy
import warnings

import numpy as np
from scipy.special import chdtrc
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.summary import Table
from statlearn._core.validation import (
    FLOATS,
    check_labels,
    check_weights,
    present_rows,
    refuse_one_class,
    validate_data,
)
from statlearn._core.warnings import SeparationWarning, warn
from statlearn._math.linalg.positive import positive_system
from statlearn._math.solvers.logistic_loss import LogisticLoss
from statlearn._math.solvers.smooth import newton
from statlearn.linear._base import LinearClassifierMixin, term_names
from statlearn.linear.logistic._logistic import LogisticRegression
from statlearn.linear.logistic._sigmoid import softmax


class _Candidate:
    """A maximum-likelihood fit on some of the columns."""

    def __init__(self, X, codes, n_classes, weights, columns, fit_intercept, start):
        self.columns = list(columns)
        rows = 1 if n_classes == 2 else n_classes - 1
        if not self.columns and not fit_intercept:
            self.log_likelihood = -float(len(codes) if weights is None else weights.sum()) * np.log(n_classes)
            self.theta, self.n_parameters, self.loss = np.zeros((rows, 0)), 0, None
            return
        part = np.ascontiguousarray(X[:, self.columns])
        self.loss = LogisticLoss(
            part, codes, n_classes, weights=weights, fit_intercept=fit_intercept, fixed_last=n_classes > 2
        )
        # 30 steps reach the supremum up to rounding; with separated classes, coefficients are large but finite.
        result = newton(self.loss, self.loss.from_plain(start), tol=1e-9, max_iter=30)
        self.phi, self.theta = result.phi, self.loss.to_plain(result.phi)
        self.log_likelihood = -self.loss.total * result.objective
        self.n_parameters = rows * self.loss.q

    def wald(self):
        """Wald statistic and p-value of each column, for the hypothesis that all its coefficients are zero."""
        K, q = self.loss.shape
        _, _, hessian = self.loss.value_gradient_hessian(self.phi)
        covariance = (positive_system(hessian).inverse() / self.loss.total).reshape(K, q, K, q)
        statistic = []
        for s in range(len(self.columns)):
            b = self.theta[:, s]
            statistic.append(float(b @ positive_system(covariance[:, s, :, s]).solve(b)))
        statistic = np.array(statistic)
        return statistic, chdtrc(K, statistic)


class StepwiseLogistic(LinearClassifierMixin, BaseEstimator):
    r"""Stepwise logistic regression, forward, backward or bidirectional.

    Models are fitted by maximum likelihood. Steps continue while they reduce the criterion, minus twice the
    log-likelihood plus 2 (AIC) or log n (BIC) for each parameter, or follow Wald tests of single columns.

    Parameters
    ----------
    criterion : {"aic", "bic", "p"}, default="aic"
        With "p", a column enters while its Wald p-value (in the model with it) is below `p_enter`, and leaves while it
        is above `p_remove`; the least significant column leaves first.
    direction : {"both", "forward", "backward"}, default="both"
    start : {"auto", "empty", "full"}, default="auto"
        "auto" is full for backward and empty otherwise.
    p_enter : float, default=0.05
        Threshold for entry with ``criterion="p"``. Must not exceed `p_remove`.
    p_remove : float, default=0.1
    fit_intercept : bool, default=True
    max_steps : int, default=1000
    verbose : bool or int, default=False
        Print the candidates of every step.

    Attributes
    ----------
    steps_ : Table
        One row per model visited: the column added (+) or removed (-), number of parameters, deviance and criterion.
    candidates_ : list of Table
        Moves compared in each step, best first.
    order_ : list of int
        Column added or removed in each step.
    support_ : ndarray of shape (n_features,)
        Mask of the final columns.
    criterion_value_ : float
        Final AIC or BIC, or the deviance with "p".
    log_likelihood_ : float
    classes_ : ndarray
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        0 outside the final columns.
    intercept_ : ndarray
    n_iter_ : int
        Number of steps.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    LogisticRegression : Fit on a fixed set of columns, with inference.
    logistic_path : Selection by an L1 penalty, which is more stable.

    Notes
    -----
    Every candidate is fitted by Newton's method from the current model, so a step over p columns costs about p fits of
    the current size; removal by p-values costs one. Standard errors and p-values of the final model are too small,
    because the columns were selected using the response, so `summary` raises an error.

    Each column is a separate candidate. With a formula, the levels of a factor therefore enter and leave one by one,
    whereas R's ``step`` moves whole terms.

    References
    ----------
    Hastie, Tibshirani & Friedman (2009), The Elements of Statistical Learning, section 4.4.2.
    Venables & Ripley (2002), Modern Applied Statistics with S, section 7.2.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.linear import StepwiseLogistic
    >>> X = np.array([[0, 1], [1, 0], [2, 1], [3, 0], [4, 1], [5, 0], [6, 1], [7, 0], [8, 0], [9, 1]])
    >>> y = np.array([0, 0, 0, 1, 0, 0, 1, 1, 1, 1])
    >>> StepwiseLogistic().fit(X, y).steps_.rows
    ['', '+ x0']
    """

    _accept_sparse = False
    _constraints = {
        "criterion": [Options("aic", "bic", "p")],
        "direction": [Options("both", "forward", "backward")],
        "start": [Options("auto", "empty", "full")],
        "p_enter": [Real(0, 1, closed="both")],
        "p_remove": [Real(0, 1, closed="both")],
        "fit_intercept": ["boolean"],
        "max_steps": [Int(0, None)],
        "verbose": ["verbose"],
    }
    _search_space = SearchSpace("stepwise logistic, AIC")

    def __init__(
        self,
        criterion="aic",
        *,
        direction="both",
        start="auto",
        p_enter=0.05,
        p_remove=0.1,
        fit_intercept=True,
        max_steps=1000,
        verbose=False,
    ):
        self.criterion = criterion
        self.direction = direction
        self.start = start
        self.p_enter = p_enter
        self.p_remove = p_remove
        self.fit_intercept = fit_intercept
        self.max_steps = max_steps
        self.verbose = verbose

    def fit(self, X, y, sample_weight=None):
        """Select columns step by step and fit them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weight k counts as k copies of the row; classes that only have rows of weight 0 are left out.

        Returns
        -------
        self
        """
        check_params(self)
        if self.criterion == "p" and self.direction == "both" and self.p_enter > self.p_remove:
            raise ValueError(f"p_enter={self.p_enter} must not exceed p_remove={self.p_remove}; steps could cycle.")
        X, y = validate_data(self, X, y, dtype=FLOATS)
        weights = check_weights(sample_weight, X)
        check_labels(y)
        X, y, weights = present_rows(weights, X, y)  # a class whose rows all have weight 0 is not there
        self.classes_, codes = np.unique(y, return_inverse=True)
        refuse_one_class(self.classes_, type(self).__name__)
        self._X, self._codes = X, codes
        self._weights = None if weights is None else weights.astype(np.float64)
        try:
            self._select()
        finally:
            del self._X, self._codes, self._weights
        self._chosen_model = None
        self._fit_chosen(X, y, weights)
        return self

    def refit(self):
        """The unpenalised fit to the chosen columns, whose summary has the usual standard errors.

        Returns
        -------
        LogisticRegression
            Fitted to the same rows. Its `summary` is headed "conditional on the selection; standard errors too small",
            because the columns were chosen with the same response: p-values and intervals treat them as if they had
            been known before. Fit :class:`LogisticRegression` to the chosen columns of other rows for valid ones.
        """
        check_is_fitted(self)
        if self._chosen_model is None:
            raise ValueError("No column was chosen, so there is nothing to refit.")
        return copy.deepcopy(self._chosen_model)

    def _candidate(self, columns, near):
        """The fit on these columns, started from a neighbouring model."""
        K = len(self.classes_)
        start = np.zeros((1 if K == 2 else K - 1, len(columns) + self.fit_intercept))
        if near is not None and np.abs(near.theta).max(initial=0.0) < 100.0:
            for s, j in enumerate(columns):
                if j in near.columns:
                    start[:, s] = near.theta[:, near.columns.index(j)]
            if self.fit_intercept:
                start[:, -1] = near.theta[:, -1]
        return _Candidate(self._X, self._codes, K, self._weights, columns, self.fit_intercept, start)

    def _value(self, candidate):
        n = len(self._codes) if self._weights is None else self._weights.sum()
        price = {"aic": 2.0, "bic": np.log(n), "p": 0.0}[self.criterion]
        return -2.0 * candidate.log_likelihood + price * candidate.n_parameters

    def _select(self):
        p = self._X.shape[1]
        full = self.start == "full" or (self.start == "auto" and self.direction == "backward")
        current = self._candidate(list(range(p)) if full else [], None)
        names = term_names(self, intercept=False)
        log = [("", current.n_parameters, -2.0 * current.log_likelihood, self._value(current))]
        self.order_, self.candidates_ = [], []
        seen = {frozenset(current.columns)}
        while len(self.order_) < self.max_steps:
            moves = self._moves(current, names)
            if not moves:
                break
            self.candidates_.append(
                Table(
                    [label for label, *_ in moves],
                    {
                        "deviance": np.array([-2.0 * c.log_likelihood if c else np.nan for _, _, c, _, _ in moves]),
                        ("p" if self.criterion == "p" else self.criterion): np.array([m[4] for m in moves]),
                    },
                )
            )
            if self.verbose:
                print(f"Step {len(self.order_)}: {self._value(current):.6g}\n{self.candidates_[-1].to_text()}\n")
            label, j, candidate, accepted, _ = moves[0]
            if not accepted:
                break
            if candidate is None:  # removal by p-value fits only the winner
                candidate = self._candidate([c for c in current.columns if c != j], current)
            current = candidate
            self.order_.append(int(j))
            log.append((label, current.n_parameters, -2.0 * current.log_likelihood, self._value(current)))
            if frozenset(current.columns) in seen:  # Wald tests need not agree with one another: steps could cycle
                break
            seen.add(frozenset(current.columns))
        self.support_ = np.zeros(p, dtype=bool)
        self.support_[current.columns] = True
        self.criterion_value_ = float(self._value(current))
        self.n_iter_ = len(self.order_)
        columns = {
            "parameters": np.array([row[1] for row in log]),
            "deviance": np.array([row[2] for row in log]),
        }
        if self.criterion != "p":
            columns[self.criterion] = np.array([row[3] for row in log])
        self.steps_ = Table([row[0] for row in log], columns)

    def _moves(self, current, names):
        """Possible moves as (label, column, fit or None, whether it is accepted, criterion or p-value), best first."""
        outside = [j for j in range(self._X.shape[1]) if j not in current.columns]
        enter = [] if self.direction == "backward" else outside
        leave = [] if self.direction == "forward" else sorted(current.columns)
        if self.criterion == "p":
            moves = []
            if leave:
                p_values = dict(zip(current.columns, current.wald()[1]))
                moves = [(f"- {names[j]}", j, None, p_values[j] > self.p_remove, p_values[j]) for j in leave]
                moves.sort(key=lambda move: -move[4])
            if moves and moves[0][3]:
                return moves
            entries = []
            for j in enter:
                candidate = self._candidate([*current.columns, j], current)
                value = candidate.wald()[1][-1]
                entries.append((f"+ {names[j]}", j, candidate, bool(value < self.p_enter), value))
            entries.sort(key=lambda move: move[4])
            return entries + moves
        limit = self._value(current)
        moves = []
        for j in enter:
            candidate = self._candidate([*current.columns, j], current)
            moves.append((f"+ {names[j]}", j, candidate))
        for j in leave:
            moves.append((f"- {names[j]}", j, self._candidate([c for c in current.columns if c != j], current)))
        scored = [(*move, self._value(move[2])) for move in moves]
        scored.sort(key=lambda move: move[3])
        return [
            (label, j, candidate, bool(value < limit - 1e-9 * max(1.0, abs(limit))), value)
            for label, j, candidate, value in scored
        ]

    def _fit_chosen(self, X, y, weights):
        columns = np.flatnonzero(self.support_)
        K = len(self.classes_)
        rows = 1 if K == 2 else K
        self.coef_ = np.zeros((rows, X.shape[1]), dtype=X.dtype)
        if len(columns) == 0 and not self.fit_intercept:
            self.intercept_ = np.zeros(rows, dtype=X.dtype)
            self.log_likelihood_ = -float(len(y) if weights is None else weights.sum()) * float(np.log(K))
            return
        if len(columns):
            model = LogisticRegression(C=np.inf, solver="irls", tol=1e-9, max_iter=50, fit_intercept=self.fit_intercept)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SeparationWarning)
                model.fit(X[:, columns], y, sample_weight=weights)
            if hasattr(self, "feature_names_in_"):
                model.feature_names_in_ = self.feature_names_in_[columns]
            else:
                model._column_names = [f"x{j}" for j in columns]  # their numbers in the whole table
            model._heading = "conditional on the selection; standard errors too small"
            self._chosen_model = model
            if model.separated_:
                names = ", ".join(term_names(self, intercept=False)[j] for j in columns)
                warn(
                    f"StepwiseLogistic: the chosen columns ({names}) separate the classes, so the "
                    "maximum-likelihood coefficients are infinite. Use LogisticRegression with a penalty (finite C).",
                    SeparationWarning,
                )
            self.coef_[:, columns] = model.coef_
            self.intercept_, self.log_likelihood_ = model.intercept_, model.log_likelihood_
            return
        counts = np.bincount(np.searchsorted(self.classes_, y), weights=weights, minlength=K)
        with np.errstate(divide="ignore"):
            logs = np.log(counts / counts.sum())
        self.intercept_ = (logs[1:] - logs[:1] if K == 2 else logs - logs.mean()).astype(X.dtype)
        self.log_likelihood_ = float(np.sum(counts[counts > 0] * logs[counts > 0]))

    def predict_proba(self, X):
        """Class probabilities, columns in the order of ``classes_``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        scores = self.decision_function(X)
        if scores.ndim == 1:
            scores = np.column_stack([np.zeros_like(scores), scores])
        return softmax(scores, axis=1)

    def summary(self):
        """Not available: standard errors after selection are too small.

        Raises
        ------
        ValueError
        """
        raise ValueError(
            "StepwiseLogistic has no summary(): the columns were selected using the same response, so the usual "
            "standard errors and p-values would be too small. Fit LogisticRegression(C=np.inf) to the selected columns "
            "on new data, or bootstrap the whole selection. refit().summary() shows them nevertheless, under a heading "
            "that says so."
        )
