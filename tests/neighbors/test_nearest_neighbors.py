"""The estimator around the index."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn import neighbors as sk
from sklearn.base import clone

from statlearn.neighbors import BallTree, KDTree, NearestNeighbors, pairwise_distances
from tests.helpers import assert_close


@pytest.mark.spec("NEI-04")
@pytest.mark.parametrize("algorithm", ["auto", "kd_tree", "ball_tree", "brute"])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "minkowski"])
def test_neighbours_and_graphs_agree_with_scikit_learn(algorithm, metric, rng):
    X, Q = rng.normal(size=(120, 4)), rng.normal(size=(30, 4))
    settings = dict(n_neighbors=6, radius=1.2, algorithm=algorithm, metric=metric, p=3)
    ours, theirs = NearestNeighbors(**settings).fit(X), sk.NearestNeighbors(**settings).fit(X)
    assert ours.effective_metric_ == theirs.effective_metric_
    for query in (Q, None):
        for a, b in zip(ours.kneighbors(query), theirs.kneighbors(query)):
            assert_close(a, b)
        assert_close(ours.kneighbors_graph(query).toarray(), theirs.kneighbors_graph(query).toarray())
        for mode in ("connectivity", "distance"):
            a, b = (m.radius_neighbors_graph(query, mode=mode).toarray() for m in (ours, theirs))
            assert_close(a, b)
        for part in zip(
            *ours.radius_neighbors(query, sort_results=True), *theirs.radius_neighbors(query, sort_results=True)
        ):
            assert_close(part[0], part[2])
            np.testing.assert_array_equal(part[1], part[3])
    np.testing.assert_array_equal(ours.kneighbors(Q, return_distance=False), ours.kneighbors(Q)[1])


@pytest.mark.parametrize("make", [KDTree, BallTree, lambda X: NearestNeighbors().fit(X)])
def test_trees_and_fitted_estimators_are_taken_over(make, rng):
    X = rng.normal(size=(50, 3))
    direct = NearestNeighbors(n_neighbors=3).fit(X)
    for a, b in zip(NearestNeighbors(n_neighbors=3).fit(make(X)).kneighbors(X), direct.kneighbors(X)):
        np.testing.assert_array_equal(a, b)


def test_the_index_is_built_again_after_unpickling(rng):
    search = NearestNeighbors().fit(rng.normal(size=(60, 3)))
    again = pickle.loads(pickle.dumps(search))
    assert "_built" not in vars(again)
    for a, b in zip(search.kneighbors(), again.kneighbors()):
        np.testing.assert_array_equal(a, b)
    assert clone(search).get_params() == search.get_params()


def test_precomputed_distances(rng):
    X, Q = rng.normal(size=(40, 3)), rng.normal(size=(7, 3))
    direct = NearestNeighbors(n_neighbors=4, radius=1.0).fit(X)
    search = NearestNeighbors(n_neighbors=4, radius=1.0, metric="precomputed").fit(pairwise_distances(X))
    for query, matrix in ((None, None), (Q, pairwise_distances(Q, X))):
        for a, b in zip(direct.kneighbors(query), search.kneighbors(matrix)):
            np.testing.assert_array_equal(a, b)
        a, b = (
            direct.radius_neighbors_graph(query, mode="distance"),
            search.radius_neighbors_graph(matrix, mode="distance"),
        )
        np.testing.assert_array_equal(a.toarray(), b.toarray())
    with pytest.raises(ValueError, match="must be square"):
        search.fit(pairwise_distances(Q, X))
    with pytest.raises(ValueError, match="requires shape"):
        search.fit(pairwise_distances(X)).kneighbors(np.abs(X))
    with pytest.raises(ValueError, match="Negative values"):
        search.fit(-pairwise_distances(X))


def test_sparse_rows_and_dense_queries_mix(rng):
    X, Q = rng.normal(size=(40, 6)), rng.normal(size=(7, 6))
    X[np.abs(X) < 0.7] = 0
    expected = NearestNeighbors(algorithm="brute").fit(X).kneighbors(Q)
    for data, query in (
        (sparse.csr_array(X), Q),
        (X, sparse.csr_array(Q)),
        (sparse.csc_matrix(X), sparse.coo_array(Q)),
    ):
        found = NearestNeighbors(algorithm="brute").fit(data).kneighbors(query)
        np.testing.assert_array_equal(found[1], expected[1])
        np.testing.assert_array_equal(found[0], expected[0])
    with pytest.warns(UserWarning, match="cannot use tree with sparse input"):
        NearestNeighbors(algorithm="kd_tree").fit(sparse.csr_array(X))
    with pytest.raises(ValueError, match="does not work with sparse matrices"):
        NearestNeighbors(algorithm="kd_tree").fit(X).kneighbors(sparse.csr_array(Q))
    with pytest.raises(ValueError, match="not valid for sparse input"):
        NearestNeighbors(metric="canberra").fit(sparse.csr_array(X))


@pytest.mark.parametrize(
    "settings, words",
    [
        (dict(metric="nonsense"), "'metric' parameter of NearestNeighbors"),
        (dict(metric="cosine", algorithm="kd_tree"), "Metric 'cosine' not valid"),
        (dict(metric="braycurtis", algorithm="ball_tree"), "Metric 'braycurtis' not valid"),
        (dict(metric=lambda a, b: 0.0, algorithm="kd_tree"), "does not support callable metric"),
        (dict(p=0.5, algorithm="ball_tree"), "does not support 0 < p < 1"),
        (dict(metric="haversine"), "two columns"),
        (dict(algorithm="kd_tree", p=3, metric_params={"w": [1, 2, 3]}), "weight parameter 'w'"),
    ],
)
def test_metrics_that_do_not_fit_raise(settings, words, rng):
    with pytest.raises(ValueError, match=words):
        NearestNeighbors(**settings).fit(rng.normal(size=(10, 3)))


def test_queries_that_cannot_be_answered_raise(rng):
    search = NearestNeighbors().fit(rng.normal(size=(6, 2)))
    with pytest.raises(ValueError, match="Expected n_neighbors <= n_samples_fit, but n_neighbors = 7"):
        search.kneighbors(np.zeros((1, 2)), n_neighbors=7)
    with pytest.raises(ValueError, match="Expected n_neighbors < n_samples_fit, but n_neighbors = 6"):
        search.kneighbors(n_neighbors=6)
    with pytest.raises(ValueError, match="Expected n_neighbors > 0"):
        search.kneighbors(n_neighbors=-1)
    with pytest.raises(TypeError, match="enter integer value"):
        search.kneighbors(n_neighbors=2.5)
    with pytest.raises(ValueError, match="return_distance must be True"):
        search.radius_neighbors(return_distance=False, sort_results=True)
    with pytest.raises(ValueError, match="Unsupported mode"):
        search.kneighbors_graph(mode="blah")
    with pytest.raises(ValueError, match="NaN"):
        search.kneighbors([[np.nan, 0.0]])
    with pytest.raises(ValueError, match="features"):
        search.kneighbors([[0.0, 0.0, 0.0]])


def test_a_semimetric_is_searched_by_brute_force_with_a_warning(rng):
    X = rng.normal(size=(30, 2))
    with pytest.warns(UserWarning, match="Minkowski metrics are not distance metrics"):
        search = NearestNeighbors(n_neighbors=2, p=0.5).fit(X)
    D = np.sum(np.abs(X[:, None] - X) ** 0.5, axis=2) ** 2
    assert_close(search.kneighbors(X)[0], np.sort(D, axis=1)[:, :2])


def test_p_among_the_metric_parameters_goes_first(rng):
    X = rng.normal(size=(30, 2))
    with pytest.warns(SyntaxWarning, match="Parameter p is found in metric_params"):
        search = NearestNeighbors(p=2, metric_params={"p": 1}).fit(X)
    assert search.effective_metric_ == "manhattan"


def test_a_radius_for_each_query(rng):
    X = rng.normal(size=(50, 2))
    radius = rng.uniform(0, 2, size=50)
    found = NearestNeighbors().fit(X).radius_neighbors(X, radius=radius, return_distance=False)
    D = pairwise_distances(X)
    for i in range(50):
        np.testing.assert_array_equal(found[i], np.flatnonzero(D[i] <= radius[i]))


def test_a_fit_to_a_search_tree_has_no_column_names_of_an_earlier_table(rng):
    pandas = pytest.importorskip("pandas")
    X = rng.normal(size=(20, 2))
    model = NearestNeighbors(n_neighbors=2).fit(pandas.DataFrame(X, columns=["a", "b"])).fit(KDTree(X))
    assert not hasattr(model, "feature_names_in_")
    model.kneighbors(X)
