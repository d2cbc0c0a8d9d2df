"""Generalised linear models: estimation by Newton's method, inference as R's glm reports it, elastic-net penalties."""

import numpy as np
from scipy import linalg
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from statlearn._core.params import Int, Options, Real, check_params, check_value
from statlearn._core.search import SearchSpace
from statlearn._core.summary import Summary, Table
from statlearn._core.validation import FLOATS, check_weights
from statlearn._core.warnings import (
    MAX_ITER,
    OK,
    RankWarning,
    SeparationWarning,
    StatlearnWarning,
    warn,
    warn_if_stopped,
)
from statlearn.linear._base import linear_scores, term_names
from statlearn.linear._families import FAMILIES, LINKS, GlmLoss, Tweedie, make_family, make_link, theta_ml
from statlearn.linear._glm_native import WIDEST, has_kernel, newton_fit, newton_path
from statlearn.linear._loss_penalty import Design, minimise
from statlearn.linear._penalty import PENALTY_SCALE, elastic_net_terms

_INFERENCE_WIDTH = 2000  # beyond, no covariance matrix of the coefficients is formed


# --------------------------------------------------------------------------------------------- estimation, step by step


def resolve_link(family, link, link_power=None):
    """The link object behind a name, "auto" or "canonical"."""
    if link == "auto":
        return make_link(family.default_link)
    if link == "canonical":
        if isinstance(family, Tweedie):
            return make_link("power", 1.0 - family.power)
        return make_link(family.canonical)
    return make_link(link, link_power)


def check_response(y, family):
    """Refuse values that the family cannot produce."""
    bad = ~family.in_range(y)
    if bad.any():
        raise ValueError(
            f"Some value(s) of y are out of the valid range of the loss of family {family.name!r}: "
            f"{np.asarray(y)[bad][0]!r} in row {int(np.flatnonzero(bad)[0])}."
        )


def total_offset(offset, exposure, link, n):
    """offset + log(exposure) as an array of length n, or None."""
    if offset is None and exposure is None:
        return None
    total = np.zeros(n)
    for name, values in (("offset", offset), ("exposure", exposure)):
        if values is None:
            continue
        values = check_array(np.broadcast_to(values, (n,)) if np.isscalar(values) else values, ensure_2d=False,
                             dtype=np.float64, input_name=name)  # fmt: skip
        if values.shape != (n,):
            raise ValueError(f"{name} has shape {values.shape}, expected {(n,)}.")
        if name == "exposure":
            if link.name != "log":
                raise ValueError(f"exposure needs the log link; with link {link.name!r} give an offset.")
            if np.any(values <= 0):
                raise ValueError("exposure must be positive.")
            values = np.log(values)
        total += values
    return total


def null_fit(y, weights, offset, family, link):
    """Means of the model with an intercept alone (and the offset)."""
    mean = weights @ y / weights.sum()
    if offset is None:
        return np.full(len(y), mean)
    start = _start_intercept(mean, offset, family, link, y)
    found = minimise(Design(np.empty((len(y), 0))), GlmLoss(y, family, link), weights / weights.sum(), offset=offset,
                     start=(np.empty(0), start), tol=1e-12)  # fmt: skip
    return link.inverse(found.intercept + offset)


def _start_intercept(mean, offset, family, link, y):
    if not np.all(family.valid_mean(np.asarray(mean))):
        raise ValueError(
            f"The mean of y is {mean:g}, at the edge of the {family.name} family: no finite intercept gives that mean."
        )
    centre = float(link.link(mean))
    if offset is None:
        return centre
    loss = GlmLoss(y, family, link)
    for shift in (np.mean(offset), np.min(offset), np.max(offset)):
        if np.all(np.isfinite(loss.value(centre - shift + offset))):
            return centre - float(shift)
    raise ValueError("offset: no intercept makes all means valid for this family and link.")


def starting_point(design, y, weights, offset, family, link, intercept):
    """A point inside the domain: the constant model, or without an intercept zero or one step of least squares."""
    if intercept:
        return np.zeros(design.p), _start_intercept(weights @ y / weights.sum(), offset, family, link, y)
    loss = GlmLoss(y, family, link)
    fixed = np.zeros(design.n) if offset is None else offset
    if np.all(np.isfinite(loss.value(fixed))):
        return np.zeros(design.p), 0.0
    mu = family.start(y, weights)
    eta = link.link(mu)
    h = weights * loss.expected_curvature(eta)
    S, *_ = design.cross_products(h, False)
    coef = linalg.lstsq(S, design.project(h * (eta - fixed)))[0]
    if np.all(np.isfinite(loss.value(design.scores(coef) + fixed))):
        return coef, 0.0
    raise ValueError("No valid starting point was found for this family and link without an intercept; fit one.")


