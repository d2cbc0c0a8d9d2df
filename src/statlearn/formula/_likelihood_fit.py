"""Linear and generalised linear models by formula: R's answers about a fit by maximum likelihood."""

import copy
from dataclasses import replace

import numpy as np

from statlearn._core.params import Options, Real, check_value
from statlearn._core.summary import Summary, Table
from statlearn._math.formulas.design import INTERCEPT, Design
from statlearn._math.formulas.limits import shortened
from statlearn._math.formulas.reading import proportions
from statlearn._math.inference import normal_or_t_quantile

from ._comparisons import Comparisons
from ._core import fit_core
from ._covariance import COVARIANCES, covariance_of
from ._diagnostics import draw_diagnostics
from ._effects import Effects
from ._frame import as_table, table_columns
from ._influence import influence_of
from ._model_fit import ModelFit
from ._profile import profile_limits
from ._simulate import simulated
from ._tables import coefficient_table, upper_tail

_RESIDUALS = ("deviance", "pearson", "response", "working", "standardized", "studentized", "partial")
_LEVEL = [Real(0, 1, closed="neither")]


class LikelihoodFit(Comparisons, Effects, ModelFit):  # type: ignore[misc]  # margins by the delta method
    """A linear or generalised linear model by formula, with the answers that R has for ``lm`` and ``glm``.

    Made by :func:`lm` and :func:`glm`. Weights divide the variance of a row, as in R; observations are rows. All
    methods take the training table from the fit.

    Parameters
    ----------
    formula : str
    data : data frame or dict of columns
    kind : Kind
        Least squares, or a family and its link.
    weights, offset, subset, contrasts
        See :func:`lm`.

    Attributes
    ----------
    formula : str
    estimator_ : LinearRegression or GeneralizedLinearRegressor
    coef : ndarray
        Coefficients in the order of `names`; NaN for columns that depend on earlier ones.
    names : list of str
        Names of the coefficients, as R prints them.
    n, n_dropped : int
        Rows used, and rows left out because of missing values.
    deviance : float
        Residual sum of squares for `lm`.
    df_residual : int
    dispersion : float
        Residual variance for `lm`; 1 if the family fixes it.

    Examples
    --------
    >>> from statlearn.formula import lm
    >>> fit = lm("y ~ x", {"y": [1.0, 2.0, 4.0, 3.0, 6.0], "x": [1, 2, 3, 4, 5]})
    >>> fit.names, fit.coef.round(3).tolist()
    (['(Intercept)', 'x'], [-0.1, 1.1])
    >>> round(float(fit.AIC()), 3)
    17.108
    """

    def __init__(self, formula, data, kind=None, *, weights=None, offset=None, subset=None, contrasts=None):
        self.kind = kind
        super().__init__(formula, data, weights=weights, offset=offset, subset=subset, contrasts=contrasts)

    def _settings(self):
        return {"kind": self.kind}

    def _fit(self):
        frame, self.kind = self._frame, self.kind
        self.design, Z = Design.learn(frame.terms, frame.columns, frame.n, self._contrasts)
        offset = self.design.offset(frame.columns, frame.n)
        if frame.offset is not None:
            offset = frame.offset if offset is None else offset + frame.offset
        y, weights = self._response(frame)
        self.core = fit_core(self.kind, Z, frame.terms.intercept, y, weights, offset)
        self.estimator_ = self.core.estimator
        self.names = ["(Intercept)" if name == INTERCEPT else name for name in self.design.names]
        self.coef = self.core.coef

    def _response(self, frame):
        """Numbers of the target and weights: proportions and numbers of trials for a binomial pair of columns."""
        y, weights = frame.y, frame.weights
        binomial = self.kind.family == "binomial" and not self.kind.least_squares
        if frame.classes is not None:
            if not binomial:
                raise ValueError(
                    f"`formula`: the target {frame.target_text} is a factor; {self.kind.name} needs numbers."
                )
            if len(frame.classes) < 2:
                raise ValueError(f"`formula`: the target {frame.target_text} has a single level.")
            y = (y > 0).astype(float)  # as in R: the first level is failure, all others are success
        if y.ndim == 2:
            if not binomial:
                raise ValueError(
                    "`formula`: lm and glm with this family have one target; fit several with "
                    "model(formula, data, LinearRegression())."
                )
            y, trials = proportions(y)
            weights = trials if weights is None else weights * trials
        return y, weights

    # -------------------------------------------------------------------------------------------- the fit itself

    @property
    def deviance(self):
        return self.core.deviance

    @property
    def df_residual(self):
        return self.core.df_residual

    @property
    def dispersion(self):
        return self.core.dispersion

    @property
    def fitted_values(self):
        return self.core.mu

    @property
    def nobs(self):
        return self.core.n

    def log_likelihood(self):
        """Maximised log-likelihood.

        Returns
        -------
        float
        """
        return self.core.log_likelihood

    def aic(self, k=2.0):
        """Akaike's criterion, -2 log-likelihood + k times the number of parameters.

        Parameters
        ----------
        k : float, default=2.0

        Returns
        -------
        float
        """
        return -2.0 * self.core.log_likelihood + k * self.core.n_parameters

    def bic(self):
        """The Bayesian information criterion.

        Returns
        -------
        float
        """
        return self.aic(np.log(self.core.n))

    logLik, AIC, BIC = log_likelihood, aic, bic

    @property
    def _df(self):
        """Degrees of freedom of t tests; None for z tests."""
        return None if self.core.known else self.core.df_residual

    def _covariance(self, cov, groups, lag):
        check_value("cov", cov, [Options(*COVARIANCES)], "vcov")
        if isinstance(groups, str):
            frame = self._training()
            cells = table_columns(as_table(self._data), [groups])[groups]
            groups = cells.as_strings()[frame.rows]
            if any(value is None for value in groups):
                raise ValueError("`groups` has missing values in rows of the fit.")
            groups = groups.astype(str)
        if groups is not None and len(groups) != len(self.core.y):
            raise ValueError(f"`groups` must have one value for each of {len(self.core.y)} rows, got {len(groups)}.")
        return covariance_of(self.core, cov, groups=groups, lag=lag)

    def vcov(self, cov="nonrobust", *, groups=None, lag=None):
        """Covariance matrix of the coefficients; NaN for those that are not identified.

        Parameters
        ----------
        cov : {"nonrobust", "HC0", "HC1", "HC2", "HC3", "HC4", "cluster", "HAC"}, default="nonrobust"
            Estimate of the covariance: by the model, or valid under unequal variances, in groups of dependent rows, or
            for rows in the order of time (Newey and West).
        groups : str, array-like or None, default=None
            Groups of "cluster": a column of the data or a value for each row used.
        lag : int or None, default=None
            Largest lag of "HAC"; None is Newey and West's rule.

        Returns
        -------
        ndarray
        """
        out = np.full((len(self.coef), len(self.coef)), np.nan)
        identified = self.core.identified
        out[np.ix_(identified, identified)] = self._covariance(cov, groups, lag)
        return out

    def summary(self, *, cov="nonrobust", groups=None, lag=None, level=0.95):
        """Coefficients with tests and intervals, and facts of the fit.

        Parameters
        ----------
        cov, groups, lag
            See `vcov`.
        level : float, default=0.95
            Coverage of the Wald intervals.

        Returns
        -------
        Summary
        """
        check_value("level", level, _LEVEL, "summary")
        core, covariance = self.core, self.vcov(cov, groups=groups, lag=lag)
        error = np.sqrt(np.diag(covariance))
        table = coefficient_table(self.names, self.coef, error, self._df, level)
        facts, labels = self._least_squares_facts() if core.kind.least_squares else self._glm_facts()
        notes = []
        if len(core.identified) < len(self.names):
            lost = [name for name, value in zip(self.names, self.coef) if np.isnan(value)]
            notes.append(f"Not defined because of linear dependence: {', '.join(lost[:20])}.")
        if cov != "nonrobust":
            notes.append(f"Standard errors are {cov}.")
        title = "Linear model" if core.kind.least_squares else "Generalised linear model"
        return self._noted(Summary(f"{title}: {shortened(self.formula)[1:-1]}", table, facts, labels, notes=notes))

    def _least_squares_facts(self):
        core, c = self.core, int(self.terms.intercept)
        w, f = core.weights, core.mu
        centre = np.average(f, weights=w) if c else 0.0
        mss, slopes, df = float(w @ (f - centre) ** 2), core.rank - c, core.df_residual
        r2 = mss / (mss + core.deviance) if slopes else 0.0
        with np.errstate(divide="ignore", invalid="ignore"):
            F = mss / slopes / core.dispersion if slopes and df > 0 else np.nan
        facts = {
            "n": core.n, "df_residual": df, "sigma": np.sqrt(core.dispersion), "rss": core.deviance, "r2": r2,
            "adjusted_r2": 1 - (1 - r2) * (core.n - c) / df if df > 0 else np.nan, "F": F,
            "F_df": f"{slopes}, {df:g}", "F_p": float(upper_tail("F", F, slopes, df)) if df > 0 else np.nan,
            "log_likelihood": core.log_likelihood, "aic": self.aic(), "bic": self.bic(),
        }  # fmt: skip
        labels = {
            "n": "observations", "df_residual": "residual df", "sigma": "residual std. error", "r2": "R-squared",
            "adjusted_r2": "adjusted R-squared", "F": "F statistic", "F_df": "F degrees of freedom",
            "F_p": "p value of F", "log_likelihood": "log-likelihood", "aic": "AIC", "bic": "BIC",
        }  # fmt: skip
        return facts, labels

    def _glm_facts(self):
        core = self.core
        null = self.null_core()
        facts = {
            "n": core.n, "family": core.kind.shown, "link": core.link.name, "dispersion": core.dispersion,
            "null_deviance": null.deviance, "df_null": null.df_residual, "deviance": core.deviance,
            "df_residual": core.df_residual, "pearson_chi2": core.pearson, "log_likelihood": core.log_likelihood,
            "aic": self.aic(), "bic": self.bic(), "n_iter": core.n_iter,
        }  # fmt: skip
        labels = {
            "n": "observations", "family": "family", "link": "link",
            "dispersion": "dispersion" + (" (fixed)" if core.known else " (Pearson)"),
            "null_deviance": "null deviance", "df_null": "  degrees of freedom", "deviance": "residual deviance",
            "df_residual": "  degrees of freedom", "aic": "AIC", "bic": "BIC",
        }  # fmt: skip
        if core.kind.family == "negative_binomial":
            facts["theta"], labels["theta"] = core.family.theta, "theta"
        return facts, {
            key: label for key, label in labels.items() if not (key in ("aic", "bic") and np.isnan(facts[key]))
        }

    def null_core(self):
        """The fit of the intercept alone, or of nothing without an intercept."""
        c = int(self.terms.intercept)
        core = self.core
        if not c:
            mu = core.link.inverse(core.offset)
            null = copy.copy(core)
            null.identified, null.deviance = (
                core.identified[:0],
                float(core.weights @ core.family.unit_deviance(core.y, mu)),
            )
            return null
        return fit_core(self._fixed_kind(), core.Z[:, :c], True, core.y, core.weights, core.offset)

    def _fixed_kind(self):
        """The kind for submodels: theta of a negative binomial model is that of the model itself, as in R."""
        if self.kind.family == "negative_binomial" and self.kind.theta == "ml":
            return replace(self.kind, theta=float(self.core.family.theta))
        return self.kind

    def core_without(self, mask):
        """The fit without some columns of the design."""
        core = self.core
        if not mask.any():
            return core
        intercept = self.terms.intercept and not mask[0]
        return fit_core(self._fixed_kind(), core.Z[:, ~mask], intercept, core.y, core.weights, core.offset)

    # ------------------------------------------------------------------------------------------ intervals, predictions

    def confint(self, *, level=0.95, method="wald", cov="nonrobust", groups=None, lag=None):
        """Confidence intervals of the coefficients.

        Parameters
        ----------
        level : float, default=0.95
        method : {"wald", "profile"}, default="wald"
            "profile" inverts the likelihood-ratio test of each coefficient, as R's ``confint(glm)`` does; for least
            squares both agree.
        cov, groups, lag
            See `vcov`; "wald" only.

        Returns
        -------
        Table
            Columns ci_low and ci_high.
        """
        check_value("level", level, _LEVEL, "confint")
        check_value("method", method, [Options("wald", "profile")], "confint")
        if method == "profile" and not self.core.kind.least_squares:
            limits = np.array(
                [profile_limits(self.core, j, self.terms.intercept, level) for j in range(len(self.coef))]
            )
            return Table(list(self.names), {"ci_low": limits[:, 0], "ci_high": limits[:, 1]})
        error = np.sqrt(np.diag(self.vcov(cov, groups=groups, lag=lag)))
        half = normal_or_t_quantile(level, self._df) * error
        return Table(list(self.names), {"ci_low": self.coef - half, "ci_high": self.coef + half})

    def predict(self, data=None, *, type="response", interval=None, level=0.95, se=False, cov="nonrobust", groups=None,
                lag=None):  # fmt: skip
        """Predicted means, with standard errors and intervals on request.

        Parameters
        ----------
        data : data frame, dict of columns or None, default=None
            None predicts the training rows.
        type : {"response", "link"}, default="response"
        interval : {"confidence", "prediction"} or None, default=None
            Of the mean, or (`lm` only) of a new observation of weight 1. For generalised linear models the limits are
            those of the linear predictor, transformed.
        level : float, default=0.95
        se : bool, default=False
            Whether to return standard errors.
        cov, groups, lag
            See `vcov`.

        Returns
        -------
        ndarray, or Table with columns fit, std_error, ci_low, ci_high
            NaN for rows with missing values.
        """
        check_value("type", type, [Options("response", "link")], "predict")
        check_value("interval", interval, [Options("confidence", "prediction"), None], "predict")
        check_value("level", level, _LEVEL, "predict")
        core = self.core
        if interval == "prediction" and not core.kind.least_squares:
            raise ValueError("interval='prediction' is available for lm only; see `simulate` for other families.")
        Z, offset, complete = self._new(data)
        Z = Z[:, core.identified]
        eta = Z @ core.coef[core.identified] + offset
        columns = {"fit": eta if type == "link" else core.link.inverse(eta)}
        if se or interval is not None:
            V = self._covariance(cov, groups, lag)
            error = np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", Z, V, Z), 0.0))
            slope = np.abs(core.link.slopes(eta)[0]) if type == "response" else 1.0
            if se:
                columns["std_error"] = error * slope
            if interval is not None:
                spread = np.sqrt(error**2 + core.dispersion) if interval == "prediction" else error
                half = normal_or_t_quantile(level, self._df) * spread
                ends = [eta - half, eta + half]
                if type == "response":
                    ends = np.sort([core.link.inverse(end) for end in ends], axis=0)
                columns["ci_low"], columns["ci_high"] = ends
        out = {}
        for name, values in columns.items():
            out[name] = np.full(len(complete), np.nan)
            out[name][complete] = values
        return out["fit"] if len(out) == 1 else Table(list(range(len(complete))), out)

    def residuals(self, type=None):
        """Residuals of the training rows.

        Parameters
        ----------
        type : {"deviance", "pearson", "response", "working", "standardized", "studentized", "partial"} or None, \
default=None
            None is "response" for `lm` and "deviance" for `glm`. "standardized" and "studentized" are R's ``rstandard``
            and ``rstudent``; "partial" has a column for each term.

        Returns
        -------
        ndarray
        """
        core = self.core
        type = type or ("response" if core.kind.least_squares else "deviance")
        check_value("type", type, [Options(*_RESIDUALS)], "residuals")
        if type in ("standardized", "studentized"):
            return getattr(self.influence(), type)
        root, gap = np.sqrt(core.weights), core.y - core.mu
        if type == "response":
            return gap
        if type == "deviance":
            return np.sign(gap) * root * np.sqrt(np.maximum(core.family.unit_deviance(core.y, core.mu), 0.0))
        if type == "pearson":
            return root * gap / np.sqrt(core.family.variance(core.mu)[0])
        if type == "working":
            return core.working[0]
        return core.working[0][:, None] + self.term_contributions()

    def term_contributions(self):
        """Contribution of each term to the linear predictor, centred, one column per term (R's ``type = "terms"``).

        Returns
        -------
        ndarray of shape (n, n_terms)
        """
        numbers, coef = np.asarray(self.design.numbers), np.nan_to_num(self.coef)
        parts = [self.core.Z[:, numbers == k] @ coef[numbers == k] for k in range(len(self.terms.terms))]
        parts = np.column_stack(parts) if parts else np.zeros((len(self.core.y), 0))
        return parts - (parts.mean(axis=0) if self.terms.intercept else 0.0)

    def influence(self):
        """Leverages, Cook's distances, dffits, dfbetas and the other measures of R's ``influence.measures``.

        Returns
        -------
        InfluenceMeasures
        """
        return influence_of(self.core, [self.names[k] for k in self.core.identified])

    # ------------------------------------------------------------------------------------------- simulation, pictures

    def simulate(self, n_samples=1, *, random_state=None):
        """New responses of the training rows, drawn from the fitted model.

        Parameters
        ----------
        n_samples : int, default=1
        random_state : int, RandomState or None, default=None

        Returns
        -------
        ndarray of shape (n, n_samples)
            Proportions for binomial models with numbers of trials.
        """
        return simulated(self.core, n_samples, random_state)

    def plot(self, which=(1, 2, 3, 5), *, axes=None):
        """The diagnostic pictures of R's ``plot(lm)``.

        Parameters
        ----------
        which : sequence of int, default=(1, 2, 3, 5)
            1 residuals and fitted values, 2 quantiles, 3 scale and location, 4 Cook's distances, 5 leverages.
        axes : array of matplotlib Axes or None, default=None

        Returns
        -------
        ndarray of matplotlib Axes
        """
        return draw_diagnostics(self, which, axes)

    def _new(self, data):
        """Design, offset and mask of the complete rows of a table; None stands for the training rows."""
        columns, n, complete = self._rows_of(data)
        if data is None:
            return self.core.Z, self.core.offset, complete
        Z = self.design.matrix(columns, n) if n else np.empty((0, len(self.design.names)))
        offset = self.design.offset(columns, n) if n else None
        return Z, np.zeros(n) if offset is None else offset, complete

    def _means_of(self, columns):
        n = len(next(iter(columns.values())))
        Z, offset = self.design.matrix(columns, n), self.design.offset(columns, n)
        eta = Z[:, self.core.identified] @ self.coef[self.core.identified] + (0.0 if offset is None else offset)
        return self.core.link.inverse(eta)
