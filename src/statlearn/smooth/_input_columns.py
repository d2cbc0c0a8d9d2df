"""Input checks of smoothers: a single column if required, numbers whose powers can be computed."""

import numpy as np

# Smoothers take cubes of X and their squares, and squares of y, which are finite between 1 / LARGEST and LARGEST.
from statlearn._core.validation import validate_columns

_LARGEST_X, _LARGEST_Y = 1e50, 1e150


def check_sizes(X=None, y=None, *, smallest=1 / _LARGEST_X):
    """Refuse numbers so large, or so close together, that their powers leave the floating-point range.

    `smallest` is the smallest range of a column of X that a method can distinguish from 0.
    """
    for name, values, limit, least in (("X", X, _LARGEST_X, smallest), ("y", y, _LARGEST_Y, 1 / _LARGEST_Y)):
        if values is None or not len(values):
            continue
        if np.asarray(values).dtype.kind not in "biuf":
            raise ValueError(f"{name} must contain numbers only.")
        low, high = (np.asarray(end.reduce(values, axis=0), np.float64) for end in (np.fmin, np.fmax))
        largest = max(np.max(np.abs(low), initial=0.0), np.max(np.abs(high), initial=0.0))
        if largest > limit:
            raise ValueError(f"{name} contains {largest:.3g}, whose powers overflow; rescale {name}.")
        extent = np.atleast_1d(high - low)
        if np.any((extent > 0) & (extent < least)):
            raise ValueError(f"{name} has a range of only {extent[extent > 0].min():.3g}; rescale {name}.")


def in_precision_of(X, values):
    """Values in the precision of X, or as they are if they leave its range."""
    if np.abs(values).max(initial=0.0) > np.finfo(X.dtype).max:
        return values
    return values.astype(X.dtype, copy=False)


def validate_column(estimator, X, y=None, *, reset=True):
    """x as a float array of shape (n,), and y if it is given."""
    if reset:
        X, y = validate_columns(estimator, X, y, dtype=np.float64, y_numeric=True)
    else:
        X = validate_columns(estimator, X, dtype=np.float64, reset=False)
    if X.shape[1] != 1:
        raise ValueError(
            f"{type(estimator).__name__} smooths over a single column, but X has {X.shape[1]} features. For "
            "several columns use RegressionSpline, ThinPlateSpline or an additive model."
        )
    return (X[:, 0], y) if reset else X[:, 0]
