"""Bayesian linear regression with penalties chosen by the evidence: Bayesian ridge and ARD."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Int, Real, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.validation import FLOATS, check_weights, require_finite, validate_data
from statlearn._core.warnings import MAX_ITER, OK, warn_if_stopped
from statlearn._math.linalg.positive import cholesky
from statlearn._math.rows.rows import Rows
from statlearn.linear._base import LinearRegressorMixin, linear_scores
from statlearn.linear.ridge._spectrum import decompose

_EPS = np.finfo(np.float64).eps
_TINY = np.finfo(np.float64).tiny
_PRIORS = "Scale them, or set alpha_1, alpha_2, lambda_1 and lambda_2 closer to their defaults."


class _PosteriorMixin(LinearRegressorMixin):
    """Predictive mean and standard deviation from a Gaussian posterior of the slopes."""

    _accept_sparse = False

    def predict(self, X, return_std=False):
        """Mean and optionally standard deviation of the predictive distribution.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        return_std : bool, default=False
            Also return the standard deviation of a new observation, from the noise and the uncertainty of the slopes.

        Returns
        -------
        mean : ndarray of shape (n_samples,)
        std : ndarray of shape (n_samples,)
            Only with ``return_std=True``.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOATS, reset=False)
        mean = linear_scores(X, self.coef_, self.intercept_)
        if not return_std:
            return mean
        centred = (X - self.X_offset_)[:, self._in_posterior()]
        variance = np.einsum("ij,ij->i", centred @ self.sigma_, centred) + 1.0 / self.alpha_
        return mean, np.sqrt(variance).astype(X.dtype)

    def _in_posterior(self):
        return slice(None)

    def _set_means(self, spectrum_mean, y_mean, coef, dtype):
        require_finite(coef)
        p = coef.shape[0]
        self.X_offset_ = np.zeros(p, dtype) if spectrum_mean is None else spectrum_mean.astype(dtype)
        self.X_scale_ = np.ones(p, dtype)
        self.coef_ = coef.astype(dtype)
        self.intercept_ = dtype.type(y_mean - coef @ spectrum_mean) if self.fit_intercept else 0.0


def _start(y, weights):
    """The precision 1/Var(y) that the iterations start from."""
    return 1.0 / (np.average((y - np.average(y, weights=weights)) ** 2, weights=weights) + _EPS)


