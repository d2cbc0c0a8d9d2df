"""Graphs of near neighbours with their distances, and what to do if they fall apart."""

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from statlearn._core.warnings import StatlearnWarning, warn
from statlearn._math.distances.metrics import distance_block, resolve_metric
from statlearn._math.distances.neighbor_index import build_index
from statlearn._math.linalg.sparse_arrays import to_dense


class Neighborhoods:
    """Search index of the training rows, and the distances of new rows to their neighbours.

    Parameters
    ----------
    X : ndarray or CSR array of shape (n, p)
    n_neighbors : int or None
        Neighbours per row; None if `radius` is used.
    radius : float or None
    metric, p, metric_params, algorithm
        As in `build_index`.
    """

    def __init__(self, X, n_neighbors, radius, metric="minkowski", p=2, metric_params=None, algorithm="auto"):
        self.X, self.n_neighbors, self.radius = X, n_neighbors, radius
        self._options = {"metric": metric, "p": p, "metric_params": metric_params, "algorithm": algorithm}
        self.metric = resolve_metric(
            metric, to_dense(X[:1]) if sparse.issparse(X) else X, p=p, metric_params=metric_params
        )
        self.index = build_index(X, metric, p, metric_params, algorithm)

    knows_all = True  # the distances of all pairs

    def nearest_neighbors(self):
        """The search as an estimator."""
        from statlearn.neighbors import NearestNeighbors

        search = NearestNeighbors(n_neighbors=self.n_neighbors or 1, radius=self.radius or 1.0, **self._options)
        return search.fit(self.X)

    def graph(self):
        """CSR matrix of the distances from each row to its neighbours (not itself)."""
        n = self.X.shape[0]
        if self.radius is not None:
            starts, near, far = self.index.radius(None, self.radius, exclude_self=True)
        else:
            far, near = self.index.query(None, self.n_neighbors, exclude_self=True)
            starts = np.arange(0, n * self.n_neighbors + 1, self.n_neighbors)
            near, far = near.ravel(), far.ravel()
        return sparse.csr_array((far, near, starts), shape=(n, n))

    def of(self, Q):
        """Neighbours of new rows: row starts, training rows, distances."""
        if self.radius is not None:
            return self.index.radius(Q, self.radius)
        far, near = self.index.query(Q, self.n_neighbors)
        return np.arange(0, near.size + 1, self.n_neighbors), near.ravel(), far.ravel()

    def between(self, rows, others):
        """Nearest pair of two groups of rows: one row of each, and their distance."""
        best = (np.inf, rows[0], others[0])
        for begin in range(0, len(rows), 256):
            part = rows[begin : begin + 256]
            D = distance_block(self.metric, to_dense(self.X[part]), to_dense(self.X[others]))
            i, j = np.unravel_index(np.argmin(D), D.shape)
            if D[i, j] < best[0]:
                best = (float(D[i, j]), part[i], others[j])
        return best


class GivenNeighborhoods:
    """`Neighborhoods` of given distances: a matrix, or a sparse graph, where pairs without an entry are no neighbours.

    Parameters
    ----------
    D : ndarray or CSR array of shape (n, n)
    n_neighbors : int or None
    radius : float or None
    """

    def __init__(self, D, n_neighbors, radius):
        from statlearn.neighbors import NearestNeighbors

        self.D, self.n_neighbors, self.radius = D, n_neighbors, radius
        self.knows_all = not sparse.issparse(D)
        self.search = NearestNeighbors(n_neighbors=n_neighbors or 1, radius=radius or 1.0, metric="precomputed").fit(D)

    def nearest_neighbors(self):
        """The search as an estimator."""
        return self.search

    def graph(self):
        """CSR matrix of the distances from each row to its neighbours (not itself)."""
        find = self.search.kneighbors_graph if self.radius is None else self.search.radius_neighbors_graph
        return sparse.csr_array(find(None, mode="distance"))

    def of(self, D):
        """Neighbours of new rows: row starts, training rows, distances."""
        find = self.search.kneighbors_graph if self.radius is None else self.search.radius_neighbors_graph
        graph = sparse.csr_array(find(D, mode="distance"))
        return graph.indptr, graph.indices, graph.data

    def between(self, rows, others):
        """Nearest pair of two groups of rows: one row of each, and their distance."""
        D = self.D[np.ix_(rows, others)]
        i, j = np.unravel_index(np.argmin(D), D.shape)
        return float(D[i, j]), rows[i], others[j]


