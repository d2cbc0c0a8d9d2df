"""HDBSCAN: the tree against its definition, the choice of clusters against scikit-learn's."""

import numpy as np
import pytest
import sklearn.cluster as theirs
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.cluster import hierarchy
from scipy.spatial.distance import cdist, squareform
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

import statlearn
from statlearn._core.native import cluster as native
from statlearn.cluster import DBSCAN, HDBSCAN
from tests.helpers import assert_close


def reachability(X, k, alpha=1.0):
    D = cdist(X, X)
    core = np.sort(D, axis=1)[:, k - 1]
    R = np.maximum(D / alpha, np.maximum(core[:, None], core))
    np.fill_diagonal(R, 0.0)
    return R


def three_densities(seed=0):
    centers = [[-0.85, -0.85], [-0.85, 0.85], [3, 3], [3, -3]]
    return make_blobs(400, centers=centers, cluster_std=[0.2, 0.35, 1.35, 1.35], random_state=seed)


@pytest.mark.parametrize("p, k, alpha", [(1, 1, 1.0), (2, 5, 1.0), (3, 12, 1.4), (20, 4, 1.0)])
def test_the_tree_is_single_linkage_of_mutual_reachability(p, k, alpha, rng):
    X = rng.normal(size=(300, p))
    model = HDBSCAN(min_samples=k, alpha=alpha).fit(X)
    expected = hierarchy.linkage(squareform(reachability(X, k, alpha)), "single")
    assert_close(model.single_linkage_tree_[:, 2], expected[:, 2])
    assert_close(hierarchy.cophenet(model.single_linkage_tree_), hierarchy.cophenet(expected))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"min_cluster_size": 15},
        {"min_cluster_size": 10, "min_samples": 3},
        {"cluster_selection_method": "leaf"},
        {"allow_single_cluster": True, "min_cluster_size": 100},
        {"max_cluster_size": 80},
    ],
)
def test_the_choice_of_clusters_is_scikit_learns(options):
    """On heights that differ: scikit-learn's result depends on how it breaks ties."""
    X, _ = three_densities()
    reference = theirs.HDBSCAN(copy=True, **options).fit(X)
    Z = np.array(reference._single_linkage_tree_.tolist())
    Z[:, 2] *= 1 + 1e-9 * np.arange(len(Z))  # in the order of that tree
    labels, strengths = np.empty(len(X), dtype=np.intp), np.empty(len(X))
    least = options.get("min_cluster_size", 5)
    leaf = options.get("cluster_selection_method") == "leaf"
    single, largest = options.get("allow_single_cluster", False), options.get("max_cluster_size", len(X) + 1)
    native.hdbscan_labels(Z, least, leaf, single, 0.0, largest, labels, strengths)
    np.testing.assert_array_equal(labels == -1, reference.labels_ == -1)
    assert adjusted_rand_score(labels, reference.labels_) == 1.0
    assert_close(strengths, reference.probabilities_, rtol=1e-5)  # the heights were changed by up to 4e-7


def test_labels_agree_with_scikit_learn_but_for_ties():
    X, y = three_densities()
    ours, other = HDBSCAN().fit(X), theirs.HDBSCAN(copy=True).fit(X)
    assert adjusted_rand_score(ours.labels_, other.labels_) > 0.97
    assert ours.labels_.max() == 3
    assert adjusted_rand_score(y, ours.labels_) > max(
        adjusted_rand_score(y, DBSCAN(eps).fit_predict(X)) for eps in np.geomspace(0.05, 2, 30)
    )


@given(seed=st.integers(0, 10_000), lattice=st.booleans(), method=st.sampled_from(["eom", "leaf"]))
def test_the_order_of_the_rows_does_not_matter(seed, lattice, method):
    rng = np.random.default_rng(seed)
    X = np.concatenate([rng.normal(size=(40, 2)), rng.normal(size=(40, 2)) * 0.3 + 4])
    X = np.round(X, 1) if lattice else X  # with many equal distances
    order = rng.permutation(80)
    a = HDBSCAN(cluster_selection_method=method).fit(X)
    b = HDBSCAN(cluster_selection_method=method).fit(X[order])
    same = a.labels_[order][:, None] == a.labels_[order]
    np.testing.assert_array_equal(same, b.labels_[:, None] == b.labels_)
    np.testing.assert_array_equal(a.labels_[order] == -1, b.labels_ == -1)
    assert_close(a.probabilities_[order], b.probabilities_)


@pytest.mark.parametrize("metric", ["manhattan", "precomputed", "sparse", "function", "cosine"])
def test_other_dissimilarities(metric):
    X, _ = make_blobs(150, centers=3, random_state=1)
    X = X + 20
    expected = HDBSCAN(algorithm="brute").fit(X)
    assert_close(expected.single_linkage_tree_[:, 2], HDBSCAN().fit(X).single_linkage_tree_[:, 2])
    if metric == "manhattan":
        model = HDBSCAN(metric="manhattan").fit(X)
        assert_close(
            model.single_linkage_tree_[:, 2],
            HDBSCAN(metric="precomputed").fit(cdist(X, X, "cityblock")).single_linkage_tree_[:, 2],
        )
        return
    if metric == "cosine":
        assert HDBSCAN(metric="cosine").fit(X).labels_.shape == (150,)
        return
    D = cdist(X, X)
    if metric == "sparse":
        model = HDBSCAN(metric="precomputed", min_samples=6).fit(sparse.csr_array(D))  # the zeros are not stored
        expected = HDBSCAN(min_samples=7).fit(X)
    else:
        model = HDBSCAN(metric="precomputed" if metric == "precomputed" else lambda a, b: np.linalg.norm(a - b))
        model.fit(D if metric == "precomputed" else X)
    assert_close(model.single_linkage_tree_[:, 2], expected.single_linkage_tree_[:, 2])
    np.testing.assert_array_equal(model.labels_, expected.labels_)


