"""Least squares with the concave penalties MCP and SCAD."""

from functools import partial

import numpy as np
from sklearn.base import BaseEstimator

from statlearn._core.params import GRID_POINTS, Int, Options, Real, check_arguments, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.validation import FLOATS, check_weights, require_finite, validate_data
from statlearn._core.warnings import warn_if_stopped
from statlearn._math.penalties.concave import MCP, SCAD
from statlearn._math.penalties.scales import penalty_factor
from statlearn._math.rows.rows import COLUMNS
from statlearn.linear._base import LinearRegressorMixin
from statlearn.linear._path_cv import PATH_CV_CONSTRAINTS, alpha_grid, choose_penalty, given_alphas
from statlearn.linear._penalty import PENALTY_SCALE

from ._column_problem import ColumnProblem

_KINDS = {"mcp": 0, "scad": 1}
_CLASSES = {"mcp": MCP, "scad": SCAD}


def _resolved_gamma(penalty, gamma):
    kind = _CLASSES[penalty]
    gamma = kind(gamma=gamma).gamma
    if gamma <= kind.least_gamma:
        raise ValueError(f"gamma must be greater than {kind.least_gamma:g} for penalty={penalty!r}, got {gamma:g}.")
    return gamma


class _ConcaveProblem(ColumnProblem):
    """The data, and the scale of each column in the penalty; 0 for columns that are excluded."""

    def __init__(self, X, y, weights, fit_intercept, standardize):
        super().__init__(X, y, weights, fit_intercept)
        norms = self.rows.norms()
        self.scale = norms if standardize else (norms > 0).astype(np.float64)

    def alpha_max(self):
        products = np.abs(self.products(self.y - self.y_mean)) / self.rows.total_weight
        return float(np.divide(products, self.scale, out=np.zeros_like(products), where=self.scale > 0).max())

    def path(self, penalty, gamma, alphas, tol, max_iter, owner):
        """Coefficients (k, p) of the columns as given, sweeps and local convexity for decreasing alphas."""
        k = len(alphas)
        alphas = np.ascontiguousarray(alphas, dtype=np.float64)
        coefs, sweeps = np.empty((k, self.rows.p)), np.empty(k, dtype=np.int32)
        status, stopped = self.run(
            "nonconvex_path", self.scale, _KINDS[penalty], gamma, alphas, float(tol), int(max_iter), coefs, sweeps
        )
        require_finite(coefs)
        warn_if_stopped(owner, status, f"{stopped} of {k} penalties reached max_iter={max_iter}")
        return coefs, sweeps, self._convex(coefs, penalty, gamma)

    def _convex(self, coefs, penalty, gamma):
        """Whether the objective is strictly convex on the non-zero columns of each penalty and the next."""
        curvature = _CLASSES[penalty](gamma=gamma).concavity
        convex = np.ones(len(coefs), dtype=bool)
        known, answer = None, True
        for k, coef in enumerate(coefs):
            on = coef != 0
            if k + 1 < len(coefs):
                on = on | (coefs[k + 1] != 0)
            if known is None or not np.array_equal(on, known):
                known, block = on, self.rows.dense(columns=on) / self.scale[on]
                if not on.any():
                    answer = True
                elif on.sum() >= len(self.y):
                    answer = False
                else:
                    smallest = np.linalg.eigvalsh(block.T @ block / self.rows.total_weight)[0]
                    answer = bool(smallest > curvature)
            convex[k] = answer
        return convex


def nonconvex_path(
    X,
    y,
    *,
    penalty="mcp",
    gamma=None,
    eps=1e-2,
    n_alphas=100,
    alphas=None,
    standardize=True,
    tol=1e-6,
    max_iter=10000,
):
    """MCP or SCAD path for a decreasing sequence of penalties, with warm starts.

    The objective is that of `NonconvexRegressor` without an intercept, so centre X and y first.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    penalty : {"mcp", "scad"}, default="mcp"
    gamma : float or None, default=None
        As in `NonconvexRegressor`.
    eps : float, default=1e-2
        Ratio of the smallest penalty to the largest, when `alphas` is None.
    n_alphas : int, default=100
        Number of penalties, when `alphas` is None.
    alphas : array-like or None, default=None
        Penalties, which are sorted into decreasing order.
    standardize : bool, default=True
        Penalise the coefficients of the columns divided by their root mean squares.
    tol : float, default=1e-6
        As in `NonconvexRegressor`.
    max_iter : int, default=10000
        Maximum number of sweeps per penalty.

    Returns
    -------
    alphas : ndarray of shape (n_alphas,)
    coefs : ndarray of shape (n_features, n_alphas)
        Coefficients of the original columns.
    convex : ndarray of shape (n_alphas,)
        Whether the objective is convex on the columns that are non-zero there or at the next penalty.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.linear import nonconvex_path
    >>> X = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    >>> alphas, coefs, convex = nonconvex_path(X, X @ [3.0, 0.5], alphas=[2.0, 1.0, 0.4])
    >>> coefs
    array([[1.5 , 3.  , 3.  ],
           [0.  , 0.  , 0.15]])
    """
    from sklearn.utils.validation import check_X_y

    check_arguments(
        nonconvex_path,
        penalty=(penalty, [Options("mcp", "scad")]),
        eps=(eps, [Real(0, 1, closed="neither")]),
        n_alphas=(n_alphas, [Int(1, None)]),
        standardize=(standardize, ["boolean"]),
        tol=(tol, [Real(0, None)]),
        max_iter=(max_iter, [Int(1, None)]),
    )
    X, y = check_X_y(X, y, dtype=FLOATS, y_numeric=True, **COLUMNS)
    problem = _ConcaveProblem(X, y, None, False, standardize)
    alphas = alpha_grid(problem.alpha_max(), eps, n_alphas) if alphas is None else given_alphas(alphas)
    coefs, _, convex = problem.path(penalty, _resolved_gamma(penalty, gamma), alphas, tol, max_iter, "nonconvex_path")
    return alphas, coefs.T.astype(X.dtype, copy=False), convex


