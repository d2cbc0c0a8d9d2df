"""Linear support vector regression for many rows."""

import numpy as np
from sklearn.base import BaseEstimator

from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.validation import FLOATS, check_weights, validate_data
from statlearn._core.warnings import warn_if_stopped
from statlearn._math.rows.linear_scores import LinearRegressorMixin
from statlearn.svm._linear import MachineProblem, solve_linear
from statlearn.svm._scale_warning import warn_if_uneven


class LinearSVR(LinearRegressorMixin, BaseEstimator):
    r"""Linear support vector regression.

    Minimises

    .. math:: \tfrac12\lVert w\rVert^2 + \tfrac12 v^2 + \sum_i C_i\,L\bigl(y_i-x_i^\top w-b\bigr), \qquad b = s v

    with :math:`L(r)=\max(0,|r|-\varepsilon)` or its square. As in liblinear and scikit-learn, the intercept is the
    weight v of a constant column s (`intercept_scaling`) and is penalised; with ``penalize_intercept=False`` it is
    not, which equals `SVR` with a linear kernel.

    Parameters
    ----------
    epsilon : float, default=0.0
        Half the width of the tube without loss, on the scale of y.
    tol : float, default=1e-4
        As in `LinearSVC`.
    C : float, default=1.0
        Weight of the losses relative to the penalty.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}, default="epsilon_insensitive"
    fit_intercept : bool, default=True
    intercept_scaling : float, default=1.0
    dual : "auto" or bool, default="auto"
        The algorithm, as in `LinearSVC`. It does not change the solution.
    verbose : int, default=0
    random_state : int, RandomState or None, default=None
        Order of the rows in dual coordinate descent.
    max_iter : int, default=1000
    penalize_intercept : bool, default=True

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_ : ndarray of shape (1,)
    n_iter_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    Notes
    -----
    Scale the columns of X, and y before relying on a value of epsilon. A penalised intercept is harmless only if y is
    centred: otherwise use ``penalize_intercept=False``.

    References
    ----------
    C.-H. Ho and C.-J. Lin, "Large-scale linear support vector regression", JMLR 13 (2012).

    Examples
    --------
    >>> from statlearn.svm import LinearSVR
    >>> line = LinearSVR(C=10, epsilon=0.1, penalize_intercept=False).fit([[0.0], [1.0]], [0.0, 1.0])
    >>> print(line.coef_.round(4), line.intercept_.round(4))
    [0.8] [0.1]
    """

    _constraints = {
        "epsilon": [Real(0, None)],
        "tol": [Real(0, None, closed="neither")],
        "C": [Real(0, None, closed="neither")],
        "loss": [Options("epsilon_insensitive", "squared_epsilon_insensitive")],
        "fit_intercept": ["boolean"],
        "intercept_scaling": [Real(0, None, closed="neither")],
        "dual": ["boolean", Options("auto")],
        "verbose": ["verbose"],
        "random_state": ["random_state"],
        "max_iter": [Int(1, None)],
        "penalize_intercept": ["boolean"],
    }
    _search_space = SearchSpace("linear support vector regression")

    def __init__(
        self,
        *,
        epsilon=0.0,
        tol=1e-4,
        C=1.0,
        loss="epsilon_insensitive",
        fit_intercept=True,
        intercept_scaling=1.0,
        dual="auto",
        verbose=0,
        random_state=None,
        max_iter=1000,
        penalize_intercept=True,
    ):
        self.epsilon = epsilon
        self.tol = tol
        self.C = C
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.dual = dual
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter
        self.penalize_intercept = penalize_intercept

    def fit(self, X, y, sample_weight=None):
        """Fit the machine.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Factors of C by row.

        Returns
        -------
        self
        """
        check_params(self)
        X, y = validate_data(
            self, X, y, dtype=FLOATS, order="C", accept_sparse="csr", accept_large_sparse=False, y_numeric=True
        )
        if self.dual is False and self.loss == "epsilon_insensitive":
            raise ValueError(
                "Unsupported set of arguments: The combination of penalty='l2' and loss='epsilon_insensitive' is not "
                f"supported when dual=False, Parameters: penalty='l2', loss={self.loss!r}, dual={self.dual!r}."
            )
        weights = check_weights(sample_weight, X)
        y = y.astype(np.float64)
        if weights is not None and not weights.all():
            used = np.flatnonzero(weights)
            X, y, weights = X[used], y[used], weights[used]
        warn_if_uneven(X, "LinearSVR")
        prices = self.C * (np.ones(y.size) if weights is None else weights.astype(np.float64))
        intercept = "none" if not self.fit_intercept else "penalised" if self.penalize_intercept else "free"
        problem = MachineProblem(
            X, y[None], prices[None], self.loss, epsilon=self.epsilon, intercept=intercept,
            intercept_scaling=self.intercept_scaling,
        )  # fmt: skip
        coef, b, n_iter, rest, status = solve_linear(
            problem, self.dual, tol=self.tol, max_iter=self.max_iter, random_state=self.random_state
        )
        if not np.isfinite(coef).all():
            raise ValueError("X or y: the weights of LinearSVR overflowed; scale the features.")
        self.coef_ = coef[0].astype(X.dtype, copy=False)
        self.intercept_ = b.astype(X.dtype, copy=False) if self.fit_intercept else 0.0
        self.n_iter_ = int(n_iter)
        if self.verbose:
            print(f"[LinearSVR] iterations {n_iter}  violation {rest:.3e}")
        warn_if_stopped(
            self, status, f"violation {rest:.1e} after {n_iter} iterations",
            remedy="Increase the number of iterations (max_iter), scale the features and y, or raise tol.",
        )  # fmt: skip
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
