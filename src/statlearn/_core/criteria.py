"""Formulas of information criteria, shared by all families."""

import numpy as np


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
