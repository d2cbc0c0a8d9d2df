"""Permutation importance: scikit-learn's numbers, and what must be zero."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import inspection

from statlearn.ensemble import GradientBoostingRegressor, permutation_importance
from statlearn.linear import LinearRegression, LogisticRegression
from statlearn.trees import DecisionTreeRegressor
from tests.helpers import assert_close


@pytest.fixture
def problem(rng):
    X = rng.normal(size=(150, 4))
    return X, 3 * X[:, 0] + X[:, 1] ** 2 + 0.1 * rng.normal(size=150)


@pytest.mark.spec("ENS-11")
@pytest.mark.parametrize("make", [np.asarray, pd.DataFrame])
def test_the_numbers_are_scikit_learns(make, problem, rng):
    X, y = problem
    X = make(X)
    models = [LinearRegression().fit(X, y), GradientBoostingRegressor(n_estimators=20, random_state=0).fit(X, y)]
    weights = rng.uniform(0.1, 2.0, size=150)
    for model in models:
        for options in (
            {},
            {"n_repeats": 3, "scoring": "neg_mean_absolute_error"},
            {"sample_weight": weights},
            {"max_samples": 0.5},
            {"max_samples": 40},
        ):
            ours = permutation_importance(model, X, y, random_state=5, **options)
            theirs = inspection.permutation_importance(model, X, y, random_state=5, **options)
            assert_close(ours.importances, theirs.importances)
            assert_close(ours.importances_mean, theirs.importances_mean)
            assert_close(ours.importances_std, theirs.importances_std)


@pytest.mark.spec("ENS-11")
def test_several_metrics_and_classifiers(problem):
    X, y = problem
    model = LogisticRegression().fit(X, y > 0)
    found = permutation_importance(model, X, y > 0, scoring=["accuracy", "roc_auc"], random_state=0)
    theirs = inspection.permutation_importance(model, X, y > 0, scoring=["accuracy", "roc_auc"], random_state=0)
    assert set(found) == {"accuracy", "roc_auc"}
    for name in found:
        assert_close(found[name].importances, theirs[name].importances)
    frame = pl.DataFrame(X, list("abcd"))
    again = permutation_importance(
        LogisticRegression().fit(frame, y > 0), frame, y > 0, scoring="accuracy", random_state=0
    )
    assert_close(again.importances, found["accuracy"].importances)


@pytest.mark.spec("ENS-11")
def test_the_rise_of_the_squared_error_is_twice_the_variance_of_the_term(rng):
    """A shuffled copy x' of x is independent of it: E (b x - b x')^2 = 2 b^2 var(x)."""
    X = rng.normal(size=(20_000, 3))
    y = X @ [2.0, 1.0, 0.0]
    model = LinearRegression().fit(X, y)
    found = permutation_importance(model, X, y, scoring="neg_mean_squared_error", random_state=0)
    assert_close(found.importances_mean[:2], [8.0, 2.0], rtol=0.05)  # statistical
    assert_close(found.importances_mean[2], 0.0)


def test_columns_that_trees_do_not_split_on_are_not_shuffled(rng, monkeypatch):
    X = rng.normal(size=(100, 5))
    model = GradientBoostingRegressor(n_estimators=3, max_depth=1, random_state=0).fit(X, X[:, 2])
    calls = []
    predict = type(model).predict
    monkeypatch.setattr(type(model), "predict", lambda self, X: calls.append(1) or predict(self, X))
    found = permutation_importance(model, X, X[:, 2], n_repeats=4, random_state=0)
    assert len(calls) == 1 + 4
    assert not np.delete(found.importances, 2, axis=0).any()
    assert found.importances_mean[2] > 0.2


def test_rows_of_weight_zero_are_absent(problem, rng):
    X, y = problem
    model = LinearRegression().fit(X, y)
    weights = rng.integers(0, 2, size=150).astype(float)
    found = permutation_importance(model, X, y, sample_weight=weights, random_state=0)
    there = weights > 0
    assert_close(found.importances, permutation_importance(model, X[there], y[there], random_state=0).importances)


def test_bad_requests(problem):
    X, y = problem
    model = LinearRegression().fit(X, y)
    for message, options in (
        ("n_repeats", {"n_repeats": 0}),
        ("max_samples must be <= n_samples", {"max_samples": 151}),
        ("max_samples", {"max_samples": 1.5}),
        ("Negative values", {"sample_weight": -np.ones(150)}),
        ("random_state", {"random_state": "x"}),
    ):
        with pytest.raises(ValueError, match=message):
            permutation_importance(model, X, y, **options)
    with pytest.raises(ValueError, match="estimator"):
        permutation_importance(object(), X, y)


def test_columns_that_only_stand_in_for_missing_ones_matter(rng):
    """Surrogates of one split: shuffling their column changes predictions of rows that miss the first."""
    x = rng.normal(size=400)
    X = np.column_stack([x, x + 0.3 * rng.normal(size=400)])
    y = (x > 0).astype(float)
    model = DecisionTreeRegressor(max_depth=1, missing="surrogate").fit(X, y)
    assert model.tree_.feature[0] == 0
    X[::2, 0] = np.nan
    assert permutation_importance(model, X, y, n_repeats=3, random_state=0).importances_mean[1] > 0.1