class BayesianRidge(_PosteriorMixin, BaseEstimator):
    r"""Bayesian ridge regression, with penalty and noise level chosen by the evidence.

    The model is :math:`y \mid w \sim N(Xw + b, \alpha^{-1} I)`, :math:`w \sim N(0, \lambda^{-1} I)` with Gamma priors
    on both precisions. `alpha_` (noise) and `lambda_` (slopes) maximise the log marginal likelihood. The slopes are the
    posterior mean, which is the ridge fit with penalty :math:`\lambda/\alpha` in RSS + penalty \|w\|². The intercept is
    unpenalised.

    Parameters
    ----------
    max_iter : int, default=300
        Maximum number of updates of alpha and lambda.
    tol : float, default=1e-3
        Stop when the slopes change by less than this in L1 norm.
    alpha_1 : float, default=1e-6
        Shape of the Gamma prior on alpha.
    alpha_2 : float, default=1e-6
        Rate of that prior.
    lambda_1 : float, default=1e-6
        Shape of the Gamma prior on lambda.
    lambda_2 : float, default=1e-6
        Rate of that prior.
    alpha_init : float or None, default=None
        Initial value of alpha; None means 1/Var(y).
    lambda_init : float or None, default=None
        Initial value of lambda; None means 1.
    compute_score : bool, default=False
        Whether to store the log marginal likelihood of every iteration.
    fit_intercept : bool, default=True
    copy_X : bool, default=True
        Accepted for compatibility; X is never overwritten.
    verbose : bool, default=False
        Print a message when the iterations converge.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Posterior mean of the slopes.
    intercept_ : float
    alpha_ : float
        Estimated precision of the noise.
    lambda_ : float
        Estimated precision of the slopes.
    sigma_ : ndarray of shape (n_features, n_features)
        Posterior covariance of the slopes.
    df_ : float
        Effective number of slopes, the sum of alpha d²/(lambda + alpha d²).
    scores_ : ndarray of shape (n_iter_ + 1,) or list
        Log marginal likelihoods (``compute_score=True``); the last one belongs to the returned model.
    n_iter_ : int
    X_offset_, X_scale_ : ndarray of shape (n_features,)
        Column means of the training rows, and ones.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    Notes
    -----
    The updates are MacKay's fixed-point equations lambda = (gamma + 2 lambda_1)/(\|w\|² + 2 lambda_2),
    alpha = (n - gamma + 2 alpha_1)/(RSS + 2 alpha_2) with gamma = `df_`. One decomposition of X serves all of them:
    O(n p min(n, p)), then O(p min(n, p)) per iteration. The evidence can have several local maxima; try other starting
    values with `alpha_init` and `lambda_init`.

    References
    ----------
    MacKay, D. J. C. (1992). Bayesian interpolation. Neural Computation 4, 415-447.

    Tipping, M. E. (2001). Sparse Bayesian learning and the relevance vector machine. JMLR 1, 211-244.

    Examples
    --------
    >>> from statlearn.linear import BayesianRidge
    >>> model = BayesianRidge().fit([[0, 0], [1, 1], [2, 2]], [0, 1, 2])
    >>> mean, std = model.predict([[1, 1]], return_std=True)
    >>> mean.round(6)
    array([1.])
    """

    _constraints = {
        "max_iter": [Int(1, None)],
        "tol": [Real(0, None, closed="neither")],
        "alpha_1": [Real(0, None)],
        "alpha_2": [Real(0, None)],
        "lambda_1": [Real(0, None)],
        "lambda_2": [Real(0, None)],
        "alpha_init": [None, Real(0, None)],
        "lambda_init": [None, Real(0, None)],
        "compute_score": ["boolean"],
        "fit_intercept": ["boolean"],
        "copy_X": ["boolean"],
        "verbose": ["verbose"],
    }
    _search_space = SearchSpace("Bayesian ridge")

    def __init__(
        self,
        *,
        max_iter=300,
        tol=1.0e-3,
        alpha_1=1.0e-6,
        alpha_2=1.0e-6,
        lambda_1=1.0e-6,
        lambda_2=1.0e-6,
        alpha_init=None,
        lambda_init=None,
        compute_score=False,
        fit_intercept=True,
        copy_X=True,
        verbose=False,
    ):
        self.max_iter = max_iter
        self.tol = tol
        self.alpha_1 = alpha_1
        self.alpha_2 = alpha_2
        self.lambda_1 = lambda_1
        self.lambda_2 = lambda_2
        self.alpha_init = alpha_init
        self.lambda_init = lambda_init
        self.compute_score = compute_score
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.verbose = verbose

    def fit(self, X, y, sample_weight=None):
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : float or array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        self : BayesianRidge
        """
        check_params(self)
        X, y = validate_data(self, X, y, dtype=FLOATS, y_numeric=True)
        weights = check_weights(sample_weight, X)
        y = y.astype(X.dtype).astype(np.float64)
        n = float(X.shape[0] if weights is None else np.sum(weights, dtype=np.float64))
        p = X.shape[1]
        spectrum, *_ = decompose(X, y[:, None], weights, fit_intercept=self.fit_intercept)
        d2, V, g = spectrum.values, spectrum.vectors, spectrum.scores[:, 0]
        left_over = max(spectrum.total[0] - g @ g, 0.0)

        def posterior(alpha, lam):
            """Slopes along the singular directions, residual sum of squares, evidence."""
            ratio = lam / alpha
            along = g * np.sqrt(d2) / (d2 + ratio)
            rss = left_over + np.sum((g * ratio / (d2 + ratio)) ** 2)
            log_det = np.sum(np.log(lam + alpha * d2)) + (p - d2.size) * np.log(lam)
            evidence = (
                self.lambda_1 * np.log(lam)
                - self.lambda_2 * lam
                + self.alpha_1 * np.log(alpha)
                - self.alpha_2 * alpha
                + 0.5 * (p * np.log(lam) + n * np.log(alpha) - alpha * rss - lam * (along @ along) - log_det)
                - 0.5 * n * np.log(2.0 * np.pi)
            )
            return along, rss, evidence

        alpha = _start(y, weights) if self.alpha_init is None else max(self.alpha_init, _TINY)
        lam = 1.0 if self.lambda_init is None else max(self.lambda_init, _TINY)
        scores, before, status = [], None, MAX_ITER
        for n_iter in range(1, self.max_iter + 1):
            self.n_iter_ = n_iter
            along, rss, evidence = posterior(alpha, lam)
            scores.append(evidence)
            gamma = np.sum(alpha * d2 / (lam + alpha * d2))
            lam = (gamma + 2.0 * self.lambda_1) / max(along @ along + 2.0 * self.lambda_2, _TINY)
            alpha = (n - gamma + 2.0 * self.alpha_1) / max(rss + 2.0 * self.alpha_2, _TINY)
            lam, alpha = max(lam, _TINY), max(alpha, _TINY)
            coef = V @ along
            if before is not None and np.sum(np.abs(before - coef)) < self.tol:
                status = OK
                break
            before = coef
        if self.verbose and status == OK:
            print(f"Converged after {self.n_iter_} iterations")
        warn_if_stopped(self, status, f"the slopes were still changing after {self.n_iter_} updates",
                        remedy="Increase max_iter or raise tol.")  # fmt: skip
        self.alpha_, self.lambda_ = float(alpha), float(lam)
        along, _, evidence = posterior(alpha, lam)
        self.scores_ = np.array([*scores, evidence]) if self.compute_score else []
        self.df_ = float(np.sum(alpha * d2 / (lam + alpha * d2)))
        # Along directions without data the variance is that of the prior, 1/lambda.
        sigma = (V * (1.0 / (alpha * d2 + lam) - 1.0 / lam)) @ V.T
        sigma[np.diag_indices(p)] += 1.0 / lam
        if d2.size == p:
            sigma = (V / (alpha * d2 + lam)) @ V.T
        self.sigma_ = sigma.astype(X.dtype)
        self._set_means(spectrum.x_mean, spectrum.y_mean[0], V @ along, X.dtype)
        return self


class ARDRegression(_PosteriorMixin, BaseEstimator):
    r"""Automatic relevance determination: Bayesian regression with one precision per slope.

    The model is that of :class:`BayesianRidge`, but with :math:`w_j \sim N(0, \lambda_j^{-1})`. A slope whose precision
    exceeds `threshold_lambda` is set to zero and removed from the model.

    Parameters
    ----------
    max_iter : int, default=300
        Maximum number of updates.
    tol : float, default=1e-3
        Stop when the slopes change by less than this in L1 norm.
    alpha_1 : float, default=1e-6
        Shape of the Gamma prior on the noise precision.
    alpha_2 : float, default=1e-6
        Rate of that prior.
    lambda_1 : float, default=1e-6
        Shape of the Gamma priors on the precisions of the slopes.
    lambda_2 : float, default=1e-6
        Rate of these priors.
    compute_score : bool, default=False
        Whether to store the log marginal likelihood of every iteration.
    threshold_lambda : float, default=1e4
        Precision above which a slope is pruned.
    fit_intercept : bool, default=True
    copy_X : bool, default=True
        Accepted for compatibility; X is never overwritten.
    verbose : bool, default=False

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
    alpha_ : float
        Estimated precision of the noise.
    lambda_ : ndarray of shape (n_features,)
        Estimated precisions of the slopes.
    sigma_ : ndarray of shape (n_kept, n_kept)
        Posterior covariance of the retained slopes.
    scores_ : ndarray or list
    n_iter_ : int
    X_offset_, X_scale_ : ndarray of shape (n_features,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    Notes
    -----
    Each update factorises a matrix whose order is the number k of retained slopes, or the number of rows if that is
    smaller: O(min(n, k)³ + n k min(n, k)). Standardise the columns first, because the precision threshold depends on
    their units.

    References
    ----------
    Tipping, M. E. (2001). Sparse Bayesian learning and the relevance vector machine. JMLR 1, 211-244.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.linear import ARDRegression
    >>> X = np.random.default_rng(0).normal(size=(50, 3))
    >>> ARDRegression().fit(X, 2 * X[:, 1]).coef_.round(6) + 0.0
    array([0., 2., 0.])
    """

    _constraints = {
        "max_iter": [Int(1, None)],
        "tol": [Real(0, None)],
        "alpha_1": [Real(0, None)],
        "alpha_2": [Real(0, None)],
        "lambda_1": [Real(0, None)],
        "lambda_2": [Real(0, None)],
        "compute_score": ["boolean"],
        "threshold_lambda": [Real(0, None)],
        "fit_intercept": ["boolean"],
        "copy_X": ["boolean"],
        "verbose": ["verbose"],
    }
    _search_space = SearchSpace("relevance determination")

    def __init__(
        self,
        *,
        max_iter=300,
        tol=1.0e-3,
        alpha_1=1.0e-6,
        alpha_2=1.0e-6,
        lambda_1=1.0e-6,
        lambda_2=1.0e-6,
        compute_score=False,
        threshold_lambda=1.0e4,
        fit_intercept=True,
        copy_X=True,
        verbose=False,
    ):
        self.max_iter = max_iter
        self.tol = tol
        self.alpha_1 = alpha_1
        self.alpha_2 = alpha_2
        self.lambda_1 = lambda_1
        self.lambda_2 = lambda_2
        self.compute_score = compute_score
        self.threshold_lambda = threshold_lambda
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.verbose = verbose

    def fit(self, X, y):
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        self : ARDRegression
        """
        check_params(self)
        X, y = validate_data(self, X, y, dtype=FLOATS, y_numeric=True, ensure_min_samples=2)
        Y = y.astype(X.dtype).astype(np.float64)[:, None]
        design = Rows(X, centre=self.fit_intercept)
        B, y_mean = design.targets(Y)
        A, b = design.dense(), B[:, 0]
        n, p = A.shape
        gram = A.T @ A if n >= p else None

        alpha, lam = _start(Y[:, 0], None), np.ones(p)
        lam[np.einsum("ij,ij->j", A, A) == 0.0] = max(self.threshold_lambda, 1.0 / _EPS)  # no slope
        keep, coef, before = lam < self.threshold_lambda, np.zeros(p), None
        scores, status = [], MAX_ITER
        for n_iter in range(1, self.max_iter + 1):
            self.n_iter_ = n_iter
            if not keep.any():
                status = OK
                break
            sigma = self._checked_posterior(A, gram, alpha, lam, keep)
            coef[keep] = alpha * (sigma @ (A[:, keep].T @ b))
            rss = float(np.sum((b - A[:, keep] @ coef[keep]) ** 2))
            gamma = 1.0 - lam[keep] * np.diag(sigma)
            lam[keep] = (gamma + 2.0 * self.lambda_1) / np.maximum(coef[keep] ** 2 + 2.0 * self.lambda_2, _TINY)
            alpha = max((n - gamma.sum() + 2.0 * self.alpha_1) / max(rss + 2.0 * self.alpha_2, _TINY), _TINY)
            keep = lam < self.threshold_lambda
            coef[~keep] = 0.0
            if self.compute_score:
                score = np.sum(self.lambda_1 * np.log(np.maximum(lam, _TINY)) - self.lambda_2 * lam)
                score += self.alpha_1 * np.log(alpha) - self.alpha_2 * alpha
                log_det = np.linalg.slogdet(sigma)[1]
                score += 0.5 * (log_det + n * np.log(alpha) + np.sum(np.log(np.maximum(lam, _TINY))))
                scores.append(score - 0.5 * (alpha * rss + np.sum(lam * coef**2)))
            if before is not None and np.sum(np.abs(before - coef)) < self.tol:
                status = OK
                break
            before = coef.copy()
        if not keep.any():
            status = OK
        if self.verbose and status == OK:
            print(f"Converged after {self.n_iter_} iterations")
        warn_if_stopped(self, status, f"the slopes were still changing after {self.n_iter_} updates",
                        remedy="Increase max_iter or raise tol.")  # fmt: skip
        if keep.any():
            sigma = self._checked_posterior(A, gram, alpha, lam, keep)
            coef[keep] = alpha * (sigma @ (A[:, keep].T @ b))
        else:
            sigma = np.empty((0, 0))
        self.alpha_, self.lambda_ = float(alpha), lam
        self.sigma_ = sigma.astype(X.dtype)
        self.scores_ = np.array(scores) if self.compute_score else []
        self._set_means(design.mean, y_mean[0], coef, X.dtype)
        return self

    def _checked_posterior(self, *arguments):
        sigma = self._posterior(*arguments)
        require_finite(sigma, remedy=_PRIORS)
        return sigma

    @staticmethod
    def _posterior(A, gram, alpha, lam, keep):
        """Posterior covariance (diag(lambda) + alpha A'A)^-1 of active slopes, by rows if those are fewer; or NaN."""
        precisions = lam[keep]
        if gram is not None or keep.sum() <= A.shape[0]:
            S = gram[np.ix_(keep, keep)] if gram is not None else A[:, keep].T @ A[:, keep]
            factor = cholesky(alpha * S + np.diag(precisions))
            return np.nan if factor is None else factor.inverse()
        # Scaled by the square roots of the precisions, so that the system is well conditioned for any of them.
        AL = A[:, keep] * np.sqrt(alpha / precisions)
        K = np.eye(A.shape[0]) + AL @ AL.T
        factor, root = cholesky(K), 1.0 / np.sqrt(precisions)
        if factor is None:
            return np.nan
        return np.diag(1.0 / precisions) - np.outer(root, root) * (AL.T @ factor.solve(AL))

    def _in_posterior(self):
        return self.lambda_ < self.threshold_lambda
