"""A refit leaves nothing of the earlier fit behind."""

import ast
import inspect
import re
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import statlearn
from statlearn.assess import GridSearchCV
from statlearn.cluster import AffinityPropagation
from statlearn.ensemble import VotingClassifier
from statlearn.graphical import BoltzmannMachine, ThresholdGGM
from statlearn.linear import (
    AdaptiveLasso,
    GeneralizedLinearRegressor,
    Lars,
    LinearRegression,
    LogisticRegression,
    LogisticRegressionCV,
    OneVsRestClassifier,
    Ridge,
    RidgeCV,
)
from statlearn.manifold import SpectralEmbedding
from statlearn.prep import KBinsDiscretizer, ModelImputer, SequentialFeatureSelector
from statlearn.smooth import GAM, BasisRegressor, GAMClassifier, lin
from statlearn.svm import SVC, LinearSVC
from statlearn.trees import DecisionTreeClassifier, DecisionTreeRegressor, RotatedTree
from tests.contract.fits import shared_fit
from tests.contract.instances import all_instances, name_of
from tests.contract.test_attributes import entries

ROOT = Path(statlearn.__file__).parent

# Private attributes that outlive a fit or are no state, each with the reason.
OUTLIVING = {
    "BayesSearchCV": {"_progress"},  # deleted when a fit ends
    "DiscreteBayesianNetwork": {"_cache"},  # used only with the tables that it was made from
    "LogisticRegressionCV": {"_order"},  # set and used by its base class only
}


@lru_cache
def private_attributes():
    """Private attributes of `self` that the code of each class sets, by module and class."""
    found = {}
    for path in ROOT.rglob("*.py"):
        source = path.read_text(encoding="utf-8")
        if not re.search(r"\bself\._\w+\b[^\n]* = ", source):
            continue
        module = ".".join(["statlearn", *path.relative_to(ROOT).with_suffix("").parts])
        for cls in (node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)):
            stores = (n for n in ast.walk(cls) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store))
            found[module, cls.name] = {
                n.attr for n in stores if n.attr.startswith("_") and getattr(n.value, "id", "") == "self"
            }
    return found


def absent_attributes(model):
    """Documented and private attributes that the fit did not set, but a fit under other settings may."""
    cls = type(model)
    names = set(entries(cls.__doc__, "Attributes")).union(
        *(private_attributes().get((base.__module__, base.__name__), ()) for base in cls.__mro__)
    )
    names -= OUTLIVING.get(cls.__name__, set())
    computed = {name for name in names if isinstance(inspect.getattr_static(cls, name, None), property)}
    return sorted(names - computed - vars(model).keys())


@pytest.mark.parametrize("estimator", all_instances(), ids=name_of)
def test_a_refit_leaves_no_attribute_of_an_earlier_fit(estimator):
    fit = shared_fit(estimator)
    absent = absent_attributes(fit.estimator)
    if not absent:
        return
    earlier = object()
    vars(fit.estimator).update(dict.fromkeys(absent, earlier))
    fit.estimator.fit(fit.X, fit.y)
    left = [name for name in absent if vars(fit.estimator).get(name) is earlier]
    assert not left, f"call `forget(self, ...)` where `fit` sets {left} under a condition"


# A first fit, and settings of the second; the attributes that the first one has depend on them.
CHANGES = [
    (AdaptiveLasso(), {"alpha": 0.1}),
    (AffinityPropagation(random_state=0), {"affinity": "precomputed"}),
    (BasisRegressor(["identity"], model="logistic"), {"model": "ols"}),
    (BoltzmannMachine(1, n_iter=2, binarize=0.0, random_state=0), {"method": "gibbs"}),
    (GAM([lin(0)], family="negative_binomial", theta=2.0), {"family": "poisson"}),
    (GeneralizedLinearRegressor(family="negative_binomial", theta=2.0), {"family": "poisson"}),
    (GridSearchCV(Ridge(), {"alpha": [0.1, 1.0]}), {"refit": False}),
    (
        GridSearchCV(Ridge(), {"alpha": [0.1, 1.0]}),
        {"refit": False, "scoring": ["r2", "neg_mean_squared_error"]},
    ),
    (KBinsDiscretizer(2), {"encode": "ordinal"}),
    (Lars(), {"fit_path": False}),
    (LinearSVC(tol=0.01), {"multi_class": "crammer_singer"}),
    (LogisticRegressionCV(Cs=[1.0], solver="coordinate", l1_ratios=(0.5,)), {"refit": False}),
    (ModelImputer(), {"method": "knn"}),
    (RidgeCV(store_cv_results=True), {"store_cv_results": False, "cv": 3}),
    (RotatedTree(DecisionTreeClassifier()), {"estimator": DecisionTreeRegressor()}),
    (SpectralEmbedding(gamma=0.1, random_state=0), {"affinity": "rbf"}),
    (ThresholdGGM(), {"n_edges": 1}),
]


@pytest.mark.parametrize(("model", "settings"), CHANGES, ids=lambda part: "".join(repr(part).split())[:60])
def test_a_refit_with_other_settings_has_the_attributes_of_a_new_fit(model, settings, rng):
    X, model = rng.normal(size=(60, 4)), clone(model)
    y = (X[:, 0] + rng.normal(size=60) > 0).astype(float)
    model.fit(X, y).set_params(**settings)
    second = X @ X.T if "precomputed" in settings.values() else X
    new = clone(model).fit(second, y)
    assert vars(model.fit(second, y)).keys() == vars(new).keys()


@pytest.mark.parametrize(
    "model",
    [
        GAMClassifier([lin(0)]),
        GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}),
        OneVsRestClassifier(LogisticRegression()),
        SequentialFeatureSelector(n_features_to_select=1, cv=2),
        SequentialFeatureSelector(LinearRegression(), n_features_to_select=1, cv=2),
        VotingClassifier([("linear", LogisticRegression())]),
    ],
    ids=lambda model: "".join(repr(model).split())[:40],
)
def test_column_names_of_an_earlier_table_do_not_remain(model, rng):
    X = rng.normal(size=(40, 3))
    y = (X[:, 0] + rng.normal(size=40) > 0).astype(int)
    model = clone(model).fit(pd.DataFrame(X, columns=["a", "b", "c"]), y)
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    assert not hasattr(model.fit(X, y), "feature_names_in_")


def test_a_machine_of_three_classes_has_no_slacks_of_two(rng):
    X = rng.normal(size=(30, 2))
    model = SVC().fit(X, X[:, 0] > 0)
    assert hasattr(model, "slack_")
    model.fit(X, np.arange(30) % 3)
    assert not hasattr(model, "slack_")
    assert not hasattr(model, "loo_error_bound_")
