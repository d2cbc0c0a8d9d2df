"""Inference for least squares: error variance, robust covariances and summary statistics."""

import math

import numpy as np
from scipy import linalg, special
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Int, Options, Real, check_arguments
from statlearn._core.summary import Summary, Table
from statlearn._core.validation import FLOATS, check_weights, validate_data
from statlearn._math.inference import two_sided
from statlearn.linear._base import dependence_note, term_names
from statlearn.linear._nested_models import NestedFit

COVARIANCES = ("nonrobust", "HC0", "HC1", "HC2", "HC3")
WEIGHTS = ("frequency", "precision")


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
    return sandwich(model, cov, squared_residuals(model, cov, X, y, w, weights, fit.kept, target), fit)


def squared_residuals(model, cov, X, y, w, weights, kept, target):
    """M of the sandwich, a sum over validated rows: residuals times terms about the means, squared."""
    residual = (y - model._mean(X)).reshape(len(y), -1)[:, target].astype(np.float64)
    unit = model.statistic_.unit_variance(X, kept)
    # The share of a residual's variance removed by the fit; all copies of a row share one residual.
    leverage = np.minimum(unit if weights == "frequency" else w * unit, 1.0 - 1e-12)
    power = {"HC0": 0, "HC1": 0, "HC2": 1, "HC3": 2}[cov]
    square = residual**2 / (1.0 - leverage) ** power
    square *= w if weights == "frequency" else w**2
    c = int(model.fit_intercept)
    Z = np.empty((len(y), c + len(kept)))
    Z[:, :c] = 1.0
    Z[:, c:] = X[:, kept] - model.statistic_.means[0][kept]
    return Z.T @ (square[:, None] * Z)


def sandwich(model, cov, squares, fit):
    """The covariance of the coefficients from the sum of `squared_residuals` over all rows."""
    if cov == "HC1":
        squares = squares * (fit.n / fit.df if fit.df > 0 else math.nan)
    A = model.statistic_.centred_inverse(fit.kept)
    return model.statistic_.uncentre(A @ squares @ A, fit.kept)


