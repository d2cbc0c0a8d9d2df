"""Mean shift clustering: every row climbs the density of the data, and rows that reach the same mode form a cluster."""

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.metrics import pairwise_distances_argmin_min
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array, check_is_fitted

from statlearn._core.jobs import jobs
from statlearn._core.native import cluster as native
from statlearn._core.params import Int, Options, Real, check_arguments, check_params
from statlearn._core.validation import FLOATS, check_weights, validate_data
from statlearn._core.warnings import MAX_ITER, OK, warn, warn_if_stopped

_NONE = np.empty(0)


def estimate_bandwidth(X, *, quantile=0.3, n_samples=None, random_state=0, n_jobs=None):
    """Bandwidth estimate for `MeanShift`: the mean distance from a row to its ``quantile * n``-th nearest row.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    quantile : float, default=0.3
        Fraction of the rows that are considered near; 0.5 is about the median distance. Smaller values give more
        clusters.
    n_samples : int or None, default=None
        Number of randomly drawn rows for the estimate; None uses all rows.
    random_state : int, RandomState or None, default=0
        Seed of the draw.
    n_jobs : int or None, default=None
        Maximum number of threads. None and -1 use all that are available.

    Returns
    -------
    float

    Notes
    -----
    The cost is O(n^2 p) time and O(n) memory: all distances are computed, one strip at a time.

    Examples
    --------
    >>> from statlearn.cluster import estimate_bandwidth
    >>> X = [[1, 1], [2, 1], [1, 0], [4, 7], [3, 5], [3, 6]]
    >>> float(estimate_bandwidth(X, quantile=0.5))
    1.61...
    """
    check_arguments(
        estimate_bandwidth,
        quantile=(quantile, [Real(0, 1, closed="both")]),
        n_samples=(n_samples, [Int(1, None), None]),
        random_state=(random_state, ["random_state"]),
    )
    X = check_array(X, dtype=FLOATS, input_name="X")
    if n_samples is not None:
        X = X[check_random_state(random_state).permutation(X.shape[0])[:n_samples]]
    with jobs(n_jobs):
        return X.dtype.type(_bandwidth(X, None, quantile))


def _bandwidth(X, weights, quantile=0.3):
    count = max(1, int((X.shape[0] if weights is None else weights.sum()) * quantile))
    radius = np.empty(X.shape[0])
    native.neighbor_radius(X, _NONE if weights is None else weights, float(count), radius)
    return float(np.average(radius, weights=weights))


def get_bin_seeds(X, bin_size, min_bin_freq=1):
    """Grid points with nearby rows, as a smaller set of seeds for mean shift.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    bin_size : float
        Width of the grid; 0 returns X.
    min_bin_freq : int, default=1
        Minimum number of rows per cell.

    Returns
    -------
    ndarray of shape (n_seeds, n_features)
        The seeds, or X itself if the grid is not coarser.

    Examples
    --------
    >>> from statlearn.cluster import get_bin_seeds
    >>> get_bin_seeds([[0.1, 0.2], [-0.1, 0.1], [3.9, 4.2]], 2).tolist()
    [[0.0, 0.0], [4.0, 4.0]]
    """
    X = np.asarray(X)
    if bin_size == 0:
        return X
    cells, counts = np.unique(np.round(X / bin_size) + 0.0, axis=0, return_counts=True)  # + 0: no negative zeros
    cells = cells[counts >= min_bin_freq].astype(np.float32)
    if len(cells) == len(X):
        warn(f"Binning data failed with provided bin_size={bin_size:f}, using data points as seeds.")
        return X
    return cells * bin_size


def mean_shift(
    X,
    *,
    bandwidth=None,
    seeds=None,
    bin_seeding=False,
    min_bin_freq=1,
    cluster_all=True,
    max_iter=300,
    n_jobs=None,
    kernel="flat",
):
    """Mean shift clustering as a function.

    The parameters are those of :class:`MeanShift`.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    bandwidth : float or None, default=None
    seeds : array-like of shape (n_seeds, n_features) or None, default=None
    bin_seeding : bool, default=False
    min_bin_freq : int, default=1
    cluster_all : bool, default=True
    max_iter : int, default=300
    n_jobs : int or None, default=None
    kernel : {"flat", "gaussian"}, default="flat"

    Returns
    -------
    cluster_centers : ndarray of shape (n_clusters, n_features)
    labels : ndarray of shape (n_samples,)

    Examples
    --------
    >>> from statlearn.cluster import mean_shift
    >>> centers, labels = mean_shift([[1.0], [1.2], [5.0], [5.1]], bandwidth=1)
    >>> labels
    array([1, 1, 0, 0])
    """
    model = MeanShift(
        bandwidth=bandwidth,
        seeds=seeds,
        bin_seeding=bin_seeding,
        min_bin_freq=min_bin_freq,
        cluster_all=cluster_all,
        n_jobs=n_jobs,
        max_iter=max_iter,
        kernel=kernel,
    ).fit(X)
    return model.cluster_centers_, model.labels_


