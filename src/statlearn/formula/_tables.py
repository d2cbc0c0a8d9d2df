"""Pieces that the tables of all answers share."""

import numpy as np
from scipy.special import chdtrc, fdtrc

from statlearn._core.summary import Table
from statlearn._math.inference import normal_or_t_quantile, two_sided


def coefficient_table(names, estimate, error, df, level):
    """Estimates with their tests and intervals; t tests with `df`, z tests if it is None."""
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = estimate / error
    half = normal_or_t_quantile(level, df) * error
    return Table(
        list(names),
        {
            "estimate": estimate,
            "std_error": error,
            "z" if df is None else "t": statistic,
            "p": two_sided(statistic, df),
            "ci_low": estimate - half,
            "ci_high": estimate + half,
        },
    )


def upper_tail(test, statistic, df, df_residual=None):
    """P-value of a chi-squared or F statistic; infinite denominator degrees of freedom if `df_residual` is None."""
    statistic, df = np.maximum(np.asarray(statistic, dtype=float), 0.0), np.asarray(df, dtype=float)
    with np.errstate(invalid="ignore"):
        if test == "F" and df_residual is not None:
            return np.where(df > 0, fdtrc(np.maximum(df, 1e-300), df_residual, statistic), np.nan)
        chi2 = statistic * df if test == "F" else statistic
        return np.where(df > 0, chdtrc(np.maximum(df, 1e-300), chi2), np.nan)


def quadratic_form(b, V):
    """b' V^-1 b and the rank of V."""
    return float(b @ np.linalg.solve(V, b)), len(b)