class NonconvexRegressor(LinearRegressorMixin, BaseEstimator):
    r"""Least squares with a nonconvex penalty, MCP or SCAD.

    Finds a local minimum, over w and an unpenalised intercept b and with S the sum of the weights s_i, of

    .. math:: \frac{1}{2S} \sum_i s_i (y_i - b - x_i^\top w)^2 + \sum_j P(\lvert w_j \rvert),

    where P starts with slope :math:`\alpha`, like the lasso, and is flat from :math:`\gamma\alpha` on, so that large
    coefficients are not shrunk. MCP: :math:`P'(t) = (\alpha - t/\gamma)_+`. SCAD: :math:`P'(t) = \alpha` up to
    :math:`\alpha`, then :math:`(\gamma\alpha - t)_+/(\gamma - 1)`. By default the columns are standardised for the
    penalty, and the coefficients are reported for the original columns.

    Parameters
    ----------
    alpha : float, default=1.0
    penalty : {"mcp", "scad"}, default="mcp"
    gamma : float or None, default=None
        Point from which the penalty is flat, in units of alpha; above 1 for MCP (None is 3), above 2 for SCAD (None is
        3.7).
        Large values approach the lasso, small ones hard thresholding.
    standardize : bool, default=True
        Penalise the coefficients of the columns divided by their standard deviations.
    fit_intercept : bool, default=True
    n_alphas : int, default=20
        Number of penalties from the largest useful one down to `alpha`, each warm-started from the previous one.
    tol : float, default=1e-6
        Stop after a sweep in which no coefficient changes the fit by more than `tol` times the root mean square of y.
    max_iter : int, default=10000
        Maximum number of sweeps per penalty.
    penalty_scale : {"sklearn", "half_rss", "rss"}, default="sklearn"
        "sklearn" is the objective above; the others have RSS/2 or RSS as their first term. The penalty is then the
        same multiple of P, with the converted alpha.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
    locally_convex_ : bool
        Whether the objective is strictly convex on the columns with non-zero coefficients. If so, the solution is
        unique among those with these columns.
    n_iter_ : int
        Number of sweeps for the final penalty.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    See Also
    --------
    nonconvex_path : The whole path.
    NonconvexRegressorCV : Penalty chosen by cross-validation.

    Notes
    -----
    The solver is coordinate descent, in which each step is the exact minimum over one coefficient. The objective
    generally has several local minima. Starting from the solution for a larger penalty finds the one that is connected
    continuously to 0. If `locally_convex_` is False, a small change of the data may lead to another minimum.

    References
    ----------
    Fan & Li (2001), Variable selection via nonconcave penalized likelihood and its oracle properties, JASA 96.
    Zhang (2010), Nearly unbiased variable selection under minimax concave penalty, Annals of Statistics 38.
    Breheny & Huang (2011), Coordinate descent algorithms for nonconvex penalized regression, Annals of Applied
    Statistics 5.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.linear import NonconvexRegressor
    >>> X = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    >>> NonconvexRegressor(alpha=0.6).fit(X, X @ [3.0, 0.5]).coef_
    array([3., 0.])
    """

    _constraints: dict = {
        "alpha": [Real(0, None)],
        "penalty": [Options("mcp", "scad")],
        "gamma": [Real(1, None, closed="neither"), None],
        "standardize": ["boolean"],
        "fit_intercept": ["boolean"],
        "n_alphas": [GRID_POINTS],
        "tol": [Real(0, None)],
        "max_iter": [Int(1, None)],
        "penalty_scale": PENALTY_SCALE,
    }

    def __init__(
        self,
        alpha=1.0,
        *,
        penalty="mcp",
        gamma=None,
        standardize=True,
        fit_intercept=True,
        n_alphas=20,
        tol=1e-6,
        max_iter=10000,
        penalty_scale="sklearn",
    ):
        self.alpha = alpha
        self.penalty = penalty
        self.gamma = gamma
        self.standardize = standardize
        self.fit_intercept = fit_intercept
        self.n_alphas = n_alphas
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
        gamma = _resolved_gamma(self.penalty, self.gamma)
        X, y = validate_data(self, X, y, dtype=FLOATS, y_numeric=True, **COLUMNS)
        problem = _ConcaveProblem(X, y, check_weights(sample_weight, X), self.fit_intercept, self.standardize)
        alpha = self.alpha * penalty_factor(self.penalty_scale, problem.total_weight)
        largest = problem.alpha_max()
        alphas = np.array([alpha])
        if 0 < alpha < largest:
            alphas = np.geomspace(largest, alpha, self.n_alphas) if self.n_alphas > 1 else alphas
            alphas[-1] = alpha
        elif alpha == 0 < largest:
            alphas = np.append(alpha_grid(largest, 1e-3, self.n_alphas), 0.0)
        coefs, sweeps, convex = problem.path(self.penalty, gamma, alphas, self.tol, self.max_iter, self)
        self._set(problem, coefs[-1], X.dtype)
        self.n_iter_, self.locally_convex_ = int(sweeps[-1]), bool(convex[-1])
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _set(self, problem, coef, dtype):
        self.coef_ = coef.astype(dtype)
        self.intercept_ = dtype.type(problem.intercept(coef))


