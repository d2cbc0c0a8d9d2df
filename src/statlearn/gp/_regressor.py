"""Gaussian process regression."""

import numpy as np
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from statlearn._core.blas import single_blas_thread
from statlearn._core.native import gp as native
from statlearn._core.params import Instance, Int, Options, Real, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.summary import Summary, Table
from statlearn._core.validation import validate_data
from statlearn._core.warnings import StatlearnWarning, warn

from ._covariance import AnyKernel, covariance_model, latent_covariance, variances
from ._evidence import Evidence, basis_root
from ._leave_one_out import predictions_without
from ._mean import NAMES, prior_mean
from ._search import Rough, maximise, rough_rows, warn_at_bounds
from .kernels import RBF, ConstantKernel, Matern, WhiteKernel
from .kernels._base import as_rows
from .kernels._formula import compile_kernel

_JITTERS = [10.0**k for k in range(-12, -4)]  # relative to the mean variance, tried in order


def default_kernel(fixed=False):
    """Unit variance and length scale."""
    bounds = "fixed" if fixed else (1e-5, 1e5)
    return ConstantKernel(1.0, bounds) * RBF(1.0, bounds)


class GaussianProcessRegressor(MultiOutputMixin, RegressorMixin, BaseEstimator):
    r"""Gaussian process regression.

    The model is :math:`y_i = m(x_i) + f(x_i) + \varepsilon_i`, where f has a Gaussian process prior of mean 0 and
    covariance `kernel`, and the noise has variance `alpha`. With :math:`K_y = K + \operatorname{diag}(\alpha)`, the
    posterior of f at new rows has mean and covariance

    .. math:: K_*^\top K_y^{-1} (y - m), \qquad K_{**} - K_*^\top K_y^{-1} K_* ,

    and the hyper-parameters :math:`\theta` of the kernel maximise the log marginal likelihood

    .. math:: -\tfrac12 (y - m)^\top K_y^{-1} (y - m) - \tfrac12 \log \lvert K_y \rvert - \tfrac n2 \log 2\pi .

    Several targets share one kernel; their likelihoods are added.

    Parameters
    ----------
    kernel : Kernel or None, default=None
        Covariance function, of this package or of scikit-learn. None means ``ConstantKernel() * RBF()`` with unit
        values, which are fitted.
    alpha : float or array-like of shape (n_samples,), default=1e-10
        Variance of the noise, one value or one for each training row. With 0 the posterior interpolates the data; if
        the matrix is then singular, as with repeated rows, the smallest sufficient value is added to its diagonal,
        reported by a warning and stored in `jitter_`.
    optimizer : "fmin_l_bfgs_b", callable or None, default="fmin_l_bfgs_b"
        How the likelihood is maximised within the bounds of the hyper-parameters. A callable gets the function to be
        minimised, the start and the bounds, and returns the best `theta` and its value. None keeps the kernel.
    n_restarts_optimizer : int, default=0
        Number of further searches, from values drawn within the bounds. The likelihood often has several maxima, one of
        which explains everything as noise.
    normalize_y : bool, default=False
        Whether to subtract the mean of y and to divide by its standard deviation. Without it the prior mean is 0, to
        which predictions return far from the data.
    copy_X_train : bool, default=True
        Whether to keep a copy of the training data rather than a reference.
    n_targets : int or None, default=None
        Number of targets of the prior, for predictions and draws before `fit`.
    random_state : int, RandomState or None, default=None
        Seed for the restarts.
    mean_function : {"constant", "linear", "quadratic"}, callable or None, default=None
        Prior mean m. A function of a table that returns one number per row is taken as it is. A function that returns
        several columns, and the named polynomials, are a basis: the coefficients are estimated by generalised least
        squares together with f (universal kriging), and their uncertainty is part of the predicted variance. The
        likelihood is then the one at the estimated coefficients.

    Attributes
    ----------
    kernel_ : Kernel
        The kernel with its fitted hyper-parameters.
    X_train_ : array-like of shape (n_samples, n_features) or list of objects
        Training rows.
    y_train_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Targets after a fixed prior mean, normalised if `normalize_y`.
    L_ : ndarray of shape (n_samples, n_samples)
        Lower Cholesky factor of the covariance of the observations.
    alpha_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Dual coefficients: the posterior mean is the kernel times these.
    coef_ : ndarray of shape (n_basis,) or (n_basis, n_targets)
        Coefficients of the basis of the prior mean, empty without one.
    log_marginal_likelihood_value_ : float
        Log marginal likelihood at the fitted hyper-parameters.
    runs_ : list of tuples
        Hyper-parameters (`theta`) and likelihood at the end of every search.
    jitter_ : float
        What was added to the diagonal in addition to `alpha`; usually 0.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Column names of X, if it has any.

    See Also
    --------
    GaussianProcessClassifier : the same prior for classes.
    statlearn.kernels.KernelRidge : the posterior mean alone.

    Notes
    -----
    One evaluation of the likelihood with its gradient costs a Cholesky factor and an inverse, O(n^3) time, plus one
    pass over the pairs of rows for the derivatives of all hyper-parameters together, O(n^2) memory. From a thousand
    rows on, the last steps of L-BFGS-B are replaced by BFGS steps that begin with the curvature of the likelihood of a
    quarter of the rows, and parameters that drift towards a bound are taken there at once. Results do not depend on the
    number of threads.

    A `WhiteKernel` in the kernel is noise as well, and can be fitted. Standard deviations include it by default, as in
    scikit-learn, but never `alpha`; ``predict(X, return_std=True, latent=True)`` leaves it out.

    References
    ----------
    Rasmussen and Williams (2006), Gaussian Processes for Machine Learning, chapters 2 and 5.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.gp import GaussianProcessRegressor, RBF, WhiteKernel
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(0, 5, (40, 1))
    >>> y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=40)
    >>> model = GaussianProcessRegressor(1.0 * RBF() + WhiteKernel(0.1)).fit(X, y)
    >>> mean, std = model.predict([[1.0], [9.0]], return_std=True)
    >>> mean.round(1), std.round(1)
    (array([0.8, 0.1]), array([0.1, 0.9]))
    """

    _search_space = SearchSpace(
        "Gaussian process",
        fixed={"kernel": 1.0 * Matern(nu=2.5) + WhiteKernel(0.1), "normalize_y": True, "n_restarts_optimizer": 1},
    )
    _constraints = {
        "kernel": [Instance(AnyKernel), None],
        "alpha": [Real(0, None), "array-like"],
        "optimizer": [Options("fmin_l_bfgs_b"), "callable", None],
        "n_restarts_optimizer": [Int(0, None)],
        "normalize_y": ["boolean"],
        "copy_X_train": ["boolean"],
        "n_targets": [Int(1, None), None],
        "random_state": ["random_state"],
        "mean_function": [Options(*NAMES), "callable", None],
    }

    def __init__(
        self,
        kernel=None,
        *,
        alpha=1e-10,
        optimizer="fmin_l_bfgs_b",
        n_restarts_optimizer=0,
        normalize_y=False,
        copy_X_train=True,
        n_targets=None,
        random_state=None,
        mean_function=None,
    ):
        self.kernel = kernel
        self.alpha = alpha
        self.optimizer = optimizer
        self.n_restarts_optimizer = n_restarts_optimizer
        self.normalize_y = normalize_y
        self.copy_X_train = copy_X_train
        self.n_targets = n_targets
        self.random_state = random_state
        self.mean_function = mean_function

    def fit(self, X, y):
        """Fit the hyper-parameters and the posterior.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or list of objects
            Objects need a kernel for them.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)

        Returns
        -------
        self
        """
        check_params(self)
        kernel = default_kernel() if self.kernel is None else clone(self.kernel)
        X, y = self._check_training(X, y, kernel)
        noise = self._check_noise(len(y))
        model = covariance_model(kernel)
        model.check(X)
        self._mean_function = self.mean_function
        fixed, basis = self._prior_mean(X)
        y = self._normalise(y if fixed is None else y - fixed.reshape(-1, *[1] * (y.ndim - 1)))
        with single_blas_thread():  # the same bits for any number of threads
            evidence = Evidence(model, X, y.reshape(len(y), -1), noise, basis)
            self.runs_ = []
            if self.optimizer is not None and kernel.n_dims > 0:
                rng = check_random_state(self.random_state)
                rows = rough_rows(len(y), 4) if model.compiled else None
                rough = None if rows is None else Rough(evidence.sample(rows).value_and_gradient, len(y) / len(rows))
                theta, _, self.runs_ = maximise(
                    evidence.value_and_gradient,
                    kernel,
                    self.optimizer,
                    self.n_restarts_optimizer,
                    rng,
                    type(self).__name__,
                    rough,
                )
                kernel.theta = theta
                warn_at_bounds(kernel)
            posterior = self._final_posterior(evidence, kernel, model)
        self.kernel_ = kernel
        self.X_train_ = X
        self.y_train_ = y
        self.L_ = _clean_upper(posterior.L)
        self.alpha_ = posterior.dual[:, 0] if y.ndim == 1 else posterior.dual
        self.coef_ = posterior.coef[:, 0] if y.ndim == 1 else posterior.coef
        self._white_basis = posterior.white_basis
        self.log_marginal_likelihood_value_ = posterior.log_likelihood
        _warn_of_contradictions(X, y, posterior)
        return self

    def _prior_mean(self, X):
        """Known part and basis of the prior mean, from the function of the fit or, before a fit, from the parameter."""
        return prior_mean(getattr(self, "_mean_function", self.mean_function), X)

    def _check_training(self, X, y, kernel):
        if kernel.requires_vector_input:
            X, y = validate_data(self, X, y, multi_output=True, y_numeric=True, dtype=np.float64, order="C")
        else:
            X, y = validate_data(self, X, y, multi_output=True, y_numeric=True, dtype=None, ensure_2d=False)
            if self.mean_function is not None and not callable(self.mean_function):
                raise ValueError("`mean_function` must be a function if the kernel takes objects instead of rows.")
        n_targets = y.shape[1] if y.ndim > 1 else 1
        if self.n_targets is not None and n_targets != self.n_targets:
            raise ValueError(
                "The number of targets seen in `y` is different from the parameter `n_targets`. "
                f"Got {n_targets} != {self.n_targets}."
            )
        y = y.astype(np.float64)
        if self.copy_X_train and isinstance(X, np.ndarray):
            X = X.copy()
        return X, y

    def _check_noise(self, n):
        noise = np.asarray(self.alpha, dtype=np.float64)
        if noise.ndim == 1 and noise.shape[0] == 1:
            noise = noise[0]
        if noise.ndim > 1 or (noise.ndim == 1 and noise.shape[0] != n):
            raise ValueError(f"`alpha` must be one number or one per row of X ({n}), got shape {noise.shape}.")
        if not np.all(np.isfinite(noise) & (noise >= 0)):
            raise ValueError("`alpha` must contain finite variances >= 0.")
        return noise

    def _normalise(self, y):
        shape = (y.shape[1],) if y.ndim == 2 else 1
        self._y_train_mean, self._y_train_std = np.zeros(shape), np.ones(shape)
        if not self.normalize_y:
            return y
        mean, std = y.mean(axis=0), y.std(axis=0)
        # A constant target has no scale, whatever rounding leaves of it.
        std = np.where(std > 10 * np.finfo(float).eps * np.abs(y).max(axis=0, initial=0.0), std, 1.0)
        self._y_train_mean, self._y_train_std = np.reshape(mean, shape), np.reshape(std, shape)
        return (y - mean) / std

    def _final_posterior(self, evidence, kernel, model):
        self.jitter_ = 0.0
        posterior = evidence.posterior(kernel.theta)
        if posterior is not None:
            return posterior
        if np.any(evidence.noise > 0):
            raise np.linalg.LinAlgError(
                f"The kernel, {kernel}, is not returning a positive definite matrix. Try gradually increasing the "
                f"'alpha' parameter of your {type(self).__name__} estimator."
            )
        scale = float(np.mean(kernel.diag(evidence.X)))
        for share in _JITTERS:
            posterior = evidence.posterior(kernel.theta, jitter=share * scale)
            if posterior is not None:
                self.jitter_ = share * scale
                warn(
                    f"The covariance matrix is singular without noise, so {self.jitter_:.1e} was added to its "
                    "diagonal. Rows may be repeated or very close. Set `alpha` to the variance of the noise.",
                    StatlearnWarning,
                )
                return posterior
        raise np.linalg.LinAlgError(
            f"The kernel, {kernel}, is not returning a positive definite matrix, even with {_JITTERS[-1]:g} times its "
            "mean variance added to the diagonal. Increase `alpha` or use another kernel."
        )

    # Prediction.

    def predict(self, X, return_std=False, return_cov=False, *, latent=False):
        """Posterior mean, and standard deviation or covariance on request.

        Before `fit` this is the prior.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features), or list of objects
        return_std : bool, default=False
        return_cov : bool, default=False
            At most one of the two can be requested.
        latent : bool, default=False
            Whether standard deviations and covariances are those of the function, without the noise of a `WhiteKernel`
            in the kernel.

        Returns
        -------
        mean : ndarray of shape (n_queries,) or (n_queries, n_targets)
        std : ndarray of shape (n_queries,) or (n_queries, n_targets)
            Only with `return_std`.
        cov : ndarray of shape (n_queries, n_queries) or (n_queries, n_queries, n_targets)
            Only with `return_cov`.
        """
        if return_std and return_cov:
            raise RuntimeError("At most one of return_std or return_cov can be requested.")
        fitted = hasattr(self, "X_train_")
        kernel = self.kernel_ if fitted else (default_kernel(fixed=True) if self.kernel is None else self.kernel)
        X = self._check_new(X, kernel)
        if not fitted:
            return self._prior(X, kernel, return_std, return_cov, latent)
        with single_blas_thread():
            mean, part = self._posterior_at(X, kernel, return_std, return_cov, latent)
        mean = self._restore_mean(mean, X)
        if not (return_std or return_cov):
            return mean
        scale = self._y_train_std**2
        spread = part[..., None] * scale if scale.size > 1 or self.y_train_.ndim > 1 else part * scale[0]
        if spread.ndim > part.ndim and spread.shape[-1] == 1:
            spread = spread[..., 0]
        return (mean, np.sqrt(spread)) if return_std else (mean, spread)

    def _check_new(self, X, kernel):
        if not kernel.requires_vector_input:
            return validate_data(self, X, ensure_2d=False, dtype=None, reset=False)
        return validate_data(self, X, dtype=np.float64, order="C", reset=False)

    def _prior(self, X, kernel, return_std, return_cov, latent):
        targets = 1 if self.n_targets is None else self.n_targets
        fixed, basis = self._prior_mean(X)
        if basis is not None:
            raise ValueError("The prior of a model with a basis as `mean_function` has no mean; call fit first.")
        mean = np.zeros(len(X)) if fixed is None else fixed
        spread = None
        if return_std:
            spread = np.sqrt(variances(kernel, X, latent))
        elif return_cov:
            spread = latent_covariance(kernel)(X) if latent else kernel(X)
        if targets > 1:
            mean = np.repeat(mean[:, None], targets, axis=1)
            spread = None if spread is None else np.repeat(spread[..., None], targets, axis=-1)
        return mean if spread is None else (mean, spread)

    def _posterior_at(self, X, kernel, return_std, return_cov, latent):
        """Mean of the normalised targets after the prior mean, and variance or covariance."""
        n, m = len(self.X_train_), X.shape[0] if hasattr(X, "shape") else len(X)
        A = np.ascontiguousarray(self.alpha_.reshape(n, -1))
        H = self._white_basis
        formula = compile_kernel(kernel) if kernel.requires_vector_input else None
        mean, cross = np.empty((m, A.shape[1])), np.empty((m, H.shape[1]))
        if formula is not None and not return_cov:
            reduction = np.empty(m if return_std else 0)
            native.predict_rows(formula.args, X, self.X_train_, A, self.L_, H, np.empty(0), mean, reduction, cross)
            if not return_std:
                return mean, None
            return mean, self._variance(X, variances(kernel, X, latent), reduction, cross)
        K = np.ascontiguousarray(kernel(X, self.X_train_))
        mean = K @ A
        if not (return_std or return_cov):
            return mean, None
        V = np.ascontiguousarray(K.T)
        native.cholesky_solve_half(self.L_, False, V)
        cross = V.T @ H
        if return_std:
            return mean, self._variance(X, variances(kernel, X, latent), np.einsum("ij,ij->j", V, V), cross)
        cov = (latent_covariance(kernel)(X) if latent else kernel(X)) - V.T @ V
        if H.shape[1]:
            R = (self._prior_mean(X)[1] - cross) @ basis_root(self._white_basis)
            cov += R @ R.T
        return mean, cov

    def _variance(self, X, prior, reduction, cross):
        variance = prior - reduction
        if self._white_basis.shape[1]:
            R = (self._prior_mean(X)[1] - cross) @ basis_root(self._white_basis)
            variance += np.einsum("ij,ij->i", R, R)
        if np.any(variance < 0):
            # Rounding can leave small negative values where the data determine f; larger ones are a bad condition.
            worst = float((variance / np.maximum(prior, np.finfo(float).tiny)).min())
            if worst < -1e-6:
                warn(
                    "Predicted variances smaller than 0. Setting those variances to 0. The covariance matrix is badly "
                    "conditioned; increase `alpha`.",
                )
            variance = np.maximum(variance, 0.0)
        return variance

    def _restore_mean(self, mean, X):
        fixed, basis = self._prior_mean(X)
        if basis is not None:
            mean = mean + basis @ self.coef_.reshape(basis.shape[1], -1)
        mean = mean * self._y_train_std + self._y_train_mean
        if fixed is not None:
            mean = mean + fixed[:, None]
        return mean[:, 0] if mean.shape[1] == 1 else mean

    def sample_y(self, X, n_samples=1, random_state=0):
        """Draws of the function at new rows, from the posterior, or from the prior before `fit`.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features), or list of objects
        n_samples : int, default=1
        random_state : int, RandomState or None, default=0

        Returns
        -------
        ndarray of shape (n_queries, n_samples) or (n_queries, n_targets, n_samples)
        """
        rng = check_random_state(random_state)
        mean, cov = self.predict(X, return_cov=True)
        if mean.ndim == 1:
            return rng.multivariate_normal(mean, cov, n_samples).T
        draws = [rng.multivariate_normal(mean[:, t], cov[..., t], n_samples).T[:, None] for t in range(mean.shape[1])]
        return np.hstack(draws)

    def posterior_covariance_curve(self, X, x0):
        r"""Posterior covariance of the function at rows X and at one row.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
        x0 : array-like of shape (n_features,) or float

        Returns
        -------
        ndarray of shape (n_queries,) or (n_queries, n_targets)
            :math:`\operatorname{Cov}(f(x), f(x_0) \mid y)`, without the noise of a `WhiteKernel`.
        """
        check_is_fitted(self, "X_train_")
        X = self._check_new(X, self.kernel_)
        kernel = latent_covariance(self.kernel_)
        with single_blas_thread():
            point = as_rows(np.reshape(x0, (1, -1)), "x0")
            if point.shape[1] != X.shape[1]:
                raise ValueError(f"`x0` must have {X.shape[1]} entries, one per column of X, got {point.shape[1]}.")
            V = np.ascontiguousarray(np.vstack([kernel(X, self.X_train_), kernel(point, self.X_train_)]).T)
            native.cholesky_solve_half(self.L_, False, V)
            cov = kernel(X, point)[:, 0] - V[:, :-1].T @ V[:, -1]
            if self._white_basis.shape[1]:
                basis = self._prior_mean(np.vstack([X, point]))[1]
                R = (basis - V.T @ self._white_basis) @ basis_root(self._white_basis)
                cov += R[:-1] @ R[-1]
        scale = self._y_train_std**2
        return cov * scale[0] if scale.size == 1 else cov[:, None] * scale

    # Likelihood.

    def log_marginal_likelihood(self, theta=None, eval_gradient=False, clone_kernel=True):
        """Log marginal likelihood of the training data.

        Parameters
        ----------
        theta : array-like of shape (n_dims,) or None, default=None
            Logarithms of the hyper-parameters. None means the fitted ones.
        eval_gradient : bool, default=False
            Whether to return the gradient with respect to `theta` too.
        clone_kernel : bool, default=True
            Whether the fitted kernel keeps its values. False sets them to `theta`.

        Returns
        -------
        value : float
            Minus infinity if the covariance matrix is not positive definite.
        gradient : ndarray of shape (n_dims,)
            Only with `eval_gradient`.
        """
        check_is_fitted(self, "X_train_")
        if theta is None:
            if eval_gradient:
                raise ValueError("Gradient can only be evaluated for theta!=None.")
            return self.log_marginal_likelihood_value_
        theta = np.asarray(theta, dtype=np.float64)
        evidence = self._evidence()
        if not clone_kernel:
            self.kernel_.theta = theta
        with single_blas_thread():
            if eval_gradient:
                return evidence.value_and_gradient(theta)
            return evidence.value(theta)

    def _evidence(self):
        """The likelihood of the training data as a function of the hyper-parameters."""
        basis = self._prior_mean(self.X_train_)[1]
        Y = self.y_train_.reshape(len(self.y_train_), -1)
        return Evidence(
            covariance_model(self.kernel_), self.X_train_, Y, self._check_noise(len(Y)) + self.jitter_, basis
        )

    def leave_one_out(self):
        r"""Leave-one-out predictions and log pseudo-likelihood in closed form.

        Row i is predicted from all others with the fitted hyper-parameters and, if y was normalised, its mean and
        scale: :math:`y_i - [K_y^{-1} y]_i / [K_y^{-1}]_{ii}` with variance :math:`1 / [K_y^{-1}]_{ii}`. Coefficients of
        a basis are estimated again without the row.

        Returns
        -------
        LeaveOneOut
            `mean`, `std`, `log_density` and `log_pseudo_likelihood`. The standard deviations are those of
            observations, noise included.

        References
        ----------
        Rasmussen and Williams (2006), section 5.4.2; Dubrule (1983), Cross validation of kriging in a unique
        neighborhood.
        """
        check_is_fitted(self, "X_train_")
        return predictions_without(self)

    def summary(self):
        """Table of the hyper-parameters, with the likelihood and the leave-one-out errors.

        Returns
        -------
        Summary
            Estimates, standard errors of their logarithms from the curvature of the likelihood, and bounds. A standard
            error is not given at a bound.
        """
        check_is_fitted(self, "X_train_")
        names, values = free_parameters(self.kernel_)
        bounds = np.exp(self.kernel_.bounds) if names else np.empty((0, 2))
        errors = self._log_errors()
        loo = self.leave_one_out()
        facts = {
            "n": len(self.y_train_),
            "log_likelihood": self.log_marginal_likelihood_value_,
            "log_pseudo_likelihood": loo.log_pseudo_likelihood,
            "loo_rmse": loo.rmse,
            "jitter": self.jitter_,
        }
        labels = {
            "n": "Observations",
            "log_likelihood": "Log marginal likelihood",
            "log_pseudo_likelihood": "Leave-one-out log density",
            "loo_rmse": "Leave-one-out RMSE",
        }
        table = Table(
            names, {"estimate": values, "log_std_error": errors, "bound_low": bounds[:, 0], "bound_high": bounds[:, 1]}
        )
        notes = [f"Kernel: {self.kernel_}"]
        if self.normalize_y:
            notes.append(
                "The kernel and the log marginal likelihood are for the normalised target; the leave-one-out figures "
                "are in its own units."
            )
        if len(self.runs_) > 1:
            near = sum(value > self.log_marginal_likelihood_value_ - 0.01 for _, value in self.runs_)
            notes.append(f"{near} of {len(self.runs_)} searches ended at this likelihood.")
        if self.jitter_:
            notes.append(f"{self.jitter_:.1e} was added to the diagonal, since the matrix is singular without noise.")
        return Summary("Gaussian process regression", table, facts, labels, [], notes)

    def _log_errors(self):
        """Standard errors of theta from differences of the gradient; NaN at bounds and where they do not exist."""
        theta, bounds = self.kernel_.theta, self.kernel_.bounds
        errors = np.full(len(theta), np.nan)
        inside = np.flatnonzero((theta > bounds[:, 0] + 1e-3) & (theta < bounds[:, 1] - 1e-3))
        if not inside.size:
            return errors
        evidence, step = self._evidence(), 1e-4
        hessian = np.empty((inside.size, inside.size))
        with single_blas_thread():
            for row, k in enumerate(inside):
                shift = step * (np.arange(len(theta)) == k)
                up, down = (evidence.value_and_gradient(theta + s * shift)[1] for s in (1.0, -1.0))
                hessian[row] = (down - up)[inside] / (2 * step)
        try:
            variances = np.diagonal(np.linalg.inv((hessian + hessian.T) / 2))
        except np.linalg.LinAlgError:
            return errors
        errors[inside] = np.sqrt(np.where(variances > 0, variances, np.nan))
        return errors

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags


