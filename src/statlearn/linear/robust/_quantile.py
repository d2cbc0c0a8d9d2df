"""Quantile regression and least absolute deviations, solved exactly as linear programs."""

from numbers import Real as RealNumber

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Instance, Int, InvalidParameterError, Options, Real, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.summary import Summary, Table
from statlearn._core.validation import FLOATS, check_weights, validate_data
from statlearn._core.warnings import warn_if_stopped
from statlearn._math.linalg.quantiles import weighted_quantile
from statlearn.linear._base import LinearRegressorMixin

from ._m_estimation import (
    coefficient_table,
    coefficient_vector,
    drop_dependent,
    prepare,
    require_covariance,
    spread,
    warn_rank,
    weighted_least_squares,
)
from ._quantile_covariance import quantile_covariance
from ._quantile_problem import QuantileDesign, QuantileFit

# scikit-learn's solver names, which select implementations of the same linear program; here there is one.
_SOLVERS = ("highs", "highs-ds", "highs-ipm", "interior-point", "revised simplex")
# Options of scipy.optimize.linprog's HiGHS solvers; only maxiter and tol have an effect here.
_LINPROG_OPTIONS = frozenset(
    {
        "maxiter",
        "tol",
        "disp",
        "presolve",
        "time_limit",
        "dual_feasibility_tolerance",
        "primal_feasibility_tolerance",
        "ipm_optimality_tolerance",
        "simplex_dual_edge_weight_strategy",
    }
)


def pinball(residual, quantile, weights=None):
    """Weighted mean of quantile * r for r > 0 and (quantile - 1) * r for r < 0."""
    return np.average(np.where(residual > 0, quantile * residual, (quantile - 1) * residual), weights=weights)


