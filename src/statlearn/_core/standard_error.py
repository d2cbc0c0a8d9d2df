"""Means and their standard errors. A single value has no spread: its standard error is NaN, not 0."""

import numpy as np


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


def mean_and_standard_error(values):
    """Mean of the finite values and its standard error, as floats.

    Non-finite values (a metric that is undefined in a fold) are ignored. Without any finite value both are NaN; with
    one, the error is NaN.
    """
    values = np.asarray(values, dtype=np.float64)
    values = values[np.isfinite(values)]
    return (float(values.mean()) if values.size else float("nan")), standard_error(values)
