"""Partial dependence against its definition, scikit-learn's, and functions whose answer is known."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn import inspection
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from statlearn._core import inspection as shared
from statlearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestRegressor,
    conditional_dependence,
    partial_dependence,
)
from statlearn.linear import LinearRegression, LogisticRegression
from statlearn.trees import DecisionTreeRegressor
from tests.helpers import assert_close

FUNCTIONS = {"square": lambda x: x**2, "sine": lambda x: np.sin(3 * x)}


class Given(RegressorMixin, BaseEstimator):
    """A regressor that is a given function of the table."""

    def __init__(self, function=None):
        self.function = function

    def fit(self, X, y=None):
        self.n_features_in_ = X.shape[1]
        return self

    def predict(self, X):
        return self.function(np.asarray(X, float))


@pytest.mark.spec("ENS-37")
@pytest.mark.parametrize("features", [[1], [0, 2], 2])
def test_it_is_scikit_learns(features, rng):
    X = rng.normal(size=(60, 4))
    y = X[:, 0] * X[:, 1] + X[:, 2]
    weights = rng.integers(0, 3, size=60)
    model = GradientBoostingRegressor(n_estimators=10, random_state=0).fit(X, y)
    classes = np.digitize(y, [-0.5, 0.5])
    several = LogisticRegression().fit(X, classes)
    for estimator in (model, several, LogisticRegression().fit(X, classes == 1)):
        for options in ({"kind": "both"}, {"sample_weight": weights}):
            ours = partial_dependence(estimator, X, features, grid_resolution=7, **options)
            theirs = inspection.partial_dependence(estimator, X, features, grid_resolution=7, **options)
            for a, b in zip(ours.grid_values, theirs.grid_values):
                assert_close(a, b)
            assert_close(ours.average, theirs.average)
            if "individual" in theirs:
                assert_close(ours.individual, theirs.individual)


@pytest.mark.spec("ENS-37")
def test_weights_are_copies(rng):
    X = rng.normal(size=(30, 2))
    model = Given(lambda X: X[:, 0] * X[:, 1]).fit(X)
    weights = rng.integers(0, 4, size=30)
    values = {0: [-1.0, 0.0, 2.0]}
    found = partial_dependence(model, X, [0], sample_weight=weights, custom_values=values)
    copies = partial_dependence(model, np.repeat(X, weights, axis=0), [0], custom_values=values)
    assert_close(found.average, copies.average)
    assert_close(found.average[0], np.array([-1, 0, 2]) * np.average(X[:, 1], weights=weights))


@pytest.mark.parametrize("classes", [0, 2, 3])
def test_recursion_on_the_training_rows_is_brute_force_where_the_columns_are_crossed(classes, rng):
    """On a complete grid of two columns the covers below a split on one do not depend on the other."""
    side = np.linspace(0, 1, 12)
    X = np.array([(a, b) for a in side for b in side])
    f = np.sin(5 * X[:, 0]) + X[:, 1] ** 2
    if classes == 0:
        model = GradientBoostingRegressor(n_estimators=30, max_depth=1, random_state=0).fit(X, f)
    else:
        y = np.digitize(f, np.quantile(f, np.arange(1, classes) / classes))
        model = GradientBoostingClassifier(n_estimators=30, max_depth=1, random_state=0).fit(X, y)
    brute = {} if classes == 0 else {"response_method": "decision_function"}
    for features in ([0], [1], [0, 1]):
        fast = partial_dependence(model, X, features, grid_resolution=9)
        slow = partial_dependence(model, X, features, grid_resolution=9, method="brute", **brute)
        assert fast.average.shape == (max(1, classes) if classes != 2 else 1, *[9] * len(features))
        assert_close(fast.average, slow.average, atol=1e-8)


def test_recursion_averages_by_the_covers(rng):
    """One tree, by hand: the split on x1 is averaged in the proportions of the training rows below it."""
    X = np.array([[0, 0], [0, 1], [0, 1], [1, 0], [1, 0], [1, 1.0]])
    y = np.array([0, 3, 3, 10, 10, 16.0])
    model = GradientBoostingRegressor(n_estimators=1, learning_rate=1.0, max_depth=2).fit(X, y)
    found = partial_dependence(model, X, [0], custom_values={0: [0.0, 1.0]}, method="recursion")
    assert_close(found.average[0], [(0 + 3 + 3) / 3, (10 + 10 + 16) / 3])
    found = partial_dependence(model, X, [1], custom_values={1: [0.0, 1.0]}, method="recursion")
    assert_close(found.average[0], [(0 + 10) / 2, (3 + 16) / 2])
    everything = partial_dependence(model, X, [0, 1], method="recursion")
    assert_close(everything.average[0], [[0, 3], [10, 16]])


@pytest.mark.spec("ENS-P25")
@pytest.mark.parametrize("term", FUNCTIONS)
def test_terms_of_an_additive_function_are_recovered_up_to_a_constant(term, rng):
    x = rng.uniform(-1, 1, size=400)
    X = np.column_stack([x, np.clip(x + 0.2 * rng.normal(size=400), -1, 1)])  # dependent columns
    model = Given(lambda X: FUNCTIONS[term](X[:, 0]) + 2 * X[:, 1]).fit(X)
    found = partial_dependence(model, X, [0], grid_resolution=20)
    gap = found.average[0] - FUNCTIONS[term](found.grid_values[0])
    assert_close(gap, np.full(20, gap[0]))
    second = partial_dependence(model, X, [1], grid_resolution=20)
    assert_close(np.diff(second.average[0]), 2 * np.diff(second.grid_values[0]))


@pytest.mark.spec("ENS-38", "ENS-P25")
def test_the_conditional_mean_differs_where_columns_are_dependent(rng):
    """X1 | X0 ~ N(0.8 x0, 0.36): E[x0 + x1 | x0] = 1.8 x0, while the partial dependence has slope 1."""
    n = 20_000
    x = rng.normal(size=n)
    X = np.column_stack([x, 0.8 * x + 0.6 * rng.normal(size=n)])
    model = Given(lambda X: X[:, 0] + X[:, 1]).fit(X)
    grid = {0: np.array([-1.0, 0.0, 1.0])}
    conditional = conditional_dependence(model, X, [0], custom_values=grid)
    assert_close(np.diff(conditional.average[0]), [1.8, 1.8], atol=0.1)  # statistical
    assert_close(np.diff(partial_dependence(model, X, [0], custom_values=grid).average[0]), [1.0, 1.0])
    unused = Given(lambda X: X[:, 1]).fit(X)
    assert_close(np.diff(partial_dependence(unused, X, [0], custom_values=grid).average[0]), [0.0, 0.0])
    assert_close(np.diff(conditional_dependence(unused, X, [0], custom_values=grid).average[0]), [0.8, 0.8], atol=0.1)
    X[:, 1] = rng.normal(size=n)  # independent: both agree
    free = conditional_dependence(model, X, [0], custom_values=grid)
    assert_close(np.diff(free.average[0]), [1.0, 1.0], atol=0.1)


@pytest.mark.spec("ENS-38")
def test_conditional_dependence_is_its_formula(rng):
    X = rng.normal(size=(40, 3))
    X[:, 2] = rng.integers(0, 3, size=40)
    model = Given(lambda X: X[:, 0] * X[:, 1]).fit(X)
    weights = rng.integers(0, 4, size=40).astype(float)
    grid = {0: [0.0, 1.0], 1: [-1.0, 0.5, 2.0], 2: [0.0, 2.0]}
    options = {"bandwidth": [0.5, 0.7, 1.0], "custom_values": grid, "categorical_features": [2]}
    found = conditional_dependence(model, X, [0, 1, 2], sample_weight=weights, **options)
    for a, x0 in enumerate(grid[0]):
        for b, x1 in enumerate(grid[1]):
            for c, x2 in enumerate(grid[2]):
                k = np.exp(-(((X[:, 0] - x0) / 0.5) ** 2 + ((X[:, 1] - x1) / 0.7) ** 2) / 2) * (X[:, 2] == x2)
                assert_close(found.average[0, a, b, c], np.average(X[:, 0] * X[:, 1], weights=weights * k))
                assert_close(found.effective_rows[a, b, c], (weights @ k) ** 2 / (weights @ k**2))
    copies = conditional_dependence(model, np.repeat(X, weights.astype(int), axis=0), [0, 1, 2], **options)
    assert_close(copies.average, found.average)
    assert_close(copies.effective_rows, found.effective_rows)
    own = conditional_dependence(model, X, [0], sample_weight=weights, custom_values={0: [0.0]})
    copied = conditional_dependence(model, np.repeat(X, weights.astype(int), axis=0), [0], custom_values={0: [0.0]})
    assert_close(own.bandwidth, copied.bandwidth)
    far = conditional_dependence(model, X, [0], bandwidth=0.01, custom_values={0: [1e3]})
    assert_close(far.average[0, 0], model.predict(X)[X[:, 0].argmax()])  # the nearest row remains
    with pytest.raises(ValueError, match="`bandwidth` must be positive"):
        conditional_dependence(model, X, [0], bandwidth=[-1.0])
    with pytest.raises(ValueError, match="constant column"):
        conditional_dependence(model, np.ones((5, 2)), [0])


def test_tables_of_any_kind(rng, monkeypatch):
    n = 40
    columns = {"size": rng.normal(size=n), "colour": rng.choice(["red", "blue"], size=n).tolist()}
    y = columns["size"] + (np.array(columns["colour"]) == "red")
    encoder = make_column_transformer((OneHotEncoder(drop="first"), ["colour"]), remainder="passthrough")
    for make in (pd.DataFrame, pl.DataFrame):
        frame = make(columns)
        model = make_pipeline(encoder, LinearRegression()).fit(frame, y)
        found = partial_dependence(model, frame, ["size", "colour"], grid_resolution=5, kind="both")
        assert found.grid_values[1].tolist() == ["blue", "red"]
        assert found.average.shape == (1, 5, 2)
        assert_close(found.average[0, :, 1] - found.average[0, :, 0], np.ones(5), atol=1e-8)
        assert_close(found.individual.mean(axis=1), found.average)
        conditional = conditional_dependence(model, frame, "colour")
        means = [model.predict(frame)[np.array(columns["colour"]) == c].mean() for c in ("blue", "red")]
        assert_close(conditional.average[0], means)
    X = sparse.random_array((30, 3), density=0.5, format="csr", rng=rng)
    model = LinearRegression().fit(X, np.arange(30.0))
    together = partial_dependence(model, X, [1], grid_resolution=4)
    assert_close(together.average, partial_dependence(model, X.toarray(), [1], grid_resolution=4).average)
    monkeypatch.setattr(shared, "MAX_CELLS", 1)
    assert_close(partial_dependence(model, X, [1], grid_resolution=4).average, together.average)


def test_missing_cells_do_not_enter_the_grid(rng):
    X = rng.normal(size=(80, 2))
    X[::7, 0] = np.nan
    model = GradientBoostingRegressor(n_estimators=5, random_state=0).fit(X, np.nan_to_num(X[:, 0]))
    found = partial_dependence(model, X, [0], grid_resolution=10, method="brute")
    assert np.isfinite(found.grid_values[0]).all()
    assert np.isfinite(found.average).all()


def test_categories_of_a_tree_model_are_walked_by_their_sets(rng):
    X = np.column_stack([rng.integers(0, 6, size=300) * 10.0, rng.normal(size=300)])
    y = (X[:, 0] % 20 == 0) + 0.1 * X[:, 1]
    model = GradientBoostingRegressor(
        n_estimators=20, max_depth=1, categorical_features=[0], random_state=0
    ).fit(X, y)  # fmt: skip
    fast = partial_dependence(model, X, [0], categorical_features=[0])
    slow = partial_dependence(model, X, [0], categorical_features=[0], method="brute")
    assert_close(fast.grid_values[0], np.arange(6) * 10.0)
    assert_close(fast.average, slow.average, atol=1e-8)


def test_bad_requests(rng):
    X = rng.normal(size=(20, 3))
    model = LinearRegression().fit(X, X[:, 0])
    trees = GradientBoostingRegressor(n_estimators=2).fit(X, X[:, 0])
    bad = [
        ("between|all features must be in", model, [7], {}),
        ("only supported for dataframes", model, ["a"], {}),
        ("support the 'recursion' method", model, [0], {"method": "recursion"}),
        ("only applies when 'kind'", trees, [0], {"method": "recursion", "kind": "both"}),
        ("sample_weight is None", trees, [0], {"method": "recursion", "sample_weight": np.ones(20)}),
        ("must be 'auto'", model, [0], {"response_method": "predict_proba"}),
        ("'percentiles' values must be", model, [0], {"percentiles": (0.0, 1.2)}),
        ("strictly less", model, [0], {"percentiles": (0.6, 0.5)}),
        ("strictly greater than 1", model, [0], {"grid_resolution": 1}),
        ("not a one-dimensional", model, [0], {"custom_values": {0: [[1.0]]}}),
        ("empty list", model, [0], {"categorical_features": []}),
        ("must have 3 entries if it is a boolean mask", model, [True, False], {}),
        ("kind", model, [0], {"kind": "all"}),
        ("duplicates", model, [0], {"feature_names": ["a", "a", "b"]}),
    ]
    for message, estimator, features, options in bad:
        with pytest.raises(ValueError, match=message):
            partial_dependence(estimator, X, features, **options)
    with pytest.raises(ValueError, match="integer data"):
        partial_dependence(model, np.ones((5, 3), int), [0])
    named = partial_dependence(model, X, ["b"], feature_names=["a", "b", "c"], grid_resolution=3)
    masked = partial_dependence(model, X, [False, True, False], grid_resolution=3)
    assert_close(named.average, masked.average)


def test_categories_that_are_numbers_are_categories(rng):
    """Levels 10, 20, 30 of a categorical type: no integers to be refused, and no codes of the trees."""
    levels = rng.choice([10, 20, 30], 200)
    X = pd.DataFrame({"level": pd.Categorical(levels), "x": rng.normal(size=200)})
    y = np.where(levels == 20, 3.0, 0.0) + X["x"].to_numpy()
    for model in (GradientBoostingRegressor(n_estimators=20), DecisionTreeRegressor(max_depth=4)):
        found = partial_dependence(model.fit(X, y), X, ["level"])
        assert list(found["grid_values"][0]) == [10, 20, 30]
        by_hand = [
            model.predict(X.assign(level=pd.Categorical([v] * 200, categories=[10, 20, 30]))).mean()
            for v in (10, 20, 30)
        ]
        assert_close(found["average"][0], by_hand)
        assert found["average"][0, 1] > 2
        with pytest.raises(ValueError, match=r"'level' is categorical\. Use method='brute'"):
            partial_dependence(model, X, ["level"], method="recursion")


@pytest.mark.spec("CRS-13")
@pytest.mark.parametrize("kind", [RandomForestRegressor, GradientBoostingRegressor])
def test_brute_is_the_mean_over_rows_and_the_result_names_its_method(rng, kind):
    X = rng.normal(size=(80, 3))
    X[:, 1] += X[:, 0]  # dependent columns, for which the recursion differs
    y = X[:, 0] * X[:, 1] + rng.normal(size=80)
    model = kind(n_estimators=20, random_state=0).fit(X, y)
    grid = np.array([-1.0, 0.0, 1.5])
    found = partial_dependence(model, X, [0], custom_values={0: grid}, method="brute")
    moved = [np.column_stack([np.full(80, value), X[:, 1:]]) for value in grid]
    assert_close(found.average[0], [model.predict(each).mean() for each in moved], rtol=1e-12, atol=1e-12)
    assert found.method == "brute"
    default = partial_dependence(model, X, [0], custom_values={0: grid})
    assert default.method == "recursion"
    assert np.abs(default.average - found.average).max() > 1e-3
    assert partial_dependence(model, X, [0], kind="both").method == "brute"
