"""Group lasso: groups of coefficients enter or leave the model together."""

from functools import partial

import numpy as np
from sklearn.base import BaseEstimator

from statlearn._core.params import Int, Real, check_arguments, check_params
from statlearn._core.validation import FLOATS, check_weights, require_finite, validate_data
from statlearn._core.warnings import warn_if_stopped
from statlearn._math.penalties.group import GroupPenalty
from statlearn._math.penalties.scales import penalty_factor
from statlearn._math.rows.rows import COLUMNS
from statlearn.linear._base import LinearRegressorMixin
from statlearn.linear._path_cv import PATH_CV_CONSTRAINTS, alpha_grid, choose_penalty, given_alphas
from statlearn.linear._penalty import PENALTY_SCALE

from ._column_problem import ColumnProblem


class _Grouping(GroupPenalty):
    """The columns sorted by group, and the weight of each group in the penalty."""

    def __init__(self, groups, group_weights, p):
        labels = np.arange(p) if groups is None else np.asarray(groups)
        if labels.shape != (p,):
            raise ValueError(f"groups must have shape ({p},), one label per column, got {labels.shape}.")
        self.labels, codes = np.unique(labels, return_inverse=True)
        self.columns = np.argsort(codes, kind="stable").astype(np.int32)
        sizes = np.bincount(codes, minlength=len(self.labels))
        self.starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
        if group_weights is None:
            weights = np.sqrt(sizes.astype(np.float64))
        else:
            weights = np.array(group_weights, dtype=np.float64)
            if weights.shape != self.labels.shape:
                raise ValueError(
                    f"group_weights must have shape ({len(self.labels)},), one number per group, got {weights.shape}."
                )
            if not np.all(np.isfinite(weights)) or np.any(weights < 0):
                raise ValueError("group_weights must be finite and non-negative.")
        super().__init__(codes, weights)


class _GroupProblem(ColumnProblem):
    """The data, with the largest useful penalty and the path."""

    def alpha_max(self, grouping):
        """The smallest penalty at which all penalised coefficients are 0, on scikit-learn's scale."""
        residual = self.y - self.y_mean
        free = np.flatnonzero(grouping.weights[grouping.codes] == 0)
        if len(free):
            target = self.rows.rooted(residual[:, None])[:, 0]
            coef = np.linalg.lstsq(self.rows.dense(columns=free), target, rcond=None)[0]
            residual = residual - (self.rows.X[:, free] @ coef - self.rows.means(free) @ coef)
        if not grouping.weights.any():
            raise ValueError("group_weights are all 0, so nothing is penalised; use LinearRegression instead.")
        return grouping.largest(self.products(residual)) / self.rows.total_weight

    def path(self, grouping, alphas, tol, max_iter, owner):
        """Coefficients (k, p), gaps and sweeps for decreasing alphas on scikit-learn's scale."""
        k = len(alphas)
        coefs = np.empty((k, self.rows.p))
        gaps, sweeps = np.empty(k), np.empty(k, dtype=np.int32)
        alphas = np.ascontiguousarray(alphas, dtype=np.float64)
        status, stopped = self.run(
            "group_lasso_path", grouping.columns, grouping.starts, grouping.weights, alphas, float(tol), int(max_iter),
            coefs, gaps, sweeps,
        )  # fmt: skip
        require_finite(coefs)
        warn_if_stopped(owner, status, f"{stopped} of {k} penalties, duality gap up to {gaps.max():.2e}")
        return coefs, gaps, sweeps


