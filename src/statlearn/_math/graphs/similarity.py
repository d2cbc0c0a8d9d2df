"""Similarity graphs for spectral methods."""

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_array

from statlearn._core.memory import require_memory
from statlearn._core.native import common as native
from statlearn._core.params import Int, Options, Real, check_arguments
from statlearn._core.validation import FLOATS
from statlearn._math.linalg.sparse_arrays import to_dense

_TIES = ("average", "either", "both")  # as numbered in the kernel


def similarity_graph(X, kind="rbf", *, gamma=1.0, c=None, n_neighbors=10, radius=None, mutual=False, weighted=False):
    r"""Similarity graph of the rows of a table, as a symmetric matrix.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    kind : {"rbf", "nearest_neighbors", "radius"}, default="rbf"
        "rbf" has all pairs with weight :math:`\exp(-\gamma d^2)`, "nearest_neighbors" pairs of near neighbours, and
        "radius" pairs within `radius`.
    gamma : float, default=1.0
    c : float or None, default=None
        If set, the similarity is :math:`\exp(-d^2 / c)`, equivalent to ``gamma=1/c``.
    n_neighbors : int, default=10
        Number of neighbours of each row, including itself.
    radius : float or None, default=None
        Radius for kind "radius".
    mutual : bool, default=False
        For kind "nearest_neighbors". False keeps a pair if either is a neighbour of the other, with weight 1/2 if only
        one is (the average, as in scikit-learn); True requires both.
    weighted : bool, default=False
        Whether the pairs of the last two kinds are weighted by their Gaussian similarity instead of 1.

    Returns
    -------
    ndarray or sparse array of shape (n_samples, n_samples)
        Dense for "rbf", otherwise sparse.

    Examples
    --------
    >>> from statlearn.cluster import similarity_graph
    >>> similarity_graph([[0.0], [1.0], [3.0]], c=1.0).round(3)
    array([[1.   , 0.368, 0.   ],
           [0.368, 1.   , 0.018],
           [0.   , 0.018, 1.   ]])
    >>> similarity_graph([[0.0], [1.0], [3.0]], "nearest_neighbors", n_neighbors=2).toarray()
    array([[1. , 1. , 0. ],
           [1. , 1. , 0.5],
           [0. , 0.5, 1. ]])
    """
    check_arguments(
        similarity_graph,
        kind=(kind, [Options("rbf", "nearest_neighbors", "radius")]),
        gamma=(gamma, [Real(0, None)]),
        c=(c, [Real(0, None, closed="neither"), None]),
        n_neighbors=(n_neighbors, [Int(1, None)]),
        radius=(radius, [Real(0, None, closed="neither"), None]),
        mutual=(mutual, ["boolean"]),
        weighted=(weighted, ["boolean"]),
    )
    gamma = gamma if c is None else 1.0 / c
    X = check_array(X, dtype=FLOATS, accept_sparse="csr", input_name="X")
    if kind == "rbf":
        return rbf_affinity(X, gamma)
    if kind == "nearest_neighbors":
        return neighbor_affinity(X, n_neighbors, ties="both" if mutual else "average", gamma=gamma if weighted else 0.0)
    if radius is None:
        raise ValueError("`radius` must be set for `kind`='radius'.")
    graph = radius_graph(X, radius)
    return times_similarity(graph, X, gamma) if weighted else graph


def rbf_affinity(X, gamma):
    """exp(-gamma d^2) of all pairs, float64."""
    n = X.shape[0]
    require_memory(8 * n * n, f"The {n:,} x {n:,} similarity matrix", "Use 'nearest_neighbors' instead of 'rbf'.")
    if sparse.issparse(X):
        from sklearn.metrics.pairwise import rbf_kernel

        return rbf_kernel(X.astype(np.float64), gamma=gamma)
    A = np.empty((n, n))
    native.rbf_affinity(X, float(gamma), A)
    return A


def neighbor_affinity(X, n_neighbors, *, ties="average", gamma=0.0):
    """Symmetric graph of the nearest rows, each row among its own neighbours; see `ordered_neighbor_affinity`."""
    return _neighbor_affinity(X, n_neighbors, ties, gamma, ordered=False)[0]


def ordered_neighbor_affinity(X, n_neighbors, *, ties="average", gamma=0.0):
    """Symmetric graph of the nearest rows, each row among its own neighbours, in an order that suits the cache.

    Parameters
    ----------
    X : ndarray or CSR matrix
    n_neighbors : int
    ties : {"average", "either", "both"}, default="average"
        Weight of a pair: 1 if both are neighbours of each other and 1/2 if one is; 1 in either case; mutual neighbours
        only.
    gamma : float, default=0.0
        The weights are multiplied by exp(-gamma d^2).

    Returns
    -------
    graph : CSR array
    order : ndarray of shape (n,)
        Row i of the graph is row ``order[i]`` of X.
    """
    return _neighbor_affinity(X, n_neighbors, ties, gamma, ordered=True)


