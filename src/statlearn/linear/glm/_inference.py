"""Inference for generalised linear models as in R's glm: covariance and summary table."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Options, Real, check_value
from statlearn._core.summary import Summary, Table
from statlearn._math.inference import normal_or_t_quantile, two_sided
from statlearn._math.linalg.positive import cholesky, positive_system
from statlearn.linear._base import dependence_note, term_names
from statlearn.linear._nested_models import NestedFit

INFERENCE_WIDTH = 2000  # maximum number of coefficients for which a covariance matrix is formed


def inverse_information(design, h, intercept, aliased=()):
    """Inverse of the information matrix, intercept first, with NaN for `aliased` columns; None if it is singular."""
    return inverse_of_products(*design.gram(h, intercept), intercept, aliased)


def inverse_of_products(S, mean, total, intercept, aliased=()):
    """That inverse from the products about the means, the means and the sum of the weights of the rows."""
    columns = np.setdiff1d(np.arange(len(S)), aliased)
    factor = cholesky(S[np.ix_(columns, columns)])
    if factor is None:
        return None
    c = int(intercept)
    out = np.full((len(S) + c, len(S) + c), np.nan)
    out[np.ix_(c + columns, c + columns)] = V = factor.inverse()
    if intercept:
        out[0, 1 + columns] = out[1 + columns, 0] = -V @ mean[columns]
        out[0, 0] = 1.0 / total + mean[columns] @ V @ mean[columns]
    return out


def identified_coefficients(design, h, intercept, aliased, found):
    """Intercept and coefficients of the fit without the aliased columns, which are NaN, as R prints them."""
    S, mean, _ = design.gram(h, intercept)
    columns = np.setdiff1d(np.arange(design.p), aliased)
    coef = np.full(design.p, np.nan)
    # Both fits have the same scores, so the kept columns reproduce those of all columns exactly.
    coef[columns] = positive_system(S[np.ix_(columns, columns)]).solve(S[columns] @ found.coef)
    if not intercept:
        return coef
    return np.append(found.intercept + mean @ found.coef - mean[columns] @ coef[columns], coef)


def _whole(count):
    """A count as an int if it is whole; sums of weights may be fractions."""
    return int(count) if count == int(count) else count


class GLMInference:
    """Inference for the coefficients of a fitted model."""

    @property
    def df_residual_(self):
        """Residual degrees of freedom: sum of the weights minus the rank."""
        check_is_fitted(self)
        return self.total_weight_ - self.rank_

    @property
    def dispersion_(self):
        """Pearson's estimate of the dispersion, even if the model fixes it at 1."""
        return self.pearson_chi2_ / self.df_residual_ if self.df_residual_ > 0 else np.nan

    def _need_covariance(self):
        check_is_fitted(self)
        if self.covariance_ is not None:
            return self.covariance_
        if self.separated_:
            raise ValueError("Inference is not available: estimates are infinite (see fit's SeparationWarning).")
        if len(self.coef_) + 1 > INFERENCE_WIDTH:
            raise ValueError(f"Inference is not available for more than {INFERENCE_WIDTH} coefficients.")
        raise ValueError(
            "Standard errors are not available after a penalised fit: the penalty biases the coefficients, so tests "
            "and intervals would not be valid. Refit with alpha=0 on columns chosen in advance."
        )

    def _nested_fit(self):
        if not len(self.aliased_):
            self._need_covariance()  # raises an error for penalised fits
        family = self._fitted_model()[0]
        pearson = self.dispersion_
        return NestedFit(
            family.name,
            self.deviance_,
            self.rank_,
            self.df_residual_,
            None if family.dispersion_known else pearson,
            rows=(self.n_rows_, self.total_weight_),
            theta=self.theta_ if family.name == "negative_binomial" else None,
            pearson=pearson,
        )

    def summary(self, *, level=0.95, dispersion="auto", weights="frequency"):
        """Coefficient table, deviances and information criteria, as in R's ``summary.glm``.

        Standard errors are based on the expected (Fisher) information. Tests are z tests if the model fixes the
        dispersion (binomial, poisson, negative binomial) and t tests if it is estimated.

        Parameters
        ----------
        level : float, default=0.95
            Confidence level of the Wald intervals.
        dispersion : "auto", "pearson" or float, default="auto"
            "auto" is 1 if the model fixes the dispersion, otherwise Pearson's estimate. "pearson" gives quasi-Poisson
            and quasi-binomial inference.
        weights : {"frequency", "precision"}, default="frequency"
            Whether a training weight of k counts as k rows ("frequency"), or divides the variance of one row by k as
            ``glm(weights=)`` in R does ("precision").

        Returns
        -------
        Summary

        Raises
        ------
        ValueError
            After a penalised fit, or if estimates are infinite.

        Notes
        -----
        A column that depends linearly on earlier ones has NaN throughout, and the others are those of a fit without
        it, as in R.
        """
        check_value("level", level, [Real(0, 1, closed="neither")], "summary")
        check_value("weights", weights, [Options("frequency", "precision")], "summary")
        check_value("dispersion", dispersion, [Options("auto", "pearson"), Real(0, None, closed="neither")], "summary")
        family, link = self._fitted_model()
        covariance = self._need_covariance()
        frequency = weights == "frequency"
        rows = self.total_weight_ if frequency else self.n_rows_
        df = rows - self.rank_
        phi, known = self._summary_dispersion(family, dispersion, rows, frequency)
        likelihood = self.log_likelihood_ if frequency else self._prior_log_likelihood_
        if dispersion == "pearson" and family.dispersion_known:
            likelihood = np.nan
        facts, labels = self._summary_facts(family, link, phi, known, rows, likelihood)
        estimate = self._estimates()
        error = np.sqrt(phi * np.diag(covariance))
        statistic = estimate / error
        half = normal_or_t_quantile(level, None if known else df) * error
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
        notes = []
        if len(self.aliased_):
            names = term_names(self, intercept=False)
            notes = [dependence_note([names[j] for j in self.aliased_])]
        return Summary("Generalised linear model", table, facts, labels, notes=notes)

    def _estimates(self):
        """Intercept and coefficients in double precision, with NaN for columns that depend on earlier ones."""
        if self._identified is not None:
            return self._identified
        estimate = np.append(self.intercept_, self.coef_) if self.fit_intercept else np.asarray(self.coef_)
        return estimate.astype(np.float64)

    def _summary_dispersion(self, family, dispersion, rows, frequency):
        """The dispersion of a summary, and whether it is known, so that tests are z tests."""
        if dispersion == "pearson" or (dispersion == "auto" and not family.dispersion_known):
            df = rows - self.rank_
            if df <= 0:
                raise ValueError(
                    f"The dispersion has no residual degrees of freedom ({rows:g} rows, {self.rank_} coefficients)"
                    + ("; if the weights are not counts, use weights='precision'." if frequency else ".")
                )
            return self.pearson_chi2_ / df, False
        return (1.0 if dispersion == "auto" else float(dispersion)), True

    def _summary_facts(self, family, link, phi, known, rows, likelihood):
        """Facts of the fit by name, and the labels of those that are printed."""
        facts = {
            "n": _whole(rows),
            "family": family.name,
            "link": link.name,
            "dispersion": phi,
            "null_deviance": self.null_deviance_,
            "df_null": _whole(rows - int(self.fit_intercept)),
            "deviance": self.deviance_,
            "df_residual": _whole(rows - self.rank_),
            "pearson_chi2": self.pearson_chi2_,
            "log_likelihood": likelihood,
            "aic": 2.0 * self.n_parameters_ - 2.0 * likelihood,
            "bic": np.log(rows) * self.n_parameters_ - 2.0 * likelihood,
            "n_iter": self.n_iter_,
        }
        labels = {
            "n": "observations",
            "family": "family",
            "link": "link",
            "dispersion": "dispersion" + (" (fixed)" if known else " (Pearson)"),
            "null_deviance": "null deviance",
            "df_null": "  degrees of freedom",
            "deviance": "residual deviance",
            "df_residual": "  degrees of freedom",
            "aic": "AIC",
            "bic": "BIC",
            "n_iter": "iterations",
        }
        if family.name == "negative_binomial":
            facts["theta"], facts["theta_std_error"] = self.theta_, self.theta_std_error_
            labels["theta"], labels["theta_std_error"] = "theta", "  standard error"
        if family.name == "tweedie":
            facts["power"], labels["power"] = family.power, "variance power"
        return facts, {
            key: label for key, label in labels.items() if not (key in ("aic", "bic") and np.isnan(facts[key]))
        }
