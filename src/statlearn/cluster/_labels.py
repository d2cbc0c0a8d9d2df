"""Validated and encoded labels of a partition."""

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import column_or_1d

from statlearn._core.warnings import warn
from statlearn._math.linalg.sparse_arrays import to_dense


def encode_labels(labels, n=None):
    """Sorted distinct labels, and the index of each row's label among them.

    Parameters
    ----------
    labels : array-like of shape (n_samples,)
        Numbers or text; -1 (noise) is a label like any other.
    n : int or None, default=None
        Required number of labels.
    """
    labels = column_or_1d(labels)
    if n is not None and labels.shape[0] != n:
        raise ValueError(f"labels: Found input variables with inconsistent numbers of samples: {[n, labels.shape[0]]}.")
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise ValueError("`labels` contains NaN or infinity; every row needs a label.")
    return np.unique(labels, return_inverse=True)


def require_partition(n_labels, n_samples):
    """Raise an error unless there are at least two clusters and one of them has two rows, as silhouettes require."""
    if not 1 < n_labels < n_samples:
        raise ValueError(f"Number of labels is {n_labels}. Valid values are 2 to n_samples - 1 (inclusive).")


def warn_if_fewer(model, labels):
    """Warn if fewer clusters than `n_clusters` have a row."""
    distinct = len(np.unique(labels))
    if distinct < model.n_clusters:
        warn(
            f"Number of distinct clusters ({distinct}) found smaller than n_clusters ({model.n_clusters}). "
            "Possibly due to duplicate points in X.",
            ConvergenceWarning,
        )


def by_cluster(codes, n_clusters):
    """Rows in the order of their clusters, and the start of each cluster."""
    order = np.argsort(codes, kind="stable").astype(np.int64)
    starts = np.zeros(n_clusters + 1, dtype=np.int64)
    np.cumsum(np.bincount(codes, minlength=n_clusters), out=starts[1:])
    return order, starts


def cluster_means(X, codes, n_clusters):
    """Mean and size of every cluster; dense or sparse X."""
    from scipy import sparse

    n = X.shape[0]
    counts = np.bincount(codes, minlength=n_clusters)
    members = sparse.csr_array((np.ones(n), codes, np.arange(n + 1)), shape=(n, n_clusters))
    sums = members.T @ X
    sums = np.asarray(to_dense(sums))
    return sums / np.maximum(counts, 1)[:, None], counts
