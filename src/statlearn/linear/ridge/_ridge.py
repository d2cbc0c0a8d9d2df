"""Ridge regression."""

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, MultiOutputMixin, clone

from statlearn._core.fitted_state import forget
from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.validation import FLOATS, check_weights, require_finite, validate_data
from statlearn._core.warnings import warn
from statlearn._math.linalg.sparse_arrays import with_column
from statlearn._math.penalties.scales import ridge_lambda
from statlearn._math.rows.site_statistics import StatisticsMixin
from statlearn.linear._base import LinearRegressorMixin
from statlearn.linear._penalty import PENALTY_SCALE
from statlearn.linear._prior import check_prior_coef

from ._solvers import SOLVERS, solve_ridge

SPARSE_FORMATS = ("csr", "csc", "coo")


def check_penalties(alpha, n_targets, penalty_scale="sklearn"):
    """The penalties lambda (m,) of RSS + lambda |w|² behind a scalar or per-target `alpha`."""
    alphas = np.asarray(alpha, dtype=np.float64).ravel()
    if alphas.size not in (1, n_targets):
        raise ValueError(f"Number of targets and number of penalties do not correspond: {alphas.size} != {n_targets}")
    if not np.all(np.isfinite(alphas)) or np.any(alphas < 0):
        raise ValueError(f"alpha must be finite and non-negative, got {alpha!r}.")
    return np.broadcast_to(ridge_lambda(alphas, penalty_scale), (n_targets,)).astype(np.float64)


RIDGE_CONSTRAINTS = {
    "alpha": [Real(0, None), "array-like"],
    "fit_intercept": ["boolean"],
    "copy_X": ["boolean"],
    "max_iter": [Int(1, None), None],
    "tol": [Real(0, None)],
    "solver": [Options(*SOLVERS)],
    "positive": ["boolean"],
    "random_state": ["random_state"],
    "penalty_scale": PENALTY_SCALE,
    "penalize_intercept": ["boolean"],
}


class RidgeFit:
    """Solving part shared by Ridge and RidgeClassifier: from validated data to fitted attributes."""

    def _check_solver(self, X):
        if self.solver == "lbfgs" and not self.positive:
            raise ValueError("'lbfgs' solver can be used only when positive=True. Please use another solver.")
        if self.positive and self.solver not in ("auto", "lbfgs"):
            raise ValueError(
                f"solver='{self.solver}' does not support positive fitting. Please set the solver to 'auto' or "
                "'lbfgs', or set `positive=False`"
            )
        if sparse.issparse(X) and self.solver == "svd":
            raise ValueError(
                "solver='svd' does not support sparse X: the SVD needs the dense matrix. Please set the solver to "
                "'auto', 'cholesky', 'dual' or 'sparse_cg'."
            )
        if sparse.issparse(X) and self.solver == "sag" and self.max_iter is None and self.tol > 1e-4:
            warn(
                '"sag" solver requires a low "tol" to fit an intercept with sparse inputs. Either set the solver to '
                '"auto" or "sparse_cg", or lower "tol".',
                UserWarning,
            )

    def _fit_targets(self, X, Y, weights):
        """Solve for the columns of Y (n, m)."""
        self._check_solver(X)
        if sparse.issparse(X) and X.format == "coo":
            X = X.tocsr()
        penalties = check_penalties(self.alpha, Y.shape[1], self.penalty_scale)
        Y = Y.astype(X.dtype).astype(np.float64)
        shrink_all = self.fit_intercept and self.penalize_intercept
        design = with_column(X) if shrink_all else X  # the intercept as an ordinary coefficient
        solution = solve_ridge(
            design,
            Y,
            weights,
            penalties,
            fit_intercept=self.fit_intercept and not shrink_all,
            solver=self.solver,
            tol=self.tol,
            max_iter=self.max_iter,
            positive=self.positive,
            n_free=int(shrink_all),
        )
        if shrink_all:
            solution.intercept, solution.coef = solution.coef[:, -1], solution.coef[:, :-1]
        self.n_iter_, self.solver_ = solution.n_iter, solution.solver
        return solution

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def coef_shape(coef, intercept, y_ndim, fit_intercept, dtype):
    """`coef_` and `intercept_` in scikit-learn's shapes: (p,) and a number for one target."""
    require_finite(coef, intercept)
    coef = np.ascontiguousarray(coef, dtype=dtype)
    if coef.shape[0] == 1:
        coef = coef[0]
    if not fit_intercept:
        return coef, 0.0
    intercept = np.asarray(intercept, dtype=dtype)
    return coef, intercept[0] if y_ndim == 1 else intercept


