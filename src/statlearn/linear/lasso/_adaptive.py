"""Adaptive lasso: a lasso that penalises coefficients less if they are large in an initial fit."""

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array

from statlearn._core.fitted_state import forget
from statlearn._core.params import GRID_POINTS, Int, Options, Real, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.validation import FLOATS, check_weights, validate_data
from statlearn._math.rows.rows import COLUMNS, Rows
from statlearn.linear._base import LinearRegressorMixin
from statlearn.linear._penalty import PENALTY_SCALE
from statlearn.linear.least_squares._linear_regression import LinearRegression
from statlearn.linear.ridge._ridge import Ridge

from ._cv import LassoCV
from ._lasso import ElasticNet, Lasso


class AdaptiveLasso(LinearRegressorMixin, BaseEstimator):
    r"""Adaptive lasso, with penalties weighted by an initial fit.

    Minimises over slopes w and an unpenalised intercept b, with S the sum of the weights s_i,

    .. math:: \frac{1}{2S} \sum_i s_i (y_i - b - x_i^\top w)^2 + \alpha \sum_j \frac{\lvert w_j \rvert}{\lvert
              \tilde w_j \rvert^\gamma}

    where :math:`\tilde w` is the initial fit. The loss is a weighted mean with a factor 1/2. Stops when the duality gap
    is at most `tol` times the objective at w = 0.

    Parameters
    ----------
    alpha : float or "cv", default="cv"
        Strength of the penalty, or "cv" to choose it by cross-validation. "cv" is the default because the scale of the
        penalty factors is arbitrary.
    gamma : float, default=1.0
        Exponent of the initial coefficients; 0 is the plain lasso.
    initial : {"ridge", "ols"} or array-like of shape (n_features,), default="ridge"
        The initial fit: ridge with a penalty of one thousandth of the mean squared column, minimum-norm least squares,
        or given coefficients.
    fit_intercept : bool, default=True
        Whether to fit an intercept.
    max_iter : int, default=1000
        Maximum number of passes over the working set per model.
    tol : float, default=1e-4
        Tolerance on the duality gap, see above.
    positive : bool, default=False
        Restrict the slopes to be non-negative.
    penalty_scale : {"sklearn", "half_rss", "rss"}, default="sklearn"
        Meaning of `alpha`, see `Lasso`.
    cv : int, splitter, iterable or None, default=None
        Cross-validation folds if alpha is "cv".
    n_alphas : int, default=100
        Length of the path if alpha is "cv".
    rule : {"min", "one_se"}, default="min"
        Rule for choosing from the path if alpha is "cv": the smallest error, or the largest penalty within one standard
        error of it.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
    initial_coef_ : ndarray of shape (n_features,)
        Coefficients of the initial fit.
    penalty_factor_ : ndarray of shape (n_features,)
        Multiplier of alpha for each feature.
    alpha_ : float
    dual_gap_ : float
    n_iter_ : int
    cv_curve_ : CVCurve
        Only if alpha is "cv".
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    Lasso, LassoCV

    Notes
    -----
    With a consistent initial fit and a suitable alpha, the right features are selected with probability tending to 1,
    and large coefficients are hardly shrunk (the oracle property, Zou 2006). In finite samples, errors computed after
    selection are nevertheless optimistic. A feature with an initial coefficient of zero gets a finite penalty so large
    that it is not selected. With "cv", the initial fit uses all rows, so the cross-validated errors are slightly
    optimistic.

    References
    ----------
    Zou (2006), The adaptive lasso and its oracle properties.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from statlearn.linear import AdaptiveLasso
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = AdaptiveLasso(alpha="cv", rule="one_se").fit(X, y)
    >>> int((model.coef_ != 0).sum()) <= 6
    True
    """

    _constraints = {
        "alpha": [Real(0, None, closed="neither"), Options("cv")],
        "gamma": [Real(0, None)],
        "initial": [Options("ridge", "ols"), "array-like"],
        "fit_intercept": ["boolean"],
        "max_iter": [Int(1, None)],
        "tol": [Real(0, None)],
        "positive": ["boolean"],
        "penalty_scale": PENALTY_SCALE,
        "cv": ["cv"],
        "n_alphas": [GRID_POINTS],
        "rule": [Options("min", "one_se")],
    }
    _search_space = SearchSpace("adaptive lasso", fixed={"cv": 5})

    def __init__(
        self,
        alpha="cv",
        *,
        gamma=1.0,
        initial="ridge",
        fit_intercept=True,
        max_iter=1000,
        tol=1e-4,
        positive=False,
        penalty_scale="sklearn",
        cv=None,
        n_alphas=100,
        rule="min",
    ):
        self.alpha = alpha
        self.gamma = gamma
        self.initial = initial
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.positive = positive
        self.penalty_scale = penalty_scale
        self.cv = cv
        self.n_alphas = n_alphas
        self.rule = rule

    def fit(self, X, y, sample_weight=None):
        """Fit the initial model, then the lasso with its penalties.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), float or None, default=None

        Returns
        -------
        self
        """
        check_params(self)
        X, y = validate_data(self, X, y, dtype=FLOATS, y_numeric=True, **COLUMNS)
        y = y.astype(np.float64)
        weights = check_weights(sample_weight, X)
        self.initial_coef_ = self._first_fit(X, y, weights)
        size = np.abs(self.initial_coef_)
        largest = size.max(initial=0.0)
        # The floor keeps factors finite; such a feature can enter only if its correlation is enormous.
        floor = 1e-8 * largest if largest > 0 else 1.0
        self.penalty_factor_ = np.maximum(size, floor) ** -float(self.gamma)
        shared = dict(
            fit_intercept=self.fit_intercept,
            max_iter=self.max_iter,
            tol=self.tol,
            positive=self.positive,
            penalty_scale=self.penalty_scale,
            penalty_factor=self.penalty_factor_,
        )
        forget(self, "cv_curve_")
        if self.alpha == "cv":
            model = LassoCV(alphas=self.n_alphas, cv=self.cv, rule=self.rule, **shared)
            model.fit(X, y, sample_weight=weights)
            self.cv_curve_ = model.cv_curve_
            self.alpha_ = model.alpha_
        else:
            model = Lasso(self.alpha, **shared).fit(X, y, sample_weight=weights)
            self.alpha_ = float(self.alpha)
        self.coef_, self.intercept_ = model.coef_, model.intercept_
        self.dual_gap_, self.n_iter_ = model.dual_gap_, model.n_iter_
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _first_fit(self, X, y, weights):
        if not isinstance(self.initial, str):
            initial = check_array(self.initial, ensure_2d=False, dtype=np.float64, input_name="initial")
            if initial.shape != (X.shape[1],):
                raise ValueError(
                    f"initial must have shape ({X.shape[1]},), one value per feature, got {initial.shape}."
                )
            return initial
        if sparse.issparse(X):
            return self._first_fit_sparse(X, y, weights)
        root = np.ones(len(y)) if weights is None else np.sqrt(weights.astype(np.float64))
        Z = X.astype(np.float64)
        if self.fit_intercept:
            Z -= Rows(X, weights, centre=True).mean
            y = y - np.average(y, weights=weights)
        Z *= root[:, None]
        u, d, vt = np.linalg.svd(Z, full_matrices=False)
        ridge = 0.0 if self.initial == "ols" else 1e-3 * float(np.sum(d**2)) / X.shape[1]
        keep = d > np.finfo(np.float64).eps * max(Z.shape) * d.max(initial=0.0)
        shrunk = np.zeros_like(d)
        shrunk[keep] = d[keep] / (d[keep] ** 2 + ridge)
        return vt.T @ (shrunk * (u.T @ (root * y)))

    def _first_fit_sparse(self, X, y, weights):
        """First fit of a sparse X, which is never made dense."""
        if self.initial == "ols":
            model = LinearRegression(fit_intercept=self.fit_intercept, tol=1e-12)
        else:
            rows = Rows(X, weights, centre=self.fit_intercept)
            ridge = 1e-3 * rows.total_weight * float(np.mean(rows.norms() ** 2))
            model = Ridge(ridge, fit_intercept=self.fit_intercept, tol=1e-10)
        return model.fit(X, y, sample_weight=weights).coef_.astype(np.float64)

    def summary(self):
        """Not available: standard errors of penalised coefficients are not valid."""
        return ElasticNet.summary(self)
