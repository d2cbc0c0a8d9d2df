"""Quantiles and tails of the normal and t distributions, for intervals and tests of estimates."""

import numpy as np
from scipy.special import ndtr, ndtri, stdtr, stdtrit


def normal_or_t_quantile(level, df):
    """Half-width of an interval in standard errors, from the t distribution or, without df, the normal one."""
    upper = 0.5 * (1.0 + level)
    return ndtri(upper) if df is None else stdtrit(df, upper)


def two_sided(statistic, df):
    """Two-sided p-value of a t statistic or, without df, a z statistic."""
    size = -np.abs(statistic)
    return 2.0 * (ndtr(size) if df is None else stdtr(df, size))
