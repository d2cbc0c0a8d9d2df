"""Prediction strength: whether clusters of one half of the rows are reproduced in the other half."""

from dataclasses import dataclass

import numpy as np

from statlearn._core.params import Int, Real, check_arguments
from statlearn._math.inference import standard_error

from ._partitions import Partitions, check_ks, check_rows


@dataclass(frozen=True)
class PredictionStrength:
    """Result of `prediction_strength`.

    Attributes
    ----------
    k : ndarray
        Numbers of clusters.
    strength : ndarray
        Mean over the splits; 1 for one cluster.
    std_error : ndarray
        Standard error of the mean.
    n_clusters : int
        The largest k whose strength reaches the threshold.
    threshold : float
    """

    k: np.ndarray
    strength: np.ndarray
    std_error: np.ndarray
    n_clusters: int
    threshold: float

    def plot(self, ax=None):
        """Plot of the strengths and the threshold; returns the matplotlib axes."""
        from ._plots import plot_prediction_strength

        return plot_prediction_strength(self, ax=ax)


def prediction_strength(X, k_values=range(1, 11), *, n_splits=10, threshold=0.8, estimator=None, random_state=None):
    """Prediction strength of Tibshirani and Walther.

    The rows are split into two halves, both are clustered, and rows of the second half are assigned to the clusters of
    the first. For each cluster of the second half, the fraction of its pairs that the first half also keeps together is
    computed. The strength is the smallest fraction, averaged over the splits.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    k_values : iterable of int, default=range(1, 11)
        At most half the number of rows.
    n_splits : int, default=10
        Number of random splits; each half serves once as the second.
    threshold : float, default=0.8
        0.8 to 0.9 is what the authors recommend.
    estimator : clusterer or None, default=None
        Clusterer with a parameter `n_clusters`; None uses `KMeans` with ten initialisations. Rows are assigned by its
        `predict`, or to the nearest cluster mean.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    PredictionStrength

    Notes
    -----
    A cluster of a single row has no pairs and is ignored.

    References
    ----------
    Tibshirani, R. and Walther, G. (2005). Cluster validation by prediction strength. Journal of Computational and
    Graphical Statistics 14, 511-528.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from statlearn.cluster import prediction_strength
    >>> X, _ = make_blobs(90, centers=[[0, 0], [5, 0], [0, 5]], cluster_std=0.4, random_state=0)
    >>> prediction_strength(X, range(1, 6), n_splits=4, random_state=0).n_clusters
    3
    """
    check_arguments(
        prediction_strength,
        n_splits=(n_splits, [Int(1, None)]),
        threshold=(threshold, [Real(0, 1, closed="both")]),
        random_state=(random_state, ["random_state"]),
    )
    X = check_rows(X)
    ks = check_ks(k_values, X.shape[0] // 2)
    return make_strength(X, ks, Partitions(estimator, random_state), n_splits, threshold)


def make_strength(X, ks, partitions, n_splits, threshold, tick=None):
    """Strengths of all k; `tick` is called after each split."""
    strength = np.empty((n_splits, len(ks)))
    for s in range(n_splits):
        order = partitions.generator(2, s).permutation(X.shape[0])
        halves = X[order[: len(order) // 2]], X[order[len(order) // 2 :]]
        for j, k in enumerate(ks):
            parts = [partitions.make(half, int(k), 2, s, side) for side, half in enumerate(halves)]
            strength[s, j] = np.mean(
                [pair_strength(parts[1 - side].assign(halves[side]), parts[side].codes) for side in (0, 1)]
            )
        if tick is not None:
            tick()
    mean = strength.mean(axis=0)
    error = standard_error(strength, axis=0)
    reached = np.flatnonzero(mean >= threshold)
    return PredictionStrength(ks, mean, error, int(ks[reached[-1]]) if len(reached) else int(ks[0]), threshold)


def pair_strength(predicted, codes):
    """Smallest fraction, over the clusters of `codes`, of pairs that are also together in `predicted`."""
    table = np.zeros((codes.max() + 1, predicted.max() + 1))
    np.add.at(table, (codes, predicted), 1)
    sizes = table.sum(axis=1)
    pairs = sizes * (sizes - 1)
    together = (table * (table - 1)).sum(axis=1)
    return float((together[pairs > 0] / pairs[pairs > 0]).min(initial=1.0))
