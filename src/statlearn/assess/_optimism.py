"""Optimism of the training error and covariance degrees of freedom by the parametric bootstrap."""

from dataclasses import dataclass

import numpy as np
from sklearn.base import clone

from statlearn._core.params import Int, Real, check_arguments
from statlearn._math.inference import standard_error

from ._bootstrap import generator
from ._folds import run
from ._smoothers import smoother_matrix

_MOST_ROWS = 5000  # for which the smoother matrix is computed


@dataclass
class InSampleError:
    """In-sample error: squared error at the training points with new responses.

    Parameters
    ----------
    estimate : float
        Training error plus optimism.
    train : float
        Mean squared residual.
    optimism : float
        (2/n) Σ Cov(ŷ, y).
    df : float
        Σ Cov(ŷ, y) / σ².
    noise_variance : float
        σ².
    std_error : float
        Monte Carlo standard error of the optimism; 0 for a linear smoother.
    """

    estimate: float
    train: float
    optimism: float
    df: float
    noise_variance: float
    std_error: float

    def __float__(self):
        return self.estimate


def covariance_df(estimator, X, y, *, noise_variance=None, mean=None, n_resamples=100, n_jobs=None, random_state=None):
    r"""Covariance degrees of freedom of any regressor: :math:`\sum_i \mathrm{Cov}(\hat y_i, y_i) / \sigma^2`.

    An estimator whose fit is linear in y, :math:`\hat y = S y`, has exactly trace(S), computed with
    :func:`smoother_matrix` for up to 5000 rows. Trial fits find out.

    All others by parametric bootstrap: responses :math:`y^* = \hat f + \varepsilon^*` with normal noise of variance σ²
    around the fit, a refit to each, and the covariance of fitted values with the noise. Every draw is used with both
    signs, which removes the contribution of :math:`\hat f` itself.

    Parameters
    ----------
    estimator : estimator
        Regressor that includes all steps that use y.
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    noise_variance : float or None, default=None
        σ²; None uses the residual variance of least squares on all columns, which requires more rows than columns.
    mean : array-like of shape (n_samples,) or None, default=None
        Mean around which responses are drawn; None uses the fit of the estimator to y.
    n_resamples : int, default=100
        Number of draws if the estimator is not linear in y; each costs two fits.
    n_jobs : int or None, default=None
    random_state : int, RandomState or None, default=None

    Returns
    -------
    float
        Includes the intercept.

    See Also
    --------
    statlearn.linear.effective_df : closed forms for linear models.

    References
    ----------
    Efron, B. (2004). The estimation of prediction error: covariance penalties and cross-validation. JASA 99, 619-632.
    Ye, J. (1998). On measuring and correcting the effects of data mining and model selection. JASA 93, 120-131.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.assess import covariance_df
    >>> from statlearn.linear import LinearRegression
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(50, 4)), rng.normal(size=50)
    >>> round(covariance_df(LinearRegression(), X, y), 6)
    5.0
    """
    return in_sample_error(
        estimator, X, y, noise_variance=noise_variance, mean=mean, n_resamples=n_resamples, n_jobs=n_jobs,
        random_state=random_state,
    ).df  # fmt: skip


def optimism(estimator, X, y, *, noise_variance=None, mean=None, n_resamples=100, n_jobs=None, random_state=None):
    r"""Optimism of the training error, :math:`\frac2n \sum_i \mathrm{Cov}(\hat y_i, y_i)`.

    Parameters
    ----------
    estimator : estimator
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    noise_variance, mean, n_resamples, n_jobs, random_state
        As in :func:`covariance_df`.

    Returns
    -------
    float
        Exactly 2 trace(S) σ² / n for a linear smoother S, so 2 d σ² / n for least squares with d parameters.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.assess import optimism
    >>> from statlearn.linear import LinearRegression
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(50, 4)), rng.normal(size=50)
    >>> round(optimism(LinearRegression(), X, y, noise_variance=1.0), 6)
    0.2
    """
    return in_sample_error(
        estimator, X, y, noise_variance=noise_variance, mean=mean, n_resamples=n_resamples, n_jobs=n_jobs,
        random_state=random_state,
    ).optimism  # fmt: skip


