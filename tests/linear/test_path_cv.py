"""What cross-validated linear models share."""

import numpy as np
import pytest

from statlearn import linear

MODELS = (
    *("BestSubsetRegressor", "ElasticNetCV", "GroupLassoCV", "LarsCV", "LassoCV", "LassoLarsCV"),
    *("NonconvexRegressorCV", "OrthogonalMatchingPursuitCV"),
)
CHOICE = {"BestSubsetRegressor": {"criterion": "cv"}}


@pytest.mark.parametrize("name", MODELS)
def test_weights_that_vanish_in_a_test_fold_are_refused(name, rng):
    X, weights = rng.normal(size=(20, 3)), np.ones(20)
    weights[4:8] = 0.0
    model = getattr(linear, name)(cv=5, **CHOICE.get(name, {}))
    with pytest.raises(ValueError, match=r"^sample_weight is 0 for all test rows of fold 2 of 5"):
        model.fit(X, X[:, 0] + rng.normal(size=20), sample_weight=weights)


@pytest.mark.parametrize("name", MODELS)
def test_weights_that_vanish_in_the_training_rows_are_refused(name, rng):
    X, weights = rng.normal(size=(20, 3)), np.zeros(20)
    weights[:4] = 1.0
    rows = np.arange(20)
    model = getattr(linear, name)(cv=[(rows[4:], rows[:4])], **CHOICE.get(name, {}))
    with pytest.raises(ValueError, match=r"^sample_weight is 0 for all training rows of fold 1 of 1"):
        model.fit(X, X[:, 0], sample_weight=weights)


@pytest.mark.parametrize("name", ["ElasticNetCV", "GroupLassoCV", "LassoCV", "NonconvexRegressorCV"])
def test_grids_without_end_are_refused(name, rng):
    X = rng.normal(size=(20, 3))
    with pytest.raises(ValueError, match=r"^alphas: a grid of 1099511627776 penalties is too long"):
        getattr(linear, name)(alphas=2**40).fit(X, X[:, 0])
