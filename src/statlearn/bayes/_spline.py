"""Bayesian regression on a B-spline basis."""

import numpy as np
from scipy.interpolate import BSpline
from scipy.optimize import brentq
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from statlearn._core.names import input_names
from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.summary import Summary, Table
from statlearn._core.validation import check_weights, require_finite, validate_data
from statlearn._math.rows.statistics import CrossProducts


def quantile_knots(x, weights, n_knots):
    """Distinct weighted quantiles at equal steps as interior knots; weights of k equal k copies."""
    values, place = np.unique(x, return_inverse=True)
    mass = np.bincount(place, weights, minlength=len(values))
    # Interpolated between the middles of the steps of the distribution function.
    middles = (np.cumsum(mass) - mass / 2) / mass.sum()
    inner = np.interp(np.arange(1, n_knots + 1) / (n_knots + 1), middles, values)
    inner = np.unique(inner)
    return inner[(inner > values[0]) & (inner < values[-1])]


def _spectrum(Z, y, w):
    """Eigenvalues and vectors of Z'WZ, the vectors' products with Z'Wy, and y'Wy.

    With fewer rows than columns, those of the rows' space alone, from the thin singular value decomposition.
    """
    if len(Z) < Z.shape[1]:
        weighted, target = np.sqrt(w)[:, None] * Z, np.sqrt(w) * y
        left, values, right = np.linalg.svd(weighted, full_matrices=False)
        return values**2, right.T, values * (left.T @ target), float(target @ target)
    ZZ, Zy, yy = CrossProducts.from_block(Z, y, w, centre=False).uncentred()
    values, vectors = np.linalg.eigh(ZZ)
    return np.maximum(values, 0.0), vectors, vectors.T @ Zy[:, 0], float(yy[0, 0])


