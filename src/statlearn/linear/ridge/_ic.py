"""Ridge regression with the penalty chosen by an information criterion."""

import numpy as np
from sklearn.base import BaseEstimator

from statlearn._core.params import GRID_POINTS, Options, Real, check_params
from statlearn._core.validation import FLOATS, check_weights, validate_data
from statlearn._math.penalties.scales import ridge_lambda
from statlearn.linear._base import LinearRegressorMixin
from statlearn.linear._penalty import PENALTY_SCALE

from ._path import check_alphas, default_alphas
from ._ridge import coef_shape
from ._spectrum import decompose


class RidgeIC(LinearRegressorMixin, BaseEstimator):
    r"""Ridge regression with the penalty chosen by AIC or BIC.

    The criterion uses the effective degrees of freedom. For Gaussian noise with variance estimated by RSS/n, and df the
    trace of the ridge smoother (including the intercept),

    .. math:: n \log(2\pi\,\mathrm{RSS}/n) + n + c\,(\mathrm{df} + 1), \qquad
        c = 2 \text{ (AIC)}, \quad c = \log n \text{ (BIC)} .

    "aicc" adds Hurvich and Tsai's correction 2 k (k + 1) / (n - k - 1), k = df + 1, to AIC.

    Parameters
    ----------
    alphas : array-like of shape (n_alphas,) or None, default=None
        The penalties to try. None means a grid of `n_alphas` values from almost no to almost all degrees of freedom.
    criterion : {"aic", "aicc", "bic"}, keyword only, default="aic"
    n_alphas : int, default=100
    fit_intercept : bool, default=True
    penalty_scale : {"sklearn", "half_rss", "rss"}, default="sklearn"
        See :class:`Ridge`.

    Attributes
    ----------
    alpha_ : float
        The penalty with the smallest criterion. Ties are broken in favour of the largest.
    alphas_ : ndarray of shape (n_alphas,)
        The grid, largest penalty first.
    criterion_ : ndarray of shape (n_alphas,)
    dfs_ : ndarray of shape (n_alphas,)
        Effective degrees of freedom without the intercept.
    df_ : float
        Effective degrees of freedom of the chosen fit, without the intercept.
    noise_variance_ : float
        RSS/(n - df) of the chosen fit, with the intercept counted in df.
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    Notes
    -----
    One decomposition serves the whole grid. With p close to or above n, the residual sum of squares tends to 0 with the
    penalty, so AIC favours the smallest penalty; use "aicc" or :class:`RidgeCV`. A weight of k counts as k rows.

    References
    ----------
    Hurvich, C. M. & Tsai, C.-L. (1989). Regression and time series model selection in small samples. Biometrika 76.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.linear import RidgeIC
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(50, 4))
    >>> y = X[:, 0] + rng.normal(size=50)
    >>> RidgeIC([0.1, 10.0, 1000.0], criterion="bic").fit(X, y).alpha_
    np.float64(10.0)
    """

    _constraints = {
        "alphas": ["array-like", Real(0, None), None],
        "criterion": [Options("aic", "aicc", "bic")],
        "n_alphas": [GRID_POINTS],
        "fit_intercept": ["boolean"],
        "penalty_scale": PENALTY_SCALE,
    }

    def __init__(self, alphas=None, *, criterion="aic", n_alphas=100, fit_intercept=True, penalty_scale="sklearn"):
        self.alphas = alphas
        self.criterion = criterion
        self.n_alphas = n_alphas
        self.fit_intercept = fit_intercept
        self.penalty_scale = penalty_scale

    def fit(self, X, y, sample_weight=None):
        """Choose the penalty and fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : float or array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        self : RidgeIC
        """
        check_params(self)
        X, y = validate_data(self, X, y, accept_sparse=("csr", "csc"), dtype=FLOATS, y_numeric=True)
        weights = check_weights(sample_weight, X)
        grid = None if self.alphas is None else np.sort(check_alphas(self.alphas))[::-1]
        floor = 0.0 if grid is None else ridge_lambda(grid[-1], self.penalty_scale)
        Y = y.astype(X.dtype).astype(np.float64)[:, None]
        spectrum, *_ = decompose(X, Y, weights, fit_intercept=self.fit_intercept, floor=floor)
        if grid is None:
            grid = default_alphas(spectrum.values, self.n_alphas, self.penalty_scale)
        penalties = ridge_lambda(grid, self.penalty_scale)
        n = X.shape[0] if weights is None else float(np.sum(weights, dtype=np.float64))
        rss, df = spectrum.rss(penalties)[:, 0], spectrum.df(penalties)
        parameters = df + self.fit_intercept + 1.0
        floor = np.finfo(float).eps * max(spectrum.total[0], np.finfo(float).tiny)
        deviance = n * np.log(2.0 * np.pi * np.maximum(rss, floor) / n) + n
        self.criterion_ = deviance + (np.log(n) if self.criterion == "bic" else 2.0) * parameters
        if self.criterion == "aicc":
            room = n - parameters - 1.0
            with np.errstate(divide="ignore"):
                self.criterion_ += np.where(room > 0, 2.0 * parameters * (parameters + 1.0) / room, np.inf)
        best = int(np.argmin(self.criterion_))
        self.alphas_, self.dfs_ = grid, df
        self.alpha_, self.df_ = grid[best], df[best]
        residual_df = n - df[best] - self.fit_intercept
        self.noise_variance_ = rss[best] / residual_df if residual_df > 0 else np.nan
        coef = spectrum.coef(penalties[best])
        self.coef_, self.intercept_ = coef_shape(coef, spectrum.intercept(coef), 1, self.fit_intercept, X.dtype)
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
