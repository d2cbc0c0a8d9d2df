"""Linear classifiers and regressors defined by a loss and a penalty."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from statlearn._core.class_weights import label_and_sample_weights
from statlearn._core.params import Instance, Int, Options, Real, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.validation import FLOATS, check_weights, encode_classes, validate_data
from statlearn._core.warnings import OK, StatlearnWarning, warn, warn_if_stopped
from statlearn._math.linalg.sparse_arrays import with_column
from statlearn._math.losses.scores import MARGIN_LOSSES, REGRESSION_LOSSES, Hinge, loss_key, loss_names
from statlearn._math.penalties.elastic_net import ElasticNetPenalty
from statlearn._math.penalties.scales import elastic_net_terms, objective_factor
from statlearn._math.rows.linear_scores import gives_probabilities, margin_probabilities
from statlearn._math.rows.rows import Rows
from statlearn._math.solvers.minimise import minimise
from statlearn._math.solvers.solution import LinearSolution
from statlearn.linear._base import LinearClassifierMixin, LinearRegressorMixin


class _Regularized(BaseEstimator):
    """Base class: rows and weights, the penalty on every scale, the call of the solver."""

    _accept_sparse: tuple[str, ...] | bool = ("csr", "csc")

    def _rows(self, X, weights):
        """The table of the rows of positive weight, and their mask."""
        keep = slice(None) if weights is None or np.all(weights > 0) else weights > 0
        X = X[keep] if not isinstance(keep, slice) else X
        if self.fit_intercept and self.penalize_intercept:
            X = with_column(X)
        return Rows.double(X, None if weights is None else weights[keep]), keep

    def _penalty(self, total):
        """The penalty beside the mean loss; `total` is the sum of the weights."""
        return ElasticNetPenalty(*elastic_net_terms(self.alpha, self.l1_ratio, self.penalty_scale, total))

    def _solve(self, rows, loss):
        total = rows.total_weight
        free = self.fit_intercept and not self.penalize_intercept
        start = None
        if free and loss.smooth:
            # The best constant is where the slopes balance; it spares the first steps from straight parts of a loss.
            empty = Rows.double(np.empty((rows.n, 0)), rows.weights)
            start = np.zeros(rows.p), minimise(empty, loss, tol=1e-6, max_iter=50).intercept
        settings = dict(intercept=free, start=start, tol=self.tol, max_iter=self.max_iter)
        solution = minimise(rows, loss, self._penalty(total), **settings)
        if self.fit_intercept and self.penalize_intercept:
            solution.coef, solution.intercept = solution.coef[:-1], float(solution.coef[-1])
        solution.objective *= objective_factor(self.penalty_scale, total)
        solution.gap *= objective_factor(self.penalty_scale, total)
        return solution

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class RegularizedLinearClassifier(LinearClassifierMixin, _Regularized):
    r"""Linear classifier with a margin loss and an elastic-net penalty, solved to optimality.

    With classes coded :math:`y_i=\pm1`, scores :math:`f_i=b+x_i^\top w` and weights :math:`s_i`, minimises

    .. math:: \sum_i s_i L(y_i f_i) + \alpha \bigl(m \lVert w \rVert_1 + (1-m)\, w^\top w\bigr)

    where m is `l1_ratio` (0 is the plain ridge penalty :math:`\alpha w^\top w`). The loss is a sum, not a mean, without
    a factor 1/2, and the intercept b is unpenalised. `penalty_scale="sklearn"` uses the alpha of `SGDClassifier`.

    =====================  =======================================  =================================================
    `loss`                 :math:`L(m)` of the margin :math:`m=yf`  is
    =====================  =======================================  =================================================
    ``"hinge"``            :math:`\max(0,1-m)`                      the linear support vector machine, alpha = 1/(2C)
    ``"squared_hinge"``    :math:`\max(0,1-m)^2`                    its smooth relative
    ``"log_loss"``         :math:`\log(1+e^{-m})`                   logistic regression, alpha = 1/(2C); also
                                                                    ``"logistic"``
    ``"squared_error"``    :math:`(1-m)^2`                          the ridge classifier
    ``"modified_huber"``   :math:`\max(0,1-m)^2`, :math:`-4m`       squared hinge that grows linearly below -1
                           below -1
    ``"perceptron"``       :math:`\max(0,-m)`                       see the notes
    =====================  =======================================  =================================================

    More than two classes are fitted one-vs-rest.

    Parameters
    ----------
    loss : {"hinge", "squared_hinge", "log_loss", "squared_error", "modified_huber", "perceptron"}, default="hinge"
    alpha : float, default=1.0
        Strength of the penalty, non-negative.
    l1_ratio : float, default=0.0
        Share of the L1 penalty, between 0 (ridge) and 1 (lasso).
    penalty_scale : {"sum", "sklearn"}, default="sum"
        ``"sum"`` is the objective above; ``"sklearn"`` is the scale of `SGDClassifier`,
        :math:`\frac1S\sum_i s_iL+\alpha(m\lVert w\rVert_1+\frac{1-m}{2}\lVert w\rVert^2)` with S the sum of the
        weights.
    fit_intercept : bool, default=True
    penalize_intercept : bool, default=False
        Treat the intercept as one more coefficient.
    class_weight : dict, "balanced" or None, default=None
        Weights by label (1 for labels not listed). ``"balanced"`` gives every class the same total weight, where a
        row of weight k counts as k rows.
    tol : float, default=1e-8
        Stop when the duality gap (hinge and perceptron losses) or the decrease predicted for the next Newton step
        (smooth losses) is at most `tol` times the objective.
    max_iter : int, default=200

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    loss_ : str
        The loss of the fit, which decides whether there are probabilities.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
    intercept_ : ndarray of shape (1,) or (n_classes,)
    objective_ : ndarray of shape (1,) or (n_classes,)
        The objective at the solution, on the scale of `penalty_scale`.
    gap_ : ndarray of shape (1,) or (n_classes,)
        Bound on or estimate of the remaining decrease: duality gap or predicted decrease.
    n_iter_ : int
        Largest number of iterations over the one-vs-rest fits.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    See Also
    --------
    RegularizedLinearRegressor : The same for regression losses.

    Notes
    -----
    Smooth losses are minimised by Newton's method (one weighted cross-product per step, conjugate gradients beyond 2000
    columns), or with an L1 penalty by proximal Newton and coordinate descent. The hinge loss is solved as a quadratic
    program by a primal-dual interior-point method followed by a crossover to the exact solution. Each of ten to thirty
    iterations costs O(n p^2) (O(n^2 p) for the hinge with more columns than rows), whatever the value of alpha.

    With any penalty, the perceptron loss is minimised by zero coefficients, because the loss scales with the
    coefficients; the fit then warns and returns zeros. Without a penalty, every separating hyperplane is optimal and
    one of them is returned. For the classical algorithm see :class:`Perceptron`.

    Scale the features first, because the penalty treats all coefficients alike. Only ``"log_loss"`` estimates
    probabilities. The hinge loss estimates the sign of P - 1/2, squared losses estimate 2P - 1.

    References
    ----------
    Hastie, Tibshirani & Friedman (2009), The Elements of Statistical Learning, section 12.3.2 and table 12.1.
    Mehrotra (1992), On the implementation of a primal-dual interior point method, SIAM J. Optimization 2.

    Examples
    --------
    >>> from statlearn.linear import RegularizedLinearClassifier
    >>> X = [[0.0], [1.0], [2.0], [3.0]]
    >>> svm = RegularizedLinearClassifier("hinge", alpha=0.005).fit(X, ["a", "a", "b", "b"])
    >>> svm.coef_.round(6), svm.intercept_.round(6)
    (array([[2.]]), array([-3.]))
    >>> svm.predict([[1.4], [1.6]])
    array(['a', 'b'], dtype='<U1')
    """

    _constraints = {
        "loss": [Options(*loss_names(MARGIN_LOSSES))],
        "alpha": [Real(0, None)],
        "l1_ratio": [Real(0, 1, closed="both")],
        "penalty_scale": [Options("sum", "sklearn")],
        "fit_intercept": ["boolean"],
        "penalize_intercept": ["boolean"],
        "class_weight": [Instance(dict), Options("balanced"), None],
        "tol": [Real(0, None, closed="neither")],
        "max_iter": [Int(1, None)],
    }
    _search_space = SearchSpace(
        "linear support vectors", grid={"alpha": (1000.0, 100.0, 10.0, 1.0, 0.1)}, fixed={"loss": "hinge"}
    )

    def __init__(
        self,
        loss="hinge",
        *,
        alpha=1.0,
        l1_ratio=0.0,
        penalty_scale="sum",
        fit_intercept=True,
        penalize_intercept=False,
        class_weight=None,
        tol=1e-8,
        max_iter=200,
    ):
        self.loss = loss
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.penalty_scale = penalty_scale
        self.fit_intercept = fit_intercept
        self.penalize_intercept = penalize_intercept
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X, y, sample_weight=None):
        """Fit the classifier.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Class labels of any kind.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weight k counts as k copies of the row.

        Returns
        -------
        self
        """
        check_params(self)
        X, y = validate_data(self, X, y, dtype=FLOATS, accept_sparse=self._accept_sparse)
        encode_classes(y, owner=type(self).__name__)
        weights = check_weights(sample_weight, X)
        weights = label_and_sample_weights(self.class_weight, y, weights)
        rows, keep = self._rows(X, weights)
        self.classes_, codes = encode_classes(y[keep], owner=type(self).__name__)
        signs = [np.where(codes == k, 1.0, -1.0) for k in range(len(self.classes_))]
        self.loss_ = loss_key(self.loss)
        fits = [self._fit_binary(rows, sign) for sign in (signs[1:] if len(signs) == 2 else signs)]
        worst = max(fits, key=lambda fit: (fit.status != OK, fit.gap))
        warn_if_stopped(self, worst.status, f"gap {worst.gap:.1e}, objective {worst.objective:.6g}")
        self.coef_ = np.array([fit.coef for fit in fits], dtype=X.dtype)
        self.intercept_ = np.array([fit.intercept for fit in fits], dtype=X.dtype)
        self.objective_ = np.array([fit.objective for fit in fits])
        self.gap_ = np.array([fit.gap for fit in fits])
        self.n_iter_ = max(fit.n_iter for fit in fits)
        return self

    def _fit_binary(self, rows, sign):
        if self.loss != "perceptron":
            return self._solve(rows, MARGIN_LOSSES[loss_key(self.loss)](sign))
        if self.alpha == 0.0:
            # Separable: the hinge loss reaches 0, and where it does, so does the perceptron's.
            solution = self._solve(rows, Hinge(sign))
            if solution.status == OK and solution.objective <= 1e-6 * rows.total_weight:
                solution.objective = 0.0
                return solution
        warn(
            "The perceptron loss is minimised by zero coefficients, "
            + (
                "because no hyperplane separates the classes. "
                if self.alpha == 0.0
                else "because alpha > 0 penalises any other solution. "
            )
            + "All predictions are constant. Use loss='hinge' or statlearn.linear.Perceptron.",
            StatlearnWarning,
        )
        p = rows.p - (self.fit_intercept and self.penalize_intercept)
        return LinearSolution(coef=np.zeros(p), intercept=0.0, objective=0.0, gap=0.0, n_iter=1, status=OK)

    @available_if(gives_probabilities)
    def predict_proba(self, X):
        """Class probabilities, for ``loss="log_loss"`` and ``"modified_huber"``.

        The logistic function of the score, or (clipped score + 1)/2. With more than two classes they are scaled to
        sum to 1.

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
        """Logarithms of the class probabilities.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


class RegularizedLinearRegressor(LinearRegressorMixin, _Regularized):
    r"""Linear regression with a choice of losses and an L1, L2 or elastic-net penalty.

    With residuals :math:`r_i=y_i-b-x_i^\top w` and weights :math:`s_i`, minimises

    .. math:: \sum_i s_i L(r_i) + \alpha \bigl(m \lVert w \rVert_1 + (1-m)\, w^\top w\bigr)

    where m is `l1_ratio`. The loss is a sum, not a mean, and the intercept b is unpenalised. `penalty_scale` selects
    other scales.

    ==================================  ============================================================================
    `loss`                              :math:`L(r)`
    ==================================  ============================================================================
    ``"squared_error"``                 :math:`r^2/2`
    ``"absolute_error"``                :math:`\lvert r\rvert`, the median
    ``"huber"``                         :math:`r^2/2` up to `delta`, then :math:`\delta(\lvert r\rvert-\delta/2)`
    ``"log_cosh"``                      :math:`\log\cosh r`
    ``"epsilon_insensitive"``           :math:`\max(0,\lvert r\rvert-\varepsilon)`, support vector regression
    ``"squared_epsilon_insensitive"``   its square
    ``"quantile"``                      :math:`\tau r` for positive r, :math:`(\tau-1)r` otherwise
    ==================================  ============================================================================

    Parameters
    ----------
    loss : str, default="squared_error"
        See the table.
    alpha : float, default=1.0
        Strength of the penalty, non-negative.
    l1_ratio : float, default=0.0
        0 is the ridge penalty, 1 the lasso penalty.
    penalty_scale : {"sum", "half_rss", "rss", "sklearn"}, default="sum"
        ``"sum"`` (for the squared error the same as ``"half_rss"``) is the objective above, ``"rss"`` doubles the
        loss, and ``"sklearn"`` is the scale of `SGDRegressor`,
        :math:`\frac1S\sum_i s_iL+\alpha(m\lVert w\rVert_1+\frac{1-m}{2}\lVert w\rVert^2)` with S the sum of the
        weights.
    delta : float, default=1.0
        Residual at which the Huber loss becomes linear, in units of y.
    epsilon : float, default=0.1
        Half-width of the zero-loss band of the epsilon-insensitive losses, in units of y.
    quantile : float, default=0.5
        Level of the quantile loss, between 0 and 1.
    fit_intercept : bool, default=True
    penalize_intercept : bool, default=False
        Treat the intercept as one more coefficient.
    tol : float, default=1e-8
        Stop when the duality gap (piecewise linear losses) or the decrease predicted for the next Newton step (smooth
        losses) is at most `tol` times the objective.
    max_iter : int, default=200

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
    objective_ : float
        The objective at the solution, on the scale of `penalty_scale`.
    gap_ : float
        Bound on or estimate of the remaining decrease: duality gap or predicted decrease.
    n_iter_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    See Also
    --------
    RegularizedLinearClassifier : The same for margin losses.

    Notes
    -----
    Smooth losses use Newton's method (with an L1 penalty, proximal Newton and coordinate descent). The absolute,
    quantile and epsilon-insensitive losses are solved as linear or quadratic programs by a primal-dual interior-point
    method, followed by a crossover to the exact solution: zero coefficients are exactly zero and interpolated rows have
    residual 0. Each of ten to thirty iterations costs O(n p^2).

    `delta` and `epsilon` are in the units of y: scale y, or set them from a robust estimate of its spread. Scale the
    features before any penalised fit.

    References
    ----------
    Huber (1964), Robust estimation of a location parameter, Annals of Mathematical Statistics 35.
    Portnoy & Koenker (1997), The Gaussian hare and the Laplacian tortoise, Statistical Science 12.

    Examples
    --------
    >>> from statlearn.linear import RegularizedLinearRegressor
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [1.0, 3.0, 5.0, 100.0, 9.0]
    >>> line = RegularizedLinearRegressor("absolute_error", alpha=0).fit(X, y)
    >>> line.coef_.round(6), round(float(line.intercept_), 6)
    (array([2.]), 1.0)
    """

    _constraints = {
        "loss": [Options(*loss_names(REGRESSION_LOSSES))],
        "alpha": [Real(0, None)],
        "l1_ratio": [Real(0, 1, closed="both")],
        "penalty_scale": [Options("sum", "half_rss", "rss", "sklearn")],
        "delta": [Real(0, None, closed="neither")],
        "epsilon": [Real(0, None)],
        "quantile": [Real(0, 1, closed="neither")],
        "fit_intercept": ["boolean"],
        "penalize_intercept": ["boolean"],
        "tol": [Real(0, None, closed="neither")],
        "max_iter": [Int(1, None)],
    }

    def __init__(
        self,
        loss="squared_error",
        *,
        alpha=1.0,
        l1_ratio=0.0,
        penalty_scale="sum",
        delta=1.0,
        epsilon=0.1,
        quantile=0.5,
        fit_intercept=True,
        penalize_intercept=False,
        tol=1e-8,
        max_iter=200,
    ):
        self.loss = loss
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.penalty_scale = penalty_scale
        self.delta = delta
        self.epsilon = epsilon
        self.quantile = quantile
        self.fit_intercept = fit_intercept
        self.penalize_intercept = penalize_intercept
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X, y, sample_weight=None):
        """Fit the regression.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weight k counts as k copies of the row.

        Returns
        -------
        self
        """
        check_params(self)
        X, y = validate_data(self, X, y, dtype=FLOATS, accept_sparse=self._accept_sparse, y_numeric=True)
        rows, keep = self._rows(X, check_weights(sample_weight, X))
        loss = loss_key(self.loss)
        option = {
            "huber": {"delta": self.delta},
            "epsilon_insensitive": {"epsilon": self.epsilon},
            "squared_epsilon_insensitive": {"epsilon": self.epsilon},
            "quantile": {"quantile": self.quantile},
        }.get(loss, {})
        solution = self._solve(rows, REGRESSION_LOSSES[loss](y[keep], **option))
        warn_if_stopped(self, solution.status, f"gap {solution.gap:.1e}, objective {solution.objective:.6g}")
        self.coef_ = solution.coef.astype(X.dtype)
        self.intercept_ = solution.intercept if X.dtype == np.float64 else X.dtype.type(solution.intercept)
        self.objective_, self.gap_, self.n_iter_ = solution.objective, solution.gap, solution.n_iter
        return self