def free_parameters(kernel):
    """Names and values of the hyper-parameters that are not fixed, one entry per element."""
    names = []
    for hyper in kernel.hyperparameters:
        if not hyper.fixed:
            names += [hyper.name] if hyper.n_elements == 1 else [f"{hyper.name}[{d}]" for d in range(hyper.n_elements)]
    return names, np.exp(kernel.theta)


def _clean_upper(L):
    """The lower triangle with zeros above it, in place."""
    L[np.triu_indices(len(L), 1)] = 0.0
    return L


def _warn_of_contradictions(X, y, posterior):
    """Warn about repeated rows whose targets differ by far more than the noise of the model allows."""
    residuals = y.reshape(len(y), -1)
    if not isinstance(X, np.ndarray) or float(np.sum(residuals * posterior.dual)) < 1e3 * residuals.size:
        return  # the square of the standardised residuals, 1 per target if the model is true
    _, group, count = np.unique(X.reshape(len(X), -1), axis=0, return_inverse=True, return_counts=True)
    group = group.ravel()
    mean = np.stack([np.bincount(group, column) for column in residuals.T], axis=1) / count[:, None]
    apart = np.abs(residuals - mean[group]).max(axis=1) > 1e-9 * np.abs(residuals).max()
    if apart.any():
        warn(
            f"{int(apart.sum())} rows of X are repeated with different targets, which the model cannot explain without "
            "noise: its predictions are useless. Add `WhiteKernel()` to the kernel to estimate the variance of the "
            "noise, or set `alpha` to it.",
            StatlearnWarning,
        )
