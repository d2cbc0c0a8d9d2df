"""Shapley values of single predictions by column of the table."""

from functools import cache
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

from statlearn.app.explain import shapley
from statlearn.app.explain.importance import predict_values
from statlearn.app.explain.shapley import shapley_values
from statlearn.ensemble import RandomForestClassifier, RandomForestRegressor
from statlearn.linear import LinearRegression, LogisticRegression, PoissonRegressor
from statlearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from statlearn.prep import TableTransformer
from tests.helpers import assert_close


@pytest.fixture
def table(rng):
    n = 150
    frame = pd.DataFrame({"size": rng.normal(size=n), "colour": rng.choice(["red", "green", "blue"], size=n)})
    frame["age"] = rng.normal(size=n)
    y = 2 * frame["size"] * frame["age"] + 3 * (frame["colour"] == "red") + rng.normal(size=n)
    return frame, y.to_numpy()


def by_definition(model, X, row, background):
    """The mean over all orders of the columns and all rows of the background, (columns, outputs)."""
    names = list(X.columns)

    @cache
    def value(known):
        mixed = background.copy()
        for name in known:
            mixed[name] = X[name].iloc[row]
        return predict_values(model, mixed).reshape(len(mixed), -1).mean(axis=0)

    total = np.zeros((len(names), len(value(frozenset()))))
    orders = list(permutations(range(len(names))))
    for order in orders:
        for k, j in enumerate(order):
            before = frozenset(names[i] for i in order[:k])
            total[j] += value(before | {names[j]}) - value(before)
    return total / len(orders)


def test_values_of_linear_models_are_those_of_the_definition(table):
    X, y = table
    background = X.head(40)
    for model, target, unit in (
        (LinearRegression(), y, "prediction"),
        (PoissonRegressor(), np.round(np.abs(y)), "log"),
        (LogisticRegression(), np.where(y > 0, "yes", "no"), "log-odds"),
    ):
        fitted = make_pipeline(TableTransformer(drop="first"), model).fit(X, target)
        found = shapley_values(fitted, X.head(3), background)
        assert (found.method, found.unit, found.errors) == ("linear", unit, None)
        totals = found.base + found.values.sum(axis=1)
        assert_close(totals, found.outputs)
    fitted = make_pipeline(TableTransformer(drop="first"), LinearRegression()).fit(X, y)
    found = shapley_values(fitted, X.head(3), background)
    expected = by_definition(fitted, X, 2, background)
    order = [list(X.columns).index(name) for name in found.columns]
    assert_close(found.values[2], expected[order])


@pytest.mark.parametrize("model", [KNeighborsRegressor(), RandomForestRegressor(5, random_state=0)])
def test_sampled_values_are_the_definition_within_their_errors(model, table):
    X, y = table
    fitted = make_pipeline(TableTransformer(), model).fit(X, y)
    background = X.head(30)
    found = shapley_values(fitted, X.head(4), background, exact=False, n_orders=400)
    assert found.n_orders == 400
    for row in range(4):
        gap = np.abs(found.values[row] - by_definition(fitted, X, row, background))
        assert np.all(gap <= 4.5 * found.errors[row] + 1e-12)
        assert found.errors[row].max() < 0.2 * np.abs(found.values[row]).max()


def test_sampled_errors_keep_their_promise(table):
    """Two errors hold the true value in about 95 % of the samples."""
    X, y = table
    fitted = make_pipeline(TableTransformer(), KNeighborsClassifier()).fit(X, y > 0)
    background = X.head(25)
    exact = by_definition(fitted, X, 0, background)
    inside = []
    for seed in range(40):
        found = shapley_values(fitted, X.head(1), background, n_orders=48, seed=seed)
        inside.append(np.abs(found.values[0] - exact) <= 2.07 * found.errors[0] + 1e-12)
    assert np.mean(inside) > 0.9


def test_sampled_values_add_up_to_the_prediction(table):
    X, y = table
    fitted = make_pipeline(TableTransformer(), KNeighborsRegressor()).fit(X, y)
    found = shapley_values(fitted, X.head(2), X, n_orders=200)  # each background row is used equally often
    assert_close(found.base + found.values.sum(axis=1), found.outputs, rtol=0.5, atol=0.5)
    full = shapley_values(fitted, X.head(2), X.head(20), n_orders=80)
    assert_close(full.base + full.values.sum(axis=1), full.outputs)


def test_shares_of_two_classes_add_up(table):
    X, y = table
    fitted = make_pipeline(TableTransformer(), RandomForestClassifier(5, random_state=0)).fit(X, y > 0)
    found = shapley_values(fitted, X.head(5))
    assert_close(found.base + found.values.sum(axis=1), fitted.predict_proba(X.head(5)))


def test_wide_tables_get_fewer_orders(rng, monkeypatch):
    monkeypatch.setattr(shapley, "MAX_ROW_CELLS", 10_000)
    X = pd.DataFrame(rng.normal(size=(40, 20)), columns=[f"x{j}" for j in range(20)])
    fitted = make_pipeline(TableTransformer(), KNeighborsRegressor()).fit(X, X["x0"])
    assert shapley_values(fitted, X.head(1), X).n_orders == 2 * (10_000 // (2 * 21 * 20))
    monkeypatch.setattr(shapley, "MAX_ROW_CELLS", 10)
    assert shapley_values(fitted, X.head(1), X).n_orders == 8


def test_columns_that_the_model_does_not_use_have_no_value(table):
    X, y = table
    fitted = make_pipeline(TableTransformer(), KNeighborsRegressor()).fit(X[["size", "age"]], y)
    found = shapley_values(fitted, X[["size", "age"]].head(2), X[["size", "age"]], columns=["size"])
    assert np.all(found.values[:, found.columns.index("age")] == 0)


def test_models_that_need_a_background_have_no_values_without_one(table):
    X, y = table
    fitted = make_pipeline(TableTransformer(), KNeighborsRegressor()).fit(X, y)
    assert shapley_values(fitted, X.head(2)) is None
    assert shapley_values(fitted, X.head(2), X.head(1)) is None
