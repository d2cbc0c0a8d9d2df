"""k-means by halving."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from statlearn.cluster import BisectingKMeans, KMeans
from tests.helpers import assert_close


@given(st.integers(0, 10_000), st.integers(1, 7), st.sampled_from(["biggest_inertia", "largest_cluster"]))
def test_the_tree_of_cuts(draw, k, strategy):
    rng = np.random.default_rng(draw)
    X = rng.normal(size=(40, 2))
    model = BisectingKMeans(k, bisecting_strategy=strategy, random_state=draw, tol=0).fit(X)
    assert len(model.tree_centers_) == 2 * k - 1
    assert_close(model.tree_centers_[0], X.mean(axis=0))
    np.testing.assert_array_equal(np.unique(model.labels_), np.arange(k))
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    for c in range(k):  # every cut ended with the means of its halves
        assert_close(model.cluster_centers_[c], X[model.labels_ == c].mean(axis=0))
    assert_close(model.inertia_, np.sum((X - model.cluster_centers_[model.labels_]) ** 2))


def test_two_clusters_match_kmeans(rng):
    X = rng.normal(size=(100, 2)) + 6 * rng.integers(0, 2, size=(100, 1))
    assert_close(BisectingKMeans(2, random_state=0).fit(X).inertia_, KMeans(2, random_state=0).fit(X).inertia_)


def test_next_cut_splits_the_cluster_with_the_largest_criterion():
    # A wide group of two rows and a tight one of six.
    X = np.array([[0.0], [20], [100], [101], [102], [103], [104], [105]])
    by_inertia = BisectingKMeans(3, random_state=0, init="k-means++").fit(X)
    by_size = BisectingKMeans(3, random_state=0, init="k-means++", bisecting_strategy="largest_cluster").fit(X)
    assert by_inertia.labels_[0] != by_inertia.labels_[1]
    assert by_size.labels_[0] == by_size.labels_[1]
    assert by_size.labels_[2] != by_size.labels_[7]


def test_copies_cannot_be_cut():
    with pytest.warns(ConvergenceWarning, match=r"distinct clusters \(2\)"):
        model = BisectingKMeans(4, random_state=0).fit(np.repeat([[0.0], [1.0]], 5, axis=0))
    assert model.inertia_ == 0
    assert model.cluster_centers_.shape == (4, 1)


def test_more_clusters_than_rows():
    with pytest.raises(ValueError, match="n_samples=3 should be >= n_clusters=8"):
        BisectingKMeans().fit([[0.0], [1], [2]])


@pytest.mark.filterwarnings("ignore:Number of distinct clusters")
@pytest.mark.parametrize("strategy", ["biggest_inertia", "largest_cluster"])
@pytest.mark.parametrize("weighted", [False, True])
def test_fewer_distinct_rows_than_clusters(strategy, weighted, seed):
    """A half without rows was cut again, and the kernel read rows that were not there."""
    X = np.repeat([[0.0], [1.0]], 10, axis=0)
    w = np.full(20, 2.0) if weighted else None
    m = BisectingKMeans(n_clusters=8, random_state=seed, bisecting_strategy=strategy).fit(X, sample_weight=w)
    assert m.cluster_centers_.shape == (8, 1)
    np.testing.assert_array_equal(m.cluster_centers_[m.labels_], X)
    np.testing.assert_array_equal(m.predict(X), m.labels_)
    assert m.inertia_ == 0.0
