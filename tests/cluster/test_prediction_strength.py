"""Prediction strength."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import AgglomerativeClustering
from sklearn.datasets import make_blobs

from statlearn.cluster import KMeans, prediction_strength
from statlearn.cluster._prediction_strength import pair_strength
from tests.helpers import assert_close


def test_three_blobs_are_stable_unlike_four():
    X, _ = make_blobs(120, centers=[[0, 0], [6, 0], [0, 6]], cluster_std=0.5, random_state=0)
    found = prediction_strength(X, range(1, 6), n_splits=4, estimator=KMeans(n_init=3), random_state=0)
    assert found.n_clusters == 3
    assert_close(found.strength[[0, 2]], [1.0, 1.0])
    assert (found.strength[3:] < 0.8).all()
    assert len(found.plot().lines) >= 3


def test_a_clusterer_without_predict_assigns_to_the_nearest_mean():
    X, _ = make_blobs(80, centers=[[0, 0], [6, 0]], cluster_std=0.5, random_state=0)
    found = prediction_strength(X, [1, 2, 3], n_splits=2, estimator=AgglomerativeClustering(), random_state=0)
    assert found.n_clusters == 2


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=2, max_size=30))
def test_shares_of_pairs(rows):
    codes = np.unique([a for a, _ in rows], return_inverse=True)[1]
    predicted = np.array([b for _, b in rows])
    shares = []
    for c in range(codes.max() + 1):
        members = predicted[codes == c]
        pairs = [members[i] == members[j] for i in range(len(members)) for j in range(i)]
        if pairs:
            shares.append(np.mean(pairs))
    assert_close(pair_strength(predicted, codes), min(shares, default=1.0))


def test_halves_limit_the_number_of_clusters():
    with pytest.raises(ValueError, match="at most 5"):
        prediction_strength(np.eye(10), [6])
    with pytest.raises(ValueError, match="threshold"):
        prediction_strength(np.eye(10), [2], threshold=1.5)
