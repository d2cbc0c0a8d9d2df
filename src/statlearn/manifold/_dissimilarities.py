"""Dissimilarities of rows, computed or given."""

import numpy as np

from statlearn._core.memory import require_memory
from statlearn._core.validation import validate_data
from statlearn._math.distances.metrics import pairwise_distances, warn_of_distances


def check_dissimilarities(D, name="X"):
    """A square, symmetric, non-negative matrix with a zero diagonal, as a float64 array in C order."""
    D = np.ascontiguousarray(D, dtype=np.float64)
    if D.ndim != 2 or D.shape[0] != D.shape[1]:
        raise ValueError(
            f"{name}: array must be 2-dimensional and square to hold dissimilarities, got shape {D.shape}."
        )
    scale = np.abs(D).max(initial=0.0)
    if not np.isfinite(scale):
        raise ValueError(f"{name} must not contain NaN or infinity.")
    if D.min(initial=0.0) < 0:
        raise ValueError(f"{name} contains negative dissimilarities (minimum {D.min():g}); they must be at least 0.")
    if np.abs(D - D.T).max(initial=0.0) > 1e-8 * scale:
        raise ValueError(
            f"{name}: Array must be symmetric to hold dissimilarities. Use (D + D.T) / 2 to average both directions."
        )
    if np.abs(np.diagonal(D)).max(initial=0.0) > 1e-8 * scale:
        raise ValueError(f"{name} must have zeros on the diagonal: a row has no dissimilarity to itself.")
    return D


def dissimilarities(estimator, X, metric, metric_params):
    """Validated dissimilarities of the rows of X, or X itself if `metric` is "precomputed"."""
    precomputed = isinstance(metric, str) and metric == "precomputed"
    # Infinities must not reach the differences; text is refused by the column's name.
    X = validate_data(estimator, X, dtype=np.float64, order="C", ensure_min_samples=2)
    if precomputed:
        return check_dissimilarities(X)
    warn_of_distances(X, metric)
    n = X.shape[0]
    require_memory(24 * n * n, f"The {n:,} x {n:,} matrix of dissimilarities", "Use a sample of the rows.")
    return check_dissimilarities(pairwise_distances(X, metric=metric, **(metric_params or {})), "The metric's result")
