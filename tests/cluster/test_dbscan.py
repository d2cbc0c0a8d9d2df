"""DBSCAN: cells, tree and graph give one answer, which is that of the definition."""

import numpy as np
import pytest
import sklearn.cluster as theirs
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import radius_neighbors_graph

import statlearn
from statlearn._core.native import cluster as native
from statlearn.cluster import DBSCAN, _dbscan, dbscan, epsilon_components


def slow_dbscan(X, eps, min_samples, weights=None):
    """The definition, from the matrix of distances."""
    weights = np.ones(len(X)) if weights is None else weights
    near = cdist(X, X) <= eps
    core = (near @ weights >= min_samples) & (weights > 0)
    labels = np.full(len(X), -1)
    _, components = connected_components(near[np.ix_(core, core)], directed=False)
    order = {c: k for k, c in enumerate(dict.fromkeys(components))}
    labels[core] = [order[c] for c in components]
    for i in np.flatnonzero(~core):
        reached = labels[near[i] & core]
        labels[i] = reached.min(initial=len(X)) if len(reached) else -1
    return np.flatnonzero(core), labels


def native_dbscan(X, eps, min_samples, weights, grid):
    core, labels = np.zeros(len(X), dtype=np.uint8), np.empty(len(X), dtype=np.intp)
    native.dbscan(X, eps, min_samples, weights, grid, core, labels)
    return np.flatnonzero(core), labels


@pytest.mark.spec("CLU-T9")
@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_points_on_a_line(metric):
    model = DBSCAN(eps=1, min_samples=3, metric=metric).fit([[0], [1], [2], [3], [10]])
    np.testing.assert_array_equal(model.core_sample_indices_, [1, 2])
    np.testing.assert_array_equal(model.labels_, [0, 0, 0, 0, -1])


@pytest.mark.spec("CLU-11")
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(1, 80),
    p=st.integers(1, 5),
    eps=st.floats(0.05, 3.0),
    min_samples=st.integers(1, 8),
    lattice=st.booleans(),
    weighted=st.booleans(),
)
def test_cells_and_tree_follow_the_definition(seed, n, p, eps, min_samples, lattice, weighted):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, size=(n, p)).astype(float) if lattice else rng.normal(size=(n, p))
    eps = 1.0 if lattice else eps  # distances exactly equal to eps count
    weights = rng.integers(0, 4, size=n).astype(float) if weighted else None
    core, labels = slow_dbscan(X, eps, min_samples, weights)
    for grid in (True, False):
        found = native_dbscan(X, eps, min_samples, weights, grid)
        np.testing.assert_array_equal(found[0], core)
        np.testing.assert_array_equal(found[1], labels)


@pytest.mark.spec("CLU-11")
@pytest.mark.parametrize("p, eps", [(1, 0.002), (2, 0.08), (3, 0.25), (3, 0.6), (6, 1.2)])
def test_labels_are_scikit_learns(p, eps, rng):
    X = rng.normal(size=(3000, p))
    a, b = DBSCAN(eps, min_samples=8).fit(X), theirs.DBSCAN(eps=eps, min_samples=8).fit(X)
    np.testing.assert_array_equal(a.core_sample_indices_, b.core_sample_indices_)
    np.testing.assert_array_equal(a.labels_, b.labels_)
    np.testing.assert_array_equal(a.components_, b.components_)


