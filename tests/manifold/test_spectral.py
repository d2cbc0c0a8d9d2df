"""Graphs, Laplacians, eigenmaps and diffusion maps."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import linalg, sparse
from sklearn import manifold as reference

from statlearn._math.graphs.similarity import neighbor_affinity
from statlearn.kernels import rbf_kernel
from statlearn.manifold import (
    DiffusionMap,
    LaplacianEigenmaps,
    SpectralEmbedding,
    affinity_graph,
    diffusion_distance,
    graph_laplacian,
    n_components_from_laplacian,
    spectral_embedding,
    swiss_roll,
)
from statlearn.neighbors import pairwise_distances
from tests.helpers import assert_close
from tests.manifold.problems import W4, random_graph, same_up_to_signs

FORMS = pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])


def dense(A):
    return A.toarray() if sparse.issparse(A) else A


@pytest.mark.spec("MAN-06", "MAN-T2")
@FORMS
def test_laplacians_of_four_nodes(form):
    L = dense(graph_laplacian(form(W4)))
    assert_close(L, [[2, -1, -1, 0], [-1, 3, -1, -1], [-1, -1, 2, 0], [0, -1, 0, 1]])
    assert_close(np.linalg.eigvalsh(L), [0, 1, 3, 4])
    for kind in ("sym", "rw"):
        values = np.sort(np.linalg.eigvals(dense(graph_laplacian(form(W4), kind))).real)
        assert_close(values, [0, 0.7712864, 1.5, 1.7287136], atol=1e-6)  # printed digits


@pytest.mark.spec("MAN-10", "MAN-T3", "MAN-P8")
def test_random_walk_of_four_nodes():
    walk = DiffusionMap(3, affinity="precomputed").fit(W4)
    assert_close(walk.eigenvalues_, [0.2287136, -0.5, -0.7287136], atol=1e-6)  # printed digits
    assert_close(walk.stationary_, [0.25, 0.375, 0.25, 0.125])


@pytest.mark.spec("MAN-06", "MAN-08", "MAN-P6")
@FORMS
@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_identities_of_laplacians(form, seed):
    rng = np.random.default_rng(seed)
    W = np.triu(rng.uniform(size=(8, 8)) * (rng.uniform(size=(8, 8)) < 0.25), 1)
    W = W + W.T
    y = rng.normal(size=8)
    L = dense(graph_laplacian(form(W)))
    assert_close(y @ L @ y, 0.5 * np.sum(W * (y[:, None] - y) ** 2))
    assert_close(L.sum(axis=1), 0.0)
    assert np.linalg.eigvalsh(L)[0] > -1e-10
    counts = [n_components_from_laplacian(graph_laplacian(form(W), kind)) for kind in ("unnormalized", "sym", "rw")]
    pieces = int(np.sum(np.linalg.eigvalsh(L) < 1e-10))
    assert [count for count, _ in counts] == [pieces] * 3
    label = counts[0][1]
    assert label.max() + 1 == pieces
    assert (W[label[:, None] != label] == 0).all()
    spectra = [np.sort(np.linalg.eigvals(dense(graph_laplacian(form(W), kind))).real) for kind in ("sym", "rw")]
    assert_close(spectra[0], spectra[1], atol=1e-7)


@pytest.mark.spec("MAN-07")
def test_affinity_graphs_by_hand(seed):
    X = np.random.default_rng(seed).normal(size=(30, 3))
    D = pairwise_distances(X)
    heat = np.exp(-0.7 * D**2) * (1 - np.eye(30))
    assert_close(affinity_graph(X, "full", gamma=0.7), heat)
    order = np.argsort(D + np.diag(np.full(30, np.inf)), axis=1)[:, :4]
    near = np.zeros((30, 30), dtype=bool)
    np.put_along_axis(near, order, True, axis=1)
    assert_close(affinity_graph(X, n_neighbors=4).toarray(), near | near.T)
    assert_close(affinity_graph(X, n_neighbors=4, mutual=True).toarray(), near & near.T)
    assert_close(
        affinity_graph(X, n_neighbors=4, weights="heat", gamma=0.7).toarray(), np.where(near | near.T, heat, 0.0)
    )
    inside = (D <= 1.2) & ~np.eye(30, dtype=bool)
    assert_close(affinity_graph(X, "eps", eps=1.2).toarray(), inside)
    assert_close(affinity_graph(X, "eps", eps=1.2, weights="heat", sigma=2.0).toarray(), inside * np.exp(-(D**2) / 8))
    assert_close(affinity_graph(X, "full", sigma=2.0, sigma_form="sigma2"), np.exp(-(D**2) / 4) * (1 - np.eye(30)))


@pytest.mark.spec("MAN-09", "MAN-P7")
@FORMS
def test_constraints_of_eigenmaps(form, seed):
    W = random_graph(seed)
    model = SpectralEmbedding(3, affinity="precomputed").fit(form(W))
    Y, D = model.embedding_, np.diag(W.sum(axis=1))
    assert_close(Y.T @ D @ np.ones(12), 0.0, atol=1e-8)
    assert_close(Y.T @ D @ Y, np.eye(3), atol=1e-8)
    spread = np.sum(W[:, :, None] * (Y[:, None] - Y) ** 2)
    assert_close(spread, 2 * model.eigenvalues_.sum(), rtol=1e-6)
    L = np.diag(W.sum(axis=1)) - W
    assert_close(L @ Y, D @ Y * model.eigenvalues_, atol=1e-7)
    assert LaplacianEigenmaps is SpectralEmbedding


@pytest.mark.spec("MAN-09")
@pytest.mark.parametrize("options", [dict(n_neighbors=8), dict(affinity="rbf", gamma=0.05)])
def test_eigenmaps_are_scikit_learns(options):
    X, _ = swiss_roll(150, random_state=0)
    ours = SpectralEmbedding(3, **options).fit(X)
    theirs = reference.SpectralEmbedding(3, eigen_tol=1e-12, random_state=0, **options).fit(X)
    same_up_to_signs(ours.embedding_, theirs.embedding_, atol=1e-6)
    W = ours.affinity_matrix_
    for normalized in (True, False):
        a = spectral_embedding(W, n_components=2, norm_laplacian=normalized)
        b = reference.spectral_embedding(W, n_components=2, norm_laplacian=normalized, eigen_tol=1e-12, random_state=0)
        same_up_to_signs(a, b, atol=1e-6)
    first = spectral_embedding(W, n_components=2, drop_first=False)[:, 0]
    assert_close(first, first[0], rtol=1e-6)  # constant


def test_eigenmaps_take_distances_to_neighbours_and_functions(seed):
    X = np.random.default_rng(seed).normal(size=(60, 2))
    D = pairwise_distances(X)
    near = SpectralEmbedding(2, n_neighbors=10).fit(X).embedding_
    given = SpectralEmbedding(2, affinity="precomputed_nearest_neighbors", n_neighbors=10).fit(D)
    same_up_to_signs(given.embedding_, near, atol=1e-6)
    function = SpectralEmbedding(2, affinity=lambda Z: np.exp(-(pairwise_distances(Z) ** 2))).fit(X).embedding_
    same_up_to_signs(function, SpectralEmbedding(2, affinity="rbf", gamma=1.0).fit(X).embedding_, atol=1e-6)


@pytest.mark.spec("MAN-P9")
def test_eigenmaps_and_diffusion_maps_share_their_vectors(seed):
    W = random_graph(seed)
    eigenmap = SpectralEmbedding(4, affinity="precomputed").fit(W)
    walk = DiffusionMap(4, affinity="precomputed").fit(W)
    assert_close(walk.eigenvalues_, 1 - eigenmap.eigenvalues_, atol=1e-8)
    scale = np.sqrt(W.sum())  # the stationary distribution sums to 1, the degrees to this squared
    same_up_to_signs(walk.eigenfunctions_, eigenmap.embedding_ * scale, atol=1e-6)


@pytest.mark.spec("MAN-10", "MAN-12", "MAN-P8")
@pytest.mark.parametrize("t", [1, 2, 5])
def test_diffusion_distances_are_distances_of_all_coordinates(seed, t):
    W = random_graph(seed)
    model = DiffusionMap(11, t=t, affinity="precomputed").fit(W)
    P = W / W.sum(axis=1, keepdims=True)
    Pt, pi = np.linalg.matrix_power(P, t), W.sum(axis=1) / W.sum()
    slow = np.sqrt([[np.sum((Pt[i] - Pt[k]) ** 2 / pi) for k in range(12)] for i in range(12)])
    assert_close(diffusion_distance(W, t), slow, atol=1e-9)
    assert_close(pairwise_distances(model.embedding_), slow, atol=1e-6)
    assert_close(P @ model.eigenfunctions_, model.eigenfunctions_ * model.eigenvalues_, atol=1e-8)
    assert_close(model.stationary_ @ model.eigenfunctions_**2, 1.0)
    assert_close(model.stationary_ @ model.eigenfunctions_, 0.0, atol=1e-9)
    assert (np.abs(model.eigenvalues_) < 1).all()


@pytest.mark.spec("MAN-10")
@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
def test_density_normalisation_is_its_formula(seed, alpha):
    X = np.random.default_rng(seed).normal(size=(40, 2))
    K = np.exp(-0.5 * pairwise_distances(X) ** 2)
    q = K.sum(axis=1)
    K = K / np.outer(q, q) ** alpha
    M = K / K.sum(axis=1, keepdims=True)
    model = DiffusionMap(3, alpha=alpha, sigma=1.0).fit(X)
    values = np.sort(np.linalg.eigvals(M).real)[::-1]
    assert_close(values[0], 1.0)
    assert_close(model.eigenvalues_, values[1:4], rtol=1e-6)
    assert_close(M @ model.eigenfunctions_, model.eigenfunctions_ * model.eigenvalues_, atol=1e-8)


@pytest.mark.spec("MAN-11", "MAN-P10")
@pytest.mark.parametrize("alpha", [0.0, 1.0])
@pytest.mark.parametrize("n", [60, 600])  # a complete decomposition, and the iterative one
def test_training_rows_get_their_coordinates(alpha, n):
    X = np.random.default_rng(0).normal(size=(n, 3))
    model = DiffusionMap(3, alpha=alpha, t=2, gamma=0.2).fit(X)
    assert_close(model.transform(X), model.embedding_, atol=1e-7)
    given = DiffusionMap(3, alpha=alpha, t=2, affinity="precomputed").fit(np.exp(-0.2 * pairwise_distances(X) ** 2))
    assert_close(given.embedding_, model.embedding_, atol=1e-6)
    new = X[:5] + 0.01
    K = np.exp(-0.2 * pairwise_distances(new, X) ** 2)
    assert_close(given.transform(K), model.transform(new), atol=1e-6)
    assert np.abs(model.transform(new) - model.embedding_[:5]).max() < 0.1


def test_neighbour_graphs_are_the_truncated_kernel(seed):
    X = np.random.default_rng(seed).normal(size=(450, 2))
    model = DiffusionMap(3, affinity="nearest_neighbors", n_neighbors=20, gamma=1.0, random_state=0).fit(X)
    D = pairwise_distances(X)
    near = np.sort(D, axis=1)[:, [19]] >= D
    K = np.where(near | near.T, np.exp(-(D**2)), 0.0)
    assert_close(
        model.eigenvalues_, np.sort(np.linalg.eigvals(K / K.sum(axis=1, keepdims=True)).real)[::-1][1:4], rtol=1e-6
    )
    moved = model.transform(X)
    assert np.corrcoef(moved[:, 0], model.embedding_[:, 0])[0, 1] > 0.99


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("n", [50, 600])  # a complete decomposition, and an iteration
@pytest.mark.parametrize("loops", [False, True])
def test_sparse_similarities_match_dense_ones(alpha, n, loops, seed):
    X = np.random.default_rng(seed).uniform(size=(n, 2))
    W = np.exp(-3.0 * pairwise_distances(X) ** 2)
    W *= np.quantile(W, 0.8) <= W
    W[np.diag_indices(n)] = float(loops)
    thin = sparse.csr_array(W)
    before = thin.copy()
    options = dict(alpha=alpha, affinity="precomputed", random_state=0)
    few, all_ = DiffusionMap(3, **options).fit(thin), DiffusionMap(3, **options).fit(W)
    assert_close(few.eigenvalues_, all_.eigenvalues_, atol=1e-9)
    assert_close(few.stationary_, all_.stationary_, rtol=1e-12)
    assert_close(few.embedding_, all_.embedding_, atol=1e-6)
    np.testing.assert_array_equal(thin.data, before.data)  # what the user has given is not written over
    np.testing.assert_array_equal(thin.indices, before.indices)


def test_copies_of_a_row_that_do_not_list_themselves():
    rng = np.random.default_rng(0)
    X = np.vstack([np.zeros((40, 2)), rng.normal(size=(500, 2))])  # with ten neighbours, thirty list other copies only
    model = DiffusionMap(2, affinity="nearest_neighbors", n_neighbors=10, gamma=1.0, random_state=0).fit(X)
    W = neighbor_affinity(X, 10, ties="either", gamma=1.0).toarray()
    assert (np.diag(W) == 0).sum() == 30
    assert_close(model.eigenvalues_, DiffusionMap(2, affinity="precomputed").fit(W).eigenvalues_, atol=1e-9)


def test_a_row_without_similarities_is_named():
    W = np.ones((5, 5))
    W[3], W[:, 3] = 0.0, 0.0
    for form in (np.asarray, sparse.csr_array):
        with pytest.raises(ValueError, match="row 3 has no similarity to any row"):
            DiffusionMap(1, affinity="precomputed").fit(form(W))


def test_graphs_in_pieces_warn():
    W = np.kron(np.eye(2), np.ones((4, 4)))
    with pytest.warns(UserWarning, match="falls into pieces"):
        DiffusionMap(1, affinity="precomputed").fit(W)
    with pytest.warns(UserWarning, match="Graph is not fully connected: it has 2 components"):
        SpectralEmbedding(1, affinity="precomputed").fit(W)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: graph_laplacian([[0, -1], [-1, 0]]), "`W` contains negative similarities"),
        (lambda: graph_laplacian(np.ones((2, 3))), "`W` must be a square matrix"),
        (lambda: n_components_from_laplacian(np.ones((2, 3))), "L must be a square matrix"),
        (lambda: affinity_graph(np.eye(3), "eps"), "`eps` must be set"),
        (lambda: affinity_graph(np.eye(3), n_neighbors=3), "`n_neighbors`=3 must be between 1 and 2"),
        (lambda: affinity_graph(np.eye(3), gamma=1.0, sigma=1.0), "either `gamma` or `sigma`"),
        (lambda: diffusion_distance([[1.0, 0], [0, 0]]), "row 1 has no similarity"),
        (lambda: DiffusionMap(3).fit(np.eye(3)), "`n_components`=3 must be less than the 3 rows"),
        (lambda: SpectralEmbedding(3, affinity="rbf").fit(np.eye(3)), "`n_components`=3 needs at least 4 rows"),
        (lambda: SpectralEmbedding(1, affinity="precomputed").fit(np.ones((3, 2))), "square matrix of weights"),
        (
            lambda: SpectralEmbedding(1, affinity="precomputed_nearest_neighbors", n_neighbors=4).fit(np.ones((3, 5))),
            "X must be a square matrix of distances",
        ),
    ],
)
def test_wrong_input_raises_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_rows_far_from_all_training_rows_have_no_coordinates():
    model = DiffusionMap(1).fit(np.random.default_rng(0).normal(size=(20, 2)))
    with pytest.warns(UserWarning, match="1 rows of X have no similarity to any training row"):
        Y = model.transform([[0.0, 0.0], [1e3, 0.0]])
    assert np.isfinite(Y[0]).all()
    assert np.isnan(Y[1]).all()


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_rows_without_similarities_have_no_coordinates_and_leave_the_others_alone(form, rng):
    X = rng.normal(size=(20, 2))
    K = np.exp(-(pairwise_distances(X) ** 2))
    model = DiffusionMap(2, affinity="precomputed", random_state=0).fit(form(K))
    new = K[:5].copy()
    alone = model.transform(form(new))
    new[[0, 3]] = 0.0
    with pytest.warns(UserWarning, match="2 rows of X have no similarity to any training row; predicting NaN"):
        mixed = model.transform(form(new))
    assert np.isnan(mixed[[0, 3]]).all()
    assert_close(mixed[[1, 2, 4]], alone[[1, 2, 4]])


def test_similarities_that_overflow_raise(rng):
    X = 1e200 * rng.normal(size=(20, 2))
    with pytest.raises(ValueError, match="so large or so small"):
        SpectralEmbedding().fit(X)


@pytest.mark.parametrize("n", [20, 26, 29, 32, 40, 99, 101, 130])
def test_tables_of_few_rows_have_the_eigenvalues_of_dense_algebra(n):
    X = np.random.default_rng(n).normal(size=(n, 3))
    W = rbf_kernel(X, gamma=1 / 3) - np.eye(n)  # no loops
    degrees = W.sum(axis=1)
    expected = np.linalg.eigvalsh(np.eye(n) - W / np.sqrt(np.outer(degrees, degrees)))[1:3]
    model = SpectralEmbedding(2, affinity="rbf", random_state=0).fit(X)
    assert_close(model.eigenvalues_, expected, rtol=1e-6)


@pytest.mark.spec("CRS-52")
@pytest.mark.parametrize("sigma", [0.5, 2.0, None])
def test_heat_weights_on_the_neighbourhood_graph(sigma, seed):
    X = np.random.default_rng(seed).normal(size=(60, 2))
    width = {"gamma": 0.7} if sigma is None else {"sigma": sigma}
    model = LaplacianEigenmaps(2, n_neighbors=9, weights="heat", random_state=0, **width).fit(X)
    W = affinity_graph(X, n_neighbors=8, weights="heat", **width)  # eight others
    assert_close(model.affinity_matrix_.toarray(), W.toarray())
    route = SpectralEmbedding(2, affinity="precomputed", random_state=0).fit(W)
    assert_close(model.embedding_, route.embedding_)
    assert_close(model.eigenvalues_, route.eigenvalues_)
    # The generalised problem L u = lambda D u, with U'DU = I.
    D = np.diag(W.toarray().sum(axis=1))
    U = model.embedding_
    assert_close((D - W.toarray()) @ U, D @ U * model.eigenvalues_, atol=1e-6)  # residuals of 1e-8, relative
    assert_close(U.T @ D @ U, np.eye(2), atol=1e-6)
    assert_close(model.eigenvalues_, linalg.eigh(D - W.toarray(), D, eigvals_only=True)[1:3], atol=1e-7)


@pytest.mark.spec("CRS-52")
def test_heat_weights_raise_for_other_graphs(rng):
    X = rng.normal(size=(20, 2))
    for options in ({"affinity": "rbf", "weights": "heat"}, {"sigma": 1.0}):
        with pytest.raises(ValueError, match="`weights`='heat' and `sigma` belong to the graph of near neighbours"):
            SpectralEmbedding(**options).fit(X)
    with pytest.raises(ValueError, match="Set either `gamma` or `sigma`"):
        SpectralEmbedding(weights="heat", sigma=1.0, gamma=1.0).fit(X)
