"""Dissimilarities by name, against scipy, scikit-learn and their definitions."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import haversine_distances, nan_euclidean_distances

from statlearn._core.warnings import AmbiguousInputWarning
from statlearn._math.distances.metrics import BRUTE_METRICS, distance_block, resolve_metric, warn_of_distances
from statlearn._math.distances.neighbor_index import build_index
from statlearn.neighbors import NearestNeighbors, pairwise_distances
from tests.helpers import assert_close

NUMERIC = ["euclidean", "manhattan", "chebyshev", "sqeuclidean", "cosine", "correlation", "canberra", "braycurtis"]
ALIASES = {"manhattan": "cityblock"}


@pytest.mark.spec("NEI-06")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("metric", NUMERIC)
def test_distances_agree_with_scipy(metric, dtype, rng):
    X, Y = rng.normal(size=(40, 7)).astype(dtype), rng.normal(size=(23, 7)).astype(dtype)
    expected = cdist(X.astype(float), Y.astype(float), ALIASES.get(metric, metric))
    assert_close(pairwise_distances(X, Y, metric), expected)


@pytest.mark.spec("NEI-06")
@pytest.mark.parametrize("p", [1, 1.5, 2, 3, 4, np.inf])
def test_minkowski_distances_agree_with_scipy(p, rng):
    X, Y, w = rng.normal(size=(20, 5)), rng.normal(size=(15, 5)), rng.uniform(0.1, 2, size=5)
    assert_close(pairwise_distances(X, Y, "minkowski", p=p), cdist(X, Y, "minkowski", p=p))
    assert_close(pairwise_distances(X, Y, "minkowski", p=p, w=w), cdist(X, Y, "minkowski", p=p, w=w))


@pytest.mark.parametrize(
    ("p", "words"),
    [(0.001, "is too small: distances overflow"), (1e6, r"is too large: .* use at most 50, or p=inf")],
)
def test_powers_that_overflow_raise(p, words):
    with pytest.raises(ValueError, match=f"`p`={p} {words}"):
        pairwise_distances(np.eye(5), metric="minkowski", p=p)


@pytest.mark.parametrize(
    "metric", ["hamming", "jaccard", "dice", "rogerstanimoto", "russellrao", "sokalsneath", "yule"]
)
def test_binary_dissimilarities_agree_with_scipy(metric, rng):
    X, Y = rng.random((30, 9)) < 0.5, rng.random((20, 9)) < 0.5
    X[:, 0] = True  # no empty sets: scipy has its own mind about those
    assert_close(pairwise_distances(X.astype(float), Y.astype(float), metric), cdist(X, Y, metric))


def test_two_empty_sets_are_equal():
    zeros = np.zeros((2, 3))
    for metric in ("jaccard", "dice", "sokalsneath"):
        assert np.all(pairwise_distances(zeros, metric=metric) == 0)


@pytest.mark.spec("NEI-06")
def test_mahalanobis_takes_v_or_vi_or_estimates(rng):
    X, Y = rng.normal(size=(50, 4)) @ rng.normal(size=(4, 4)), rng.normal(size=(10, 4))
    V = np.cov(X, rowvar=False)
    expected = cdist(X, Y, "mahalanobis", VI=np.linalg.inv(V))
    assert_close(pairwise_distances(X, Y, "mahalanobis", V=V), expected)
    assert_close(pairwise_distances(X, Y, "mahalanobis", VI=np.linalg.inv(V)), expected)
    assert_close(pairwise_distances(X, Y, "mahalanobis"), expected)
    assert_close(pairwise_distances(X, Y, "seuclidean"), cdist(X, Y, "seuclidean", V=X.var(axis=0, ddof=1)))
    search = NearestNeighbors(n_neighbors=50, metric="mahalanobis", algorithm="brute").fit(X)  # V of the training rows
    assert_close(search.kneighbors(Y)[0], np.sort(expected.T, axis=1))


@pytest.mark.parametrize(
    "arguments, words",
    [
        (dict(VI=np.diag([1.0, -1.0])), "positive semi-definite"),
        (dict(V=np.eye(2), VI=np.eye(2)), "not both"),
        (dict(V=np.eye(3)), "shape"),
        (dict(V=np.ones((2, 2))), "singular"),
    ],
)
def test_matrices_that_define_no_distance_raise(arguments, words, rng):
    with pytest.raises(ValueError, match=words):
        pairwise_distances(rng.normal(size=(5, 2)), metric="mahalanobis", **arguments)


def test_a_singular_covariance_of_the_data_is_reported(rng):
    with pytest.raises(ValueError, match=r"singular.*VI"):
        pairwise_distances(np.column_stack([np.arange(9.0), 2 * np.arange(9.0)]), metric="mahalanobis")
    with pytest.raises(ValueError, match="two rows"):
        pairwise_distances([[1.0, 2.0]], metric="mahalanobis")


def test_other_metrics_agree_with_scikit_learn(rng):
    X = rng.normal(size=(30, 5))
    X[rng.random(X.shape) < 0.3] = np.nan
    X[0] = np.nan
    assert_close(pairwise_distances(X, metric="nan_euclidean"), nan_euclidean_distances(X, X))
    places = np.column_stack([rng.uniform(-1.5, 1.5, 30), rng.uniform(-3, 3, 30)])
    assert_close(pairwise_distances(places, metric="haversine"), haversine_distances(places))
    poles = [[np.pi / 2, 0.0], [-np.pi / 2, 1.0], [0.0, 0.0], [0.0, np.pi]]
    half, quarter = np.pi, np.pi / 2
    expected = [[0, half, quarter, quarter], [half, 0, quarter, quarter], [quarter, quarter, 0, half]]
    assert_close(pairwise_distances(poles, metric="haversine")[:3], expected)
    assert NearestNeighbors(radius=4.0, metric="haversine").fit(poles).radius_neighbors_graph().nnz == 12


@pytest.mark.parametrize("metric", ["nan_euclidean", lambda a, b: nan_euclidean_distances([a], [b])[0, 0]])
def test_rows_at_an_undefined_distance_come_last(metric):
    X = np.array([[1.0, np.nan], [np.nan, 1.0], [2.0, np.nan], [np.nan, 1.0], [1.5, 0.0]])
    index = build_index(X, metric)
    distances, rows = index.query(np.array([[1.0, np.nan]]), 5)
    np.testing.assert_array_equal(rows, [[0, 4, 2, 1, 3]])
    assert_close(distances, [[0.0, np.sqrt(0.5), np.sqrt(2.0), np.nan, np.nan]])
    _, rows = index.query(None, 4, exclude_self=True)
    np.testing.assert_array_equal(rows, [[4, 2, 1, 3], [3, 4, 0, 2], [4, 0, 1, 3], [1, 4, 0, 2], [0, 2, 1, 3]])


@pytest.mark.spec("NEI-10")
@pytest.mark.parametrize("metric", ["kl", "jeffreys"])
def test_divergences_between_rows_of_probabilities(metric, rng):
    X, Y = rng.dirichlet(np.ones(4), size=12), rng.dirichlet(np.ones(4), size=9)
    kl = lambda a, b: np.sum(a * np.log(a / b))  # noqa: E731
    expected = [[kl(a, b) + (kl(b, a) if metric == "jeffreys" else 0) for b in Y] for a in X]
    assert_close(pairwise_distances(X, Y, metric), expected)
    distances, rows = NearestNeighbors(n_neighbors=4, metric=metric).fit(Y).kneighbors(X)
    assert_close(distances, np.sort(expected, axis=1)[:, :4])
    np.testing.assert_array_equal(rows, np.argsort(expected, axis=1)[:, :4])


@pytest.mark.spec("NEI-10")
def test_divergences_accept_zeros_and_raise_for_invalid_probabilities():
    P = np.array([[0.5, 0.5, 0.0], [0.25, 0.25, 0.5]])
    assert_close(pairwise_distances(P, metric="kl"), [[0.0, np.log(2)], [np.inf, 0.0]])
    with pytest.raises(ValueError, match="row 1 sums to 2"):
        pairwise_distances([[0.5, 0.5], [1.0, 1.0]], metric="kl")
    with pytest.raises(ValueError, match="negative"):
        pairwise_distances([[1.5, -0.5]], metric="jeffreys")
    with pytest.raises(ValueError, match="not valid"):
        NearestNeighbors(metric="kl", algorithm="kd_tree").fit(P)


@pytest.mark.spec("NEI-P6")
@given(st.integers(0, 2**31), st.floats(1, 6))
def test_minkowski_is_a_metric_and_has_its_special_cases(seed, p):
    X = np.random.default_rng(seed).normal(size=(8, 3))
    assert_close(pairwise_distances(X, metric="minkowski", p=1), pairwise_distances(X, metric="manhattan"))
    assert_close(pairwise_distances(X, metric="minkowski", p=2), pairwise_distances(X, metric="euclidean"))
    D = pairwise_distances(X, metric="minkowski", p=p)
    assert np.all(D[:, None, :] <= D[:, :, None] + D[None, :, :] + 1e-12)
    assert_close(pairwise_distances(X, metric="mahalanobis", V=np.eye(3)), pairwise_distances(X))
    B = X > 0.3
    both, either = (B[:, None] & B).sum(axis=2), (B[:, None] | B).sum(axis=2)
    similarity = np.where(either == 0, 1.0, both / np.maximum(either, 1))
    assert_close(pairwise_distances(B.astype(float), metric="jaccard"), 1 - similarity)


@pytest.mark.spec("NEI-P7")
@given(st.integers(0, 2**31))
def test_invariances_of_mahalanobis_cosine_and_correlation(seed):
    rng = np.random.default_rng(seed)
    X, Q, A = rng.normal(size=(40, 3)), rng.normal(size=(6, 3)), rng.normal(size=(3, 3)) + 3 * np.eye(3)
    neighbours = lambda X, Q, metric: NearestNeighbors(n_neighbors=4, metric=metric).fit(X).kneighbors(Q)[1]  # noqa: E731
    np.testing.assert_array_equal(neighbours(X, Q, "mahalanobis"), neighbours(X @ A, Q @ A, "mahalanobis"))
    scales = rng.uniform(0.1, 9, size=(40, 1))
    np.testing.assert_array_equal(neighbours(X, Q, "cosine"), neighbours(X * scales, 7 * Q, "cosine"))
    centred = X - X.mean(axis=1, keepdims=True)
    assert_close(pairwise_distances(X, metric="correlation"), pairwise_distances(centred, metric="cosine"))
    pearson = np.corrcoef(X)
    assert_close(pairwise_distances(X, metric="correlation"), 1 - pearson)


def test_rows_without_direction_are_at_distance_one():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0]])
    expected = [[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]]
    assert_close(pairwise_distances(X, metric="cosine"), expected)
    distances, rows = NearestNeighbors(n_neighbors=2, metric="cosine").fit(X).kneighbors()
    np.testing.assert_array_equal(rows, [[1, 2], [0, 2], [0, 1]])
    assert_close(distances, np.ones((3, 2)))


def test_equal_rows_are_at_distance_zero_far_from_the_origin(rng):
    X = 1e8 + rng.normal(size=(30, 6))
    for metric in ("euclidean", "mahalanobis", "seuclidean", "cosine"):
        D = pairwise_distances(X, X.copy(), metric)
        assert np.all(np.diag(D) == 0), metric
    d = X[0].astype(np.longdouble) - X[1].astype(np.longdouble)
    assert_close(pairwise_distances(X)[0, 1], float(np.sqrt(np.sum(d * d))), rtol=1e-14)


def test_functions_objects_sparse_rows_and_matrices(rng):
    X, Y = rng.normal(size=(8, 3)), rng.normal(size=(5, 3))
    expected = cdist(X, Y)
    assert_close(pairwise_distances(X, Y, lambda a, b: np.linalg.norm(a - b)), expected)
    assert_close(pairwise_distances(sparse.csr_array(X), sparse.csr_array(Y)), expected)
    assert_close(pairwise_distances(X.astype(np.float32), Y), cdist(X.astype(np.float32).astype(float), Y))

    class Doubled:
        def pairwise(self, A, B):
            return 2 * cdist(A, B)

    assert_close(pairwise_distances(X, Y, Doubled()), 2 * expected)
    D = cdist(X, X)
    assert_close(pairwise_distances(D, metric="precomputed"), D)
    with pytest.raises(ValueError, match="Negative values"):
        pairwise_distances(-D, metric="precomputed")
    with pytest.raises(ValueError, match="Incompatible dimension"):
        pairwise_distances(X, Y[:, :2])
    with pytest.raises(ValueError, match="Unknown metric 'nonsense'"):
        pairwise_distances(X, metric="nonsense")


@pytest.mark.parametrize("name", [*sorted(set(BRUTE_METRICS) - {"precomputed"}), "callable"])
def test_a_metric_survives_pickling(name, rng):
    X = rng.dirichlet(np.ones(2), size=5)
    X[:, 1] = rng.dirichlet(np.ones(2), size=5)[:, 1] if name == "mahalanobis" else X[:, 1]
    metric = resolve_metric(max_gap if name == "callable" else name, X)
    copy = pickle.loads(pickle.dumps(metric))
    assert np.array_equal(distance_block(copy, X, X), distance_block(metric, X, X), equal_nan=True)


def max_gap(a, b):
    return np.max(np.abs(a - b))


DISTANCES = 1.0 - np.eye(4)


def takers():
    """Methods for rows that also take distances."""
    from statlearn.cluster import DBSCAN, HDBSCAN, AgglomerativeClustering, KMedoids, linkage
    from statlearn.manifold import MDS, ClassicalMDS, Isomap

    return {
        "ClassicalMDS": ClassicalMDS(3).fit,
        "MDS": MDS(2, random_state=0).fit,
        "Isomap": Isomap(n_neighbors=2).fit,
        "DBSCAN": DBSCAN().fit,
        "HDBSCAN": HDBSCAN(min_cluster_size=2).fit,
        "KMedoids": KMedoids(2).fit,
        "AgglomerativeClustering": AgglomerativeClustering(2).fit,
        "linkage": linkage,
    }


@pytest.mark.spec("CRS-22")
@pytest.mark.parametrize("name", takers())
def test_a_matrix_of_distances_is_not_silently_read_as_rows(name):
    with pytest.warns(AmbiguousInputWarning, match="X looks like distances.*set metric='precomputed'"):
        takers()[name](DISTANCES)


@pytest.mark.spec("CRS-22")
def test_other_square_tables_are_not_warned_about(rng):
    graph = np.zeros((6, 6))
    graph[[0, 1, 2, 3], [1, 0, 3, 2]] = 1  # few edges
    for X in (1 - np.eye(2), np.zeros((4, 4)), np.eye(4), graph, rng.random((5, 5)), -DISTANCES, np.triu(DISTANCES)):
        warn_of_distances(X, "euclidean")
    warn_of_distances(DISTANCES, "precomputed")
    warn_of_distances(sparse.csr_array(DISTANCES), "euclidean")
    from statlearn.manifold import ClassicalMDS

    Z = ClassicalMDS(3, metric="precomputed").fit_transform(DISTANCES)
    assert_close(np.linalg.norm(Z[0] - Z[1:], axis=1), np.ones(3))