class QuantileRegressor(LinearRegressorMixin, BaseEstimator):
    r"""Quantile regression with an L1 penalty.

    Minimises over slopes w and an unpenalised intercept b, with S the sum of the weights s_i,

    .. math:: \frac{1}{S} \sum_i s_i\, \rho_\tau(y_i - b - x_i^\top w) + \alpha \lVert w \rVert_1,
        \qquad \rho_\tau(r) = \tau\, r_+ + (1 - \tau)\, (-r)_+

    The loss is a weighted mean. The solution is a vertex of the linear program, so the number of residuals (or
    penalised coefficients) that are zero up to rounding equals the number of free coefficients.

    Parameters
    ----------
    quantile : float or array-like of floats, default=0.5
        The quantile(s) to predict, each strictly between 0 and 1. With several, `coef_` has one row and `predict` one
        column per quantile.
    alpha : float, default=1.0
        Weight of the L1 penalty. The default is that of scikit-learn; ``alpha=0`` is the quantile regression of the
        textbooks and of R's ``quantreg::rq``. Standard errors are available for ``alpha=0`` only.
    fit_intercept : bool, default=True
        Whether to fit an intercept.
    solver : {"highs", "highs-ds", "highs-ipm", "interior-point", "revised simplex"}, default="highs"
        scikit-learn's names, accepted for compatibility. All of them use the solver described in the Notes.
    solver_options : dict or None, default=None
        ``maxiter`` is the maximum number of interior-point iterations (default 200), and ``tol`` the gap relative to
        the objective at which the vertex search starts (default 1e-8). Other options of
        :func:`scipy.optimize.linprog` are accepted but have no effect.
    inference : {"iid", "nid", "ker"} or None, default="iid"
        Covariance estimate of the coefficients with ``alpha=0``. "iid" assumes identically distributed errors (cheap);
        "nid" and "ker" allow the density of the errors to depend on x ("nid" costs two more fits).

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_quantiles, n_features)
    intercept_ : float or ndarray of shape (n_quantiles,)
    basis_ : list of int, or a list of these
        Training rows that are fitted exactly.
    loss_ : float or list of float
        Mean pinball loss on the training data, without the penalty.
    r1_ : float or list of float
        1 - loss / loss of the best constant (Koenker & Machado, 1999); without an intercept, relative to the constant
        0.
    covariance_ : ndarray of shape (q, q), list of these, str or None
        Covariance of the intercept (if any) and the coefficients, or the reason why it is not available.
    n_iter_ : int or list of int
        Number of interior-point iterations.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    Notes
    -----
    The Frisch-Newton interior-point method forms one weighted cross-product of X per iteration, O(n p^2), and needs 10
    to 30 iterations whatever n. The rows whose dual variables lie strictly inside their bounds then determine a vertex,
    whose optimality is checked exactly. In the rare case that it is not optimal, simplex steps with an exact line
    search follow.

    If the optimum is not unique, any vertex of the optimal face may be returned. Different quantiles are fitted
    separately, so the lines may cross away from the centre of the data. Linearly dependent columns get a coefficient of
    0 and cause a `RankWarning` if ``alpha=0``. Standardise the columns before using ``alpha > 0``.

    References
    ----------
    R. Koenker, *Quantile Regression*, Cambridge University Press, 2005.
    S. Portnoy and R. Koenker, "The Gaussian hare and the Laplacian tortoise", Statistical Science 12 (1997).

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.linear import QuantileRegressor
    >>> X = np.arange(8.0)[:, None]
    >>> y = np.array([1.0, 2.0, 3.0, 9.0, 5.0, 6.0, 12.0, 8.0])
    >>> model = QuantileRegressor(quantile=[0.5, 0.9], alpha=0).fit(X, y)
    >>> model.predict([[2.0]]).round(2)
    array([[3., 8.]])
    """

    _constraints = {
        "quantile": [Real(0, 1, closed="neither"), "array-like"],
        "alpha": [Real(0, None)],
        "fit_intercept": ["boolean"],
        "solver": [Options(*_SOLVERS)],
        "solver_options": [Instance(dict), None],
        "inference": [Options("iid", "nid", "ker"), None],
    }
    _accept_sparse = ("csr", "csc", "coo")
    _search_space = SearchSpace("median regression, L1", grid={"alpha": (1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 0.0)})

    def __init__(
        self, *, quantile=0.5, alpha=1.0, fit_intercept=True, solver="highs", solver_options=None, inference="iid"
    ):
        self.quantile = quantile
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.solver_options = solver_options
        self.inference = inference

    def _levels(self):
        if isinstance(self.quantile, RealNumber):
            return [float(self.quantile)]
        levels = np.asarray(self.quantile)
        valid = levels.ndim == 1 and levels.size > 0 and levels.dtype.kind in "fiu"
        if not valid or not np.all((levels > 0) & (levels < 1)):
            raise InvalidParameterError(
                "The 'quantile' parameter of QuantileRegressor must be a float in the range (0.0, 1.0) or a list of "
                f"these. Got {self.quantile!r} instead."
            )
        return [float(level) for level in levels]

    def _solver_options(self):
        options = dict(self.solver_options or {})
        unknown = sorted(set(options) - _LINPROG_OPTIONS)
        if unknown:
            raise ValueError(f"solver_options contains unknown option(s) {unknown}; use 'maxiter' and 'tol'.")
        return float(options.get("tol", 1e-8)), int(options.get("maxiter", 200))

    def fit(self, X, y, sample_weight=None):
        """Fit one linear model per quantile.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        self
        """
        check_params(self)
        levels = self._levels()
        tol, max_iter = self._solver_options()
        fits, X, y, weights = _fit_quantiles(self, X, y, sample_weight, levels, self.alpha, tol, max_iter)
        dtype = X.dtype
        several = not isinstance(self.quantile, RealNumber)

        def shape(values):
            return values if several else values[0]

        losses, r1s, covariances = [], [], []
        for tau, fit in zip(levels, fits):
            loss = pinball(y - (X @ fit.coef + fit.intercept), tau, weights)
            constant = weighted_quantile(y, weights, tau) if self.fit_intercept else 0.0
            worst = pinball(y - constant, tau, weights)
            losses.append(float(loss))
            r1s.append(float(1 - loss / worst) if worst > 0 else float("nan"))
            covariances.append(self._covariance(X, y, fit, tau, weights))
        self.coef_ = np.stack([fit.coef for fit in fits]).astype(dtype) if several else fits[0].coef.astype(dtype)
        self.intercept_ = np.array([fit.intercept for fit in fits]).astype(dtype) if several else fits[0].intercept
        self.basis_ = shape([fit.basis.tolist() for fit in fits])
        self.loss_, self.r1_ = shape(losses), shape(r1s)
        self.n_iter_ = shape([fit.n_iter for fit in fits])
        self.covariance_ = shape(covariances)
        self._n_rows = float(weights.sum())
        return self

    def _covariance(self, X, y, fit, tau, weights):
        if self.alpha > 0:
            return "the coefficients are penalised (alpha > 0); refit with alpha=0"
        if self.inference is None:
            return "inference=None; refit with inference='iid', 'nid' or 'ker'"
        return quantile_covariance(X, y, fit, tau, self.fit_intercept, self.inference, weights)

    def summary(self, *, level=0.95):
        """Coefficient table with standard errors, t tests and confidence limits, as in R's quantreg.

        Parameters
        ----------
        level : float, default=0.95
            Confidence level of the intervals.

        Returns
        -------
        Summary
        """
        check_is_fitted(self)
        levels = self._levels()
        several = not isinstance(self.quantile, RealNumber)
        coefs, intercepts = np.atleast_2d(self.coef_), np.atleast_1d(self.intercept_)
        covariances = self.covariance_ if several else [self.covariance_]
        df = self._n_rows - coefs.shape[1] - int(self.fit_intercept)
        tables = []
        for coef, intercept, covariance in zip(coefs, intercepts, covariances):
            beta = (np.append(intercept, coef) if self.fit_intercept else coef).astype(float)
            tables.append(coefficient_table(self, beta, require_covariance(self, covariance), level, df=df))
        table = tables[0]
        if several:
            rows = [f"{row} [{tau:g}]" for tau, part in zip(levels, tables) for row in part.rows]
            columns = {key: np.concatenate([part.columns[key] for part in tables]) for key in table.columns}
            table = Table(rows, columns)
        facts = {
            "n": int(self._n_rows), "quantile": levels if several else levels[0], "df": df, "se": self.inference,
            "loss": self.loss_, "r1": self.r1_,
        }  # fmt: skip
        labels = {"n": "observations"}
        if not several:
            labels |= {"quantile": "quantile", "loss": "mean pinball loss", "r1": "R1"}
        kinds = {
            "iid": "Standard errors assume identically distributed errors; inference='nid' drops this assumption.",
            "nid": "Standard errors allow the error density to depend on x (Hendricks-Koenker sandwich).",
            "ker": "Standard errors allow the error density to depend on x (Powell's kernel sandwich).",
        }
        return Summary(
            "Quantile regression", table, facts, {**labels, "df": "residual df"}, [], [kinds[self.inference]]
        )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _fit_quantiles(estimator, X, y, sample_weight, levels, alpha, tol, max_iter):
    """Validate, solve for each quantile and warn; returns the fits and the rows of positive weight."""
    X, y = validate_data(
        estimator, X, y, dtype=FLOATS, accept_sparse=["csr", "csc", "coo"], accept_large_sparse=False, y_numeric=True
    )
    weights = check_weights(sample_weight, X)
    rows = np.arange(X.shape[0]) if weights is None else np.flatnonzero(weights)
    weights = np.ones(X.shape[0]) if weights is None else weights[rows].astype(np.float64)
    if sparse.issparse(X):
        X = X.tocsr()
    if rows.size < X.shape[0]:
        X, y = X[rows], y[rows]
    y = y.astype(np.float64)
    design = QuantileDesign(X, weights, estimator.fit_intercept, drop_dependent=alpha == 0)
    if not design.kept.all():
        warn_rank(estimator, design.kept)
    fits = []
    for level in levels:
        fit = design.solve(y, level, alpha * weights.sum(), tol, max_iter)
        if fit.status:
            warn_if_stopped(
                f"Linear programming for {type(estimator).__name__}", fit.status,
                f"the best vertex violates the dual bounds by {fit.violation:.1e} of their width after {fit.n_iter} "
                "interior-point iterations",
                remedy="Scale the features or increase the number of iterations.",
            )  # fmt: skip
        fit.basis = np.sort(rows[fit.basis[(fit.basis >= 0) & (fit.basis < rows.size)]])
        fits.append(fit)
    return fits, X, y, weights


