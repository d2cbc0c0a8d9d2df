"""A fitted model survives clone, pickle and skops unchanged."""

import pickle

import pytest
import skops.io
from sklearn.base import clone

from tests.contract.fits import shared_fit
from tests.contract.instances import all_instances, name_of, outputs
from tests.helpers import assert_same_state, fitted_state

ESTIMATORS = all_instances()


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)
def test_pickle_round_trip(estimator):
    fit = shared_fit(estimator)
    copy = pickle.loads(pickle.dumps(fit.estimator))
    assert_same_state(fitted_state(copy), fitted_state(fit.estimator))
    assert_same_state(outputs(copy, fit.X), outputs(fit.estimator, fit.X))


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)
def test_skops_round_trip(estimator):
    fit = shared_fit(estimator)
    data = skops.io.dumps(fit.estimator)
    unknown = skops.io.get_untrusted_types(data=data)
    assert {name.split(".")[0] for name in unknown} <= {"statlearn", "sklearn", "numpy", "scipy"}, unknown
    assert_same_state(outputs(skops.io.loads(data, trusted=unknown), fit.X), outputs(fit.estimator, fit.X))


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)
def test_clone_forgets_what_was_learned(estimator):
    assert not fitted_state(clone(shared_fit(estimator).estimator))
