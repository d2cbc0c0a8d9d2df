"""Search index for nearest neighbours and neighbours within a radius, with a back end that suits the data.

All back ends return identical results to the bit: distances are summed over the coordinates in order in double
precision, and ties in distance are ordered by row index.
"""

import numpy as np
from scipy import sparse

from statlearn._core.jobs import jobs
from statlearn._core.memory import require_memory
from statlearn._core.native import neighbors as native

from ..rows.statistics import rough_centre
from .metrics import resolve_metric

# Up to this many columns a tree is faster than looking at every row: for Euclidean distance, which brute force compares
# at the speed of a matrix product, and for the others. Measured with 2,000 to 200,000 rows; random data without any
# structure would prefer a column less, clustered data two more.
PANEL_TREE_COLUMNS = 9
TREE_COLUMNS = 15
PANEL_METRICS = (0, 16, 17)  # Euclidean distance and its square
_LEAF = {"kd_tree": 32, "ball_tree": 32}
_BLOCK_BYTES = 1 << 27  # memory of a block of distances, for functions in Python


class Index:
    """Shared parts of the back ends: rows in, sorted neighbours out."""

    algorithm = "brute"

    def __init__(self, X, metric):
        self.metric = metric
        self.n_rows, self.n_columns = X.shape
        self._X = X

    def query(self, Q, k, exclude_self=False, n_jobs=None):
        """The k nearest rows of every query.

        Parameters
        ----------
        Q : ndarray of shape (m, p)
            Queries. With `exclude_self`, the rows of the index themselves in their order, or None.
        k : int
            At most the number of rows, minus one with `exclude_self`.
        exclude_self : bool, default=False
            Whether the queries are the rows of the index, each excluded from its own neighbours.
        n_jobs : int or None, default=None
            Number of threads. It does not affect the result.

        Returns
        -------
        distances : ndarray of shape (m, k), float64
            In increasing order. Rows whose distance is undefined (NaN) come last.
        rows : ndarray of shape (m, k), int64
            Row indices; equal (or undefined) distances are ordered by row index.
        """
        m = self.n_rows if exclude_self else Q.shape[0]
        if not 0 < k <= self.n_rows - bool(exclude_self):
            raise ValueError(f"`k` must be between 1 and {self.n_rows - bool(exclude_self)}, got {k}.")
        require_memory(
            16 * m * k,
            f"The {k:,} nearest neighbours of {m:,} queries",
            "Request fewer neighbours, or query in batches.",
        )
        distances, rows = np.empty((m, k)), np.empty((m, k), dtype=np.int64)
        with jobs(n_jobs):
            self._query(self._queries(Q, exclude_self), int(k), bool(exclude_self), distances, rows)
        _fill_undefined(distances, rows, exclude_self)
        return distances, rows

    def radius(self, Q, r, sort=False, n_jobs=None, exclude_self=False):
        """All rows at a distance of at most r from each query.

        Parameters
        ----------
        Q : ndarray of shape (m, p)
        r : float or array-like of shape (m,)
        sort : bool, default=False
            Whether to sort by (distance, row) rather than by row.
        n_jobs : int or None, default=None
        exclude_self : bool, default=False
            As in `query`.

        Returns
        -------
        indptr : ndarray of shape (m + 1,), int64
            Neighbours of query i are at positions ``indptr[i]`` to ``indptr[i + 1] - 1``.
        rows : ndarray, int64
        distances : ndarray, float64
        """
        m = self.n_rows if exclude_self else Q.shape[0]
        r = np.ascontiguousarray(np.atleast_1d(np.asarray(r, dtype=np.float64)).ravel())
        if len(r) not in (1, m):
            raise ValueError(f"`r` must be a single number or one per query ({m} queries), got {len(r)}.")
        with jobs(n_jobs):
            return self._radius(self._queries(Q, exclude_self), r, bool(sort), bool(exclude_self))

    def spatial_order(self):
        """The rows in an order in which neighbours tend to be close to each other, as int32."""
        return np.arange(self.n_rows, dtype=np.int32)

    def _queries(self, Q, exclude_self):
        """The queries in the format of the engine."""
        if exclude_self:
            Q = self._X
        elif Q.shape[1] != self.n_columns:
            raise ValueError(f"The queries have {Q.shape[1]} columns, but the index has {self.n_columns}.")
        return np.ascontiguousarray(self.metric.map_rows(np.ascontiguousarray(Q), query=True), dtype=np.float64)


