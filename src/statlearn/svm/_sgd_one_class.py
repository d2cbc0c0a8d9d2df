"""Linear one-class machine by stochastic gradients."""

import numpy as np
from sklearn.base import OutlierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Options, Real, check_params
from statlearn._core.validation import FLOATS, check_weights, validate_data
from statlearn._math.rows.linear_scores import linear_scores
from statlearn._math.solvers.stochastic import LARGEST_SEED, drop_absent, initial_values
from statlearn.svm._scale_warning import warn_if_uneven
from statlearn.svm._sgd import SGD_CONSTRAINTS, StochasticGradient


class SGDOneClassSVM(OutlierMixin, StochasticGradient):
    r"""Linear one-class support vector machine by stochastic gradients.

    Seeks the minimum over w and the offset :math:`\rho` of

    .. math:: \frac\nu2\lVert w\rVert^2 - \nu\rho + \frac1n\sum_i s_i\max(0, \rho-x_i^\top w)

    by one step per row, in random order. Rows with :math:`x^\top w\ge\rho` are inliers. With the random features of
    `statlearn.kernels.Nystroem` or `RBFSampler` before it, it approximates `OneClassSVM` for many rows.

    Parameters
    ----------
    nu : float, default=0.5
        Approximate share of outliers, in (0, 1].
    fit_intercept : bool, default=True
        False fixes the offset at 1.
    max_iter : int, default=1000
        Maximum number of passes over the rows in `fit`.
    tol : float or None, default=1e-3
        As in `SGDClassifier`, with 5 passes of patience.
    shuffle : bool, default=True
        Permute the rows before each pass.
    verbose : int, default=0
        Positive values print the objective of every pass at the end.
    random_state : int, RandomState or None, default=None
        Seed of the permutations. The rows come in scikit-learn's order.
    learning_rate : {"optimal", "constant", "invscaling", "adaptive"}, default="optimal"
        As in `SGDClassifier`, with nu for alpha.
    eta0 : float, default=0.01
        First step length.
    power_t : float, default=0.5
        Exponent of ``"invscaling"``.
    warm_start : bool, default=False
        Start `fit` from the previous solution.
    average : bool or int, default=False
        True returns the average of the weights over all steps, an integer that over the steps from this one on.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    offset_ : ndarray of shape (1,)
        The decision function is the raw score minus the offset.
    n_iter_ : int
        Number of passes.
    t_ : float
        Number of steps, plus 1.
    objective_curve_ : ndarray of shape (n_iter_,)
        Objective of each pass, plus the constant nu, measured before the steps.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    See Also
    --------
    OneClassSVM : The exact machine with any kernel.

    Notes
    -----
    Without a kernel map, the machine separates the rows from the origin by a hyperplane, which is rarely what one
    wants. The notes of `SGDClassifier` apply.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.prep import make_pipeline
    >>> from statlearn.kernels import Nystroem
    >>> from statlearn.svm import SGDOneClassSVM
    >>> X = np.random.default_rng(0).normal(size=(500, 2))
    >>> machine = make_pipeline(Nystroem(gamma=0.5, random_state=0), SGDOneClassSVM(nu=0.1, random_state=0)).fit(X)
    >>> machine.predict([[0.0, 0.0], [6.0, 6.0]])
    array([ 1, -1])
    """

    _constraints = {
        **SGD_CONSTRAINTS,
        "nu": [Real(0, 1, closed="right")],
        "learning_rate": [Options("constant", "optimal", "invscaling", "adaptive")],
    }
    loss, penalty, l1_ratio, epsilon = "hinge", "l2", 0.0, 0.0
    early_stopping, n_iter_no_change = False, 5

    def __init__(
        self,
        nu=0.5,
        fit_intercept=True,
        max_iter=1000,
        tol=1e-3,
        shuffle=True,
        verbose=0,
        random_state=None,
        learning_rate="optimal",
        eta0=0.01,
        power_t=0.5,
        warm_start=False,
        average=False,
    ):
        self.nu = nu
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.random_state = random_state
        self.learning_rate = learning_rate
        self.eta0 = eta0
        self.power_t = power_t
        self.warm_start = warm_start
        self.average = average

    @property
    def alpha(self):
        """Weight of the penalty: nu."""
        return self.nu

    def fit(self, X, y=None, coef_init=None, offset_init=None, sample_weight=None):
        """Fit the machine by repeated passes over the data.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : ignored
        coef_init : array-like of shape (n_features,) or None, default=None
            Initial weights; zeros by default.
        offset_init : array-like of shape (1,) or None, default=None
            Initial offset.
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        self
        """
        check_params(self)
        self._check_combinations(partial=False)
        X = self._validate(X, reset=True)
        if self.warm_start and hasattr(self, "coef_"):
            coef_init = self.coef_ if coef_init is None else coef_init
            offset_init = self.offset_ if offset_init is None else offset_init
        self._forget()
        W, offset = initial_values((1, X.shape[1]), coef_init, offset_init)
        warn_if_uneven(X, type(self).__name__)
        self._warn_of_max_iter(self._teach(X, check_weights(sample_weight, X), W, 1.0 - offset, self.max_iter))
        return self

    def partial_fit(self, X, y=None, sample_weight=None):
        """Update the machine by one pass over a block of rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        self
        """
        check_params(self)
        first = not hasattr(self, "coef_")
        X = self._validate(X, reset=first)
        if first:
            self._forget()
            W, b = np.zeros((1, X.shape[1])), np.ones(1)
        else:
            averaged = self.average and hasattr(self, "_standard_coef")
            W, b = initial_values(
                (1, X.shape[1]),
                self._standard_coef if averaged else self.coef_,
                self._standard_intercept if averaged else 1.0 - self.offset_,
            )
        self._teach(X, check_weights(sample_weight, X), W, b, 1)
        return self

    def _validate(self, X, *, reset):
        return validate_data(
            self, X, dtype=FLOATS, order="C", accept_sparse="csr", accept_large_sparse=False, reset=reset
        )

    def _teach(self, X, weights, W, b, max_iter):
        """Passes over the rows; returns whether the model reached `max_iter`."""
        weights, X = drop_absent(weights, X)
        seed = check_random_state(self.random_state).randint(0, LARGEST_SEED)
        # A hinge loss at labels +1 with the intercept 1 - offset.
        coef, intercept, stopped = self._learn(
            X, np.ones((1, X.shape[0])), weights[None], [seed], W, b, max_iter=max_iter, level=float(self.nu)
        )
        self.coef_, self.offset_ = coef.ravel(), 1 - intercept
        return stopped

    def score_samples(self, X):
        """Raw scores.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOATS, accept_sparse="csr", reset=False)
        return linear_scores(X, self.coef_, 0)

    def decision_function(self, X):
        """Raw scores minus the offset, positive for inliers.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self.score_samples(X) - self.offset_

    def predict(self, X):
        """+1 for inliers, the boundary included, and -1 for outliers.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of int of shape (n_samples,)
        """
        return np.where(self.decision_function(X) >= 0, 1, -1)
