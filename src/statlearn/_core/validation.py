"""Checks and conversions of data: scikit-learn's, with the argument's name in every message, and our own."""

import collections
import contextlib
import re

import numpy as np
from sklearn.utils import validation
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, check_consistent_length

FLOATS = (np.float64, np.float32)
LARGEST_WEIGHT = 1e150  # products of sums of larger ones overflow
SMALLEST_WEIGHT = 1e-150  # products of sums of smaller ones vanish
LARGEST_VALUE = 1e150  # sums of squares of larger ones overflow


def validate_data(estimator, /, X="no_validation", y="no_validation", **options):
    """scikit-learn's `validate_data`, whose errors name the argument that is wrong.

    Many of scikit-learn's messages do not ("Expected 2D array, got 1D array instead", "could not convert string to
    float"); these get the name in front.
    """
    try:
        return validation.validate_data(estimator, X, y, **options)
    except (ValueError, TypeError) as error:
        if type(error).__name__ == "DuplicateError":  # of narwhals, which scikit-learn asks for the names
            refuse_repeated_names(X)
        if type(error) in (ValueError, TypeError) and not re.search(r"\b[Xy]\b", str(error)):
            error.args = (f"{_broken_argument(X, y, options)}: {error}",)
        raise


def refuse_repeated_names(X):
    """Refuse a frame whose columns share a name."""
    repeated = [repr(name) for name, count in collections.Counter(getattr(X, "columns", ())).items() if count > 1]
    if repeated:
        raise ValueError(f"X has columns of the same name: {', '.join(repeated)}. Give each its own name.")


def _broken_argument(X, y, options):
    """Which of X and y scikit-learn refuses when it is asked about each alone."""
    if isinstance(y, str) or y is None:
        return "X"
    if isinstance(X, str):
        return "y"
    known = ("accept_sparse", "accept_large_sparse", "dtype", "order", "copy", "ensure_all_finite", "ensure_2d")
    known += ("allow_nd", "ensure_min_samples", "ensure_min_features")
    try:
        check_array(X, **{name: options[name] for name in known if name in options})
    except (ValueError, TypeError):
        return "X"
    try:
        check_consistent_length(X, y)
    except (ValueError, TypeError):
        return "X and y"
    return "y"


@contextlib.contextmanager
def naming(argument):
    """Put the argument's name in front of a message that lacks it."""
    try:
        yield
    except (ValueError, TypeError) as error:
        if type(error) in (ValueError, TypeError) and not re.search(rf"\b{argument}\b", str(error)):
            error.args = (f"{argument}: {error}",)
        raise


def check_same_length(X, y):
    """Refuse an X and a y of different numbers of rows."""
    with naming("y"):
        check_consistent_length(X, y)


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
    with naming(name):
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
    if n and 0 < float(weights.max()) < SMALLEST_WEIGHT:
        raise ValueError(
            f"{name}: the largest weight is {weights.max():.3g}, so small that products underflow; scale the weights."
        )
    return weights


def refuse_overflow(values, name):
    """Refuse numbers whose squares overflow, for methods that work on sums of squares; sparse matrices too."""
    values = values.data if hasattr(values, "tocsr") else values
    largest = max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))
    if largest > LARGEST_VALUE:
        raise ValueError(f"{name} contains values up to {largest:.3g}, whose squares overflow; scale {name}.")


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
    "check_same_length",
    "check_weights",
    "effective_rows",
    "encode_classes",
    "naming",
    "refuse_no_label",
    "refuse_overflow",
    "refuse_repeated_names",
    "validate_data",
]