class LeastSquaresInference:
    """Inference for the coefficients of a fitted model, as part of `LinearRegression`."""

    def summary(
        self,
        level=0.95,
        cov="nonrobust",
        sort=None,
        *,
        weights="frequency",
        target=0,
        X=None,
        y=None,
        sample_weight=None,
    ):
        """Coefficient table and fit statistics, as in R's ``summary(lm(...))``.

        Parameters
        ----------
        level : float, default=0.95
            Coverage of the confidence limits.
        cov : {"nonrobust", "HC0", "HC1", "HC2", "HC3"}, default="nonrobust"
            Covariance estimate: s²(X'X)⁻¹ for errors of equal variance, or one that is valid under unequal variances.
            The latter need the training data: pass X, y (and sample_weight) again, since the model does not keep them.
        sort : {"t"} or None, default=None
            "t" lists the features by decreasing absolute t value, the intercept first.
        weights : {"frequency", "precision"}, default="frequency"
            Meaning of `sample_weight`: numbers of copies (observations are counted by the sum of the weights) or
            inverse variances up to a factor (observations are rows, as with ``lm(weights=)`` in R).
        target : int, default=0
            Which column of a two-dimensional y.
        X, y, sample_weight : array-like, default=None
            The training data, for ``cov="HC0"`` to "HC3" only.

        Returns
        -------
        Summary
            Columns estimate, std_error, t, p, ci_low, ci_high; facts n, df, sigma, r2, adjusted_r2, F, F_p,
            log_likelihood, aic, bic. Dependent columns have NaN throughout.
        """
        check_is_fitted(self)
        check_arguments(
            "summary",
            level=(level, [Real(0, 1, closed="neither")]),
            cov=(cov, [Options(*COVARIANCES)]),
            sort=(sort, [Options("t"), None]),
            weights=(weights, [Options(*WEIGHTS)]),
            target=(target, [Int(0, len(np.atleast_2d(self.coef_)) - 1)]),
        )
        fit = self._inference(weights)
        if cov == "nonrobust":
            covariance = fit.variance[target] * self.statistic_.inverse(fit.kept)
        else:
            if X is None or y is None:
                raise ValueError(f"cov={cov!r} is computed from the residuals; pass the training X and y to summary.")
            covariance = robust_covariance(self, cov, X, y, sample_weight, weights, fit, target)
        return self._summary_of(fit, covariance, cov, level, sort, weights, target)

    def _summary_of(self, fit, covariance, cov, level, sort, weights, target):
        """The summary with a covariance of the coefficients."""
        columns = self._coefficient_columns(fit, target, covariance, level)
        rows = term_names(self, intercept=self.fit_intercept)
        if sort == "t":
            c = int(self.fit_intercept)
            order = c + np.argsort(-np.nan_to_num(np.abs(columns["t"][c:]), nan=-1.0), kind="stable")
            order = np.concatenate([np.arange(c), order])
            rows = [rows[j] for j in order]
            columns = {name: values[order] for name, values in columns.items()}
        facts = fit_facts(self, fit, target, weights, covariance if cov != "nonrobust" else None)
        labels = {
            "n": "observations",
            "df": "residual df",
            "sigma": "residual std. error",
            "r2": "R-squared",
            "adjusted_r2": "adjusted R-squared",
            "F": "F statistic",
            "F_df": "F degrees of freedom",
            "F_p": "p value of F",
            "log_likelihood": "log-likelihood",
            "aic": "AIC",
            "bic": "BIC",
        }
        return Summary("Least squares", Table(rows, columns), facts, labels, notes=self._summary_notes(fit, cov))

    def _squared_residuals(self, X, y, sample_weight, cov, weights):
        """What the rows of a block add to the middle of the sandwich, and their total weight."""
        estimated = self._inference(weights).kept
        X, y = validate_data(self, X, y, dtype=FLOATS, y_numeric=True, multi_output=True, reset=False)
        w = check_weights(sample_weight, X)
        w = np.ones(len(y)) if w is None else w.astype(np.float64)
        return squared_residuals(self, cov, X, y, w, weights, estimated, 0), w.sum()

    def _robust_summary(self, squares, cov, level, weights):
        """The summary from the sum of `_squared_residuals` over all rows."""
        fit = self._inference(weights)
        return self._summary_of(fit, sandwich(self, cov, squares, fit), cov, level, None, weights, 0)

    def _coefficient_columns(self, fit, target, covariance, level):
        """Columns of the coefficient table, with NaN for dependent columns."""
        c, p = int(self.fit_intercept), self.n_features_in_
        estimated = np.concatenate([np.arange(c), c + fit.kept])
        estimate, std_error = np.full((2, c + p), np.nan)
        estimate[estimated] = fit.coefficients[:, target]
        std_error[estimated] = np.sqrt(np.diag(covariance))
        with np.errstate(divide="ignore", invalid="ignore"):
            t = estimate / std_error
        defined = fit.df > 0
        half = special.stdtrit(fit.df, 0.5 + level / 2) * std_error if defined else np.full(c + p, np.nan)
        return {
            "estimate": estimate,
            "std_error": std_error,
            "t": t,
            "p": two_sided(t, fit.df) if defined else np.full(c + p, np.nan),
            "ci_low": estimate - half,
            "ci_high": estimate + half,
        }

    def _summary_notes(self, fit, cov):
        notes = []
        if self.rank_ < self.n_features_in_:
            notes.append(dependence_note([term_names(self, intercept=False)[j] for j in self.aliased_]))
        if not fit.df > 0:
            notes.append("No residual degrees of freedom: standard errors are not defined.")
        if cov != "nonrobust":
            notes.append(f"Standard errors are {cov}, valid under unequal variances.")
        return notes

    def _inference(self, weights):
        """The quantities behind standard errors; raises an error with the reason if there are none."""
        check_is_fitted(self)
        if self.positive:
            raise ValueError(
                "Standard errors are not available with positive=True: coefficients at the bound 0 are not normally "
                "distributed, so t tests do not apply. Fit with positive=False, or bootstrap."
            )
        if self.statistic_ is None:
            raise ValueError(
                "Standard errors are not available for this fit: X has no more rows than columns, or is a large sparse "
                "matrix that was fitted by iteration."
            )
        return Inference(self, weights)

    def _nested_fit(self):
        if np.ndim(self.rss_):
            raise ValueError("models must have one target each, but y of LinearRegression had several columns.")
        fit = self._inference("frequency")
        rows = self.statistic_.n_rows, self.statistic_.total_weight
        variance = float(fit.variance[0])
        return NestedFit("gaussian", self.rss_, fit.n_terms, fit.df, variance, rows=rows, pearson=variance)

    @property
    def _kept(self):
        """The columns of X that are not aliased."""
        return np.setdiff1d(np.arange(self.n_features_in_), self.aliased_)

    def influence(self, X, y, sample_weight=None, *, weights="frequency", target=0):
        """Influence diagnostics for the training data; see `statlearn.linear.influence`.

        Parameters
        ----------
        X, y, sample_weight : array-like
            The training data, which the model does not keep.
        weights : {"frequency", "precision"}, default="frequency"
            See `summary`.
        target : int, default=0
            Which column of a two-dimensional y.

        Returns
        -------
        Influence
        """
        from ._influence import influence_of

        return influence_of(self, X, y, sample_weight, weights, target)
