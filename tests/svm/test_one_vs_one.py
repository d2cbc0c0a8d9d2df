"""One model per pair of classes."""

import numpy as np
import pytest
from sklearn.multiclass import OneVsOneClassifier as Reference
from sklearn.neighbors import KNeighborsClassifier

from statlearn.svm import SVC, LinearSVC, OneVsOneClassifier
from tests.helpers import assert_close
from tests.svm.data import iris


@pytest.mark.spec("SVM-15", "SVM-P12")
def test_all_pairs_vote_and_ties_go_to_the_summed_decisions():
    X, y = iris()
    ours, theirs = OneVsOneClassifier(LinearSVC()).fit(X, y), Reference(LinearSVC()).fit(X, y)
    assert len(ours.estimators_) == 3
    grid = np.random.default_rng(0).uniform(X.min(axis=0), X.max(axis=0), size=(2000, 4))
    np.testing.assert_array_equal(ours.predict(grid), theirs.predict(grid))
    assert_close(ours.decision_function(grid), theirs.decision_function(grid))


@pytest.mark.spec("SVM-15")
def test_default_model_agrees_with_the_machine_itself():
    X, y = iris()
    wrapped = OneVsOneClassifier(SVC(gamma=0.3)).fit(X, y)
    np.testing.assert_array_equal(wrapped.predict(X), SVC(gamma=0.3, break_ties=True).fit(X, y).predict(X))
    assert OneVsOneClassifier().fit(X, y).score(X, y) > 0.95
    assert OneVsOneClassifier(KNeighborsClassifier()).fit(X, y).score(X, y) > 0.95
    two = OneVsOneClassifier().fit(X[:100], y[:100])
    assert two.decision_function(X[:100]).shape == (100,)
