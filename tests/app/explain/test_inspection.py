"""Learning curves, importances, partial dependence, worst rows."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from statlearn.app.compare import scoring
from statlearn.app.compare.run import compare
from statlearn.app.explain import importance
from statlearn.app.explain import inspection as look
from statlearn.linear import Lasso, LinearRegression, LogisticRegression
from statlearn.prep import TableTransformer
from tests.helpers import assert_close


def mse(y, prediction):
    return np.mean((y - prediction) ** 2)


def auc(y, prediction):
    above = np.subtract.outer(prediction[y == "low", 1], prediction[y == "high", 1])
    return np.mean(above > 0) + np.mean(above == 0) / 2


@pytest.fixture
def mixed(rng):
    n = 400
    frame = pd.DataFrame(
        {
            "size": rng.normal(size=n),
            "noise": rng.normal(size=n),
            "colour": rng.choice(["red", "green", "blue"], size=n, p=[0.6, 0.3, 0.1]),
        }
    )
    y = 2 * frame["size"].to_numpy() + (frame["colour"] == "red").to_numpy() + 0.1 * rng.normal(size=n)
    return frame, y


def pipeline(final):
    encoder = make_column_transformer((OneHotEncoder(drop="first"), ["colour"]), remainder=StandardScaler())
    return make_pipeline(encoder, final)


def test_importance_orders_the_columns_and_its_interval_covers_the_truth(mixed):
    X, y = mixed
    model = pipeline(LinearRegression()).fit(X, y)
    found = importance.permutation_importance(model, X, y, metric="MSE", score=mse, greater_is_better=False)
    assert found.columns == ["size", "colour", "noise"]
    # A shuffled copy of x is independent of x: the error grows by 2 b² var(x) = 8 and 2 p(1 - p) = 0.48.
    for k, truth in ((0, 8.0), (1, 0.48), (2, 0.0)):
        assert found.lower[k] - 1e-3 <= truth <= found.upper[k] + 1e-3
    assert found.upper[0] - found.lower[0] > 0.5  # the rows' spread counts, not the shuffles' alone


def test_an_unused_column_has_importance_zero_exactly(mixed, rng):
    X, y = mixed
    model = make_pipeline(make_column_transformer(("passthrough", ["size"])), LinearRegression()).fit(X, y)
    found = importance.permutation_importance(model, X, y, metric="MSE", score=mse, greater_is_better=False)
    unused = found.columns.index("noise")
    assert not found.drops[unused].any()
    assert found.lower[unused] == found.upper[unused] == 0


def test_importance_stops_when_the_clock_has_run_out(mixed, monkeypatch):
    X, y = mixed
    monkeypatch.setattr(importance, "MAX_CELLS", 1)  # one column at a time
    model = pipeline(LinearRegression()).fit(X, y)
    notes = []
    found = importance.permutation_importance(
        model, X, y, metric="MSE", score=mse, greater_is_better=False, clock=importance.Clock(0), notes=notes
    )
    assert found.n_left_out == 2
    assert notes == ["Permutation importance was measured for 1 of 3 columns."]


def test_partial_dependence_of_a_linear_model_is_its_line(mixed):
    X, y = mixed
    model = pipeline(LinearRegression()).fit(X, y)
    found = look.partial_dependence(model, X, 0, task="regression")
    slope = np.polyfit(found.values, found.mean[:, 0], 1)[0]
    assert_close(slope, 2, atol=0.05)
    assert_close(found.upper, found.lower, atol=1e-10)  # no interaction: all rows move alike
    levels = look.partial_dependence(model, X, 2, task="regression")
    assert levels.categorical
    assert levels.values[0] == "red"  # most frequent first
    assert_close(levels.mean[0, 0] - levels.mean[1, 0], 1, atol=0.1)


def test_partial_dependence_equals_the_average_over_the_rows(rng):
    X = rng.normal(size=(50, 2))
    y = X[:, 0] > 0.3 * rng.normal(size=50)
    model = LogisticRegression().fit(X, y)
    found = look.partial_dependence(model, X, 1, task="classification")
    for value, mean in zip(found.values, found.mean[:, 0]):
        filled = X.copy()
        filled[:, 1] = value
        assert_close(mean, model.predict_proba(filled)[:, 1].mean(), atol=0)
    assert found.outputs == ["True"]


def test_learning_curve_falls_towards_the_noise(mixed):
    X, y = mixed
    found = look.learning_curve(pipeline(LinearRegression()), X, y, task="regression", metric="MSE", score=mse)
    assert found.sizes[-1] == 320
    assert found.train.shape == found.test.shape == (len(found.sizes), 5)
    assert found.test[-1].mean() <= found.test[0].mean()
    assert_close(found.test[-1].mean(), 0.01, rtol=0.3, atol=0)


def test_a_sorted_table_does_not_bend_the_learning_curve(rng):
    X = np.sort(rng.normal(size=(13_000, 1)), axis=0)
    y = X[:, 0] * 3 + rng.normal(size=13_000) * np.exp(X[:, 0])  # noisier towards the end of the table
    found = look.learning_curve(LinearRegression(), X, y, task="regression", metric="MSE", score=mse)
    assert_close(found.test[-1].mean(), found.train[-1].mean(), rtol=0.5, atol=0)


def test_worst_rows_are_the_largest_losses(mixed):
    X, y = mixed
    predictions = y.copy()
    predictions[[5, 7]] += [3.0, -4.0]
    predictions[9] = np.nan  # never predicted
    found = look.worst_rows(X, y, predictions, task="regression", rows=np.arange(400) + 1000, n=2)
    assert [w.row for w in found] == [1007, 1005]
    assert found[0].loss == pytest.approx(16)
    assert found[0].cells["colour"] == X["colour"][7]
    proba = np.tile([0.9, 0.1], (3, 1))
    found = look.worst_rows(X[:3], np.array(["a", "b", "a"]), proba, task="classification", classes=["a", "b"], n=1)
    assert (found[0].row, found[0].actual, found[0].predicted) == (1, "b", "a")
    assert found[0].loss == pytest.approx(-np.log(0.1))


def test_inspect_model_does_everything_within_its_budget(mixed, rng):
    X, y = mixed
    labels = np.where(y > 0.5, "high", "low")
    model = pipeline(LogisticRegression()).fit(X, labels)
    found = look.inspect_model(
        model,
        X,
        labels,
        task="classification",
        metric="AUC",
        score=auc,
        greater_is_better=True,
        predictions=model.predict_proba(X),
        seconds=1e6,
    )
    assert found.importance.columns[0] == "size"
    assert [d.column for d in found.dependence][:2] == ["size", "colour"]
    assert found.learning.sizes[-1] == 320
    assert len(found.worst) == 8
    hurried = look.inspect_model(
        model, X, labels, task="classification", metric="AUC", score=auc, greater_is_better=True, seconds=0
    )
    # The curve is a matter of fits, not of seconds: a busy machine shows the same one.
    np.testing.assert_array_equal(hurried.learning.test, found.learning.test)


@pytest.mark.parametrize("task, make", [("regression", pd.DataFrame), ("classification", pl.DataFrame)])
def test_a_whole_comparison_is_inspected(task, make, rng):
    from statlearn.app.compare.run import compare

    n = 160
    columns = {"a": rng.normal(size=n), "b": rng.normal(size=n), "c": rng.choice(["x", "y"], size=n).tolist()}
    y = 3 * columns["a"] + 0.3 * rng.normal(size=n)
    models = ["least-squares", "lasso"] if task == "regression" else ["ridge-classifier", "logistic-l2"]
    target = y if task == "regression" else np.where(y > 0, "up", "down")
    result = compare(make(columns), target, models=models, folds=3, holdout=0.25)
    result = look.inspect_comparison(result, seconds=1e6)
    for model in result.models:
        if model.name == result.baseline:
            assert model.inspection is None
            continue
        assert model.inspection.importance.columns[0] == "a"
        if model.name in (result.best, result.simplest):
            assert model.inspection.learning.sizes[-1] == 96
        else:
            assert model.inspection.learning is None
        assert model.inspection.dependence[0].column == "a"
        assert model.inspection.importance.n_rows == 40
        worst = model.inspection.worst[0]
        assert worst.cells["a"] == columns["a"][worst.row]


def test_in_a_wide_table_the_columns_that_matter_are_measured(rng):
    X = rng.normal(size=(120, 300))
    y = X[:, 250] - 2 * X[:, 7] + 0.1 * rng.normal(size=120)
    names = [f"c{j}" for j in range(300)]
    frame = pd.DataFrame(X, columns=names).assign(group=rng.choice(["a", "b"], size=120))
    model = make_pipeline(make_column_transformer(("passthrough", names)), Lasso(alpha=0.05)).fit(frame, y)
    notes = []
    found = importance.permutation_importance(
        model, frame, y, metric="MSE", score=mse, greater_is_better=False, notes=notes
    )
    assert found.columns[:2] == ["c7", "c250"]
    assert len(found.columns) == importance.MAX_COLUMNS
    assert found.n_left_out == 301 - importance.MAX_COLUMNS
    assert notes == [f"Permutation importance was measured for {importance.MAX_COLUMNS} of 301 columns."]


def test_columns_shuffled_together_are_shuffled_apart(mixed):
    X, y = mixed
    model = pipeline(LinearRegression()).fit(X, y)
    found = importance._predict_shuffled(model, X, [0, 1, 2], 4, np.random.default_rng(3))
    assert found.shape == (3, 4, len(y))
    intact = model.predict(X)
    for j in range(3):
        for s in range(4):
            assert not np.allclose(found[j, s], intact)
            # A linear model adds up: only the shuffled column's part moves, and its mean stays.
            assert_close(found[j, s].mean(), intact.mean(), atol=0)


def test_rows_without_one_of_the_classes_leave_the_others_in_their_columns(rng):
    """A class of two rows is missing among the rows that small models learn from."""
    x = rng.normal(size=120)
    y = np.where(x > 0, "high", "low").astype(object)
    y[:2] = "a rare one"
    score = scoring.score_function(scoring.METRICS["classification"]["log_loss"], np.unique(y))
    model = LogisticRegression()
    found = look.learning_curve(model, x[:, None], y, task="classification", metric="log_loss", score=score)
    # The two rare rows cost log(1e-15) where the class was not met; all others are predicted well.
    assert found.train[0].max() < 0.7
    fitted = importance.AllClasses(LogisticRegression().fit(x[2:, None], y[2:]), y)
    table = importance.predict_values(fitted, x[:5, None])
    assert table.shape == (5, 3)
    assert_close(table[:, 0], np.zeros(5))
    assert_close(table[:, 1:], fitted.model.predict_proba(x[:5, None]))


def test_a_model_that_cannot_be_inspected_does_not_cost_the_report(monkeypatch, rng):
    X = pd.DataFrame({"x": rng.normal(size=60)})
    result = compare(X, X["x"].to_numpy() + rng.normal(size=60), models=["least-squares"], folds=3)

    def fail(*args, **kwargs):
        raise IndexError("index 30 is out of bounds")

    monkeypatch.setattr(look, "permutation_importance", fail)
    assert result.inspect().model("least-squares").inspection.notes == [
        "This model could not be inspected: IndexError: index 30 is out of bounds"
    ]


def test_dates_in_text_have_an_axis_of_dates(rng):
    days = [dt.datetime(2024, 1, 1) + dt.timedelta(days=int(k)) for k in range(120)]
    X = pd.DataFrame({"day": [day.strftime("%d.%m.%Y") for day in days], "x": rng.normal(size=120)})
    model = make_pipeline(TableTransformer(), LinearRegression()).fit(X, np.arange(120.0))
    found = look.partial_dependence(model, X, 0, task="regression")
    assert not found.categorical
    assert found.values == sorted(found.values)
    assert isinstance(found.values[0], dt.datetime)