class Ridge(StatisticsMixin, RidgeFit, LinearRegressorMixin, MultiOutputMixin, BaseEstimator):
    r"""Ridge regression: least squares with an L2 penalty on the slopes.

    Minimises over slopes w and an unpenalised intercept b, with weights s_i (1 by default),

    .. math:: \sum_i s_i (y_i - b - x_i^\top w)^2 + \lambda \lVert w \rVert_2^2

    The loss is a weighted sum without a factor 1/2. With ``penalty_scale="half_rss"`` the loss is halved, so that
    :math:`\lambda = 2\,\alpha`.

    Parameters
    ----------
    alpha : float or array-like of shape (n_targets,), default=1.0
        Strength of the penalty, non-negative; an array specifies one value per target. 0 is least squares (the
        minimum-norm solution if the columns are linearly dependent).
    fit_intercept : bool, default=True
        Fit an intercept. It is not penalised unless `penalize_intercept` is set.
    copy_X : bool, default=True
        Accepted for compatibility; X is never overwritten.
    max_iter : int or None, default=None
        Maximum number of iterations of the iterative solvers. None means ten times the smaller dimension of X but at
        least 1000 (conjugate gradients), or 15,000 (L-BFGS-B).
    tol : float, default=1e-4
        Iterative solvers stop when the norm of the gradient is at most `tol` times its value at w = 0. The exact
        solvers ignore it.
    solver : {"auto", "svd", "cholesky", "dual", "lsqr", "sparse_cg", "sag", "saga", "lbfgs"}, default="auto"
        - "auto": "dual" for dense X with more columns than rows, else "cholesky"; conjugate gradients for sparse X
          with more than 1000 columns; with ``positive=True`` an exact pivoting method.
        - "cholesky": one pass over the rows for the p x p cross-products (an additive statistic), then a Cholesky
          factorisation; uses the SVD if the factor is too ill-conditioned (see ``solver_``).
        - "dual": solves the n x n system for the dual variables.
        - "svd": singular value decomposition of the centred X; the most robust, dense X only.
        - "lsqr", "sparse_cg", "sag", "saga": conjugate gradients for least squares on X itself. The names are those of
          scikit-learn; all four use the same deterministic algorithm, which needs no step size.
        - "lbfgs": L-BFGS-B, for ``positive=True`` only.
    positive : bool, default=False
        Restrict the slopes to be non-negative.
    random_state : int, RandomState or None, default=None
        Accepted for compatibility. No solver is random.
    penalty_scale : {"sklearn", "half_rss", "rss"}, default="sklearn"
        Objective that `alpha` refers to: RSS + alpha ‖w‖² ("sklearn", "rss") or RSS/2 + alpha ‖w‖² ("half_rss").
    penalize_intercept : bool, default=False
        Penalise the intercept like a slope, as in textbooks that include a column of ones in X.
    prior_coef : array-like of shape (n_features,) or (n_targets, n_features), or None, default=None
        Slopes :math:`w_0` of a source model. The penalty becomes :math:`\lambda \lVert w - w_0 \rVert_2^2`, so that the
        fit shrinks towards the source instead of zero (transfer learning). Not with ``positive=True``.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
    intercept_ : float or ndarray of shape (n_targets,)
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Dual variables a with w = Σ a_i (x_i - mean), plus `prior_coef` if given: the residuals divided by lambda for
        every solver. Without weights, :math:`a = (X X^\top + \lambda I)^{-1} y` on centred data. Not set with
        ``positive=True``.
    n_iter_ : ndarray of shape (n_targets,) or None
        Iterations of an iterative solver.
    solver_ : str
        The solver that was used.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    Notes
    -----
    Cost: "cholesky" O(n p² + p³/3), "dual" O(n² p + n³/3), "svd" O(n p min(n, p)) with a larger constant, conjugate
    gradients O(nnz) per iteration.

    Standardise the columns first, because the penalty depends on the units of the coefficients. Use
    :func:`convert_penalty` to compare `alpha` across objectives. Standard errors of a penalised fit ignore its bias;
    see :func:`ridge_moments` for bias and covariance under known true slopes.

    References
    ----------
    Hoerl, A. E. & Kennard, R. W. (1970). Ridge regression: biased estimation for nonorthogonal problems.
    Technometrics 12, 55-67.

    Hastie, T., Tibshirani, R. & Friedman, J. (2009). The Elements of Statistical Learning, section 3.4.1.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.linear import Ridge
    >>> X = np.array([[17, 51], [17, 49], [14, 38], [17, 58], [14, 51], [20, 40]])
    >>> y = np.array([56.5, 57.6, 55.9, 61.8, 63.0, 54.6])
    >>> model = Ridge(alpha=10).fit(X, y)
    >>> model.coef_.round(4), round(model.intercept_, 4)
    (array([-0.4807,  0.3239]), np.float64(50.672))
    """

    _constraints = RIDGE_CONSTRAINTS | {"prior_coef": ["array-like", None]}

    def __init__(
        self,
        alpha=1.0,
        *,
        fit_intercept=True,
        copy_X=True,
        max_iter=None,
        tol=1e-4,
        solver="auto",
        positive=False,
        random_state=None,
        penalty_scale="sklearn",
        penalize_intercept=False,
        prior_coef=None,
    ):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.solver = solver
        self.positive = positive
        self.random_state = random_state
        self.penalty_scale = penalty_scale
        self.penalize_intercept = penalize_intercept
        self.prior_coef = prior_coef

    def fit(self, X, y, sample_weight=None):
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : float or array-like of shape (n_samples,) or None, default=None
            Weight k counts as k copies of the row.

        Returns
        -------
        self : Ridge
        """
        check_params(self)
        X, y = validate_data(self, X, y, accept_sparse=SPARSE_FORMATS, dtype=FLOATS, multi_output=True, y_numeric=True)
        weights = check_weights(sample_weight, X)
        Y = y.reshape(len(y), -1)
        prior = check_prior_coef(self.prior_coef, Y.shape[1], X.shape[1])
        if prior is not None and self.positive:
            raise ValueError("`prior_coef` must be None with positive=True: the difference from it can be negative.")
        solution = self._fit_targets(X, Y if prior is None else Y - X @ prior.T, weights)
        if prior is not None:
            solution.coef = solution.coef + prior
        self.coef_, self.intercept_ = coef_shape(solution.coef, solution.intercept, y.ndim, self.fit_intercept, X.dtype)
        forget(self, "dual_coef_")
        if solution.dual is not None:
            self.dual_coef_ = (solution.dual[:, 0] if y.ndim == 1 else solution.dual).astype(X.dtype)
        return self

    _statistics_kind = "least squares"

    def _site_statistics(self, X, y, sample_weight):
        from statlearn.linear import LinearRegression

        return LinearRegression(fit_intercept=self.fit_intercept).statistics(X, y, sample_weight)

    def _fit_statistics(self, statistics):
        statistic = statistics.least_squares()
        if statistic.intercept != bool(self.fit_intercept):
            raise ValueError(
                f"`fit_intercept`={self.fit_intercept} differs from that of the statistics, {statistic.intercept}."
            )
        if self.penalize_intercept:
            raise ValueError("`penalize_intercept` must be False for statistics, which are about the means.")
        # The rows of the triangular factor have the same cross-products as all rows about their means.
        A, B = statistic.design, statistic.targets
        least = A.shape[1] + 1 - len(A)
        A, B = (np.pad(part, ((0, max(least, 0)), (0, 0))) for part in (A, B))
        flat = statistics.arrays["target_dim"] == 1
        inner = clone(self).set_params(fit_intercept=False).fit(A, B[:, 0] if flat else B)
        mean_x, mean_y = statistic.means
        self.coef_, self.n_iter_, self.solver_ = inner.coef_, inner.n_iter_, inner.solver_
        intercept = mean_y - np.atleast_2d(self.coef_) @ mean_x
        self.intercept_ = (float(intercept[0]) if flat else intercept) if self.fit_intercept else 0.0

    def summary(self):
        """Not available: standard errors of a penalised fit are not valid.

        Raises
        ------
        ValueError
        """
        raise ValueError(
            "Ridge has no coefficient table: the penalty biases the coefficients, so standard errors and p-values "
            "computed from them are not valid. Use LinearRegression.summary() for the unpenalised fit, ridge_moments "
            "for bias and covariance under known true slopes, or BayesianRidge for a posterior."
        )
