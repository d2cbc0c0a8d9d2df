"""Every machine that a test of the family fits to convergence must satisfy its optimality conditions."""

import functools

import pytest

from statlearn import svm
from tests.svm.optimality import checked

MACHINES = (
    svm.SVC,
    svm.NuSVC,
    svm.HardMarginSVC,
    svm.SVR,
    svm.NuSVR,
    svm.OneClassSVM,
    svm.LinearSVC,
    svm.LinearSVR,
)


@pytest.fixture(autouse=True)
def _optimality(monkeypatch):
    for machine in MACHINES:
        fit = machine.fit
        monkeypatch.setattr(machine, "fit", functools.wraps(fit)(checked(fit)))
