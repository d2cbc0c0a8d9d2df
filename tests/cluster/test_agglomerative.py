"""Agglomerative clustering of rows and columns beside scikit-learn's."""

import numpy as np
import pytest
import sklearn.cluster as theirs
from scipy import sparse
from sklearn.feature_extraction.image import grid_to_graph
from sklearn.neighbors import kneighbors_graph

from statlearn.cluster import AgglomerativeClustering, FeatureAgglomeration, linkage, linkage_tree, ward_tree
from tests.helpers import assert_close


@pytest.mark.spec("CLU-09")
@pytest.mark.parametrize("method", ["ward", "complete", "average", "single"])
@pytest.mark.parametrize("cut", [{"n_clusters": 4}, {"n_clusters": None, "distance_threshold": 1.5}])
def test_labels_and_tree_are_scikit_learns(method, cut, rng):
    X = rng.normal(size=(80, 3))
    kw = {"linkage": method, "compute_distances": True, **cut}
    a, b = AgglomerativeClustering(**kw).fit(X), theirs.AgglomerativeClustering(**kw).fit(X)
    np.testing.assert_array_equal(np.sort(a.children_, axis=1), np.sort(b.children_, axis=1))
    assert_close(a.distances_, b.distances_)
    assert a.n_clusters_ == b.n_clusters_
    np.testing.assert_array_equal(a.labels_[:, None] == a.labels_, b.labels_[:, None] == b.labels_)
    if method != "single":  # there scikit-learn does not sort the two children, on which the numbers depend
        np.testing.assert_array_equal(a.labels_, b.labels_)


@pytest.mark.parametrize("method", ["ward", "complete", "average", "single"])
@pytest.mark.parametrize("full", [True, False])
def test_with_a_graph_too(method, full, rng):
    X = rng.normal(size=(200, 3))
    graph = kneighbors_graph(X, 12, include_self=False)
    kw = {
        "n_clusters": 6,
        "linkage": method,
        "connectivity": graph,
        "compute_full_tree": full,
        "compute_distances": True,
    }
    a, b = AgglomerativeClustering(**kw).fit(X), theirs.AgglomerativeClustering(**kw).fit(X)
    np.testing.assert_array_equal(a.labels_[:, None] == a.labels_, b.labels_[:, None] == b.labels_)
    assert_close(a.distances_[: len(b.distances_)], b.distances_[: len(a.distances_)])
    assert len(a.children_) == (199 if full else 194)


def test_neighbouring_pixels_stay_together(rng):
    """Every cluster of an image is connected in it."""
    from scipy.ndimage import label

    image = np.kron(rng.normal(size=(4, 4)), np.ones((5, 5))) + 0.3 * rng.normal(size=(20, 20))
    model = AgglomerativeClustering(12, connectivity=grid_to_graph(20, 20)).fit(image.reshape(-1, 1))
    regions = model.labels_.reshape(20, 20)
    assert [label(regions == c)[1] for c in range(12)] == [1] * 12


def test_components_of_a_graph_are_joined_with_a_warning(rng):
    X = np.concatenate([rng.normal(size=(10, 2)), rng.normal(size=(10, 2)) + 20])
    graph = sparse.block_diag([np.ones((10, 10)), np.ones((10, 10))])
    with pytest.warns(UserWarning, match="connected components of the connectivity matrix is 2 > 1"):
        model = AgglomerativeClustering(2, connectivity=graph, linkage="average").fit(X)
    assert model.n_connected_components_ == 2
    np.testing.assert_array_equal(
        model.labels_[:, None] == model.labels_, np.arange(20)[:, None] // 10 == np.arange(20) // 10
    )


@pytest.mark.parametrize("method", ["weighted", "centroid", "median"])
def test_further_linkages(method, rng):
    X = rng.normal(size=(30, 2))
    model = AgglomerativeClustering(3, linkage=method, compute_distances=True).fit(X)
    assert_close(model.distances_, linkage(X, method)[:, 2])
    assert len(set(model.labels_)) == 3
    with pytest.raises(ValueError, match="does not support a connectivity graph"):
        AgglomerativeClustering(3, linkage=method, connectivity=np.ones((30, 30))).fit(X)
    if method != "weighted":
        with pytest.raises(ValueError, match="heights that never decrease"):
            AgglomerativeClustering(None, linkage=method, distance_threshold=1.0).fit(X)


def test_more_clusters_than_rows():
    X = np.arange(4.0)[:, None]
    with pytest.raises(ValueError, match="more clusters than samples"):
        AgglomerativeClustering(5).fit(X)
    with pytest.raises(ValueError, match="more clusters than samples"):
        AgglomerativeClustering(5, connectivity=np.ones((4, 4)), compute_full_tree=False).fit(X)


def test_dissimilarity_matrices_are_checked(rng):
    D = rng.random((5, 5))
    np.fill_diagonal(D, 0.0)
    model = AgglomerativeClustering(metric="precomputed", linkage="average")
    with pytest.raises(ValueError, match="not symmetric"):
        model.fit(D)
    with pytest.raises(ValueError, match="zero diagonal"):
        model.fit(D + D.T + np.eye(5))
    with pytest.raises(ValueError, match="square, got matrix of shape"):
        model.fit(D[:, :3])


def test_columns_are_pooled_and_restored(rng):
    base = rng.normal(size=(40, 3))
    X = np.repeat(base, [2, 3, 4], axis=1) + 1e-3 * rng.normal(size=(40, 9))
    model = FeatureAgglomeration(3).fit(X)
    reference = theirs.FeatureAgglomeration(3).fit(X)
    np.testing.assert_array_equal(model.labels_, reference.labels_)
    assert_close(model.transform(X), reference.transform(X))
    assert np.abs(model.inverse_transform(model.transform(X)) - X).max() < 0.01
    medians = FeatureAgglomeration(3, pooling_func=np.median).fit(X)
    assert_close(medians.transform(X)[:, 0], np.median(X[:, medians.labels_ == 0], axis=1))
    with pytest.raises(AttributeError):
        model.fit_predict(X)


@pytest.mark.parametrize("graph", [None, "chain"])
def test_trees_in_scikit_learns_form(graph, rng):
    X = rng.normal(size=(30, 2))
    if graph is not None:
        graph = sparse.diags([np.ones(29), np.ones(29)], [-1, 1]).tocsr()
    for ours, other, kw in (
        (ward_tree, theirs.ward_tree, {}),
        (linkage_tree, theirs.linkage_tree, {"linkage": "complete"}),
        (linkage_tree, theirs.linkage_tree, {"linkage": "average"}),
    ):
        a = ours(X, connectivity=graph, return_distance=True, **kw)
        b = other(X, connectivity=graph, return_distance=True, **kw)
        np.testing.assert_array_equal(np.sort(a[0], axis=1), np.sort(b[0], axis=1))
        assert a[1:3] == b[1:3]
        assert_close(a[4], b[4])
        if graph is None:
            assert a[3] is None
        else:
            np.testing.assert_array_equal(a[3], b[3])
