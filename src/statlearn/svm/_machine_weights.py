"""The weights of the rows as libsvm understands them: a row without a positive weight is absent."""

import numpy as np

from statlearn._core.validation import check_weights
from statlearn._core.warnings import warn


def machine_weights(sample_weight, X, *, warns=True):
    """The checked weights, None if there are none; a warning counts the negative ones, which become 0.

    Elsewhere in the package a negative weight is an error. Here it is not, because code written for scikit-learn's
    machines masks rows in this way.
    """
    raw = None if sample_weight is None else np.asarray(sample_weight)
    if raw is None or raw.ndim != 1 or raw.dtype.kind not in "biuf" or not np.all(np.isfinite(raw)):
        return check_weights(sample_weight, X)  # the error for other objects than lists of numbers
    if raw.size and not np.any(raw > 0):
        raise ValueError("Invalid input - all samples have zero or negative weights. Check sample_weight.")
    negative = int(np.count_nonzero(raw < 0))
    weights = check_weights(np.maximum(raw, 0), X)
    if negative and warns:
        rows = "1 negative value; that row is" if negative == 1 else f"{negative:,} negative values; those rows are"
        warn(f"sample_weight contains {rows} left out of the fit, like rows with weight 0.")
    return weights
