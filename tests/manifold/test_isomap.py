"""Geodesic distances and Isomap."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.csgraph import shortest_path
from scipy.stats import spearmanr
from sklearn import manifold as reference
from sklearn.datasets import make_swiss_roll

import statlearn
from statlearn._core.warnings import StatlearnWarning
from statlearn.manifold import MDS, ClassicalMDS, Isomap, double_center, swiss_roll, three_circles, trustworthiness
from statlearn.manifold._isomap import geodesic_distances
from statlearn.manifold._neighborhoods import Neighborhoods, undirected
from statlearn.neighbors import NearestNeighbors, pairwise_distances
from tests.helpers import assert_close
from tests.manifold.problems import same_up_to_signs


@pytest.mark.spec("MAN-04")
@pytest.mark.parametrize("n_neighbors", [3, 6])
def test_shortest_paths_are_scipys_for_any_number_of_threads(seed, n_neighbors):
    X = np.random.default_rng(seed).normal(size=(200, 3))
    graph = undirected(Neighborhoods(X, n_neighbors, None).graph())
    runs = []
    for threads in (1, 2):
        with statlearn.threads(threads):
            runs.append(geodesic_distances(graph))
    np.testing.assert_array_equal(runs[0], runs[1])
    assert_close(runs[0], shortest_path(graph, directed=False), rtol=1e-12)
    assert_close(geodesic_distances(graph, [5, 17]), runs[0][[5, 17]])


def test_equal_rows_stay_joined():
    X = np.array([[0.0], [0.0], [0.0], [1.0], [2.0]])
    D = Isomap(n_neighbors=2, n_components=1).fit(X).dist_matrix_
    assert_close(D[:3, :3], 0.0)
    assert_close(D[0], [0, 0, 0, 1, 2])


@pytest.mark.spec("MAN-04")
@pytest.mark.parametrize("options", [dict(n_neighbors=8), dict(n_neighbors=None, radius=6.0), dict(metric="manhattan")])
def test_coordinates_are_scikit_learns(options):
    X, _ = make_swiss_roll(300, random_state=0)
    ours, theirs = Isomap(n_components=3, **options), reference.Isomap(n_components=3, **options)
    same_up_to_signs(ours.fit_transform(X), theirs.fit_transform(X))
    assert_close(ours.dist_matrix_, theirs.dist_matrix_, rtol=1e-10)
    assert_close(ours.reconstruction_error(), theirs.reconstruction_error(), rtol=1e-6)
    new = X[:20] + 0.05
    same_up_to_signs(ours.transform(new), theirs.transform(new))


@pytest.mark.spec("MAN-P2")
def test_all_neighbours_give_classical_scaling(seed):
    X = np.random.default_rng(seed).normal(size=(25, 4)) * [4, 3, 2, 1]
    Y = Isomap(n_neighbors=24, n_components=2).fit_transform(X)
    same_up_to_signs(Y, ClassicalMDS(2).fit_transform(X))


@pytest.mark.spec("MAN-P5", "MAN-13")
def test_the_swiss_roll_is_unrolled_by_geodesics_only():
    X, t = swiss_roll(800, random_state=0)
    unrolled = Isomap(n_neighbors=10).fit(X)
    assert abs(spearmanr(unrolled.embedding_[:, 0], t)[0]) > 0.9
    euclidean = MDS(2, max_iter=100, eps=1e-4).fit_transform(X)
    assert max(abs(spearmanr(euclidean[:, k], t)[0]) for k in range(2)) < 0.8
    residual = unrolled.residual_variance()
    assert residual[1] < residual[0] < 0.1
    assert residual[1] < 0.01  # two dimensions explain it


def test_both_path_methods_and_given_distances_agree(seed):
    X = np.random.default_rng(seed).normal(size=(60, 2))
    Y = Isomap(n_neighbors=6).fit(X)
    assert_close(Isomap(n_neighbors=6, path_method="FW").fit(X).dist_matrix_, Y.dist_matrix_)
    D = pairwise_distances(X)
    given = Isomap(n_neighbors=6, metric="precomputed").fit(D)
    assert_close(given.embedding_, Y.embedding_)
    assert_close(given.transform(D[:5]), Y.transform(X[:5]))
    by_radius = Isomap(n_neighbors=None, radius=1.5, metric="precomputed").fit(D)
    assert_close(by_radius.dist_matrix_, Isomap(n_neighbors=None, radius=1.5).fit(X).dist_matrix_)


@pytest.mark.spec("MAN-04")
@pytest.mark.parametrize("path_method", ["D", "FW"])
def test_sparse_rows_and_graphs_give_the_same_coordinates(path_method):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4)) * (rng.uniform(size=(60, 4)) < 0.4)  # with equal rows, at distance 0
    options = dict(n_components=2, path_method=path_method)
    dense = Isomap(n_neighbors=9, **options).fit(X)
    rows = Isomap(n_neighbors=9, **options).fit(sparse.csr_array(X))
    assert_close(rows.dist_matrix_, dense.dist_matrix_, rtol=1e-10)
    same_up_to_signs(rows.embedding_, dense.embedding_)
    assert_close(rows.transform(sparse.csr_array(X[:5])), rows.transform(X[:5]))
    graph = NearestNeighbors(n_neighbors=10).fit(X)
    joined = graph.kneighbors_graph(X, mode="distance")  # each row is its own first neighbour
    given = Isomap(n_neighbors=9, metric="precomputed", **options).fit(joined)
    assert_close(given.dist_matrix_, dense.dist_matrix_, rtol=1e-10)
    near = Isomap(n_neighbors=None, radius=2.0, metric="precomputed", **options)
    wide = graph.radius_neighbors_graph(X, radius=2.5, mode="distance", sort_results=True)
    assert_close(near.fit(wide).dist_matrix_, Isomap(n_neighbors=None, radius=2.0).fit(X).dist_matrix_, rtol=1e-10)


@pytest.mark.parametrize("given", [False, True])
def test_the_search_is_an_estimator(given):
    X = np.random.default_rng(0).normal(size=(40, 3))
    D = np.linalg.norm(X[:, None] - X, axis=2)
    model = Isomap(n_neighbors=6, metric="precomputed" if given else "minkowski").fit(D if given else X)
    assert model.nbrs_.n_neighbors == 6
    np.testing.assert_array_equal(model.nbrs_.kneighbors()[1], np.argsort(D, axis=1)[:, 1:7])


def test_a_sparse_graph_in_pieces_cannot_be_joined():
    X = np.array([[0.0], [1.0], [2.0], [50.0], [51.0], [52.0]])
    graph = NearestNeighbors(n_neighbors=3).fit(X).kneighbors_graph(X, mode="distance")
    with pytest.raises(RuntimeError, match=r"number of connected components .* is 2.*without the distances"):
        Isomap(n_neighbors=2, metric="precomputed").fit(graph)
    with pytest.raises(ValueError, match="square graph of distances"):
        Isomap(n_neighbors=2, metric="precomputed").fit(graph[:4])
    with pytest.raises(ValueError, match="negative distances"):
        Isomap(n_neighbors=2, metric="precomputed").fit(-graph)


@pytest.mark.spec("MAN-04")
def test_three_treatments_of_a_graph_in_pieces():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(30, 2)), rng.normal(size=(20, 2)) + 100, rng.normal(size=(10, 2)) - 100])
    with pytest.warns(UserWarning, match="is 3, with 30 rows in the largest; the components are joined"):
        bridged = Isomap(n_neighbors=5).fit(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn's, and scipy's about its code
        theirs = reference.Isomap(n_neighbors=5).fit(X)
    assert_close(bridged.dist_matrix_, theirs.dist_matrix_, rtol=1e-9)
    with pytest.raises(ValueError, match=r"is 3, with .*Increase `n_neighbors`"):
        Isomap(n_neighbors=5, on_disconnected="error").fit(X)
    with pytest.warns(UserWarning, match="the other 30 rows get no coordinates"):
        largest = Isomap(n_neighbors=5, on_disconnected="largest").fit(X)
    np.testing.assert_array_equal(largest.kept_, np.arange(30))
    assert np.isnan(largest.embedding_[30:]).all()
    assert_close(largest.embedding_[:30], Isomap(n_neighbors=5).fit_transform(X[:30]))
    with pytest.warns(
        UserWarning, match="1 of 1 rows of X have no neighbour .*; predicting NaN"
    ):  # all of them were left out
        assert np.isnan(largest.transform(X[45:46])).all()


@pytest.mark.parametrize(
    "options", [{"n_neighbors": 5}, {"n_neighbors": None, "radius": 2.0}], ids=["nearest", "radius"]
)
def test_rows_that_cannot_be_placed_get_no_coordinates_and_leave_the_others_alone(options, rng):
    X = np.vstack([rng.uniform(-1, 1, size=(30, 2)), rng.uniform(-1, 1, size=(9, 2)) + 100])
    with pytest.warns(UserWarning, match=r"the other 9 rows get no coordinates \(NaN\)"):
        model = Isomap(**options, on_disconnected="largest").fit(X)
    np.testing.assert_array_equal(np.isnan(model.embedding_), np.arange(39)[:, None] >= [30, 30])
    new = rng.uniform(-1, 1, size=(7, 2))
    alone = model.transform(new)
    assert np.isfinite(alone).all()
    new[[1, 4]] += 100
    with pytest.warns(UserWarning, match="2 of 7 rows of X have no neighbour .*; predicting NaN"):
        mixed = model.transform(new)
    alone[[1, 4]] = np.nan
    np.testing.assert_array_equal(mixed, alone)


@pytest.mark.parametrize(
    "options, message",
    [
        (dict(n_neighbors=5, radius=1.0), "Both n_neighbors and radius are provided"),
        (dict(n_neighbors=None), "either `n_neighbors` or `radius`"),
        (dict(n_neighbors=10), "`n_neighbors`=10, n_samples = 10"),
        (dict(n_components=11), "`n_components`=11 exceeds the 10 rows"),
    ],
)
def test_wrong_options_raise(options, message):
    with pytest.raises(ValueError, match=message):
        Isomap(**options).fit(np.random.default_rng(0).normal(size=(10, 2)))


def test_trustworthiness_is_scikit_learns(seed):
    rng = np.random.default_rng(seed)
    X, Y = rng.normal(size=(700, 5)), rng.normal(size=(700, 2))
    for k in (1, 12):
        assert_close(trustworthiness(X, Y, n_neighbors=k), reference.trustworthiness(X, Y, n_neighbors=k))
    D = pairwise_distances(X[:50])
    assert_close(
        trustworthiness(D, Y[:50], metric="precomputed"), reference.trustworthiness(D, Y[:50], metric="precomputed")
    )
    assert trustworthiness(X, X) == 1.0
    with pytest.raises(ValueError, match="n_neighbors"):
        trustworthiness(X[:10], Y[:10], n_neighbors=5)


@pytest.mark.spec("MAN-13")
def test_generators_place_rows_on_their_surfaces():
    X, t = swiss_roll(5000, random_state=0)
    assert_close(X[:, 0] ** 2 + X[:, 2] ** 2, t**2)
    assert_close(np.arctan2(X[:, 2], X[:, 0]), np.arctan2(np.sin(t), np.cos(t)))
    assert t.min() > 1.5 * np.pi
    assert t.max() < 4.5 * np.pi
    assert 0 < X[:, 1].min() < X[:, 1].max() < 21
    Z, s = swiss_roll(5000, hole=True, random_state=0)
    middle = (s > 2.5 * np.pi) & (s < 3.5 * np.pi) & (Z[:, 1] > 7) & (Z[:, 1] < 14)
    assert not middle.any()
    rings, label = three_circles(300, noise=0.0, random_state=0)
    assert_close(np.hypot(*rings.T), np.array([1.0, 2.8, 5.0])[label])
    np.testing.assert_array_equal(np.bincount(label), [100, 100, 100])
    noisy, _ = swiss_roll(2000, noise=0.5, random_state=0)
    clean, _ = swiss_roll(2000, random_state=0)
    assert abs((noisy - clean).std() - 0.5) < 5 * 0.5 / np.sqrt(2 * 6000)  # five standard errors


@pytest.mark.spec("CRS-53")
def test_the_whole_spectrum_matches_classical_scaling():
    X, _ = swiss_roll(80, random_state=0)
    short = Isomap(n_neighbors=8).fit(X)
    full = Isomap(n_neighbors=8, n_eigenvalues="all").fit(X)
    assert full.eigenvalues_.shape == (80,)
    B = double_center(full.dist_matrix_)
    assert_close(full.eigenvalues_, np.linalg.eigvalsh(B)[::-1], atol=1e-8 * full.eigenvalues_[0])
    assert full.eigenvalues_[-1] < 0  # geodesic distances are not Euclidean
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StatlearnWarning)  # negative eigenvalues
        scaling = ClassicalMDS(10, metric="precomputed").fit(full.dist_matrix_)
    assert_close(Isomap(n_neighbors=8, n_eigenvalues=10).fit(X).eigenvalues_, scaling.eigenvalues_, rtol=1e-6)
    assert_close(full.embedding_, short.embedding_)
    assert_close(full.transform(X[:5]), short.transform(X[:5]))
    assert full.reconstruction_error() == short.reconstruction_error()
    for count in (1, 81):
        with pytest.raises(ValueError, match="`n_eigenvalues`"):
            Isomap(n_neighbors=8, n_eigenvalues=count).fit(X)
