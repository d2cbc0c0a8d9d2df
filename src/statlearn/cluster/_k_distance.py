"""Distances to the k-th neighbour, to choose eps for DBSCAN."""

from dataclasses import dataclass

import numpy as np
from sklearn.utils.validation import check_array

from statlearn._core.params import Int, check_arguments
from statlearn._core.validation import FLOATS
from statlearn._draw.style import styled, theme
from statlearn._math.distances.neighbor_index import build_index


@dataclass
class KDistance:
    """Sorted distances to the neighbour that makes a row a core point.

    Parameters
    ----------
    distances : ndarray of shape (n_samples,)
        In increasing order. With eps = ``distances[i]``, at least i + 1 rows are core points.
    min_samples : int
        Minimum number of rows within eps of a core point, including itself.
    eps : float
        Suggested eps: the distance at the elbow of the curve.
    """

    distances: np.ndarray
    min_samples: int
    eps: float


def k_distance(X, min_samples=None, *, metric="euclidean", metric_params=None):
    """Sorted distances from each row to its (min_samples - 1)-th other neighbour.

    The curve is flat for rows within clusters and rises for noise. The elbow in between, the point farthest below the
    line between the ends of the curve, is a candidate for `eps` of `DBSCAN`.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    min_samples : int or None, default=None
        As in `DBSCAN`; None means twice the number of columns, but at least 4.
    metric : str or callable, default="euclidean"
    metric_params : dict or None, default=None

    Returns
    -------
    KDistance

    Examples
    --------
    >>> from statlearn.cluster import k_distance
    >>> k_distance([[0.0], [1.0], [2.0], [3.0], [10.0]], min_samples=3).distances
    array([1., 1., 2., 2., 8.])
    """
    X = check_array(X, dtype=None if callable(metric) else FLOATS, order="C", input_name="X", ensure_min_samples=2)
    if min_samples is None:
        min_samples = max(4, 2 * X.shape[1])
    check_arguments(k_distance, min_samples=(min_samples, [Int(2, None)]))
    if min_samples > len(X):
        raise ValueError(f"`min_samples`={min_samples} exceeds the {len(X)} rows of X; use at most {len(X)}.")
    nearest, _ = build_index(X, metric, metric_params=metric_params).query(X, min_samples - 1, exclude_self=True)
    distances = np.sort(nearest[:, -1])
    return KDistance(distances, int(min_samples), float(distances[_elbow(distances)]))


def _elbow(values):
    """Index at which an increasing curve is farthest below its chord."""
    rise = values[-1] - values[0]
    if rise <= 0:
        return len(values) - 1
    return int(np.argmax(np.linspace(0.0, 1.0, len(values)) - (values - values[0]) / rise))


@styled
def k_distance_plot(X, min_samples=None, *, metric="euclidean", metric_params=None, ax=None):
    """Plot of the sorted distances of `k_distance` with the suggested eps.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or KDistance
        Rows, or the result of `k_distance`.
    min_samples, metric, metric_params
        As in `k_distance`; ignored if its result is passed.
    ax : matplotlib Axes or None, default=None

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from statlearn.cluster import k_distance_plot
    >>> k_distance_plot([[0.0], [1.0], [2.0], [3.0], [10.0]], min_samples=3).get_xlabel()
    'rows, sorted by distance'
    """
    from statlearn._draw.axes import new_axes

    curve = X if isinstance(X, KDistance) else k_distance(X, min_samples, metric=metric, metric_params=metric_params)
    ax = new_axes(ax, figsize=(5.4, 3.8))
    colours = theme()
    ax.plot(np.arange(1, len(curve.distances) + 1), curve.distances, color=colours.cycle[0])
    ax.axhline(curve.eps, color=colours.good, lw=1.2, ls="--")
    ax.annotate(f"elbow: eps = {curve.eps:.3g}", (0.02, curve.eps), xycoords=("axes fraction", "data"), xytext=(0, 4),
                textcoords="offset points", color=colours.good, fontsize=9)  # fmt: skip
    ax.set(xlabel="rows, sorted by distance", ylabel=f"distance to neighbour {curve.min_samples - 1}", ylim=(0, None))
    return ax