def in_sample_error(
    estimator, X, y, *, noise_variance=None, mean=None, n_resamples=100, n_jobs=None, random_state=None
):
    """In-sample error: training error plus optimism.

    Parameters
    ----------
    estimator : estimator
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    noise_variance, mean, n_resamples, n_jobs, random_state
        As in :func:`covariance_df`.

    Returns
    -------
    InSampleError
        Convertible to the estimate by ``float(...)``; also has the training error, the optimism and the degrees of
        freedom.

    Notes
    -----
    For linear fits this is Mallows' Cp, with exact degrees of freedom; see :func:`covariance_df`. The error at new
    points is even larger.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.assess import in_sample_error
    >>> from statlearn.linear import LinearRegression
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(50, 4)), rng.normal(size=50)
    >>> found = in_sample_error(LinearRegression(), X, y, random_state=0)
    >>> bool(found.estimate > found.train)
    True
    """
    check_arguments(
        in_sample_error, noise_variance=(noise_variance, [Real(0, None, closed="neither"), None]),
        n_resamples=(n_resamples, [Int(2, None)]),
    )  # fmt: skip
    y = np.asarray(y, dtype=np.float64)
    n = len(y)
    model = clone(estimator).fit(X, y)
    fitted = np.asarray(model.predict(X), dtype=np.float64).reshape(n)
    train = float(np.mean((y - fitted) ** 2))
    centre = fitted if mean is None else np.asarray(mean, dtype=np.float64)
    if centre.shape != (n,):
        raise ValueError(f"`mean` must have shape ({n},), got {centre.shape}.")
    variance = _residual_variance(X, y) if noise_variance is None else float(noise_variance)
    scale = 2.0 * variance / n
    if _is_linear(estimator, X, y, fitted):
        df = float(np.trace(smoother_matrix(model, X)))
        return InSampleError(train + scale * df, train, scale * df, df, variance, 0.0)
    noise = generator(random_state).normal(scale=np.sqrt(variance), size=(n_resamples, n))

    def one(e):
        up = np.asarray(clone(estimator).fit(X, centre + e).predict(X)).reshape(n)
        down = np.asarray(clone(estimator).fit(X, centre - e).predict(X)).reshape(n)
        return 0.5 * float(e @ (up - down)) / variance

    values = np.array(run(one, [(e,) for e in noise], n_jobs))
    df, error = float(values.mean()), standard_error(values)
    return InSampleError(train + scale * df, train, scale * df, df, variance, scale * error)


def _is_linear(estimator, X, y, fitted):
    """Whether fits to y, to another response and to their sum add up, for few enough rows that S is cheap.

    The other responses are noise and a wave along the fit: an estimator that tunes itself gives them different answers.
    """
    n = len(y)
    if n > _MOST_ROWS:
        return False
    scale = np.std(y) or 1.0
    noise = np.random.default_rng(0).normal(scale=scale, size=n)
    wave = scale * np.cos(6 * np.pi * np.argsort(np.argsort(fitted, kind="stable")) / n)

    def answer(target):
        return np.asarray(clone(estimator).fit(X, target).predict(X), dtype=np.float64).reshape(n)

    for other in (noise, wave):
        try:
            gap = answer(y + other) - fitted - answer(other)
        except ValueError:  # responses outside the domain of the estimator
            return False
        if np.abs(gap).max() > 1e-4 * (np.abs(fitted).max() + np.abs(other).max()):
            return False
    return True


def _residual_variance(X, y):
    from statlearn.linear import LinearRegression, effective_df

    model = LinearRegression().fit(X, y)
    free = len(y) - effective_df(model, count_intercept=True)
    if free < 1:
        raise ValueError(
            "X does not have more rows than columns, so the noise variance cannot be estimated; pass `noise_variance`."
        )
    return float(np.sum((y - model.predict(X)) ** 2) / free)
