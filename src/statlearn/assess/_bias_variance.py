"""Bias-variance decomposition: by simulation for any model, in closed form for least squares."""

from dataclasses import dataclass, field

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array

from statlearn._core.params import Int, Options, Real, check_arguments
from statlearn._math.inference import standard_error

from ._folds import run
from ._generators import draw_from


@dataclass
class BiasVariance:
    """Decomposition of the squared error at test points.

    Parameters
    ----------
    noise, bias2, variance : ndarray of shape (n_points,)
        Variance of the response around the truth, squared bias of the mean prediction, variance of the prediction.
    mean_prediction : ndarray of shape (n_points,)
    truth : ndarray of shape (n_points,)
    n_sets : int
    predictions : ndarray of shape (n_sets, n_points)
    """

    noise: np.ndarray
    bias2: np.ndarray
    variance: np.ndarray
    mean_prediction: np.ndarray
    truth: np.ndarray
    n_sets: int
    predictions: np.ndarray = field(repr=False)

    @property
    def error(self):
        """Expected squared error at each point: noise + bias² + variance."""
        return self.noise + self.bias2 + self.variance

    @property
    def average(self):
        """Means over the points, by name: noise, bias2, variance, error."""
        return {name: float(np.mean(getattr(self, name))) for name in ("noise", "bias2", "variance", "error")}

    @property
    def std_error(self):
        """Monte Carlo standard error of the average error, from the spread between training sets."""
        each = np.mean((self.predictions - self.truth) ** 2, axis=1)
        return standard_error(each)


def bias_variance_decomposition(
    estimator, generator, X_test, *, truth, noise=None, n_sets=200, n_jobs=None, random_state=None
):
    r"""Bias-variance decomposition of the squared error by Monte Carlo simulation of training sets.

    At every test point, with :math:`\hat f_m` fitted to training set m of M,

    .. math:: E (y - \hat f)^2 = \sigma^2 + (E \hat f - f)^2 + E (\hat f - E \hat f)^2

    Parameters
    ----------
    estimator : estimator
        Estimator with `predict`. For a classifier with classes 0 and 1, the probability of 1 is used if available.
    generator : callable
        ``generator(rng)`` returns X and y of one training set; a second parameter n needs a default.
    X_test : array-like of shape (n_points, n_features)
    truth : callable or array-like of shape (n_points,)
        The function :math:`f`, called with `X_test` as an array (or the data frame that was passed), or its values.
    noise : float, array-like, callable or None, default=None
        Variance σ² of the response at the test points. None estimates a single number from the training responses
        around a callable `truth`.
    n_sets : int, default=200
        Number of training sets M.
    n_jobs : int or None, default=None
    random_state : int, RandomState or None, default=None

    Returns
    -------
    BiasVariance
        One entry per point, with means over the points in `average`.

    Notes
    -----
    Variances have divisor M-1, and the squared bias is corrected for the variance/M of the mean of M fits. Both are
    unbiased (a bias² near 0 may be slightly negative), and they add up to the mean squared distance from f.

    References
    ----------
    Hastie, T., Tibshirani, R. & Friedman, J. (2009). The Elements of Statistical Learning, section 7.3.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.assess import bias_variance_decomposition
    >>> from statlearn.linear import LinearRegression
    >>> def draw(rng):
    ...     X = rng.uniform(-1, 1, size=(20, 1))
    ...     return X, X[:, 0] ** 2 + 0.1 * rng.normal(size=20)
    >>> points = np.linspace(-1, 1, 21)[:, None]
    >>> found = bias_variance_decomposition(
    ...     LinearRegression(), draw, points, truth=lambda X: X[:, 0] ** 2, noise=0.01, random_state=0
    ... )
    >>> found.average["bias2"] > found.average["variance"]
    True
    """
    check_arguments(bias_variance_decomposition, generator=(generator, ["callable"]), n_sets=(n_sets, [Int(2, None)]))
    X_test = _as_array(X_test)
    seeds = check_random_state(random_state).randint(2**31 - 1, size=n_sets)

    def one(seed):
        X, y = draw_from(generator, np.random.default_rng(seed))
        model = clone(estimator).fit(X, y)
        residual = np.mean((np.asarray(y) - truth(_as_array(X))) ** 2) if noise is None and callable(truth) else np.nan
        return _answers(model, X_test), residual

    runs = run(one, [(seed,) for seed in seeds], n_jobs)
    predictions = np.array([answer for answer, _ in runs], dtype=np.float64)
    points = predictions.shape[1]
    f = np.broadcast_to(np.asarray(truth(X_test) if callable(truth) else truth, dtype=np.float64), (points,))
    if noise is None:
        if not callable(truth):
            raise ValueError("`noise` must be passed unless `truth` is a function, from which it can be estimated.")
        sigma2 = np.full(points, np.mean([residual for _, residual in runs]))
    else:
        sigma2 = np.broadcast_to(np.asarray(noise(X_test) if callable(noise) else noise, dtype=np.float64), (points,))
    mean = predictions.mean(axis=0)
    variance = predictions.var(axis=0, ddof=1)
    bias2 = (mean - f) ** 2 - variance / n_sets
    return BiasVariance(np.array(sigma2), bias2, variance, mean, np.array(f), n_sets, predictions)