@pytest.mark.parametrize(
    "metric", ["manhattan", "cosine", "seuclidean", "chebyshev", "precomputed", "graph", "function"]
)
def test_any_metric(metric, rng, monkeypatch):
    X = rng.normal(size=(300, 3)) + 2.0
    eps, given, data, params = 0.5, metric, X, None
    if metric == "precomputed":
        data = cdist(X, X)
    elif metric == "graph":
        given, data = "precomputed", radius_neighbors_graph(X, 0.7, mode="distance")
    elif metric == "function":
        given = lambda a, b: np.abs(a - b).max()  # noqa: E731
    elif metric == "cosine":
        eps = 0.005
    elif metric == "seuclidean":
        params = {"V": np.var(X, axis=0, ddof=1)}
    a = DBSCAN(eps, metric=given, metric_params=params).fit(data)
    b = theirs.DBSCAN(eps=eps, metric=given, metric_params=params).fit(data)
    np.testing.assert_array_equal(a.core_sample_indices_, b.core_sample_indices_)
    np.testing.assert_array_equal(a.labels_, b.labels_)
    # The same when neighbours do not fit into memory and are asked for again.
    monkeypatch.setattr(_dbscan, "_NEIGHBOURS", 2000)
    np.testing.assert_array_equal(DBSCAN(eps, metric=given, metric_params=params).fit(data).labels_, a.labels_)


@pytest.mark.spec("CLU-P11")
@given(seed=st.integers(0, 10_000), p=st.integers(1, 4))
def test_the_order_of_the_rows_matters_for_border_points_only(seed, p):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, p))
    order = rng.permutation(120)
    model, other = DBSCAN(0.4, min_samples=4).fit(X), DBSCAN(0.4, min_samples=4).fit(X[order])
    core = model.core_sample_indices_
    np.testing.assert_array_equal(np.sort(order[other.core_sample_indices_]), core)
    assert np.all(model.labels_[core] >= 0)  # every core point is clustered
    back = np.empty(120, dtype=int)
    back[order] = other.labels_
    same = model.labels_[core][:, None] == model.labels_[core]
    np.testing.assert_array_equal(same, back[core][:, None] == back[core])
    np.testing.assert_array_equal(model.labels_ == -1, back == -1)


@pytest.mark.spec("CLU-P11")
def test_moons_and_rings_are_recovered_unlike_mixed_densities():
    X, y = make_moons(400, noise=0.05, random_state=0)
    assert adjusted_rand_score(y, DBSCAN(0.2).fit_predict(X)) == 1.0
    X, y = make_circles(400, factor=0.4, noise=0.04, random_state=0)
    assert adjusted_rand_score(y, DBSCAN(0.25).fit_predict(X)) == 1.0
    # Two dense clusters near each other and a thin one: no eps finds all three.
    X, y = make_blobs([200, 200, 200], centers=[[0, 0], [0.8, 0], [40, 0]], cluster_std=[0.1, 0.1, 8], random_state=0)
    for eps in np.geomspace(0.02, 10, 60):
        labels = DBSCAN(eps, min_samples=6).fit_predict(X)
        together = len(set(labels[y < 2]) - {-1}) < 2
        lost = np.mean(labels[y == 2] == -1) > 0.2
        assert together or lost


@pytest.mark.spec("CLU-13")
def test_components_within_eps_are_looser(rng):
    """A bridge of single points links two clusters unless density counts."""
    X = np.concatenate([rng.normal(0, 0.2, (50, 2)), rng.normal(0, 0.2, (50, 2)) + [6, 0]])
    X = np.concatenate([X, np.column_stack([np.arange(0.8, 5.6, 0.45), np.zeros(11)])])
    loose, strict = epsilon_components(X, 0.5), DBSCAN(0.5, min_samples=5).fit_predict(X)
    assert loose[0] == loose[50]
    assert strict[0] != strict[50]
    _, expected = connected_components(cdist(X, X) <= 0.5)
    np.testing.assert_array_equal(loose, expected)


def test_weight_k_is_k_copies_and_weight_0_absence(rng):
    X = rng.normal(size=(150, 2))
    weights = rng.integers(0, 4, size=150)
    rows = np.repeat(np.arange(150), weights)
    model, copies = DBSCAN(0.3).fit(X, sample_weight=weights), DBSCAN(0.3).fit(X[rows])
    np.testing.assert_array_equal(
        np.isin(rows, model.core_sample_indices_), np.isin(np.arange(len(rows)), copies.core_sample_indices_)
    )
    np.testing.assert_array_equal(model.labels_[rows], copies.labels_)
    assert not np.any(weights[model.core_sample_indices_] == 0)


