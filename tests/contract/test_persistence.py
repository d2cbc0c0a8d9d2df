"""A fitted model survives clone, pickle and model files unchanged."""

import pickle

import pytest
import skops.io
from sklearn.base import clone

from statlearn.app.model import file as model_file
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
def test_model_file_round_trip(estimator):
    """A part that model files cannot hold is named: add it to `statlearn/app/model/format/parts.py`."""
    fit = shared_fit(estimator)
    copy = model_file.loads(model_file.dumps(fit.estimator))
    assert_same_state(outputs(copy, fit.X), outputs(fit.estimator, fit.X))
    assert_same_state(plain(fitted_state(copy)), plain(fitted_state(fit.estimator)))


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)
def test_files_of_skops_are_read(estimator):
    fit = shared_fit(estimator)
    copy = model_file.loads(skops.io.dumps(fit.estimator))
    assert_same_state(outputs(copy, fit.X), outputs(fit.estimator, fit.X))


def plain(state):
    """A state with random generators as their states."""
    return {name: value.get_state() if hasattr(value, "get_state") else value for name, value in state.items()}


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)
def test_clone_forgets_fitted_attributes(estimator):
    assert not fitted_state(clone(shared_fit(estimator).estimator))