def _neighbor_affinity(X, n_neighbors, ties, gamma, ordered):
    n = X.shape[0]
    if n_neighbors > n:
        raise ValueError(
            f"Expected n_neighbors <= n_samples_fit, but n_neighbors = {n_neighbors}, n_samples_fit = {n}."
        )
    if 2 * n * n_neighbors >= 2**31:
        raise ValueError(
            f"`n_neighbors`={n_neighbors} with {n:,} rows may give more than 2^31 edges; use fewer neighbours."
        )
    index, rows = _index(X)
    order = index.spatial_order() if ordered else np.empty(0, dtype=np.int32)
    ties = _TIES.index(ties)
    if ordered and index.algorithm == "kd_tree":
        parts = index.neighbor_graph(n_neighbors, ties, gamma)
    else:
        distances, near = index.query(rows[order] if ordered else rows, n_neighbors)
        parts = native.neighbor_graph(near, distances, order, ties, float(gamma))
    graph = sparse.csr_array(parts, shape=(n, n))
    if not ordered:
        graph.has_canonical_format = True
    return graph, order


def scaled(W, left, right):
    """diag(left) W diag(right), dense or sparse."""
    if not sparse.issparse(W):
        return left[:, None] * W * right
    if W.indices.dtype != np.int32 or W.indptr.dtype != np.int32:
        return sparse.csr_array(sparse.diags_array(left) @ W @ sparse.diags_array(right))
    data = np.empty(W.nnz)
    native.scale_rows_and_columns(W.data, W.indices, W.indptr, left, right, data)
    return sparse.csr_array((data, W.indices, W.indptr), shape=W.shape)


def _ones(near):
    """Graph with an entry 1 from each row to its listed rows; 32-bit indices, which every library accepts."""
    n, k = near.shape
    starts = np.arange(0, n * k + 1, k)
    kind = np.int32 if n * k < 2**31 else np.int64
    return sparse.csr_array((np.ones(n * k), near.ravel().astype(kind), starts.astype(kind)), shape=(n, n))


def nearest_of_distances(D, n_neighbors):
    """Graph of ones from each row to its nearest, from distances; stored zeros of a sparse matrix are distances."""
    n = D.shape[0]
    if D.shape[1] != n:
        raise ValueError(f"X must be a square matrix of distances if it is precomputed, got shape {D.shape}.")
    if not sparse.issparse(D):
        near = np.argsort(D, axis=1, kind="stable")[:, :n_neighbors]
        return _ones(near)
    D = sparse.csr_array(D)
    near, starts = [], [0]
    for i in range(n):
        here = slice(D.indptr[i], D.indptr[i + 1])
        if here.stop - here.start < n_neighbors:
            raise ValueError(
                f"{n_neighbors} neighbors are required for each sample, but some samples have only "
                f"{here.stop - here.start} neighbors in the precomputed graph."
            )
        near.append(D.indices[here][np.argsort(D.data[here], kind="stable")[:n_neighbors]])
        starts.append(starts[-1] + n_neighbors)
    return sparse.csr_array((np.ones(starts[-1]), np.concatenate(near), starts), shape=(n, n))


def radius_graph(X, radius):
    """Sparse matrix with 1 for the pairs within the radius."""
    index, rows = _index(X)
    starts, near, _ = index.radius(rows, radius)
    return sparse.csr_array((np.ones(len(near)), near, starts), shape=(X.shape[0], X.shape[0]))


def _index(X):
    from ..distances.neighbor_index import build_index

    rows = np.ascontiguousarray(to_dense(X))
    return build_index(rows), rows


def symmetric(graph, mutual=False):
    """Average of a graph of ones and its transpose, or only the mutual pairs."""
    return sparse.csr_array(graph.multiply(graph.T)) if mutual else 0.5 * (graph + graph.T)


def times_similarity(graph, X, gamma):
    """Every pair of a graph weighted by its Gaussian similarity."""
    graph = graph.tocoo()
    X = to_dense(X)
    weights = np.empty(graph.nnz)
    for begin in range(0, graph.nnz, 2**16):
        part = slice(begin, begin + 2**16)
        difference = X[graph.row[part]] - X[graph.col[part]]
        weights[part] = np.exp(-gamma * np.einsum("ij,ij->i", difference, difference, dtype=np.float64))
    return sparse.csr_array((graph.data * weights, (graph.row, graph.col)), shape=graph.shape)
