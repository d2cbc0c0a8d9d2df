"""Paths of penalised generalised linear models, and cross-validation of the penalty."""

import numpy as np
from sklearn.utils.validation import check_array

from statlearn._core.params import GRID_POINTS, Int, Options, Real, check_arguments, check_entries, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.selection import CVCurve, weighty_folds
from statlearn._core.validation import FLOATS, check_weights
from statlearn._core.warnings import MAX_ITER, OK, warn_if_stopped
from statlearn._math.losses.families import FAMILIES, make_family
from statlearn._math.losses.glm import GlmLoss
from statlearn._math.losses.links import LINKS
from statlearn._math.losses.response import check_response, resolve_link, total_offset
from statlearn._math.penalties.scales import elastic_net_terms
from statlearn._math.rows.rows import Rows
from statlearn._math.solvers.glm import fit_glm, null_fit, starting_point
from statlearn._math.solvers.glm_problem import GlmProblem
from statlearn._math.solvers.native_newton import has_kernel, newton_path, worst_status
from statlearn.linear._penalty import PENALTY_SCALE

from ._base import GLM

_RIDGE_SHARE = 1e-3  # smaller values of l1_ratio use the largest alpha of this one, as glmnet does


def alpha_grid(problem, *, l1_ratio, n_alphas, eps):
    """Geometric grid from the smallest alpha (on scikit-learn's scale) at which all coefficients are 0."""
    if problem.intercept:
        eta = problem.link.link(null_fit(problem))
    else:
        eta = problem.scores(*starting_point(problem))
    slope = problem.rows.project(problem.shares * problem.loss.derivatives(eta)[0])
    top = np.abs(slope).max(initial=0.0) / max(l1_ratio, _RIDGE_SHARE)
    top = max(top * (1.0 + 1e-12), np.finfo(np.float64).tiny / eps)  # above the rounding error of the slope
    return np.geomspace(top, top * eps, n_alphas)


def solve_path(problem, alphas, *, l1_ratio, scale, tol, max_iter):
    """Warm-started fits at decreasing alphas: coefficients (k, p), intercepts (k,), iterations, worst status."""
    terms = [elastic_net_terms(alpha, l1_ratio, scale, problem.weights.sum()) for alpha in alphas]
    settings = {"tol": tol, "max_iter": max_iter}
    if all(l1 > 0.0 for l1, _ in terms) and has_kernel(problem.family, problem.link):
        starting_point(problem)  # raises an error if there is no finite model
        solutions = newton_path(problem, *zip(*terms, strict=True), **settings)
    else:
        solutions, start = [], None
        for l1, l2 in terms:
            solutions.append(fit_glm(problem, l1=l1, l2=l2, start=start, **settings))
            start = (solutions[-1].coef, solutions[-1].intercept)
    coefs, intercepts = np.array([f.coef for f in solutions]), np.array([f.intercept for f in solutions])
    return coefs, intercepts, sum(f.n_iter for f in solutions), worst_status(solutions)


def _grid(problem, alphas, eps, scale, l1_ratio):
    """The alphas in decreasing order, on the requested scale."""
    if isinstance(alphas, (int, np.integer)):
        grid = alpha_grid(problem, l1_ratio=l1_ratio, n_alphas=int(alphas), eps=eps)
        # The grid is found on scikit-learn's scale, where the L1 term of alpha = 1 has the weight l1_ratio.
        share = max(l1_ratio, _RIDGE_SHARE)
        return grid * share / elastic_net_terms(1.0, share, scale, problem.weights.sum())[0]
    grid = check_array(alphas, ensure_2d=False, dtype=np.float64, input_name="alphas", ensure_min_samples=0)
    if grid.ndim != 1 or grid.size == 0:
        raise ValueError("alphas must be a non-empty 1-d array of penalties, or an integer.")
    if np.any(grid < 0):
        raise ValueError("alphas must be non-negative.")
    return np.sort(grid)[::-1]


