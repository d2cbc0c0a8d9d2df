"""k-means with must-link and cannot-link constraints."""

import heapq

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from sklearn.utils import check_random_state

from statlearn._core import native
from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.warnings import MAX_ITER, OK, warn_if_stopped

from ._centres import CentreClusterer
from ._fuzzy import squared_distances
from ._kernel_input import NO_WEIGHTS, kernel_rows, kernel_weights, validate_rows
from ._kmeans import Geometry, LloydRun, count_starts, require_rows
from ._seeding import STARTS, initial_centres


class InfeasibleConstraints(ValueError):
    """Error raised if no clustering satisfies all must-link and cannot-link pairs.

    Parameters
    ----------
    message : str
        Description of the conflict.
    pair : tuple of int or None, default=None
        Pair of rows with contradicting constraints, if there is one.

    Attributes
    ----------
    pair : tuple of int or None

    Examples
    --------
    >>> from statlearn.cluster import COPKMeans, InfeasibleConstraints
    >>> try:
    ...     COPKMeans(2).fit([[0.0], [1.0], [2.0]], must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)])
    ... except InfeasibleConstraints as error:
    ...     print(error.pair)
    (0, 2)
    """

    def __init__(self, message, pair=None):
        super().__init__(message)
        self.pair = pair


def check_pairs(pairs, n, name):
    """Pairs of row indices as an array of shape (m, 2)."""
    if pairs is None:
        return np.empty((0, 2), dtype=np.intp)
    positions = np.asarray(pairs)
    if positions.size == 0:
        return np.empty((0, 2), dtype=np.intp)
    if positions.ndim != 2 or positions.shape[1] != 2 or positions.dtype.kind not in "iu":
        raise ValueError(f"`{name}` must contain pairs of row indices, got an array of shape {positions.shape}.")
    if positions.min() < 0 or positions.max() >= n:
        raise ValueError(f"`{name}`: row indices must be between 0 and {n - 1}.")
    return positions.astype(np.intp)


def refuse_positional_pairs(y, sample_weight):
    """Refuse pairs of rows in the places of `y` and `sample_weight`."""
    if y is not None and np.asarray(y).ndim == 2 and np.asarray(y).shape[1] == 2:
        second = ", cannot_link=..." if np.asarray(sample_weight).ndim == 2 else ""
        raise ValueError(
            "`y` is ignored, but got two columns, which look like pairs of rows; use "
            f"`fit(X, must_link=...{second})` to pass them by name."
        )


class Links:
    """Groups of rows that must be together (the closure of the pairs), and pairs of groups that must not."""

    def __init__(self, n, must_link, cannot_link):
        ones = np.ones(len(must_link), dtype=bool)
        graph = sparse.coo_array((ones, (must_link[:, 0], must_link[:, 1])), shape=(n, n))
        count, component = connected_components(graph, directed=False)
        # Groups in the order of their first rows.
        order = np.argsort(np.unique(component, return_index=True)[1])
        rank = np.empty(count, dtype=np.intp)
        rank[order] = np.arange(count)
        self.group, self.count = rank[component].astype(np.int32), count
        ends = self.group[cannot_link]
        for (i, j), (a, b) in zip(cannot_link.tolist(), ends.tolist()):
            if a == b:
                why = "are the same row" if i == j else "are joined by must_link pairs"
                raise InfeasibleConstraints(f"`cannot_link` separates rows {i} and {j}, but they {why}.", pair=(i, j))
        self.enemies = {}
        for a, b in ends.tolist():
            self.enemies.setdefault(a, set()).add(b)
            self.enemies.setdefault(b, set()).add(a)


def place_in_order(order, wishes, enemies):
    """Assign each group to its first preferred cluster without conflict: (clusters, the group that failed)."""
    placed = {}
    for group in order:
        taken = {placed[e] for e in enemies[group] if e in placed}
        free = next((c for c in wishes[group] if c not in taken), None)
        if free is None:
            return placed, group
        placed[group] = free
    return placed, None


def place_tightest_first(order, wishes, enemies):
    """Assign groups as `place_in_order`, but the one with the fewest remaining clusters first, ties in `order`.

    For two clusters this finds a solution whenever one exists (Brelaz, 1979).
    """
    rank = {group: r for r, group in enumerate(order)}
    taken = {group: set() for group in order}
    heap = [(0, r, group) for r, group in enumerate(order)]
    placed = {}
    while heap:
        count, _, group = heapq.heappop(heap)
        if group in placed or -count != len(taken[group]):
            continue  # an old entry
        free = next((c for c in wishes[group] if c not in taken[group]), None)
        if free is None:
            return placed, group
        placed[group] = free
        for enemy in enemies[group]:
            if enemy not in placed and free not in taken[enemy]:
                taken[enemy].add(free)
                heapq.heappush(heap, (-len(taken[enemy]), rank[enemy], enemy))
    return placed, None