class NonconvexRegressorCV(NonconvexRegressor):
    """MCP or SCAD regression with the penalty chosen by cross-validation.

    The objective is that of `NonconvexRegressor`.

    Parameters
    ----------
    penalty : {"mcp", "scad"}, default="mcp"
    gamma : float or None, default=None
        As in `NonconvexRegressor`.
    eps : float, default=1e-2
        Ratio of the smallest penalty to the largest.
    alphas : int or array-like, default=100
        Number of penalties, or the penalties themselves.
    standardize : bool, default=True
        Penalise the coefficients of the columns divided by their standard deviations.
    fit_intercept : bool, default=True
    tol : float, default=1e-6
        As in `NonconvexRegressor`.
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
    convex_path_ : ndarray of shape (n_alphas,)
        Local convexity along the path.
    coef_, intercept_, locally_convex_, n_iter_
        Results for the chosen penalty on all rows, as in `NonconvexRegressor`.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    References
    ----------
    Breheny & Huang (2011), Coordinate descent algorithms for nonconvex penalized regression, Annals of Applied
    Statistics 5.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.linear import NonconvexRegressorCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 8))
    >>> y = X @ [2.0, -1.0, 0, 0, 0, 0, 0, 0] + 0.5 * rng.normal(size=100)
    >>> np.flatnonzero(NonconvexRegressorCV(rule="one_se").fit(X, y).coef_)
    array([0, 1])
    """

    _constraints: dict = {
        **{k: v for k, v in NonconvexRegressor._constraints.items() if k not in ("alpha", "n_alphas")},
        **PATH_CV_CONSTRAINTS,
    }
    _search_space = SearchSpace("MCP", fixed={"cv": 5})

    def __init__(
        self,
        *,
        penalty="mcp",
        gamma=None,
        eps=1e-2,
        alphas=100,
        standardize=True,
        fit_intercept=True,
        tol=1e-6,
        max_iter=10000,
        cv=None,
        n_jobs=None,
        rule="min",
        penalty_scale="sklearn",
    ):
        self.penalty = penalty
        self.gamma = gamma
        self.eps = eps
        self.alphas = alphas
        self.standardize = standardize
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
        gamma = _resolved_gamma(self.penalty, self.gamma)
        X, y = validate_data(self, X, y, dtype=FLOATS, y_numeric=True, **COLUMNS)
        weights = check_weights(sample_weight, X)
        problem = _ConcaveProblem(X, y, weights, self.fit_intercept, self.standardize)
        factor = penalty_factor(self.penalty_scale, problem.total_weight)
        if isinstance(self.alphas, (int, np.integer)):
            alphas = alpha_grid(problem.alpha_max(), self.eps, self.alphas)
        else:
            alphas = given_alphas(self.alphas) * factor
        best = choose_penalty(self, partial(self._fold_path, gamma, alphas), X, y, weights, alphas / factor)
        coefs, sweeps, self.convex_path_ = problem.path(self.penalty, gamma, alphas, self.tol, self.max_iter, self)
        self.coef_path_ = coefs.T.astype(X.dtype)
        self._set(problem, coefs[best], X.dtype)
        self.n_iter_, self.locally_convex_ = int(sweeps[best]), bool(self.convex_path_[best])
        return self

    def _fold_path(self, gamma, alphas, X, y, weights):
        problem = _ConcaveProblem(X, y, weights, self.fit_intercept, self.standardize)
        coefs = problem.path(self.penalty, gamma, alphas, self.tol, self.max_iter, self)[0]
        return coefs, problem.intercept(coefs)
