"""Predictions depend on what `fit` has learned, not on parameters that are changed after it."""

import pytest
from sklearn.base import clone

from statlearn import all_estimators
from statlearn._core.params import Options
from tests.contract.instances import SETTINGS, make_problem, name_of, outputs
from tests.helpers import assert_same_state

# Parameters that act when predictions are made, by estimator, each with the reason.
AT_PREDICTION: dict[str, dict[str, str]] = {}
EVERYWHERE = {"n_jobs": "threads, not results", "verbose": "output, not results"}
FAMILIES = ("ensemble", "trees")
ESTIMATORS = [
    cls(**SETTINGS.get(name, {})) for family in FAMILIES for name, cls in all_estimators(family=family)
]


def other_values(estimator, name):
    """Values that the parameter has not: the other options, the other truth value, None, and what nothing can use."""
    now = getattr(estimator, name)
    found = [None, object()]
    for rule in getattr(estimator, "_constraints", {}).get(name, []):
        if isinstance(rule, Options):
            found += rule.options
        elif isinstance(rule, str) and rule == "boolean":
            found += [True, False]
    if isinstance(now, (int, float)) and not isinstance(now, bool):
        found.append(now + 1)
    return [value for value in found if not (type(value) is type(now) and value == now)]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)
def test_parameters_changed_after_fit_leave_predictions_alone(estimator):
    X, y = make_problem(estimator)
    model = clone(estimator).fit(X, y)
    before = outputs(model, X)
    legal = {**EVERYWHERE, **AT_PREDICTION.get(name_of(estimator), {})}
    acting = {}
    for name, now in model.get_params(deep=False).items():
        for value in other_values(model, name):
            if name in legal:
                break
            setattr(model, name, value)
            try:
                assert_same_state(outputs(model, X), before)
            except Exception as error:
                acting[f"{name}={value!r}"] = repr(error)[:200]
            finally:
                setattr(model, name, now)
    assert not acting, acting
