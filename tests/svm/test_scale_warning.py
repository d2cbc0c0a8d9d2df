"""The warning for columns of very different scales."""

import warnings

import numpy as np
import pytest
from scipy import sparse

from statlearn.svm import SVC, SVR, LinearSVC, LinearSVR, OneClassSVM, SGDClassifier, SGDOneClassSVM, SGDRegressor
from statlearn.svm._scale_warning import ScaleWarning, warn_if_uneven
from tests.svm.data import blobs

MACHINES = [SVC, SVR, OneClassSVM, LinearSVC, LinearSVR, SGDClassifier, SGDRegressor, SGDOneClassSVM]


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_every_machine_reports_uneven_columns(machine, kind):
    X, y = blobs(0)
    settings = {"epsilon": 0.1} if machine is LinearSVR else {}
    machine(**settings).fit(kind(X), y)  # warnings are errors
    with pytest.warns(ScaleWarning, match=f"so {machine.__name__} depends"):
        machine(**settings).fit(kind(X * [1.0, 1e-6]), y)


def test_rare_columns_constants_and_large_levels_are_not_uneven():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.random((500, 3)), np.full(500, 1e9), 1e8 + rng.random(500), np.arange(500) == 7])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_if_uneven(X, "SVC")
        warn_if_uneven(sparse.csr_array(X), "SVC")
    with pytest.warns(ScaleWarning, match="factor of 7e"):
        warn_if_uneven(sparse.csr_array(X * [1, 1, 1e6, 1, 1, 1]), "SVC")