def group_lasso_path(
    X,
    y,
    *,
    groups=None,
    group_weights=None,
    eps=1e-3,
    n_alphas=100,
    alphas=None,
    tol=1e-4,
    max_iter=10000,
    penalty_scale="sklearn",
):
    """Group lasso path for a decreasing sequence of penalties.

    The objective is that of `GroupLasso` without an intercept, so centre X and y first.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    groups : array-like of shape (n_features,), default=None
        Group label of each column. None puts every column in its own group.
    group_weights : array-like of shape (n_groups,), default=None
        As in `GroupLasso`.
    eps : float, default=1e-3
        Ratio of the smallest penalty to the largest, when `alphas` is None.
    n_alphas : int, default=100
        Number of penalties, when `alphas` is None.
    alphas : array-like or None, default=None
        Penalties, which are sorted into decreasing order.
    tol : float, default=1e-4
        Tolerance on the duality gap, relative to the objective at w = 0.
    max_iter : int, default=10000
        Maximum number of sweeps per penalty.
    penalty_scale : {"sklearn", "half_rss", "rss"}, default="sklearn"
        Objective that the alphas refer to.

    Returns
    -------
    alphas : ndarray of shape (n_alphas,)
    coefs : ndarray of shape (n_features, n_alphas)
    dual_gaps : ndarray of shape (n_alphas,)

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.linear import group_lasso_path
    >>> X = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1], [-1, -1, -1]])
    >>> alphas, coefs, gaps = group_lasso_path(X, X @ [2.0, 1.0, 0.1], groups=[0, 0, 1], n_alphas=5)
    >>> (coefs != 0).astype(int)
    array([[0, 1, 1, 1, 1],
           [0, 1, 1, 1, 1],
           [0, 0, 1, 1, 1]])
    """
    from sklearn.utils.validation import check_X_y

    check_arguments(
        group_lasso_path,
        eps=(eps, [Real(0, 1, closed="neither")]),
        n_alphas=(n_alphas, [Int(1, None)]),
        tol=(tol, [Real(0, None)]),
        max_iter=(max_iter, [Int(1, None)]),
        penalty_scale=(penalty_scale, PENALTY_SCALE),
    )
    X, y = check_X_y(X, y, dtype=FLOATS, y_numeric=True, **COLUMNS)
    problem = _GroupProblem(X, y, None, False)
    grouping = _Grouping(groups, group_weights, X.shape[1])
    factor = penalty_factor(penalty_scale, problem.total_weight)
    if alphas is None:
        alphas = alpha_grid(problem.alpha_max(grouping), eps, n_alphas) / factor
    else:
        alphas = given_alphas(alphas)
    coefs, gaps, _ = problem.path(grouping, alphas * factor, tol, max_iter, "group_lasso_path")
    return alphas, coefs.T.astype(X.dtype, copy=False), gaps / factor


