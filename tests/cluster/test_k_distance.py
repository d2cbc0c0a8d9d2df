"""Distances to the neighbour that makes a core point."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import make_blobs

from statlearn.cluster import DBSCAN, k_distance, k_distance_plot
from tests.helpers import assert_close


@pytest.mark.spec("CLU-12")
def test_distances_match_the_matrix(rng):
    X = rng.normal(size=(100, 3))
    curve = k_distance(X)
    assert curve.min_samples == 6  # twice the number of columns
    assert_close(curve.distances, np.sort(np.sort(cdist(X, X), axis=1)[:, 5]))
    taxi = k_distance(X, 4, metric="manhattan")
    assert_close(taxi.distances, np.sort(np.sort(cdist(X, X, "cityblock"), axis=1)[:, 3]))


@pytest.mark.spec("CLU-12")
def test_a_point_of_the_curve_is_the_number_of_core_points(rng):
    X = rng.normal(size=(80, 2))
    curve = k_distance(X, 5)
    for i in (0, 30, 79):
        eps = curve.distances[i] * (1 + 1e-12)
        assert len(DBSCAN(eps, min_samples=5).fit(X).core_sample_indices_) == np.sum(curve.distances <= eps) >= i + 1


@pytest.mark.spec("CLU-12")
def test_the_elbow_separates_clusters_from_noise(rng):
    X, y = make_blobs(300, centers=[[0, 0], [8, 0], [0, 8]], cluster_std=0.4, random_state=0)
    X = np.concatenate([X, rng.uniform(-4, 12, size=(20, 2))])
    curve = k_distance(X)
    labels = DBSCAN(curve.eps, min_samples=curve.min_samples).fit_predict(X)
    assert labels.max() == 2
    assert [len(set(labels[:300][y == c]) - {-1}) for c in range(3)] == [1, 1, 1]
    ax = k_distance_plot(curve)
    assert_close(ax.lines[0].get_ydata(), curve.distances)
    assert ax.lines[1].get_ydata()[0] == curve.eps


def test_identical_points_have_no_elbow():
    assert k_distance(np.ones((10, 2))).eps == 0.0


def test_bad_arguments():
    with pytest.raises(ValueError, match="exceeds the 3 rows"):
        k_distance(np.ones((3, 1)), 4)
    with pytest.raises(ValueError, match="'min_samples' parameter of k_distance"):
        k_distance(np.ones((3, 1)), 1)
