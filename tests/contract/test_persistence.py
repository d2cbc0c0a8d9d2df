"""A fitted model survives clone, pickle and skops unchanged."""

import pickle

import pytest
import skops.io
from sklearn.base import clone

from tests.contract.instances import all_instances, make_problem, name_of, outputs
from tests.helpers import assert_same_state, fitted_state

ESTIMATORS = all_instances()


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)
def test_pickle_round_trip(estimator):
    X, y = make_problem(estimator)
    fitted = clone(estimator).fit(X, y)
    copy = pickle.loads(pickle.dumps(fitted))
    assert_same_state(fitted_state(copy), fitted_state(fitted))
    assert_same_state(outputs(copy, X), outputs(fitted, X))


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)
def test_skops_round_trip(estimator):
    X, y = make_problem(estimator)
    fitted = clone(estimator).fit(X, y)
    data = skops.io.dumps(fitted)
    unknown = skops.io.get_untrusted_types(data=data)
    assert {name.split(".")[0] for name in unknown} <= {"statlearn", "sklearn", "numpy", "scipy"}, unknown
    assert_same_state(outputs(skops.io.loads(data, trusted=unknown), X), outputs(fitted, X))


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)
def test_clone_forgets_what_was_learned(estimator):
    X, y = make_problem(estimator)
    assert not fitted_state(clone(clone(estimator).fit(X, y)))