class LADRegressor(LinearRegressorMixin, BaseEstimator):
    r"""Least absolute deviations (median) regression.

    Minimises over slopes w and an intercept b

    .. math:: \sum_i s_i\, \lvert y_i - b - x_i^\top w \rvert

    This is a weighted sum without a penalty (for an L1 penalty see `QuantileRegressor`).

    Parameters
    ----------
    solver : {"lp", "irls"}, default="lp"
        "lp" finds the exact optimum, a vertex with one zero residual per coefficient, up to rounding. "irls" is
        iteratively reweighted least squares with weights 1 / max(abs(r_i), e).
    fit_intercept : bool, default=True
        Whether to fit an intercept.
    max_iter : int, default=1000
        Maximum number of iterations.
    tol : float, default=1e-10
        With "lp", the gap relative to the objective at which the vertex search starts. With "irls", stop when the
        objective decreases by less than this fraction.
    epsilon : float, default=1e-9
        Floor e of the residuals for "irls", in units of the mean absolute residual of least squares.
    inference : {"iid", "nid", "ker"} or None, default="iid"
        As in `QuantileRegressor`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
    objective_ : float
        Sum of weighted absolute residuals.
    basis_ : list of int
        Training rows that are fitted exactly (solver "lp").
    history_ : ndarray or None
        Objective (abs(r) above e, (r^2/e + e)/2 below) at the start and after each iteration of "irls"; it never
        increases.
    covariance_ : ndarray of shape (q, q) or str
        Covariance of the intercept (if any) and the coefficients, or the reason why it is not available.
    n_iter_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    Notes
    -----
    IRLS is based on abs(r) = min over m > 0 of (r^2/m + m)/2; with m fixed the problem is weighted least squares. It
    converges linearly, and slowly if the optimum is not unique. It is provided for teaching; "lp" is faster and exact.

    The median is robust to outliers in y but not in X: a row far out in X can still determine the fit.

    References
    ----------
    I. Barrodale and F. D. K. Roberts, "An improved algorithm for discrete l1 linear approximation", SIAM J. Numer.
    Anal. 10 (1973). S. Portnoy and R. Koenker, "The Gaussian hare and the Laplacian tortoise", Stat. Sci. 12 (1997).

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.linear import LADRegressor
    >>> x = np.arange(7.0)
    >>> y = 1 + 2 * x
    >>> y[3] = 100
    >>> model = LADRegressor().fit(x[:, None], y)
    >>> print(model.intercept_, model.coef_)
    1.0 [2.]
    """

    _constraints = {
        "solver": [Options("lp", "irls")],
        "fit_intercept": ["boolean"],
        "max_iter": [Int(1, None)],
        "tol": [Real(0, None)],
        "epsilon": [Real(0, None, closed="neither")],
        "inference": [Options("iid", "nid", "ker"), None],
    }
    _search_space = SearchSpace("least absolute deviations")

    def __init__(self, *, solver="lp", fit_intercept=True, max_iter=1000, tol=1e-10, epsilon=1e-9, inference="iid"):
        self.solver = solver
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.epsilon = epsilon
        self.inference = inference

    def fit(self, X, y, sample_weight=None):
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        self
        """
        check_params(self)
        if self.solver == "lp":
            (fit,), X, y, weights = _fit_quantiles(self, X, y, sample_weight, [0.5], 0.0, self.tol, self.max_iter)
            dtype, self.basis_, self.history_ = X.dtype, fit.basis.tolist(), None
        else:
            data = prepare(self, X, y, sample_weight)
            X, y, weights, dtype = data.X, data.y, data.weights, data.dtype
            fit = self._irls(X, y, weights)
        self.coef_ = fit.coef.astype(dtype)
        self.intercept_ = fit.intercept
        self.n_iter_ = fit.n_iter
        self.objective_ = float(weights @ np.abs(y - (X @ fit.coef + fit.intercept)))
        self.covariance_ = (
            "inference=None; refit with inference='iid', 'nid' or 'ker'"
            if self.inference is None
            else quantile_covariance(X, y, fit, 0.5, self.fit_intercept, self.inference, weights)
        )
        self._n_rows = float(weights.sum())
        return self

    def _irls(self, X, y, weights):
        X, independent = drop_dependent(self, X, weights)
        coef, intercept = weighted_least_squares(X, y, weights, self.fit_intercept)
        residual = np.abs(y - X @ coef - intercept)
        floor = self.epsilon * np.average(residual, weights=weights)
        history, status, n_iter = [], 1, 0

        def objective(size):
            below = size < floor
            return weights @ np.where(below, 0.5 * (size**2 / floor + floor) if floor > 0 else 0.0, size)

        history.append(objective(residual))
        while n_iter < self.max_iter and floor > 0:
            n_iter += 1
            # In units of the floor, which leaves the solution alone: the weights stay finite for a tiny y.
            new = weighted_least_squares(X, y, weights / np.maximum(residual / floor, 1.0), self.fit_intercept)
            size = np.abs(y - X @ new[0] - new[1])
            value = objective(size)
            if value > history[-1]:  # only rounding can raise it, so the last point is kept
                status = 0
                break
            coef, intercept = new
            residual = size
            history.append(value)
            if history[-2] - value <= self.tol * value:
                status = 0
                break
        if floor == 0:
            status = 0
        warn_if_stopped(self, status, f"the objective was still decreasing after {n_iter} iterations",
                        remedy="Increase max_iter, or use solver='lp'.")  # fmt: skip
        self.basis_, self.history_ = [], np.array(history)
        return QuantileFit(
            spread(coef, independent), float(intercept), np.empty(0, int), independent, n_iter, 0, 0.0, status
        )

    def summary(self, *, level=0.95):
        """Coefficient table with standard errors, t tests and confidence limits, as in R's quantreg.

        Parameters
        ----------
        level : float, default=0.95
            Confidence level of the intervals.

        Returns
        -------
        Summary
        """
        check_is_fitted(self)
        beta = coefficient_vector(self)
        df = self._n_rows - beta.size
        covariance = require_covariance(self, self.covariance_)
        table = coefficient_table(self, beta, covariance, level, df=df)
        facts = {"n": int(self._n_rows), "df": df, "objective": self.objective_, "se": self.inference}
        labels = {
            "n": "observations",
            "df": "residual df",
            "objective": "sum of absolute residuals",
            "se": "standard errors",
        }
        return Summary("Least absolute deviations", table, facts, labels)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
