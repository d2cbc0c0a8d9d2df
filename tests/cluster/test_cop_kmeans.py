"""k-means with must-link and cannot-link pairs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from statlearn.cluster import COPKMeans, InfeasibleConstraints, KMeans
from tests.helpers import assert_close


def pairs_from(rng, truth, count):
    """Pairs that the labels honour."""
    i, j = rng.integers(len(truth), size=(2, count))
    i, j = i[i != j], j[i != j]
    together = truth[i] == truth[j]
    return np.column_stack([i, j])[together], np.column_stack([i, j])[~together]


@pytest.mark.spec("CLU-P7", "CLU-07")
@given(st.integers(0, 10_000), st.integers(2, 5))
def test_all_pairs_are_honoured_or_it_fails(draw, k):
    rng = np.random.default_rng(draw)
    X = rng.normal(size=(30, 2))
    must, cannot = pairs_from(rng, rng.integers(k, size=30), 12)
    try:
        model = COPKMeans(k, random_state=draw).fit(X, must_link=must, cannot_link=cannot)
    except InfeasibleConstraints:  # a greedy search may miss labels that exist for more than two clusters
        assert k > 2
        return
    labels = model.labels_
    assert np.all(labels[must[:, 0]] == labels[must[:, 1]])
    assert np.all(labels[cannot[:, 0]] != labels[cannot[:, 1]])
    assert_close(model.inertia_, np.sum((X - model.cluster_centers_[labels]) ** 2))
    for c in np.unique(labels):
        assert_close(model.cluster_centers_[c], X[labels == c].mean(axis=0), rtol=1e-2, atol=1e-2)  # up to tol


@pytest.mark.spec("CLU-P7")
@given(st.integers(0, 10_000), st.integers(1, 5))
def test_without_pairs_it_is_kmeans(draw, k):
    rng = np.random.default_rng(draw)
    X, weights = rng.normal(size=(30, 2)), rng.integers(0, 3, size=30)
    plain = KMeans(k, random_state=draw).fit(X, sample_weight=weights)
    ours = COPKMeans(k, random_state=draw).fit(X, sample_weight=weights, must_link=[], cannot_link=None)
    np.testing.assert_array_equal(ours.labels_, plain.labels_)
    assert_close(ours.cluster_centers_, plain.cluster_centers_)
    assert_close(ours.inertia_, plain.inertia_)


@pytest.mark.spec("CLU-07")
def test_must_links_are_closed():
    X = np.array([[0.0], [4], [8], [12], [100]])
    labels = COPKMeans(2, random_state=0).fit(X, must_link=[(0, 1), (2, 1), (3, 2), (4, 4)]).labels_
    assert len(set(labels[:4].tolist())) == 1
    labels = COPKMeans(2, random_state=0).fit(X, must_link=[(0, 4)]).labels_
    assert labels[0] == labels[4]


@pytest.mark.spec("CLU-07")
@pytest.mark.parametrize(
    "must, cannot, pair",
    [
        ([(0, 1), (1, 2)], [(2, 0)], (2, 0)),
        ([], [(1, 1)], (1, 1)),
        ([], [(0, 1), (1, 2), (0, 2)], None),  # three rows apart need three clusters
        ([(0, 3)], [(0, 1), (1, 2), (2, 3)], None),
    ],
)
def test_contradictions_are_reported_with_the_pair(must, cannot, pair):
    X = np.arange(4.0)[:, None]
    with pytest.raises(InfeasibleConstraints, match=r"cannot_link") as caught:
        COPKMeans(2, random_state=0).fit(X, must_link=must, cannot_link=cannot)
    assert caught.value.pair is not None
    if pair:
        assert caught.value.pair == pair
        assert str(pair[0]) in str(caught.value)


def test_other_orders_are_tried_before_giving_up():
    # A path 0 - 3 - 1 - 2 in a plane where rows 0 and 2 prefer one cluster: placing 0, 1, 2, 3 greedily gets stuck.
    X = np.array([[0.0], [0.2], [10.0], [0.1]])
    labels = COPKMeans(2, init=[[0.0], [10.0]]).fit(X, cannot_link=[(0, 3), (3, 1), (1, 2)]).labels_
    assert labels[0] != labels[3] != labels[1] != labels[2]


def test_constraints_improve_clusters_beyond_the_distance(rng):
    # Two long strips side by side: k-means cuts across them.
    X = np.column_stack([rng.uniform(0, 12, size=120), np.repeat([0.0, 2.5], 60)])
    truth = np.repeat([0, 1], 60)
    must, cannot = pairs_from(rng, truth, 150)
    free = KMeans(2, random_state=0).fit(X).labels_
    bound = COPKMeans(2, random_state=0, init="random").fit(X, must_link=must, cannot_link=cannot).labels_

    def agreement(labels):
        return max(np.mean(labels == truth), np.mean(labels != truth))

    assert agreement(bound) > 0.95 > agreement(free)


def test_sparse_rows(rng):
    X = rng.normal(size=(30, 3))
    settings = dict(must_link=[(0, 1)], cannot_link=[(2, 3), (3, 4)])
    dense = COPKMeans(3, random_state=0).fit(X, **settings)
    np.testing.assert_array_equal(
        COPKMeans(3, random_state=0).fit(sparse.csr_array(X), **settings).labels_, dense.labels_
    )


def test_bad_pairs_raise_by_name():
    X = np.arange(4.0)[:, None]
    for bad in ([0, 1], [(0, 1, 2)], [(0.5, 1.0)]):
        with pytest.raises(ValueError, match="`must_link` must contain pairs"):
            COPKMeans(2).fit(X, must_link=bad)
    with pytest.raises(ValueError, match="`cannot_link`: row indices must be between 0 and 3"):
        COPKMeans(2).fit(X, cannot_link=[(0, 4)])


@pytest.mark.spec("CRS-30")
def test_pairs_passed_as_y_raise(rng):
    X, must, cannot = rng.normal(size=(20, 2)), [(0, 1), (2, 3), (4, 5)], [(0, 2)]
    for fit in (COPKMeans(2).fit, COPKMeans(2).fit_predict):
        with pytest.raises(ValueError, match=r"two columns.*use `fit\(X, must_link=\.\.\.\)`"):
            fit(X, must)
        with pytest.raises(ValueError, match=r"use `fit\(X, must_link=\.\.\., cannot_link=\.\.\.\)`"):
            fit(X, must, cannot)
    COPKMeans(2, random_state=0).fit(X, np.arange(20) % 2, must_link=must, cannot_link=cannot)
