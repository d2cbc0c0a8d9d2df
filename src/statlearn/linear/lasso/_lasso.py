"""Lasso and elastic net for one strength of the penalty."""

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from statlearn._core.fitted_state import forget
from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.validation import FLOATS, check_weights, validate_data
from statlearn._core.warnings import warn
from statlearn._math.linalg.sparse_arrays import by_columns, with_column
from statlearn._math.rows.rows import Rows
from statlearn.linear._base import LinearRegressorMixin
from statlearn.linear._penalty import PENALTY_SCALE

from ._path import enet_path
from ._solver import (
    PathFits,
    PathProblem,
    Solver,
    check_factor,
    check_order,
    path_terms,
    warn_unless_converged,
)
from ._sweeps import sweep_targets

# A dense table of this size, with this many rows per column, is solved on the products of its columns.
MANY_ENTRIES, MANY_ROWS = 2**21, 50


class ElasticNet(LinearRegressorMixin, BaseEstimator):
    r"""Elastic net: least squares with a combined L1 and L2 penalty on the slopes.

    Minimises over slopes w and an unpenalised intercept b, with S the sum of the weights s_i and
    :math:`\rho` = `l1_ratio`,

    .. math:: \frac{1}{2S} \sum_i s_i (y_i - b - x_i^\top w)^2 + \alpha \rho \lVert w \rVert_1
              + \frac{\alpha (1 - \rho)}{2} \lVert w \rVert^2

    The loss is a weighted mean with a factor 1/2. Stops when the duality gap is at most `tol` times the objective at
    w = 0, which is half the variance of y.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty. Instead of 0, use LinearRegression.
    l1_ratio : float in [0, 1], default=0.5
        1 is the lasso, 0 is ridge.
    fit_intercept : bool, default=True
        Whether to fit an intercept. If False, the data are assumed to be centred.
    precompute : bool or array-like of shape (n_features, n_features), default=False
        Whether to use the cross-products of all features, or these cross-products (of centred X). Ignored for
        sparse X. Large dense tables with many rows per column are always solved on them, without a copy of X.
    max_iter : int, default=1000
        Maximum number of passes over the working set.
    copy_X : bool, default=True
        Accepted for compatibility. X is never modified.
    tol : float, default=1e-4
        Tolerance on the duality gap, see above.
    warm_start : bool, default=False
        Start from the coefficients of the previous fit.
    positive : bool, default=False
        Restrict the slopes to be non-negative.
    random_state : int, RandomState or None, default=None
        Used when `selection` is "random".
    selection : {"cyclic", "random"}, default="cyclic"
        Order of the coordinate updates. With "cyclic", all active coordinates may also be solved for at once.
    penalty_scale : {"sklearn", "half_rss", "rss"}, default="sklearn"
        Objective that `alpha` refers to: the one above, RSS/2 + alpha (rho abs(w)_1 + (1 - rho) w'w), or the latter
        with RSS instead of RSS/2.
    penalize_intercept : bool, default=False
        Penalise the intercept, treating it as the slope of a column of ones.
    penalty_factor : array-like of shape (n_features,) or None, default=None
        Multiplies the penalty of each feature; 0 leaves it unpenalised.
    store_objective : bool, default=False
        Solve by plain sweeps of coordinate descent over all features, slower than the default algorithm, and record the
        objective in ``objective_history_``.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
    intercept_ : float or ndarray of shape (n_targets,)
    dual_gap_ : float or ndarray of shape (n_targets,)
        Duality gap, on the scale of the objective (mean loss).
    n_iter_ : int or list of int
        Number of passes and Newton steps, or of sweeps with `store_objective`.
    objective_history_ : ndarray of shape (n_iter_ + 1,) or list of ndarray
        Value of the objective at the start and after each sweep, never increasing; on the scale of `penalty_scale`. One
        array per target if there are several. Only with `store_objective`.
    sparse_coef_ : sparse array
        `coef_` as a sparse array with one row per target.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    Lasso, ElasticNetCV, enet_path, AdaptiveLasso

    Notes
    -----
    Standardise the features first, because the penalty treats all slopes alike. The elastic net keeps correlated
    features together, whereas the lasso picks one of them. Several targets are fitted separately. The algorithm is
    described in `enet_path`. A column-major float array is used without a copy.

    References
    ----------
    Zou & Hastie (2005), Regularization and variable selection via the elastic net.

    Examples
    --------
    >>> from statlearn.linear import ElasticNet
    >>> model = ElasticNet(alpha=0.1).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])
    >>> model.coef_.round(4)
    array([0.8605])
    """

    _constraints = {
        "alpha": [Real(0, None)],
        "l1_ratio": [Real(0, 1, closed="both")],
        "fit_intercept": ["boolean"],
        "precompute": ["boolean", "array-like"],
        "max_iter": [Int(1, None), None],
        "copy_X": ["boolean"],
        "tol": [Real(0, None)],
        "warm_start": ["boolean"],
        "positive": ["boolean"],
        "random_state": ["random_state"],
        "selection": [Options("cyclic", "random")],
        "penalty_scale": PENALTY_SCALE,
        "penalize_intercept": ["boolean"],
        "penalty_factor": ["array-like", None],
        "store_objective": ["boolean"],
    }

    path = staticmethod(enet_path)

    def __init__(
        self,
        alpha=1.0,
        *,
        l1_ratio=0.5,
        fit_intercept=True,
        precompute=False,
        max_iter=1000,
        copy_X=True,
        tol=1e-4,
        warm_start=False,
        positive=False,
        random_state=None,
        selection="cyclic",
        penalty_scale="sklearn",
        penalize_intercept=False,
        penalty_factor=None,
        store_objective=False,
    ):
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.max_iter = max_iter
        self.copy_X = copy_X
        self.tol = tol
        self.warm_start = warm_start
        self.positive = positive
        self.random_state = random_state
        self.selection = selection
        self.penalty_scale = penalty_scale
        self.penalize_intercept = penalize_intercept
        self.penalty_factor = penalty_factor
        self.store_objective = store_objective

    def fit(self, X, y, sample_weight=None, check_input=True):
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : array-like of shape (n_samples,), float or None, default=None
            Weight k counts as k copies of the row. With the default `penalty_scale`, only the ratios matter.
        check_input : bool, default=True
            False skips the validation of X and y; X must then be a float array, column-major unless there are weights.

        Returns
        -------
        self
        """
        check_params(self)
        if self.alpha == 0:
            warn(
                "With alpha=0, this algorithm does not converge well. You are advised to use the LinearRegression "
                "estimator",
            )
        if check_input:
            X, y = validate_data(
                self,
                X,
                y,
                accept_sparse="csc",
                order=None if self._reads_products(X, y) else "F",
                dtype=FLOATS,
                accept_large_sparse=False,
                multi_output=True,
                y_numeric=True,
            )
        y = np.asarray(y, dtype=np.float64)
        weights = check_weights(sample_weight, X)
        if weights is not None and not sparse.issparse(X) and not self._reads_products(X, y):
            X = np.asfortranarray(X)
        return self._fit_checked(X, y, weights)

    def _reads_products(self, X, y):
        """Whether products of the columns are faster for this number of rows; they need no copy of X."""
        column = self.fit_intercept and self.penalize_intercept
        if self.precompute is not False or self.store_objective or column or not isinstance(X, np.ndarray):
            return False
        many = X.ndim == 2 and X.size >= MANY_ENTRIES and X.shape[0] >= MANY_ROWS * X.shape[1]
        return many and X.dtype in FLOATS and np.ndim(y) == 1

    def _l1_ratio(self):
        return self.l1_ratio

    def _fit_checked(self, X, y, weights):
        p = X.shape[1]
        column = self.fit_intercept and self.penalize_intercept
        centre = self.fit_intercept and not column
        rows = Rows(by_columns(with_column(X)) if column else X, weights, centre=centre)
        total = rows.total_weight
        targets = y.reshape(len(y), -1).T
        forget(self, "objective_history_")
        fits = self._solve(rows, targets, column=column)
        coef = fits.coef[:, 0]
        if not np.all(np.isfinite(coef)):
            raise ValueError(
                "Coordinate descent iterations resulted in non-finite parameter values. The input data may contain "
                "large values and need to be preprocessed."
            )
        for k, target in enumerate(targets):
            tolerance = 0.5 * self.tol * rows.squared_norm(target)
            warn_unless_converged(fits.path(k), total, tolerance)
        intercept = coef[:, -1] if column else np.zeros(len(targets))
        coef = coef[:, :p]
        if centre:
            used = np.flatnonzero(np.any(coef != 0, axis=0))
            intercept = rows.average(targets.T) - coef[:, used] @ rows.means(used)
        coef = coef.astype(X.dtype)
        gaps, n_iter = fits.gap[:, 0] / total, fits.n_iter[:, 0].tolist()
        single = len(targets) == 1
        self.coef_ = coef[0] if single else coef
        self.n_iter_ = n_iter[0] if single else n_iter
        self.dual_gap_ = float(gaps[0]) if single else gaps
        if not self.fit_intercept:
            self.intercept_ = 0.0
        else:
            intercept = intercept.astype(X.dtype)
            self.intercept_ = intercept[0] if y.ndim == 1 else intercept
        return self

    def _solve(self, rows, targets, *, column):
        """The fits of all targets; with `column`, the last column consists of ones."""
        total = rows.total_weight
        factor = check_factor(self.penalty_factor, rows.p - column)
        if column and factor is not None:
            factor = np.append(factor, 1.0)
        l1, l2 = path_terms([self.alpha], self._l1_ratio(), self.penalty_scale, total)
        max_iter = 1000 if self.max_iter is None else self.max_iter
        solver = Solver(self.tol, max_iter, self.positive, self.selection, self.random_state)
        start = self._start(len(targets), rows.p - column, column)
        if self.store_objective:
            fits, history = sweep_targets(rows, targets, l1[0, 0], l2[0, 0], factor, start, solver)
            scale = {"sklearn": 1.0 / total, "half_rss": 1.0, "rss": 2.0}[self.penalty_scale]
            history = [scale * values for values in history]
            self.objective_history_ = history[0] if len(targets) == 1 else history
            return fits
        if self.precompute is False and len(targets) > 1:  # all at once, in parallel
            check_order(rows)
            l1, l2 = (np.tile(term, (len(targets), 1)) for term in (l1, l2))
            return solver.from_rows(rows, targets, l1, l2, factor=factor, init=start)
        init = [None] * len(targets) if start is None else start
        precompute = self.precompute
        if precompute is False:
            precompute = len(targets) == 1 and self._reads_products(rows.X, targets[0])
        problem = PathProblem(rows, solver, factor, precompute)
        return PathFits.stack(problem.solve(target, l1, l2, init=first) for target, first in zip(targets, init))

    def _start(self, n_targets, p, column):
        """Coefficients of the previous fit, followed by the intercept with `column`; None for zero."""
        if not (self.warm_start and hasattr(self, "coef_")):
            return None
        start = np.atleast_2d(self.coef_)
        if start.shape != (n_targets, p):
            return None
        return np.column_stack([start, np.broadcast_to(self.intercept_, n_targets)]) if column else start

    @property
    def sparse_coef_(self):
        """`coef_` as a sparse array with one row per target."""
        return sparse.csr_array(np.atleast_2d(self.coef_))

    def summary(self):
        """Not available: standard errors of penalised coefficients are not valid."""
        raise ValueError(
            f"{type(self).__name__} has no summary: the penalty shrinks and selects coefficients, so standard errors "
            "and p-values are not valid. Refit the selected columns with LinearRegression on new data."
        )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.multi_output = True
        return tags


class Lasso(ElasticNet):
    r"""Lasso: least squares with an L1 penalty on the slopes.

    Minimises over slopes w and an unpenalised intercept b, with S the sum of the weights s_i,

    .. math:: \frac{1}{2S} \sum_i s_i (y_i - b - x_i^\top w)^2 + \alpha \lVert w \rVert_1

    The loss is a weighted mean with a factor 1/2. Stops when the duality gap is at most `tol` times the objective at
    w = 0, which is half the variance of y.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty. Instead of 0, use LinearRegression.
    fit_intercept : bool, default=True
        Whether to fit an intercept. If False, the data are assumed to be centred.
    precompute : bool or array-like of shape (n_features, n_features), default=False
        Whether to use the cross-products of all features, or these cross-products (of centred X). Ignored for
        sparse X. Large dense tables with many rows per column are always solved on them, without a copy of X.
    copy_X : bool, default=True
        Accepted for compatibility. X is never modified.
    max_iter : int, default=1000
        Maximum number of passes over the working set.
    tol : float, default=1e-4
        Tolerance on the duality gap, see above.
    warm_start : bool, default=False
        Start from the coefficients of the previous fit.
    positive : bool, default=False
        Restrict the slopes to be non-negative.
    random_state : int, RandomState or None, default=None
        Used when `selection` is "random".
    selection : {"cyclic", "random"}, default="cyclic"
        Order of the coordinate updates. With "cyclic", all active coordinates may also be solved for at once.
    penalty_scale : {"sklearn", "half_rss", "rss"}, default="sklearn"
        Objective that `alpha` refers to: the one above, RSS/2 + alpha abs(w)_1, or RSS + alpha abs(w)_1.
    penalize_intercept : bool, default=False
        Penalise the intercept, treating it as the slope of a column of ones.
    penalty_factor : array-like of shape (n_features,) or None, default=None
        Multiplies the penalty of each feature; 0 leaves it unpenalised.
    store_objective : bool, default=False
        Solve by plain sweeps of coordinate descent over all features, slower than the default algorithm, and record the
        objective in ``objective_history_``.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
    intercept_ : float or ndarray of shape (n_targets,)
    dual_gap_ : float or ndarray of shape (n_targets,)
        Duality gap, on the scale of the objective (mean loss).
    n_iter_ : int or list of int
        Number of passes and Newton steps, or of sweeps with `store_objective`.
    objective_history_ : ndarray of shape (n_iter_ + 1,) or list of ndarray
        Value of the objective at the start and after each sweep, never increasing; on the scale of `penalty_scale`. One
        array per target if there are several. Only with `store_objective`.
    sparse_coef_ : sparse array
        `coef_` as a sparse array with one row per target.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    LassoCV, lasso_path, LassoLars, AdaptiveLasso, ElasticNet

    Notes
    -----
    Standardise the features first, because the penalty treats all slopes alike. The lasso suits problems with a few
    strong effects; of several correlated features it keeps one more or less by chance. Choose alpha by cross-validation
    (LassoCV, `rule="one_se"`). Several targets are fitted separately. The algorithm is described in `enet_path`. A
    column-major float array is used without a copy.

    References
    ----------
    Tibshirani (1996), Regression shrinkage and selection via the lasso.

    Examples
    --------
    >>> from statlearn.linear import Lasso
    >>> model = Lasso(alpha=0.1).fit([[0, 0], [1, 1], [2, 2]], [0, 1, 2])
    >>> model.coef_.round(4)
    array([0.85, 0.  ])
    >>> round(float(model.intercept_), 4)
    0.15
    """

    _constraints = {name: rule for name, rule in ElasticNet._constraints.items() if name != "l1_ratio"}

    path = staticmethod(enet_path)

    def __init__(
        self,
        alpha=1.0,
        *,
        fit_intercept=True,
        precompute=False,
        copy_X=True,
        max_iter=1000,
        tol=1e-4,
        warm_start=False,
        positive=False,
        random_state=None,
        selection="cyclic",
        penalty_scale="sklearn",
        penalize_intercept=False,
        penalty_factor=None,
        store_objective=False,
    ):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.positive = positive
        self.random_state = random_state
        self.selection = selection
        self.penalty_scale = penalty_scale
        self.penalize_intercept = penalize_intercept
        self.penalty_factor = penalty_factor
        self.store_objective = store_objective

    def _l1_ratio(self):
        return 1.0
