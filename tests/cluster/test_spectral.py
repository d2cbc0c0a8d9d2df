"""Spectral clustering, the spectrum of graphs, and the ways to read labels off an embedding."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn import cluster as theirs
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.metrics.pairwise import rbf_kernel

from statlearn._core.native import common
from statlearn._math.graphs.laplacian import Laplacian, check_affinity, smallest_eigenpairs
from statlearn.cluster import (
    SpectralClustering,
    adjusted_rand_score,
    cluster_qr,
    discretize,
    similarity_graph,
    spectral_clustering,
)
from tests.helpers import assert_close


def laplacian(W, kind):
    """Written out."""
    W = W - np.diag(np.diag(W))
    d = W.sum(axis=1)
    L = np.diag(d) - W
    if kind == "unnormalized":
        return L
    inverse = np.where(d > 0, 1 / np.where(d > 0, d, 1.0), 0.0)
    return inverse[:, None] * L if kind == "rw" else np.sqrt(inverse)[:, None] * L * np.sqrt(inverse)


@pytest.mark.spec("CLU-15")
@pytest.mark.parametrize("kind", ["sym", "rw", "unnormalized"])
@pytest.mark.parametrize("row_scale", ["auto", "none", "length"])
def test_finds_rings_that_no_line_divides(kind, row_scale):
    X, y = make_circles(300, factor=0.4, noise=0.04, random_state=0)
    model = SpectralClustering(2, gamma=40, laplacian=kind, row_scale=row_scale, random_state=0).fit(X)
    assert adjusted_rand_score(y, model.labels_) == 1.0


@pytest.mark.parametrize("affinity", ["rbf", "nearest_neighbors", "laplacian"])
@pytest.mark.parametrize("assign", ["kmeans", "discretize", "cluster_qr"])
def test_agrees_with_scikit_learn(affinity, assign):
    X, _ = make_blobs(180, 2, centers=4, cluster_std=0.7, random_state=1)
    options = dict(n_clusters=4, affinity=affinity, assign_labels=assign, n_neighbors=60, random_state=0)
    if affinity != "nearest_neighbors":  # where scikit-learn ignores it
        options["gamma"] = 0.5
    ours, other = SpectralClustering(**options).fit(X), theirs.SpectralClustering(**options).fit(X)
    assert adjusted_rand_score(ours.labels_, other.labels_) == 1.0
    mine, matrix = (m.toarray() if sparse.issparse(m) else m for m in (ours.affinity_matrix_, other.affinity_matrix_))
    assert_close(mine, matrix, atol=1e-12)


@pytest.mark.parametrize("kind", ["sym", "unnormalized"])
@pytest.mark.parametrize("graph", ["rbf", "nearest_neighbors", "apart"])
@pytest.mark.parametrize("solver", [None, "arpack", "lobpcg"])
def test_eigenpairs_match_lapack(kind, graph, solver):
    X, _ = make_moons(260, noise=0.07, random_state=0)
    X = np.vstack([X, X[:40] + 100]) if graph == "apart" else X
    W = (
        similarity_graph(X, "nearest_neighbors", n_neighbors=12)
        if graph == "nearest_neighbors"
        else rbf_kernel(X, gamma=4)
    )
    W = check_affinity(W)
    operator = Laplacian(W, kind)
    values, vectors, _ = smallest_eigenpairs(operator, 5, np.random.RandomState(0), solver=solver)
    dense = W.toarray() if sparse.issparse(W) else W
    L = laplacian(dense, kind)
    tolerance = 1e-5 if solver == "lobpcg" else 1e-6  # residuals of the iterations, in units of the largest eigenvalue
    assert_close(values, np.linalg.eigvalsh(L)[:5], atol=tolerance * operator.top)
    assert np.linalg.norm(L @ vectors - vectors * values, axis=0).max() <= tolerance * operator.top
    assert_close(vectors.T @ vectors, np.eye(5), atol=1e-6)


def test_a_small_gap_falls_back_on_a_factorisation(monkeypatch):
    x = np.linspace(0, 1, 900)[:, None]  # a chain: eigenvalues crowd at zero
    W = rbf_kernel(x, gamma=2e5)
    factored = []
    inverse = Laplacian.inverse
    monkeypatch.setattr(Laplacian, "inverse", lambda self: factored.append(1) or inverse(self))
    values, _, _ = smallest_eigenpairs(Laplacian(W, "sym"), 4, np.random.RandomState(0))
    assert factored
    assert_close(values, np.linalg.eigvalsh(laplacian(W, "sym"))[:4], atol=1e-8)


@given(st.integers(2, 40), st.integers(1, 4), st.integers(0, 1000))
def test_symmetric_product_reads_one_triangle(n, eights, seed):
    rng = np.random.default_rng(seed)
    n *= 7
    A, V = rng.normal(size=(n, n)), rng.normal(size=(n, 8 * eights))
    A = A + A.T
    Y = np.empty_like(V)
    common.symmetric_product(np.triu(A), V, True, Y)
    assert_close(Y, A @ V, atol=1e-9)
    common.symmetric_product(np.triu(A), V, False, Y)
    assert_close(Y, (A - np.diag(np.diag(A))) @ V, atol=1e-9)


def test_faint_similarities_count_next_to_self_similarity():
    x = np.array([0.0, 6.0, 6.5, 12.5])[:, None]  # weights of 2e-16, which are lost when added to one
    W = rbf_kernel(x, gamma=1.0)
    L = Laplacian(W, "unnormalized")
    assert_close(L.degree[0], np.exp(-36.0) + np.exp(-42.25), rtol=1e-12)
    V = np.eye(4)
    assert_close(L.similar(V)[0, 1:], W[0, 1:], rtol=1e-12, atol=0)


def normalized_cut(W, labels):
    W = W - np.diag(np.diag(W))
    return sum(W[labels == c][:, labels != c].sum() / W[labels == c].sum() for c in np.unique(labels))


@pytest.mark.spec("CLU-P5")
@given(st.integers(0, 10_000), st.integers(2, 4))
def test_eigenvalues_bound_the_normalised_cut_as_kernel_k_means_relaxed(seed, k):
    """Weighted kernel k-means with weights D and kernel D^-1 W D^-1 has the trace objective k - Ncut."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(25, 2))
    W = rbf_kernel(X)
    np.fill_diagonal(W, 0.0)
    d = W.sum(axis=1)
    labels = rng.integers(0, k, 25)
    labels[:k] = np.arange(k)
    members = np.equal.outer(labels, np.arange(k)).astype(float)
    K = W / np.outer(d, d)
    shares = members * np.sqrt(d)[:, None] / np.sqrt(members.T @ d)
    trace = np.trace(shares.T @ (np.sqrt(d)[:, None] * K * np.sqrt(d)) @ shares)
    assert_close(trace, k - normalized_cut(W, labels))
    # The weighted kernel k-means objective itself, written out, is constant minus that trace.
    distances = 0.0
    for c in range(k):
        inside = labels == c
        w = d[inside] / d[inside].sum()
        block = K[np.ix_(inside, inside)]
        distances += (d[inside] * (np.diag(block) - 2 * block @ w + w @ block @ w)).sum()
    assert_close(distances, (d * np.diag(K)).sum() - trace)
    model = SpectralClustering(k, affinity="precomputed", random_state=0).fit(W)
    relaxed = model.eigenvalues_.sum()
    assert relaxed <= normalized_cut(W, labels) + 1e-9
    assert relaxed <= normalized_cut(W, model.labels_) + 1e-9


