"""Fuzzy c-means clustering."""

import numpy as np
from sklearn.utils import check_random_state

from statlearn._core import native
from statlearn._core.blas import single_blas_thread
from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.warnings import MAX_ITER, OK, warn_if_stopped

from ._centres import CentreClusterer
from ._kernel_input import kernel_rows, kernel_weights, validate_rows
from ._kmeans import count_starts, require_rows
from ._seeding import STARTS, initial_centres


def memberships(squares, m):
    """Memberships from squared distances (rows x clusters), exponent m > 1; a row at a centre belongs only to it."""
    least = squares.min(axis=1, keepdims=True)
    at_centre = least == 0
    # Relative to the nearest centre, and by logarithms, nothing overflows, however close m is to 1.
    ratio = np.where(at_centre, 1.0, squares) / np.where(at_centre, 1.0, least)
    relative = np.where(at_centre, squares == 0, np.exp(-np.log(ratio) / (m - 1)))
    return relative / relative.sum(axis=1, keepdims=True)


def squared_distances(X, centres):
    """Squared distances of all rows to all centres, in double precision."""
    distances = np.empty((X.shape[0], len(centres)), dtype=X.dtype)
    native.cluster.centre_distances(*kernel_rows(X), centres, distances)
    return distances.astype(np.float64) ** 2


class FuzzyCMeans(CentreClusterer):
    r"""Fuzzy c-means: degrees of membership between 0 and 1 instead of labels.

    Minimises over centres c and non-negative memberships r that sum to 1 in each row, with weights s,

    .. math:: \sum_i s_i \sum_k r_{ik}^m \lVert x_i - c_k \rVert^2 ,

    by alternating :math:`r_{ik} = 1 / \sum_j (d_{ik}^2 / d_{ij}^2)^{1/(m-1)}` and
    :math:`c_k = \sum_i s_i r_{ik}^m x_i / \sum_i s_i r_{ik}^m`. A row at a centre belongs only to that centre. The
    objective never increases (`history_`). Stops when no membership changes by more than `tol`.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    m : float, default=2.0
        Exponent, above 1. Towards 1 memberships become labels (k-means), towards infinity all become
        1 / n_clusters.
    init : {"k-means++", "k-means||", "random", "box"}, callable or array-like, default="k-means++"
        Initial centres, as in :class:`KMeans`.
    n_init : int or "auto", default="auto"
        Number of initialisations; the run with the smallest objective is kept. "auto" means 1 for "k-means++",
        "k-means||" and arrays, and 10 otherwise.
    max_iter : int, default=300
        Maximum number of iterations per initialisation.
    tol : float, default=1e-5
        Stop when no membership changes by more than this.
    random_state : int, RandomState instance or None, default=None
        Seed of the initialisations.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centres.
    memberships_ : ndarray of shape (n_samples, n_clusters)
        Degrees of membership of the rows in the clusters.
    labels_ : ndarray of shape (n_samples,)
        Cluster with the largest membership, which is that of the nearest centre.
    objective_ : float
        Final value of the objective.
    history_ : ndarray
        Objective of the best run after each half step.
    n_iter_ : int
        Number of iterations of the best run.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Column names of X, if it has any.

    See Also
    --------
    KMeans : the limit m = 1.

    Notes
    -----
    An iteration costs n k p operations and stores two n x k tables. With a large `m` all centres may collapse to the
    mean of the data; decrease it then. In high dimensions distances are nearly equal and m = 2 is large.

    References
    ----------
    Bezdek (1981), Pattern Recognition with Fuzzy Objective Function Algorithms, Plenum.

    Examples
    --------
    >>> from statlearn.cluster import FuzzyCMeans
    >>> model = FuzzyCMeans(2, random_state=0).fit([[0.0], [1.0], [5.0], [9.0], [10.0]])
    >>> sorted(model.membership([[5.0]]).round(3)[0].tolist())
    [0.5, 0.5]
    """

    _constraints = {
        "n_clusters": [Int(1, None)],
        "m": [Real(1, None, closed="neither")],
        "init": [Options(*STARTS), "callable", "array-like"],
        "n_init": [Options("auto"), Int(1, None)],
        "max_iter": [Int(1, None)],
        "tol": [Real(0, None)],
        "random_state": ["random_state"],
    }

    def __init__(
        self, n_clusters=8, *, m=2.0, init="k-means++", n_init="auto", max_iter=300, tol=1e-5, random_state=None
    ):
        self.n_clusters = n_clusters
        self.m = m
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X, y=None, sample_weight=None):
        """Compute centres and memberships.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k is equivalent to k copies of the row, a weight of 0 to omitting it.

        Returns
        -------
        self
        """
        check_params(self)
        X = validate_rows(self, X)
        weights, present = kernel_weights(sample_weight, X)
        rows = X if present is None else X[present]
        require_rows(rows.shape[0], self.n_clusters)
        random_state = check_random_state(self.random_state)
        best = None
        for _ in range(count_starts(self, default=10)):
            start = initial_centres(self.init, rows, weights, self.n_clusters, random_state)
            solution = self._iterate(rows, weights, start)
            if best is None or solution[1][-1] < best[1][-1] * (1 - 1e-12):
                best = solution
        centres, history, self.n_iter_, status, change = best
        self.cluster_centers_ = centres.astype(X.dtype)
        self.history_, self.objective_ = history, float(history[-1])
        self.memberships_ = memberships(squared_distances(X, centres), self.m).astype(X.dtype)
        self.labels_ = self.memberships_.argmax(axis=1).astype(np.int32)
        warn_if_stopped(
            self, status, f"a membership changed by {change:.3g} in the last iteration, more than tol={self.tol:g}",
            remedy="Increase max_iter or tol.",
        )  # fmt: skip
        return self

    def membership(self, X):
        """Memberships of the rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        memberships : ndarray of shape (n_samples, n_clusters)
        """
        X = validate_rows(self, X, reset=False)
        return memberships(squared_distances(X, self.cluster_centers_.astype(np.float64)), self.m).astype(X.dtype)

    def _iterate(self, X, weights, centres):
        s = weights[:, None] if len(weights) else 1.0
        squares = squared_distances(X, centres)
        degrees = memberships(squares, self.m)
        history = []
        n_iter, change = 0, np.inf
        while n_iter < self.max_iter and change > self.tol:
            n_iter += 1
            mass = s * degrees**self.m
            history.append(float(np.sum(mass * squares)))
            with single_blas_thread():  # the sums must not depend on the number of threads
                sums = np.asarray(X.T @ mass).T
            total = mass.sum(axis=0)
            # A centre without any membership (copies of another at a data point) is kept.
            centres = np.where(total[:, None] > 0, sums / np.where(total > 0, total, 1.0)[:, None], centres)
            centres = np.ascontiguousarray(centres, dtype=np.float64)
            squares = squared_distances(X, centres)
            history.append(float(np.sum(mass * squares)))
            new = memberships(squares, self.m)
            change = float(np.abs(new - degrees).max())
            degrees = new
        history.append(float(np.sum(s * degrees**self.m * squares)))
        return centres, np.array(history), n_iter, OK if change <= self.tol else MAX_ITER, change
