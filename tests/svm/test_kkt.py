"""The report on optimality conditions notices what is wrong."""

import numpy as np
import pytest

from statlearn.linear import LogisticRegression
from statlearn.svm import SVC, SVR, LinearSVC, NuSVC, NuSVR, OneClassSVM, kkt_report
from tests.svm.data import blobs, diabetes, iris


@pytest.mark.spec("SVM-06")
def test_tampered_machines_are_detected():
    X, y = blobs(1)
    machine = SVC(kernel="linear", tol=1e-8).fit(X, y)
    good = kkt_report(machine, X, y)
    assert good.facts["residual"] < 1e-7
    assert abs(good.facts["duality_gap"]) < 1e-6
    assert good["primal_value"][0] >= good["dual_value"][0] - 1e-9
    assert "machine" in str(good)
    machine.intercept_ = machine.intercept_ + 0.1
    assert kkt_report(machine, X, y)["complementary_slackness"][0] > 1e-2
    machine.intercept_ = machine.intercept_ - 0.1
    machine.dual_coef_ = machine.dual_coef_ * 2.0
    assert kkt_report(machine, X, y)["dual_feasibility"][0] > 0.1
    machine.dual_coef_[0, 0] = 0.0
    assert kkt_report(machine, X, y)["balance"][0] > 0.1


@pytest.mark.spec("SVM-06")
def test_report_has_one_row_per_machine_and_works_with_weights():
    X, y = iris()
    w = np.random.default_rng(0).integers(0, 3, 150)
    assert len(kkt_report(SVC(tol=1e-6).fit(X, y), X, y)["duality_gap"]) == 3
    machine = SVC(tol=1e-7, class_weight="balanced").fit(X, y, sample_weight=w)
    assert kkt_report(machine, X, y, w).facts["residual"] < 1e-5
    X, y = diabetes()
    w = np.random.default_rng(0).integers(0, 3, y.size)
    assert kkt_report(SVR(tol=1e-7).fit(X, y, sample_weight=w), X, y, w).facts["residual"] < 1e-5
    with pytest.raises(TypeError, match="LogisticRegression"):
        kkt_report(LogisticRegression(), X, y)


@pytest.mark.spec("SVM-06")
def test_machines_with_nu_and_one_class_are_examined_too():
    X, y = iris()
    w = np.random.default_rng(0).integers(0, 3, 150)
    machine = NuSVC(nu=0.3, tol=1e-7).fit(X, y, sample_weight=w)
    assert kkt_report(machine, X, y, w).facts["residual"] < 1e-5
    assert np.max(np.abs(kkt_report(machine, X, y, w)["relative_gap"])) < 1e-5
    machine.dual_coef_[0, 0] *= 0.5
    assert kkt_report(machine, X, y, w).facts["residual"] > 1e-3
    one = OneClassSVM(nu=0.2, tol=1e-7).fit(X, sample_weight=w)
    report = kkt_report(one, X, sample_weight=w)
    assert report.facts["residual"] < 1e-6
    assert abs(report["relative_gap"][0]) < 1e-5
    one.intercept_ = one.intercept_ + 0.1
    assert kkt_report(one, X, sample_weight=w).facts["residual"] > 1e-2
    X, y = diabetes()
    tube = NuSVR(nu=0.4, tol=1e-7).fit(X, y)
    report = kkt_report(tube, X, y)
    assert report.facts["residual"] < 1e-5
    assert abs(report["relative_gap"][0]) < 1e-5
    with pytest.raises(ValueError, match="y is required"):
        kkt_report(tube, X)


@pytest.mark.parametrize("machine", [SVC(), LinearSVC()], ids=lambda machine: type(machine).__name__)
def test_labels_outside_the_classes_raise(machine):
    X, y = blobs(1)
    other = np.where(np.arange(y.size) == 3, np.median(np.unique(y)) + 0.5, y)
    with pytest.raises(ValueError, match=r"y contains the label .* not one of the classes"):
        kkt_report(machine.fit(X, y), X, other)
