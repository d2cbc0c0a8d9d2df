"""Similarity to landmarks."""

import numpy as np
import pytest

from statlearn.svm import SVC, LinearSVC, RBFLandmarks
from tests.helpers import assert_close
from tests.svm.data import rings


@pytest.mark.spec("SVM-17")
def test_features_are_gaussians_of_the_distances(seed):
    rng = np.random.default_rng(seed)
    X, new = rng.normal(size=(20, 3)), rng.normal(size=(5, 3))
    landmarks = RBFLandmarks(sigma=0.7).fit(X)
    slow = [[np.exp(-np.sum((x - l) ** 2) / (2 * 0.7**2)) for l in X] for x in new]
    assert_close(landmarks.transform(new), slow)
    some = RBFLandmarks(landmarks=4, sigma=0.7, random_state=0).fit(X)
    assert some.transform(new).shape == (5, 4)
    assert all(any(np.array_equal(l, x) for x in X) for l in some.landmarks_)
    own = RBFLandmarks(landmarks=new[:2], sigma=0.7).fit(X)
    assert_close(own.transform(new[:2])[[0, 1], [0, 1]], 1.0)
    assert own.get_feature_names_out().tolist() == ["rbflandmarks0", "rbflandmarks1"]


@pytest.mark.spec("SVM-17")
def test_a_linear_machine_on_landmarks_separates_rings():
    X, y = rings(0)
    features = RBFLandmarks(sigma=0.7).fit(X)
    assert LinearSVC(C=10.0).fit(features.transform(X), y).score(features.transform(X), y) == 1.0
    assert SVC(gamma=1 / (2 * 0.7**2), C=10.0).fit(X, y).score(X, y) == 1.0


def test_wrong_landmarks_raise():
    X, _ = rings(0)
    with pytest.raises(ValueError, match="exceeds"):
        RBFLandmarks(landmarks=1000).fit(X)
    with pytest.raises(ValueError, match="columns"):
        RBFLandmarks(landmarks=np.ones((2, 5))).fit(X)
