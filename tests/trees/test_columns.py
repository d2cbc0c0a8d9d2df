"""Columns of text in data frames: categories where the user says so, a clear refusal otherwise."""

import numpy as np
import pandas as pd
import pytest

from statlearn.ensemble import GradientBoostingRegressor, RandomForestRegressor
from statlearn.trees import DecisionTreeRegressor

MODELS = [DecisionTreeRegressor, RandomForestRegressor, GradientBoostingRegressor]


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    level = rng.integers(0, 3, 60)
    names = np.array(["x", "y", "z"])[level]
    return pd.DataFrame({"a": rng.normal(size=60), "t": names}, index=100 + rng.permutation(60)), level**2.0


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("given", ["from_dtype", None])
def test_text_is_refused_by_the_name_of_its_column(model, given, table):
    X, y = table
    with pytest.raises(ValueError, match=r"Column 't' holds text .*categorical data type.*categorical_features"):
        model(categorical_features=given).fit(X, y)


@pytest.mark.parametrize("model", MODELS)
def test_named_text_and_categorical_columns_are_the_same(model, table):
    X, y = table
    named = model(categorical_features=["t"], random_state=0).fit(X, y)
    typed = model(random_state=0).fit(X.astype({"t": "category"}), y)
    np.testing.assert_array_equal(named.predict(X), typed.predict(X.astype({"t": "category"})))
    assert named.score(X, y) > 0.99


@pytest.mark.parametrize("model", MODELS)
def test_numbers_written_as_text_are_numbers(model, table):
    X, y = table
    text = X[["a"]].astype(str)
    settings = {"random_state": 0, "categorical_features": None}
    np.testing.assert_array_equal(
        model(**settings).fit(text, y).predict(text), model(**settings).fit(X[["a"]], y).predict(X[["a"]])
    )
