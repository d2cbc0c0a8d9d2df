"""Base class of the generalised linear models: validation, fit, predictions, residuals."""

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_array, check_is_fitted, column_or_1d

from statlearn._core.fitted_state import forget
from statlearn._core.params import Options, Real, check_value
from statlearn._core.validation import FLOATS, check_same_length, check_weights, validate_data
from statlearn._core.warnings import OK, RankWarning, SeparationWarning, warn, warn_if_stopped
from statlearn._math.inference import normal_or_t_quantile
from statlearn._math.losses.families import make_family
from statlearn._math.losses.glm import GlmLoss
from statlearn._math.losses.links import make_link
from statlearn._math.losses.response import check_response, predicted_intervals, predicted_means, total_offset
from statlearn._math.rows.rows import Rows
from statlearn._math.solvers.glm import fit_glm, fit_negative_binomial, glm_rows, null_fit, runaway_direction
from statlearn._math.solvers.glm_problem import GlmProblem
from statlearn.linear._base import linear_scores, term_names

from ._inference import (
    INFERENCE_WIDTH,
    GLMInference,
    identified_coefficients,
    inverse_information,
    inverse_of_products,
)


class GLM(GLMInference, RegressorMixin, BaseEstimator):
    """Base of all generalised linear models; a subclass defines the family, the link and the penalty."""

    _accept_sparse = ("csr", "csc")

    def _model(self):
        """(family, link) for the current parameters."""
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
        """Validated data without rows of weight 0, the model, and the mask of the rows used."""
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
        l1, l2 = self._penalty(weights.sum())
        rows = glm_rows(X, weights, family, link, l1)
        problem = GlmProblem(rows, y, family, link, offset, self.fit_intercept)
        options = {"l1": l1, "l2": l2, **self._options()}
        if getattr(self, "warm_start", False) and hasattr(self, "coef_"):
            options["start"] = (self.coef_.astype(np.float64), float(self.intercept_))
        error = None
        if self._estimates_theta():
            solution, family, error = fit_negative_binomial(problem, **options)
            family.extra_parameters = 1
            problem = problem.of_family(family)
        else:
            solution = fit_glm(problem, **options)
        self._report(problem, solution, l1 == 0 and l2 == 0)
        self._record(problem, solution, l1 == 0 and l2 == 0)
        forget(self, "theta_", "theta_std_error_")
        if family.name == "negative_binomial":
            self.theta_, self.theta_std_error_ = family.theta, error
        self.coef_ = solution.coef.astype(X.dtype)
        self.intercept_ = solution.intercept if X.dtype == np.float64 else X.dtype.type(solution.intercept)
        self.n_iter_ = max(solution.n_iter, 1)
        return self

    def _report(self, problem, solution, unpenalised):
        """Warn about linear dependence, infinite estimates and early stopping."""
        self.separated_ = False
        names = term_names(self, intercept=False)
        if unpenalised and solution.rank is not None and solution.rank < problem.rows.p:
            columns = ", ".join(names[j] for j in solution.aliased[:10])
            warn(
                f"{type(self).__name__}: columns {columns} are linearly dependent on earlier columns, so the "
                "coefficients are not unique. Those of smallest norm are returned; drop these columns or set "
                "alpha > 0.",
                RankWarning,
            )
        if unpenalised and problem.rows.p + 1 <= INFERENCE_WIDTH:
            y, family = problem.y, problem.family
            eta = problem.scores(solution.coef, solution.intercept)
            # Only rows at a bound of y can diverge, and those that do have almost no loss left.
            edge = (y == family.lower) | (y == family.upper)
            if np.any(GlmLoss(y[edge], family, problem.link).value(eta[edge]) < 1e-4):
                full_rank = solution.rank is None or solution.rank == problem.rows.p
                runaway = runaway_direction(problem) if full_rank else None
                if runaway is not None:
                    self.separated_ = True
                    moving = np.abs(runaway) > 1e-6 * np.abs(runaway).max()
                    terms = ["(Intercept)"] * self.fit_intercept + names
                    which = ", ".join(np.array(terms)[moving][:10])
                    warn(
                        f"{type(self).__name__}: the maximum-likelihood estimate is infinite. The likelihood keeps "
                        f"rising along a direction of {which}, so their values are arbitrary and have no standard "
                        "errors. Drop or merge these columns, or set alpha > 0.",
                        SeparationWarning,
                    )
                    return
        if solution.status != OK:
            warn_if_stopped(
                self, solution.status, f"objective {solution.objective:.6g}, predicted decrease {solution.gap:.1e}"
            )

    def _record(self, problem, solution, unpenalised):
        """Store the quantities needed for inference, as plain values."""
        rows, y, weights, family, link = problem.rows, problem.y, problem.weights, problem.family, problem.link
        eta = problem.scores(solution.coef, solution.intercept)
        mu = link.inverse(eta)
        rank = rows.p if solution.rank is None else solution.rank
        with np.errstate(all="ignore"):  # without an intercept the null model need not be valid
            if self.fit_intercept:
                null = null_fit(problem)
            else:
                null = link.inverse(np.zeros(len(y)) + problem.fixed)
            null_deviance = float(weights @ family.unit_deviance(y, null))
        likelihood = prior_likelihood = float(family.log_likelihood(y, mu, weights))
        if not family.dispersion_known:  # with a known dispersion the meaning of a weight makes no difference
            prior_likelihood = float(family.log_likelihood(y, mu, weights, frequency=False))
        aliased = np.empty(0, dtype=np.intp) if solution.aliased is None else np.asarray(solution.aliased)
        covariance = identified = None
        if unpenalised and rows.p + 1 <= INFERENCE_WIDTH and not self.separated_:
            curvature = weights * problem.loss.expected_curvature(eta)
            covariance = inverse_information(rows, curvature, self.fit_intercept, aliased)
            if len(aliased):
                identified = identified_coefficients(rows, curvature, self.fit_intercept, aliased, solution)
        self._store(
            family, link, rank=rank, deviance=float(2.0 * weights @ problem.loss.value(eta)),
            null_deviance=null_deviance, pearson_chi2=float(weights @ ((y - mu) ** 2 / family.variance(mu)[0])),
            n_rows=len(y), total_weight=float(weights.sum()), log_likelihood=likelihood,
            prior_log_likelihood=prior_likelihood, objective=solution.objective, covariance=covariance,
            aliased=aliased, identified=identified,
        )  # fmt: skip

    def _store(self, family, link, *, rank, deviance, null_deviance, pearson_chi2, n_rows, total_weight,
               log_likelihood, prior_log_likelihood, objective, covariance, aliased=(), identified=None):  # fmt: skip
        """Set the attributes that inference reads; `rank` is that of the columns of X."""
        self.family_, self.link_ = family.describe(), link.name
        self.link_power_ = getattr(link, "power", None)
        self.deviance_, self.null_deviance_, self.pearson_chi2_ = deviance, null_deviance, pearson_chi2
        self.rank_ = rank + int(self.fit_intercept)
        self.n_rows_, self.total_weight_ = n_rows, total_weight
        self.log_likelihood_, self._prior_log_likelihood_ = log_likelihood, prior_log_likelihood
        self.n_parameters_ = self.rank_ + family.extra_parameters
        self.objective_, self.covariance_ = objective, covariance
        self.aliased_, self._identified = np.asarray(aliased, dtype=np.intp), identified

    def _block_model(self):
        """(family, link, (l1, l2) of the weights' sum, fit_intercept) for a fit over blocks of rows."""
        if self._estimates_theta():
            raise ValueError("`theta` must be a number over blocks, got 'ml'.")
        return *self._model(), self._penalty

    def _store_blocks(self, family, link, *, coef, intercept, n_iter, products, status, detail, moving, **numbers):
        """Set the fitted attributes from the sums of a fit over blocks; `moving` are columns without a finite value."""
        self.separated_ = bool(len(moving))
        if self.separated_:
            names = ["(Intercept)"] * self.fit_intercept + term_names(self, intercept=False)
            warn(
                f"{type(self).__name__}: the maximum-likelihood estimate is infinite. The likelihood keeps rising "
                f"along a direction of {', '.join(np.array(names)[moving][:10])}, so their values are arbitrary and "
                "have no standard errors. Drop or merge these columns, or set alpha > 0.",
                SeparationWarning,
            )
        elif status != OK:
            warn_if_stopped(self, status, detail)
        covariance = None
        if products is not None and not self.separated_ and len(coef) + 1 <= INFERENCE_WIDTH:
            covariance = inverse_of_products(*products, self.fit_intercept)
        self._store(family, link, rank=len(coef), covariance=covariance, **numbers)
        forget(self, "theta_", "theta_std_error_")
        if family.name == "negative_binomial":
            self.theta_, self.theta_std_error_ = family.theta, None
        self.coef_, self.intercept_, self.n_iter_ = coef, intercept, max(n_iter, 1)

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
        """Predicted means or linear predictors.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        offset : array-like of shape (n_samples,), float or None, default=None
            Added to the linear predictor. The offset used in `fit` is not stored.
        exposure : array-like of shape (n_samples,), float or None, default=None
            Multiplies the mean (log link only).
        type : {"response", "link"}, default="response"

        Returns
        -------
        ndarray of shape (n_samples,)
            NaN, with a warning, for the mean of a row whose linear predictor is outside the range of the link (below 0
            for "inverse", "inverse_squared", "sqrt" and "power").
        """
        check_value("type", type, [Options("response", "link")], "predict")
        _, link = self._fitted_model()
        eta = self._linear_predictor(X, offset, exposure)
        return eta if type == "link" else predicted_means(self, link, eta)

    def predict_interval(self, X, *, level=0.95, offset=None, exposure=None):
        """Confidence intervals for the mean, transformed from the scale of the linear predictor.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        level : float, default=0.95
        offset, exposure : array-like of shape (n_samples,), float or None, default=None

        Returns
        -------
        ndarray of shape (n_samples, 2)
            Lower and upper limits; an end beyond the range of the link is 0 or infinite. Rows for which `predict`
            gives NaN have no interval.
        """
        check_value("level", level, [Real(0, 1, closed="neither")], "predict_interval")
        family, link = self._fitted_model()
        covariance = self._need_covariance()
        eta = self._linear_predictor(X, offset, exposure)
        X = validate_data(self, X, dtype=FLOATS, accept_sparse=self._accept_sparse, reset=False)
        covariance = np.nan_to_num(covariance)  # the columns that depend on others add nothing to the fitted values
        inner = covariance[1:, 1:] if self.fit_intercept else covariance
        # x'Vx row by row, without the n x n matrix
        XV = X @ inner
        variance = np.asarray(X.multiply(XV).sum(axis=1)).ravel() if not isinstance(X, np.ndarray) else (XV * X).sum(1)
        if self.fit_intercept:
            variance = variance + covariance[0, 0] + 2.0 * (X @ covariance[0, 1:])
        if not family.dispersion_known and not self.df_residual_ > 0:
            raise ValueError(
                f"The dispersion has no residual degrees of freedom ({self.total_weight_:g} rows by the sum of "
                f"sample_weight, {self.rank_} coefficients), so intervals are not available."
            )
        phi = 1.0 if family.dispersion_known else self.dispersion_
        quantile = normal_or_t_quantile(level, None if family.dispersion_known else self.df_residual_)
        half = quantile * np.sqrt(phi * np.maximum(variance, 0.0))
        return predicted_intervals(self, link, eta, half)

    @staticmethod
    def _checked_response(y, predicted):
        """y as one column of numbers, as many as the predictions."""
        y = column_or_1d(check_array(y, dtype=np.float64, ensure_2d=False, input_name="y"))
        check_same_length(predicted, y)
        return y

    def score(self, X, y, sample_weight=None, *, offset=None, exposure=None):
        """Fraction of deviance explained, D^2 = 1 - deviance / null deviance.

        The null deviance is that of a constant (plus the offset) fitted to the given y. If it is 0, the score is 1 for
        a perfect fit and 0 otherwise.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None, default=None
        offset, exposure : array-like of shape (n_samples,), float or None, default=None

        Returns
        -------
        float
        """
        family, link = self._fitted_model()
        eta = np.asarray(self._linear_predictor(X, offset, exposure), dtype=np.float64)
        y = self._checked_response(y, eta)
        check_response(y, family)
        mu = predicted_means(self, link, eta)
        weights = check_weights(sample_weight, mu)
        weights = np.ones(len(y)) if weights is None else weights
        keep = weights > 0
        total = total_offset(offset, exposure, link, len(y))
        empty = Rows(np.empty((int(keep.sum()), 0)), weights[keep])
        null = null_fit(GlmProblem(empty, y[keep], family, link, None if total is None else total[keep]))
        left = weights[keep] @ self._deviances(family, y[keep], mu[keep])
        whole = weights[keep] @ family.unit_deviance(y[keep], null)
        if whole == 0.0:  # a constant y: as scikit-learn's r2_score
            return float(left == 0.0)
        return float(1.0 - left / whole)

    @staticmethod
    def _deviances(family, y, mu):
        """Unit deviances; raises for means outside the range of the family."""
        with np.errstate(all="ignore"):
            deviances = family.unit_deviance(y, mu)
        wrong = np.isnan(deviances) | (mu < 0.0) & ~family.valid_mean(mu)
        if wrong.any():
            raise ValueError(
                f"{wrong.sum()} of {len(mu)} predicted means are NaN or outside the range of the family "
                f"{family.name!r}, so the deviance is undefined. Use a link whose means are always in that range "
                "('log' for positive means, 'logit' for proportions), or leave these rows out."
            )
        return deviances

    def residuals(self, X, y, sample_weight=None, *, type="deviance", offset=None, exposure=None):
        """Residuals of the rows of X and y.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None, default=None
        type : {"deviance", "pearson", "response", "working"}, default="deviance"
            "deviance" is the signed square root of the row's deviance, "pearson" (y - mu) / sqrt(V(mu)), "response"
            y - mu, and "working" (y - mu) times the slope of the link. The first two include the square root of the
            weight.
        offset, exposure : array-like of shape (n_samples,), float or None, default=None

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_value("type", type, [Options("deviance", "pearson", "response", "working")], "residuals")
        family, link = self._fitted_model()
        eta = np.asarray(self._linear_predictor(X, offset, exposure), dtype=np.float64)
        y = self._checked_response(y, eta)
        weights = check_weights(sample_weight, eta)
        weights = np.ones(len(y)) if weights is None else weights
        mu = predicted_means(self, link, eta)
        if type == "deviance":
            return np.sign(y - mu) * np.sqrt(weights * np.maximum(family.unit_deviance(y, mu), 0.0))
        if type == "pearson":
            return np.sqrt(weights) * (y - mu) / np.sqrt(family.variance(mu)[0])
        return y - mu if type == "response" else (y - mu) / link.slopes(eta)[0]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        try:
            family, _ = self._model()
            tags.target_tags.positive_only = not bool(family.in_range(np.float64(-1.0)))
        except (ValueError, TypeError, KeyError):
            pass  # an invalid parameter is reported by fit
        return tags
