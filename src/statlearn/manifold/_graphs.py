"""Affinity graphs and their Laplacians."""

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_array

from statlearn._core.params import Options, Real, check_arguments
from statlearn._math.graphs.laplacian import Laplacian, check_affinity
from statlearn._math.graphs.similarity import similarity_graph, times_similarity
from statlearn._math.linalg.sparse_arrays import to_dense


def affinity_graph(
    X,
    kind="knn",
    *,
    n_neighbors=10,
    mutual=False,
    eps=None,
    weights="binary",
    gamma=None,
    sigma=None,
    sigma_form="2sigma2",
):
    r"""Affinity graph of the rows of a table, without loops.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    kind : {"full", "knn", "eps"}, default="knn"
        All pairs (always with heat weights), pairs of near neighbours, or pairs at a distance of at most `eps`.
    n_neighbors : int, default=10
        Neighbours of each row, not counting itself.
    mutual : bool, default=False
        Whether both rows of a pair must be neighbours of each other, or either of them.
    eps : float or None, default=None
        Largest distance for ``kind="eps"``.
    weights : {"binary", "heat"}, default="binary"
        Weight of a pair: 1, or :math:`\exp(-\gamma d^2)`.
    gamma : float or None, default=None
        Parameter of the heat weights; None means 1 over the number of columns.
    sigma : float or None, default=None
        Width of the heat weights, instead of `gamma`.
    sigma_form : {"2sigma2", "sigma2"}, default="2sigma2"
        Whether ``gamma = 1 / (2 sigma^2)`` or ``gamma = 1 / sigma^2``.

    Returns
    -------
    W : ndarray or CSR array of shape (n_samples, n_samples)
        Symmetric, with zeros on the diagonal; dense for "full", otherwise sparse.

    Examples
    --------
    >>> from statlearn.manifold import affinity_graph
    >>> affinity_graph([[0.0], [1.0], [3.0]], n_neighbors=1).toarray()
    array([[0., 1., 0.],
           [1., 0., 1.],
           [0., 1., 0.]])
    """
    check_arguments(
        affinity_graph,
        kind=(kind, [Options("full", "knn", "eps")]),
        mutual=(mutual, ["boolean"]),
        eps=(eps, [Real(0, None, closed="neither"), None]),
        weights=(weights, [Options("binary", "heat")]),
        gamma=(gamma, [Real(0, None), None]),
        sigma=(sigma, [Real(0, None, closed="neither"), None]),
        sigma_form=(sigma_form, [Options("2sigma2", "sigma2")]),
    )
    X = check_array(X, dtype=np.float64, input_name="X", ensure_min_samples=2)
    gamma = heat_gamma(gamma, sigma, sigma_form, X.shape[1])
    if kind == "full":
        W = similarity_graph(X, "rbf", gamma=gamma)
        np.fill_diagonal(W, 0.0)
        return W
    if kind == "eps":
        if eps is None:
            raise ValueError("`eps` must be set for `kind`='eps'.")
        W = similarity_graph(X, "radius", radius=eps)
    else:
        if not 1 <= n_neighbors < len(X):
            raise ValueError(f"`n_neighbors`={n_neighbors} must be between 1 and {len(X) - 1}, the other rows of X.")
        W = similarity_graph(X, "nearest_neighbors", n_neighbors=n_neighbors + 1, mutual=mutual)
        W.data[:] = 1.0  # also if only one of the two is a neighbour of the other
    if weights == "heat":
        W = times_similarity(W, X, gamma)
    W = sparse.csr_array(W)
    W.setdiag(0.0)
    W.eliminate_zeros()
    return W


def heat_gamma(gamma, sigma, sigma_form, n_columns):
    """The parameter of exp(-gamma d^2) from either form."""
    if sigma is None:
        return 1.0 / n_columns if gamma is None else gamma
    if gamma is not None:
        raise ValueError("Set either `gamma` or `sigma`, not both.")
    if not 1e-150 < sigma < 1e150:
        raise ValueError(
            f"`sigma`={sigma} is too {'small' if sigma < 1 else 'large'}: its square cannot be represented."
        )
    return 1.0 / sigma**2 if sigma_form == "sigma2" else 0.5 / sigma**2


