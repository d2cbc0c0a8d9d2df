"""The table of results: scores, standard errors and differences from the rows."""

import numpy as np
import pytest
from sklearn import metrics as sk

from statlearn.app.compare.results import (
    LEVEL_OVERLAP,
    Evidence,
    Results,
    differences,
    estimate,
    standard_error_of,
    wins,
)
from statlearn.app.compare.scoring import METRICS, Predictions
from statlearn.app.compare.splits import Scheme

EVERY = [(task, name) for task, known in METRICS.items() for name in known]


def made(task, rng, n=400):
    """Truth and predictions for a metric of a task."""
    if task == "regression":
        truth = rng.gamma(3.0, size=n)
        return truth, Predictions(truth * rng.uniform(0.5, 1.5, size=n))
    truth = rng.integers(0, 2, size=n)
    p = 1 / (1 + np.exp(-(2 * truth - 1 + rng.logistic(size=n))))
    table = np.column_stack([1 - p, p])
    return truth, Predictions(table.argmax(axis=1), table)


@pytest.mark.parametrize(("task", "name"), EVERY)
def test_every_metric_has_its_value_and_the_error_of_the_bootstrap(task, name, rng):
    metric = METRICS[task][name]
    truth, predictions = made(task, rng)
    found = estimate(metric, truth, predictions)
    assert found.value == pytest.approx(metric(truth, predictions), rel=1e-9)
    assert abs(found.influence.mean()) < 1e-9 or name == "median_ae"
    error, units = standard_error_of(found.influence, np.arange(len(truth)))
    draws = rng.integers(0, len(truth), size=(300, len(truth)))
    boot = np.std([metric(truth[i], predictions.rows(i)) for i in draws], ddof=1)
    assert units == len(truth)
    assert error == pytest.approx(boot, rel=0.4 if name == "median_ae" else 0.25)


def test_a_model_without_probabilities_has_no_log_loss_but_an_area(rng):
    truth = rng.integers(0, 2, size=50)
    labels = Predictions(truth, None, truth + rng.normal(size=50))
    known = METRICS["classification"]
    assert np.isnan(estimate(known["log_loss"], truth, labels).value)
    assert estimate(known["roc_auc"], truth, labels).value == pytest.approx(sk.roc_auc_score(truth, labels.scores))


def test_areas_compare_rows_of_the_same_fold_only():
    """Each fold is in perfect order; across the folds the scores are of different models."""
    truth, scores = np.array([0, 1, 0, 1]), np.array([0.1, 0.2, 0.8, 0.9])
    found = estimate(
        METRICS["classification"]["roc_auc"], truth, Predictions(truth, None, scores), np.array([0, 0, 1, 1])
    )
    assert found.value == 1.0


def test_r2_is_that_of_all_rows_together():
    """The mean of the folds of two rows each was -0.07 where most of the variance was explained."""
    truth = np.arange(20.0)
    predictions = truth + np.resize([0.6, -0.6], 20)
    folds = [(np.setdiff1d(np.arange(20), [k, k + 1]), np.array([k, k + 1])) for k in range(0, 20, 2)]
    tested = {"line": {f: Predictions(predictions[test]) for f, (_, test) in enumerate(folds)}}
    r2 = METRICS["regression"]["r2"]
    value, _ = Evidence(truth, folds, tested, [r2]).level("line", r2)
    assert value == pytest.approx(sk.r2_score(truth, predictions))
    assert np.mean([sk.r2_score(truth[t], predictions[t]) for _, t in folds]) < 0 < value


def folds_of(n, k):
    rows = np.arange(n)
    return [(np.setdiff1d(rows, test), test) for test in np.array_split(rows, k)]


