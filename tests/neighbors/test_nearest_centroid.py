"""Nearest centroids, and the same with shrinkage."""

import numpy as np
import pytest
from scipy import sparse
from sklearn import neighbors as peer
from sklearn.datasets import load_digits, load_iris

from statlearn.neighbors import NearestCentroid
from tests.helpers import assert_close

ATTRIBUTES = ("centroids_", "deviations_", "within_class_std_dev_", "class_prior_")


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
@pytest.mark.parametrize("threshold", [None, 0.5, 3.0])
@pytest.mark.parametrize("priors", ["uniform", "empirical", [0.2, 0.5, 0.3]])
def test_agrees_with_scikit_learn(metric, threshold, priors):
    X, y = load_iris(return_X_y=True)
    X, y = X[:130], y[:130]
    ours = NearestCentroid(metric, shrink_threshold=threshold, priors=priors).fit(X, y)
    theirs = peer.NearestCentroid(metric, shrink_threshold=threshold, priors=priors).fit(X, y)
    for name in ATTRIBUTES:
        assert_close(getattr(ours, name), getattr(theirs, name), err_msg=name)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    if metric == "euclidean":
        assert_close(ours.predict_proba(X), theirs.predict_proba(X))
        assert_close(ours.decision_function(X), theirs.decision_function(X))
    else:
        assert not hasattr(ours, "predict_proba")


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_sparse_rows_give_the_same(metric):
    X, y = load_digits(return_X_y=True)
    X, y = X[:300, 2:60], y[:300]
    X = X[:, X.std(axis=0) > 0]
    dense = NearestCentroid(metric, shrink_threshold=0.3).fit(X, y)
    thin = NearestCentroid(metric, shrink_threshold=0.3).fit(sparse.csr_array(X), y)
    assert_close(thin.centroids_, dense.centroids_)
    np.testing.assert_array_equal(thin.predict(sparse.csr_array(X)), dense.predict(X))


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_weights_are_copies(metric, rng):
    X, y = rng.normal(size=(40, 3)), rng.integers(0, 3, size=40)
    w = rng.integers(0, 4, size=40)
    rows = np.repeat(np.arange(40), w)
    weighted = NearestCentroid(metric, shrink_threshold=0.2, priors="empirical").fit(X, y, sample_weight=w)
    copied = NearestCentroid(metric, shrink_threshold=0.2, priors="empirical").fit(X[rows], y[rows])
    for name in ATTRIBUTES:
        assert_close(getattr(weighted, name), getattr(copied, name), err_msg=name)


def test_shrinking_far_leaves_the_common_centroid(rng):
    X, y = rng.normal(size=(30, 4)), np.arange(30) % 2
    model = NearestCentroid(shrink_threshold=1e6).fit(X, y)
    assert_close(model.centroids_, np.tile(X.mean(axis=0), (2, 1)))
    assert not model.deviations_.any()


def test_bad_data_and_priors():
    X, y = np.arange(8.0).reshape(4, 2), [0, 0, 1, 1]
    with pytest.raises(ValueError, match="greater than one; got 1 class"):
        NearestCentroid().fit(X, [0, 0, 0, 0])
    with pytest.raises(ValueError, match="zero variance"):
        NearestCentroid().fit(np.ones((4, 2)), y)
    with pytest.raises(ValueError, match="non-negative"):
        NearestCentroid(priors=[-1, 2]).fit(X, y)
    with pytest.raises(ValueError, match="one entry per class"):
        NearestCentroid(priors=[0.2, 0.3, 0.5]).fit(X, y)
    with pytest.warns(UserWarning, match="sum to 1"):
        model = NearestCentroid(priors=[2, 2]).fit(X, y)
    assert_close(model.class_prior_, [0.5, 0.5])
