"""Bootstrap stability."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from statlearn.cluster import KMeans, bootstrap_stability
from tests.helpers import assert_close


@pytest.mark.spec("CLU-22")
def test_separate_blobs_are_stable_and_their_centres_spread_as_means_do():
    X, _ = make_blobs(300, centers=[[0, 0], [8, 0], [0, 8]], cluster_std=1.0, random_state=0)
    found = bootstrap_stability(X, 3, n_boot=40, estimator=KMeans(n_init=2), random_state=0)
    assert (found.jaccard > 0.97).all()
    assert found.score > 0.95
    assert found.boot_centers.shape == (40, 3, 2)
    assert_close(found.boot_centers.mean(axis=0), found.centers, atol=0.1)  # matched, cluster by cluster
    assert ((found.spread > 0.05) & (found.spread < 0.2)).all()  # 1 / sqrt(100) in theory
    same = np.equal.outer(found.labels, found.labels)
    assert found.co_membership[same].mean() > 0.95
    assert found.co_membership[~same].mean() < 0.05
    assert_close(np.diag(found.co_membership), 1.0)
    assert_close(found.co_membership, found.co_membership.T)


def test_too_many_clusters_are_not_stable():
    X, _ = make_blobs(150, centers=[[0, 0], [8, 0]], random_state=0)
    options = dict(n_boot=15, estimator=KMeans(n_init=2), random_state=0)
    assert bootstrap_stability(X, 5, **options).score < bootstrap_stability(X, 2, **options).score - 0.2


def test_the_matrix_is_optional():
    X, _ = make_blobs(30, random_state=0)
    assert bootstrap_stability(X, 2, n_boot=2, co_membership=False, random_state=0).co_membership is None
    with pytest.raises(ValueError, match="`n_clusters`=31"):
        bootstrap_stability(X, 31)
