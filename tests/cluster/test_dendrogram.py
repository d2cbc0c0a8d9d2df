"""Drawing, cophenetic distances and cuts of hierarchies."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster import hierarchy
from scipy.spatial.distance import squareform

from statlearn.cluster import (
    HDBSCAN,
    AgglomerativeClustering,
    KMeans,
    cophenetic,
    cut_tree,
    dendrogram,
    leaf_order,
    linkage,
)
from tests.cluster.countries import NAMES, countries
from tests.helpers import assert_close


@pytest.mark.spec("CLU-10")
@pytest.mark.parametrize("method", ["single", "complete", "average", "ward"])
def test_cophenetic_distances_match_scipy(method, rng):
    Z = linkage(rng.normal(size=(50, 3)), method)
    assert_close(cophenetic(Z), hierarchy.cophenet(Z))


@pytest.mark.spec("CLU-10")
@pytest.mark.parametrize("method", ["single", "complete", "average", "ward"])
def test_cuts_match_scipy(method, rng):
    Z = linkage(rng.normal(size=(40, 3)), method)
    for k in (1, 2, 7, 40):
        np.testing.assert_array_equal(cut_tree(Z, k), hierarchy.cut_tree(Z, k)[:, 0])


@pytest.mark.spec("CLU-P10")
@given(seed=st.integers(0, 10_000), n=st.integers(2, 30), share=st.floats(0, 1.2))
def test_rows_of_a_cluster_differ_by_at_most_the_cut(seed, n, share):
    Z = linkage(np.random.default_rng(seed).normal(size=(n, 2)), "average")
    height = share * Z[-1, 2]
    labels = cut_tree(Z, height=height)
    np.testing.assert_array_equal(labels[:, None] == labels, squareform(cophenetic(Z)) <= height)
    assert labels[0] == 0
    assert set(labels) == set(range(labels.max() + 1))


def test_a_cut_exactly_at_a_merge_keeps_it():
    Z = linkage(countries(), "complete", metric="precomputed")
    assert len(set(cut_tree(Z, height=Z[8, 2]))) == 3


@pytest.mark.spec("CLU-10")
def test_bars_lie_at_the_heights_of_the_merges_and_feet_on_their_parts():
    Z = linkage(countries(), "average", metric="precomputed")
    ax = dendrogram(Z, labels=NAMES, n_clusters=3)
    corners = np.array(ax.collections[0].get_segments())
    assert corners.shape == (11, 4, 2)
    assert_close(corners[:, 1, 1], Z[:, 2])
    assert_close(corners[:, 2, 1], Z[:, 2])
    # Each foot stands on the middle of another bar or on the axis, over a leaf.
    tops = {(x, y) for x, y in zip((corners[:, 1, 0] + corners[:, 2, 0]) / 2, Z[:, 2])}
    for x, y in np.concatenate([corners[:, 0], corners[:, 3]]):
        assert (x, y) in tops or (y == 0 and x == int(x))
    names = [t.get_text() for t in ax.get_xticklabels()]
    assert names == [NAMES[i] for i in leaf_order(Z)]
    colours = {tuple(c) for c in ax.collections[0].get_colors()}
    assert len(colours) == 4  # three clusters and what is above the cut
    assert Z[-3, 2] < ax.lines[0].get_ydata()[0] < Z[-2, 2]


def test_no_branches_cross(rng):
    Z = linkage(rng.normal(size=(60, 2)), "complete")
    order = leaf_order(Z)
    place = np.argsort(order)
    members = [[i] for i in range(60)]
    for a, b in Z[:, :2].astype(int):
        members.append(members[a] + members[b])
    for rows in members[60:]:
        assert np.ptp(place[rows]) == len(rows) - 1


def test_the_root_may_lie_to_the_right(rng):
    ax = dendrogram(linkage(rng.normal(size=(70, 2))), orientation="right")
    assert ax.get_xlabel() == "height"
    assert len(ax.get_yticks()) == 0


@pytest.mark.parametrize(
    "Z, message",
    [
        ([[0, 1, 1.0]], "4 columns"),
        ([[0, 2, 1.0, 2]], "does not exist yet"),
        ([[0, 1, 1.0, 2], [0, 2, 2.0, 3]], "merged twice"),
    ],
)
def test_invalid_hierarchies_raise(Z, message):
    for function in (cophenetic, leaf_order, dendrogram, lambda Z: cut_tree(Z, 1)):
        with pytest.raises(ValueError, match=message):
            function(Z)


def test_a_table_of_rows_is_not_a_hierarchy(rng):
    with pytest.raises(ValueError, match=r"must have 4 columns.*For a table of rows pass linkage\(X\)"):
        dendrogram(rng.normal(size=(20, 2)))


def test_bad_arguments():
    Z = linkage([[0.0], [1.0], [3.0]])
    with pytest.raises(ValueError, match="exactly one of `n_clusters` and `height`"):
        cut_tree(Z)
    with pytest.raises(ValueError, match="between 1 and 3"):
        cut_tree(Z, 4)
    with pytest.raises(ValueError, match="orientation"):
        dendrogram(Z, orientation="left")
    with pytest.raises(ValueError, match="2 entries, but there are 3 rows"):
        dendrogram(Z, labels=["a", "b"])


@pytest.mark.spec("CRS-117")
@pytest.mark.parametrize("method", ["ward", "average"])
def test_a_fitted_clustering_is_drawn_and_cut_at_its_clusters(method, rng):
    X = rng.normal(size=(30, 2))
    model = AgglomerativeClustering(4, linkage=method, compute_distances=True).fit(X)
    Z = linkage(X, method)
    assert_close(cophenetic(model), cophenetic(Z))
    np.testing.assert_array_equal(leaf_order(model), leaf_order(Z))
    np.testing.assert_array_equal(cut_tree(model, 4), cut_tree(Z, 4))
    ours, expected = dendrogram(model), dendrogram(Z, n_clusters=4)
    for a, b in zip(ours.collections[0].get_segments(), expected.collections[0].get_segments()):
        assert_close(a, b)
    np.testing.assert_array_equal(ours.collections[0].get_colors(), expected.collections[0].get_colors())
    assert_close(ours.lines[0].get_ydata(), expected.lines[0].get_ydata())
    by_height = AgglomerativeClustering(None, distance_threshold=np.median(Z[:, 2]), linkage=method).fit(X)
    assert_close(dendrogram(by_height).collections[0].get_segments()[0], expected.collections[0].get_segments()[0])
    assert len(cophenetic(HDBSCAN(min_samples=2).fit(X))) == 30 * 29 // 2


@pytest.mark.spec("CRS-117")
def test_a_clustering_without_heights_says_how_to_fit(rng):
    X = rng.normal(size=(120, 2))
    with pytest.raises(ValueError, match="compute_distances=True"):
        dendrogram(AgglomerativeClustering(3).fit(X))
    chain = np.eye(120, k=1) + np.eye(120, k=-1)
    early = AgglomerativeClustering(3, compute_distances=True, connectivity=chain, compute_full_tree=False)
    with pytest.raises(ValueError, match="compute_full_tree=True"):
        dendrogram(early.fit(X))
    with pytest.raises(TypeError, match=r"KMeans has no hierarchy; pass the result of linkage"):
        dendrogram(KMeans(2).fit(X))