def fit_glm(design, y, weights, offset, family, link, *, l1=0.0, l2=0.0, intercept=True, start=None, tol=1e-8,
            gradient_tol=None, max_iter=100):  # fmt: skip
    """Minimise the mean half deviance plus the penalty; a `Solution`."""
    if start is None:
        start = starting_point(design, y, weights, offset, family, link, intercept)
    if l1 > 0.0 and has_kernel(family, link):
        return newton_path(design, y, weights, offset, family, link, [l1], [l2], intercept=intercept, start=start,
                           tol=tol, max_iter=max_iter)[0]  # fmt: skip
    if l1 == 0.0 and design.p <= WIDEST and has_kernel(family, link):
        return newton_fit(design, y, weights, offset, family, link, l2=l2, intercept=intercept, start=start, tol=tol,
                          gradient_tol=gradient_tol, max_iter=max_iter)  # fmt: skip
    return minimise(design, GlmLoss(y, family, link), weights / weights.sum(), l1=l1, l2=l2, intercept=intercept,
                    offset=offset, start=start, tol=tol, gradient_tol=gradient_tol, max_iter=max_iter)  # fmt: skip


def fit_negative_binomial(design, y, weights, offset, link, **options):
    """Alternate between the coefficients and the maximum-likelihood theta; (solution, family, standard error)."""
    found = fit_glm(design, y, weights, offset, make_family("poisson"), link, **options)
    fixed = 0.0 if offset is None else offset
    theta = None
    for _ in range(100):
        mu = link.inverse(design.scores(found.coef) + found.intercept + fixed)
        new, error = theta_ml(y, mu, weights)
        if np.isinf(new):
            warn(
                "The counts are not overdispersed: the likelihood of the negative binomial rises as theta grows, "
                "towards the Poisson model. theta was set to 1e8; use family='poisson'.",
                StatlearnWarning,
            )
            new, error = 1e8, np.inf
        family = make_family("negative_binomial", theta=new)
        settled = theta is not None and abs(new - theta) <= 1e-9 * theta
        theta = new
        options["start"] = (found.coef, found.intercept)
        steps = found.n_iter
        found = fit_glm(design, y, weights, offset, family, link, **options)
        found.n_iter += steps
        if settled or np.isinf(error):
            return found, family, error
    found.status = MAX_ITER
    return found, family, error


def runaway_direction(design, y, family, link, intercept):
    """A direction of (intercept, coefficients) along which the likelihood never stops rising, or None.

    Rows inside the range of y must not move along it; rows at a bound may move towards it, and one must. The first
    condition leaves the null space of those rows, the second is a small linear program in it.
    """
    if link.name not in ("log", "logit", "probit", "cloglog"):
        return None
    low = np.zeros(len(y), dtype=bool) if family.lower is None else y == family.lower
    high = np.zeros(len(y), dtype=bool) if family.upper is None else y == family.upper
    edge = low | high
    if not edge.any():
        return None
    inner = Design(design.X[~edge])
    width = design.p + intercept
    S = np.zeros((width, width))
    if inner.n:
        S[intercept:, intercept:] = inner.cross_products(np.ones(inner.n), False)[0]
        if intercept:
            S[0, 1:] = S[1:, 0] = inner.project(np.ones(inner.n))
            S[0, 0] = inner.n
    scale = np.sqrt(np.maximum(np.diag(S), 1e-300))
    scale[np.diag(S) == 0] = 1.0
    values, vectors = linalg.eigh(S / np.outer(scale, scale))
    null = vectors[:, values <= 1e-10 * max(values[-1], 1.0)] / scale[:, None]
    if null.shape[1] == 0:
        return None
    Z = design.X[edge] @ null[intercept:]
    Z = np.asarray(Z) + (null[0] if intercept else 0.0)
    Z *= np.where(high[edge], 1.0, -1.0)[:, None]
    Z /= max(np.abs(Z).max(), 1e-300)
    from scipy.optimize import linprog

    # maximise sum Zd with 0 <= Zd <= 1
    result = linprog(-Z.sum(axis=0), A_ub=np.vstack([Z, -Z]), b_ub=np.repeat([1.0, 0.0], len(Z)), bounds=(None, None),
                     method="highs")  # fmt: skip
    if result.status != 0 or -result.fun <= 1e-6:
        return None
    return null @ result.x


