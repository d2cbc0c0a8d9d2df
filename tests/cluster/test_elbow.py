"""Scatter against the number of clusters."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_blobs

from statlearn.cluster import KMedoids, elbow_curve
from tests.helpers import assert_close


@pytest.mark.spec("CLU-19")
def test_blobs_have_their_elbow():
    X, _ = make_blobs(120, centers=[[0, 0], [6, 0], [0, 6]], cluster_std=0.5, random_state=0)
    curve = elbow_curve(X, range(1, 8), random_state=0)
    assert curve.elbow == 3
    assert np.isnan(curve.drops[0])
    assert_close(curve.drops[1:], curve.within[:-1] - curve.within[1:])
    assert curve.largest_drop == curve.k[np.nanargmax(curve.drops)]
    assert_close(curve.within[0], ((X - X.mean(axis=0)) ** 2).sum())
    ax = curve.plot()
    assert len(ax.lines) >= 2


@pytest.mark.spec("CLU-P17")
@given(st.integers(0, 10_000), st.integers(1, 3))
def test_scatter_falls_even_without_clusters(seed, p):
    X = np.random.default_rng(seed).uniform(size=(40, p))
    curve = elbow_curve(X, range(1, 7), random_state=0)
    assert (np.diff(curve.within) < 0).all()


def test_any_clusterer_and_the_order_of_ks_does_not_matter():
    X, _ = make_blobs(40, random_state=0)
    curve = elbow_curve(X, [4, 2, 3], estimator=KMedoids(), random_state=0)
    np.testing.assert_array_equal(curve.k, [2, 3, 4])
    assert_close(curve.within[1], elbow_curve(X, [3], estimator=KMedoids(), random_state=0).within[0])


@pytest.mark.parametrize(
    "ks, message", [([], "integers"), ([0, 1], "at least 1"), ([1.5], "integers"), ([9], "at most 8")]
)
def test_bad_numbers_of_clusters_raise(ks, message):
    with pytest.raises(ValueError, match=message):
        elbow_curve(np.arange(16.0).reshape(8, 2), ks)


def test_an_estimator_without_a_number_of_clusters_raises():
    from statlearn.cluster import MeanShift

    with pytest.raises(ValueError, match="n_clusters or n_components"):
        elbow_curve(np.eye(4), [2], estimator=MeanShift())