def regression_evidence(folds, scheme=None, **errors):
    """Evidence of models with these errors of all rows; folds with a NaN are not finished."""
    n = len(next(iter(errors.values())))
    tested = {
        name: {k: Predictions(e[test]) for k, (_, test) in enumerate(folds) if np.isfinite(e[test]).all()}
        for name, e in errors.items()
    }
    return Evidence(np.zeros(n), folds, tested, [METRICS["regression"]["rmse"]], scheme)


def test_the_error_is_that_of_the_rows_and_not_of_the_folds(rng):
    """Folds that are alike by design made the error a quarter of what fresh rows show."""
    folds = folds_of(200, 10)
    errors = np.tile(np.r_[np.full(18, 0.1), 3.0, -3.0], 10)  # the same in each fold
    value, error = regression_evidence(folds, model=errors).level("model", METRICS["regression"]["rmse"])
    squares = errors**2
    assert value == pytest.approx(np.sqrt(squares.mean()))
    overlap = np.sqrt(1 + LEVEL_OVERLAP * 10 / 9)  # of the training parts of ten folds
    assert error == pytest.approx(overlap * squares.std(ddof=1) / np.sqrt(200) / (2 * value))


def test_rows_of_a_group_count_as_one_unit(rng):
    groups = np.repeat(np.arange(20), 10)
    errors = np.repeat(rng.normal(size=20), 10) * rng.choice([1.0, -1.0], size=200)
    rmse = METRICS["regression"]["rmse"]
    alone = regression_evidence(folds_of(200, 10), model=errors).level("model", rmse)[1]
    together = regression_evidence(folds_of(200, 10), Scheme("regression", groups), model=errors).level("model", rmse)[
        1
    ]
    assert together == pytest.approx(np.sqrt(10) * alone, rel=0.05)


def test_neighbours_in_time_share_a_unit():
    units = Scheme("regression", None, ordered=True).units(100)
    assert len(np.unique(units)) == 10
    assert np.all(np.diff(units) >= 0)


def test_models_with_fewer_folds_are_scored_as_if_they_had_all(rng):
    """An easy fold made an unfinished model look better in one sentence than in the next."""
    folds = folds_of(40, 4)
    whole = np.repeat([1.0, 2.0, 3.0, 4.0], 10) * np.resize([1, -1], 40)
    part = np.where(np.arange(40) < 20, 1.1 * whole, np.nan)  # worse by a tenth, but of the two easy folds
    evidence = regression_evidence(folds, whole=whole, part=part)
    scores = evidence.scores()
    assert scores["part"]["rmse"][0] == pytest.approx(1.1 * scores["whole"]["rmse"][0])
    (gap,) = differences(evidence, scores, ["whole", "part"], "whole")
    assert gap.mean == pytest.approx(scores["part"]["rmse"][0] - scores["whole"]["rmse"][0])


def test_differences_are_paired_and_tested_on_the_rows(rng):
    folds = folds_of(300, 5)
    noise = rng.normal(size=300)
    evidence = regression_evidence(folds, good=noise, worse=noise * 1.2, same=noise * rng.choice([1.0, -1.0], size=300))
    found = {d.name: d for d in differences(evidence, evidence.scores(), ["good", "worse", "same"], "good")}
    assert found["worse"].p_value < 1e-6
    assert found["same"].p_value == 1.0
    assert found["same"].mean == 0.0


def test_wins_are_drawn_from_the_rows_and_never_beyond_a_perfect_score(rng):
    """A model with a wild row won redraws in which its error had fallen below zero."""
    folds = folds_of(50, 5)
    steady, wild = np.full(50, 1.0), np.full(50, 0.2)
    wild[7] = 40.0
    steady[::2] *= -1.1
    found = wins(regression_evidence(folds, steady=steady, wild=wild), ["steady", "wild"], "steady")
    assert sum(found.values()) == pytest.approx(1.0)
    assert found["steady"] > 0.9


def test_a_table_answers_for_models_that_it_does_not_know():
    assert np.isnan(Results("rmse", {}).level("nobody")).all()
    assert Results("rmse", {}).difference("nobody") is None