class KDTreeIndex(Index):
    """KD-tree: boxes split at the median of their widest coordinate."""

    algorithm = "kd_tree"

    def __init__(self, X, metric, leaf_size=None):
        super().__init__(X, metric)
        self.leaf = _leaf(leaf_size, self.algorithm)
        self._arrays = native.kd_tree_build(metric.map_rows(X), self.leaf)

    def spatial_order(self):
        return self._arrays[0]

    def neighbor_graph(self, k, ties, gamma):
        """The symmetric graph of the k nearest rows in `spatial_order`, for Euclidean distance.

        Parameters
        ----------
        k : int
            Number of neighbours of each row, including itself.
        ties : int
            As numbered in the kernel: average, either, both.
        gamma : float
            The weights are multiplied by exp(-gamma d^2).

        Returns
        -------
        values, columns, starts
            Arrays of compressed rows, without an order of the columns of a row.
        """
        require_memory(
            36 * self.n_rows * k,  # the sets, and a graph of up to twice their size
            f"The graph of the {k:,} nearest neighbours of {self.n_rows:,} rows",
            "Request fewer neighbours.",
        )
        return native.kd_tree_graph(*self._arrays, self.leaf, int(k), ties, float(gamma))

    def _query(self, Q, k, self_query, distances, rows):
        metric = self.metric
        native.kd_tree_query(*self._arrays, self.leaf, Q, k, metric.code, metric.power, self_query, distances, rows)

    def _radius(self, Q, r, sort, self_query):
        metric = self.metric
        return native.kd_tree_radius(*self._arrays, self.leaf, Q, r, sort, metric.code, metric.power, self_query)


class BallTreeIndex(Index):
    """Ball tree: balls split between two distant points, for any metric."""

    algorithm = "ball_tree"

    def __init__(self, X, metric, leaf_size=None):
        super().__init__(X, metric)
        self.leaf = _leaf(leaf_size, self.algorithm)
        self._arrays = native.ball_tree_build(metric.map_rows(X), self.leaf, metric.code, metric.power)

    def _query(self, Q, k, self_query, distances, rows):
        metric = self.metric
        native.ball_tree_query(*self._arrays, self.leaf, Q, k, metric.code, metric.power, self_query, distances, rows)

    def _radius(self, Q, r, sort, self_query):
        metric = self.metric
        return native.ball_tree_radius(*self._arrays, self.leaf, Q, r, sort, metric.code, metric.power, self_query)


class BruteIndex(Index):
    """Brute force over all rows, in blocks."""

    def __init__(self, X, metric):
        super().__init__(X, metric)
        self._blocks = native.pack_blocks(metric.map_rows(X))

    def _query(self, Q, k, self_query, distances, rows):
        metric = self.metric
        native.brute_query(self._blocks, self.n_rows, Q, k, metric.code, metric.power, self_query, distances, rows)

    def _radius(self, Q, r, sort, self_query):
        metric = self.metric
        return native.brute_radius(self._blocks, self.n_rows, Q, r, sort, metric.code, metric.power, self_query)


class PanelIndex(Index):
    """Brute force over all rows, for Euclidean distance at the speed of a matrix product."""

    def __init__(self, X, metric):
        super().__init__(X, metric)
        self._points = metric.map_rows(X)
        centre = rough_centre(self._points)
        data, norms, scale = native.panels_pack(self._points, centre)
        self._panels = (data, norms, centre, scale)

    def _query(self, Q, k, self_query, distances, rows):
        native.panels_query(self._points, *self._panels, Q, k, self.metric.code, self_query, distances, rows)

    def _radius(self, Q, r, sort, self_query):
        return native.panels_radius(self._points, *self._panels, Q, r, sort, self.metric.code, self_query)


