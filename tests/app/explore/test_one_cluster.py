"""Single clouds are not divided; separate groups are."""

import numpy as np
import pytest

from statlearn.app.explore.one_cluster import number_of_clusters

CHOICES = {"silhouette": 2, "within": 3, "davies_bouldin": 8, "gap": 1}


@pytest.mark.parametrize("cloud", ["normal", "long", "uniform"])
def test_single_clouds_stay_whole(cloud, rng):
    found = []
    for seed in range(5):
        rows = rng.random((120, 2)) if cloud == "uniform" else rng.normal(size=(120, 2))
        rows = rows @ np.array([[4.0, 1.0], [0.0, 0.5]]) if cloud == "long" else rows
        found.append(number_of_clusters(rows, CHOICES, n_draws=19, seed=seed))
    assert sum(k > 1 for k in found) <= 1


def test_separate_groups_are_counted_by_most_indices(rng):
    centres = 6 * np.array([[0, 0], [1, 0], [0, 1]])
    rows = rng.normal(size=(150, 2)) + centres[np.arange(150) % 3]
    assert number_of_clusters(rows, {"a": 3, "b": 3, "c": 2, "d": 1}, n_draws=19) == 3
    assert number_of_clusters(np.zeros((20, 2)), {"a": 2}, n_draws=19) == 1
