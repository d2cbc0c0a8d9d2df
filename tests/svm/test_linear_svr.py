"""Linear regression machines."""

import numpy as np
import pytest
import sklearn.svm

from statlearn.svm import SVR, LinearSVR, kkt_report
from tests.helpers import assert_close
from tests.svm.data import diabetes


@pytest.mark.spec("SVM-13")
@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
@pytest.mark.parametrize("dual", ["auto", True])
def test_agrees_with_liblinear_and_is_optimal(loss, dual):
    X, y = diabetes()
    settings = {"loss": loss, "dual": dual, "epsilon": 0.2, "C": 0.05, "random_state": 0}
    ours = LinearSVR(tol=1e-7, max_iter=100_000, **settings).fit(X, y)
    theirs = sklearn.svm.LinearSVR(tol=1e-7, max_iter=1_000_000, **settings).fit(X, y)
    assert_close(ours.coef_, theirs.coef_, rtol=1e-3, atol=1e-5)  # tolerance of liblinear
    assert_close(ours.intercept_, theirs.intercept_, rtol=1e-3, atol=1e-5)
    if dual == "auto":
        report = kkt_report(ours, X, y)
        assert abs(report["relative_gap"][0]) < 1e-7
        assert report.facts["residual"] < 1e-6


@pytest.mark.spec("SVM-13")
def test_free_intercept_equals_the_kernel_machine():
    X, y = diabetes()
    linear = LinearSVR(epsilon=0.2, C=0.05, penalize_intercept=False, tol=1e-8).fit(X, y)
    kernel = SVR(kernel="linear", epsilon=0.2, C=0.05, tol=1e-8).fit(X, y)
    assert_close(linear.predict(X), kernel.predict(X), rtol=1e-5, atol=1e-6)


def test_weights_are_copies():
    X, y = diabetes()
    w = np.random.default_rng(0).integers(0, 3, y.size)
    for loss in ("epsilon_insensitive", "squared_epsilon_insensitive"):
        a = LinearSVR(loss=loss, C=0.1, epsilon=0.1, tol=1e-10).fit(X, y, sample_weight=w)
        b = LinearSVR(loss=loss, C=0.1, epsilon=0.1, tol=1e-10).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
        assert_close(a.coef_, b.coef_, rtol=1e-5, atol=1e-7)