class GroupLasso(LinearRegressorMixin, BaseEstimator):
    r"""Group lasso: least squares with a penalty on the norms of groups of coefficients.

    Minimises over w and an unpenalised intercept b, with S the sum of the weights s_i (the number of rows),

    .. math:: \frac{1}{2S} \sum_i s_i (y_i - b - x_i^\top w)^2 + \alpha \sum_g c_g \lVert w_g \rVert_2,
        \qquad c_g = \sqrt{p_g} \text{ by default.}

    The norm is not squared, so whole groups of coefficients are exactly 0. Dummy variables of one factor, or the basis
    functions of one spline, enter together. Stops when the duality gap is at most `tol` times the objective at w = 0.

    Parameters
    ----------
    alpha : float, default=1.0
    groups : array-like of shape (n_features,), default=None
        Group label of each column, in any order. None puts every column in its own group, which is the lasso.
    group_weights : array-like of shape (n_groups,), default=None
        The weights c_g in the order of the sorted labels. None means the square roots of the group sizes; 0 leaves a
        group unpenalised.
    fit_intercept : bool, default=True
    tol : float, default=1e-4
        Tolerance on the duality gap, relative to the objective at w = 0.
    max_iter : int, default=10000
        Maximum number of sweeps.
    penalty_scale : {"sklearn", "half_rss", "rss"}, default="sklearn"
        "sklearn" is the objective above; the others have ``RSS/2`` or ``RSS`` as their first term.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
    groups_ : ndarray of shape (n_groups,)
        The labels, sorted.
    group_norms_ : ndarray of shape (n_groups,)
        Norm of each group of coefficients; exactly 0 for a group that is not selected.
    n_iter_ : int
        Number of sweeps over the groups.
    dual_gap_ : float
        Duality gap, on the scale of the objective.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    See Also
    --------
    group_lasso_path : The whole path.
    GroupLassoCV : Penalty chosen by cross-validation.

    Notes
    -----
    The solver is block coordinate descent. Each group is solved exactly in the eigenvectors of its Gram matrix, by one
    equation in the norm of its coefficients. The descent runs on the groups that are predicted to enter, on
    single-precision copies of their columns with the exact gradient as the starting point. The duality gap over all
    groups is then computed in double precision, and the descent continues with the groups that were missed. A sweep
    costs O(n) per column in use. Sparse data are not densified. Standardise the columns first, as for the lasso.

    References
    ----------
    Yuan & Lin (2006), Model selection and estimation in regression with grouped variables, JRSS B 68.
    Yang & Hastie (2024), A fast and scalable pathwise solver for group lasso and elastic net, arXiv:2405.08631.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.linear import GroupLasso
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(50, 4))
    >>> y = X @ [1.0, -1.0, 0.0, 0.0] + 0.1 * rng.normal(size=50)
    >>> GroupLasso(alpha=0.2, groups=["a", "a", "b", "b"]).fit(X, y).group_norms_.round(1)
    array([1., 0.])
    """

    _constraints: dict = {
        "alpha": [Real(0, None)],
        "groups": ["array-like", None],
        "group_weights": ["array-like", None],
        "fit_intercept": ["boolean"],
        "tol": [Real(0, None)],
        "max_iter": [Int(1, None)],
        "penalty_scale": PENALTY_SCALE,
    }

    def __init__(
        self,
        alpha=1.0,
        *,
        groups=None,
        group_weights=None,
        fit_intercept=True,
        tol=1e-4,
        max_iter=10000,
        penalty_scale="sklearn",
    ):
        self.alpha = alpha
        self.groups = groups
        self.group_weights = group_weights
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.penalty_scale = penalty_scale

    def fit(self, X, y, sample_weight=None):
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), default=None
            Weight k counts as k copies of the row.

        Returns
        -------
        self
        """
        check_params(self)
        X, y = validate_data(self, X, y, dtype=FLOATS, y_numeric=True, **COLUMNS)
        problem = _GroupProblem(X, y, check_weights(sample_weight, X), self.fit_intercept)
        grouping = _Grouping(self.groups, self.group_weights, X.shape[1])
        factor = penalty_factor(self.penalty_scale, problem.total_weight)
        coefs, gaps, sweeps = problem.path(grouping, [self.alpha * factor], self.tol, self.max_iter, self)
        self._set(problem, grouping, coefs[0], X.dtype)
        self.n_iter_, self.dual_gap_ = int(sweeps[0]), float(gaps[0] / factor)
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _set(self, problem, grouping, coef, dtype):
        self.coef_ = coef.astype(dtype)
        self.intercept_ = dtype.type(problem.intercept(coef))
        self.groups_ = grouping.labels
        self.group_norms_ = grouping.norms(coef)


class GroupLassoCV(GroupLasso):
    r"""Group lasso with the penalty chosen by cross-validation.

    The objective is that of `GroupLasso`. All folds use the same penalties per unit of weight.

    Parameters
    ----------
    groups : array-like of shape (n_features,), default=None
        Group label of each column. None puts every column in its own group.
    group_weights : array-like of shape (n_groups,), default=None
        As in `GroupLasso`.
    eps : float, default=1e-3
        Ratio of the smallest penalty to the largest.
    alphas : int or array-like, default=100
        Number of penalties, or the penalties themselves.
    fit_intercept : bool, default=True
    tol : float, default=1e-4
        Tolerance on the duality gap, relative to the objective at w = 0.
    max_iter : int, default=10000
        Maximum number of sweeps per penalty.
    cv : int, splitter, iterable or None, default=None
        Cross-validation folds; None means 5.
    n_jobs : int or None, default=None
        Number of threads in which folds are fitted.
    rule : {"min", "one_se"}, default="min"
        Choose the penalty with the smallest mean error, or the largest penalty within one standard error of it.
    penalty_scale : {"sklearn", "half_rss", "rss"}, default="sklearn"
        Objective that the alphas refer to.

    Attributes
    ----------
    alpha_ : float
        The chosen penalty.
    alphas_ : ndarray of shape (n_alphas,)
        Penalties in decreasing order.
    mse_path_ : ndarray of shape (n_alphas, n_folds)
    cv_curve_ : CVCurve
    coef_path_ : ndarray of shape (n_features, n_alphas)
        Coefficients of the path fitted to all rows.
    coef_, intercept_, groups_, group_norms_, n_iter_, dual_gap_
        Results for the chosen penalty on all rows, as in `GroupLasso`.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    References
    ----------
    Yuan & Lin (2006), Model selection and estimation in regression with grouped variables, JRSS B 68.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.linear import GroupLassoCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 6))
    >>> y = X @ [1.0, -1.0, 0, 0, 0, 0] + rng.normal(size=60)
    >>> model = GroupLassoCV(groups=[0, 0, 1, 1, 2, 2], rule="one_se").fit(X, y)
    >>> model.group_norms_ > 0
    array([ True, False, False])
    """

    _constraints: dict = {
        **{k: v for k, v in GroupLasso._constraints.items() if k != "alpha"},
        **PATH_CV_CONSTRAINTS,
    }

    def __init__(
        self,
        *,
        groups=None,
        group_weights=None,
        eps=1e-3,
        alphas=100,
        fit_intercept=True,
        tol=1e-4,
        max_iter=10000,
        cv=None,
        n_jobs=None,
        rule="min",
        penalty_scale="sklearn",
    ):
        self.groups = groups
        self.group_weights = group_weights
        self.eps = eps
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.cv = cv
        self.n_jobs = n_jobs
        self.rule = rule
        self.penalty_scale = penalty_scale

    def fit(self, X, y, sample_weight=None):
        """Choose the penalty and fit to all rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), default=None
            Weight k counts as k copies of the row, in the fits and in the errors.

        Returns
        -------
        self
        """
        check_params(self)
        X, y = validate_data(self, X, y, dtype=FLOATS, y_numeric=True, **COLUMNS)
        weights = check_weights(sample_weight, X)
        problem = _GroupProblem(X, y, weights, self.fit_intercept)
        grouping = _Grouping(self.groups, self.group_weights, X.shape[1])
        factor = penalty_factor(self.penalty_scale, problem.total_weight)
        if isinstance(self.alphas, (int, np.integer)):
            alphas = alpha_grid(problem.alpha_max(grouping), self.eps, self.alphas)
        else:
            alphas = given_alphas(self.alphas) * factor
        fit_path = partial(self._fold_path, grouping, alphas)
        best = choose_penalty(self, fit_path, X, y, weights, alphas / factor)
        coefs, gaps, sweeps = problem.path(grouping, alphas, self.tol, self.max_iter, self)
        self.coef_path_ = coefs.T.astype(X.dtype)
        self._set(problem, grouping, coefs[best], X.dtype)
        self.n_iter_, self.dual_gap_ = int(sweeps[best]), float(gaps[best] / factor)
        return self

    def _fold_path(self, grouping, alphas, X, y, weights):
        problem = _GroupProblem(X, y, weights, self.fit_intercept)
        coefs = problem.path(grouping, alphas, self.tol, self.max_iter, self)[0]
        return coefs, problem.intercept(coefs)
