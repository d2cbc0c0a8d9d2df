"""Rows without a positive weight are absent from a kernel machine, as in libsvm."""

import numpy as np
import pytest
import sklearn.svm

from statlearn.svm import SVC, SVCCV, SVR, HardMarginSVC, LinearSVC, NuSVC, NuSVR, OneClassSVM, kkt_report
from tests.helpers import assert_close

rng = np.random.default_rng(3)
X = rng.normal(size=(80, 3))
TARGETS = {"classes": np.where(X[:, 0] + 0.5 * rng.normal(size=80) > 0, 1, -1), "numbers": X[:, 0] + X[:, 1] ** 2}
WEIGHTS = np.where(np.arange(80) % 9 == 0, -0.5, rng.uniform(0.5, 2.0, size=80))
LEFT = WEIGHTS > 0

MACHINES = {
    "SVC": ("classes", SVC(gamma=0.3, tol=1e-8)),
    "NuSVC": ("classes", NuSVC(gamma=0.3, nu=0.3, tol=1e-8)),
    "SVR": ("numbers", SVR(gamma=0.3, tol=1e-8)),
    "NuSVR": ("numbers", NuSVR(gamma=0.3, tol=1e-8)),
    "OneClassSVM": ("numbers", OneClassSVM(gamma=0.3, tol=1e-8)),
    "SVCCV": ("classes", SVCCV(Cs=[0.5, 2.0], cv=[(np.arange(40), np.arange(40, 80))])),
}


def values(model):
    return model.decision_function(X) if hasattr(model, "decision_function") else model.predict(X)


@pytest.mark.parametrize("name", MACHINES)
def test_rows_of_negative_weight_are_left_out_with_a_warning(name):
    target, machine = MACHINES[name]
    y = TARGETS[target]
    with pytest.warns(UserWarning, match=r"sample_weight contains 9 negative values; those rows are left out") as seen:
        masked = values(machine.fit(X, y, sample_weight=WEIGHTS))
    assert len(seen) == 1
    assert np.array_equal(masked, values(machine.fit(X, y, sample_weight=np.where(LEFT, WEIGHTS, 0.0))))
    if name != "SVCCV":  # whose folds are positions in the table
        assert np.array_equal(masked, values(machine.fit(X[LEFT], y[LEFT], sample_weight=WEIGHTS[LEFT])))


@pytest.mark.filterwarnings("ignore:sample_weight contains")
@pytest.mark.parametrize("name", ["SVC", "NuSVC", "SVR", "NuSVR"])
def test_scikit_learn_leaves_the_same_rows_out(name):
    target, machine = MACHINES[name]
    y = TARGETS[target]
    theirs = getattr(sklearn.svm, name)(gamma=0.3, tol=1e-8, **({"nu": machine.nu} if hasattr(machine, "nu") else {}))
    theirs.fit(X, y, sample_weight=WEIGHTS)
    assert_close(values(machine.fit(X, y, sample_weight=WEIGHTS)), values(theirs), rtol=1e-5, atol=1e-6)


def test_one_negative_weight_is_reported_in_the_singular():
    weights = np.ones(80)
    weights[5] = -1.0
    with pytest.warns(UserWarning, match=r"contains 1 negative value; that row is left out"):
        SVC().fit(X, TARGETS["classes"], sample_weight=weights)


def test_hard_margin_and_kkt_report_leave_the_rows_out():
    y = np.where(X[:, 0] > 0, 1, -1)
    away = np.abs(X[:, 0]) > 0.1
    wrong = np.flatnonzero(away)[0]
    labels = y.copy()
    labels[wrong] = -labels[wrong]  # no plane separates the classes with this row
    weights = np.where(away, 1.0, -1.0)
    weights[wrong] = -2.0
    with pytest.warns(UserWarning, match="negative values"):
        machine = HardMarginSVC().fit(X, labels, sample_weight=weights)
    assert np.array_equal(machine.predict(X[weights > 0]), labels[weights > 0])
    assert kkt_report(machine, X, labels, sample_weight=weights).facts["residual"] < 1e-2


def test_invalid_lists_of_numbers_keep_their_error():
    y = TARGETS["classes"]
    for broken in (-1.0, np.full((80, 2), -1.0), np.r_[WEIGHTS[:-1], np.nan], WEIGHTS[:-1]):
        with pytest.raises(ValueError, match="sample_weight"):
            SVC().fit(X, y, sample_weight=broken)
    with pytest.raises(ValueError, match="all samples have zero or negative weights"):
        SVC().fit(X, y, sample_weight=-np.ones(80))


def test_linear_machines_refuse_negative_weights():
    with pytest.raises(ValueError, match="Negative values in data passed to `sample_weight`"):
        LinearSVC().fit(X, TARGETS["classes"], sample_weight=WEIGHTS)