def test_similarity_graphs():
    X = np.random.default_rng(0).normal(size=(40, 3))
    D = np.linalg.norm(X[:, None] - X, axis=-1)
    assert_close(similarity_graph(X, gamma=0.7), np.exp(-0.7 * D**2))
    assert_close(similarity_graph(X, c=2.0), np.exp(-(D**2) / 2))
    near = np.zeros_like(D)
    np.put_along_axis(near, np.argsort(D, axis=1)[:, :6], 1.0, axis=1)
    either = similarity_graph(X, "nearest_neighbors", n_neighbors=6).toarray()
    assert_close(either, (near + near.T) / 2)
    mutual = similarity_graph(X, "nearest_neighbors", n_neighbors=6, mutual=True).toarray()
    assert_close(mutual, near * near.T)
    weighted = similarity_graph(X, "nearest_neighbors", n_neighbors=6, mutual=True, weighted=True).toarray()
    assert_close(weighted, near * near.T * np.exp(-(D**2)))
    assert_close(similarity_graph(X, "radius", radius=1.2).toarray(), D <= 1.2)
    with pytest.raises(ValueError, match="`radius` must be set"):
        similarity_graph(X, "radius")
    with pytest.raises(ValueError, match="n_neighbors = 41"):
        similarity_graph(X, "nearest_neighbors", n_neighbors=41)