class FunctionIndex(Index):
    """Dissimilarities from a Python function, one block of queries at a time."""

    def _queries(self, Q, exclude_self):
        return self._X if exclude_self else Q

    def _blocks(self, Q):
        size = max(1, _BLOCK_BYTES // (8 * self.n_rows))
        for start in range(0, Q.shape[0], size):
            yield start, np.asarray(self.metric.blocks(Q[start : start + size], self._X), dtype=np.float64)

    def _query(self, Q, k, self_query, distances, rows):
        for start, D in self._blocks(Q):
            if self_query:
                here = np.arange(D.shape[0])
                D[here, start + here] = np.nan
            part = slice(start, start + D.shape[0])
            distances[part], rows[part] = smallest(D, k)
            rows[part][np.isnan(distances[part])] = -1

    def _radius(self, Q, r, sort, self_query):
        counts, neighbors, sizes = [np.zeros(1, dtype=np.int64)], [], []
        for start, D in self._blocks(Q):
            limit = r if len(r) == 1 else r[start : start + D.shape[0]]
            near = limit[:, None] >= D
            if self_query:
                here = np.arange(D.shape[0])
                near[here, start + here] = False
            at, rows = np.nonzero(near)
            d = D[at, rows]
            if sort:
                order = np.lexsort((rows, d, at))
                rows, d = rows[order], d[order]
            counts.append(near.sum(axis=1))
            neighbors.append(rows)
            sizes.append(d)
        return np.cumsum(np.concatenate(counts)), np.concatenate(neighbors), np.concatenate(sizes)


def smallest(D, k):
    """The k smallest entries of each row of D and their columns, sorted by (value, column); NaN last."""
    key = np.where(np.isnan(D), np.inf, D)
    if k < D.shape[1]:
        # All that tie with the k-th take part, so that the smallest columns win.
        limit = np.partition(key, k - 1, axis=1)[:, k - 1 : k]
        width = int((key <= limit).sum(axis=1).max())
        columns = np.sort(np.argpartition(key, width - 1, axis=1)[:, :width], axis=1) if width < D.shape[1] else None
    else:
        columns = None
    if columns is None:
        columns = np.broadcast_to(np.arange(D.shape[1]), D.shape)
    values = np.take_along_axis(D, columns, axis=1)
    order = np.argsort(values, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(values, order, axis=1), np.take_along_axis(columns, order, axis=1)


def _fill_undefined(distances, rows, exclude_self):
    """Fill the places without a neighbour (-1) with the rows whose distance is undefined, in their order."""
    for i in np.flatnonzero(rows[:, -1] < 0):
        taken = rows[i, rows[i] >= 0]
        others = np.setdiff1d(np.arange(len(taken) + rows.shape[1] + 1), [*taken, i] if exclude_self else taken)
        free = rows[i] < 0
        rows[i, free] = others[: np.count_nonzero(free)]
        distances[i, free] = np.nan


def _leaf(leaf_size, algorithm):
    """Number of points in a leaf, in whole blocks of eight."""
    size = _LEAF[algorithm] if leaf_size is None else leaf_size
    return max(8, (int(size) + 7) // 8 * 8)


def choose_algorithm(X, metric):
    """The fastest back end for these rows."""
    limit = PANEL_TREE_COLUMNS if metric.code in PANEL_METRICS else TREE_COLUMNS
    if metric.code is None or X.shape[1] > limit:
        return "brute"
    return "kd_tree" if metric.boxes else "ball_tree" if metric.balls else "brute"


def build_index(X, metric="minkowski", p=2, metric_params=None, algorithm="auto", leaf_size=None):
    """Search index of the rows of X.

    Parameters
    ----------
    X : ndarray of shape (n, p), float32 or float64, C-contiguous, or sparse rows (CSR)
    metric : str, callable or object, default="minkowski"
        See `pairwise_distances`.
    p : float, default=2
        Power of the Minkowski metric.
    metric_params : dict or None, default=None
    algorithm : {"auto", "kd_tree", "ball_tree", "brute"}, default="auto"
    leaf_size : int or None, default=None
        Number of points in a leaf, rounded up to a multiple of 8; None uses the fastest.

    Returns
    -------
    index : Index
        Has `query` and `radius`.
    """
    if sparse.issparse(X):
        from .sparse_neighbor_index import sparse_index

        return sparse_index(X, metric, p, metric_params)
    resolved = resolve_metric(metric, X, p=p, metric_params=metric_params)
    if algorithm == "auto":
        algorithm = choose_algorithm(X, resolved)
    if resolved.code is None:
        if algorithm == "kd_tree":
            raise ValueError("`algorithm`='kd_tree' does not support a callable metric; use 'brute' or 'ball_tree'.")
        return FunctionIndex(X, resolved)
    if algorithm == "kd_tree":
        if not resolved.boxes:
            raise ValueError(
                f"`metric`={metric!r} is not supported by a KD-tree; use `algorithm`='ball_tree' or 'brute'."
            )
        return KDTreeIndex(X, resolved, leaf_size)
    if algorithm == "ball_tree":
        if not resolved.balls:
            raise ValueError(
                f"`metric`={metric!r} does not satisfy the triangle inequality, which a ball tree requires; use "
                "`algorithm`='brute'."
            )
        return BallTreeIndex(X, resolved, leaf_size)
    return PanelIndex(X, resolved) if resolved.code in PANEL_METRICS else BruteIndex(X, resolved)