class _GLM(RegressorMixin, BaseEstimator):
    """Engine of all generalised linear models; a subclass says what family, link and penalty its parameters mean."""

    _accept_sparse = ("csr", "csc")

    def _model(self):
        """(family, link) of the parameters."""
        raise NotImplementedError

    def _penalty(self, total_weight):
        """(l1, l2) of the working objective."""
        return 0.0, self.alpha

    def _options(self):
        """Tolerances for `minimise`."""
        return {"gradient_tol": self.tol, "tol": 1e-8, "max_iter": self.max_iter}

    def _estimates_theta(self):
        return False

    def _prepare(self, X, y, sample_weight, offset, exposure):
        """Checked data without the rows of weight 0, the model, and the mask of the rows kept."""
        X, y = validate_data(self, X, y, dtype=FLOATS, accept_sparse=self._accept_sparse, y_numeric=True)
        family, link = self._model()
        y = np.asarray(y, dtype=np.float64)
        check_response(y, family)
        offset = total_offset(offset, exposure, link, X.shape[0])
        weights = check_weights(sample_weight, X)
        weights = np.ones(X.shape[0]) if weights is None else weights.astype(np.float64)
        keep = weights > 0
        if not keep.all():
            X, y, weights = X[keep], y[keep], weights[keep]
            offset = None if offset is None else offset[keep]
        return X, y, weights, offset, family, link, keep

    def _fit(self, X, y, sample_weight, offset=None, exposure=None):
        X, y, weights, offset, family, link, _ = self._prepare(X, y, sample_weight, offset, exposure)
        design = Design(X)
        l1, l2 = self._penalty(weights.sum())
        options = {"l1": l1, "l2": l2, "intercept": self.fit_intercept, **self._options()}
        if getattr(self, "warm_start", False) and hasattr(self, "coef_"):
            options["start"] = (self.coef_.astype(np.float64), float(self.intercept_))
        error = None
        if self._estimates_theta():
            found, family, error = fit_negative_binomial(design, y, weights, offset, link, **options)
            family.extra_parameters = 1
        else:
            found = fit_glm(design, y, weights, offset, family, link, **options)
        self._report(design, y, weights, offset, family, link, found, l1 == 0 and l2 == 0)
        self._record(design, y, weights, offset, family, link, found, l1 == 0 and l2 == 0)
        if family.name == "negative_binomial":
            self.theta_, self.theta_std_error_ = family.theta, error
        self.coef_ = found.coef.astype(X.dtype)
        self.intercept_ = found.intercept if X.dtype == np.float64 else X.dtype.type(found.intercept)
        self.n_iter_ = max(found.n_iter, 1)
        return self

    def _report(self, design, y, weights, offset, family, link, found, unpenalised):
        """Say what a user should know of the fit: aliasing, infinite estimates, early stop."""
        self.separated_ = False
        names = term_names(self, intercept=False)
        if unpenalised and found.rank is not None and found.rank < design.p:
            columns = ", ".join(names[j] for j in found.aliased[:10])
            warn(
                f"{type(self).__name__}: columns that depend linearly on the ones before them: {columns}. The "
                "coefficients of smallest norm are returned; drop these columns or set alpha > 0.",
                RankWarning,
            )
        if unpenalised and design.p + 1 <= _INFERENCE_WIDTH:
            eta = design.scores(found.coef) + found.intercept + (0.0 if offset is None else offset)
            # Only rows at a bound of y can run away, and those that do have almost no loss left.
            edge = (y == family.lower) | (y == family.upper)
            if np.any(GlmLoss(y[edge], family, link).value(eta[edge]) < 1e-4):
                full_rank = found.rank is None or found.rank == design.p
                runaway = runaway_direction(design, y, family, link, self.fit_intercept) if full_rank else None
                if runaway is not None:
                    self.separated_ = True
                    moving = np.abs(runaway) > 1e-6 * np.abs(runaway).max()
                    terms = ["(Intercept)"] * self.fit_intercept + names
                    which = ", ".join(np.array(terms)[moving][:10])
                    warn(
                        f"{type(self).__name__}: the maximum-likelihood estimate is infinite. The likelihood keeps "
                        f"rising along a direction of {which}; their values and standard errors mean nothing. Drop or "
                        "merge these columns, or set alpha > 0.",
                        SeparationWarning,
                    )
                    return
        if found.status != OK:
            warn_if_stopped(self, found.status, f"objective {found.objective:.6g}, still to gain about {found.gap:.1e}")

    def _record(self, design, y, weights, offset, family, link, found, unpenalised):
        """Fitted facts that inference needs, as plain values."""
        eta = design.scores(found.coef) + found.intercept + (0.0 if offset is None else offset)
        mu = link.inverse(eta)
        loss = GlmLoss(y, family, link)
        rank = design.p if found.rank is None else found.rank
        self.family_, self.link_ = family.describe(), link.name
        self.link_power_ = getattr(link, "power", None)
        self.deviance_ = float(2.0 * weights @ loss.value(eta))
        with np.errstate(all="ignore"):  # without an intercept the null model need not be valid
            if self.fit_intercept:
                null = null_fit(y, weights, offset, family, link)
            else:
                null = link.inverse(np.zeros(len(y)) if offset is None else offset)
            self.null_deviance_ = float(weights @ family.unit_deviance(y, null))
        self.pearson_chi2_ = float(weights @ ((y - mu) ** 2 / family.variance(mu)[0]))
        self.rank_ = rank + int(self.fit_intercept)
        self.n_rows_, self.total_weight_ = len(y), float(weights.sum())
        self.log_likelihood_ = self._prior_log_likelihood_ = float(family.log_likelihood(y, mu, weights))
        if not family.dispersion_known:  # elsewhere it makes no difference what a weight stands for
            self._prior_log_likelihood_ = float(family.log_likelihood(y, mu, weights, frequency=False))
        self.n_parameters_ = self.rank_ + family.extra_parameters
        self.objective_ = found.objective
        self.covariance_ = None
        if unpenalised and rank == design.p and design.p + 1 <= _INFERENCE_WIDTH and not self.separated_:
            self.covariance_ = _inverse_information(design, weights * loss.expected_curvature(eta), self.fit_intercept)

    # ------------------------------------------------------------------------------------------------- prediction

    def _fitted_model(self):
        check_is_fitted(self)
        settings = dict(self.family_)
        return make_family(settings.pop("name"), **settings), make_link(self.link_, self.link_power_)

    def _linear_predictor(self, X, offset, exposure):
        _, link = self._fitted_model()
        X = validate_data(self, X, dtype=FLOATS, accept_sparse=self._accept_sparse, reset=False)
        eta = linear_scores(X, self.coef_, self.intercept_)
        total = total_offset(offset, exposure, link, X.shape[0])
        return eta if total is None else eta + total.astype(eta.dtype)

    def predict(self, X, *, offset=None, exposure=None, type="response"):
        """Predicted means, or linear predictors.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        offset : array-like of shape (n_samples,), float or None
            Added to the linear predictor. The offset of `fit` is not remembered.
        exposure : array-like of shape (n_samples,), float or None
            With the log link: factor of the mean.
        type : {"response", "link"}, default="response"

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_value("type", type, [Options("response", "link")], "predict")
        _, link = self._fitted_model()
        eta = self._linear_predictor(X, offset, exposure)
        return eta if type == "link" else link.inverse(eta)

    def predict_interval(self, X, *, level=0.95, offset=None, exposure=None):
        """Confidence interval of the mean: of the linear predictor, carried over by the inverse link.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        level : float, default=0.95
        offset, exposure : array-like of shape (n_samples,), float or None

        Returns
        -------
        ndarray of shape (n_samples, 2)
            Lower and upper limits.
        """
        check_value("level", level, [Real(0, 1, closed="neither")], "predict_interval")
        family, link = self._fitted_model()
        covariance = self._need_covariance()
        eta = self._linear_predictor(X, offset, exposure)
        X = validate_data(self, X, dtype=FLOATS, accept_sparse=self._accept_sparse, reset=False)
        inner = covariance[1:, 1:] if self.fit_intercept else covariance
        # x'Vx row by row, without the n x n matrix
        XV = X @ inner
        variance = np.asarray(X.multiply(XV).sum(axis=1)).ravel() if not isinstance(X, np.ndarray) else (XV * X).sum(1)
        if self.fit_intercept:
            variance = variance + covariance[0, 0] + 2.0 * (X @ covariance[0, 1:])
        phi = 1.0 if family.dispersion_known else self.dispersion_
        quantile = _quantile(level, None if family.dispersion_known else self.df_residual_)
        half = quantile * np.sqrt(phi * np.maximum(variance, 0.0))
        with np.errstate(invalid="ignore"):
            ends = np.column_stack([link.inverse(eta - half), link.inverse(eta + half)])
        return np.sort(ends, axis=1)

    def score(self, X, y, sample_weight=None, *, offset=None, exposure=None):
        """D^2, the share of the deviance explained: 1 - deviance / null deviance.

        The null deviance is that of a constant (and the offset) fitted to the given y.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None
        offset, exposure : array-like of shape (n_samples,), float or None

        Returns
        -------
        float
        """
        family, link = self._fitted_model()
        mu = self.predict(X, offset=offset, exposure=exposure).astype(np.float64)
        y = check_array(y, dtype=np.float64, ensure_2d=False, input_name="y")
        check_response(y, family)
        weights = check_weights(sample_weight, mu)
        weights = np.ones(len(y)) if weights is None else weights
        keep = weights > 0
        total = total_offset(offset, exposure, link, len(y))
        null = null_fit(y[keep], weights[keep], None if total is None else total[keep], family, link)
        explained = weights[keep] @ family.unit_deviance(y[keep], mu[keep])
        return float(1.0 - explained / (weights[keep] @ family.unit_deviance(y[keep], null)))

    def residuals(self, X, y, sample_weight=None, *, type="deviance", offset=None, exposure=None):
        """Residuals of the rows of X and y.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None
        type : {"deviance", "pearson", "response", "working"}, default="deviance"
            Signed root of the row's deviance; (y - mu) / sqrt(V(mu)); y - mu; (y - mu) times the slope of the link. The
            first two include the root of the weight.
        offset, exposure : array-like of shape (n_samples,), float or None

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_value("type", type, [Options("deviance", "pearson", "response", "working")], "residuals")
        family, link = self._fitted_model()
        eta = np.asarray(self._linear_predictor(X, offset, exposure), dtype=np.float64)
        y = check_array(y, dtype=np.float64, ensure_2d=False, input_name="y")
        weights = check_weights(sample_weight, eta)
        weights = np.ones(len(y)) if weights is None else weights
        mu = link.inverse(eta)
        if type == "deviance":
            return np.sign(y - mu) * np.sqrt(weights * np.maximum(family.unit_deviance(y, mu), 0.0))
        if type == "pearson":
            return np.sqrt(weights) * (y - mu) / np.sqrt(family.variance(mu)[0])
        return y - mu if type == "response" else (y - mu) / link.slopes(eta)[0]

    # -------------------------------------------------------------------------------------------------- inference

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
        if len(self.coef_) + 1 > _INFERENCE_WIDTH:
            raise ValueError(f"No covariance matrix is kept beyond {_INFERENCE_WIDTH} coefficients.")
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
        half = _quantile(level, None if known else df) * error
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
                "p": _two_sided(statistic, None if known else df),
                "ci_low": estimate - half,
                "ci_high": estimate + half,
            },
        )
        printed = {key: label for key, label in labels.items() if not (key in ("aic", "bic") and np.isnan(facts[key]))}
        return Summary("Generalised linear model", table, facts, printed)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        try:
            family, _ = self._model()
            tags.target_tags.positive_only = not bool(family.in_range(np.float64(-1.0)))
        except (ValueError, TypeError, KeyError):
            pass  # an invalid parameter is reported by fit
        return tags


