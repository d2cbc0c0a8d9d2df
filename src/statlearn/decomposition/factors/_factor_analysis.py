"""Factor analysis."""

import numpy as np
from scipy import linalg
from scipy.optimize import minimize
from scipy.stats import chi2
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.blas import single_blas_thread
from statlearn._core.params import Int, Options, Real, check_entries, check_params
from statlearn._core.summary import Summary, Table
from statlearn._core.validation import FLOATS, check_weights, effective_rows, require_finite, validate_data
from statlearn._core.warnings import MAX_ITER, OK, warn_if_stopped
from statlearn._math.linalg.eigen import eigh
from statlearn._math.linalg.positive import regularised_cholesky

from .._missing_cells import LowRankGaussian, fit_low_rank, has_missing, refuse_empty_columns
from ..components._scatter import Scatter
from ._rotation import ROTATIONS

_SMALL = 1e-12


def loadings_given_noise(S, noise, k):
    """The best loadings (p, k) for given noise variances, and all eigenvalues of the scaled covariance, decreasing."""
    root = np.sqrt(noise)
    values, vectors = eigh(S / np.outer(root, root))
    values, vectors = np.maximum(values[::-1], 0.0), vectors[:, ::-1]
    scale = np.sqrt(np.maximum(values[:k] - 1.0, 0.0))
    return vectors[:, :k] * scale * root[:, None], values


def fit_by_em(S, n, k, noise, tol, max_iter):
    """Alternates loadings and noise variances; returns loadings, noise, log-likelihoods and a status."""
    p = len(S)
    variance = np.diag(S)
    history: list[float] = []
    for _ in range(max_iter):
        scaled = (np.sqrt(noise) + _SMALL) ** 2
        L, values = loadings_given_noise(S, scaled, k)
        top = np.maximum(values[:k], 1e-300)
        log_likelihood = p * np.log(2 * np.pi) + k + np.sum(np.log(top)) + values[k:].sum() + np.sum(np.log(noise))
        history.append(-0.5 * n * log_likelihood)
        if len(history) > 1 and history[-1] - history[-2] < tol:
            return L, noise, history, OK
        noise = np.maximum(variance - np.sum(L**2, axis=1), _SMALL)
    return L, noise, history, MAX_ITER


def _deviance(covariance, S):
    """log|C| + tr(C^-1 S) of a model's covariance C and the sample covariance S."""
    factor = regularised_cholesky(covariance)
    return factor.log_det + float(np.trace(factor.solve(S)))


def fit_by_ml(S, n, k, least, max_iter):
    """Minimises the discrepancy over the uniquenesses of the correlation matrix, as R's `factanal`."""
    p = len(S)
    deviation = np.sqrt(np.diag(S))
    R = S / np.outer(deviation, deviation)

    def discrepancy(unique):
        root = np.sqrt(unique)
        values, vectors = eigh(R / np.outer(root, root))
        rest = np.maximum(values[: p - k], 1e-300)
        top, axes = values[p - k :], vectors[:, p - k :]
        load = axes * np.sqrt(np.maximum(top - 1.0, 0.0)) * root[:, None]
        gradient = (np.sum(load**2, axis=1) + unique - 1.0) / unique**2
        return float(np.sum(rest - np.log(rest)) - (p - k)), gradient

    # Bounds and start as in factanal: 1 minus the squared multiple correlations, shrunk.
    start = np.clip((1 - 0.5 * k / p) / np.diag(linalg.pinvh(R)), least, 1.0)
    solution = minimize(
        discrepancy, start, jac=True, method="L-BFGS-B", bounds=[(least, 1.0)] * p,
        options={"maxiter": max_iter, "ftol": 1e-14, "gtol": 1e-8},
    )  # fmt: skip
    noise = solution.x * np.diag(S)
    L, _ = loadings_given_noise(S, noise, k)
    covariance = L @ L.T + np.diag(noise)
    log_likelihood = -0.5 * n * (p * np.log(2 * np.pi) + _deviance(covariance, S))
    return L, noise, [float(log_likelihood)], int(solution.nit), OK if solution.nit < max_iter else MAX_ITER


