"""One-class machines."""

import numpy as np
import pytest
import sklearn.svm

from statlearn.svm import OneClassSVM
from tests.helpers import assert_close
from tests.svm.data import cancer


@pytest.mark.parametrize("nu", [0.05, 0.3])
def test_nu_bounds_outliers_and_support_vectors(nu):
    X, _ = cancer()
    machine = OneClassSVM(nu=nu, tol=1e-8).fit(X)
    assert_close(machine.dual_coef_.sum(), nu * len(X), rtol=1e-9)
    assert np.mean(machine.predict(X) == -1) <= nu <= machine.support_.size / len(X)
    theirs = sklearn.svm.OneClassSVM(nu=nu, tol=1e-8).fit(X)
    assert_close(machine.decision_function(X), theirs.decision_function(X), rtol=1e-4, atol=1e-4)  # single precision
    # optimality: outside with the full multiplier, inside with none, on the boundary in between
    alpha = np.zeros(len(X))
    alpha[machine.support_] = machine.dual_coef_.ravel()
    f = machine.decision_function(X)
    assert np.all(alpha[f > 1e-6] == 0)
    assert np.all(alpha[f < -1e-6] == 1)


def test_scores_and_decisions_differ_by_the_offset():
    X, _ = cancer()
    machine = OneClassSVM(nu=0.2).fit(X)
    assert_close(machine.score_samples(X) - machine.offset_, machine.decision_function(X))
