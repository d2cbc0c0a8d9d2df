"""Selection criteria for subsets of columns, from their residual sums of squares."""

import numpy as np

from statlearn._math.inference import aic_of, bic_of, gaussian_deviance


def selection_criteria(rss, size, n_rows, fit_intercept, *, tss, noise_variance):
    """AIC, BIC, Cp and adjusted R² of least-squares fits.

    AIC is ``n log(RSS/n) + 2 k`` and BIC ``n log(RSS/n) + k log n`` with k parameters including the intercept. This
    is the scale of R's ``extractAIC``, which omits a constant. Cp is ``RSS/s² - n + 2 k`` with s² of the full model, or
    NaN if s² cannot be estimated.

    Parameters
    ----------
    rss, size : array-like
        Residual sum of squares and number of columns of every fit.
    n_rows : float
        Rows, or the sum of their weights.
    fit_intercept : bool
    tss : float
        Sum of squares about the mean (about 0 without an intercept).
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
    """Raise an error explaining why standard errors after selection are not valid."""
    raise ValueError(
        f"{type(estimator).__name__} has no summary(): the columns were selected using the same response, so the usual "
        "standard errors and p-values would be too small. Fit LinearRegression to the selected columns on new data, or "
        "bootstrap the whole selection."
    )
