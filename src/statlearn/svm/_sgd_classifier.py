"""Linear classification by stochastic gradients."""

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from statlearn._core.class_weights import class_factors, refuse_balanced_stream
from statlearn._core.params import Instance, Int, Options, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.validation import (
    FLOATS,
    check_weights,
    class_codes,
    classes_of_stream,
    encode_classes,
    validate_data,
)
from statlearn._math.losses.scores import loss_key, loss_names
from statlearn._math.rows.linear_scores import LinearClassifierMixin, gives_probabilities, margin_probabilities
from statlearn._math.solvers.stochastic import (
    drop_absent,
    initial_values,
    n_models,
    one_vs_rest,
    permutation_seeds,
)
from statlearn.svm._scale_warning import warn_if_uneven
from statlearn.svm._sgd import LOSSES, PENALTY_CONSTRAINTS, SGD_CONSTRAINTS, StochasticGradient


class SGDClassifier(LinearClassifierMixin, StochasticGradient):
    r"""Linear classification by stochastic gradients.

    For labels :math:`y_i=\pm1`, weights :math:`s_i` and scores :math:`f_i=x_i^\top w+b`, seeks the minimum of

    .. math:: \frac1n\sum_i s_i L(y_i,f_i)
        + \alpha\bigl(\rho\lVert w\rVert_1 + \tfrac{1-\rho}2\lVert w\rVert_2^2\bigr)

    by one step per row, in random order,

    .. math:: w \leftarrow (1-\eta_t\alpha(1-\rho))\,w - \eta_t s_i L'(y_i,f_i)\,x_i,
        \qquad b \leftarrow b - \eta_t s_i L'(y_i,f_i)

    where :math:`\rho` is 0 for the L2 penalty and 1 for L1, whose part is taken off afterwards, by the cumulative
    penalty of Tsuruoka and others. The default is a linear support vector machine: the hinge loss with an L2 penalty.
    More than two classes are fitted one-vs-rest.

    Parameters
    ----------
    loss : str, default="hinge"
        ``"hinge"`` (support vector machine), ``"log_loss"`` or ``"logistic"`` (logistic regression),
        ``"modified_huber"`` (smooth, with probabilities, tolerant of outliers), ``"squared_hinge"``, ``"perceptron"``,
        and the losses of `SGDRegressor` on labels ±1: ``"squared_error"``, ``"huber"``, ``"epsilon_insensitive"`` and
        ``"squared_epsilon_insensitive"``.
    penalty : {"l2", "l1", "elasticnet"} or None, default="l2"
        L1 and the elastic net set weights to exactly zero.
    alpha : float, default=0.0001
        Weight of the penalty of the mean loss, and of the schedule ``"optimal"``. A machine with the cost C on n rows
        has alpha = 1 / (C n); `statlearn.linear.convert_penalty` converts other scales.
    l1_ratio : float or None, default=0.15
        Share :math:`\rho` of the L1 penalty in the elastic net.
    fit_intercept : bool, default=True
        The intercept is not penalised.
    max_iter : int, default=1000
        Maximum number of passes over the rows in `fit`.
    tol : float or None, default=1e-3
        Stop when the objective of a pass, as met before each step, has not decreased by `tol` in `n_iter_no_change`
        passes. None always makes `max_iter` passes.
    shuffle : bool, default=True
        Permute the rows before each pass.
    verbose : int, default=0
        Positive values print the objective of every pass at the end.
    epsilon : float, default=0.1
        Bend of the losses ``"huber"``, ``"epsilon_insensitive"`` and ``"squared_epsilon_insensitive"``.
    n_jobs : int or None, default=None
        Maximum number of threads, over which the classes are distributed. None and -1 use all that are available.
    random_state : int, RandomState or None, default=None
        Seed of the permutations. The rows come in scikit-learn's order.
    learning_rate : str, default="optimal"
        Length :math:`\eta_t` of step t. ``"constant"`` is eta0; ``"optimal"`` is :math:`1/(\alpha(t_0+t))` with
        Bottou's :math:`t_0`; ``"invscaling"`` is eta0 / t**power_t, which is the inverse root by default and
        :math:`1/(\lambda t)` with ``eta0=1 / alpha, power_t=1``; ``"adaptive"`` is eta0, divided by 5 whenever the
        passes stop improving; ``"pa1"`` and ``"pa2"`` are the passive-aggressive steps, with the hinge loss.
    eta0 : float, default=0.01
        First step length, or the largest step of ``"pa1"`` and the aggressiveness of ``"pa2"``.
    power_t : float, default=0.5
        Exponent of ``"invscaling"``.
    early_stopping : bool, default=False
        Stop by the accuracy on held-out rows instead of by the objective.
    validation_fraction : float, default=0.1
        Fraction of the rows to hold out.
    n_iter_no_change : int, default=5
        Number of passes without improvement before stopping.
    class_weight : dict, "balanced" or None, default=None
        Factors of the rows' weights by label. ``"balanced"`` gives every class the same total, where a row of weight k
        counts as k rows.
    warm_start : bool, default=False
        Start `fit` from the previous solution.
    average : bool or int, default=False
        True returns the average of the weights over all steps, an integer that over the steps from this one on.
        Averages are much less noisy than the last weights; begin after the first pass or so.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
    intercept_ : ndarray of shape (1,) or (n_classes,)
    classes_ : ndarray of shape (n_classes,)
    loss_ : str
        The loss of the fit, which decides whether there are probabilities.
    n_iter_ : int
        Number of passes (the largest over the classes).
    t_ : float
        Number of steps, plus 1.
    objective_curve_ : ndarray of shape (n_iter_,), or a list of these per class
        Objective of each pass, measured before the steps, or the error on the held-out rows.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    See Also
    --------
    LinearSVC : The exact minimum, usually faster unless the data come as a stream.
    hinge_sgd_path : Machines over a grid of values of C.

    Notes
    -----
    Scale the columns first: one step length serves all of them. The result is an approximation that depends on the
    order of the rows; `tol` is compared with changes of a noisy objective, so a small tol does not mean a small error.
    A sample weight lengthens the step of its row, which is not the same as copies met at different times; a weight of 0
    removes the row. As in scikit-learn, the intercept of sparse data learns at a hundredth of the rate, because it
    meets every row and most columns do not.

    Unlike in scikit-learn, the average with an L1 penalty is that of the weights after the penalty, and the objective
    of the stopping rule is a weighted mean.

    References
    ----------
    L. Bottou, "Stochastic gradient tricks", 2012. W. Xu, "Towards optimal one pass large scale learning with averaged
    stochastic gradient descent", 2011. Y. Tsuruoka, J. Tsujii and S. Ananiadou, "Stochastic gradient descent training
    for L1-regularized log-linear models with cumulative penalty", ACL 2009. K. Crammer and others, "Online
    passive-aggressive algorithms", JMLR 7 (2006).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from statlearn.prep import StandardScaler, make_pipeline
    >>> from statlearn.svm import SGDClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), SGDClassifier(alpha=0.01, average=True, random_state=0)).fit(X, y)
    >>> bool(model.score(X, y) > 0.97)
    True
    """

    _constraints = {
        **SGD_CONSTRAINTS,
        **PENALTY_CONSTRAINTS,
        "loss": [Options(*loss_names(LOSSES))],
        "n_jobs": [Int(None, None), None],
        "class_weight": [Options("balanced"), Instance(dict), None],
    }
    _search_space = SearchSpace(
        "stochastic gradients, logistic",
        grid={"alpha": [0.1, 0.01, 0.001, 0.0001]},
        fixed={"loss": "log_loss", "average": True, "random_state": 0},
    )

    def __init__(
        self,
        loss="hinge",
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
        n_jobs=None,
        random_state=None,
        learning_rate="optimal",
        eta0=0.01,
        power_t=0.5,
        early_stopping=False,
        validation_fraction=0.1,
        n_iter_no_change=5,
        class_weight=None,
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
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.learning_rate = learning_rate
        self.eta0 = eta0
        self.power_t = power_t
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.average = average

    def fit(self, X, y, coef_init=None, intercept_init=None, sample_weight=None):
        """Fit the model by repeated passes over the data.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        coef_init : array-like of the shape of `coef_`, or None, default=None
            Initial weights; zeros by default.
        intercept_init : array-like of the shape of `intercept_`, or None, default=None
            Initial intercepts; zeros by default.
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        self
        """
        check_params(self)
        self._check_combinations(partial=False)
        X, y = self._validate(X, y, reset=True)
        warn_if_uneven(X, type(self).__name__)
        weights = check_weights(sample_weight, X)
        present = y if weights is None else y[weights > 0]
        classes, _ = encode_classes(present, owner="SGDClassifier")
        if self.warm_start and hasattr(self, "coef_"):
            coef_init = self.coef_ if coef_init is None else coef_init
            intercept_init = self.intercept_ if intercept_init is None else intercept_init
        self._forget()
        self.classes_ = classes
        W, b = initial_values((n_models(classes), X.shape[1]), coef_init, intercept_init)
        self._warn_of_max_iter(self._teach(X, y, weights, W, b, self.max_iter))
        return self

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Update the model by one pass over a block of rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        classes : array-like or None, default=None
            All classes that can occur; required in the first call.
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        self
        """
        check_params(self)
        self._check_combinations(partial=True)
        known = getattr(self, "classes_", None)
        first = known is None
        classes = classes_of_stream(known, classes)
        if first:
            refuse_balanced_stream(self.class_weight)
        X, y = self._validate(X, y, reset=first)
        weights = check_weights(sample_weight, X)
        if first:
            if classes.size < 2:
                raise ValueError("The number of classes has to be greater than one; got 1 class.")
            self._forget()
            self.classes_ = classes
            W, b = initial_values((n_models(classes), X.shape[1]), None, None)
        else:
            averaged = self.average and hasattr(self, "_standard_coef")
            W, b = initial_values(
                self.coef_.shape,
                self._standard_coef if averaged else self.coef_,
                self._standard_intercept if averaged else self.intercept_,
            )
        self._teach(X, y, weights, W, b, 1)
        return self

    def _validate(self, X, y, *, reset):
        return validate_data(
            self, X, y, dtype=FLOATS, order="C", accept_sparse="csr", accept_large_sparse=False, reset=reset
        )

    def _teach(self, X, y, weights, W, b, max_iter):
        """Passes over the rows; returns whether a model reached `max_iter`."""
        weights, X, y = drop_absent(weights, X, y)
        codes = class_codes(self.classes_, y)
        factors = class_factors(self.class_weight, self.classes_, codes, weights)
        targets, weights = one_vs_rest(codes, W.shape[0], factors, weights)
        self.loss_ = loss_key(self.loss)
        held_out = self._held_out(codes, stratify=True)
        self.coef_, self.intercept_, stopped = self._learn(
            X, targets, weights, permutation_seeds(self.random_state, W.shape[0]), W, b, max_iter=max_iter,
            held_out=held_out, score="accuracy", n_jobs=self.n_jobs,
        )  # fmt: skip
        return stopped

    @available_if(gives_probabilities)
    def predict_proba(self, X):
        """Class probabilities, with ``loss="log_loss"`` and ``loss="modified_huber"``.

        The logistic function of the score, or (1 + score) / 2 clipped to [0, 1] with the modified Huber loss. For more
        than two classes, the values of the one-vs-rest models are divided by their sum.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        return margin_probabilities(self.loss_, self.decision_function(X))

    @available_if(gives_probabilities)
    def predict_log_proba(self, X):
        """Logarithms of `predict_proba`; -inf where a probability of the modified Huber loss is 0.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))