@pytest.mark.spec("CLU-11")
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "precomputed"])
def test_new_points_go_to_the_nearest_core_point_within_eps(metric, rng):
    X, new = rng.normal(size=(200, 2)), 1.5 * rng.normal(size=(100, 2))
    name = {"manhattan": "cityblock"}.get(metric, "euclidean")
    D = cdist(new, X, name)
    model = DBSCAN(0.3, metric=metric).fit(cdist(X, X) if metric == "precomputed" else X)
    core = model.core_sample_indices_
    nearest = core[np.argmin(D[:, core], axis=1)]
    expected = np.where(D[:, core].min(axis=1) <= 0.3, model.labels_[nearest], -1)
    np.testing.assert_array_equal(model.predict(D if metric == "precomputed" else new), expected)
    known = model.predict(cdist(X, X) if metric == "precomputed" else X)
    np.testing.assert_array_equal(known[core], model.labels_[core])
    np.testing.assert_array_equal(known == -1, model.labels_ == -1)


def test_without_core_points_all_is_noise():
    model = DBSCAN(0.1, min_samples=3).fit([[0.0, 0.0], [1.0, 1.0]])
    assert model.components_.shape == (0, 2)
    np.testing.assert_array_equal(model.predict([[0.0, 0.0]]), [-1])


@pytest.mark.parametrize("p", [2, 5])
def test_the_same_bits_for_any_number_of_threads(p, rng):
    X = rng.normal(size=(20_000, p))
    with statlearn.threads(1):
        one = dbscan(X, 0.1 * p, min_samples=10)
    with statlearn.threads(4):
        four = dbscan(X, 0.1 * p, min_samples=10)
    np.testing.assert_array_equal(one[0], four[0])
    np.testing.assert_array_equal(one[1], four[1])


@pytest.mark.parametrize("far", [1e9, 1e150])
def test_outliers_beyond_the_grid(far, rng):
    X = np.concatenate([rng.normal(size=(200, 2)), [[far, far]]])
    labels = DBSCAN(0.5).fit_predict(X)
    np.testing.assert_array_equal(labels[:-1], DBSCAN(0.5).fit_predict(X[:-1]))
    assert labels[-1] == -1


def test_one_point_and_identical_points():
    np.testing.assert_array_equal(DBSCAN(min_samples=1).fit_predict([[3.0]]), [0])
    np.testing.assert_array_equal(DBSCAN().fit_predict([[3.0]]), [-1])
    np.testing.assert_array_equal(DBSCAN(1e-300).fit_predict(np.ones((7, 2))), np.zeros(7))


def test_bad_input_raises_by_name(rng):
    D = rng.random((6, 6))
    np.fill_diagonal(D, 0.0)
    with pytest.raises(ValueError, match="not symmetric"):
        DBSCAN(metric="precomputed").fit(D)
    with pytest.raises(ValueError, match="zero diagonal"):
        DBSCAN(metric="precomputed").fit(D + D.T + np.eye(6))
    with pytest.raises(ValueError, match="square"):
        DBSCAN(metric="precomputed").fit(D[:, :3])
    with pytest.raises(ValueError, match="NaN"):
        DBSCAN().fit([[0.0], [np.nan]])
    with pytest.raises(ValueError, match="'metric' parameter of DBSCAN"):
        DBSCAN(metric="nonsense").fit(D)
    with pytest.raises(ValueError, match="not supported by a KD-tree"):
        DBSCAN(metric="canberra", algorithm="kd_tree").fit(D)


def test_memory_does_not_grow_with_the_number_of_neighbours(rng):
    """All points are neighbours of all others: a list of neighbours would have 4e8 entries."""
    X = 0.01 * rng.normal(size=(20_000, 3))
    np.testing.assert_array_equal(DBSCAN(1.0).fit_predict(X), 0)
    X = 0.01 * rng.normal(size=(20_000, 6))
    np.testing.assert_array_equal(DBSCAN(1.0).fit_predict(X), 0)
