"""Ordinary least squares with inference."""

from typing import Any

import numpy as np
from scipy import sparse, special
from sklearn.base import BaseEstimator, MultiOutputMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.fitted_state import forget
from statlearn._core.jobs import jobs
from statlearn._core.params import Int, Options, Real, check_arguments, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.validation import FLOATS, check_weights, require_finite, require_finite_table, validate_data
from statlearn._core.warnings import MAX_ITER, OK, RankWarning, warn, warn_if_stopped
from statlearn._math.rows.least_squares import (
    LeastSquaresStatistic,
    prefers_cross_products,
    refine,
    worth_refining,
)
from statlearn._math.rows.site_statistics import StatisticsMixin, column_names, of_least_squares
from statlearn.linear._base import LinearRegressorMixin, linear_scores, term_names

from ._inference import WEIGHTS, LeastSquaresInference
from ._solvers import design_singular_values, gradient_descent, non_negative

# A sparse X up to this many entries is solved as a dense one; above, cross-products serve up to this many columns,
# and an iterative solver beyond.
DENSE_SIZE = 2**22
GRAM_WIDTH = 3000
# A factor larger than this is kept only where it is smaller than the data it came from.
KEPT_SIZE = 2**20


class LinearRegression(StatisticsMixin, LeastSquaresInference, MultiOutputMixin, LinearRegressorMixin, BaseEstimator):
    r"""Ordinary least squares with standard errors, tests and intervals.

    Minimises over slopes w and intercept b the weighted residual sum of squares

    .. math:: \sum_i s_i \lVert y_i - b - W^\top x_i \rVert^2

    This is a sum without a factor 1/2 and without a penalty. Each column of a two-dimensional y is fitted separately.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether to fit an intercept.
    copy_X : bool, default=True
        If False, a float64 X with no more rows than columns may be overwritten. Data with more rows than columns are
        never copied as a whole.
    tol : float, default=1e-6
        A column is treated as linearly dependent if the others explain all but this fraction of its (centred) norm.
        For the iterative solvers it is the stopping tolerance: ``solver="gd"`` stops when no entry of the gradient,
        with columns scaled to unit norm, exceeds ``tol`` times the norm of y; large sparse problems use LSQR's rule.
    n_jobs : int or None, default=None
        Maximum number of threads for computing cross-products; None and -1 mean all available to the process.
    positive : bool, default=False
        Restrict the slopes to be non-negative (dense X only). `summary` is then not available.
    solver : {"auto", "qr", "cholesky", "normal", "svd", "gd"}, default="auto"
        All solvers agree up to rounding, as far as the conditioning of X permits.

        - "auto": "cholesky" for large tall data, "qr" otherwise;
        - "qr": orthogonal factorisation of the data, with pivoting if the rank is in doubt. Cost about 2np²;
        - "cholesky": cross-products in one pass over X (np²), factorised with columns scaled to unit norm. Depending on
          the estimated condition number, it is followed by one step of iterative refinement or replaced by "qr";
        - "normal": the normal equations X'X b = X'y solved directly, for comparison (replaced by "qr" if they are
          numerically singular);
        - "svd": rank by singular values;
        - "gd": gradient descent, with its trace in `history_`.
    on_singular : {"min_norm", "drop"}, default="min_norm"
        Treatment of linearly dependent columns, for which the coefficients are not unique. "min_norm" returns the
        coefficients of smallest norm. "drop" returns NaN for every column that depends on earlier columns, as R does.
        Both give the same predictions for rows like the training rows.
    max_iter : int, default=10000
        Maximum number of steps of the iterative solvers.
    step : float or None, default=None
        Step length of ``solver="gd"``; None means 1/L, with L the Lipschitz constant of the gradient.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
    intercept_ : float or ndarray of shape (n_targets,)
    rank_ : int
        Numerical rank of X, centred if there is an intercept. Not set for large sparse X or ``positive=True``.
    aliased_ : ndarray of int
        Columns that are linear combinations of earlier columns (and of the intercept, if there is one). Without them,
        X has full rank.
    singular_ : ndarray of shape (min(n_samples, n_features),)
        Singular values of X, centred and weighted.
    rss_ : float or ndarray of shape (n_targets,)
        Weighted residual sum of squares.
    statistic_ : LeastSquaresStatistic or None
        Triangular factor of the data, used by inference and `partial_fit`. None if it would be as large as the data
        (wide X) or was never formed (large sparse X).
    history_ : ndarray
        Sum of squares before each step. Only with ``solver="gd"``.
    n_iter_ : int
        Steps of an iterative solver; 1 for the direct ones.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined when X has string column names.

    See Also
    --------
    RecursiveLeastSquares : Update the fit row by row.
    influence : Leverage, studentised residuals, Cook's distance.

    Notes
    -----
    With more rows than columns, dependent columns cause a `RankWarning` that names them. With no more rows than
    columns, dependence is expected: the minimum-norm solution interpolates the data and no warning is issued. `rank_`
    and `aliased_` describe the dependence.

    An integer weight stands for that many copies of the row, so `summary` counts observations by the sum of the
    weights. ``summary(weights="precision")`` treats them as inverse variances, as ``lm(weights=)`` in R does. The
    coefficients are the same.

    `partial_fit` fits data that arrive in blocks, in O(p²) memory, with the same result as `fit` on all rows.

    Standard errors assume columns chosen in advance and errors of equal variance (``cov="HC3"`` drops the latter
    assumption). After variable selection they are too small. K dummy columns together with an intercept are linearly
    dependent, so drop one level.

    References
    ----------
    Golub and Van Loan, *Matrix Computations*, 4th ed., chapter 5. MacKinnon and White (1985), Some
    heteroskedasticity-consistent covariance matrix estimators, *Journal of Econometrics* 29.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.linear import LinearRegression
    >>> X = np.array([[17, 51], [17, 49], [14, 38], [17, 58], [14, 51], [20, 40]])
    >>> y = np.array([56.5, 57.6, 55.9, 61.8, 63.0, 54.6])
    >>> model = LinearRegression().fit(X, y)
    >>> model.coef_.round(4)
    array([-0.668,  0.333])
    >>> model.summary()["std_error"].round(4)
    array([9.3128, 0.4155, 0.1248])
    """

    statistic_: Any  # None if it was not kept; `_inference` then raises

    _constraints = {
        "fit_intercept": ["boolean"],
        "copy_X": ["boolean"],
        "tol": [Real(0, None)],
        "n_jobs": [None, Int()],
        "positive": ["boolean"],
        "solver": [Options("auto", "qr", "cholesky", "normal", "svd", "gd")],
        "on_singular": [Options("min_norm", "drop")],
        "max_iter": [Int(1, None)],
        "step": [None, Real(0, None, closed="neither")],
    }
    _search_space = SearchSpace("least squares")

    def __init__(
        self,
        *,
        fit_intercept=True,
        copy_X=True,
        tol=1e-6,
        n_jobs=None,
        positive=False,
        solver="auto",
        on_singular="min_norm",
        max_iter=10_000,
        step=None,
    ):
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.tol = tol
        self.n_jobs = n_jobs
        self.positive = positive
        self.solver = solver
        self.on_singular = on_singular
        self.max_iter = max_iter
        self.step = step

    # ------------------------------------------------------------------------------------------------ fitting

    def fit(self, X, y, sample_weight=None):
        """Fit to the data.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : array-like of shape (n_samples,), float or None, default=None
            Weight k stands for k copies of a row, 0 for its absence.

        Returns
        -------
        self
        """
        X, y, weights = self._check_data(X, y, sample_weight, reset=True)
        forget(self, "rank_", "aliased_", "_singular", "history_")
        if sparse.issparse(X) and X.shape[0] * X.shape[1] <= DENSE_SIZE:
            X = X.toarray()
        with jobs(self.n_jobs):
            statistic = self._statistic_of(X, y, weights, overwrite=not self.copy_X)
        if statistic is None:
            self._fit_iteratively(X, y, weights)
        else:
            self._solve(statistic, y.ndim, X.dtype, (X, y, weights))
        return self

    def partial_fit(self, X, y, sample_weight=None):
        """Update the fit with more rows, in addition to those of earlier calls of `fit` and `partial_fit`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : array-like of shape (n_samples,), float or None, default=None

        Returns
        -------
        self
        """
        first = not hasattr(self, "n_features_in_")
        if not first and self.statistic_ is None:
            raise ValueError(
                "partial_fit cannot continue from this fit: a wide or large sparse X leaves no statistic to update. "
                "Use partial_fit from the first block on."
            )
        X, y, weights = self._check_data(X, y, sample_weight, reset=first)
        if sparse.issparse(X) and X.shape[0] * X.shape[1] <= DENSE_SIZE:
            X = X.toarray()
        statistic = self._statistic_of(X, y, weights)
        if statistic is None:
            raise ValueError("X: the sparse block is too large for partial_fit; pass fewer rows, or a dense array.")
        data: tuple | None = (X, y, weights)
        if not first:
            n_targets = 1 if np.ndim(self.intercept_) == 0 and self.coef_.ndim == 1 else len(self.coef_)
            if (y.ndim == 1) != (self.coef_.ndim == 1) or y.reshape(len(y), -1).shape[1] != n_targets:
                raise ValueError(f"y must have {n_targets} target(s) and as many dimensions as in the first block.")
            statistic, data = self.statistic_.merge(statistic), None
        forget(self, "_singular")
        self._solve(statistic, y.ndim, X.dtype, data, keep=True)
        return self

    _statistics_kind = "least squares"

    def _site_statistics(self, X, y, sample_weight):
        X, y, weights = self._check_data(X, y, sample_weight, reset=True)
        if sparse.issparse(X) and X.shape[0] * X.shape[1] <= DENSE_SIZE:
            X = X.toarray()
        statistic = self._statistic_of(X, y, weights)
        if statistic is None:
            raise ValueError("X: a sparse X of this size leaves no statistic; pass a dense array.")
        return of_least_squares(statistic, columns=column_names(self), target_dim=y.ndim)

    def _fit_statistics(self, statistics):
        statistic = statistics.least_squares()
        if statistic.intercept != bool(self.fit_intercept):
            raise ValueError(
                f"`fit_intercept`={self.fit_intercept} differs from that of the statistics, {statistic.intercept}."
            )
        self._solve(statistic, int(statistics.arrays["target_dim"]), np.float64, None, keep=True)

    def _check_data(self, X, y, sample_weight, reset):
        check_params(self)
        X, y = validate_data(
            self,
            X,
            y,
            accept_sparse=False if self.positive else ["csr", "csc"],
            dtype=FLOATS,
            y_numeric=True,
            multi_output=True,
            # Where cross-products are formed, they show non-finite values, which saves a pass over X.
            ensure_all_finite=False,
            reset=reset,
        )
        return X, np.asarray(y, dtype=X.dtype), check_weights(sample_weight, X)

    def _statistic_of(self, X, y, weights, overwrite=False):
        """The statistic of a block, after checking that X is finite; None if only an iterative solver can be used."""
        how = {"fit_intercept": self.fit_intercept}
        if sparse.issparse(X):
            require_finite_table(self, X)
            n, p = X.shape
            return LeastSquaresStatistic.from_block(X, y, weights, route="gram", **how) if n > p <= GRAM_WIDTH else None
        route = {"cholesky": "gram", "normal": "gram", "auto": "auto"}.get(self.solver, "qr")
        if route == "auto":
            route = "gram" if prefers_cross_products(*X.shape) else "qr"
        if route == "gram":
            statistic = LeastSquaresStatistic.from_block(X, y, weights, route="gram", **how)
            if statistic is not None:
                if weights is not None and not weights.all():  # rows without weight do not enter the cross-products
                    require_finite_table(self, X[weights == 0.0])
                return statistic
        require_finite_table(self, X)
        return LeastSquaresStatistic.from_block(X, y, weights, route="qr", overwrite=overwrite, **how)

    def _solve(self, statistic, y_dim, dtype, data, *, keep=False):
        """Set the fitted attributes from a statistic; `data` (X, y, weights) is used for iterative refinement."""
        p = statistic.n_features
        self.n_iter_ = 1
        if self.positive:
            solution = non_negative(statistic, self.max_iter)
        else:
            method = self.solver if self.solver in ("svd", "normal") else "qr"
            solution = statistic.solve(tol=self.tol, method=method, on_singular=self.on_singular)
            self.rank_, self.aliased_ = solution.rank, solution.aliased
            if self.solver == "gd":
                coef, self.history_, self.n_iter_, status = gradient_descent(
                    statistic, step=self.step, tol=self.tol, max_iter=self.max_iter
                )
                solution.coef = coef
                with np.errstate(over="ignore", invalid="ignore"):  # after a divergence
                    solution.rss = np.sum((statistic.targets - statistic.design @ coef) ** 2, axis=0)
                warn_if_stopped(
                    self, status, f"sum of squares {self.history_[-1]:.6g} after {self.n_iter_} steps",
                    remedy="Increase max_iter, raise tol, or lower step; solver='qr' needs no iteration.",
                )  # fmt: skip
            elif data is not None and self.solver != "normal" and worth_refining(statistic, solution):
                X, y, weights = data
                refine(statistic, solution, X, y.reshape(len(y), -1), weights)
            if solution.rank < p < statistic.n_rows and not statistic.only_intercept_repeated(solution.aliased):
                names = term_names(self, intercept=False)
                listed = ", ".join(names[j] for j in solution.aliased[:8]) + (", ..." if p - solution.rank > 8 else "")
                treatment = {
                    "min_norm": "the solution with the smallest norm is returned; on_singular='drop' sets these "
                    "columns to NaN",
                    "drop": "these columns get the coefficient NaN, which counts as 0 in predictions",
                }[self.on_singular]
                warn(
                    f"Columns of X are linearly dependent (rank {solution.rank} of {p}): {listed} can be computed from "
                    f"earlier columns{' and the intercept' if self.fit_intercept else ''}. Their coefficients are "
                    f"not unique: {treatment}. Remove these columns, or use Ridge.",
                    RankWarning,
                )
        keep = keep or statistic.n_rows > p or statistic.R.size <= KEPT_SIZE
        self.statistic_ = statistic if keep else None
        if not keep:
            self._singular = design_singular_values(statistic)
        mean_x, mean_y = statistic.means
        self._set_coefficients(solution.coef, mean_x, mean_y, y_dim, dtype)
        self.rss_ = solution.rss if y_dim == 2 else float(solution.rss[0])

    def _set_coefficients(self, coef, mean_x, mean_y, y_dim, dtype):
        intercept = mean_y - mean_x @ np.nan_to_num(coef)
        with np.errstate(over="ignore"):
            coef, intercept = coef.T.astype(dtype), intercept.astype(dtype)
        if self.on_singular == "drop":  # dropped columns are NaN
            require_finite(coef[:, ~np.isnan(coef).all(axis=0)], intercept)
        else:
            require_finite(coef, intercept)
        self.coef_ = np.ascontiguousarray(coef) if y_dim == 2 else coef[0].copy()
        if self.fit_intercept:
            self.intercept_ = intercept if y_dim == 2 else intercept[0]
        else:
            self.intercept_ = 0.0

    def _fit_iteratively(self, X, y, weights):
        """LSQR on a sparse X, centred and weighted on the fly."""
        from scipy.sparse.linalg import LinearOperator, lsqr

        Y = y.reshape(X.shape[0], -1).astype(np.float64)
        w = np.ones(X.shape[0]) if weights is None else weights.astype(np.float64)
        root = np.sqrt(w)
        if self.fit_intercept:
            mean_x, mean_y = (w @ X) / w.sum(), (w @ Y) / w.sum()
        else:
            mean_x, mean_y = np.zeros(X.shape[1]), np.zeros(Y.shape[1])
        Xt = X.T.tocsr()
        centred = LinearOperator(
            shape=X.shape,
            matvec=lambda b: root * (X @ b.ravel() - mean_x @ b.ravel()),
            rmatvec=lambda r: Xt @ (root * r.ravel()) - mean_x * (root @ r.ravel()),
            dtype=np.float64,
        )
        columns, rss, steps, status = [], [], 0, OK
        for target in (root[:, None] * (Y - mean_y)).T:
            b, stopped, n_iter, norm = lsqr(
                centred, target, atol=self.tol, btol=self.tol, conlim=0.0, iter_lim=self.max_iter
            )[:4]
            columns.append(b)
            rss.append(norm**2)
            steps = max(steps, n_iter)
            status = MAX_ITER if stopped == 7 else status
        self.n_iter_ = max(1, steps)
        warn_if_stopped(self, status, f"the residual was still changing after {steps} LSQR steps")
        self.statistic_ = None
        self._set_coefficients(np.column_stack(columns), mean_x, mean_y, y.ndim, X.dtype)
        self.rss_ = np.array(rss) if y.ndim == 2 else float(rss[0])

    @property
    def singular_(self):
        """Singular values of X, centred and weighted."""
        check_is_fitted(self)
        if "_singular" not in vars(self):
            if self.statistic_ is None or self.positive:
                raise AttributeError("singular_ is not available for large sparse X or with positive=True.")
            self._singular = design_singular_values(self.statistic_)
        return self._singular

    # ------------------------------------------------------------------------------------------------ predicting

    def _mean(self, X):
        """Predictions for rows that are already validated."""
        coef = np.nan_to_num(self.coef_) if self.on_singular == "drop" else self.coef_
        return linear_scores(X, coef, self.intercept_)

    def predict(self, X, return_std=False, *, kind="confidence", weights="frequency"):
        """Predicted values, optionally with standard errors.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        return_std : bool, default=False
            Also return standard errors (not for sparse X).
        kind : {"confidence", "prediction"}, default="confidence"
            Standard error of the mean response, s sqrt(x'(X'X)⁻¹x), or of a new observation, s sqrt(1 + x'(X'X)⁻¹x).
        weights : {"frequency", "precision"}, default="frequency"
            Meaning of the training weights, see `summary`. A new observation has weight 1.

        Returns
        -------
        mean : ndarray of shape (n_samples,) or (n_samples, n_targets)
        std : ndarray of the same shape
            Only with ``return_std=True``.
        """
        check_is_fitted(self)
        accept = False if return_std else self._accept_sparse
        X = validate_data(self, X, dtype=FLOATS, accept_sparse=accept, reset=False)
        mean = self._mean(X)
        if not return_std:
            return mean
        check_arguments(
            "predict",
            kind=(kind, [Options("confidence", "prediction")]),
            weights=(weights, [Options(*WEIGHTS)]),
        )
        inference = self._inference(weights)
        if not inference.df > 0:
            raise ValueError(
                "Standard errors are not available: the fit has no residual degrees of freedom "
                f"({inference.n:g} observations, {inference.n_terms} coefficients)."
            )
        spread = self.statistic_.unit_variance(X, self._kept) + (1.0 if kind == "prediction" else 0.0)
        std = np.sqrt(np.multiply.outer(spread, inference.variance))
        return mean, std if self.coef_.ndim == 2 else std[:, 0]

    def predict_interval(self, X, level=0.95, *, kind="confidence", weights="frequency"):
        """Confidence or prediction intervals, under Gaussian errors of equal variance.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        level : float, default=0.95
            Coverage probability of each interval.
        kind : {"confidence", "prediction"}, default="confidence"
            For the mean response at x, or for a new observation there.
        weights : {"frequency", "precision"}, default="frequency"
            Meaning of the training weights, see `summary`.

        Returns
        -------
        lower, upper : ndarrays of the shape of `predict`
        """
        check_arguments("predict_interval", level=(level, [Real(0, 1, closed="neither")]))
        mean, std = self.predict(X, return_std=True, kind=kind, weights=weights)
        half = special.stdtrit(self._inference(weights).df, 0.5 + level / 2) * std
        return mean - half, mean + half

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not self.positive
        return tags