def graph_laplacian(W, kind="unnormalized"):
    r"""Laplacian of a graph.

    Parameters
    ----------
    W : array-like or sparse matrix of shape (n, n)
        Symmetric weights of at least 0; the diagonal is ignored.
    kind : {"unnormalized", "sym", "rw"}, default="unnormalized"
        :math:`L = D - W`, :math:`L_{sym} = D^{-1/2} L D^{-1/2}` or :math:`L_{rw} = D^{-1} L`, with D the degrees.

    Returns
    -------
    L : ndarray or CSR array of shape (n, n)
        Rows of nodes without edges are 0.

    Examples
    --------
    >>> from statlearn.manifold import graph_laplacian
    >>> graph_laplacian([[0, 1, 1], [1, 0, 0], [1, 0, 0]])
    array([[ 2., -1., -1.],
           [-1.,  1.,  0.],
           [-1.,  0.,  1.]])
    """
    check_arguments(graph_laplacian, kind=(kind, [Options("unnormalized", "sym", "rw")]))
    laplacian = Laplacian(check_affinity(W, "W"), "sym" if kind == "sym" else "unnormalized")
    L = laplacian.matrix() + 0.0  # no negative zeros
    if kind == "rw":
        scale = np.where(laplacian.alone, 0.0, 1.0 / np.where(laplacian.alone, 1.0, laplacian.degree))
        L = sparse.diags_array(scale) @ L if sparse.issparse(L) else scale[:, None] * L
    return sparse.csr_array(L) if sparse.issparse(L) else L


def n_components_from_laplacian(L, *, tol=1e-8):
    """Number of components of a graph, from the zero eigenvalues of its Laplacian.

    Parameters
    ----------
    L : array-like or sparse matrix of shape (n, n)
        A Laplacian of any kind; its off-diagonal entries are the edges.
    tol : float, default=1e-8
        Eigenvalues below this share of the largest count as 0.

    Returns
    -------
    n_components : int
        Multiplicity of the eigenvalue 0.
    labels : ndarray of int of shape (n,)
        Component of each node.

    Examples
    --------
    >>> from statlearn.manifold import graph_laplacian, n_components_from_laplacian
    >>> n_components_from_laplacian(graph_laplacian([[0, 1, 0], [1, 0, 0], [0, 0, 0]]))
    (2, array([0, 0, 1], dtype=int32))
    """
    check_arguments(n_components_from_laplacian, tol=(tol, [Real(0, 1)]))
    L = check_array(L, accept_sparse="csr", dtype=np.float64, input_name="L")
    if L.shape[0] != L.shape[1]:
        raise ValueError(f"L must be a square matrix, got shape {L.shape}.")
    from scipy.sparse.csgraph import connected_components

    edges = sparse.csr_array(L, copy=True)
    edges.setdiag(0.0)
    edges.eliminate_zeros()
    _, labels = connected_components(edges, directed=False)
    # The multiplicity is counted piece by piece: an eigenvalue of 0 each if the rows sum to 0 (L, L_rw), or if the
    # block is singular (L_sym). This costs O(n_c^3) only for pieces that are not Laplacians by their row sums.
    scale = max(float(np.abs(edges.data).max(initial=0.0)), float(np.abs(L.diagonal()).max(initial=0.0)), 1e-300)
    zeros = 0
    row_sums = np.abs(np.asarray(L.sum(axis=1)).ravel())
    for c in range(labels.max() + 1):
        rows = np.flatnonzero(labels == c)
        if row_sums[rows].max() <= tol * scale:
            zeros += 1
        else:
            block = L[rows][:, rows]
            values = np.linalg.eigvals(np.asarray(to_dense(block)))
            zeros += int(np.sum(np.abs(values) <= tol * max(np.abs(values).max(), 1e-300)))
    return zeros, labels
