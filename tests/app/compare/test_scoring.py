"""Metrics agree with scikit-learn's."""

import numpy as np
import pytest
from sklearn import metrics as sk

from statlearn.app.compare.scoring import METRICS, Predictions, choose_metrics, predictions_of, score_function
from statlearn.app.errors import UsageError
from statlearn.linear import LogisticRegression, RidgeClassifier
from tests.helpers import assert_close


def test_regression_metrics(rng):
    y, p = rng.normal(size=50), rng.normal(size=50)
    expected = {
        "rmse": sk.root_mean_squared_error, "mse": sk.mean_squared_error, "mae": sk.mean_absolute_error,
        "r2": sk.r2_score, "median_ae": sk.median_absolute_error,
    }  # fmt: skip
    for name, function in expected.items():
        assert METRICS["regression"][name](y, Predictions(p)) == pytest.approx(function(y, p))
    counts, means = rng.poisson(2, size=50).astype(float), rng.uniform(0.5, 3, size=50)
    found = METRICS["regression"]["poisson_deviance"](counts, Predictions(means))
    assert found == pytest.approx(sk.mean_poisson_deviance(counts, means))


@pytest.mark.parametrize("k", [2, 4])
def test_classification_metrics(rng, k):
    y = rng.permutation(np.arange(80) % k)
    table = rng.dirichlet(np.ones(k), size=80).round(1) + 0.01  # with ties
    table /= table.sum(axis=1, keepdims=True)
    p = Predictions(table.argmax(axis=1), table)
    average = "binary" if k == 2 else "macro"
    expected = {
        "log_loss": sk.log_loss(y, table),
        "accuracy": sk.accuracy_score(y, p.values),
        "balanced_accuracy": sk.balanced_accuracy_score(y, p.values),
        "f1": sk.f1_score(y, p.values, average=average),
        "roc_auc": sk.roc_auc_score(y, table[:, 1] if k == 2 else table, multi_class="ovr"),
        "brier": sk.brier_score_loss(y, table[:, 1]) if k == 2 else np.mean(((table - np.eye(k)[y]) ** 2).sum(axis=1)),
    }
    for name, value in expected.items():
        assert METRICS["classification"][name](y, p) == pytest.approx(value)


def test_losses_point_downwards(rng):
    y = np.arange(10) % 2
    p = Predictions(y)
    assert METRICS["classification"]["accuracy"].loss(y, p) == -1
    assert np.isnan(METRICS["classification"]["log_loss"](y, p))
    assert np.isnan(METRICS["classification"]["roc_auc"](y, p))


def test_classes_that_a_fold_has_not_met_get_probability_zero(rng):
    X, y = rng.normal(size=(60, 2)), np.array(["a", "c"] * 30)
    classes = np.array(["a", "b", "c"])
    p = predictions_of(LogisticRegression().fit(X, y), X, classes)
    assert p.probabilities.shape == (60, 3)
    assert np.all(p.probabilities[:, 1] == 0)
    assert set(p.values) <= {0, 2}
    assert predictions_of(RidgeClassifier().fit(X, y), X, classes).scores is None
    assert predictions_of(RidgeClassifier().fit(X, y), X, np.array(["a", "c"])).scores.shape == (60,)


@pytest.mark.parametrize(
    "given, task, name",
    [
        ("auc", "classification", "roc_auc"), ("AUC", "classification", "roc_auc"),
        ("logloss", "classification", "log_loss"),
        ("neg_log_loss", "classification", "log_loss"), ("Brier score", "classification", "brier"),
        ("R^2", "regression", "r2"), ("mean_absolute_error", "regression", "mae"), ("RMSE", "regression", "rmse"),
    ],
)  # fmt: skip
def test_everyday_names_of_metrics(given, task, name):
    assert choose_metrics(task, given)[0].name == name


def test_choice_of_metrics():
    first, shown = choose_metrics("regression", "mae")
    assert first.name == "mae"
    assert [m.name for m in shown] == ["mae", "rmse", "r2"]
    assert choose_metrics("classification")[0].name == "log_loss"
    with pytest.raises(UsageError, match="`metric` must be one of rmse"):
        choose_metrics("regression", "accuracy")


def test_score_functions_take_labels(rng):
    table = rng.dirichlet(np.ones(2), size=10)
    y = np.array(["n", "y"])[np.arange(10) % 2]
    score = score_function(METRICS["classification"]["log_loss"], np.array(["n", "y"]))
    assert score(y, table) == pytest.approx(sk.log_loss(y, table))
    assert score_function(METRICS["regression"]["mae"], None)([1, 2], [1, 4]) == 1


@pytest.mark.parametrize("task", ["regression", "classification"])
def test_the_differences_on_single_rows_average_to_that_of_the_metric(rng, task):
    y = rng.integers(0, 3, size=60)
    tables = [rng.dirichlet(np.ones(3), size=60) for _ in range(2)]
    models = [Predictions(table.argmax(axis=1), table) for table in tables]
    if task == "regression":
        tables = [rng.uniform(0.5, 3, size=60) for _ in range(2)]
        models = [Predictions(values) for values in tables]
    no_means = []
    for name, metric in METRICS[task].items():
        gaps = metric.row_gaps(y, *tables)
        if gaps is None:
            no_means.append(name)
            continue
        assert gaps.shape == (60,)
        expected = np.subtract(*(metric.additive(metric(y, predictions)) for predictions in models))
        assert_close(gaps.mean(), expected, rtol=1e-9)
    assert no_means == (["r2", "median_ae"] if task == "regression" else ["balanced_accuracy", "roc_auc", "f1"])