def test_neighbours_from_distances_dense_and_sparse():
    X, _ = make_blobs(60, 2, centers=2, random_state=0)
    D = np.linalg.norm(X[:, None] - X, axis=-1)
    full = sparse.csr_array(D + 1.0)
    full.data -= 1.0  # the zeros of the diagonal stay stored
    labels = [
        SpectralClustering(2, affinity="precomputed_nearest_neighbors", n_neighbors=8, random_state=0).fit_predict(M)
        for M in (D, full)
    ]
    np.testing.assert_array_equal(labels[0], labels[1])
    with pytest.raises(ValueError, match="neighbors are required for each sample"):
        SpectralClustering(2, affinity="precomputed_nearest_neighbors", n_neighbors=70).fit(full)
    with pytest.raises(ValueError, match="X must be a square matrix of distances"):
        SpectralClustering(2, affinity="precomputed_nearest_neighbors", n_neighbors=4).fit(np.ones((3, 5)))


def test_labels_from_embeddings():
    members = np.repeat(np.eye(3), [4, 6, 5], axis=0)
    rotation = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    truth = members.argmax(axis=1)
    noisy = members @ rotation + 0.01 * np.random.default_rng(1).normal(size=members.shape)
    assert adjusted_rand_score(truth, cluster_qr(noisy)) == 1.0
    assert adjusted_rand_score(truth, discretize(noisy, random_state=0)) == 1.0


def test_bad_graphs_raise():
    with pytest.raises(ValueError, match="square"):
        spectral_clustering(np.ones((3, 2)))
    W = np.ones((4, 4))
    W[0, 1] = W[1, 0] = -1
    with pytest.raises(ValueError, match="negative similarities"):
        spectral_clustering(W, n_clusters=2)
    W[0, 1] = 3.0
    with pytest.warns(UserWarning, match="not symmetric"):
        check_affinity(np.abs(W))
    with pytest.warns(UserWarning, match="X is square"):
        SpectralClustering(2, random_state=0).fit(np.eye(4) + 0.1)
    with pytest.raises(MemoryError, match=r"The 10,000,000 x 10,000,000 similarity matrix .*nearest_neighbors"):
        similarity_graph(np.broadcast_to(np.zeros((1, 1), dtype=np.float32), (10_000_000, 1)))


def test_more_clusters_than_rows():
    with pytest.raises(ValueError, match="n_clusters"):
        SpectralClustering(5, random_state=0).fit(np.arange(6.0).reshape(3, 2))


@pytest.mark.spec("CRS-18")
@pytest.mark.parametrize("mutual", [False, True])
@pytest.mark.parametrize(("settings", "c"), [({"c": 0.01}, 0.01), ({"gamma": 4.0}, 0.25), ({"c": 1.0}, 1.0)])
def test_neighbor_graphs_are_weighted_if_a_width_is_passed(settings, c, mutual):
    X = np.random.default_rng(0).uniform(size=(60, 2))
    graph = dict(n_neighbors=20, mutual=mutual)
    model = SpectralClustering(2, affinity="nearest_neighbors", random_state=0, **graph, **settings).fit(X)
    W = similarity_graph(X, "nearest_neighbors", weighted=True, c=c, **graph)
    assert_close(model.affinity_matrix_.toarray(), W.toarray())
    given = SpectralClustering(2, affinity="precomputed", random_state=0).fit(W)
    assert model.labels_.tolist() == given.labels_.tolist()


@pytest.mark.spec("CRS-18")
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"mutual": True}, "`mutual`=True requires a neighbour graph.*got 'rbf'"),
        ({"affinity": "precomputed", "c": 2.0}, "`c`=2 has no effect with `affinity`='precomputed'"),
        ({"affinity": "precomputed_nearest_neighbors", "gamma": 2.0}, "`gamma`=2 has no effect"),
        ({"affinity": "cosine", "gamma": 2.0}, "`gamma`=2 has no effect with `affinity`='cosine'"),
        ({"affinity": rbf_kernel, "c": 2.0}, "`c`=2 has no effect with `affinity`=a function"),
    ],
)
def test_widths_without_a_use_raise(settings, message):
    with pytest.raises(ValueError, match=message):
        SpectralClustering(2, **settings).fit(np.eye(4))
