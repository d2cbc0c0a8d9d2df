"""Ensembles in `statlearn compare`: every estimator that predicts declares what is tried for it."""

import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris

import statlearn
from statlearn.app.compare.portfolio.selection import candidates

MIXED = {"BayesianModelAveraging"}  # a regressor or a classifier, by its members: of neither table alone
SEMI_SUPERVISED = {"SelfTrainingClassifier"}  # the tables of a comparison have all labels
SHARDED = {"ShardedClassifier", "ShardedRegressor"}  # made to forget rows: never ahead of a fit on all rows


@pytest.mark.parametrize("kind, task", [("regressor", "regression"), ("classifier", "classification")])
def test_all_ensembles_join_the_comparison(kind, task):
    joined = {candidate.estimator.__name__ for candidate in candidates(task)}
    ensembles = {name for name, cls in statlearn.all_estimators(kind) if ".ensemble." in cls.__module__}
    assert ensembles - joined <= MIXED | SEMI_SUPERVISED | SHARDED


@pytest.mark.parametrize("task, load", [("regression", load_diabetes), ("classification", load_iris)])
def test_the_ends_of_the_declared_grids_fit(task, load):
    X, y = load(return_X_y=True)
    X, y = X[::3], y[::3]
    for candidate in candidates(task):
        if ".ensemble." not in candidate.estimator.__module__:
            continue
        space = candidate.space
        for end in (0, -1) if space.grid else (0,):
            settings = {**space.fixed, **{name: values[end] for name, values in space.grid.items()}}
            model = clone(candidate.estimator(**settings))
            if "random_state" in model.get_params():
                model.set_params(random_state=0)
            assert model.fit(X, y).score(X, y) > 0.3, (candidate.name, settings)
