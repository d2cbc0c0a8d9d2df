"""Least-angle regression and LARS lasso with the penalty chosen by cross-validation, AIC or BIC."""

import math
from functools import partial

import numpy as np

from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.selection import CVCurve
from statlearn._core.validation import FLOATS, check_weights, validate_data
from statlearn._core.warnings import warn
from statlearn._math.penalties.scales import penalty_factor
from statlearn.linear._centred_data import centred_data
from statlearn.linear._path_cv import fold_results
from statlearn.linear._penalty import PENALTY_SCALE

from ._lars import PRECOMPUTE, Lars, LassoLars
from ._path import EPS, MAX_STEPS, gram_for, solve_path


def _fold_residuals(precompute, fit_intercept, options, train, test):
    """The path on the training rows: its levels (per unit of weight), the residuals of the test rows, their weights."""
    design = centred_data(*train, fit_intercept=fit_intercept)
    gram = gram_for(precompute, design.X)
    path = solve_path(design.X, gram, design.X.T @ design.y[:, 0], design.max_rank, **options)
    intercepts = design.intercept(path.coefs) if fit_intercept else np.zeros(len(path.coefs))
    X, y, weights = test
    fitted = np.asarray(X, dtype=np.float64) @ path.coefs.T + intercepts
    return path.level / design.total_weight, y[:, None] - fitted, weights


def _interpolate_rows(at, levels, values):
    """Linear interpolation of the columns of `values`, given at increasing `levels`; constant beyond the ends."""
    right = np.clip(np.searchsorted(levels, at), 1, len(levels) - 1)
    left = right - 1
    width = levels[right] - levels[left]
    share = np.clip(np.divide(at - levels[left], width, out=np.zeros_like(at), where=width > 0), 0.0, 1.0)
    return values[:, left] * (1.0 - share) + values[:, right] * share


