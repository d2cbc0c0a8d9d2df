"""Inference after a generalised linear model, as R's glm reports it: summary table and analysis of deviance."""

import numpy as np
from scipy import linalg
from sklearn.utils.validation import check_is_fitted

from statlearn._core.intervals import normal_or_t_quantile, two_sided
from statlearn._core.params import Options, Real, check_value
from statlearn._core.summary import Summary, Table
from statlearn.linear._base import term_names

INFERENCE_WIDTH = 2000  # beyond, no covariance matrix of the coefficients is formed


def inverse_information(design, h, intercept):
    """Inverse of the information matrix, the intercept first; None where it is singular."""
    S, mean, total = design.cross_products(h, intercept)
    scale = np.sqrt(np.diag(S))
    if not np.all(scale > 0):
        return None
    try:
        factor = linalg.cho_factor(S / np.outer(scale, scale), lower=True)
    except linalg.LinAlgError:
        return None
    V = linalg.cho_solve(factor, np.eye(design.p)) / np.outer(scale, scale)
    if not intercept:
        return V
    out = np.empty((design.p + 1, design.p + 1))
    out[1:, 1:] = V
    out[0, 1:] = out[1:, 0] = -V @ mean
    out[0, 0] = 1.0 / total + mean @ V @ mean
    return out


class GLMInference:
    """What a fitted model says of its coefficients."""

    @property
    def df_residual_(self):
        """Residual degrees of freedom: sum of the weights minus the rank."""
        check_is_fitted(self)
        return self.total_weight_ - self.rank_

    @property
    def dispersion_(self):
        """Pearson's estimate of the dispersion, also where the model fixes it at 1."""
        return self.pearson_chi2_ / self.df_residual_ if self.df_residual_ > 0 else np.nan

    def _need_covariance(self):
        check_is_fitted(self)
        if self.covariance_ is not None:
            return self.covariance_
        if self.rank_ < len(self.coef_) + int(self.fit_intercept):
            raise ValueError(
                "Columns of X are linearly dependent (see the RankWarning of fit): drop them for inference."
            )
        if self.separated_:
            raise ValueError("The estimates are infinite (see the SeparationWarning of fit): there is no inference.")
        if len(self.coef_) + 1 > INFERENCE_WIDTH:
            raise ValueError(f"No covariance matrix is kept beyond {INFERENCE_WIDTH} coefficients.")
        raise ValueError(
            "Standard errors are not available after a penalised fit: the penalty biases the coefficients, so that "
            "estimate and standard error describe no test or interval. Refit with alpha=0 on columns fixed in advance."
        )

    def summary(self, *, level=0.95, dispersion="auto", weight_type="frequency"):
        """Coefficients with standard errors and tests, deviances and information criteria, as R's ``summary.glm``.

        Standard errors come from the expected (Fisher) information. Tests are z tests where the model fixes the
        dispersion (binomial, poisson, negative binomial) and t tests where it is estimated.

        Parameters
        ----------
        level : float, default=0.95
            Of the Wald intervals.
        dispersion : "auto", "pearson" or float, default="auto"
            "auto": 1 where the model says so, else Pearson's estimate. "pearson" makes a quasi-likelihood of a
            Poisson or binomial model.
        weight_type : {"frequency", "prior"}, default="frequency"
            A weight k counts k rows, or divides the variance of one row by k as R's weights do.

        Returns
        -------
        Summary

        Raises
        ------
        ValueError
            After a penalised fit, or when columns are linearly dependent.
        """
        check_value("level", level, [Real(0, 1, closed="neither")], "summary")
        check_value("weight_type", weight_type, [Options("frequency", "prior")], "summary")
        check_value("dispersion", dispersion, [Options("auto", "pearson"), Real(0, None, closed="neither")], "summary")
        family, link = self._fitted_model()
        covariance = self._need_covariance()
        frequency = weight_type == "frequency"
        rows = self.total_weight_ if frequency else self.n_rows_
        df = rows - self.rank_
        phi, known = 1.0, True
        if dispersion == "pearson" or (dispersion == "auto" and not family.dispersion_known):
            if df <= 0:
                raise ValueError(
                    f"No degrees of freedom are left for the dispersion ({rows:g} rows, {self.rank_} coefficients)"
                    + ("; weights that do not count rows need weight_type='prior'." if frequency else ".")
                )
            phi, known = self.pearson_chi2_ / df, False
        elif dispersion != "auto":
            phi = float(dispersion)
        estimate = np.append(self.intercept_, self.coef_) if self.fit_intercept else np.asarray(self.coef_)
        estimate = estimate.astype(np.float64)
        error = np.sqrt(phi * np.diag(covariance))
        statistic = estimate / error
        half = normal_or_t_quantile(level, None if known else df) * error
        likelihood = self.log_likelihood_ if frequency else self._prior_log_likelihood_
        if dispersion == "pearson" and family.dispersion_known:
            likelihood = np.nan
        facts = {
            "family": family.name,
            "link": link.name,
            "dispersion": phi,
            "null_deviance": self.null_deviance_,
            "df_null": rows - int(self.fit_intercept),
            "deviance": self.deviance_,
            "df_residual": df,
            "pearson_chi2": self.pearson_chi2_,
            "log_likelihood": likelihood,
            "aic": 2.0 * self.n_parameters_ - 2.0 * likelihood,
            "bic": np.log(rows) * self.n_parameters_ - 2.0 * likelihood,
            "n_iter": self.n_iter_,
        }
        labels = {
            "family": "Family",
            "link": "Link",
            "dispersion": "Dispersion" + (" (fixed)" if known else " (Pearson)"),
            "null_deviance": "Null deviance",
            "df_null": "  degrees of freedom",
            "deviance": "Residual deviance",
            "df_residual": "  degrees of freedom",
            "aic": "AIC",
            "bic": "BIC",
            "n_iter": "Iterations",
        }
        facts = {
            key: int(value) if key.startswith("df_") and value == int(value) else value for key, value in facts.items()
        }
        if family.name == "negative_binomial":
            facts["theta"], facts["theta_std_error"] = self.theta_, self.theta_std_error_
            labels["theta"], labels["theta_std_error"] = "theta", "  standard error"
        if family.name == "tweedie":
            facts["power"], labels["power"] = family.power, "Variance power"
        table = Table(
            term_names(self, intercept=self.fit_intercept),
            {
                "estimate": estimate,
                "std_error": error,
                "z" if known else "t": statistic,
                "p": two_sided(statistic, None if known else df),
                "ci_low": estimate - half,
                "ci_high": estimate + half,
            },
        )
        printed = {key: label for key, label in labels.items() if not (key in ("aic", "bic") and np.isnan(facts[key]))}
        return Summary("Generalised linear model", table, facts, printed)


