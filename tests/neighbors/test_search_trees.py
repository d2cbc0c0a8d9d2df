"""KDTree and BallTree with scikit-learn's methods."""

import pickle

import numpy as np
import pytest
from sklearn import neighbors as sk

from statlearn.neighbors import BallTree, KDTree, pairwise_distances
from tests.helpers import assert_close

TREES = [(KDTree, sk.KDTree), (BallTree, sk.BallTree)]


@pytest.mark.spec("NEI-04")
@pytest.mark.parametrize("ours, theirs", TREES)
@pytest.mark.parametrize("settings", [{}, dict(metric="manhattan"), dict(metric="minkowski", p=3)])
def test_queries_agree_with_scikit_learn(ours, theirs, settings, rng):
    X, Q = rng.normal(size=(200, 3)), rng.normal(size=(20, 3))
    a, b = ours(X, leaf_size=5, **settings), theirs(X, leaf_size=5, **settings)
    for x, y in zip(a.query(Q, k=4), b.query(Q, k=4)):
        assert_close(x, y)
    np.testing.assert_array_equal(a.query_radius(Q, 0.8, count_only=True), b.query_radius(Q, 0.8, count_only=True))
    ind, dist = a.query_radius(Q, 0.8, return_distance=True, sort_results=True)
    ind_b, dist_b = b.query_radius(Q, 0.8, return_distance=True, sort_results=True)
    for x, y in zip([*ind, *dist], [*ind_b, *dist_b]):
        assert_close(x, y)
    radii = rng.uniform(0.1, 1, size=20)
    for x, y in zip(a.query_radius(Q, radii), b.query_radius(Q, radii)):
        np.testing.assert_array_equal(x, np.sort(y))
    r = np.linspace(0, 2, 7)
    np.testing.assert_array_equal(a.two_point_correlation(Q, r), b.two_point_correlation(Q, r))


@pytest.mark.parametrize("tree", [KDTree, BallTree])
def test_trees_survive_pickling(tree, rng):
    X = rng.normal(size=(40, 3))
    made = tree(X, leaf_size=3)
    again = pickle.loads(pickle.dumps(made))
    for a, b in zip(made.query(X, k=3), again.query(X, k=3)):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(again.data, X)


def test_ball_trees_take_mahalanobis_and_functions(rng):
    X = rng.normal(size=(60, 3))
    V = np.cov(X, rowvar=False)
    D = pairwise_distances(X, metric="mahalanobis", V=V)
    assert_close(BallTree(X, metric="mahalanobis", V=V).query(X, k=5)[0], np.sort(D, axis=1)[:, :5])
    by_function = BallTree(X, metric=lambda a, b, p: np.sum(np.abs(a - b) ** p) ** (1 / p), p=3).query(X, k=5)
    assert_close(by_function[0], BallTree(X, metric="minkowski", p=3).query(X, k=5)[0])


def test_bad_arguments_raise(rng):
    X = rng.normal(size=(10, 2))
    with pytest.raises(ValueError, match="not valid for KDTree"):
        KDTree(X, metric="haversine")
    with pytest.raises(ValueError, match="not valid for BallTree"):
        BallTree(X, metric="braycurtis")
    with pytest.raises(ValueError, match="leaf_size"):
        KDTree(X, leaf_size=0)
    with pytest.raises(ValueError, match="query data dimension"):
        KDTree(X).query([[1.0]])
    with pytest.raises(ValueError, match="k must be less than or equal"):
        KDTree(X).query(X, k=11)
    with pytest.raises(ValueError, match="cannot both be true"):
        KDTree(X).query_radius(X, 1.0, return_distance=True, count_only=True)
    with pytest.raises(ValueError, match="broadcastable"):
        KDTree(X).query_radius(X, [1.0, 2.0])
    with pytest.raises(ValueError, match="NaN"):
        BallTree([[np.nan, 1.0]])
