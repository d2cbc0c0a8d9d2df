"""Linear regression by stochastic gradients."""

import numpy as np
from sklearn.utils import check_random_state

from statlearn._core.params import Options, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.validation import FLOATS, check_weights, validate_data
from statlearn._math.rows.linear_scores import LinearRegressorMixin
from statlearn._math.solvers.stochastic import LARGEST_SEED, drop_absent, initial_values
from statlearn.svm._scale_warning import warn_if_uneven
from statlearn.svm._sgd import PENALTY_CONSTRAINTS, SGD_CONSTRAINTS, StochasticGradient


class SGDRegressor(LinearRegressorMixin, StochasticGradient):
    r"""Linear regression by stochastic gradients.

    Seeks the minimum of

    .. math:: \frac1n\sum_i s_i L(y_i-x_i^\top w-b)
        + \alpha\bigl(\rho\lVert w\rVert_1 + \tfrac{1-\rho}2\lVert w\rVert_2^2\bigr)

    by one step per row, in random order, as `SGDClassifier` does.

    Parameters
    ----------
    loss : str, default="squared_error"
        With r the residual: ``"squared_error"`` :math:`r^2/2`; ``"huber"`` :math:`r^2/2` up to epsilon and linear
        beyond; ``"epsilon_insensitive"`` :math:`\max(0,|r|-\varepsilon)`, the support vector regression;
        ``"squared_epsilon_insensitive"`` its square.
    penalty : {"l2", "l1", "elasticnet"} or None, default="l2"
    alpha : float, default=0.0001
        Weight of the penalty of the mean loss, and of the schedule ``"optimal"``.
    l1_ratio : float or None, default=0.15
        Share :math:`\rho` of the L1 penalty in the elastic net.
    fit_intercept : bool, default=True
        The intercept is not penalised.
    max_iter : int, default=1000
        Maximum number of passes over the rows in `fit`.
    tol : float or None, default=1e-3
        As in `SGDClassifier`. It is compared with a mean loss, so it depends on the unit of y.
    shuffle : bool, default=True
        Permute the rows before each pass.
    verbose : int, default=0
        Positive values print the objective of every pass at the end.
    epsilon : float, default=0.1
        Bend of the losses other than the squared error, on the scale of y.
    random_state : int, RandomState or None, default=None
        Seed of the permutations. The rows come in scikit-learn's order.
    learning_rate : str, default="invscaling"
        As in `SGDClassifier`; the passive-aggressive steps need the epsilon-insensitive loss.
    eta0 : float, default=0.01
        First step length.
    power_t : float, default=0.25
        Exponent of ``"invscaling"``.
    early_stopping : bool, default=False
        Stop by R² on held-out rows instead of by the objective.
    validation_fraction : float, default=0.1
        Fraction of the rows to hold out.
    n_iter_no_change : int, default=5
        Number of passes without improvement before stopping.
    warm_start : bool, default=False
        Start `fit` from the previous solution.
    average : bool or int, default=False
        True returns the average of the weights over all steps, an integer that over the steps from this one on.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_ : ndarray of shape (1,)
    n_iter_ : int
        Number of passes.
    t_ : float
        Number of steps, plus 1.
    objective_curve_ : ndarray of shape (n_iter_,)
        Objective of each pass, measured before the steps, or 1 - R² on the held-out rows.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    See Also
    --------
    LinearSVR : The exact minimum of the epsilon-insensitive losses.
    statlearn.linear.Ridge : The exact minimum of the squared error.

    Notes
    -----
    Scale the columns of X, and y as well: large residuals make the first steps explode. The notes of `SGDClassifier`
    apply.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.svm import SGDRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 2))
    >>> y = X @ [1.0, -2.0] + 0.1 * rng.normal(size=2000)
    >>> SGDRegressor(average=True, tol=1e-5, random_state=0).fit(X, y).coef_.round(1)
    array([ 1., -2.])
    """

    _constraints = {
        **SGD_CONSTRAINTS,
        **PENALTY_CONSTRAINTS,
        "loss": [Options("squared_error", "huber", "epsilon_insensitive", "squared_epsilon_insensitive")],
    }
    _search_space = SearchSpace("stochastic gradients, least squares")
    _passive_aggressive_loss = "epsilon_insensitive"

    def __init__(
        self,
        loss="squared_error",
        *,
        penalty="l2",
        alpha=0.0001,
        l1_ratio=0.15,
        fit_intercept=True,
        max_iter=1000,
        tol=1e-3,
        shuffle=True,
        verbose=0,
        epsilon=0.1,
        random_state=None,
        learning_rate="invscaling",
        eta0=0.01,
        power_t=0.25,
        early_stopping=False,
        validation_fraction=0.1,
        n_iter_no_change=5,
        warm_start=False,
        average=False,
    ):
        self.loss = loss
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.epsilon = epsilon
        self.random_state = random_state
        self.learning_rate = learning_rate
        self.eta0 = eta0
        self.power_t = power_t
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.warm_start = warm_start
        self.average = average

    def fit(self, X, y, coef_init=None, intercept_init=None, sample_weight=None):
        """Fit the model by repeated passes over the data.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        coef_init : array-like of shape (n_features,) or None, default=None
            Initial weights; zeros by default.
        intercept_init : array-like of shape (1,) or None, default=None
            Initial intercept; 0 by default.
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        self
        """
        check_params(self)
        self._check_combinations(partial=False)
        X, y = self._validate(X, y, reset=True)
        if self.warm_start and hasattr(self, "coef_"):
            coef_init = self.coef_ if coef_init is None else coef_init
            intercept_init = self.intercept_ if intercept_init is None else intercept_init
        self._forget()
        W, b = initial_values((1, X.shape[1]), coef_init, intercept_init)
        warn_if_uneven(X, type(self).__name__)
        self._warn_of_max_iter(self._teach(X, y, check_weights(sample_weight, X), W, b, self.max_iter))
        return self

    def partial_fit(self, X, y, sample_weight=None):
        """Update the model by one pass over a block of rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        self
        """
        check_params(self)
        self._check_combinations(partial=True)
        first = not hasattr(self, "coef_")
        X, y = self._validate(X, y, reset=first)
        if first:
            self._forget()
            W, b = initial_values((1, X.shape[1]), None, None)
        else:
            averaged = self.average and hasattr(self, "_standard_coef")
            W, b = initial_values(
                (1, X.shape[1]),
                self._standard_coef if averaged else self.coef_,
                self._standard_intercept if averaged else self.intercept_,
            )
        self._teach(X, y, check_weights(sample_weight, X), W, b, 1)
        return self

    def _validate(self, X, y, *, reset):
        return validate_data(
            self, X, y, dtype=FLOATS, order="C", accept_sparse="csr", accept_large_sparse=False, y_numeric=True,
            reset=reset,
        )  # fmt: skip

    def _teach(self, X, y, weights, W, b, max_iter):
        """Passes over the rows; returns whether the model reached `max_iter`."""
        weights, X, y = drop_absent(weights, X, y.astype(np.float64))
        held_out = self._held_out(y, stratify=False)  # drawn before the seed, as in scikit-learn
        seed = check_random_state(self.random_state).randint(0, LARGEST_SEED)
        coef, self.intercept_, stopped = self._learn(
            X, y[None], weights[None], [seed], W, b, max_iter=max_iter, held_out=held_out, score="r2"
        )
        self.coef_ = coef.ravel()
        return stopped
