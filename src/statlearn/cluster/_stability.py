"""Cluster stability under bootstrap resampling."""

from dataclasses import dataclass

import numpy as np

from statlearn._core.memory import require_memory
from statlearn._core.params import Int, check_arguments

from ._labels import cluster_means
from ._partitions import Partitions, check_rows


@dataclass(frozen=True)
class Stability:
    """Result of `bootstrap_stability`.

    Attributes
    ----------
    centers : ndarray of shape (n_clusters, n_features)
        Cluster means of the original data.
    boot_centers : ndarray of shape (n_boot, n_clusters, n_features)
        Matched cluster means of each bootstrap sample.
    spread : ndarray of shape (n_clusters, n_features)
        Standard deviation of the matched means over the bootstrap samples.
    jaccard : ndarray of shape (n_clusters,)
        Mean Jaccard similarity of each cluster to its match: rows in both over rows in either. A cluster is stable
        above 0.85 and should not be trusted below 0.6 (Hennig).
    adjusted_rand : ndarray of shape (n_boot,)
        Agreement of the clusters of each bootstrap sample, extended to all rows, with the original clusters.
    co_membership : ndarray of shape (n_samples, n_samples) or None
        Fraction of the bootstrap samples in which two rows share a cluster.
    labels : ndarray of shape (n_samples,)
        Original cluster of each row.
    """

    centers: np.ndarray
    boot_centers: np.ndarray
    spread: np.ndarray
    jaccard: np.ndarray
    adjusted_rand: np.ndarray
    co_membership: np.ndarray | None
    labels: np.ndarray

    @property
    def score(self):
        """Mean agreement over the bootstrap samples."""
        return float(self.adjusted_rand.mean())


def bootstrap_stability(X, n_clusters=3, *, estimator=None, n_boot=50, co_membership="auto", random_state=None):
    """Bootstrap stability of clusters: spread of the matched centres, and recovery of each cluster.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    n_clusters : int, default=3
    estimator : clusterer or None, default=None
        Clusterer with a parameter `n_clusters`; None uses `KMeans` with ten initialisations. All rows are assigned to
        the clusters of a bootstrap sample by its `predict`, or to the nearest mean.
    n_boot : int, default=50
        Number of bootstrap samples of n rows.
    co_membership : bool or "auto", default="auto"
        Whether to compute the n x n matrix; "auto" does so for up to 2,000 rows.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    Stability

    Notes
    -----
    A stable partition need not be correct; one cluster, or too few, is stable, too.

    References
    ----------
    Hennig, C. (2007). Cluster-wise assessment of cluster stability. Computational Statistics and Data Analysis 52,
    258-271.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from statlearn.cluster import bootstrap_stability
    >>> X, _ = make_blobs(90, centers=[[0, 0], [5, 0], [0, 5]], cluster_std=0.4, random_state=0)
    >>> bootstrap_stability(X, 3, n_boot=10, random_state=0).jaccard
    array([1., 1., 1.])
    """
    check_arguments(
        bootstrap_stability,
        n_clusters=(n_clusters, [Int(1, None)]),
        n_boot=(n_boot, [Int(1, None)]),
        random_state=(random_state, ["random_state"]),
    )
    X = check_rows(X)
    n = X.shape[0]
    if n_clusters > n:
        raise ValueError(f"`n_clusters`={n_clusters} exceeds n_samples={n}; use at most {n}.")
    keep = n <= 2000 if co_membership == "auto" else bool(co_membership)
    if keep:
        require_memory(8 * n * n, f"The {n:,} x {n:,} co-membership matrix", "Set co_membership=False.")
    partitions = Partitions(estimator, random_state)
    return make_stability(X, partitions.make(X, n_clusters, 0), n_clusters, partitions, n_boot, keep)


def make_stability(X, whole, k, partitions, n_boot, keep=False, tick=None):
    """Stability of a known partition; `tick` is called after each bootstrap sample."""
    from scipy.optimize import linear_sum_assignment
    from sklearn.metrics import adjusted_rand_score

    n, n_clusters = X.shape[0], len(whole.centers)
    together = np.zeros((n, n)) if keep else None
    boot_centers = np.full((n_boot, n_clusters, X.shape[1]), np.nan)
    jaccard, rand = np.zeros((n_boot, n_clusters)), np.empty(n_boot)
    for b in range(n_boot):
        drawn = partitions.generator(3, k, b).integers(n, size=n)
        again = partitions.make(X[drawn], k, 3, b)
        labels = again.assign(X)
        overlap = _jaccard(whole.codes, labels, n_clusters, len(again.centers))
        mine, other = linear_sum_assignment(-overlap)
        jaccard[b, mine] = overlap[mine, other]
        boot_centers[b, mine] = cluster_means(X[drawn], again.codes, len(again.centers))[0][other]
        rand[b] = adjusted_rand_score(whole.codes, labels)
        if together is not None:
            together += np.equal.outer(labels, labels)
        if tick is not None:
            tick()
    return Stability(
        whole.centers,
        boot_centers,
        np.nanstd(boot_centers, axis=0),
        jaccard.mean(axis=0),
        rand,
        None if together is None else together / n_boot,
        whole.codes,
    )


def _jaccard(a, b, n_a, n_b):
    """Jaccard similarity (rows in both over rows in either) between all clusters of two partitions."""
    table = np.zeros((n_a, n_b))
    np.add.at(table, (a, b), 1)
    either = table.sum(axis=1)[:, None] + table.sum(axis=0) - table
    return table / np.maximum(either, 1)