def glm_path(X, y, family="gaussian", link="auto", *, l1_ratio=1.0, alphas=100, eps=1e-3, sample_weight=None,
offset=None,
             exposure=None, power=1.5, theta=1.0, link_power=None, penalty_scale="sklearn", fit_intercept=True,
             tol=1e-8, max_iter=100):  # fmt: skip
    r"""Path of a penalised generalised linear model over a grid of penalties.

    Minimises the objective of :class:`GeneralizedLinearRegressor` at every alpha, with warm starts. For the families
    and links listed under `tol` there, the solver takes proximal Newton steps on the columns admitted by the strong
    rule, certified by the duality gap over all columns. Otherwise it takes Newton steps on all columns.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    family, link, power, theta, link_power, penalty_scale, fit_intercept, tol, max_iter
        As in :class:`GeneralizedLinearRegressor`; theta is a number here.
    l1_ratio : float, default=1.0
    alphas : int or array-like, default=100
        The penalties, or their number. An automatic grid runs from the smallest alpha at which all coefficients are 0
        down to `eps` times it, evenly spaced on a log scale (for l1_ratio below 0.001, the grid of 0.001).
    eps : float, default=1e-3
    sample_weight, offset, exposure : array-like of shape (n_samples,) or None, default=None

    Returns
    -------
    alphas : ndarray of shape (n_alphas,)
        Penalties in decreasing order.
    coefs : ndarray of shape (n_features, n_alphas)
    intercepts : ndarray of shape (n_alphas,)

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.linear import glm_path
    >>> X = np.array([[-2.0, 0], [-1, 0], [1, 1], [2, 1]])
    >>> alphas, coefs, intercepts = glm_path(X, [0, 1, 1, 2], "poisson", alphas=3)
    >>> coefs.shape, coefs[:, 0]
    ((2, 3), array([0., 0.]))
    """
    check_arguments(
        "glm_path",
        family=(family, [Options(*FAMILIES)]),
        link=(link, [Options("auto", "canonical", *LINKS)]),
        l1_ratio=(l1_ratio, [Real(0, 1, closed="both")]),
        alphas=(alphas, [Int(1, None), "array-like"]),
        eps=(eps, [Real(0, 1, closed="neither")]),
        power=(power, [Real(None, None)]),
        theta=(theta, [Real(0, None, closed="neither")]),
        link_power=(link_power, [Real(None, None), None]),
        penalty_scale=(penalty_scale, PENALTY_SCALE),
        fit_intercept=(fit_intercept, ["boolean"]),
        tol=(tol, [Real(0, None, closed="neither")]),
        max_iter=(max_iter, [Int(1, None)]),
    )
    from sklearn.utils.validation import check_X_y

    X, y = check_X_y(X, y, accept_sparse=("csr", "csc"), dtype=FLOATS, y_numeric=True)
    y = y.astype(np.float64)
    model = make_family(family, theta=theta, power=power)
    g = resolve_link(model, link, link_power)
    check_response(y, model)
    offset = total_offset(offset, exposure, g, len(y))
    weights = check_weights(sample_weight, X)
    weights = np.ones(len(y)) if weights is None else weights.astype(np.float64)
    keep = weights > 0
    rows = Rows.double(X[keep] if not keep.all() else X, weights[keep])
    problem = GlmProblem(rows, y[keep], model, g, None if offset is None else offset[keep], fit_intercept)
    grid = _grid(problem, alphas, eps, penalty_scale, l1_ratio)
    coefs, intercepts, _, status = solve_path(
        problem, grid, l1_ratio=l1_ratio, scale=penalty_scale, tol=tol, max_iter=max_iter
    )
    warn_if_stopped("glm_path", MAX_ITER if status != OK else OK, "at least one alpha did not reach tol")
    return grid, np.ascontiguousarray(coefs.T.astype(X.dtype)), intercepts.astype(X.dtype)