def _inverse_information(design, h, intercept):
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


def _quantile(level, df):
    from scipy.special import ndtri, stdtrit

    upper = 0.5 * (1.0 + level)
    return ndtri(upper) if df is None else stdtrit(df, upper)


def _two_sided(statistic, df):
    from scipy.special import ndtr, stdtr

    size = -np.abs(statistic)
    return 2.0 * (ndtr(size) if df is None else stdtr(df, size))


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
        if not isinstance(model, _GLM):
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


# ------------------------------------------------------------------------------------------------------- estimators


class GeneralizedLinearRegressor(_GLM):
    r"""Generalised linear model with full inference, or with an elastic-net penalty.

    The mean :math:`\mu_i` of y follows a linear predictor through the link g, :math:`g(\mu_i)=b+x_i^\top w+o_i`, and
    y has a distribution of variance :math:`\phi V(\mu)`. With d the unit deviance and S the sum of the weights s,
    minimises

    .. math:: \frac{1}{2S} \sum_i s_i\, d(y_i, \mu_i)
              + \alpha \Bigl(m \lVert w \rVert_1 + \frac{1-m}{2} \lVert w \rVert^2\Bigr)

    (m is `l1_ratio`), the objective of glmnet and of scikit-learn's GLMs; at alpha = 0 it is maximum likelihood. The
    intercept b is free of penalty.

    Parameters
    ----------
    family : str, default="gaussian"
        ``"gaussian"``, ``"binomial"`` (proportions, with the number of trials as weight), ``"poisson"``, ``"gamma"``,
        ``"inverse_gaussian"``, ``"negative_binomial"`` or ``"tweedie"``.
    link : str, default="auto"
        ``"auto"``: identity for the Gaussian, logit for the binomial, log for all others. ``"canonical"``: R's default,
        which differs for the gamma (inverse) and inverse Gaussian (inverse_squared). Or one of ``"identity"``,
        ``"log"``, ``"inverse"``, ``"inverse_squared"``, ``"sqrt"``, ``"logit"``, ``"probit"``, ``"cloglog"``,
        ``"power"``.
    alpha : float, default=0.0
        Strength of the penalty; 0 for maximum likelihood and inference.
    l1_ratio : float, default=0.0
        0 is the ridge penalty, 1 the lasso penalty.
    power : float, default=1.5
        Exponent of the Tweedie variance.
    theta : "ml" or float, default="ml"
        Of the negative binomial, V = mu + mu^2/theta: estimated by maximum likelihood, or fixed.
    link_power : float or None, default=None
        Exponent of the link ``"power"``; 0 is the logarithm.
    penalty_scale : {"sklearn", "half_rss", "rss"}, default="sklearn"
        The family's other scales, with the deviance in the place of RSS and :math:`\lVert w\rVert^2` without its 1/2.
    fit_intercept : bool, default=True
    tol : float, default=1e-8
        Stops when the decrease promised by the next Newton step, which is still taken, is at most `tol` times the
        objective. With an L1 penalty, and a family and link that make the loss convex with a simple conjugate
        (gaussian with the identity, binomial with the logit; poisson, gamma, negative binomial and Tweedie between 1
        and 2 with the logarithm), when the duality gap is at most `tol` times the half deviance of the null model.
    max_iter : int, default=100

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
    n_iter_ : int
    deviance_, null_deviance_, pearson_chi2_ : float
    dispersion_ : float
        Pearson's estimate.
    log_likelihood_ : float
        At the maximum-likelihood dispersion, as R's logLik; NaN for the Tweedie family.
    rank_ : int
        Coefficients that can be told apart, the intercept among them.
    df_residual_ : float
    covariance_ : ndarray or None
        Inverse Fisher information at dispersion 1, the intercept first; None after a penalised fit.
    separated_ : bool
        Whether the maximum-likelihood estimate is infinite.
    theta_, theta_std_error_ : float
        Of the negative binomial.
    family_ : dict
    link_ : str
    objective_ : float
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    See Also
    --------
    GeneralizedLinearRegressorCV : The penalty chosen by cross-validation.
    PoissonRegressor, GammaRegressor, TweedieRegressor : The same engine behind scikit-learn's names.
    deviance_test : Comparison of nested models.

    Notes
    -----
    Newton's method with step halving; where the observed curvature of a non-canonical link turns negative, a step of
    Fisher scoring (IRLS) takes its place. One step costs one weighted cross-product, O(n p^2), beyond 2000 columns
    conjugate gradients. With an L1 penalty the step is found by coordinate descent. Work is done in double precision.

    With a bounded link range (identity, inverse, sqrt, power) steps that leave the valid means are shortened; an
    optimum at the very edge ends in a ConvergenceWarning. Infinite estimates (a level of a factor whose counts are
    all zero, separated classes) are recognised exactly, by a linear program, and reported by a SeparationWarning.

    Scale the columns before a penalised fit. Weights count rows (weight k is k copies); weights that divide the
    variance instead change the degrees of freedom: ``summary(weight_type="prior")``.

    References
    ----------
    McCullagh & Nelder (1989), Generalized Linear Models. Venables & Ripley (2002), Modern Applied Statistics with S,
    section 7.4 (negative binomial). Friedman, Hastie & Tibshirani (2010), Journal of Statistical Software 33.

    Examples
    --------
    Counts of three outcomes in Dobson's randomised trial, as in R's ``help(glm)``:

    >>> import numpy as np
    >>> from statlearn.linear import GeneralizedLinearRegressor
    >>> counts = [18, 17, 15, 20, 10, 20, 25, 13, 12]
    >>> outcome = np.tile([1, 2, 3], 3)
    >>> X = np.column_stack([outcome == 2, outcome == 3]).astype(float)
    >>> print(GeneralizedLinearRegressor("poisson").fit(X, counts).summary())
    Generalised linear model
    ========================
                 Estimate  Std. Error  z value  p value     lower      upper
    (Intercept)   3.04452     0.12599   24.165   <2e-16   2.79759   3.291455
    x0           -0.45426     0.20217   -2.247  0.02465  -0.85050  -0.058008
    x1           -0.29299     0.19274   -1.520   0.1285  -0.67076   0.084781
    <BLANKLINE>
    Family                poisson
    Link                  log
    Dispersion (fixed)    1
    Null deviance         10.5814
      degrees of freedom  8
    Residual deviance     5.12914
      degrees of freedom  6
    AIC                   52.7613
    BIC                   53.353
    Iterations            4
    """

    _constraints = {
        "family": [Options(*FAMILIES)],
        "link": [Options("auto", "canonical", *LINKS)],
        "alpha": [Real(0, None)],
        "l1_ratio": [Real(0, 1, closed="both")],
        "power": [Real(None, None)],
        "theta": [Real(0, None, closed="neither"), Options("ml")],
        "link_power": [Real(None, None), None],
        "penalty_scale": PENALTY_SCALE,
        "fit_intercept": ["boolean"],
        "tol": [Real(0, None, closed="neither")],
        "max_iter": [Int(1, None)],
    }
    _search_space = (
        SearchSpace("Poisson regression", 1.9, fixed={"family": "poisson"}, max_columns=500, needs=("dense", "counts")),
        SearchSpace(
            "gamma regression",
            1.9,
            fixed={"family": "gamma", "link": "log"},
            max_columns=500,
            needs=("dense", "positive_target"),
        ),
    )

    def __init__(
        self,
        family="gaussian",
        link="auto",
        *,
        alpha=0.0,
        l1_ratio=0.0,
        power=1.5,
        theta="ml",
        link_power=None,
        penalty_scale="sklearn",
        fit_intercept=True,
        tol=1e-8,
        max_iter=100,
    ):
        self.family = family
        self.link = link
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.power = power
        self.theta = theta
        self.link_power = link_power
        self.penalty_scale = penalty_scale
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter

    def _model(self):
        theta = 1.0 if self.theta == "ml" else self.theta
        family = make_family(self.family, theta=theta, power=self.power)
        return family, resolve_link(family, self.link, self.link_power)

    def _penalty(self, total_weight):
        return elastic_net_terms(self.alpha, self.l1_ratio, self.penalty_scale, total_weight)

    def _options(self):
        return {"tol": self.tol, "max_iter": self.max_iter}

    def _estimates_theta(self):
        return self.family == "negative_binomial" and self.theta == "ml"

    def fit(self, X, y, sample_weight=None, *, offset=None, exposure=None):
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            In the range of the family.
        sample_weight : array-like of shape (n_samples,) or None
            Weight k counts as k copies of the row (for proportions, k trials).
        offset : array-like of shape (n_samples,), float or None
            Known part of the linear predictor.
        exposure : array-like of shape (n_samples,), float or None
            With the log link: log(exposure) is added to the offset.

        Returns
        -------
        self
        """
        check_params(self)
        return self._fit(X, y, sample_weight, offset, exposure)


class _SklearnGLM(_GLM):
    """scikit-learn's constructor: mean half deviance + alpha/2 |w|^2."""

    _constraints = {
        "alpha": [Real(0, None)],
        "fit_intercept": ["boolean"],
        "solver": [Options("lbfgs", "newton-cholesky")],
        "max_iter": [Int(1, None)],
        "tol": [Real(0, None, closed="neither")],
        "warm_start": ["boolean"],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        *,
        alpha=1.0,
        fit_intercept=True,
        solver="lbfgs",
        max_iter=100,
        tol=1e-4,
        warm_start=False,
        verbose=0,
    ):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.verbose = verbose

    def fit(self, X, y, sample_weight=None):
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None
            Weight k counts as k copies of the row.

        Returns
        -------
        self
        """
        check_params(self)
        self._fit(X, y, sample_weight)
        if self.verbose:
            print(f"{type(self).__name__}: {self.n_iter_} Newton steps, objective {self.objective_:.6g}")
        return self


class PoissonRegressor(_SklearnGLM):
    r"""Poisson regression with the log link and a ridge penalty.

    Minimises the weighted mean of half the Poisson deviance plus :math:`\frac{\alpha}{2}\lVert w\rVert^2`.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty. 0 is maximum likelihood, for which `summary` is available.
    fit_intercept : bool, default=True
        The intercept is not penalised.
    solver : {"lbfgs", "newton-cholesky"}, default="lbfgs"
        Accepted for compatibility: both names run the Newton method of :class:`GeneralizedLinearRegressor`, which
        turns to conjugate gradients beyond 2000 columns.
    max_iter : int, default=100
        Newton steps.
    tol : float, default=1e-4
        Stops when no entry of the gradient exceeds `tol` and the next step promises less than 1e-8 of the objective.
    warm_start : bool, default=False
        Start from the coefficients of the last fit.
    verbose : int, default=0

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
    n_iter_ : int
    deviance_, null_deviance_, pearson_chi2_, dispersion_, log_likelihood_, df_residual_ : float
    rank_ : int
    covariance_ : ndarray or None
        Inverse Fisher information, the intercept first; None after a penalised fit.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    See Also
    --------
    GeneralizedLinearRegressor : All families and links, offsets, elastic-net penalties.

    Examples
    --------
    >>> from statlearn.linear import PoissonRegressor
    >>> X, y = [[1, 2], [2, 3], [3, 4], [4, 3]], [12, 17, 22, 21]
    >>> PoissonRegressor().fit(X, y).coef_.round(4)
    array([0.1211, 0.1584])
    """

    def _model(self):
        return make_family("poisson"), make_link("log")


class GammaRegressor(_SklearnGLM):
    r"""Gamma regression with the log link and a ridge penalty.

    Minimises the weighted mean of half the gamma deviance plus :math:`\frac{\alpha}{2}\lVert w\rVert^2`.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty. 0 is maximum likelihood, for which `summary` is available.
    fit_intercept : bool, default=True
        The intercept is not penalised.
    solver : {"lbfgs", "newton-cholesky"}, default="lbfgs"
        Accepted for compatibility: both names run the Newton method of :class:`GeneralizedLinearRegressor`, which
        turns to conjugate gradients beyond 2000 columns.
    max_iter : int, default=100
        Newton steps.
    tol : float, default=1e-4
        Stops when no entry of the gradient exceeds `tol` and the next step promises less than 1e-8 of the objective.
    warm_start : bool, default=False
        Start from the coefficients of the last fit.
    verbose : int, default=0

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
    n_iter_ : int
    deviance_, null_deviance_, pearson_chi2_, dispersion_, log_likelihood_, df_residual_ : float
    rank_ : int
    covariance_ : ndarray or None
        Inverse Fisher information, the intercept first; None after a penalised fit.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    See Also
    --------
    GeneralizedLinearRegressor : All families and links, offsets, elastic-net penalties.

    Examples
    --------
    >>> from statlearn.linear import GammaRegressor
    >>> X, y = [[1, 2], [2, 3], [3, 4], [4, 3]], [19, 26, 33, 30]
    >>> GammaRegressor().fit(X, y).coef_.round(4)
    array([0.0729, 0.0668])
    """

    def _model(self):
        return make_family("gamma"), make_link("log")


class TweedieRegressor(_SklearnGLM):
    r"""Tweedie regression, variance :math:`\phi\mu^p`, with a ridge penalty.

    Minimises the weighted mean of half the Tweedie deviance plus :math:`\frac{\alpha}{2}\lVert w\rVert^2`.

    Parameters
    ----------
    power : float, default=0.0
        Exponent of the variance: 0 normal, 1 Poisson, between 1 and 2 compound Poisson-gamma, 2 gamma, 3 inverse
        Gaussian; none between 0 and 1.
    alpha : float, default=1.0
        Strength of the penalty. 0 is maximum likelihood, for which `summary` is available.
    fit_intercept : bool, default=True
        The intercept is not penalised.
    link : {"auto", "identity", "log"}, default="auto"
        "auto" is the identity for powers up to 0, else the logarithm.
    solver : {"lbfgs", "newton-cholesky"}, default="lbfgs"
        Accepted for compatibility: both names run the Newton method of :class:`GeneralizedLinearRegressor`, which
        turns to conjugate gradients beyond 2000 columns.
    max_iter : int, default=100
        Newton steps.
    tol : float, default=1e-4
        Stops when no entry of the gradient exceeds `tol` and the next step promises less than 1e-8 of the objective.
    warm_start : bool, default=False
        Start from the coefficients of the last fit.
    verbose : int, default=0

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
    n_iter_ : int
    deviance_, null_deviance_, pearson_chi2_, dispersion_, log_likelihood_, df_residual_ : float
    rank_ : int
    covariance_ : ndarray or None
        Inverse Fisher information, the intercept first; None after a penalised fit.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    See Also
    --------
    GeneralizedLinearRegressor : All families and links, offsets, elastic-net penalties.

    Examples
    --------
    >>> from statlearn.linear import TweedieRegressor
    >>> X, y = [[1, 2], [2, 3], [3, 4], [4, 3]], [2, 3.5, 5, 5.5]
    >>> TweedieRegressor().fit(X, y).coef_.round(4)
    array([0.6, 0.3])
    """

    _constraints = {
        "power": [Real(None, None)],
        **_SklearnGLM._constraints,
        "link": [Options("auto", "identity", "log")],
    }

    def __init__(
        self,
        *,
        power=0.0,
        alpha=1.0,
        fit_intercept=True,
        link="auto",
        solver="lbfgs",
        max_iter=100,
        tol=1e-4,
        warm_start=False,
        verbose=0,
    ):
        super().__init__(
            alpha=alpha,
            fit_intercept=fit_intercept,
            solver=solver,
            max_iter=max_iter,
            tol=tol,
            warm_start=warm_start,
            verbose=verbose,
        )
        self.power = power
        self.link = link

    def _model(self):
        family = make_family("tweedie", power=self.power)
        link = ("identity" if self.power <= 0 else "log") if self.link == "auto" else self.link
        return family, make_link(link)
