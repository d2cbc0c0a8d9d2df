"""Penalised regression as a posterior mode, for several noise distributions and priors."""

import numpy as np
from sklearn.base import BaseEstimator

from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.validation import FLOATS, check_weights, validate_data
from statlearn._core.warnings import MAX_ITER, OK, warn_if_stopped
from statlearn.linear._base import LinearRegressorMixin

_POSITIVE = Real(0, None, closed="neither")


def neg_log_likelihood(residuals, likelihood, scale, df, weights=None):
    """Negative log-likelihood of the residuals, up to a constant."""
    u = residuals / scale
    terms = {
        "gaussian": lambda: 0.5 * u**2,
        "laplace": lambda: np.abs(u),
        "student": lambda: 0.5 * (df + 1.0) * np.log1p(u**2 / df),
    }[likelihood]()
    return float(np.sum(terms if weights is None else weights * terms))


def neg_log_prior(coef, prior, scale):
    """Negative log-prior of the slopes, up to a constant."""
    if prior == "flat":
        return 0.0
    return float(0.5 * np.sum((coef / scale) ** 2) if prior == "gaussian" else np.sum(np.abs(coef)) / scale)


class MAPRegressor(LinearRegressorMixin, BaseEstimator):
    r"""Linear regression by maximum a posteriori estimation.

    Minimises the negative log-posterior over slopes w and an intercept b with a flat prior,

    .. math:: \sum_i s_i\, \ell(y_i - b - x_i^\top w) + \sum_j \pi(w_j)

    =============  =============================================================  =====================================
    `likelihood`   ℓ(r), scale σ = `noise_scale`                                  equivalent to
    =============  =============================================================  =====================================
    "gaussian"     r²/(2σ²)                                                       least squares
    "laplace"      \|r\|/σ                                                        least absolute deviations
    "student"      ½(ν+1) log(1 + r²/(νσ²))                                       robust regression, ν = `df`
    =============  =============================================================  =====================================

    =============  =============================================================  =====================================
    `prior`        π(w), scale τ = `prior_scale`                                  equivalent with Gaussian noise
    =============  =============================================================  =====================================
    "flat"         0                                                              least squares
    "gaussian"     w²/(2τ²)                                                       ridge, RSS + (σ²/τ²) \|w\|²
    "laplace"      \|w\|/τ                                                        lasso, RSS + (2σ²/τ) \|w\|₁
    =============  =============================================================  =====================================

    Parameters
    ----------
    likelihood : {"gaussian", "laplace", "student"}, default="gaussian"
        Distribution of the noise.
    prior : {"flat", "gaussian", "laplace"}, default="gaussian"
        Distribution of the slopes.
    noise_scale : float or None, keyword only, default=1.0
        Standard deviation (gaussian) or scale (laplace, student) σ of the noise. None estimates it together with the
        slopes, for ``likelihood="student"`` with a flat or Gaussian prior only.
    prior_scale : float, default=1.0
        Standard deviation (gaussian) or scale b (laplace) τ of the prior.
    df : float, default=4.0
        Degrees of freedom ν of the Student noise.
    fit_intercept : bool, default=True
    max_iter : int, default=1000
        Maximum number of reweighting steps (Student noise) and of iterations of the underlying solver.
    tol : float, default=1e-10
        Reweighting stops when no slope changes by more than this fraction of the largest. Also passed to the
        underlying solver.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
    penalty_ : float
        The penalty λ derived from the scales, on the scale of `solver_`.
    solver_ : str
        The solver that was used.
    noise_scale_ : float
        The given or estimated scale of the noise.
    objective_ : float
        Negative log-posterior, up to a constant.
    n_iter_ : int
        Number of reweighting steps; 1 if a single fit suffices.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    Notes
    -----
    Gaussian noise is fitted by :class:`LinearRegression`, :class:`Ridge` (λ = σ²/τ²) or :class:`Lasso` (λ = 2σ²/τ on
    the scale RSS + λ\|w\|₁); Laplace noise by :class:`LADRegressor` or, with a prior, by
    :class:`RegularizedLinearRegressor` (Σ\|r\| + (σ/2τ²)\|w\|², Σ\|r\| + (σ/τ)\|w\|₁). Student noise is a scale
    mixture of normals: reweighted Gaussian problems with weights (ν+1)/(ν + r²/σ²) lower the objective at every step
    (EM). This objective is not convex; of two runs, started from least squares and from least absolute deviations, the
    better is returned.

    The mode is a point estimate and comes without standard errors. See :class:`BayesianRidge` for a full Gaussian
    posterior.

    References
    ----------
    Tibshirani, R. (1996). Regression shrinkage and selection via the lasso. JRSS B 58, 267-288 (section 5).

    Lange, K. L., Little, R. J. A. & Taylor, J. M. G. (1989). Robust statistical modeling using the t distribution.
    JASA 84, 881-896.

    Examples
    --------
    >>> from statlearn.linear import MAPRegressor
    >>> X, y = [[-1.0], [0.0], [1.0]], [-2.0, 0.0, 2.0]
    >>> MAPRegressor(noise_scale=2.0, prior_scale=2.0).fit(X, y).coef_  # ridge with penalty 1
    array([1.33333333])
    """

    _constraints = {
        "likelihood": [Options("gaussian", "laplace", "student")],
        "prior": [Options("flat", "gaussian", "laplace")],
        "noise_scale": [_POSITIVE, None],
        "prior_scale": [_POSITIVE],
        "df": [_POSITIVE],
        "fit_intercept": ["boolean"],
        "max_iter": [Int(1, None)],
        "tol": [Real(0, None)],
    }

    def __init__(
        self,
        likelihood="gaussian",
        prior="gaussian",
        *,
        noise_scale=1.0,
        prior_scale=1.0,
        df=4.0,
        fit_intercept=True,
        max_iter=1000,
        tol=1e-10,
    ):
        self.likelihood = likelihood
        self.prior = prior
        self.noise_scale = noise_scale
        self.prior_scale = prior_scale
        self.df = df
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol

    def fit(self, X, y, sample_weight=None):
        """Fit the model by maximising the posterior.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : float or array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        self : MAPRegressor
        """
        check_params(self)
        X, y = validate_data(self, X, y, dtype=FLOATS, y_numeric=True)
        weights = check_weights(sample_weight, X)
        if self.noise_scale is None and (self.likelihood != "student" or self.prior == "laplace"):
            raise ValueError(
                "noise_scale=None is supported only for likelihood='student' with prior='flat' or 'gaussian'; pass a "
                "positive noise_scale."
            )
        self.n_iter_, self.noise_scale_ = 1, self.noise_scale
        if self.likelihood == "gaussian":
            model = self._gaussian(X, y, weights)
        elif self.likelihood == "laplace":
            model = self._laplace(X, y, weights)
        elif self.noise_scale is None:
            model = self._student_with_scale(X, y, weights)
        else:
            model = self._student(X, y, weights)
        self.coef_ = np.asarray(model.coef_, dtype=X.dtype)
        self.intercept_ = model.intercept_
        self.objective_ = self._objective(X, y, weights, model)
        return self

    def _objective(self, X, y, weights, model):
        residuals = (y - model.predict(X)).astype(np.float64)
        fit = neg_log_likelihood(residuals, self.likelihood, self.noise_scale_, self.df, weights)
        return fit + neg_log_prior(np.asarray(model.coef_, dtype=np.float64), self.prior, self.prior_scale)

    def _gaussian(self, X, y, weights):
        """Least squares, ridge or lasso with the penalty that the two scales imply."""
        variance = float(self.noise_scale_) ** 2
        if self.prior == "flat":
            from statlearn.linear.least_squares._linear_regression import LinearRegression

            self.penalty_, self.solver_ = 0.0, "LinearRegression"
            return LinearRegression(fit_intercept=self.fit_intercept).fit(X, y, weights)
        if self.prior == "gaussian":
            from statlearn.linear.ridge._ridge import Ridge

            self.penalty_, self.solver_ = self._ratio(variance, self.prior_scale, self.prior_scale), "Ridge"
            return Ridge(self.penalty_, fit_intercept=self.fit_intercept).fit(X, y, weights)
        from statlearn.linear.lasso._lasso import Lasso

        self.penalty_, self.solver_ = 2.0 * self._ratio(variance, self.prior_scale), "Lasso"
        return Lasso(
            self.penalty_, fit_intercept=self.fit_intercept, penalty_scale="rss", tol=max(self.tol, 1e-12),
            max_iter=max(self.max_iter, 1000),
        ).fit(X, y, weights)  # fmt: skip

    def _ratio(self, value, *divisors):
        """The value divided by each scale in turn, so that it overflows only if the penalty itself does."""
        with np.errstate(over="ignore"):
            for divisor in divisors:
                value = np.float64(value) / divisor
        if not np.isfinite(value):
            raise ValueError(
                f"prior_scale={self.prior_scale} is so small that the implied penalty overflows; use a larger one."
            )
        return float(value)

    def _laplace(self, X, y, weights):
        """Least absolute deviations, with the prior multiplied by the scale of the noise."""
        if self.prior == "flat":
            from statlearn.linear.robust._quantile import LADRegressor

            self.penalty_, self.solver_ = 0.0, "LADRegressor"
            return LADRegressor(fit_intercept=self.fit_intercept).fit(X, y, weights)
        from statlearn.linear._regularized import RegularizedLinearRegressor

        gaussian = self.prior == "gaussian"
        divisors = (2.0 * self.prior_scale, self.prior_scale) if gaussian else (self.prior_scale,)
        self.penalty_ = self._ratio(float(self.noise_scale_), *divisors)
        self.solver_ = "RegularizedLinearRegressor"
        return RegularizedLinearRegressor(
            "absolute_error",
            alpha=self.penalty_,
            l1_ratio=0.0 if gaussian else 1.0,
            fit_intercept=self.fit_intercept,
        ).fit(X, y, weights)

    def _student_with_scale(self, X, y, weights):
        from statlearn.linear.robust._student import StudentTRegressor

        self.penalty_ = 0.0 if self.prior == "flat" else self._ratio(0.5, self.prior_scale, self.prior_scale)
        self.solver_ = "StudentTRegressor"
        model = StudentTRegressor(self.df, alpha=self.penalty_, fit_intercept=self.fit_intercept).fit(X, y, weights)
        self.noise_scale_, self.n_iter_ = float(model.scale_), model.n_iter_
        return model

    def _student(self, X, y, weights):
        """EM from two starts: the Gaussian mode and the Laplace mode."""
        ends = []
        for start in (self._gaussian, self._laplace):
            model, status, change, steps = start(X, y, weights), MAX_ITER, np.inf, 0
            while steps < self.max_iter:
                steps += 1
                u2 = ((y - model.predict(X)) / self.noise_scale_) ** 2
                precision = (self.df + 1.0) / (self.df + u2)
                before = np.append(model.coef_, model.intercept_)
                model = self._gaussian(X, y, (precision if weights is None else weights * precision).astype(X.dtype))
                after = np.append(model.coef_, model.intercept_)
                change = np.abs(after - before).max()
                if change <= max(self.tol, 10 * np.finfo(X.dtype).eps) * np.abs(after).max():
                    status = OK
                    break
            ends.append((self._objective(X, y, weights, model), steps, status, change, model))
        _, self.n_iter_, status, change, model = min(ends, key=lambda end: end[0])
        warn_if_stopped(self, status, f"the slopes still changed by {change:.1e} in step {self.n_iter_}",
                        remedy="Increase max_iter or raise tol.")  # fmt: skip
        self.solver_ = f"reweighted {self.solver_}"
        return model