def _as_array(X):
    """A list as an array; data frames, arrays and sparse matrices unchanged."""
    return np.asarray(X) if isinstance(X, (list, tuple)) else X


def _answers(model, X):
    if hasattr(model, "predict_proba"):
        proba = np.asarray(model.predict_proba(X))
        classes = list(model.classes_)
        if set(classes) <= {0, 1}:
            return proba[:, classes.index(1)] if 1 in classes else np.zeros(len(proba))
    return np.asarray(model.predict(X))


def ols_prediction_variance(X, x0=None, *, noise_variance=1.0, fit_intercept=True):
    r"""Variance of a least-squares prediction given X, :math:`\lVert h(x_0) \rVert^2 \sigma^2`.

    :math:`h(x_0) = X (X^\top X)^{-1} x_0` contains the weights of the responses in the prediction, so the squared norm
    is :math:`x_0^\top (X^\top X)^{-1} x_0`. At the training rows it is the leverage.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Training rows of full rank.
    x0 : array-like of shape (n_points, n_features) or None, default=None
        Points at which to predict; None uses the training rows.
    noise_variance : float, default=1.0
        σ².
    fit_intercept : bool, default=True

    Returns
    -------
    ndarray of shape (n_points,)
        The mean over the training rows is (p + 1) σ²/n with an intercept, p σ²/n without.

    Examples
    --------
    >>> from statlearn.assess import ols_prediction_variance
    >>> ols_prediction_variance([[0.0], [1.0], [2.0], [3.0]], [[0.0], [6.0]]).round(2)
    array([0.7, 4.3])
    """
    check_arguments(
        ols_prediction_variance, noise_variance=(noise_variance, [Real(0, None)]),
        fit_intercept=(fit_intercept, ["boolean"]),
    )  # fmt: skip
    X = check_array(X, dtype=np.float64)
    x0 = X if x0 is None else check_array(x0, dtype=np.float64, input_name="x0")
    if x0.shape[1] != X.shape[1]:
        raise ValueError(f"`x0` has {x0.shape[1]} columns, but `X` has {X.shape[1]}.")
    if fit_intercept:
        X, x0 = (np.column_stack([np.ones(len(A)), A]) for A in (X, x0))
    R = np.linalg.qr(X, mode="r")
    if X.shape[0] < X.shape[1] or np.min(np.abs(np.diag(R))) <= 1e-12 * np.max(np.abs(R)):
        raise ValueError("`X` has linearly dependent columns, so the prediction is not unique.")
    from scipy.linalg import solve_triangular

    return noise_variance * np.sum(solve_triangular(R, x0.T, trans="T") ** 2, axis=0)


