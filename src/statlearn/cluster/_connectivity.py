"""Hierarchies in which only neighbours are merged: pixels of an image, regions of a map, times of a series."""

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree
from sklearn.metrics import pairwise_distances
from sklearn.metrics.pairwise import paired_distances

from statlearn._core.native import cluster as native
from statlearn._core.warnings import warn

from ._linkage import METHODS


def constrained_tree(X, connectivity, linkage, metric, n_clusters):
    """Children, heights and number of components of the graph, for a tree down to `n_clusters` (None: to one).

    X contains rows, or dissimilarities with ``metric="precomputed"``. A graph with several components is completed
    first.
    """
    n = X.shape[0]
    graph, n_components = complete_graph(X, connectivity, metric)
    upper = sparse.triu(graph, k=1).tocoo()
    low, high = upper.row.astype(np.int32), upper.col.astype(np.int32)
    if linkage == "single":
        children, heights = _single(X, low, high, metric)
        merges = n - (n_clusters or 1)
        return children[:merges], heights[:merges], n_components
    ward = linkage == "ward"
    lengths = np.zeros(len(low)) if ward else edge_lengths(X, high, low, metric)
    rows = np.ascontiguousarray(X, dtype=np.float64) if ward else None
    children, heights = native.constrained_linkage(
        n, high, low, lengths, METHODS.index(linkage), rows, n - (n_clusters or 1)
    )
    return children, heights, n_components


def _single(X, low, high, metric):
    n = X.shape[0]
    # A stored 0 is an edge of length 0 here, and no edge at all for scipy: lengths are replaced by their ranks.
    lengths = edge_lengths(X, low, high, metric)
    order = np.argsort(lengths, kind="stable")
    ranks = np.empty(len(order))
    ranks[order] = np.arange(1, len(order) + 1)
    tree = minimum_spanning_tree(sparse.csr_array((ranks, (low, high)), shape=(n, n))).tocoo()
    chosen = order[np.sort(tree.data).astype(np.intp) - 1]
    Z = np.empty((n - 1, 4))
    native.tree_of_edges(low[chosen], high[chosen], np.ascontiguousarray(lengths[chosen]), Z)
    return Z[:, :2].astype(np.intp), Z[:, 2].copy()


def edge_lengths(X, rows, columns, metric):
    """Dissimilarities along the edges of a graph."""
    if metric == "precomputed":
        return np.ascontiguousarray(X[rows, columns], dtype=np.float64)
    return np.ascontiguousarray(paired_distances(X[rows], X[columns], metric=metric), dtype=np.float64)


def complete_graph(X, connectivity, metric):
    """The graph made symmetric and connected by the shortest edges between its components."""
    n = X.shape[0]
    if connectivity.shape != (n, n):
        raise ValueError(f"Wrong shape for connectivity matrix: {connectivity.shape} when X is {X.shape}.")
    graph = sparse.csr_array(connectivity)
    graph = (abs(graph) + abs(graph.T)).tocsr()
    graph.eliminate_zeros()
    n_components, labels = connected_components(graph, directed=False)
    if n_components == 1:
        return graph, 1
    warn(
        f"the number of connected components of the connectivity matrix is {n_components} > 1. Completing it to avoid "
        "stopping the tree early."
    )
    members = [np.flatnonzero(labels == c) for c in range(n_components)]
    added = []
    for c, rows in enumerate(members):
        for others in members[:c]:
            if metric == "precomputed":
                D = X[np.ix_(rows, others)]
            else:
                D = pairwise_distances(X[rows], X[others], metric=metric)
            i, j = np.unravel_index(np.argmin(D), D.shape)
            added.append((rows[i], others[j]))
    i, j = np.array(added).T
    extra = sparse.csr_array((np.ones(len(i)), (i, j)), shape=(n, n))
    return (graph + extra + extra.T).tocsr(), n_components
