"""Linear models whose coefficients are smooth functions of another variable."""

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core import native
from statlearn._core.params import Instance, Int, Options, Real, check_arguments, check_params
from statlearn._core.validation import FLOATS, as_column, check_weights, present_rows, validate_columns
from statlearn._draw.style import styled
from statlearn.smooth._function_plots import panels
from statlearn.smooth._input_columns import check_sizes, in_precision_of
from statlearn.smooth._smoother_scores import noise_variance

from ._kernel_profile import PROFILES

_NONE, _NO_ROWS = np.empty(0), np.empty((0, 0))
_JUDGED = 1000  # rows at most by which bandwidths are judged
_ROUNDING = 1e-20  # share of the squares of y that residuals leave by rounding alone


class VaryingCoefficientModel(RegressorMixin, BaseEstimator):
    r"""Varying-coefficient model: a linear model whose coefficients are smooth functions of one column.

    .. math:: y = \beta_0(z) + \sum_j \beta_j(z) x_j + \varepsilon

    The coefficients at :math:`z_0` are the constant parts :math:`b_0` of

    .. math:: \min_{b_0, b_1, \dots} \sum_i w_i K(|z_i - z_0| / h)
        \bigl(y_i - x_i^\top (b_0 + b_1 (z_i - z_0) + \dots)\bigr)^2

    with a 1 among the :math:`x_i` for the intercept.

    Parameters
    ----------
    modifier : int or str, default=0
        The column z of X; all others are the :math:`x_j`.
    bandwidth : float or None, default=None
        The bandwidth h. None chooses it by `criterion`, unless `n_neighbors` is set.
    degree : {0, 1, 2}, default=1
        Degree of the local polynomials in z.
    n_neighbors : int or None, default=None
        Alternative to a bandwidth: :math:`h(z_0)` is the distance to this nearest row.
    kernel : {"epanechnikov", "tricube", "gaussian", "uniform"}, default="tricube"
        See :func:`kernel_profile`.
    criterion : {"aicc", "gcv", "loo"}, default="aicc"
        Criterion for the bandwidth: corrected AIC, generalised cross-validation or leave-one-out.
    fit_intercept : bool, default=True

    Attributes
    ----------
    bandwidth_ : float or None
        The bandwidth in use.
    df_ : float
        Trace of the smoother matrix.
    sigma2_ : float
        Noise variance, RSS / (n - tr(2S - SS')); NaN if no degrees of freedom are left.
    rss_, gcv_, loo_, aicc_ : float
        Residual sum of squares, generalised cross-validation error, leave-one-out mean squared error and corrected AIC.
    modifier_ : int
        Position of the column z.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    A prediction costs the number of rows within the bandwidth times the square of the number of coefficients. If a
    window has too few rows for all columns, those it cannot determine are dropped, slopes in z first; if it is empty,
    the nearest rows are used. With more than 1000 rows, 1000 of them, evenly spread over z, are used to choose the
    bandwidth and to estimate `df_` and the other scores. Beyond the range of z the boundary polynomials are
    extrapolated for part of the bandwidth; further away the coefficients are those of the nearest rows.

    Standard errors (``return_std=True``) are those of the linear smoother at the bandwidth in use. They ignore its bias
    and its choice.

    ``GAM([s(0), s(0, by=1), s(0, by=2)])`` is the same model with splines. There each coefficient has its own
    smoothness, chosen by restricted likelihood, and a test.

    References
    ----------
    Hastie, T. and Tibshirani, R. (1993). Varying-coefficient models. Journal of the Royal Statistical Society B 55,
    757-796.

    Fan, J. and Zhang, W. (1999). Statistical estimation in varying coefficient models. Annals of Statistics 27,
    1491-1518.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.smooth import VaryingCoefficientModel
    >>> rng = np.random.default_rng(0)
    >>> z, x = rng.uniform(size=300), rng.normal(size=300)
    >>> y = np.sin(3 * z) + (1 + z) * x + 0.1 * rng.normal(size=300)
    >>> model = VaryingCoefficientModel().fit(np.column_stack([z, x]), y)
    >>> model.coefficients([0.2, 0.8]).round(1)
    array([[0.6, 1.2],
           [0.7, 1.8]])
    """

    _constraints = {
        "modifier": [Int(None, None), Instance(str)],
        "bandwidth": [Real(0, None, closed="right"), None],
        "degree": [Int(0, 2)],
        "n_neighbors": [Int(1, None), None],
        "kernel": [Options(*PROFILES)],
        "criterion": [Options("aicc", "gcv", "loo")],
        "fit_intercept": ["boolean"],
    }

    def __init__(
        self,
        modifier=0,
        *,
        bandwidth=None,
        degree=1,
        n_neighbors=None,
        kernel="tricube",
        criterion="aicc",
        fit_intercept=True,
    ):
        self.modifier = modifier
        self.bandwidth = bandwidth
        self.degree = degree
        self.n_neighbors = n_neighbors
        self.kernel = kernel
        self.criterion = criterion
        self.fit_intercept = fit_intercept

    def fit(self, X, y, sample_weight=None):
        """Choose the bandwidth and store the rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The column z and the columns whose coefficients depend on it.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k counts as k rows.

        Returns
        -------
        self
        """
        check_params(self)
        if self.bandwidth is not None and self.n_neighbors is not None:
            raise ValueError("Set either `bandwidth` or `n_neighbors`, not both.")
        X, y = validate_columns(self, X, y, dtype=FLOATS, y_numeric=True)
        check_sizes(X, y)
        self.modifier_ = self._find_modifier(X.shape[1])
        self._degree, self._kernel, self._has_intercept = self.degree, self.kernel, bool(self.fit_intercept)
        self._n_neighbors = self.n_neighbors
        if X.shape[1] == 1 and not self.fit_intercept:
            raise ValueError("fit_intercept=False requires a column of X besides the modifier; X has 1 feature(s).")
        X, y, weights = present_rows(check_weights(sample_weight, X), X, y)
        order = np.argsort(X[:, self.modifier_], kind="stable")
        X = X[order].astype(np.float64)
        self._z_train, self._y_train = np.ascontiguousarray(X[:, self.modifier_]), y[order].astype(np.float64)
        self._row_weights = None if weights is None else weights[order].astype(np.float64)
        self._total_weight = float(len(y) if weights is None else self._row_weights.sum())
        if self.n_neighbors is not None and self.n_neighbors > self._total_weight + 1e-9:
            raise ValueError(f"`n_neighbors`={self.n_neighbors} exceeds the {self._total_weight:g} training rows.")
        others = np.delete(X, self.modifier_, axis=1)
        share = (np.ones(len(y)) if weights is None else self._row_weights)[:, None] / self._total_weight
        self._centre = np.sum(share * others, axis=0) if self.fit_intercept else np.zeros(others.shape[1])
        spread = np.sqrt(np.sum(share * (others - self._centre) ** 2, axis=0))
        self._scale = np.where(spread > 0, spread, 1.0)
        self._X_train = self._columns(others)
        self.bandwidth_ = self.bandwidth
        if self.bandwidth is None and self.n_neighbors is None:
            self.bandwidth_ = self._choose()
        self._store()
        return self

    def _find_modifier(self, p):
        if isinstance(self.modifier, str):
            names = list(getattr(self, "feature_names_in_", []))
            if self.modifier not in names:
                raise ValueError(f"`modifier`={self.modifier!r} is not a column of X; the columns are {names}.")
            return names.index(self.modifier)
        if not -p <= self.modifier < p:
            raise ValueError(f"`modifier`={self.modifier} is out of range; X has {p} columns.")
        return int(self.modifier) % p

    def _columns(self, others):
        """Standardised columns that the coefficients multiply, after a column of ones if there is an intercept."""
        columns = (others - self._centre) / self._scale
        return np.ascontiguousarray(
            np.column_stack([np.ones(len(others)), columns]) if self._has_intercept else columns
        )

    def _choose(self):
        """Bandwidth with the smallest criterion, from few rows in a window to all; the largest in case of ties."""
        z = self._z_train
        extent = z[-1] - z[0]
        if extent == 0:
            return 1.0
        wanted = 2.0 * self._X_train.shape[1] * (1 + self._degree) / max(self._total_weight, 1.0)
        grid = extent * np.geomspace(min(wanted, 1.0), 3.0, 16)[::-1]
        scores = np.array([self._scores(h)[self.criterion] for h in grid])
        best = scores.min()
        # Scores that differ by rounding count as equal.
        return float(grid[0] if np.isinf(best) else grid[np.argmax(scores <= best + 1e-9 * max(abs(best), 1e-300))])

    def _judged(self):
        """Positions and weights of the rows used for scores: all rows, or an evenly spaced subset."""
        n, total = len(self._z_train), self._total_weight
        if n <= _JUDGED:
            return np.arange(n), np.ones(n) if self._row_weights is None else self._row_weights
        passed = np.arange(1, n + 1) if self._row_weights is None else np.cumsum(self._row_weights)
        places = (np.arange(_JUDGED) + 0.5) * (total / _JUDGED)
        return np.minimum(np.searchsorted(passed, places), n - 1), np.full(_JUDGED, total / _JUDGED)

    def _scores(self, bandwidth, *, spread=False):
        """Degrees of freedom and errors of the fit to the training rows."""
        rows, w = self._judged()
        coef, leverage, variance = self._evaluate(
            self._z_train[rows], bandwidth, np.ascontiguousarray(self._X_train[rows]), spread=spread
        )[:3]
        residual = self._y_train[rows] - np.einsum("ij,ij->i", self._X_train[rows], coef)
        n = self._total_weight
        df, rss = float(w @ leverage), float(w @ residual**2)
        scores = dict(df=df, rss=rss, loo=np.inf, gcv=np.inf, aicc=np.inf)
        # The residuals of an interpolating fit are rounding errors, which must not decide between bandwidths.
        rss = max(rss, _ROUNDING * float(w @ self._y_train[rows] ** 2))
        if spread:
            scores["df_residual"] = n - 2.0 * df + float(w @ variance)
        if np.all(leverage < 1.0 - 1e-10):
            scores["loo"] = float(w @ (residual / (1.0 - leverage)) ** 2) / n
        if df < n:
            scores["gcv"] = rss / n / (1.0 - df / n) ** 2
        if n - df > 2 and rss > 0:
            scores["aicc"] = float(np.log(rss / n) + 1.0 + 2.0 * (df + 1.0) / (n - df - 2.0))
        return scores

    def _store(self):
        scores = self._scores(self.bandwidth_, spread=True)
        self.df_, self.rss_ = scores["df"], scores["rss"]
        self.gcv_, self.loo_, self.aicc_ = scores["gcv"], scores["loo"], scores["aicc"]
        self.sigma2_ = noise_variance(self.rss_, scores["df_residual"], self._total_weight)

    def _evaluate(self, z, bandwidth, columns, *, spread=False):
        """Scaled coefficients at z, leverage and variance of their sum with `columns`, and variances of each."""
        z = np.ascontiguousarray(z, dtype=np.float64)
        count, q = len(z), self._X_train.shape[1]
        coef, leverage = np.empty((count, q)), np.empty(count)
        each = np.empty((count, q)) if spread else _NO_ROWS
        total = np.empty(count) if spread else _NONE
        native.smooth.varying_coefficients(
            self._z_train,
            self._X_train,
            self._y_train,
            _NONE if self._row_weights is None else self._row_weights,
            z,
            _NONE if bandwidth is None else np.full(count, float(bandwidth)),
            columns,
            PROFILES.index(self._kernel),
            self._degree,
            0.5,
            0 if bandwidth is not None else int(self._n_neighbors),
            coef,
            each,
            leverage,
            total,
        )
        return coef, leverage, total, each

    def coefficients(self, z, *, return_std=False):
        """Coefficients at values of the modifier.

        Parameters
        ----------
        z : array-like of shape (n,)
        return_std : bool, default=False
            Whether to also return standard errors.

        Returns
        -------
        ndarray of shape (n, n_coefficients), or two of them
            The intercept, if there is one, then one coefficient for each other column in the order of X.
        """
        check_is_fitted(self)
        check_arguments("coefficients", return_std=(return_std, ["boolean"]))
        z = np.ravel(as_column(np.asarray(z, dtype=np.float64)))
        if not np.all(np.isfinite(z)):
            raise ValueError("z contains NaN or infinity.")
        q = self._X_train.shape[1]
        # The intercept is what the scaled columns give at x = 0.
        origin = np.tile(self._columns(np.zeros((1, q - self._has_intercept))), (len(z), 1))
        coef, _, total, each = self._evaluate(z, self.bandwidth_, origin, spread=return_std)
        slopes = slice(int(self._has_intercept), None)
        constant = np.einsum("ij,ij->i", coef, origin)
        coef[:, slopes] /= self._scale
        if self._has_intercept:
            coef[:, 0] = constant
        if not return_std:
            return coef
        each[:, slopes] /= self._scale**2
        if self._has_intercept:
            each[:, 0] = total
        return coef, np.sqrt(self.sigma2_ * each)

    def predict(self, X, *, return_std=False):
        """Predicted values.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        return_std : bool, default=False
            Whether to also return the standard error of the predicted mean.

        Returns
        -------
        ndarray of shape (n_samples,), or two of them
        """
        check_is_fitted(self)
        check_arguments("predict", return_std=(return_std, ["boolean"]))
        X = validate_columns(self, X, dtype=FLOATS, reset=False)
        rows = X.astype(np.float64)
        columns = self._columns(np.delete(rows, self.modifier_, axis=1))
        coef, _, total, _ = self._evaluate(rows[:, self.modifier_], self.bandwidth_, columns, spread=return_std)
        value = in_precision_of(X, np.einsum("ij,ij->i", columns, coef))
        return (value, np.sqrt(self.sigma2_ * total)) if return_std else value

    @styled
    def plot(self, axes=None, *, grid_size=101, level=0.95):
        """Plot each coefficient against the modifier with a pointwise band.

        Parameters
        ----------
        axes : array of matplotlib axes or None, default=None
        grid_size : int, default=101
        level : float, default=0.95

        Returns
        -------
        ndarray of matplotlib axes
        """
        from scipy.stats import norm

        check_is_fitted(self)
        check_arguments("plot", grid_size=(grid_size, [Int(2, None)]), level=(level, [Real(0, 1, closed="neither")]))
        names = list(getattr(self, "feature_names_in_", [f"x{j}" for j in range(self.n_features_in_)]))
        z = np.linspace(self._z_train[0], self._z_train[-1], grid_size)
        coef, error = self.coefficients(z, return_std=True)
        labels = ["intercept"] * self._has_intercept + [n for j, n in enumerate(names) if j != self.modifier_]
        axes = panels(axes, len(labels))
        reach = norm.ppf(0.5 + level / 2)
        for ax, label, b, e in zip(axes, labels, coef.T, error.T, strict=True):
            ax.fill_between(z, b - reach * e, b + reach * e, alpha=0.25, linewidth=0)
            ax.plot(z, b)
            ax.set(xlabel=names[self.modifier_], ylabel=label)
        return axes
