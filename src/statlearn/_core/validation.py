"""Checks and conversions of data that scikit-learn's `validate_data` leaves to the estimator."""

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, check_consistent_length

FLOATS = (np.float64, np.float32)
LARGEST_WEIGHT = 1e150  # products of sums of larger ones overflow


def check_weights(sample_weight, X, *, allow_zero_sum=False, name="sample_weight"):
    """The weights as a float array of X's precision, or None when no weights are given.

    A scalar counts for every row. Negative, non-finite or all-zero weights are refused: weight k stands for k copies of
    the row, weight 0 for its absence. Errors call the argument `name`.
    """
    if sample_weight is None:
        return None
    dtype = X.dtype if X.dtype in FLOATS else np.float64
    n = X.shape[0]
    if np.asarray(sample_weight).ndim == 0:
        sample_weight = np.full(n, sample_weight)
    weights = check_array(
        sample_weight,
        ensure_2d=False,
        dtype=dtype,
        order="C",
        input_name=name,
        ensure_min_samples=0,
    )
    if weights.ndim != 1:
        raise ValueError(f"Sample weights must be 1D array or scalar: {name} has {weights.ndim} dimensions")
    if weights.shape[0] != n:
        raise ValueError(f"{name}.shape == {weights.shape}, expected {(n,)}!")
    if np.any(weights < 0):
        raise ValueError(f"Negative values in data passed to `{name}`: weights must be at least 0.")
    if not allow_zero_sum and not np.any(weights > 0):
        raise ValueError(f"{name}: all weights are zero, so no row is left to learn from.")
    if n and float(weights.max()) > LARGEST_WEIGHT:
        raise ValueError(f"{name} holds {weights.max():.3g}, so large that sums overflow: scale the weights.")
    return weights


def check_labels(y):
    """Refuse missing labels and continuous targets."""
    refuse_no_label(y)
    check_classification_targets(y)


def refuse_no_label(y):
    """Refuse labels that are None."""
    labels = y if hasattr(y, "dtype") else np.asarray(y)
    if labels.dtype == object and any(label is None for label in np.ravel(labels)):
        raise ValueError("Input y contains None, which is no label: leave these rows out.")


def encode_classes(y, *, minimum=2, owner="This classifier"):
    """The sorted classes and, for each row, the number of its class.

    Raises ValueError for missing labels, for continuous targets and when fewer than `minimum` classes are present.
    """
    check_labels(y)
    classes, codes = np.unique(y, return_inverse=True)
    if classes.shape[0] < minimum:
        raise ValueError(
            f"{owner} needs samples of at least {minimum} classes in the data, but the data contains only "
            f"one class: {classes[0]!r}"
        )
    return classes, codes.reshape(np.shape(y))


def effective_rows(n, weights):
    """Number of rows that take part: all, or those with a positive weight."""
    return n if weights is None else int(np.count_nonzero(weights))


__all__ = [
    "FLOATS",
    "check_array",
    "check_consistent_length",
    "check_labels",
    "check_weights",
    "effective_rows",
    "encode_classes",
    "refuse_no_label",
]
