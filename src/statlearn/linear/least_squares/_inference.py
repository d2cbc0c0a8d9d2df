"""Inference for least squares: error variance, robust covariances and summary statistics."""

import math

import numpy as np
from scipy import linalg, special

from statlearn._core.validation import FLOATS, check_weights, validate_data


def f_upper(F, df1, df2):
    """P(F' >= F) for the F distribution."""
    return special.fdtrc(df1, df2, F) if df1 > 0 and df2 > 0 and not math.isnan(F) else math.nan


def gaussian_log_likelihood(rss, n, log_weight=0.0):
    """Maximised log-likelihood of a Gaussian linear model, as R's logLik.lm computes it."""
    if n <= 0:
        return math.nan
    with np.errstate(divide="ignore"):
        return 0.5 * (log_weight - n * (math.log(2 * math.pi / n) + 1.0 + float(np.log(rss))))


class Inference:
    """Quantities behind standard errors: coefficients of the kept terms, degrees of freedom, the error variance."""

    def __init__(self, model, weights):
        statistic, c = model.statistic_, int(model.fit_intercept)
        self.kept = model._kept
        self.n_terms = c + len(self.kept)
        self.n = statistic.n_for_inference(weights)
        self.df = self.n - self.n_terms
        self.rss = np.atleast_1d(model.rss_)
        self.variance = self.rss / self.df if self.df > 0 else np.full(len(self.rss), np.nan)
        if len(self.kept) < model.n_features_in_ and model.on_singular == "min_norm":
            coef = statistic.solve(tol=model.tol, on_singular="drop").coef[self.kept]
        else:
            coef = np.atleast_2d(model.coef_).T[self.kept].astype(np.float64)
        mean_x, mean_y = statistic.means
        self.coefficients = np.vstack([mean_y - mean_x[self.kept] @ coef, coef]) if c else coef


def fit_facts(model, fit, target, weights, robust):
    """Statistics of the fit for a summary; `robust` is the robust covariance, or None."""
    statistic, c = model.statistic_, int(model.fit_intercept)
    rss, tss = fit.rss[target], statistic.tss[target]
    n, df, slopes = fit.n, fit.df, len(fit.kept)
    r2 = 1.0 - rss / tss if tss > 0 else math.nan
    if robust is not None and slopes:
        slope = fit.coefficients[c:, target]
        F = float(slope @ linalg.solve(robust[c:, c:], slope, assume_a="sym")) / slopes
    elif slopes and df > 0 and rss > 0:
        F = (tss - rss) / slopes / (rss / df)
    else:
        F = math.inf if slopes and df > 0 and tss > 0 else math.nan
    log_weight = statistic.log_weight if weights == "precision" else 0.0
    log_likelihood = gaussian_log_likelihood(rss, n, log_weight)
    parameters = fit.n_terms + 1  # the error variance counts, as in R
    return {
        "n": int(n) if float(n).is_integer() else n,
        "df": int(df) if float(df).is_integer() else df,
        "rank": fit.n_terms,
        "rss": float(rss),
        "tss": float(tss),
        "sigma": math.sqrt(fit.variance[target]) if df > 0 else math.nan,
        "r2": float(r2),
        "adjusted_r2": float(1.0 - (1.0 - r2) * (n - c) / df) if df > 0 else math.nan,
        "F": float(F),
        "F_df": f"{slopes}, {df:g}",
        "F_p": float(f_upper(F, slopes, df)),
        "log_likelihood": log_likelihood,
        "aic": -2.0 * log_likelihood + 2.0 * parameters,
        "bic": -2.0 * log_likelihood + math.log(n) * parameters,
    }


def robust_covariance(model, cov, X, y, sample_weight, weights, fit, target):
    """The sandwich (X'WX)⁻¹ M (X'WX)⁻¹ with M from squared residuals, for the kept terms."""
    X, y = validate_data(model, X, y, dtype=FLOATS, y_numeric=True, multi_output=True, reset=False)
    w = check_weights(sample_weight, X)
    w = np.ones(len(y)) if w is None else w.astype(np.float64)
    if abs(w.sum() - model.statistic_.total_weight) > 1e-6 * w.sum():
        raise ValueError("X, y and sample_weight must be the training data, but their total weight differs.")
    residual = (y - model.predict(X)).reshape(len(y), -1)[:, target].astype(np.float64)
    unit = model.statistic_.unit_variance(X, model._kept)
    # The share of a residual's variance removed by the fit; all copies of a row share one residual.
    leverage = np.minimum(unit if weights == "frequency" else w * unit, 1.0 - 1e-12)
    power = {"HC0": 0, "HC1": 0, "HC2": 1, "HC3": 2}[cov]
    square = residual**2 / (1.0 - leverage) ** power
    square *= w if weights == "frequency" else w**2
    if cov == "HC1":
        square *= fit.n / fit.df if fit.df > 0 else math.nan
    c = int(model.fit_intercept)
    Z = np.empty((len(y), fit.n_terms))
    Z[:, :c] = 1.0
    Z[:, c:] = X[:, fit.kept] - model.statistic_.means[0][fit.kept]
    A = model.statistic_.centred_inverse(fit.kept)
    return model.statistic_.uncentre(A @ (Z.T @ (square[:, None] * Z)) @ A, fit.kept)