def undirected(graph):
    """Both directions of every edge; where both exist, they have the same length."""
    rows, columns = np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr)), graph.indices
    both_rows = np.concatenate([rows, columns])
    both_columns = np.concatenate([columns, rows])
    lengths = np.concatenate([graph.data, graph.data])
    order = np.lexsort((both_columns, both_rows))
    both_rows, both_columns, lengths = both_rows[order], both_columns[order], lengths[order]
    first = np.ones(len(order), dtype=bool)
    first[1:] = (np.diff(both_rows) != 0) | (np.diff(both_columns) != 0)
    starts = np.searchsorted(both_rows[first], np.arange(graph.shape[0] + 1))
    # Edges of length 0 join equal rows: they stay, which a sum of sparse matrices would not guarantee.
    return sparse.csr_array((lengths[first], both_columns[first], starts), shape=graph.shape)


def components(graph):
    """Number of components of an undirected graph and the component of each row; edges of length 0 count."""
    pattern = sparse.csr_array((np.ones(len(graph.data)), graph.indices, graph.indptr), shape=graph.shape)
    return connected_components(pattern, directed=False)


def connect(graph, neighborhoods, on_disconnected, owner):
    """A graph in one piece, and the rows that it keeps.

    Parameters
    ----------
    graph : undirected graph
    neighborhoods : Neighborhoods
    on_disconnected : {"bridge", "error", "largest"}
        Join every two components by the edge between their nearest rows, raise an error, or keep the largest component.
    owner : str
        Name of the estimator.
    """
    count, component = components(graph)
    everything = np.arange(graph.shape[0])
    if count == 1:
        return graph, everything
    sizes = np.bincount(component)
    pieces = (
        f"The number of connected components of the neighbourhood graph of {owner} is {count}, with {sizes.max()} rows "
        "in the largest"
    )
    remedy = "Increase `n_neighbors` or `radius`"
    if on_disconnected == "error":
        raise ValueError(f"{pieces}. {remedy}, or set `on_disconnected`.")
    if on_disconnected == "largest":
        keep = np.flatnonzero(component == np.argmax(sizes))
        warn(
            f"{pieces}; the other {len(everything) - len(keep)} rows get no coordinates (NaN). {remedy}.",
            StatlearnWarning,
        )
        return sparse.csr_array(graph[keep][:, keep]), keep
    if not neighborhoods.knows_all:
        # As scikit-learn: not a bad argument, but a question that X cannot answer.
        raise RuntimeError(
            f"{pieces}, and X is a sparse graph without the distances between the components. Use a graph with more "
            "neighbours, or on_disconnected='largest'."
        )
    warn(
        f"{pieces}; the components are joined by their shortest connections, which may distort distances. {remedy}.",
        StatlearnWarning,
    )
    groups = [np.flatnonzero(component == c) for c in range(count)]
    bridges = [neighborhoods.between(groups[a], groups[b]) for a in range(count) for b in range(a)]
    lengths, rows, columns = (np.array(part) for part in zip(*bridges))
    old_rows = np.repeat(everything, np.diff(graph.indptr))
    joined = sparse.coo_array(
        (
            np.concatenate([graph.data, lengths]),
            (np.concatenate([old_rows, rows]), np.concatenate([graph.indices, columns])),
        ),
        shape=graph.shape,
    )
    return undirected(_in_rows(joined)), everything


def _in_rows(graph):
    """COO without duplicates to CSR, keeping explicit zeros."""
    order = np.lexsort((graph.col, graph.row))
    starts = np.searchsorted(graph.row[order], np.arange(graph.shape[0] + 1))
    return sparse.csr_array((graph.data[order], graph.col[order], starts), shape=graph.shape)
