"""Machines over prices."""

import numpy as np
import pytest

from statlearn.svm import SVC, svm_path
from tests.helpers import assert_close
from tests.svm.data import blobs


@pytest.mark.spec("SVM-16", "SVM-P4")
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_path_equals_separate_machines(kernel):
    X, y = blobs(1)
    path = svm_path(X, y, Cs=[10.0, 0.1, 1.0], kernel=kernel, gamma=0.5, tol=1e-8)
    assert path.C.tolist() == [0.1, 1.0, 10.0]
    for k, C in enumerate(path.C):
        machine = SVC(C=C, kernel=kernel, gamma=0.5, tol=1e-8).fit(X, y)
        assert_close(path.intercept[k], machine.intercept_[0], atol=1e-5)
        assert_close(path.margin[k], machine.margin_[0], rtol=1e-6)
        assert_close(path.objective[k], machine.objective_[0], rtol=1e-7)
        assert_close(path.slack[k], machine.slack_.sum(), rtol=1e-5)
        assert path.n_support[k] == machine.support_.size
    if kernel == "linear":
        assert_close(path.coef[-1], machine.coef_[0], rtol=1e-5)
    else:
        assert path.coef is None
    assert np.all(np.diff(path.margin) <= 1e-7)
    assert np.all(np.diff(path.slack) <= 1e-6)


@pytest.mark.spec("SVM-16")
def test_warm_starts_save_steps():
    X, y = blobs(2, n=300)
    Cs = np.logspace(-2, 1, 12)
    path = svm_path(X, y, Cs=Cs, kernel="rbf", gamma=0.5)
    cold = sum(int(SVC(C=C, gamma=0.5).fit(X, y).n_iter_[0]) for C in Cs)
    assert path.n_iter.sum() < cold
    with pytest.raises(ValueError, match="Cs"):
        svm_path(X, y, Cs=[0.0, 1.0])
    with pytest.raises(ValueError, match="two classes"):
        svm_path(X, np.arange(300) % 3)
