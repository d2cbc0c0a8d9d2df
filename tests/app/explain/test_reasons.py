"""What moved a prediction, told by columns of the table."""

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from statlearn.app.explain.reasons import reasons_for
from statlearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor, RandomForestClassifier, tree_shap
from statlearn.linear import LinearRegression
from statlearn.prep import TableTransformer
from tests.helpers import assert_close


@pytest.fixture
def table(rng):
    n = 200
    frame = pd.DataFrame({"size": rng.normal(size=n), "colour": rng.choice(["red", "green", "blue"], size=n)})
    frame["hole"] = np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n))
    return frame, 3 * frame["size"].to_numpy() + 2 * (frame["colour"] == "red") + frame["hole"].fillna(4.0)


def test_the_parts_of_a_column_are_added_up(table):
    X, y = table
    model = make_pipeline(TableTransformer(), GradientBoostingRegressor(n_estimators=30, random_state=0)).fit(X, y)
    found, unit, method = reasons_for(model, X, None, n=9)
    assert unit == "the prediction"
    assert method == "Shapley values, exact for a sum of trees."
    shap = tree_shap(model[-1], model[:-1].transform(X))
    assert shap.values.shape[1] > 3  # levels and marks of missing cells have columns of their own
    for own, base, prediction in zip(found, np.full(200, shap.base_value), model.predict(X)):
        assert {name for name, _ in own} <= {"size", "colour", "hole"}
        assert_close(base + sum(value for _, value in own), prediction)
        assert np.all(np.diff(np.abs([value for _, value in own])) <= 0)
    assert all(len(own) <= 2 for own in reasons_for(model, X, None, n=2)[0])
    counts = GradientBoostingRegressor(n_estimators=2, loss="poisson")
    counts = make_pipeline(TableTransformer(), counts).fit(X, np.abs(y) + 1)
    assert reasons_for(counts, X, None)[1] == "the log of the prediction"
    counts[-1].set_params(loss="squared_error")  # for the next fit: the fitted trees are on the log scale
    assert reasons_for(counts, X, None)[1] == "the log of the prediction"


@pytest.mark.parametrize("classes", [2, 3])
def test_a_class_is_explained_where_it_was_predicted(classes, table):
    X, y = table
    labels = np.array(["low", "mid", "top"])[np.digitize(y, [2.0] if classes == 2 else [0.0, 4.0])]
    boosted = make_pipeline(TableTransformer(), GradientBoostingClassifier(n_estimators=20)).fit(X, labels)
    forest = make_pipeline(TableTransformer(), RandomForestClassifier(10, random_state=0)).fit(X, labels)
    for model, word in ((boosted, "log-odds" if classes == 2 else "score"), (forest, "share")):
        predicted = model.predict(X)
        found, unit, _ = reasons_for(model, X, predicted, n=9)
        assert word in unit
        total = np.array([sum(value for _, value in own) for own in found])
        scores = model.decision_function(X) if model is boosted else model.predict_proba(X)
        if scores.ndim == 1:
            scores = np.column_stack([-scores, scores])
        of_predicted = scores[np.arange(200), np.searchsorted(model.classes_, predicted)]
        code = np.searchsorted(model.classes_, predicted)
        for k in range(classes):  # what remains is the base value, one number for each class
            rest = (of_predicted - total)[code == k]
            assert_close(rest, np.full(len(rest), rest[0]))


def test_other_models_need_a_background(table):
    X, y = table
    linear = make_pipeline(TableTransformer(drop="first"), LinearRegression()).fit(X, y)
    trees = GradientBoostingRegressor(n_estimators=2)
    mixed = make_pipeline(TableTransformer(), PolynomialFeatures(2), trees).fit(X, y)
    for model, words in ((linear, "exact for a linear model"), (mixed, "sampled with 64 orders")):
        assert reasons_for(model, X, None) == (None, "", "")
        found, unit, method = reasons_for(model, X.head(3), None, background=X)
        assert all(1 < len(own) <= 3 for own in found)
        assert unit == "the prediction"
        assert words in method
