"""The warning for columns whose scales differ too much for one penalty or one kernel width."""

import numpy as np
from scipy import sparse

from statlearn._core.warnings import StatlearnWarning, warn

_UNEVEN = 1e5  # a unit that is off by a million, whatever the spread of the columns in their own units
_SAMPLE = 4096  # rows that are examined, so that the check is cheap compared with a fit


class ScaleWarning(StatlearnWarning):
    """Columns have such different scales that only the largest count."""


def warn_if_uneven(X, name):
    """Warn if the standard deviations of the columns differ by a factor of `_UNEVEN` or more.

    The smallest one in a hundred columns does not count: among thousands some are small by chance.
    """
    if X.shape[0] < 2:
        return
    rows = X[:: -(-X.shape[0] // _SAMPLE)]
    with np.errstate(over="ignore", invalid="ignore"):  # the fit has its own words on values near 1e300
        spread, level = _spread_of_sparse(rows) if sparse.issparse(X) else _spread(rows)
    spread = spread[(spread > level) & np.isfinite(spread)]  # others are constant up to rounding
    if spread.size < 2:
        return
    small, large = np.quantile(spread, 0.01, method="lower"), spread.max()
    if large >= _UNEVEN * small:
        warn(
            f"Columns of X differ in scale by a factor of {large / small:.1g}, so {name} depends almost "
            "only on the largest ones. Scale them first, for example with StandardScaler in a pipeline.",
            ScaleWarning,
        )


def _spread(X):
    """Standard deviations of the columns, and the values that rounding alone explains."""
    return X.std(axis=0, dtype=np.float64), 1e-10 * np.abs(X.mean(axis=0, dtype=np.float64))


def _spread_of_sparse(X):
    """Standard deviations of the columns from the stored values, as differences of sums, and their rounding errors."""
    n, p = X.shape
    columns, values = X.tocsr().indices, X.tocsr().data.astype(np.float64)
    mean = np.bincount(columns, weights=values, minlength=p) / n
    square = np.bincount(columns, weights=values**2, minlength=p) / n
    return np.sqrt(np.maximum(square - mean**2, 0.0)), 1e-6 * np.sqrt(square)