def deviance_test(*models, test="auto"):
    r"""Analysis of deviance: compares nested generalised linear models fitted to the same rows.

    The drop of the deviance from each model to the next larger one, divided by the dispersion, is compared with a
    chi-squared distribution where the family fixes the dispersion, and as an F ratio where the largest model
    estimates it.

    Parameters
    ----------
    *models : fitted estimators
        Two or more `GeneralizedLinearRegressor` without a penalty, of one family, in any order. That they are nested
        is for the caller to know; different numbers of rows are refused.
    test : {"auto", "chi2", "F"}, default="auto"

    Returns
    -------
    Summary
        One row per model: residual degrees of freedom, deviance, and against the row above the drops of both, the
        statistic and the p value.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.linear import GeneralizedLinearRegressor, deviance_test
    >>> X = np.array([[0.0, 1], [1, 0], [2, 1], [3, 0], [4, 1], [5, 0]])
    >>> y = np.array([1, 2, 2, 5, 7, 12])
    >>> small = GeneralizedLinearRegressor("poisson").fit(X[:, :1], y)
    >>> large = GeneralizedLinearRegressor("poisson").fit(X, y)
    >>> deviance_test(small, large)["p"].round(4)
    array([   nan, 0.6821])
    """
    from scipy.special import chdtrc, fdtrc

    check_value("test", test, [Options("auto", "chi2", "F")], "deviance_test")
    if len(models) < 2:
        raise ValueError("models: at least two fitted models are needed.")
    for model in models:
        if not isinstance(model, GLMInference):
            raise TypeError(f"models: expected generalised linear models, got {type(model).__name__}.")
        if model._fitted_model()[0].name != models[0]._fitted_model()[0].name:
            raise ValueError("models: the families differ.")
        if (model.n_rows_, model.total_weight_) != (models[0].n_rows_, models[0].total_weight_):
            raise ValueError("models: they were fitted to different numbers of rows.")
        if model.rank_ == len(model.coef_) + int(model.fit_intercept):
            model._need_covariance()  # refuses penalised fits
    ordered = sorted(models, key=lambda model: model.rank_)
    family = ordered[-1]._fitted_model()[0]
    if family.name == "negative_binomial" and len({model.theta_ for model in models}) > 1:
        raise ValueError("models: their thetas differ, so deviances do not compare; fix theta at the largest model's.")
    kind = ("chi2" if family.dispersion_known else "F") if test == "auto" else test
    phi = 1.0 if family.dispersion_known else ordered[-1].dispersion_
    df = np.array([model.df_residual_ for model in ordered], dtype=float)
    deviance = np.array([model.deviance_ for model in ordered])
    drop = np.append(np.nan, deviance[:-1] - deviance[1:])
    steps = np.append(np.nan, df[:-1] - df[1:])
    if np.any(steps[1:] == 0):
        raise ValueError("models: two of them have the same number of coefficients.")
    statistic = drop / phi if kind == "chi2" else drop / steps / phi
    p = np.full(len(ordered), np.nan)
    p[1:] = chdtrc(steps[1:], statistic[1:]) if kind == "chi2" else fdtrc(steps[1:], df[-1], statistic[1:])
    columns = {"df_residual": df, "deviance": deviance, "df": steps, "deviance_drop": drop}
    columns["F" if kind == "F" else "chi2"] = statistic
    columns["p"] = p
    rows = [f"{model.rank_} coefficients" for model in ordered]
    return Summary("Analysis of deviance", Table(rows, columns), {"dispersion": phi}, {"dispersion": "Dispersion"})
