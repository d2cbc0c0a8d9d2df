"""One column in: what smoothers of a single predictor accept."""

import numpy as np
from sklearn.utils.validation import validate_data


def as_column(X):
    """X itself, or a flat list of numbers as a column."""
    if hasattr(X, "ndim"):
        return np.asarray(X).reshape(-1, 1) if X.ndim == 1 else X
    X = X.__array__() if hasattr(X, "__array__") else X
    return np.reshape(X, (-1, 1)) if np.ndim(X) == 1 else X


def validate_column(estimator, X, y=None, *, reset=True):
    """x as a float array of shape (n,), and y where it is given."""
    X = as_column(X)
    if reset:
        X, y = validate_data(estimator, X, y, dtype=np.float64, y_numeric=True)
    else:
        X = validate_data(estimator, X, dtype=np.float64, reset=False)
    if X.shape[1] != 1:
        raise ValueError(
            f"{type(estimator).__name__} smooths over one column, but X has {X.shape[1]} features. "
            "Use RegressionSpline, ThinPlateSpline or an additive model for several."
        )
    return (X[:, 0], y) if reset else X[:, 0]
