"""Support vector regression."""

import numpy as np
import pytest
import sklearn.svm
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from statlearn.svm import SVR, LinearSVR, NuSVR, kkt_report
from tests.helpers import assert_close
from tests.svm.data import diabetes


@pytest.mark.spec("SVM-12", "SVM-T4")
def test_two_points_by_hand():
    machine = SVR(kernel="linear", C=10.0, epsilon=0.1, tol=1e-10).fit([[0.0], [1.0]], [0.0, 1.0])
    assert_close(machine.coef_, [[0.8]], atol=1e-6)
    assert_close(machine.intercept_, [0.1], atol=1e-6)
    assert_close(machine.dual_coef_, [[-0.8, 0.8]], atol=1e-6)
    flat = SVR(kernel="linear", C=10.0, epsilon=0.5, tol=1e-10).fit([[0.0], [1.0]], [0.0, 1.0])
    assert flat.support_.size == 0
    assert_close(flat.predict([[0.0], [0.3], [7.0]]), 0.5, atol=1e-6)


@pytest.mark.spec("SVM-12", "SVM-P1")
@pytest.mark.parametrize(
    "settings", [{}, {"kernel": "linear", "C": 0.1}, {"C": 5.0, "gamma": 0.02, "epsilon": 0.3}], ids=str
)
def test_agrees_with_libsvm_and_is_optimal(settings):
    X, y = diabetes()
    weights = np.random.default_rng(0).integers(0, 3, y.size).astype(float)
    for w in (None, weights):
        gamma = {"gamma": 0.05, **settings}  # "scale" counts weights here, but not in scikit-learn
        ours = SVR(tol=1e-7, **gamma).fit(X, y, sample_weight=w)
        theirs = sklearn.svm.SVR(tol=1e-8, **gamma).fit(X, y, sample_weight=w)
        assert_close(ours.predict(X), theirs.predict(X), rtol=1e-4, atol=1e-4)  # libsvm's single precision
        report = kkt_report(ours, X, y, w)
        assert report.facts["residual"] < 1e-5
        assert abs(report["relative_gap"][0]) < 1e-6


@pytest.mark.spec("SVM-P13")
@given(st.integers(0, 10**6))
@settings(max_examples=10)
def test_rows_inside_the_tube_have_no_multipliers(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(50, 2))
    y = np.sin(2 * X[:, 0]) + 0.2 * rng.normal(size=50)
    counts = []
    for epsilon in (0.05, 0.2, 0.5):
        machine = SVR(C=2.0, epsilon=epsilon, gamma=0.5, tol=1e-9).fit(X, y)
        coef = np.zeros(50)
        coef[machine.support_] = machine.dual_coef_.ravel()
        r = y - machine.predict(X)
        assert np.all(coef[np.abs(r) < epsilon - 1e-6] == 0)
        # of the two multipliers of a row at most one is positive: the sign is that of the residual
        assert np.all(coef * r >= -1e-7)
        assert abs(coef.sum()) < 1e-8
        assert np.abs(coef).max() <= 2.0 + 1e-12
        counts.append(machine.support_.size)
    assert counts[0] > counts[-1]


@pytest.mark.spec("SVM-12")
@pytest.mark.parametrize("nu", [0.2, 0.5, 0.9])
def test_nu_form_equals_the_epsilon_form_with_its_epsilon(nu):
    X, y = diabetes()
    machine = NuSVR(nu=nu, C=2.0, gamma=0.03, tol=1e-8).fit(X, y)
    outside = np.mean(np.abs(y - machine.predict(X)) > machine.epsilon_ + 1e-6)
    assert outside <= nu <= machine.support_.size / y.size + 1e-9
    plain = SVR(epsilon=machine.epsilon_, C=2.0, gamma=0.03, tol=1e-8).fit(X, y)
    assert_close(plain.predict(X), machine.predict(X), rtol=1e-5, atol=1e-6)
    theirs = sklearn.svm.NuSVR(nu=nu, C=2.0, gamma=0.03, tol=1e-8).fit(X, y)
    assert_close(machine.predict(X), theirs.predict(X), rtol=1e-4, atol=1e-4)


def test_large_problem_agrees_with_libsvm():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2500, 5))
    y = np.sin(X[:, 0]) * X[:, 1] + 0.1 * rng.normal(size=2500)
    ours = SVR(C=5.0, gamma=0.2).fit(X, y)
    theirs = sklearn.svm.SVR(C=5.0, gamma=0.2).fit(X, y)
    assert_close(ours.predict(X), theirs.predict(X), atol=3e-3)  # both with tol of 1e-3
    assert kkt_report(ours, X, y).facts["residual"] < 2e-3


def test_a_fit_that_gets_nowhere_ends_with_a_warning():
    # Random labels on a line with prices near 1e90: the multipliers of the optimum are out of reach.
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 1)), rng.integers(0, 2, 60)
    machine = SVR(tol=1e-12)
    with pytest.warns(ConvergenceWarning, match="no more progress"):
        machine.fit(X, y, sample_weight=1e90 * rng.uniform(0.1, 2.0, 60))
    assert np.isfinite(machine.predict(X)).all()
    assert machine.fit_status_ == 1


@pytest.mark.parametrize("weighted", [False, True])
def test_a_scaled_target_is_a_choice_of_units(weighted, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 3))
    y = 1e5 * np.sin(X[:, 0]) + 3e4 * X[:, 1] + 2e5
    weights = rng.uniform(0.5, 2.0, 60) if weighted else None
    unit = np.sqrt(np.average((y - np.average(y, weights=weights)) ** 2, weights=weights))
    scaled = SVR(C=10.0, epsilon=0.1, scale_target=True, tol=1e-8).fit(X, y, weights)
    by_hand = SVR(C=10.0, epsilon=0.1, tol=1e-8).fit(X, y / unit, weights)
    assert_close(scaled.predict(X), unit * by_hand.predict(X))
    assert_close(scaled.dual_coef_, unit * by_hand.dual_coef_)
    report = kkt_report(scaled, X, y, sample_weight=weights).facts
    assert report["residual"] < 1e-5 * unit
    assert_close(scaled.target_scale_, unit)


def test_a_constant_target_is_not_scaled():
    machine = SVR(scale_target=True).fit([[0.0], [1.0], [2.0]], [3.0, 3.0, 3.0])
    assert_close(machine.predict([[5.0]]), [3.0], atol=0.11)


@pytest.mark.parametrize("machine", [SVR(), NuSVR(), LinearSVR()], ids=str)
def test_a_target_of_text_raises_by_name(machine):
    with pytest.raises(ValueError, match="y must contain numbers, got 'high'"):
        machine.fit(np.arange(3.0)[:, None], ["1.5", "high", "low"])