def linear_fit_variance(n, p, *, noise_variance=1.0, design="fixed"):
    r"""Average variance of least-squares predictions with p coefficients.

    Over the training rows, :math:`p \sigma^2 / n`; at a new row of a normal design without intercept,
    :math:`p \sigma^2 / (n - p - 1)` exactly.

    Parameters
    ----------
    n, p : int
        Number of rows and coefficients.
    noise_variance : float, default=1.0
        σ².
    design : {"fixed", "random"}, default="fixed"

    Returns
    -------
    float
        Infinite for a random design if n is at most p + 1.

    Examples
    --------
    >>> from statlearn.assess import linear_fit_variance
    >>> linear_fit_variance(50, 25), round(linear_fit_variance(50, 25, design="random"), 6)
    (0.5, 1.041667)
    """
    check_arguments(
        linear_fit_variance, n=(n, [Int(1, None)]), p=(p, [Int(0, None)]),
        noise_variance=(noise_variance, [Real(0, None)]), design=(design, [Options("fixed", "random")]),
    )  # fmt: skip
    if design == "fixed":
        if p > n:
            raise ValueError(f"Least squares requires n >= p, got n={n} rows and p={p} coefficients.")
        return noise_variance * p / n
    return noise_variance * p / (n - p - 1) if n > p + 1 else float("inf")


def overfits(train_error, test_error, other_train_error, other_test_error):
    """Whether a model overfits relative to another: better on the training rows, worse on new rows.

    Parameters
    ----------
    train_error, test_error : float or array-like
        Errors of the model, smaller is better.
    other_train_error, other_test_error : float or array-like
        Errors of the model to compare with.

    Returns
    -------
    bool or ndarray of bool

    References
    ----------
    Mitchell, T. (1997). Machine Learning, section 3.7.1.

    Examples
    --------
    >>> from statlearn.assess import overfits
    >>> overfits(0.01, 0.30, 0.10, 0.15)
    True
    """
    overfitted = np.less(train_error, other_train_error) & np.greater(test_error, other_test_error)
    return bool(overfitted) if np.ndim(overfitted) == 0 else overfitted


@dataclass(frozen=True)
class Regime:
    """Diagnosis of a model, with advice.

    Parameters
    ----------
    name : str
        "acceptable", "high variance" or "high bias".
    advice : str
    gap : float
        Test error minus training error.
    """

    name: str
    advice: str
    gap: float

    def __str__(self):
        return f"{self.name}: {self.advice}"


def diagnose_regime(train_error, test_error=None, *, acceptable):
    """Diagnosis of high variance or high bias relative to an acceptable error.

    A training error above the acceptable error indicates high bias; more rows will not help. A training error below it
    together with a test error above it indicates high variance.

    Parameters
    ----------
    train_error : float or ScoreCurve
        Error on the training rows, smaller is better. Or the result of `learning_curve` or `validation_curve`, whose
        last point is used with negative scores as errors.
    test_error : float or None, default=None
        Error on new rows.
    acceptable : float
        Largest acceptable error.

    Returns
    -------
    Regime

    Examples
    --------
    >>> from statlearn.assess import diagnose_regime
    >>> diagnose_regime(0.02, 0.25, acceptable=0.1).name
    'high variance'
    >>> diagnose_regime(0.20, 0.22, acceptable=0.1).name
    'high bias'
    """
    if hasattr(train_error, "train_mean"):
        train_error, test_error = -float(train_error.train_mean[-1]), -float(train_error.test_mean[-1])
    check_arguments(
        diagnose_regime, train_error=(train_error, [Real(None, None)]), test_error=(test_error, [Real(None, None)]),
        acceptable=(acceptable, [Real(None, None)]),
    )  # fmt: skip
    gap = test_error - train_error
    if train_error > acceptable:
        return Regime("high bias", "use a more flexible model, more or better features, or a smaller penalty", gap)
    if test_error > acceptable:
        return Regime("high variance", "use more rows, a simpler model, fewer features, or a larger penalty", gap)
    return Regime("acceptable", "both errors are within the limit", gap)
