"""Within-cluster scatter against the number of clusters."""

from dataclasses import dataclass

import numpy as np

from ._partitions import Partitions, check_ks, check_rows


@dataclass(frozen=True)
class ElbowCurve:
    """What `elbow_curve` returns.

    Attributes
    ----------
    k : ndarray
        Numbers of clusters.
    within : ndarray
        Scatter W within the clusters.
    drops : ndarray
        How much W falls from the k before; NaN for the first.
    largest_drop : int
        The k that the largest drop leads to.
    elbow : int
        The k that is farthest below the chord from the first point of the curve to the last.
    """

    k: np.ndarray
    within: np.ndarray
    drops: np.ndarray
    largest_drop: int
    elbow: int

    def plot(self, ax=None):
        """The curve with the largest drop and the elbow; the matplotlib axes."""
        from ._plots import plot_elbow

        return plot_elbow(self, ax=ax)


def elbow_curve(X, k_values=range(1, 11), *, estimator=None, random_state=None):
    """Within-cluster scatter W for several numbers of clusters, with the largest drop and the elbow marked.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    k_values : iterable of int, default=range(1, 11)
    estimator : clusterer or None
        With a parameter `n_clusters`; None is `KMeans` from ten starts.
    random_state : int, RandomState or None

    Returns
    -------
    ElbowCurve

    Notes
    -----
    W falls with k even where there are no clusters at all, so that an elbow proves nothing by itself: `gap_statistic`
    compares the fall with that of rows without clusters.

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
