"""Influence of single rows on a fit by maximum likelihood, as R's ``influence.measures`` has it."""

from dataclasses import dataclass

import numpy as np


@dataclass
class InfluenceMeasures:
    """Influence of each row, one entry per row used by the fit.

    Parameters
    ----------
    leverage : ndarray
        Diagonal of the hat matrix of the last step of the fit (``hatvalues`` in R).
    cooks_distance : ndarray
    dffits : ndarray
        Change of the fitted value in units of its standard error.
    covratio : ndarray
        Ratio of the determinants of the covariances without and with the row.
    dfbetas : ndarray of shape (n, n_coefficients)
        Changes of the coefficients in units of their standard errors, one step of the fit without the row.
    standardized : ndarray
        ``rstandard`` in R: deviance residuals for generalised linear models.
    studentized : ndarray
        ``rstudent`` in R.
    sigma : ndarray
        Residual standard error without each row.
    names : list of str
        Names of the coefficients.

    Examples
    --------
    >>> from statlearn.formula import lm
    >>> lm("y ~ x", {"y": [1.0, 2.0, 4.0, 3.0, 6.0], "x": [1, 2, 3, 4, 5]}).influence().leverage.round(1).tolist()
    [0.6, 0.3, 0.2, 0.3, 0.6]
    """

    leverage: np.ndarray
    cooks_distance: np.ndarray
    dffits: np.ndarray
    covratio: np.ndarray
    dfbetas: np.ndarray
    standardized: np.ndarray
    studentized: np.ndarray
    sigma: np.ndarray
    names: list

    def to_frame(self):
        """The measures as a pandas DataFrame, with a column ``dfb.name`` for each coefficient."""
        import pandas as pd

        columns = {f"dfb.{name}": self.dfbetas[:, k] for k, name in enumerate(self.names)}
        words = ("dffits", "covratio", "cooks_distance", "leverage", "standardized", "studentized")
        return pd.DataFrame({**columns, **{word: getattr(self, word) for word in words}})


def influence_of(core, names):
    """The measures of a fit; rows of leverage 1 have NaN where they divide by 0."""
    k, df = core.rank, core.df_residual
    h = np.clip(core.hat, 0.0, 1.0)
    slack = np.where(1.0 - h > 1e-12, 1.0 - h, np.nan)
    deviance = core.family.unit_deviance(core.y, core.mu)
    e = np.sign(core.y - core.mu) * np.sqrt(core.weights * np.maximum(deviance, 0.0))
    pearson = np.sqrt(core.weights) * (core.y - core.mu) / np.sqrt(core.family.variance(core.mu)[0])
    with np.errstate(divide="ignore", invalid="ignore"):
        sigma = np.sqrt(np.maximum((e @ e - e**2 / slack) / (df - 1), 0.0)) if df > 1 else np.full(len(h), np.nan)
        studentized_e = e / (sigma * np.sqrt(slack))
        ratio = 1.0 / (slack * ((df - 1 + studentized_e**2) / df) ** k)
        # One Newton step without the row: (X'WX)^-1 x w r / (1 - h)
        root = np.sqrt(core.working[1])
        change = (core.unscaled @ (core.Z[:, core.identified] * root[:, None]).T).T * (e / slack)[:, None]
        dfbetas = change / (sigma[:, None] * np.sqrt(np.diag(core.unscaled)))
        standardized = e / np.sqrt(core.dispersion * slack)
        if core.kind.least_squares:
            studentized = studentized_e
        else:
            studentized = np.sign(e) * np.sqrt(e**2 + h * pearson**2 / slack)
            studentized = studentized if core.known else studentized / sigma
        cook = (pearson / slack) ** 2 * h / (core.dispersion * k)
        dffits = e * np.sqrt(h) / (sigma * slack)
    return InfluenceMeasures(h, cook, dffits, ratio, dfbetas, standardized, studentized, sigma, list(names))
