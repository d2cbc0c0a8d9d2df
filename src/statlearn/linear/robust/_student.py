"""Linear regression with Student-t errors by maximum likelihood."""

import numpy as np
from scipy.optimize import brentq
from scipy.special import digamma, gammaln
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Int, Options, Real, check_params, check_value
from statlearn._core.search import SearchSpace
from statlearn._core.summary import Summary
from statlearn._core.warnings import DIVERGED, MAX_ITER, OK, warn_if_stopped
from statlearn._math.linalg.positive import positive_inverse
from statlearn._math.rows.statistics import gram_with_intercept
from statlearn.linear._base import LinearRegressorMixin

from ._huber import HuberProblem
from ._m_estimation import (
    coefficient_table,
    coefficient_vector,
    drop_dependent,
    prepare,
    require_covariance,
    spread,
    spread_covariance,
    weighted_least_squares,
)

# Search range of the degrees of freedom; beyond the upper end the errors are effectively normal.
_DF_LOW, _DF_HIGH = 0.25, 1e4


def student_loglik(z, weights, scale, df):
    """Weighted log-likelihood of t errors with residuals z in units of the scale."""
    constant = gammaln((df + 1) / 2) - gammaln(df / 2) - 0.5 * np.log(df * np.pi) - np.log(scale)
    return weights.sum() * constant - 0.5 * (df + 1) * (weights @ np.log1p(z * z / df))


def best_df(z, weights, df):
    """The degrees of freedom that maximise the likelihood of residuals z, the root of its derivative nearest to df."""
    square, total = z * z, weights.sum()

    def slope(log_df):
        v = np.exp(log_df)
        ratio = square / v
        fixed = total * (digamma((v + 1) / 2) - digamma(v / 2) - 1 / v)
        return fixed - weights @ np.log1p(ratio) + (v + 1) / v * (weights @ (ratio / (1 + ratio)))

    bottom, top = np.log(_DF_LOW), np.log(_DF_HIGH)
    low = high = np.clip(np.log(df), bottom, top)
    width = 0.1
    while slope(low) < 0:
        if low <= bottom:
            return _DF_LOW
        high, low = low, max(low - width, bottom)
        width *= 2
    width = 0.1
    while slope(high) > 0:
        if high >= top:
            return _DF_HIGH
        low, high = high, min(high + width, top)
        width *= 2
    return float(np.exp(brentq(slope, low, high, xtol=1e-13, rtol=1e-13))) if low < high else float(np.exp(low))