class MeanShift(ClusterMixin, BaseEstimator):
    r"""Mean shift clustering: clusters are the modes of a kernel density.

    Each row (or seed) x is moved repeatedly, with a kernel K of width h,

    .. math:: x \leftarrow \frac{\sum_i w_i K(x - x_i)\, x_i}{\sum_i w_i K(x - x_i)}

    until x moves by at most ``tol * bandwidth``. The kernel density never decreases along the way, and its modes are
    fixed points. End points are processed in decreasing order of density; one within ``merge_radius * bandwidth`` of an
    earlier one is the same mode. A row belongs to the nearest mode.

    Parameters
    ----------
    bandwidth : float or None, default=None
        The width h; None uses `estimate_bandwidth`. It determines the number of clusters.
    seeds : array-like of shape (n_seeds, n_features) or None, default=None
        Initial points; None starts from every row.
    bin_seeding : bool, default=False
        Whether to start from the points of a grid of width `bandwidth` that have nearby rows. Faster, but slightly
        coarser.
    min_bin_freq : int, default=1
        Minimum number of rows per cell of that grid.
    cluster_all : bool, default=True
        Whether rows farther than `bandwidth` from every mode join the nearest one; otherwise they are labelled -1.
    n_jobs : int or None, default=None
        Maximum number of threads. None and -1 use all that are available.
    max_iter : int, default=300
        Maximum number of moves per point.
    kernel : {"flat", "gaussian"}, default="flat"
        K is 1 within h and 0 beyond, or :math:`\exp(-d^2 / 2h^2)`.
    gaussian_scale : {"half", "no_half"}, default="half"
        "no_half" means :math:`\exp(-d^2 / h^2)`.
    tol : float, default=1e-3
        Convergence tolerance in units of the bandwidth.
    merge_radius : float, default=1.0
        Radius for merging modes in units of the bandwidth.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Modes, in decreasing order of the number of rows around them.
    labels_ : ndarray of shape (n_samples,)
    n_iter_ : int
        Largest number of moves of any point.
    bandwidth_ : float
        The bandwidth used.
    mass_ : ndarray of shape (n_clusters,)
        Kernel-weighted number of rows around each mode.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    See Also
    --------
    KMeans : requires the number of clusters instead of a bandwidth.
    DBSCAN : density-based clusters of any shape.

    Notes
    -----
    Rows are stored in a tree whose nodes hold the sums of their rows, so a move with the flat kernel visits only the
    rows near the boundary of the ball; a move with the Gaussian kernel visits all rows within 8.6 h. The flat kernel
    stops after finitely many moves. The Gaussian kernel approaches its mode ever more slowly; decrease `tol` if two
    modes are close.

    A single bandwidth is used for the whole space; clusters of different densities need another method. In more than a
    few dimensions balls are either empty or contain everything.

    References
    ----------
    Comaniciu, D. and Meer, P. (2002). Mean shift: a robust approach toward feature space analysis. IEEE Transactions
    on Pattern Analysis and Machine Intelligence 24, 603-619.

    Examples
    --------
    >>> from statlearn.cluster import MeanShift
    >>> X = [[1, 1], [2, 1], [1, 0], [4, 7], [3, 5], [3, 6]]
    >>> model = MeanShift(bandwidth=2).fit(X)
    >>> model.labels_
    array([1, 1, 1, 0, 0, 0])
    >>> model.predict([[0, 0], [5, 5]])
    array([1, 0])
    """

    _constraints = {
        "bandwidth": [Real(0, None, closed="neither"), None],
        "seeds": ["array-like", None],
        "bin_seeding": ["boolean"],
        "min_bin_freq": [Int(1, None)],
        "cluster_all": ["boolean"],
        "n_jobs": [Int(None, None), None],
        "max_iter": [Int(0, None)],
        "kernel": [Options("flat", "gaussian")],
        "gaussian_scale": [Options("half", "no_half")],
        "tol": [Real(0, None)],
        "merge_radius": [Real(0, None)],
    }

    def __init__(
        self,
        *,
        bandwidth=None,
        seeds=None,
        bin_seeding=False,
        min_bin_freq=1,
        cluster_all=True,
        n_jobs=None,
        max_iter=300,
        kernel="flat",
        gaussian_scale="half",
        tol=1e-3,
        merge_radius=1.0,
    ):
        self.bandwidth = bandwidth
        self.seeds = seeds
        self.bin_seeding = bin_seeding
        self.min_bin_freq = min_bin_freq
        self.cluster_all = cluster_all
        self.n_jobs = n_jobs
        self.max_iter = max_iter
        self.kernel = kernel
        self.gaussian_scale = gaussian_scale
        self.tol = tol
        self.merge_radius = merge_radius

    def fit(self, X, y=None, sample_weight=None):
        """Compute the modes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k is equivalent to k copies of the row. A row of weight 0 is labelled but otherwise ignored.

        Returns
        -------
        self : MeanShift
        """
        check_params(self)
        X = validate_data(self, X, dtype=FLOATS)
        with jobs(self.n_jobs):
            return self._fit(X, check_weights(sample_weight, X))

    def _fit(self, X, weights):
        weights = None if weights is None else weights.astype(np.float64)
        width = self.bandwidth
        if width is None:
            width = _bandwidth(X, weights) if weights is None else _bandwidth(X[weights > 0], weights[weights > 0])
        if width <= 0 and self.kernel == "gaussian":
            raise ValueError(
                f"`bandwidth`=0 was estimated from n_samples={X.shape[0]} because the nearest rows are identical. "
                "Set `bandwidth` to a positive number."
            )
        self.bandwidth_ = float(width)
        points, mass, n_iter = self._climb(X, weights, self._starts(X, weights), self.max_iter)
        if not mass.any():
            raise ValueError(
                f"No point was within bandwidth={width:f} of any seed. Try a different seeding strategy or increase "
                "the bandwidth."
            )
        self.n_iter_ = int(n_iter.max())
        unfinished = int(np.count_nonzero(n_iter >= self.max_iter)) if self.max_iter > 0 else 0
        warn_if_stopped(
            self,
            MAX_ITER if unfinished else OK,
            f"{unfinished} of {len(points)} points were still moving after {self.max_iter} iterations",
            remedy="Increase max_iter or tol.",
        )
        centers, self.mass_ = _modes(points, mass, self.merge_radius * width)
        self.cluster_centers_ = centers.astype(X.dtype)
        self.labels_ = self._nearest(X)
        return self

    def _starts(self, X, weights):
        """Initial points, as a new array that the kernel may overwrite."""
        alive = X if weights is None else X[weights > 0]
        if self.seeds is not None:
            starts = check_array(self.seeds, dtype=np.float64, input_name="seeds")
            if starts.shape[1] != X.shape[1]:
                raise ValueError(f"`seeds` has {starts.shape[1]} features, but X has {X.shape[1]}.")
        elif self.bin_seeding:
            starts = get_bin_seeds(alive, self.bandwidth_, self.min_bin_freq)
        else:
            starts = alive
        return np.array(starts, dtype=np.float64, order="C")

    def _climb(self, X, weights, points, max_iter):
        """End points, overwriting `points`, with the mass around them and the number of moves."""
        mass, n_iter = np.empty(len(points)), np.empty(len(points), dtype=np.intc)
        rate = 0.0
        if self.kernel == "gaussian":
            rate = (0.5 if self.gaussian_scale == "half" else 1.0) / self.bandwidth_**2
        native.mean_shift_climb(
            X, _NONE if weights is None else weights, self.bandwidth_, rate, float(self.tol), max_iter, points, mass,
            n_iter,
        )  # fmt: skip
        return points, mass, n_iter

    def _nearest(self, X):
        labels, distances = pairwise_distances_argmin_min(X, self.cluster_centers_)
        if not self.cluster_all:
            labels = np.where(distances <= self.bandwidth_, labels, -1)
        return labels

    def predict(self, X):
        """Nearest mode of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOATS, reset=False)
        return pairwise_distances_argmin_min(X, self.cluster_centers_)[0]

    def trajectories(self, X, starts, *, n_steps=100):
        """Trajectories of points up the density of the rows of X, with the fitted bandwidth.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.
        starts : array-like of shape (n_points, n_features)
        n_steps : int, default=100
            Maximum number of steps; a point that has converged stops moving.

        Returns
        -------
        ndarray of shape (n_moves + 1, n_points, n_features)
            The initial points, then the points after each move.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOATS, reset=False)
        points = check_array(starts, dtype=np.float64, input_name="starts")
        way = [points]
        for _ in range(n_steps):
            points = self._climb(X, None, np.array(way[-1], order="C"), 0)[0]
            way.append(points)
            if np.linalg.norm(points - way[-2], axis=1).max() <= self.tol * self.bandwidth_:
                break
        return np.array(way)


def _modes(points, mass, radius):
    """End points that are modes, in decreasing order of mass (ties by coordinates), and their mass."""
    reached = mass > 0
    points, mass = points[reached], mass[reached]
    order = np.lexsort([*points.T[::-1], mass])[::-1]
    points, mass = np.ascontiguousarray(points[order]), mass[order]
    keep = np.empty(len(points), dtype=np.uint8)
    native.mean_shift_merge(points, float(radius), keep)
    return points[keep == 1], mass[keep == 1]
