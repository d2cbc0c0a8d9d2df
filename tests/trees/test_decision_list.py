"""Decision lists."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, load_wine

from statlearn.linear import LinearRegression
from statlearn.trees import (
    C45Classifier,
    DecisionList,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ObliqueTreeClassifier,
)
from tests.helpers import assert_close
from tests.trees.multiway_data import GOLF_X, GOLF_Y


@pytest.mark.spec("TRE-30")
@pytest.mark.parametrize("settings", [{}, {"validation_fraction": 0.3, "random_state": 0}])
def test_the_first_matching_rule_decides(settings):
    X, y = load_wine(return_X_y=True)
    model = DecisionList(**settings).fit(X, y)
    assert model.score(X, y) > 0.9
    for row in range(0, len(y), 11):
        first = next(k for k, rule in enumerate(model.rules_) if rule.covers(X[row : row + 1])[0])
        assert model.apply(X[row : row + 1])[0] == first
        assert model.predict(X[row : row + 1])[0] == model.rules_[first].prediction
        assert_close(model.predict_proba(X[row : row + 1])[0], model.shares_[first])
    for rule, shares in zip(model.rules_[:-1], model.shares_):
        mask = rule.covers(X)
        assert_close(shares, np.bincount(y[mask], minlength=3) / mask.sum())
        assert_close(rule.precision, shares.max())
    assert model.rules_[-1].conditions == ()
    assert str(model).startswith("if   ")
    assert str(model).count("else") == len(model.rules_)  # the default says "anything else"


@pytest.mark.spec("TRE-30")
def test_rules_are_sorted_by_their_precision_on_given_rows(rng):
    X, y = load_iris(return_X_y=True)
    X = X + 0.3 * rng.normal(size=X.shape)
    half = np.arange(150) % 2 == 0
    model = DecisionList(DecisionTreeClassifier()).fit(X[half], y[half], X_val=X[~half], y_val=y[~half])
    held = [
        np.mean(y[~half][r.covers(X[~half])] == r.prediction) for r in model.rules_[:-1] if r.covers(X[~half]).any()
    ]
    assert len(held) > 1
    assert held[0] >= held[-1]
    longest = max(len(rule.conditions) for rule in model.rules_)
    assert longest <= model.estimator_.get_depth()


@pytest.mark.spec("TRE-30")
def test_text_columns_through_c45():
    frame = pd.DataFrame(GOLF_X, columns=["outlook", "temperature", "humidity", "windy"])
    frame = frame.astype({"temperature": float, "humidity": float})
    model = DecisionList(C45Classifier(prune=False)).fit(frame, GOLF_Y)
    assert model.score(frame, GOLF_Y) == 1.0
    assert "outlook = overcast" in str(model)
    unknown = frame.iloc[:1].assign(outlook="fog")
    assert model.predict(unknown)[0] in GOLF_Y


@pytest.mark.spec("TRE-30")
def test_held_out_rows_follow_the_seed():
    X, y = load_wine(return_X_y=True)
    first, again, other = (str(DecisionList(validation_fraction=0.4, random_state=s).fit(X, y)) for s in (1, 1, 2))
    assert first == again
    assert first != other


def test_unfitted_lists_print_their_parameters():
    assert str(DecisionList()) == "DecisionList()"


@pytest.mark.parametrize("estimator", [LinearRegression(), DecisionTreeRegressor(), ObliqueTreeClassifier()], ids=str)
def test_estimators_without_rules_raise(estimator):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(TypeError, match=f"`estimator` must be a statlearn tree classifier.*{type(estimator).__name__}"):
        DecisionList(estimator).fit(X, y)
