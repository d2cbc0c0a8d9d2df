"""Lasso and elastic net for several targets, with the penalty chosen by cross-validation."""

import numbers
from functools import partial

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, MultiOutputMixin

from statlearn._core.params import Real, check_params
from statlearn._core.selection import CVCurve
from statlearn._core.warnings import warn_if_stopped
from statlearn.linear._base import LinearRegressorMixin
from statlearn.linear._path_cv import PATH_CV_CONSTRAINTS, alpha_grid, fold_results, given_alphas

from ._multi_task import CONSTRAINTS, MultiTaskProblem, check_tasks, store_solution

_NAMES = ("fit_intercept", "copy_X", "max_iter", "tol", "random_state", "selection")


class _MultiTaskCV(MultiOutputMixin, LinearRegressorMixin, BaseEstimator):
    """Base class of `MultiTaskLassoCV` and `MultiTaskElasticNetCV`."""

    _accept_sparse = False

    def _ratios(self):
        return [1.0]

    def fit(self, X, y, sample_weight=None):
        """Choose the penalty by cross-validation, then fit to all rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples, n_targets)
        sample_weight : array-like of shape (n_samples,), float or None, default=None
            Weights of the rows in the fits and in the error of each fold. All folds count equally.

        Returns
        -------
        self
        """
        check_params(self)
        X, y, weights = check_tasks(self, X, y, sample_weight)
        problem = MultiTaskProblem(X, y, weights, self.fit_intercept)
        ratios = self._ratios()
        if isinstance(self.alphas, numbers.Integral):
            grids = [alpha_grid(problem.largest_alpha(ratio), self.eps, self.alphas) for ratio in ratios]
        else:
            grids = [given_alphas(self.alphas)] * len(ratios)
        run = partial(self._fold_errors, grids, ratios)
        errors = np.stack(fold_results(run, X, y, weights, self.cv, self.n_jobs), axis=2)  # ratios, alphas, folds
        curves = [CVCurve(grid, error) for grid, error in zip(grids, errors)]
        best = int(np.argmin([curve.mean[curve.best] for curve in curves]))
        self.cv_curve_ = curves[best]
        self.mse_path_ = np.squeeze(errors)
        same = len(ratios) == 1 or not isinstance(self.alphas, numbers.Integral)
        self.alphas_ = grids[0] if same else np.stack(grids)
        self.alpha_ = float(grids[best][self.cv_curve_.chosen(self.rule)])
        self._store_ratio(ratios[best])
        solution = problem.solve(self.alpha_, ratios[best], tol=self.tol, max_iter=self.max_iter)
        warn_if_stopped(self, solution.status, f"duality gap {solution.gap:.1e}")
        store_solution(self, problem, solution, X.dtype)
        return self

    def _fold_errors(self, grids, ratios, train, test):
        """Mean squared errors (ratios, alphas) of the paths of one fold."""
        problem = MultiTaskProblem(*train, self.fit_intercept)
        X, y, weights = test
        errors = np.empty((len(ratios), len(grids[0])))
        for k, (grid, ratio) in enumerate(zip(grids, ratios)):
            W = None
            for a, alpha in enumerate(grid):
                W = problem.solve(alpha, ratio, tol=self.tol, max_iter=self.max_iter, start=W).W
                squares = (y - X @ W - problem.intercept(W)) ** 2
                errors[k, a] = np.average(squares.mean(axis=1), weights=weights)
        return errors

    def _store_ratio(self, ratio):
        pass

    @property
    def sparse_coef_(self):
        """The coefficients as a sparse matrix."""
        return sparse.csr_matrix(self.coef_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.single_output = False
        return tags


class MultiTaskLassoCV(_MultiTaskCV):
    r"""Lasso for several targets with the penalty chosen by cross-validation.

    The objective is that of `MultiTaskLasso`, :math:`\frac{1}{2S} \sum_i s_i \lVert y_i - b - W^\top x_i \rVert^2 +
    \alpha \sum_j \lVert w_j \rVert_2`. The error of an alpha is the mean over folds of the squared error on the
    held-out rows, averaged over the targets.

    Parameters
    ----------
    eps : float, default=0.001
        Ratio of the smallest alpha to the largest in an automatic grid.
    alphas : int or array-like, default=100
        The grid, or the number of values from the largest useful alpha down to `eps` times it.
    fit_intercept : bool, default=True
        Whether to fit intercepts.
    max_iter : int, default=1000
        Maximum number of passes per model.
    tol : float, default=1e-4
        Tolerance on the duality gap, see `MultiTaskLasso`.
    copy_X : bool, default=True
        Accepted for compatibility. X is never modified.
    cv : int, splitter, iterable or None, default=None
        Cross-validation folds. None means 5 consecutive blocks of rows.
    verbose : bool or int, default=False
        Accepted for compatibility.
    n_jobs : int or None, default=None
        Number of threads. Results do not depend on it.
    random_state : int, RandomState or None, default=None
        Not used: features are updated in turn.
    selection : {"cyclic", "random"}, default="cyclic"
        Accepted for compatibility; the solution does not depend on it.
    rule : {"min", "one_se"}, default="min"
        Choose the alpha with the smallest error, or the largest alpha within one standard error of it.

    Attributes
    ----------
    alpha_ : float
        The chosen penalty.
    alphas_ : ndarray of shape (n_alphas,)
        The grid, in decreasing order.
    mse_path_ : ndarray of shape (n_alphas, n_folds)
        Mean squared errors on the held-out rows.
    cv_curve_ : CVCurve
        Errors with their standard errors, and a plot.
    coef_ : ndarray of shape (n_targets, n_features)
    sparse_coef_ : sparse matrix of shape (n_targets, n_features)
    intercept_ : ndarray of shape (n_targets,)
    dual_gap_ : float
        Duality gap at the chosen penalty.
    n_iter_ : int
        Number of passes at the chosen penalty.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    See Also
    --------
    MultiTaskElasticNetCV : Chooses the mixture of penalties as well.

    Notes
    -----
    The rows of a fold are reduced once to at most p + q rows, so the number of rows does not matter for the path.

    References
    ----------
    Obozinski, G., Taskar, B. and Jordan, M. (2010). Joint covariate selection and joint subspace selection for multiple
    classification problems. *Statistics and Computing* 20.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.linear import MultiTaskLassoCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 6))
    >>> Y = X[:, [0, 2]] @ [[1.0, 2.0], [-1.0, 1.0]] + rng.normal(size=(100, 2))
    >>> model = MultiTaskLassoCV(rule="one_se").fit(X, Y)
    >>> np.flatnonzero(model.coef_.any(axis=0))
    array([0, 2])
    """

    _constraints = {
        **PATH_CV_CONSTRAINTS,
        **{name: CONSTRAINTS[name] for name in _NAMES},
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        *,
        eps=0.001,
        alphas=100,
        fit_intercept=True,
        max_iter=1000,
        tol=1e-4,
        copy_X=True,
        cv=None,
        verbose=False,
        n_jobs=None,
        random_state=None,
        selection="cyclic",
        rule="min",
    ):
        self.eps = eps
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.copy_X = copy_X
        self.cv = cv
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.selection = selection
        self.rule = rule


class MultiTaskElasticNetCV(_MultiTaskCV):
    r"""Elastic net for several targets with the penalty chosen by cross-validation.

    The objective is that of `MultiTaskElasticNet`. The error of a penalty is the mean over folds of the squared error
    on the held-out rows, averaged over the targets; the best pair of `l1_ratio` and alpha is chosen.

    Parameters
    ----------
    l1_ratio : float or list of float, default=0.5
        Share of the penalty that selects, above 0, or several to choose from.
    eps : float, default=0.001
        Ratio of the smallest alpha to the largest in an automatic grid.
    alphas : int or array-like, default=100
        The grid, or the number of values from the largest useful alpha down to `eps` times it.
    fit_intercept : bool, default=True
        Whether to fit intercepts.
    max_iter : int, default=1000
        Maximum number of passes per model.
    tol : float, default=1e-4
        Tolerance on the duality gap, see `MultiTaskElasticNet`.
    cv : int, splitter, iterable or None, default=None
        Cross-validation folds. None means 5 consecutive blocks of rows.
    copy_X : bool, default=True
        Accepted for compatibility. X is never modified.
    verbose : bool or int, default=False
        Accepted for compatibility.
    n_jobs : int or None, default=None
        Number of threads. Results do not depend on it.
    random_state : int, RandomState or None, default=None
        Not used: features are updated in turn.
    selection : {"cyclic", "random"}, default="cyclic"
        Accepted for compatibility; the solution does not depend on it.
    rule : {"min", "one_se"}, default="min"
        Choose the alpha with the smallest error, or the largest alpha within one standard error of it.

    Attributes
    ----------
    alpha_ : float
        The chosen penalty.
    l1_ratio_ : float
        The chosen share.
    alphas_ : ndarray of shape (n_alphas,) or (n_l1_ratios, n_alphas)
        The grids, in decreasing order.
    mse_path_ : ndarray of shape (n_alphas, n_folds) or (n_l1_ratios, n_alphas, n_folds)
        Mean squared errors on the held-out rows.
    cv_curve_ : CVCurve
        Errors at the chosen share, with their standard errors, and a plot.
    coef_ : ndarray of shape (n_targets, n_features)
    sparse_coef_ : sparse matrix of shape (n_targets, n_features)
    intercept_ : ndarray of shape (n_targets,)
    dual_gap_ : float
        Duality gap at the chosen penalty.
    n_iter_ : int
        Number of passes at the chosen penalty.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    See Also
    --------
    MultiTaskLassoCV : With the selecting penalty alone.

    Notes
    -----
    The rows of a fold are reduced once to at most p + q rows, so the number of rows does not matter for the path.

    References
    ----------
    Obozinski, G., Taskar, B. and Jordan, M. (2010). Joint covariate selection and joint subspace selection for multiple
    classification problems. *Statistics and Computing* 20.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.linear import MultiTaskElasticNetCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 6))
    >>> Y = X[:, [0, 2]] @ [[1.0, 2.0], [-1.0, 1.0]] + rng.normal(size=(100, 2))
    >>> model = MultiTaskElasticNetCV(l1_ratio=[0.5, 0.9]).fit(X, Y)
    >>> bool(model.score(X, Y) > 0.6)
    True
    """

    _constraints = {
        **MultiTaskLassoCV._constraints,
        "l1_ratio": [Real(0, 1, closed="both"), "array-like"],
    }

    def __init__(
        self,
        *,
        l1_ratio=0.5,
        eps=0.001,
        alphas=100,
        fit_intercept=True,
        max_iter=1000,
        tol=1e-4,
        cv=None,
        copy_X=True,
        verbose=False,
        n_jobs=None,
        random_state=None,
        selection="cyclic",
        rule="min",
    ):
        self.l1_ratio = l1_ratio
        self.eps = eps
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.cv = cv
        self.copy_X = copy_X
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.selection = selection
        self.rule = rule

    def _ratios(self):
        ratios = [float(ratio) for ratio in np.atleast_1d(self.l1_ratio)]
        if not ratios or min(ratios) <= 0.0 or max(ratios) > 1.0:
            raise ValueError(f"`l1_ratio` must contain values above 0 and up to 1, got {self.l1_ratio}.")
        return ratios

    def _store_ratio(self, ratio):
        self.l1_ratio_ = ratio
