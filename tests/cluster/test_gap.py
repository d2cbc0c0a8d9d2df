"""The gap statistic."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from statlearn.cluster import KMeans, gap_statistic
from statlearn.cluster._gap import _uniform_like, gap_std_error
from tests.helpers import assert_close

BLOBS = [[0, 0], [0, 5], [5, -3]]  # the authors' simulation


@pytest.mark.spec("CLU-20", "CLU-P16")
def test_one_for_uniform_rows_three_for_three_blobs():
    estimator = KMeans(n_init=3)
    uniform = [
        gap_statistic(np.random.default_rng(s).uniform(size=(60, 2)), range(1, 5), n_refs=8, estimator=estimator,
                      random_state=s).n_clusters
        for s in range(10)
    ]  # fmt: skip
    assert np.mean(np.array(uniform) == 1) > 0.5
    for reference in ("box", "pca"):
        chosen = []
        for s in range(6):
            X, _ = make_blobs([25, 25, 50], centers=BLOBS, random_state=s)
            found = gap_statistic(X, range(1, 6), n_refs=8, reference=reference, estimator=estimator, random_state=s)
            chosen.append(found.n_clusters)
        assert np.mean(np.array(chosen) == 3) > 0.5


@pytest.mark.spec("CLU-T11")
def test_the_standard_error_counts_the_references():
    assert_close(gap_std_error(1.0, 20), 1.0246951, atol=1e-6)
    assert_close(gap_std_error(0.3, 20), 0.3 * np.sqrt(1.05))


def test_the_rule_takes_the_smallest_k():
    X, _ = make_blobs(80, centers=BLOBS, cluster_std=0.5, random_state=0)
    found = gap_statistic(X, range(1, 7), n_refs=5, estimator=KMeans(n_init=2), random_state=0)
    assert_close(found.gap, found.log_within_reference - found.log_within)
    enough = [k for i, k in enumerate(found.k[:-1]) if found.gap[i] >= found.gap[i + 1] - found.std_error[i + 1]]
    assert found.n_clusters == enough[0]
    assert len(found.plot().lines) >= 2


def test_references_fill_the_box_and_the_turned_box():
    rng = np.random.default_rng(0)
    turn = np.array([[1, 1], [-1, 1]]) / np.sqrt(2)
    X = rng.normal(size=(400, 2)) * [10, 0.1] @ turn + 50
    box, turned = (_uniform_like(X, kind)(np.random.default_rng(1)) for kind in ("box", "pca"))
    assert ((box >= X.min(axis=0)) & (box <= X.max(axis=0))).all()
    assert np.linalg.svd(turned - turned.mean(axis=0))[1][1] < 0.1 * np.linalg.svd(box - box.mean(axis=0))[1][1]


def test_results_do_not_depend_on_the_list_of_ks():
    X, _ = make_blobs(60, centers=BLOBS, random_state=0)
    a = gap_statistic(X, range(1, 6), n_refs=3, estimator=KMeans(n_init=1), random_state=4)
    b = gap_statistic(X, range(2, 4), n_refs=3, estimator=KMeans(n_init=1), random_state=4)
    assert_close(a.gap[1:3], b.gap)


def test_identical_rows_and_bad_arguments():
    assert gap_statistic(np.ones((6, 2)), [1], n_refs=2, random_state=0).n_clusters == 1
    with pytest.raises(ValueError, match="consecutive"):
        gap_statistic(np.eye(6), [1, 3])
    with pytest.raises(ValueError, match="reference"):
        gap_statistic(np.eye(6), [1, 2], reference="sphere")
    with pytest.raises(ValueError, match="n_refs"):
        gap_statistic(np.eye(6), [1, 2], n_refs=0)