class GeneralizedLinearRegressorCV(GLM):
    r"""Generalised linear model with an elastic-net penalty chosen by cross-validation.

    For every alpha of a path and every fold, the model of :class:`GeneralizedLinearRegressor` is fitted to the other
    folds, and its mean deviance on the held-out fold is recorded. The model is then refitted to all rows at the chosen
    alpha.

    Parameters
    ----------
    family : str, default="gaussian"
        As in :class:`GeneralizedLinearRegressor`.
    link : str, default="auto"
        As in :class:`GeneralizedLinearRegressor`.
    l1_ratio : float or array-like, default=1.0
        Share of the L1 penalty, or several values to choose from.
    alphas : int or array-like, default=100
        The penalties, or their number. An automatic grid runs from the smallest alpha at which all coefficients are 0
        down to `eps` times it.
    eps : float, default=1e-3
    cv : int, splitter, iterable or None, default=None
        Cross-validation folds; None means 5 consecutive blocks of rows.
    rule : {"min", "one_se"}, default="min"
        Choose the alpha with the smallest mean deviance, or the largest alpha within one standard error of it.
    power : float, default=1.5
        Exponent of the Tweedie variance.
    theta : float, default=1.0
        Parameter of the negative binomial, fixed along the path.
    link_power : float or None, default=None
        Exponent of the link ``"power"``.
    penalty_scale : {"sklearn", "half_rss", "rss"}, default="sklearn"
    fit_intercept : bool, default=True
    tol : float, default=1e-8
    max_iter : int, default=100

    Attributes
    ----------
    alpha_, l1_ratio_ : float
        The chosen values.
    alphas_ : ndarray of shape (n_alphas,)
    cv_curve_ : CVCurve
        Mean deviances with their standard errors, for `l1_ratio_`.
    coef_, intercept_, n_iter_, deviance_, null_deviance_, pearson_chi2_, dispersion_, log_likelihood_
        As in :class:`GeneralizedLinearRegressor`, from the final fit to all rows.
    rank_, df_residual_, covariance_, aliased_, separated_, n_rows_, total_weight_, n_parameters_
        As in :class:`GeneralizedLinearRegressor`.
    family_, link_, link_power_
        As in :class:`GeneralizedLinearRegressor`.
    objective_ : float
        Value of the objective at the solution.
    theta_, theta_std_error_ : float
        Parameter of the negative binomial family and its standard error, None if `theta` is given. Only for
        ``family="negative_binomial"``.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    Notes
    -----
    The deviance on a fold and the mean over folds are weighted by `sample_weight`. Deviance is also the loss of R's
    `cv.glmnet` for counts. Its folds are drawn at random, whereas these are consecutive rows unless `cv` specifies
    otherwise. Standard errors are not available after the choice of a penalty, so `summary` raises an error.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.linear import GeneralizedLinearRegressorCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 6))
    >>> y = rng.poisson(np.exp(0.5 + X[:, 0]))
    >>> model = GeneralizedLinearRegressorCV("poisson", rule="one_se").fit(X, y)
    >>> np.flatnonzero(model.coef_)
    array([0])
    """

    _constraints = {
        "family": [Options(*FAMILIES)],
        "link": [Options("auto", "canonical", *LINKS)],
        "l1_ratio": [Real(0, 1, closed="both"), "array-like"],
        "alphas": [GRID_POINTS, "array-like"],
        "eps": [Real(0, 1, closed="neither")],
        "cv": ["cv"],
        "rule": [Options("min", "one_se")],
        "power": [Real(None, None)],
        "theta": [Real(0, None, closed="neither")],
        "link_power": [Real(None, None), None],
        "penalty_scale": PENALTY_SCALE,
        "fit_intercept": ["boolean"],
        "tol": [Real(0, None, closed="neither")],
        "max_iter": [Int(1, None)],
    }
    _search_space = SearchSpace("Poisson regression, L1", fixed={"family": "poisson", "cv": 5})

    def __init__(
        self,
        family="gaussian",
        link="auto",
        *,
        l1_ratio=1.0,
        alphas=100,
        eps=1e-3,
        cv=None,
        rule="min",
        power=1.5,
        theta=1.0,
        link_power=None,
        penalty_scale="sklearn",
        fit_intercept=True,
        tol=1e-8,
        max_iter=100,
    ):
        self.family = family
        self.link = link
        self.l1_ratio = l1_ratio
        self.alphas = alphas
        self.eps = eps
        self.cv = cv
        self.rule = rule
        self.power = power
        self.theta = theta
        self.link_power = link_power
        self.penalty_scale = penalty_scale
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter

    def _model(self):
        family = make_family(self.family, theta=self.theta, power=self.power)
        return family, resolve_link(family, self.link, self.link_power)

    def _penalty(self, total_weight):
        return elastic_net_terms(self.alpha_, self.l1_ratio_, self.penalty_scale, total_weight)

    def _options(self):
        return {"tol": self.tol, "max_iter": self.max_iter}

    def fit(self, X, y, sample_weight=None, *, offset=None, exposure=None):
        """Choose the penalty and fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight, offset, exposure : array-like of shape (n_samples,) or None, default=None
            As in :class:`GeneralizedLinearRegressor`.

        Returns
        -------
        self
        """
        from sklearn.model_selection import check_cv

        check_params(self)
        Xr, yr, weights, shift, family, link, keep = self._prepare(X, y, sample_weight, offset, exposure)
        # Folds are formed from all rows; rows of weight 0 are then dropped.
        rows, place = np.arange(len(keep)), np.cumsum(keep) - 1
        folds = check_cv(self.cv).split(np.empty((len(keep), 0)), np.asarray(y))
        folds = [
            tuple(place[part[keep[part]]] for part in (rows[train], rows[test]))
            for train, test in weighty_folds(folds, keep, skip_tests=True)
        ]
        ratios = check_entries("l1_ratio", self.l1_ratio, Real(0, 1, closed="both"), type(self).__name__)
        curves = [self._curve(Xr, yr, weights, shift, family, link, float(ratio), folds) for ratio in ratios]
        best = int(np.argmin([curve.mean.min() for curve in curves]))
        self.cv_curve_, self.l1_ratio_ = curves[best], float(ratios[best])
        self.alphas_ = self.cv_curve_.parameter
        self.alpha_ = float(self.alphas_[self.cv_curve_.chosen(self.rule)])
        return self._fit(X, y, sample_weight, offset, exposure)

    def _curve(self, X, y, weights, offset, family, link, ratio, folds):
        def problem(rows):
            shift = None if offset is None else offset[rows]
            return GlmProblem(Rows.double(X[rows], weights[rows]), y[rows], family, link, shift, self.fit_intercept)

        alphas = _grid(problem(np.arange(len(y))), self.alphas, self.eps, self.penalty_scale, ratio)
        losses = np.empty((len(alphas), len(folds)))
        for k, (train, test) in enumerate(folds):
            coefs, intercepts, *_ = solve_path(
                problem(train), alphas, l1_ratio=ratio, scale=self.penalty_scale, tol=self.tol, max_iter=self.max_iter
            )
            eta = np.asarray(X[test] @ coefs.T) + intercepts
            if offset is not None:
                eta = eta + offset[test][:, None]
            loss = GlmLoss(y[test][:, None], family, link)
            losses[:, k] = 2.0 * (weights[test] @ loss.value(eta)) / weights[test].sum()
        return CVCurve(alphas, losses, np.array([weights[test].sum() for _, test in folds]))
