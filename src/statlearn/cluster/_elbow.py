"""Elbow curve: within-cluster scatter by number of clusters."""

from dataclasses import dataclass

import numpy as np

from ._partitions import Partitions, check_ks, check_rows


@dataclass(frozen=True)
class ElbowCurve:
    """Result of `elbow_curve`.

    Attributes
    ----------
    k : ndarray
        Numbers of clusters.
    within : ndarray
        Within-cluster scatter W.
    drops : ndarray
        Decrease of W from the previous k; NaN for the first.
    largest_drop : int
        The k reached by the largest drop.
    elbow : int
        The k farthest below the chord between the ends of the curve.
    """

    k: np.ndarray
    within: np.ndarray
    drops: np.ndarray
    largest_drop: int
    elbow: int

    def plot(self, ax=None):
        """Plot of the curve with the largest drop and the elbow; returns the matplotlib axes."""
        from ._plots import plot_elbow

        return plot_elbow(self, ax=ax)


def elbow_curve(X, k_values=range(1, 11), *, estimator=None, random_state=None):
    """Elbow curve: within-cluster scatter W by number of clusters, with the largest drop and the elbow.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    k_values : iterable of int, default=range(1, 11)
    estimator : clusterer or None, default=None
        Clusterer with a parameter `n_clusters`; None uses `KMeans` with ten initialisations.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    ElbowCurve

    Notes
    -----
    W decreases with k even without any clusters, so an elbow alone proves nothing; `gap_statistic` compares the
    decrease with that of data without clusters.

    Examples
    --------
    >>> from statlearn.cluster import elbow_curve
    >>> curve = elbow_curve([[1.0], [2.0], [3.0], [10.0], [11.0], [12.0]], range(1, 5), random_state=0)
    >>> curve.within
    array([125.5,   4. ,   2.5,   1. ])
    >>> curve.largest_drop
    2
    """
    X = check_rows(X)
    ks = check_ks(k_values, X.shape[0])
    partitions = Partitions(estimator, random_state)
    return make_elbow(ks, np.array([partitions.make(X, int(k), 0).within for k in ks]))


def make_elbow(ks, within):
    """The curve from its points."""
    drops = np.r_[np.nan, -np.diff(within)]
    largest = int(ks[np.nanargmax(drops)]) if len(ks) > 1 else int(ks[0])
    return ElbowCurve(ks, within, drops, largest, int(ks[np.argmax(_below_chord(ks, within))]))


def _below_chord(ks, within):
    width, height = max(ks[-1] - ks[0], 1), within[0] - within[-1]
    across = (ks - ks[0]) / width
    down = (within[0] - within) / (height if height > 0 else 1.0)
    return down - across
