"""Scatter within and between clusters."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import pairwise_distances

from statlearn.cluster import within_between_total
from tests.cluster.test_silhouette import TWO5, partition
from tests.helpers import assert_close


@pytest.mark.spec("CLU-18", "CLU-T12")
def test_scatter_of_ten_points_matches_the_printed_values():
    scatter = within_between_total(TWO5, np.repeat([0, 1], 5))
    assert_close([scatter.within, scatter.total, scatter.between], [35.2, 144.2, 109.0], atol=1e-6)


@given(st.integers(2, 40), st.integers(1, 6), st.integers(0, 10_000))
def test_from_centres_and_from_distances(n, k, seed):
    k = min(k, n)
    X = np.random.default_rng(seed).normal(size=(n, 3)) + 100
    labels = partition(n, k, seed)
    scatter = within_between_total(X, labels)
    parts = [((X[labels == c] - X[labels == c].mean(axis=0)) ** 2).sum() for c in range(k)]
    assert_close(scatter.by_cluster, parts)
    assert_close(scatter.within, sum(parts))
    assert_close(scatter.total, ((X - X.mean(axis=0)) ** 2).sum())
    means = np.array([X[labels == c].mean(axis=0) for c in range(k)])
    assert_close(scatter.between, (scatter.sizes[:, None] * (means - X.mean(axis=0)) ** 2).sum(), atol=1e-7)
    D = pairwise_distances(X) ** 2
    same = labels[:, None] == labels
    assert_close(scatter.within_pairs, D[same].sum() / 2)
    assert_close(scatter.between_pairs, D[~same].sum() / 2, atol=1e-7)
    assert_close(scatter.total_pairs, D.sum() / 2)
    given_distances = within_between_total(D, labels, metric="precomputed")
    assert_close(given_distances.within, scatter.within)
    assert_close(given_distances.between, scatter.between, atol=1e-7)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "canberra"])
def test_other_dissimilarities(metric):
    X, labels = np.random.default_rng(0).normal(size=(50, 3)), partition(50, 4)
    D = pairwise_distances(X, metric=metric)
    same = labels[:, None] == labels
    scatter = within_between_total(X, labels, metric=metric)
    assert_close(
        [scatter.within_pairs, scatter.between_pairs, scatter.total_pairs],
        [D[same].sum() / 2, D[~same].sum() / 2, D.sum() / 2],
    )


def test_bad_input_raises():
    with pytest.raises(ValueError, match="inconsistent"):
        within_between_total(np.eye(3), [0, 1])
    with pytest.raises(ValueError, match="metric"):
        within_between_total(np.eye(3), [0, 1, 1], metric="nonsense")