def test_rows_with_missing_or_infinite_values_get_special_labels():
    X, _ = three_densities()
    broken = X.copy()
    broken[3, 0], broken[7] = np.nan, [np.inf, np.nan]
    broken[11, 1] = -np.inf
    model = HDBSCAN().fit(broken)
    np.testing.assert_array_equal(model.labels_[[3, 7, 11]], [-3, -3, -2])
    assert np.isnan(model.probabilities_[3])
    assert model.probabilities_[11] == 0
    rest = np.setdiff1d(np.arange(len(X)), [3, 7, 11])
    np.testing.assert_array_equal(model.labels_[rest], HDBSCAN().fit(X[rest]).labels_)
    np.testing.assert_array_equal(model.dbscan_clustering(0.3)[[3, 7, 11]], [-3, -3, -2])


def test_a_cut_is_dbscan_without_border_points():
    X, _ = three_densities()
    labels = HDBSCAN(min_samples=5).fit(X).dbscan_clustering(0.3, min_cluster_size=1)
    reference = DBSCAN(0.3, min_samples=5).fit(X)
    core = reference.core_sample_indices_
    same = labels[core][:, None] == labels[core]
    np.testing.assert_array_equal(same, reference.labels_[core][:, None] == reference.labels_[core])
    large = HDBSCAN(min_samples=5).fit(X).dbscan_clustering(0.3, min_cluster_size=20)
    assert np.bincount(large[large >= 0]).min() >= 20


def test_clusters_born_below_epsilon_are_joined(rng):
    X = np.concatenate([rng.normal(c, 0.05, size=(30, 2)) for c in ([0, 0], [0.5, 0], [8, 8])])
    assert HDBSCAN().fit(X).labels_.max() >= 2
    joined = HDBSCAN(cluster_selection_epsilon=1.0).fit(X).labels_
    assert set(joined) <= {0, 1}
    assert len(set(joined[:60])) == 1
    assert joined[60] != joined[0]


@pytest.mark.parametrize("unit", [1e-150, 1e150])
def test_any_unit_of_length(unit):
    X, _ = three_densities()
    model = HDBSCAN().fit(X * unit)
    np.testing.assert_array_equal(model.labels_, HDBSCAN().fit(X).labels_)


def test_centres_are_weighted_means_and_medoids():
    X, _ = make_blobs(300, centers=[[0, 0], [5, 5]], cluster_std=0.4, random_state=0)
    model = HDBSCAN(min_cluster_size=20, store_centers="both").fit(X)
    for c in range(2):
        rows, w = X[model.labels_ == c], model.probabilities_[model.labels_ == c]
        assert_close(model.centroids_[c], w @ rows / w.sum())
        assert_close(model.medoids_[c], rows[np.argmin(cdist(rows, rows) @ w)])


def test_identical_points_are_one_cluster_if_allowed():
    X = np.ones((20, 2))
    np.testing.assert_array_equal(HDBSCAN().fit(X).labels_, -1)
    np.testing.assert_array_equal(HDBSCAN(allow_single_cluster=True).fit(X).labels_, 0)
    np.testing.assert_array_equal(HDBSCAN().fit(np.repeat([[0.0], [1.0]], 10, axis=0)).labels_, np.repeat([0, 1], 10))


def test_the_same_bits_for_any_number_of_threads(rng):
    X = np.round(rng.normal(size=(5000, 3)), 2)
    with statlearn.threads(1):
        one = HDBSCAN().fit(X)
    with statlearn.threads(4):
        four = HDBSCAN().fit(X)
    np.testing.assert_array_equal(one.single_linkage_tree_, four.single_linkage_tree_)
    np.testing.assert_array_equal(one.probabilities_, four.probabilities_)


def test_bad_input_raises(rng, monkeypatch):
    D = rng.random((8, 8))
    with pytest.raises(ValueError, match="asymmetric"):
        HDBSCAN(metric="precomputed").fit(D)
    with pytest.raises(ValueError, match="has shape"):
        HDBSCAN(metric="precomputed").fit(D[:, :4])
    with pytest.raises(ValueError, match="more than one sample"):
        HDBSCAN().fit([[0.0]])
    with pytest.raises(ValueError, match="min_samples \\(9\\) must be at most"):
        HDBSCAN(min_samples=9).fit(D)
    with pytest.raises(ValueError, match="not a valid metric for a KDTree"):
        HDBSCAN(metric="cosine", algorithm="kd_tree").fit(D)
    monkeypatch.setattr("statlearn._core.memory.available_memory", lambda: 10**5)
    with pytest.raises(MemoryError, match="200 x 200 distance matrix would take 320 KB"):
        HDBSCAN(metric="manhattan").fit(rng.normal(size=(200, 2)))