class LarsCV(Lars):
    """Least-angle regression with the stopping point chosen by cross-validation.

    The path of every fold is exact. Its squared errors on the held-out rows are compared at the union of all nodes.

    Parameters
    ----------
    fit_intercept : bool, default=True
    verbose : bool or int, default=False
    max_iter : int, default=500
        Maximum number of steps.
    precompute : bool, "auto" or array-like, default="auto"
        Whether to use the Gram matrix. A given matrix is used for the final fit only, with a warning.
    cv : int, splitter, iterable or None, default=None
        Cross-validation folds; None means 5.
    max_n_alphas : int, default=1000
        Maximum number of penalties at which the folds are compared.
    n_jobs : int or None, default=None
        Number of threads in which folds are fitted.
    eps : float, default=machine precision
        As in `Lars`.
    copy_X : bool, default=True
        If False, X may be overwritten.
    rule : {"min", "one_se"}, default="min"
        Choose the penalty with the smallest mean error, or the largest penalty within one standard error of it.

    Attributes
    ----------
    alpha_ : float
        The chosen penalty level.
    cv_alphas_ : ndarray of shape (n_cv_alphas,)
        Levels at which the folds were compared, increasing.
    mse_path_ : ndarray of shape (n_cv_alphas, n_folds)
    cv_curve_ : CVCurve
        Mean errors with standard errors and a plot, largest penalty first.
    alphas_, active_, coef_path_, inner_products_path_, coef_, intercept_, n_iter_
        Results of the fit to all rows down to `alpha_`, as in `Lars`.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    The fold errors are not independent, so the standard error is only a rough guide.

    References
    ----------
    Efron, Hastie, Johnstone & Tibshirani (2004), Least angle regression, Annals of Statistics 32.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from statlearn.linear import LarsCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> int((LarsCV(rule="one_se").fit(X, y).coef_ != 0).sum())
    7
    """

    _constraints: dict = {
        "fit_intercept": ["boolean"],
        "verbose": ["verbose"],
        "max_iter": [Int(0, None)],
        "precompute": PRECOMPUTE,
        "cv": ["cv"],
        "max_n_alphas": [Int(1, None)],
        "n_jobs": [Int(), None],
        "eps": [Real(0, None)],
        "copy_X": ["boolean"],
        "rule": [Options("min", "one_se")],
    }
    method = "lar"

    def __init__(
        self,
        *,
        fit_intercept=True,
        verbose=False,
        max_iter=500,
        precompute="auto",
        cv=None,
        max_n_alphas=1000,
        n_jobs=None,
        eps=EPS,
        copy_X=True,
        rule="min",
    ):
        self.fit_intercept = fit_intercept
        self.verbose = verbose
        self.max_iter = max_iter
        self.precompute = precompute
        self.cv = cv
        self.max_n_alphas = max_n_alphas
        self.n_jobs = n_jobs
        self.eps = eps
        self.copy_X = copy_X
        self.rule = rule

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = False
        return tags

    def fit(self, X, y, sample_weight=None):
        """Choose the penalty by cross-validation and fit to all rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), default=None
            Weight k counts as k copies of the row, in the fits and in the errors.

        Returns
        -------
        self
        """
        check_params(self)
        X, y = validate_data(self, X, y, dtype=FLOATS, force_writeable=not self.copy_X, y_numeric=True)
        weights = check_weights(sample_weight, X)
        precompute = self.precompute
        if hasattr(precompute, "__array__"):
            warn(
                f'Parameter "precompute" cannot be an array in {type(self).__name__}. Automatically switch to "auto" '
                "instead.",
            )
            precompute = "auto"
        options = {
            "method": self.method,
            "positive": getattr(self, "positive", False),
            "max_iter": self.max_iter,
            "eps": self.eps,
        }
        run = partial(_fold_residuals, precompute, self.fit_intercept, options)
        folds = fold_results(run, X, y, weights, self.cv, self.n_jobs)

        alphas = np.unique(np.concatenate([levels for levels, *_ in folds]))
        alphas = alphas[:: max(1, len(alphas) // self.max_n_alphas)]
        mse = np.empty((len(alphas), len(folds)))
        for k, (levels, residuals, share) in enumerate(folds):
            errors = _interpolate_rows(alphas, levels[::-1], residuals[:, ::-1]) ** 2
            mse[:, k] = np.average(errors, axis=0, weights=share)

        total = X.shape[0] if weights is None else float(weights.sum())
        shown = alphas / penalty_factor(getattr(self, "penalty_scale", "sklearn"), total)
        self.cv_alphas_, self.mse_path_ = shown, mse
        self.cv_curve_ = CVCurve(shown[::-1].copy(), mse[::-1].copy())
        self.alpha_ = self.cv_curve_.parameter[self.cv_curve_.chosen(self.rule)]
        design = centred_data(X, y, weights, fit_intercept=self.fit_intercept, copy=self.copy_X)
        return self._fit_path(design, X.dtype, self.alpha_, self.max_iter)


class LassoLarsCV(LarsCV):
    r"""LARS lasso with the penalty chosen by cross-validation.

    The objective is that of `LassoLars`. Folds are compared at the nodes of their exact paths, so no grid of penalties
    is needed.

    Parameters
    ----------
    fit_intercept : bool, default=True
    verbose : bool or int, default=False
    max_iter : int, default=500
        Maximum number of steps.
    precompute : bool, "auto" or array-like, default="auto"
        Whether to use the Gram matrix. A given matrix is used for the final fit only, with a warning.
    cv : int, splitter, iterable or None, default=None
        Cross-validation folds; None means 5.
    max_n_alphas : int, default=1000
        Maximum number of penalties at which the folds are compared.
    n_jobs : int or None, default=None
        Number of threads in which folds are fitted.
    eps : float, default=machine precision
        As in `LassoLars`.
    copy_X : bool, default=True
        If False, X may be overwritten.
    positive : bool, default=False
        Restrict the coefficients to be non-negative.
    rule : {"min", "one_se"}, default="min"
        Choose the penalty with the smallest mean error, or the largest penalty within one standard error of it.
    penalty_scale : {"sklearn", "half_rss", "rss"}, default="sklearn"
        Objective that the alphas refer to, see `LassoLars`. Folds are matched by the penalty per unit of weight.

    Attributes
    ----------
    alpha_ : float
        The chosen penalty.
    cv_alphas_ : ndarray of shape (n_cv_alphas,)
        Penalties at which the folds were compared, increasing.
    mse_path_ : ndarray of shape (n_cv_alphas, n_folds)
    cv_curve_ : CVCurve
        Mean errors with standard errors and a plot, largest penalty first.
    alphas_, active_, coef_path_, inner_products_path_, coef_, intercept_, n_iter_
        Results of the fit to all rows down to `alpha_`, as in `LassoLars`.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    References
    ----------
    Efron, Hastie, Johnstone & Tibshirani (2004), Least angle regression, Annals of Statistics 32.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from statlearn.linear import LassoLarsCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = LassoLarsCV().fit(X, y)
    >>> bool(model.alpha_ == model.alphas_[-1])
    True
    """

    _constraints: dict = {**LarsCV._constraints, "positive": ["boolean"], "penalty_scale": PENALTY_SCALE}
    method = "lasso"

    def __init__(
        self,
        *,
        fit_intercept=True,
        verbose=False,
        max_iter=500,
        precompute="auto",
        cv=None,
        max_n_alphas=1000,
        n_jobs=None,
        eps=EPS,
        copy_X=True,
        positive=False,
        rule="min",
        penalty_scale="sklearn",
    ):
        self.fit_intercept = fit_intercept
        self.verbose = verbose
        self.max_iter = max_iter
        self.precompute = precompute
        self.cv = cv
        self.max_n_alphas = max_n_alphas
        self.n_jobs = n_jobs
        self.eps = eps
        self.copy_X = copy_X
        self.positive = positive
        self.rule = rule
        self.penalty_scale = penalty_scale


class LassoLarsIC(LassoLars):
    r"""LARS lasso with the penalty chosen by AIC or BIC.

    With :math:`d` non-zero coefficients and :math:`S` the sum of the weights, the criterion at each node of the path is

    .. math:: S \log(2\pi\sigma^2) + RSS/\sigma^2 + c\,d, \qquad c = 2 \text{ (AIC)} \text{ or } \log S \text{ (BIC)}.

    Parameters
    ----------
    criterion : {"aic", "bic"}, default="aic"
    fit_intercept : bool, default=True
    verbose : bool or int, default=False
    precompute : bool, "auto" or array-like, default="auto"
        Whether to use the Gram matrix of the centred columns, or that matrix itself.
    max_iter : int, default=500
        Maximum number of steps.
    eps : float, default=machine precision
        As in `LassoLars`.
    copy_X : bool, default=True
        If False, X may be overwritten.
    positive : bool, default=False
        Restrict the coefficients to be non-negative.
    noise_variance : float or None, default=None
        The noise variance :math:`\sigma^2`. None estimates it from the least-squares fit on all columns, which requires
        more rows than columns.
    penalty_scale : {"sklearn", "half_rss", "rss"}, default="sklearn"
        Objective that the alphas refer to, see `LassoLars`.

    Attributes
    ----------
    alpha_ : float
        The chosen penalty.
    alphas_ : ndarray of shape (n_nodes,)
    criterion_ : ndarray of shape (n_nodes,)
    noise_variance_ : float
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
    coef_path_, inner_products_path_ : ndarray of shape (n_features, n_nodes)
    active_ : list of int
    n_iter_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    The number of non-zero coefficients is an unbiased estimate of the degrees of freedom of the lasso.

    References
    ----------
    Zou, Hastie & Tibshirani (2007), On the "degrees of freedom" of the lasso, Annals of Statistics 35.

    Examples
    --------
    >>> from statlearn.linear import LassoLarsIC
    >>> X = [[-2, 2], [-1, 1], [0, 0], [1, 1], [2, 2]]
    >>> y = [-2.2222, -1.1111, 0, -1.1111, -2.2222]
    >>> LassoLarsIC(criterion="bic").fit(X, y).coef_.round(2)
    array([ 0.  , -1.11])
    """

    _constraints: dict = {
        **{k: v for k, v in LassoLars._constraints.items() if k not in ("jitter", "fit_path", "alpha", "random_state")},
        "criterion": [Options("aic", "bic")],
        "noise_variance": [Real(0, None), None],
    }

    def __init__(
        self,
        criterion="aic",
        *,
        fit_intercept=True,
        verbose=False,
        precompute="auto",
        max_iter=500,
        eps=EPS,
        copy_X=True,
        positive=False,
        noise_variance=None,
        penalty_scale="sklearn",
    ):
        self.criterion = criterion
        self.fit_intercept = fit_intercept
        self.verbose = verbose
        self.precompute = precompute
        self.max_iter = max_iter
        self.eps = eps
        self.copy_X = copy_X
        self.positive = positive
        self.noise_variance = noise_variance
        self.penalty_scale = penalty_scale

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = False
        return tags

    def fit(self, X, y, copy_X=None, sample_weight=None):
        """Fit the path and choose the penalty.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        copy_X : bool or None, default=None
            If given, overrides the constructor parameter.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight k counts as k copies of the row.

        Returns
        -------
        self
        """
        check_params(self)
        copy = self.copy_X if copy_X is None else copy_X
        X, y = validate_data(self, X, y, dtype=FLOATS, force_writeable=not copy, y_numeric=True)
        weights = check_weights(sample_weight, X)
        design = centred_data(X, y, weights, fit_intercept=self.fit_intercept, copy=copy)
        self._fit_path(design, X.dtype, 0.0, self.max_iter)
        coefs = self.coef_path_.astype(np.float64)
        rss = ((design.y - design.X @ coefs) ** 2).sum(axis=0)
        if self.noise_variance is None:
            self.noise_variance_ = self._estimated_noise(design)
        else:
            self.noise_variance_ = self.noise_variance
        df = (np.abs(coefs) > np.finfo(X.dtype).eps).sum(axis=0)
        with np.errstate(divide="ignore"):  # a perfect fit leaves a variance of 0
            fit = design.total_weight * np.log(2 * np.pi * self.noise_variance_) + np.divide(
                rss, self.noise_variance_, out=np.zeros_like(rss), where=rss > 0
            )
        self.criterion_ = fit + (2.0 if self.criterion == "aic" else math.log(design.total_weight)) * df
        best = int(np.argmin(self.criterion_))
        self.alpha_ = self.alphas_[best]
        self.coef_ = self.coef_path_[:, best].copy()
        self.intercept_ = design.intercept(coefs[:, best][None]).astype(X.dtype)[0]
        return self

    def _estimated_noise(self, design):
        """Residual variance of the fit on all columns."""
        p, total = design.X.shape[1], design.total_weight
        if total <= p + self.fit_intercept:
            raise ValueError(
                f"You are using {type(self).__name__} in the case where the number of samples is smaller than the "
                "number of features. In this setting, getting a good estimate for the variance of the noise is not "
                f"possible. Provide an estimate of the noise variance in the constructor. Got n_samples = {total:g}."
            )
        target = design.y[:, 0]
        if self.positive:
            path = solve_path(
                design.X, None, design.X.T @ target, design.max_rank,
                method="lasso", positive=True, max_iter=MAX_STEPS, keep_path=False,
            )  # fmt: skip
            coef = path.coefs[-1]
        else:
            coef = np.linalg.lstsq(design.X, target, rcond=None)[0]
        residual = target - design.X @ coef
        return residual @ residual / (total - p - self.fit_intercept)