class FactorAnalysis(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Factor analysis by maximum likelihood.

    Rows are :math:`x = \mu + A f + e` with k factors :math:`f \sim N(0, I)` and independent noise
    :math:`e \sim N(0, \mathrm{diag}(\psi))`, so that their covariance is :math:`A A^\top + \mathrm{diag}(\psi)`. Unlike
    principal components, factors explain the correlations of the columns, not their variances, and the
    model does not depend on the units of the columns.

    Loadings are unique only up to a rotation. An orthogonal one (varimax, quartimax) keeps the factors uncorrelated, an
    oblique one (promax, oblimin) gives them the correlations `factor_correlation_`.

    NaN counts as a missing value: the likelihood is then that of the observed cells, maximised by
    expectation-maximisation.

    Parameters
    ----------
    n_components : int or None, default=None
        Number k of factors; None means the number of columns.
    tol : float, default=1e-2
        With ``solver="em"``, the increase of the log-likelihood at which the iteration stops. The default is that of
        scikit-learn and rough; use 1e-8 for estimates to several digits.
    copy : bool, default=True
        Accepted for compatibility; X is never changed.
    max_iter : int, default=1000
    noise_variance_init : array-like of shape (n_features,) or None, default=None
        Noise variances to start from with ``solver="em"``; None starts from 1.
    svd_method : {"lapack", "randomized"}, default="randomized"
        Accepted for compatibility: the covariance matrix is decomposed.
    iterated_power : int, default=3
        Accepted for compatibility.
    rotation : {"varimax", "quartimax", "promax", "oblimin"} or None, default=None
    random_state : int, RandomState or None, default=0
        Accepted for compatibility: nothing is random.
    solver : {"em", "ml"}, default="em"
        "em" alternates loadings and noise variances. "ml" maximises the likelihood over the uniquenesses by a
        quasi-Newton method, with `min_uniqueness` as lower bound, as R's `factanal` does; it reaches full accuracy
        sooner.
    min_uniqueness : float, default=0.005
        Smallest share of noise in the variance of a column with ``solver="ml"``.
    standardize : bool, default=False
        Express loadings and noise variances in standard deviations of the columns (as `factanal`). The model is the
        same; rotations see columns of equal variance.
    normalize : bool, default=False
        Divide the rows of the loadings by their length before a rotation (Kaiser), as R's `varimax` does.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Loadings, transposed.
    noise_variance_ : ndarray of shape (n_features,)
    mean_ : ndarray of shape (n_features,)
    scale_ : ndarray of shape (n_features,)
        Standard deviations (divisor n) if `standardize`, otherwise ones.
    communalities_ : ndarray of shape (n_features,)
        Share of each column's variance that is due to the factors.
    uniquenesses_ : ndarray of shape (n_features,)
        The rest of the variance, as a share.
    factor_correlation_ : ndarray of shape (n_components, n_components)
    rotation_matrix_ : ndarray of shape (n_components, n_components)
        Unrotated loadings (p, k) times this matrix are the rotated ones.
    loglike_ : list of float
        Log-likelihood, after each step with ``solver="em"``.
    n_iter_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined when X has string column names.

    See Also
    --------
    PCA : Directions of largest variance.
    varimax, quartimax, promax, oblimin : The rotations as functions.

    Notes
    -----
    A uniqueness at its lower bound (a Heywood case) means that the model does not fit, often because of too many
    factors or too few rows. `summary` has the test of whether k factors suffice.

    References
    ----------
    Lawley and Maxwell (1971), Factor Analysis as a Statistical Method.
    Barber (2012), Bayesian Reasoning and Machine Learning, algorithm 21.1.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from statlearn.decomposition import FactorAnalysis
    >>> X = load_wine(as_frame=True).data.iloc[:, :8]
    >>> model = FactorAnalysis(2, solver="ml", rotation="varimax", standardize=True).fit(X)
    >>> model.goodness_of_fit()["df"]
    13
    """

    _constraints = {
        "n_components": [Int(0, None), None],
        "tol": [Real(0, None)],
        "copy": ["boolean"],
        "max_iter": [Int(1, None)],
        "noise_variance_init": ["array-like", None],
        "svd_method": [Options("lapack", "randomized")],
        "iterated_power": [Int(0, None)],
        "rotation": [Options(*ROTATIONS), None],
        "random_state": ["random_state"],
        "solver": [Options("em", "ml")],
        "min_uniqueness": [Real(0, 1, closed="neither")],
        "standardize": ["boolean"],
        "normalize": ["boolean"],
    }

    def __init__(
        self,
        n_components=None,
        *,
        tol=1e-2,
        copy=True,
        max_iter=1000,
        noise_variance_init=None,
        svd_method="randomized",
        iterated_power=3,
        rotation=None,
        random_state=0,
        solver="em",
        min_uniqueness=0.005,
        standardize=False,
        normalize=False,
    ):
        self.n_components = n_components
        self.tol = tol
        self.copy = copy
        self.max_iter = max_iter
        self.noise_variance_init = noise_variance_init
        self.svd_method = svd_method
        self.iterated_power = iterated_power
        self.rotation = rotation
        self.random_state = random_state
        self.solver = solver
        self.min_uniqueness = min_uniqueness
        self.standardize = standardize
        self.normalize = normalize

    def fit(self, X, y=None, sample_weight=None):
        """Estimate the loadings and noise variances.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            NaN marks a missing value.
        y : ignored
        sample_weight : array-like of shape (n_samples,), float or None, default=None
            A weight of k counts as k copies of the row; a weight of 0 leaves it out.

        Returns
        -------
        self
        """
        check_params(self)
        table = X
        X = validate_data(self, X, dtype=np.float64, ensure_all_finite="allow-nan")
        weights = check_weights(sample_weight, X)
        p = X.shape[1]
        k = p if self.n_components is None else self.n_components
        if k > p:
            raise ValueError(f"`n_components`={k} exceeds the {p} columns of X; use at most {p}.")
        if self.noise_variance_init is not None:
            rule = Real(0, None, closed="neither")
            start = check_entries("noise_variance_init", self.noise_variance_init, rule, type(self).__name__)
            if len(start) != p:
                raise ValueError(
                    f"noise_variance_init dimension does not agree with the number of features: {len(start)} != {p}."
                )
        missing = has_missing(X)
        self._n_rows = effective_rows(len(X), weights) if weights is None else float(weights.sum())
        if missing:
            refuse_empty_columns(X if weights is None else X[weights > 0], table)
            L, noise, variance = self._fit_missing(X, weights, k)
            self._discrepancy = None
        else:
            L, noise, variance = self._fit_complete(X, weights, k)
        self.scale_ = np.sqrt(np.where(variance > 0, variance, 1.0)) if self.standardize else np.ones(p)
        L, noise = L / self.scale_[:, None], noise / self.scale_**2
        self._finish(L, noise)
        return self

    def _fit_complete(self, X, weights, k):
        statistic = Scatter.from_block(X, weights)
        n = statistic.total
        S = statistic.products / n
        require_finite(S)
        self.mean_ = statistic.mean
        variance = np.diag(S).copy()
        p = len(S)
        if self.solver == "ml":
            if not 1 <= k < p:
                raise ValueError(f"`solver`='ml' requires 1 to {p - 1} factors, got `n_components`={k}.")
            if np.any(variance <= 0):
                raise ValueError("X has a constant column, which `solver`='ml' cannot use; drop it.")
            with single_blas_thread(p):
                L, noise, self.loglike_, self.n_iter_, status = fit_by_ml(S, n, k, self.min_uniqueness, self.max_iter)
        else:
            start_noise = self.noise_variance_init
            start = np.ones(p) if start_noise is None else np.asarray(start_noise, dtype=np.float64)
            with single_blas_thread(p):
                L, noise, self.loglike_, status = fit_by_em(S, n, k, start, self.tol, self.max_iter)
            self.n_iter_ = len(self.loglike_)
        warn_if_stopped(self, status, f"the likelihood still rises after {self.n_iter_} steps")
        covariance = L @ L.T + np.diag(noise)
        sign, log_det = np.linalg.slogdet(S)
        self._discrepancy = None
        if sign > 0 and np.linalg.cond(S) < 1e14:
            self._discrepancy = _deviance(covariance, S) - float(log_det) - p
        return L, noise, variance

    def _fit_missing(self, X, weights, k):
        p = X.shape[1]
        if not 1 <= k < p:
            raise ValueError(f"Missing values require 1 to {p - 1} factors, got `n_components`={k}.")
        # The likelihood per cell; the tolerance of the complete fit is that of the whole.
        cells = max(1, int(np.count_nonzero(~np.isnan(X))))
        tol = max(self.tol / cells, 1e-12)
        model, self.loglike_, status = fit_low_rank(X, k, weights, common_noise=False, tol=tol, max_iter=self.max_iter)
        self.n_iter_ = len(self.loglike_)
        warn_if_stopped(self, status, f"the likelihood still rises after {self.n_iter_} steps with missing values")
        self.mean_ = model.mean
        # Principal axes of the scaled loadings, as in the complete fit.
        root = np.sqrt(model.noise)[:, None]
        U, d, _ = linalg.svd(model.loadings / root, full_matrices=False)
        L = U * d * root
        return L, model.noise, np.sum(L**2, axis=1) + model.noise

    def _finish(self, L, noise):
        k = L.shape[1]
        self.rotation_matrix_, self.factor_correlation_ = np.eye(k), np.eye(k)
        if self.rotation is not None and k > 1:
            options = {"normalize": self.normalize}
            turned = ROTATIONS[self.rotation](L, **options)
            L, self.rotation_matrix_, self.factor_correlation_ = turned
            order = np.argsort(-np.sum(L**2, axis=0), kind="stable")
            L, self.rotation_matrix_ = L[:, order], self.rotation_matrix_[:, order]
            self.factor_correlation_ = self.factor_correlation_[np.ix_(order, order)]
        # The largest loading of a factor is positive.
        if k:
            largest = np.abs(L).argmax(axis=0)
            sign = np.where(L[largest, np.arange(k)] < 0, -1.0, 1.0)
            L = L * sign
            self.rotation_matrix_ = self.rotation_matrix_ * sign
            self.factor_correlation_ = self.factor_correlation_ * np.outer(sign, sign)
        self.components_ = np.ascontiguousarray(L.T)
        self.noise_variance_ = noise
        common = np.einsum("kp,kl,lp->p", self.components_, self.factor_correlation_, self.components_)
        total = common + noise
        self.communalities_ = common / np.where(total > 0, total, 1.0)
        self.uniquenesses_ = 1.0 - self.communalities_

    def _model(self):
        """The fit in the units of X with uncorrelated factors, and the root by which factors are correlated."""
        root = linalg.cholesky(self.factor_correlation_, lower=True) if len(self.components_) else np.eye(0)
        loadings = (self.components_.T @ root) * self.scale_[:, None]
        return LowRankGaussian(self.mean_, loadings, np.maximum(self.noise_variance_, _SMALL) * self.scale_**2), root

    def transform(self, X):
        """Expected factors given the (observed) cells of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        factors : ndarray of shape (n_samples, n_components)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOATS, reset=False, ensure_all_finite="allow-nan")
        model, root = self._model()
        if has_missing(X):
            Z = X.astype(np.float64)
            return np.vstack([model.posterior(Z[part])[0] for part in model.chunks(len(Z))]) @ root.T
        scaled = model.loadings / model.noise[:, None]
        precision = np.eye(scaled.shape[1]) + scaled.T @ model.loadings
        return (X - self.mean_) @ scaled @ linalg.inv(precision) @ root.T

    def complete(self, X):
        """Table with missing values replaced by their expectations given the observed cells of the row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            NaN marks a missing value.

        Returns
        -------
        completed : ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False, ensure_all_finite="allow-nan")
        return self._model()[0].completed(X)

    def inverse_transform(self, X):
        """Rows of the model without noise, for given factors.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)

        Returns
        -------
        rows : ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        return np.asarray(X, dtype=np.float64) @ self.components_ * self.scale_ + self.mean_

    def get_covariance(self):
        """Covariance of the model, in the units of X.

        Returns
        -------
        covariance : ndarray of shape (n_features, n_features)
        """
        check_is_fitted(self)
        common = self.components_.T @ self.factor_correlation_ @ self.components_
        return (common + np.diag(self.noise_variance_)) * np.outer(self.scale_, self.scale_)

    def get_precision(self):
        """Inverse of the covariance of the model.

        Returns
        -------
        precision : ndarray of shape (n_features, n_features)
        """
        check_is_fitted(self)
        if len(self.components_) == self.components_.shape[1]:
            return linalg.inv(self.get_covariance())
        model, _ = self._model()
        scaled = model.loadings / model.noise[:, None]
        inner = np.eye(scaled.shape[1]) + scaled.T @ model.loadings
        return np.diag(1.0 / model.noise) - scaled @ regularised_cholesky(inner).solve(scaled.T)

    def score_samples(self, X):
        """Log-likelihood of the (observed cells of) each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        log_likelihood : ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False, ensure_all_finite="allow-nan")
        if has_missing(X):
            return self._model()[0].log_likelihood(X)
        Z = X - self.mean_
        precision = self.get_precision()
        log_det = np.linalg.slogdet(precision)[1]
        return -0.5 * (np.sum(Z * (Z @ precision), axis=1) + X.shape[1] * np.log(2 * np.pi) - log_det)

    def score(self, X, y=None):
        """Mean log-likelihood of rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        log_likelihood : float
        """
        return float(np.mean(self.score_samples(X)))

    def goodness_of_fit(self):
        r"""Likelihood-ratio test of the hypothesis that the number of factors suffices.

        The statistic is :math:`(n - 1 - (2p + 5)/6 - 2k/3)` times the discrepancy of the model and the sample
        covariance (Bartlett's correction), approximately chi-squared with :math:`((p - k)^2 - p - k) / 2` degrees of
        freedom.

        Returns
        -------
        dict
            With "statistic", "df", "p" and "discrepancy"; "p" is NaN if no degree of freedom is left.
        """
        check_is_fitted(self)
        k, p = self.components_.shape
        if self._discrepancy is None:
            raise ValueError(
                "The test requires a complete table with a regular covariance matrix: more rows than columns, no NaN."
            )
        df = ((p - k) ** 2 - p - k) // 2
        statistic = (self._n_rows - 1 - (2 * p + 5) / 6 - 2 * k / 3) * self._discrepancy
        p_value = float(chi2.sf(statistic, df)) if df > 0 else float("nan")
        return {"statistic": float(statistic), "df": int(df), "p": p_value, "discrepancy": self._discrepancy}

    def summary(self):
        """Uniquenesses and standardised loadings, the variance explained by the factors, and the test of their number.

        Returns
        -------
        Summary
            Like the output of R's `factanal`. Loadings are in standard deviations of the columns.
        """
        check_is_fitted(self)
        k = len(self.components_)
        names = [f"factor{j + 1}" for j in range(k)]
        model_variance = np.diag(self.get_covariance()) / self.scale_**2
        loadings = self.components_ / np.sqrt(np.where(model_variance > 0, model_variance, 1.0))
        features = getattr(self, "feature_names_in_", [f"x{j}" for j in range(self.n_features_in_)])
        columns = {"uniqueness": self.uniquenesses_, **dict(zip(names, loadings))}
        table = Table([str(name) for name in features], columns, names=tuple(names))
        squares = np.sum(loadings**2, axis=1)
        share = squares / self.n_features_in_
        variance = Table(
            names, {"SS_loadings": squares, "share": share, "cumulated": np.cumsum(share)}, caption="Variance"
        )
        tables = [variance]
        if self.rotation in ("promax", "oblimin") and k > 1:
            correlations = dict(zip(names, self.factor_correlation_))
            tables.append(Table(names, correlations, caption="Factor correlations", names=tuple(names)))
        facts = {"n_samples": self._n_rows, "loglike": self.loglike_[-1]}
        labels = {"n_samples": "Rows", "loglike": "Log-likelihood"}
        notes = []
        if self._discrepancy is not None:
            facts.update(self.goodness_of_fit())
            if facts["df"] > 0:
                labels.update(statistic="Chi-squared statistic", df="Degrees of freedom", p="p value")
                notes.append(
                    f"The p value tests the hypothesis that {k} factor{'s' * (k != 1)} suffice{'s' * (k == 1)}."
                )
            else:
                notes.append(f"With {k} factors no degree of freedom is left for a test of their number.")
        if self.solver == "em" and self.tol > 1e-6:
            notes.append(f"solver='em' stopped at tol={self.tol:g}; use solver='ml' or a smaller tol for more digits.")
        limit = self.min_uniqueness if self.solver == "ml" else 1e-6  # the other solvers have no limit but rounding
        bounded = [str(name) for name, u in zip(features, self.uniquenesses_) if u <= 1.01 * limit]
        if bounded:
            notes.append(
                f"Uniqueness at its lower limit (Heywood case): {', '.join(bounded)}."
                + " If these columns are nearly free of noise, use a smaller min_uniqueness." * (self.solver == "ml")
            )
        rotation = "no rotation" if self.rotation is None else self.rotation
        return Summary(f"Factor analysis ({rotation})", table, facts, labels, tables, notes)

    @property
    def _n_features_out(self):
        return self.components_.shape[0]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = ["float64"]
        return tags
