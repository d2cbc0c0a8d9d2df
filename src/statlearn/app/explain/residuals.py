"""Tests of the residuals of a regression: normality, constant spread, independence of neighbouring rows."""

from dataclasses import dataclass

import numpy as np

from ..names import p_value, plain
from ..statements import say

MIN_ROWS = 30
LEVEL = 0.01  # of each test
MAX_LAGS = 10


@dataclass(frozen=True)
class ResidualTest:
    """One test of the residuals.

    Parameters
    ----------
    name : str
    number : str
        The size of the effect.
    p_value : float
    words : str
        What it means.
    rejected : bool
        Whether the p-value is below 1 %.
    """

    name: str
    number: str
    p_value: float
    words: str
    rejected: bool


def residual_tests(y, predicted):
    """Tests of residuals, in the order of the rows.

    Normality by the test of D'Agostino and Pearson on skewness and kurtosis; constant spread by the rank correlation of
    absolute residuals with the predictions; independence by the test of Ljung and Box over at most ten lags.

    Parameters
    ----------
    y, predicted : ndarray of shape (n_rows,)
        Predictions should come from models that were not trained on the row.

    Returns
    -------
    list of ResidualTest
        Empty for fewer than 30 rows, and for residuals without spread.

    References
    ----------
    D'Agostino, R. and Pearson, E. S. (1973). Tests for departure from normality. *Biometrika* 60, 613-622.
    Ljung, G. M. and Box, G. E. P. (1978). On a measure of lack of fit in time series models. *Biometrika* 65, 297-303.
    """
    residual = np.asarray(y, float) - np.asarray(predicted, float)
    scale = max(float(np.abs(y).max(initial=0.0)), 1e-300)
    if len(residual) < MIN_ROWS or np.ptp(residual) <= 1e-9 * scale:
        return []
    return [_normality(residual), *_spread(residual, np.asarray(predicted, float)), _autocorrelation(residual)]


def _normality(residual):
    from scipy.stats import kurtosis, normaltest, skew

    p = float(normaltest(residual).pvalue)
    shape = f"skewness {plain(float(skew(residual)), 2)}, excess kurtosis {plain(float(kurtosis(residual)), 2)}"
    code = "RESIDUALS-NOT-NORMAL" if p < LEVEL else "RESIDUALS-NORMAL"
    return ResidualTest("normality", shape, p, say(code), p < LEVEL)


def _spread(residual, predicted):
    from scipy.stats import spearmanr

    if np.ptp(predicted) == 0:
        return []
    size = np.abs(residual)
    found = spearmanr(size, predicted)
    rho, p = float(found.statistic), float(found.pvalue)
    low, high = np.quantile(predicted, [1 / 3, 2 / 3])
    below, above = np.median(size[predicted <= low]), np.median(size[predicted >= high])
    code = "SPREAD-EVEN"
    if p < LEVEL:
        code = "SPREAD-GROWS" if rho > 0 else "SPREAD-SHRINKS"
    words = say(code, ratio=plain(float(above / below), 2) if below > 0 else "many")
    return [ResidualTest("constant spread", f"rank correlation {plain(rho, 2)}", p, words, p < LEVEL)]


def _autocorrelation(residual):
    from scipy.special import chdtrc

    n = len(residual)
    lags = min(MAX_LAGS, n // 5)
    centred = residual - residual.mean()
    total = centred @ centred
    r = np.array([centred[k:] @ centred[:-k] for k in range(1, lags + 1)]) / total
    p = float(chdtrc(lags, n * (n + 2) * np.sum(r**2 / (n - np.arange(1, lags + 1)))))
    code = "NEIGHBOURS-CORRELATED" if p < LEVEL else "NEIGHBOURS-UNCORRELATED"
    number = f"correlation of neighbours {plain(float(r[0]), 2)}"
    return ResidualTest("independence of rows", number, p, say(code, lags=str(lags)), p < LEVEL)


def table_rows(tests):
    """The tests as the report shows them: name, number, p-value, meaning."""
    return [(t.name, t.number, p_value(t.p_value), t.words) for t in tests]
