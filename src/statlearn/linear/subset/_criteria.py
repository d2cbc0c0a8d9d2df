"""Criteria by which subsets of columns are compared, from their residual sums of squares."""

import numpy as np

from statlearn._core.criteria import aic_of, bic_of, gaussian_deviance


def selection_criteria(rss, size, n_rows, fit_intercept, *, tss, noise_variance):
    """AIC, BIC, Cp and adjusted R² of least-squares fits.

    AIC is ``n log(RSS/n) + 2 k`` and BIC ``n log(RSS/n) + k log n`` with k parameters, the intercept among them: the
    scale of R's ``extractAIC``, which leaves out a constant. Cp is ``RSS/s² - n + 2 k`` with s² of the full model; it
    is NaN where that cannot be estimated.

    Parameters
    ----------
    rss, size : array-like
        Residual sum of squares and number of columns of every fit.
    n_rows : float
        Rows, or the sum of their weights.
    fit_intercept : bool
    tss : float
        Sum of squares about the mean (about 0 without intercept).
    noise_variance : float or None

    Returns
    -------
    dict of ndarray
    """
    rss = np.asarray(rss, dtype=np.float64)
    k = np.asarray(size, dtype=np.float64) + fit_intercept
    with np.errstate(divide="ignore", invalid="ignore"):
        deviance = gaussian_deviance(rss, n_rows)
        unexplained = rss / tss if tss > 0 else np.ones_like(rss)
        cp = rss / noise_variance - n_rows + 2 * k if noise_variance else np.full_like(rss, np.nan)
        adjusted = 1 - unexplained * (n_rows - fit_intercept) / (n_rows - k)
    return {
        "r2": 1 - unexplained,
        "adjusted_r2": np.where(n_rows > k, adjusted, np.nan),
        "cp": cp,
        "aic": aic_of(deviance, k),
        "bic": bic_of(deviance, k, n_rows),
    }


def refuse_summary(estimator):
    """Say why there is no table of standard errors after selection."""
    raise ValueError(
        f"{type(estimator).__name__} has no summary(): the columns were chosen by looking at the same response, so "
        "standard errors and p-values computed as if they had been fixed beforehand would be too small. Fit "
        "LinearRegression on the chosen columns with fresh data, or bootstrap the whole selection."
    )
