"""Tests of equal group means: Wilks' lambda and its relatives, from the eigenvalues of S_W^{-1} S_B."""

import numpy as np
from scipy import stats

from statlearn._core.summary import Table


def manova_tests(eigenvalues, n, p, k):
    """Wilks, Pillai, Hotelling-Lawley and Roy, with the F approximations of R's ``summary.manova``.

    Parameters
    ----------
    eigenvalues : ndarray
        Non-zero eigenvalues of S_W^{-1} S_B.
    n : float
        Number of rows (sum of weights).
    p, k : int
        Numbers of columns and groups.

    Returns
    -------
    dict of name to (statistic, F, df1, df2, p-value)
        F and p-value are NaN if n - k < p.
    """
    lam = np.asarray(eigenvalues, dtype=np.float64)
    q, v = k - 1, n - k
    s, m, h = min(p, q), (abs(p - q) - 1) / 2, (v - p - 1) / 2
    ratio = p**2 + q**2 - 5
    t = np.sqrt(((p * q) ** 2 - 4) / ratio) if ratio > 0 else 1.0
    wilks = float(np.exp(-np.log1p(lam).sum()))
    pillai, hotelling, roy = float(np.sum(lam / (1 + lam))), float(lam.sum()), float(lam.max(initial=0.0))
    df_wilks = (v - (p - q + 1) / 2) * t - (p * q - 2) / 2
    with np.errstate(divide="ignore", over="ignore"):
        rows = {
            "Wilks' lambda": (wilks, (wilks ** (-1 / t) - 1) * df_wilks / (p * q), p * q, df_wilks),
            "Pillai's trace": (
                pillai,
                (2 * h + s + 1) / (2 * m + s + 1) * pillai / (s - pillai) if pillai < s else np.inf,
                s * (2 * m + s + 1),
                s * (2 * h + s + 1),
            ),
            "Hotelling-Lawley trace": (
                hotelling,
                2 * (s * h + 1) * hotelling / (s**2 * (2 * m + s + 1)),
                s * (2 * m + s + 1),
                2 * (s * h + 1),
            ),
            "Roy's largest root": (roy, (v - max(p, q) + q) * roy / max(p, q), max(p, q), v - max(p, q) + q),
        }
    if v < p:
        return {name: (row[0], np.nan, np.nan, np.nan, np.nan) for name, row in rows.items()}
    return {
        name: (statistic, F, df1, df2, float(stats.f.sf(F, df1, df2)) if df2 > 0 else np.nan)
        for name, (statistic, F, df1, df2) in rows.items()
    }


def manova_table(eigenvalues, n, p, k):
    """The tests as a table."""
    tests = manova_tests(eigenvalues, n, p, k)
    columns = dict(zip(("statistic", "F", "df1", "df2", "p"), np.array(list(tests.values())).T))
    return Table(list(tests), columns, caption="Tests of equal group means (MANOVA)")


def canonical_table(eigenvalues, n, p, k):
    """Eigenvalues, canonical correlations, and Bartlett's test that this and all later functions are 0."""
    lam = np.asarray(eigenvalues, dtype=np.float64)
    index = np.arange(len(lam))
    left = np.cumsum(np.log1p(lam)[::-1])[::-1]
    chi2 = (n - 1 - (p + k) / 2) * left
    df = (p - index) * (k - 1 - index)
    usable = n - k >= p
    columns = {
        "eigenvalue": lam,
        "share": lam / lam.sum() if lam.sum() > 0 else np.full(len(lam), np.nan),
        "canonical_correlation": np.sqrt(lam / (1 + lam)),
        "Wilks_left": np.exp(-left),
        "chi2": chi2 if usable else np.full(len(lam), np.nan),
        "df": df,
        "p": stats.chi2.sf(chi2, df) if usable else np.full(len(lam), np.nan),
    }
    return Table([f"LD{j + 1}" for j in index], columns, caption="Canonical discriminant functions")
