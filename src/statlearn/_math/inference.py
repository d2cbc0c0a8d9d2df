"""Criteria, intervals and standard errors of estimates."""

import numpy as np
from scipy.special import ndtr, ndtri, stdtr, stdtrit

# Information criteria


def gaussian_deviance(rss, n):
    """-2 log-likelihood of a normal model at the maximum-likelihood variance RSS/n, up to constants of n alone."""
    return n * np.log(np.asarray(rss, dtype=np.float64) / n)


def gaussian_log_likelihood(rss, n, noise_variance=None):
    """Log-likelihood of a normal model: at the variance RSS/n, or at the given one."""
    if noise_variance is None:
        return -0.5 * (gaussian_deviance(rss, n) + n * (np.log(2.0 * np.pi) + 1.0))
    return -0.5 * (n * np.log(2.0 * np.pi * noise_variance) + np.asarray(rss, dtype=np.float64) / noise_variance)


def aic_of(deviance, k):
    """AIC from -2 log-likelihood (up to a constant) and the number of parameters."""
    return deviance + 2.0 * k


def bic_of(deviance, k, n):
    """BIC from -2 log-likelihood (up to a constant), the number of parameters and of rows."""
    return deviance + np.log(n) * k


# Intervals and tests


def normal_or_t_quantile(level, df):
    """Half-width of an interval in standard errors, from the t distribution or, without df, the normal one."""
    upper = 0.5 * (1.0 + level)
    return ndtri(upper) if df is None else stdtrit(df, upper)


def two_sided(statistic, df):
    """Two-sided p-value of a t statistic or, without df, a z statistic."""
    size = -np.abs(statistic)
    return 2.0 * (ndtr(size) if df is None else stdtr(df, size))


# Means. A single value has no spread: its standard error is NaN, not 0.


def standard_error(values, axis=None):
    """Standard error of the mean: standard deviation (divisor n - 1) over the square root of n; NaN for n < 2.

    Parameters
    ----------
    values : array-like
    axis : int or None, default=None
        Axis along which the mean is taken; None for all values.

    Returns
    -------
    error : float or ndarray
        A float if `axis` is None.
    """
    values = np.asarray(values, dtype=np.float64)
    n = values.size if axis is None else values.shape[axis]
    if n < 2:
        return float("nan") if axis is None else np.full(np.delete(values.shape, axis), np.nan)
    error = values.std(axis=axis, ddof=1) / np.sqrt(n)
    return float(error) if axis is None else error