class StudentTRegressor(LinearRegressorMixin, BaseEstimator):
    r"""Robust linear regression with Student-t errors.

    Maximises the penalised log-likelihood over slopes w, an unpenalised intercept b, the scale :math:`\sigma` and,
    with ``df="estimate"``, the degrees of freedom :math:`\nu`,

    .. math:: \sum_i s_i \log t_\nu\!\left(\frac{y_i - b - x_i^\top w}{\sigma}\right) - s_i \log \sigma
        - \alpha \lVert w \rVert_2^2

    Parameters
    ----------
    df : float or "estimate", default=4.0
        Degrees of freedom :math:`\nu > 0`. Small values are robust to outliers, large values approach least squares.
        "estimate" chooses them by maximum likelihood between 0.25 and 10,000.
    alpha : float, default=0.0
        Weight of the squared L2 penalty (a normal prior of variance 1/(2 alpha) on each slope). Standard errors are
        available for ``alpha=0`` only.
    fit_intercept : bool, default=True
        Whether to fit an intercept.
    max_iter : int, default=1000
        Maximum number of EM steps.
    tol : float, default=1e-8
        Stop when every component of the gradient of the log-likelihood per unit of weight (columns scaled by their
        root mean square, residuals by the scale) is at most `tol`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
    scale_ : float
        The scale. The variance of the errors is ``scale_**2 * df_ / (df_ - 2)`` if ``df_ > 2``.
    df_ : float
        The given or estimated degrees of freedom.
    weights_ : ndarray of shape (n_samples,)
        Weights (df + 1) / (df + r_i^2 / scale^2) of the rows in the last weighted least-squares step. NaN for rows of
        sample weight 0.
    loglik_ : float
        Log-likelihood, without the penalty.
    history_ : ndarray
        Penalised log-likelihood at the start and after each step; it never decreases.
    covariance_ : ndarray of shape (q, q) or str
        Inverse expected information of the intercept (if any) and the coefficients, or the reason why it is not
        available.
    sandwich_ : ndarray of shape (q, q) or str
        Covariance that does not assume the t distribution.
    n_iter_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    Notes
    -----
    A t error is a normal error with a random precision, whose expectation given the residual is the weight above. The
    EM algorithm is therefore iteratively reweighted least squares. The scale is updated with the sum of these weights
    as divisor (parameter-expanded EM), which reaches the same fixed points in fewer steps. Degrees of freedom are
    estimated between the steps from the likelihood itself (ECME). The likelihood can have several maxima; the
    iterations start from the Huber fit. If enough rows lie exactly on a hyperplane, the scale tends to 0, the
    likelihood has no maximum, and a warning is issued.

    References
    ----------
    K. L. Lange, R. J. A. Little and J. M. G. Taylor, "Robust statistical modeling using the t distribution", JASA 84
    (1989). C. Liu and D. B. Rubin, "ML estimation of the t distribution using EM and its extensions, ECM and ECME",
    Statistica Sinica 5 (1995). C. Liu, D. B. Rubin and Y. N. Wu, "Parameter expansion to accelerate EM", Biometrika 85
    (1998).

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.linear import StudentTRegressor
    >>> x = np.arange(8.0)
    >>> y = 1 + 2 * x + np.array([0.1, -0.1, 0.2, 50.0, -0.2, 0.1, -0.1, 0.0])
    >>> model = StudentTRegressor(df=3).fit(x[:, None], y)
    >>> model.coef_.round(2), model.weights_.argmin()
    (array([1.99]), np.int64(3))
    """

    _constraints = {
        "df": [Real(0, None, closed="neither"), Options("estimate")],
        "alpha": [Real(0, None)],
        "fit_intercept": ["boolean"],
        "max_iter": [Int(1, None)],
        "tol": [Real(0, None)],
    }
    _search_space = SearchSpace("Student-t regression")

    def __init__(self, df=4.0, *, alpha=0.0, fit_intercept=True, max_iter=1000, tol=1e-8):
        self.df = df
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol

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
        data = prepare(self, X, y, sample_weight)
        y, weights = data.y, data.weights
        X, independent = drop_dependent(self, data.X, weights, penalty=self.alpha)
        coef, intercept, scale, df, history, status, slope = self._em(X, y, weights)
        n_iter = len(history) - 1
        if status == DIVERGED:
            detail = "the scale tends to 0, because enough rows lie exactly on a hyperplane (up to rounding)"
            warn_if_stopped(self, status, detail, remedy="The fit through these rows is returned.")
        else:
            warn_if_stopped(self, status, f"the largest component of the gradient is {slope:.1e} after {n_iter} steps")
        z = (y - X @ coef - intercept) / scale
        self.loglik_ = float(student_loglik(z, weights, scale, df))
        self.covariance_, self.sandwich_ = self._covariances(X, z, weights, scale, df, independent, status)
        self.coef_ = spread(coef, independent).astype(data.dtype)
        self.intercept_, self.scale_, self.df_ = float(intercept), float(scale), float(df)
        self.history_, self.n_iter_ = np.array(history), n_iter
        self.weights_ = np.full(data.all_y.size, np.nan)
        self.weights_[data.rows] = (df + 1) / (df + z * z)
        self._n_rows = float(weights.sum())
        return self

    def _em(self, X, y, weights):
        total = weights.sum()
        estimate = self.df == "estimate"
        df = 4.0 if estimate else float(self.df)
        problem = HuberProblem(X, y, weights, self.fit_intercept, 1.345, alpha=self.alpha)
        coef, intercept, scale, *_ = problem.solve(None, 1e-4, 50)
        floor = problem.floor
        residual = y - X @ coef - intercept

        def value():
            return student_loglik(residual / scale, weights, scale, df) - self.alpha * (coef @ coef)

        history, slope = [value()], np.inf
        while True:
            if scale <= floor:
                return coef, intercept, floor, df, history, DIVERGED, slope
            if estimate:
                better = best_df(residual / scale, weights, df)
                # The derivative vanishes at a maximum, so only rounding could decrease the likelihood here.
                if student_loglik(residual / scale, weights, scale, better) >= history[-1] + self.alpha * (coef @ coef):
                    df = better
                    history[-1] = value()
            z = residual / scale
            share = (df + 1) / (df + z * z)
            pull = weights * share * z
            lift = pull.sum() if self.fit_intercept else 0.0
            gradient = np.asarray(X.T @ pull).ravel() - problem.centre * lift - 2 * self.alpha * scale * coef
            level = weights @ (share * z * z) - total
            slope = max(np.abs(gradient / problem.unit).max(initial=0.0), abs(lift), abs(level)) / total
            if slope <= self.tol:
                return coef, intercept, scale, df, history, OK, slope
            if len(history) > self.max_iter:
                return coef, intercept, scale, df, history, MAX_ITER, slope
            before = coef, intercept, scale, residual
            coef, intercept = weighted_least_squares(
                X, y, weights * share, self.fit_intercept, penalty=2 * self.alpha * scale**2
            )
            residual = y - X @ coef - intercept
            scale = max(np.sqrt((weights * share) @ residual**2 / (weights @ share)), floor)
            new = value()
            if not new > history[-1]:  # only rounding stops it from rising
                coef, intercept, scale, residual = before
                return coef, intercept, scale, df, history, OK if slope <= max(self.tol, 1e-6) else MAX_ITER, slope
            history.append(new)

    def _covariances(self, X, z, weights, scale, df, independent, status):
        n, q = weights.sum(), X.shape[1] + int(self.fit_intercept)
        reason = None
        if self.alpha > 0:
            reason = "the coefficients are penalised (alpha > 0); refit with alpha=0"
        elif q == 0:
            reason = "no column has a coefficient"
        elif n <= q:
            reason = f"{n:g} rows are too few for {q} coefficients"
        elif status == DIVERGED:
            reason = "the scale is 0"
        if reason:
            return reason, reason
        gram = gram_with_intercept(X, weights, self.fit_intercept)
        information = (df + 1) / (df + 3) * gram
        share = (df + 1) / (df + z * z)  # by quotients, since squares of many degrees of freedom overflow
        psi = share * z
        curvature = gram_with_intercept(X, weights * (share * ((df - z * z) / (df + z * z))), self.fit_intercept)
        if np.linalg.eigvalsh(curvature)[0] <= 1e-12 * np.trace(curvature):
            curvature = information  # not a maximum due to rounding; the expected information is positive definite
        bread = positive_inverse(curvature)
        meat = gram_with_intercept(X, weights * psi**2, self.fit_intercept)
        return tuple(
            scale**2 * spread_covariance(matrix, independent, self.fit_intercept)
            for matrix in (positive_inverse(information), n / (n - q) * bread @ meat @ bread)
        )

    def summary(self, *, level=0.95, covariance="information"):
        """Coefficient table with z tests and confidence limits, scale, degrees of freedom, AIC and BIC.

        Parameters
        ----------
        level : float, default=0.95
            Confidence level of the intervals.
        covariance : {"information", "sandwich"}, default="information"
            "information" assumes the t distribution of the errors; "sandwich" does not.

        Returns
        -------
        Summary
        """
        check_is_fitted(self)
        check_value("covariance", covariance, [Options("information", "sandwich")], "StudentTRegressor.summary")
        matrix = require_covariance(self, self.covariance_ if covariance == "information" else self.sandwich_)
        beta = coefficient_vector(self)
        table = coefficient_table(self, beta, matrix, level)
        parameters = int(np.isfinite(np.diag(matrix)).sum()) + 1 + int(self.df == "estimate")
        facts = {
            "n": int(self._n_rows), "scale": self.scale_, "df": self.df_, "loglik": self.loglik_,
            "aic": 2 * parameters - 2 * self.loglik_, "bic": np.log(self._n_rows) * parameters - 2 * self.loglik_,
            "covariance": covariance,
        }  # fmt: skip
        labels = {"n": "observations", "scale": "scale", "df": "degrees of freedom of t", "loglik": "log-likelihood",
                  "aic": "AIC", "bic": "BIC", "covariance": "standard errors"}  # fmt: skip
        return Summary("Regression with Student-t errors", table, facts, labels)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
