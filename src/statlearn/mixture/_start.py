"""Initialisation of EM: responsibilities from k-means or at random, and initial values given by the user."""

import numpy as np
from sklearn.utils import check_array

from statlearn._core.memory import require_memory

from ._normal import NormalMoments, factor_of_precisions

INIT_PARAMS = ("kmeans", "k-means++", "random", "random_from_data")
_FLOATS = [np.float64, np.float32]


def start_responsibilities(X, k, method, rng, weights=None):
    """An (n, k) matrix of responsibilities; X has no missing values.

    "kmeans": the clusters of k-means. "random": uniform numbers, which breaks the symmetry between the components.
    "random_from_data", "k-means++": one row per component.
    """
    n = X.shape[0]
    require_memory(
        8 * n * k,
        f"The {n:,} x {k} matrix of initial responsibilities",
        "Pass all initial values, or use fewer components.",
    )
    if k == 1:
        return np.ones((n, 1))
    if method == "random":
        R = rng.uniform(size=(n, k))
        return R / R.sum(axis=1, keepdims=True)
    R = np.zeros((n, k))
    if method == "kmeans":
        from statlearn.cluster import KMeans

        labels = KMeans(k, n_init=1, random_state=rng).fit(X, sample_weight=weights).labels_
        R[np.arange(n), labels] = 1.0
        return R
    if method == "k-means++":
        from statlearn.cluster import kmeans_plusplus

        _, rows = kmeans_plusplus(X, k, sample_weight=weights, random_state=rng)
    else:
        rows = rng.choice(n, size=k, replace=False, p=None if weights is None else weights / weights.sum())
    R[rows, np.arange(k)] = 1.0
    return R


def responsibility_moments(X, R, weights=None, *, order=2):
    """`NormalMoments` with given responsibilities, about the component means themselves."""
    middle = np.average(X, axis=0, weights=weights).astype(np.float64)
    about = np.tile(middle, (R.shape[1], 1))
    means = NormalMoments.from_responsibilities(X, R, about, weights, order=0).means()
    return NormalMoments.from_responsibilities(X, R, means, weights, order=order)


def filled_with_means(X, weights=None):
    """X with missing values replaced by column means, which is good enough to start from."""
    missing = np.isnan(X)
    if not missing.any():
        return X
    if missing.all(axis=0).any():
        raise ValueError(f"X: column {int(missing.all(axis=0).argmax())} contains only missing values; drop it.")
    w = np.broadcast_to(1.0 if weights is None else weights[:, None], X.shape)
    means = np.sum(np.where(missing, 0.0, X) * w, axis=0) / np.sum(np.where(missing, 0.0, w), axis=0)
    return np.where(missing, means, X).astype(X.dtype)


# --------------------------------------------------------------------------------------------- start values of the user


def check_shape(array, shape, name):
    if array.shape != shape:
        raise ValueError(f"The parameter '{name}' should have the shape of {shape}, but got {array.shape}.")


def check_start_weights(weights, k):
    """Mixing weights of k components, or None."""
    if weights is None:
        return None
    weights = check_array(weights, dtype=_FLOATS, ensure_2d=False)
    check_shape(weights, (k,), "weights")
    if np.any(weights < 0.0) or np.any(weights > 1.0):
        raise ValueError(
            "The parameter 'weights' should be in the range [0, 1], but got max value "
            f"{np.max(weights):.5f}, min value {np.min(weights):.5f}."
        )
    if abs(1.0 - weights.sum(dtype=np.float64)) > (1e-6 if weights.dtype == np.float32 else 1e-8):
        raise ValueError(f"The parameter 'weights' should be normalized, but got sum(weights) = {weights.sum():.5f}.")
    return weights.astype(np.float64)


def check_start_means(means, k, p):
    """Means of k components in p columns, or None."""
    if means is None:
        return None
    means = check_array(means, dtype=_FLOATS, ensure_2d=False)
    check_shape(means, (k, p), "means")
    return np.ascontiguousarray(means, dtype=np.float64)


def check_matrices(matrices, covariance_type, name):
    """Symmetric positive definite matrices, or positive variances."""
    if covariance_type in ("diag", "spherical"):
        if np.any(matrices <= 0.0):
            raise ValueError(f"'{name}' should be positive.")
        return
    for matrix in matrices.reshape(-1, *matrices.shape[-2:]):
        if not np.allclose(matrix, matrix.T) or np.any(np.linalg.eigvalsh(matrix) <= 0.0):
            raise ValueError(f"'{name}' should be symmetric, positive-definite.")


def check_start_factor(precisions, covariance_type, k, p):
    """Square roots of user-supplied initial precisions, or None."""
    if precisions is None:
        return None
    name = f"{covariance_type} precision"
    precisions = check_array(precisions, dtype=_FLOATS, ensure_2d=False, allow_nd=covariance_type == "full")
    check_shape(
        precisions, {"full": (k, p, p), "tied": (p, p), "diag": (k, p), "spherical": (k,)}[covariance_type], name
    )
    check_matrices(precisions, covariance_type, name)
    return factor_of_precisions(precisions, covariance_type)
