"""Self-training, against scikit-learn's class."""

import warnings

import numpy as np
import pytest
from sklearn import semi_supervised
from sklearn.datasets import make_moons
from sklearn.linear_model import LogisticRegression as PeerLogistic

from statlearn.bayes import GaussianNB
from statlearn.ensemble import SelfTrainingClassifier
from statlearn.linear import Ridge, RidgeClassifier
from statlearn.neighbors import KNeighborsClassifier
from tests.helpers import assert_close


def some_labels(rng, n=200, known=30, classes=3):
    y = rng.integers(0, classes, n)
    X = rng.normal(size=(n, 4)) + 1.5 * np.eye(classes, 4)[y]
    y[rng.permutation(n)[known:]] = -1
    return X, y


@pytest.mark.spec("CRS-85")
@pytest.mark.parametrize("settings", [
    {}, {"threshold": 0.9, "max_iter": None}, {"criterion": "k_best", "k_best": 7, "max_iter": 9}, {"max_iter": 0},
    {"criterion": "k_best", "k_best": 60, "max_iter": 30}, {"threshold": 0.999},
])  # fmt: skip
def test_rounds_match_scikit_learn(settings, rng):
    X, y = some_labels(rng)
    own = SelfTrainingClassifier(PeerLogistic(), **settings).fit(X, y)
    peer = semi_supervised.SelfTrainingClassifier(PeerLogistic(), **settings).fit(X, y)
    assert np.array_equal(own.labeled_iter_, peer.labeled_iter_)
    assert np.array_equal(own.transduction_, peer.transduction_)
    assert own.n_iter_ == peer.n_iter_
    if settings.get("max_iter") != 0:  # scikit-learn says nothing then of a fit without a round
        assert own.termination_condition_ == peer.termination_condition_
    assert_close(own.predict_proba(X), peer.predict_proba(X))
    assert_close(own.decision_function(X), peer.decision_function(X))


@pytest.mark.spec("CRS-85")
def test_unlabelled_rows_may_be_nan_or_none(rng):
    X, y = some_labels(rng, classes=2)
    reference = SelfTrainingClassifier().fit(X, y)
    gaps = SelfTrainingClassifier().fit(X, np.where(y < 0, np.nan, y))
    assert np.array_equal(gaps.transduction_, reference.transduction_)
    text = np.array(["no", "yes", None], dtype=object)[y]
    named = SelfTrainingClassifier().fit(X, text)
    assert np.array_equal(named.predict(X) == "yes", reference.predict(X) == 1)
    assert {type(label) for label in named.transduction_} <= {str, np.str_, type(None)}


def test_labels_of_one_class_and_minus_1_raise():
    with pytest.raises(ValueError, match=r"only one class among its labels: 1\..*if -1 is a class of yours"):
        SelfTrainingClassifier().fit(np.arange(4.0)[:, None], [-1, 1, -1, 1])
    with pytest.raises(ValueError, match="y must contain a label"):
        SelfTrainingClassifier().fit(np.arange(4.0)[:, None], [-1, -1, -1, -1])
    with pytest.raises(TypeError, match="`estimator` must have predict_proba, but RidgeClassifier does not"):
        SelfTrainingClassifier(RidgeClassifier()).fit(np.arange(4.0)[:, None], [0, 1, -1, -1])
    with pytest.raises(ValueError, match="`estimator` must be a classifier, got Ridge"):
        SelfTrainingClassifier(Ridge()).fit(np.arange(4.0)[:, None], [0, 1, 0, 1])


@pytest.mark.spec("CRS-85")
def test_confidence_that_is_not_calibrated_is_warned_of(rng):
    X, y = some_labels(rng)
    few = y.copy()
    few[np.flatnonzero(few >= 0)[6:]] = -1
    with pytest.warns(UserWarning, match="predicts all 194 unlabelled rows with probability 1"):
        SelfTrainingClassifier(KNeighborsClassifier(1), threshold=0.9, max_iter=1).fit(X, few)
    n = 300
    y = rng.integers(0, 2, n)
    copies = np.repeat(rng.normal(size=(n, 1)) + 0.7 * y[:, None], 20, axis=1)  # the same column twenty times
    y[150:] = -1
    with pytest.warns(UserWarning, match="GaussianNB is too sure of itself"):
        model = SelfTrainingClassifier(GaussianNB()).fit(copies, y)
    assert model.calibration_gap_ > 0.1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        calibrated = SelfTrainingClassifier().fit(copies[:, :1], y)
    assert abs(calibrated.calibration_gap_) < 0.1


def test_a_larger_share_of_two_moons_is_right_than_with_six_labels_only():
    X, truth = make_moons(300, noise=0.06, random_state=0)
    y = np.full(300, -1)
    for k in (0, 1):
        y[np.flatnonzero(truth == k)[:3]] = k
    alone = KNeighborsClassifier(3).fit(X[y >= 0], y[y >= 0])
    model = SelfTrainingClassifier(
        KNeighborsClassifier(3, weights="distance"), criterion="k_best", k_best=5, max_iter=None
    ).fit(X, y)
    assert model.score(X, truth) > alone.score(X, truth)
    assert model.termination_condition_ == "all_labeled"
    assert np.isnan(model.calibration_gap_)