class BayesianSplineRegressor(RegressorMixin, BaseEstimator):
    r"""Bayesian linear regression on B-splines.

    With the basis H of all columns, :math:`y \mid \beta \sim N(H\beta, \sigma^2 W^{-1})` and
    :math:`\beta \sim N(0, \tau\Sigma)`, the posterior of the coefficients is normal with

    .. math:: \hat\beta = (H^\top W H + \tfrac{\sigma^2}{\tau}\Sigma^{-1})^{-1} H^\top W y, \qquad
              \operatorname{Cov} = \sigma^2 (H^\top W H + \tfrac{\sigma^2}{\tau}\Sigma^{-1})^{-1}

    Parameters
    ----------
    n_knots : int, default=3
        Number of interior knots of each column, at quantiles; cubic splines have `n_knots` + 4 basis functions.
    degree : int, default=3
    tau : float or "ml", default="ml"
        Variance of the coefficients; "ml" maximises the marginal likelihood.
    sigma2 : float or "ml", default="ml"
        Noise variance; "ml" maximises the marginal likelihood.
    prior_covariance : array-like of shape (n_basis, n_basis) or None, default=None
        The matrix Sigma, positive definite; None means the identity.

    Attributes
    ----------
    coef_ : ndarray of shape (n_basis,)
        Posterior mean.
    covariance_ : ndarray of shape (n_basis, n_basis)
        Posterior covariance.
    sigma2_, tau_ : float
    edf_ : ndarray of shape (n_features,)
        Effective degrees of freedom of the basis functions of each column, the trace of their part of the matrix that
        maps least-squares coefficients to the posterior mean.
    log_marginal_likelihood_ : float
    knots_ : list of ndarray
        Interior knots of each column.
    boundaries_ : ndarray of shape (n_features, 2)
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined only if X has column names that are all strings.

    Notes
    -----
    The posterior mean is the ridge solution with the penalty sigma2 / tau for Sigma = I, and tends to least squares as
    tau grows.
    The posterior of the curve equals that of a Gaussian process with the kernel tau h(x)' Sigma h(x'). Functions of
    several columns are added. The prior mean is 0: if y is far from 0, a small fixed `tau` pulls the curve towards it.
    Beyond the range of training, columns are clipped to it, so that the curve continues as a constant.

    References
    ----------
    Hastie, T., Tibshirani, R. & Friedman, J. (2009). The Elements of Statistical Learning, section 8.3.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.bayes import BayesianSplineRegressor
    >>> x = np.linspace(0, 3, 50)[:, None]
    >>> y = np.sin(2 * x[:, 0]) + 0.1 * np.cos(20 * x[:, 0])
    >>> model = BayesianSplineRegressor(tau=1000.0, sigma2=0.01).fit(x, y)
    >>> mean, std = model.predict([[1.0]], return_std=True)
    >>> len(model.coef_), mean.round(2).tolist(), std.round(3).tolist()
    (7, [0.91], [0.032])
    """

    _constraints = {
        "n_knots": [Int(0, 10_000)],
        "degree": [Int(0, 10)],
        "tau": [Real(0, None, closed="neither"), Options("ml")],
        "sigma2": [Real(0, None, closed="neither"), Options("ml")],
        "prior_covariance": ["array-like", None],
    }
    _search_space = SearchSpace("Bayesian splines", grid={"n_knots": [3, 8]})

    def __init__(self, n_knots=3, *, degree=3, tau="ml", sigma2="ml", prior_covariance=None):
        self.n_knots = n_knots
        self.degree = degree
        self.tau = tau
        self.sigma2 = sigma2
        self.prior_covariance = prior_covariance

    def fit(self, X, y, sample_weight=None):
        """Compute the posterior of the coefficients.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k is equivalent to k copies of the row.

        Returns
        -------
        self
        """
        check_params(self)
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        weights = check_weights(sample_weight, X)
        if weights is not None:
            used = weights > 0
            X, y, weights = X[used], y[used], weights[used]
        w = np.ones(len(y)) if weights is None else weights
        y = y.astype(np.float64)
        self._degree = self.degree
        self.boundaries_ = np.column_stack([X.min(axis=0), X.max(axis=0)])
        self.knots_ = [quantile_knots(column, weights, self.n_knots) for column in X.T]
        H = self.basis(X)
        root = self._prior_root(H.shape[1])
        determined = self._solve(H if root is None else H @ root, y, w, root)
        first = np.concatenate([[0], np.cumsum(self._sizes())[:-1]])
        self.edf_ = np.add.reduceat(determined, first)
        return self

    def _sizes(self):
        """Number of basis functions of each column."""
        wide = 0.5 * self.boundaries_[:, 1] - 0.5 * self.boundaries_[:, 0] > 0
        return [len(knots) + self._degree + 1 if w else 1 for knots, w in zip(self.knots_, wide)]

    def _prior_root(self, m):
        """Matrix R with R R' = Sigma; None for the identity."""
        if self.prior_covariance is None:
            return None
        sigma = np.asarray(self.prior_covariance, dtype=np.float64)
        if sigma.shape != (m, m) or not np.allclose(sigma, sigma.T):
            raise ValueError(
                f"`prior_covariance` must be a symmetric matrix of shape {(m, m)}, got shape {sigma.shape}."
            )
        try:
            return np.linalg.cholesky(sigma)
        except np.linalg.LinAlgError:
            raise ValueError("`prior_covariance` must be positive definite.") from None

    def _solve(self, Z, y, w, root):
        """Z = H R, so that the coefficients of Z have independent priors of variance tau.

        Returns the share of each coefficient that the data determine: the diagonal of I - (Sigma tau)^{-1} Cov, 1 for
        one without influence of the prior and 0 for one that keeps its prior.
        """
        with np.errstate(over="ignore"):
            scale = np.sqrt(np.average(y**2, weights=w)) or 1.0
        require_finite(scale, scale**2)
        values, vectors, g, yy = _spectrum(Z, y / scale, w)
        total = w.sum()
        floor = 1e-10 * yy / total

        fixed_sigma = None if self.sigma2 == "ml" else self.sigma2 / scale**2
        fixed_tau = None if self.tau == "ml" else self.tau / scale**2

        def fit_given(log_ratio):
            """Minus twice the log marginal likelihood, sigma2 and slope for the log of tau / sigma2."""
            ratio = np.exp(log_ratio)
            shrink = ratio / (1 + ratio * values)
            quadratic = yy - np.sum(g**2 * shrink)
            falls = np.sum(g**2 * shrink / (1 + ratio * values))
            rises = np.sum(values * shrink)
            if fixed_sigma is not None:
                sigma2, slope = fixed_sigma, rises - falls / fixed_sigma
            elif fixed_tau is not None:
                sigma2, slope = fixed_tau / ratio, rises - total + (quadratic - falls) * ratio / fixed_tau
            else:
                sigma2 = max(quadratic / total, floor)
                slope = rises - falls / sigma2
            criterion = total * np.log(2 * np.pi * sigma2) + np.sum(np.log1p(ratio * values)) + quadratic / sigma2
            return criterion, sigma2, slope

        if fixed_sigma is not None and fixed_tau is not None:
            best = np.log(fixed_tau / fixed_sigma)
        else:
            grid = np.linspace(-25.0, 25.0, 101)
            best = grid[np.argmin([fit_given(r)[0] for r in grid])]
            low, high = best - 0.5, best + 0.5
            if fit_given(low)[2] < 0 < fit_given(high)[2]:  # the root of the slope is sharper than the minimum
                best = brentq(lambda r: fit_given(r)[2], low, high, xtol=1e-14)
        criterion, sigma2, _ = fit_given(best)
        ratio = np.exp(best)
        variances = sigma2 * ratio / (1 + ratio * values)
        middle = vectors @ (g * ratio / (1 + ratio * values))
        shrunk = (vectors * variances) @ vectors.T
        if len(values) < len(middle):  # directions without data keep their prior
            shrunk += sigma2 * ratio * (np.eye(len(middle)) - vectors @ vectors.T)
        self.coef_ = (middle if root is None else root @ middle) * scale
        self.covariance_ = (shrunk if root is None else root @ shrunk @ root.T) * scale**2
        self.sigma2_, self.tau_ = float(sigma2 * scale**2), float(sigma2 * ratio * scale**2)
        self.log_marginal_likelihood_ = float(-0.5 * criterion - total * np.log(scale))
        left, right = (vectors, vectors) if root is None else (np.linalg.solve(root.T, vectors), root @ vectors)
        return np.sum(left * right * (ratio * values / (1 + ratio * values)), axis=1)

    def basis(self, X):
        """Values of the basis functions, of shape (n_samples, n_basis); those of a column sum to 1."""
        X = np.asarray(X, dtype=np.float64)
        blocks = []
        for j, (low, high) in enumerate(self.boundaries_):
            half = 0.5 * high - 0.5 * low
            if not half > 0:
                blocks.append(np.ones((len(X), 1)))
                continue
            d = self._degree
            # On [0, 1], since slopes of splines over very short or long ranges overflow; halves, for the same reason.
            inner, x = ((0.5 * v - 0.5 * low) / half for v in (self.knots_[j], np.clip(X[:, j], low, high)))
            knots = np.concatenate([np.zeros(d + 1), inner, np.ones(d + 1)])
            blocks.append(BSpline.design_matrix(np.clip(x, 0.0, 1.0), knots, d).toarray())
        return np.hstack(blocks)

    def predict(self, X, return_std=False, return_cov=False):
        """Posterior mean of the curve.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        return_std : bool, default=False
            Whether to also return the posterior standard deviation of the curve, without the noise.
        return_cov : bool, default=False
            Whether to return the posterior covariance matrix instead.

        Returns
        -------
        mean : ndarray of shape (n_samples,)
        std or covariance : ndarray
            Only if asked for.
        """
        check_is_fitted(self)
        if return_std and return_cov:
            raise ValueError("Pass at most one of `return_std` and `return_cov`.")
        H = self.basis(validate_data(self, X, dtype=np.float64, reset=False))
        mean = H @ self.coef_
        if return_cov:
            return mean, H @ self.covariance_ @ H.T
        if return_std:
            return mean, np.sqrt(np.maximum(np.sum((H @ self.covariance_) * H, axis=1), 0.0))
        return mean

    def sample_y(self, X, n_samples=1, random_state=None):
        """Curves drawn from the posterior, of shape (n_rows, n_samples)."""
        check_is_fitted(self)
        H = self.basis(validate_data(self, X, dtype=np.float64, reset=False))
        rng = check_random_state(random_state)
        values, vectors = np.linalg.eigh(self.covariance_)
        noise = rng.normal(size=(len(values), n_samples))
        draws = self.coef_[:, None] + (vectors * np.sqrt(np.maximum(values, 0.0))) @ noise
        return H @ draws

    def summary(self):
        """Variances, marginal likelihood and effective degrees of freedom.

        Returns
        -------
        Summary
            One row per column: its number of interior knots and basis functions, and their effective degrees of
            freedom.
        """
        check_is_fitted(self)
        columns = {"knots": [len(k) for k in self.knots_], "basis functions": self._sizes(), "edf": self.edf_}
        facts = {
            "noise_sd": float(np.sqrt(self.sigma2_)),
            "prior_sd": float(np.sqrt(self.tau_)),
            "edf": float(self.edf_.sum()),
            "log_marginal_likelihood": self.log_marginal_likelihood_,
        }
        labels = {
            "noise_sd": "Noise standard deviation",
            "prior_sd": "Prior standard deviation of a coefficient",
            "edf": "Effective degrees of freedom",
            "log_marginal_likelihood": "Log marginal likelihood",
        }
        return Summary("Bayesian spline regression", Table(input_names(self), columns), facts, labels)