class COPKMeans(CentreClusterer):
    r"""Constrained k-means (COP-k-means) with must-link and cannot-link pairs.

    The objective is that of :class:`KMeans`, :math:`\sum_i s_i \lVert x_i - c_{\text{label}(i)} \rVert^2`, over labels
    that satisfy all pairs. Must-link pairs are transitive: rows connected by a chain of them move together. In each
    iteration, rows without cannot-link pairs are assigned to the nearest centre. The others follow in order, each to
    the nearest cluster without a conflicting row. The algorithm stops when no label changes. Without pairs this is
    k-means.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    init : {"k-means++", "k-means||", "random", "box"}, callable or array-like, default="k-means++"
        Initial centres, as in :class:`KMeans`.
    n_init : int or "auto", default="auto"
        Number of initialisations; the best run is kept. "auto" means 1 for "k-means++", "k-means||" and arrays, and 10
        otherwise.
    max_iter : int, default=300
        Maximum number of iterations per initialisation.
    tol : float, default=1e-4
        As in :class:`KMeans`; used only without cannot-link pairs. With them, iteration continues until the labels are
        stable.
    random_state : int, RandomState instance or None, default=None
        Seed of the initialisations.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centres.
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row; all pairs are satisfied.
    inertia_ : float
        Weighted sum of squared distances of the rows to their cluster centres.
    n_iter_ : int
        Number of iterations of the best run.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Column names of X, if it has any.

    See Also
    --------
    KMeans : without constraints.

    Notes
    -----
    Whether labels exist that satisfy all cannot-link pairs is a graph colouring problem with k colours, for which no
    fast method is known. Rows are assigned in their order. If that fails, rows with the fewest remaining clusters go
    first (which is exact for two clusters), in ten random orders, before :class:`InfeasibleConstraints` is raised. With
    cannot-link pairs the objective may occasionally increase; a run that returns to earlier labels stops there.
    `predict` assigns new rows to the nearest centre.

    References
    ----------
    Wagstaff, Cardie, Rogers and Schroedl (2001), Constrained k-means clustering with background knowledge, ICML.

    Examples
    --------
    >>> from statlearn.cluster import COPKMeans
    >>> X = [[0.0], [1.0], [9.0], [10.0]]
    >>> model = COPKMeans(2, random_state=0).fit(X, must_link=[(1, 2)], cannot_link=[(0, 1)])
    >>> bool(model.labels_[1] == model.labels_[2] != model.labels_[0])
    True
    """

    _constraints = {
        "n_clusters": [Int(1, None)],
        "init": [Options(*STARTS), "callable", "array-like"],
        "n_init": [Options("auto"), Int(1, None)],
        "max_iter": [Int(1, None)],
        "tol": [Real(0, None)],
        "random_state": ["random_state"],
    }

    def __init__(self, n_clusters=8, *, init="k-means++", n_init="auto", max_iter=300, tol=1e-4, random_state=None):
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X, y=None, sample_weight=None, *, must_link=None, cannot_link=None):
        """Compute the clustering.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k is equivalent to k copies of the row. Rows of weight 0 do not affect the centres, but their
            pairs are satisfied.
        must_link : array-like of shape (n_pairs, 2) or None, default=None
            Pairs of row indices that must be in the same cluster.
        cannot_link : array-like of shape (n_pairs, 2) or None, default=None
            Pairs of row indices that must be in different clusters.

        Returns
        -------
        self
        """
        check_params(self)
        refuse_positional_pairs(y, sample_weight)
        X = validate_rows(self, X)
        weights, present = kernel_weights(sample_weight, X)
        require_rows(X.shape[0] if present is None else len(present), self.n_clusters)
        n = X.shape[0]
        links = Links(n, check_pairs(must_link, n, "must_link"), check_pairs(cannot_link, n, "cannot_link"))
        full = np.ones(n) if not len(weights) else np.zeros(n)
        if len(weights):
            full[np.arange(n) if present is None else present] = weights
        # The squares within a group do not depend on where it goes: it moves like its mean, with its weight.
        means, mass = self._group_means(X, full, links)
        random_state = check_random_state(self.random_state)
        best = None
        for _ in range(count_starts(self, default=10)):
            rows = X if present is None else X[present]
            start = initial_centres(self.init, rows, weights, self.n_clusters, random_state)
            solution = self._iterate(means, mass, links, start, random_state)
            if best is None or solution[0] < best[0] * (1 - 1e-12):
                best = solution
        _, centres, of_groups, self.n_iter_, status = best
        self.cluster_centers_ = centres.astype(X.dtype)
        self.labels_ = of_groups[links.group].astype(np.int32)
        distances = squared_distances(X, centres)[np.arange(n), self.labels_]
        self.inertia_ = float(full @ distances)
        warn_if_stopped(self, status, f"labels still change after {self.n_iter_} iterations",
                        remedy="Increase max_iter.")  # fmt: skip
        return self

    def fit_predict(self, X, y=None, sample_weight=None, *, must_link=None, cannot_link=None):
        """Fit the model and return the cluster label of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,) or None, default=None
        must_link, cannot_link : array-like of shape (n_pairs, 2) or None, default=None

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        return self.fit(X, y, sample_weight=sample_weight, must_link=must_link, cannot_link=cannot_link).labels_

    def _group_means(self, X, weights, links):
        """Means of the groups and their weights; a group without weight uses its plain mean."""
        sums, mass = np.zeros((links.count, X.shape[1])), np.zeros(links.count)
        native.cluster.row_sums(*kernel_rows(X), weights, links.group, sums, mass)
        means = sums / np.where(mass > 0, mass, 1.0)[:, None]
        if (mass == 0).any():
            plain, sizes = np.zeros_like(sums), np.zeros(links.count)
            native.cluster.row_sums(*kernel_rows(X), NO_WEIGHTS, links.group, plain, sizes)
            means = np.where(mass[:, None] > 0, means, plain / sizes[:, None])
        return means, mass

    def _iterate(self, means, mass, links, centres, random_state):
        """Labels of the groups and centres from one start: (objective up to a constant, centres, labels, ...)."""
        heavy = mass > 0
        if not links.enemies:
            run = LloydRun(Geometry(means[heavy], mass[heavy]), centres, "lloyd", self.tol, self.max_iter)
            labels = squared_distances(means, run.centres).argmin(axis=1)
            return run.inertia, run.centres, labels, run.n_iter, run.status
        labels, seen, status, n_iter = None, set(), MAX_ITER, 0
        while n_iter < self.max_iter:
            n_iter += 1
            new = self._place(squared_distances(means, centres), links, random_state)
            self._fill(new, means, centres, heavy)
            sums, total = np.zeros_like(centres), np.zeros(self.n_clusters)
            native.cluster.row_sums(*kernel_rows(means), mass, new.astype(np.int32), sums, total)
            centres = np.where(total[:, None] > 0, sums / np.where(total > 0, total, 1.0)[:, None], centres)
            if (state := new.tobytes()) in seen:
                labels, status = new, OK
                break
            seen.add(state)
            labels = new
        objective = float(mass @ squared_distances(means, centres)[np.arange(len(means)), labels])
        return objective, centres, labels, n_iter, status

    def _place(self, squares, links, random_state):
        """Nearest cluster of every group; constrained groups in order, to the nearest one without conflict."""
        labels = squares.argmin(axis=1)
        bound = np.array(sorted(links.enemies))
        wishes = dict(zip(bound.tolist(), np.argsort(squares[bound], axis=1, kind="stable").tolist()))
        placed, stuck = place_in_order(bound.tolist(), wishes, links.enemies)
        for attempt in range(10):
            if stuck is None:
                break
            order = bound if attempt == 0 else random_state.permutation(bound)
            placed, stuck = place_tightest_first(order.tolist(), wishes, links.enemies)
        if stuck is None:
            labels[list(placed)] = list(placed.values())
            return labels
        rows = [int(np.flatnonzero(links.group == g)[0]) for g in (stuck, *sorted(links.enemies[stuck]))]
        raise InfeasibleConstraints(
            f"Row {rows[0]} fits into none of the {self.n_clusters} clusters because of cannot_link pairs with "
            f"rows {rows[1:]}. Increase `n_clusters` or drop a `cannot_link` pair.",
            pair=(rows[0], rows[1]),
        )

    def _fill(self, labels, means, centres, heavy):
        """Move the group farthest from its centre to an empty cluster, without violating a pair."""
        sizes = np.bincount(labels[heavy], minlength=self.n_clusters)
        for empty in np.flatnonzero(sizes == 0):
            distances = squared_distances(means, centres)[np.arange(len(means)), labels]
            distances[~heavy | (sizes[labels] < 2)] = 0.0
            far = int(distances.argmax())
            if distances[far] == 0:
                return
            sizes[labels[far]] -= 1
            sizes[empty] += 1
            labels[far] = empty
