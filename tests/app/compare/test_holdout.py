"""Scores on held-out rows and their intervals."""

from types import SimpleNamespace

import numpy as np
import pandas as pd

from statlearn.app.compare.holdout import score_holdout
from statlearn.app.compare.run import compare
from statlearn.app.compare.scoring import METRICS
from statlearn.app.compare.splits import Scheme


class Constant:
    classes_ = np.array(["no", "yes"])

    def __init__(self, table):
        self.table = table

    def predict_proba(self, X):
        return self.table


class Zero:
    def predict(self, X):
        return np.zeros(len(X))


def problem_of(task, *names, classes=None):
    return SimpleNamespace(classes=classes, metrics=[METRICS[task][name] for name in names], seed=0)


def scores_of(truth, scheme=None, metrics=("rmse", "r2")):
    model = SimpleNamespace(name="zero", estimator=Zero())
    problem = problem_of("regression", *metrics)
    return score_holdout([model], np.zeros((len(truth), 1)), truth, problem, scheme=scheme)[0]["zero"]


def test_the_interval_of_a_mean_loss_allows_for_the_number_of_rows_of_each_class():
    """Resampling by class held the loss of a constant forecast fixed: an interval of width 0."""
    truth = np.r_[np.ones(6, int), np.zeros(294, int)]
    table = np.column_stack([np.full(300, 0.98), np.full(300, 0.02)])
    problem = problem_of("classification", "log_loss", "brier", "roc_auc", classes=np.array(["no", "yes"]))
    model = SimpleNamespace(name="constant", estimator=Constant(table))
    scores, _ = score_holdout([model], np.zeros((300, 1)), truth, problem)
    for name in ("log_loss", "brier"):
        value, low, high = scores["constant"][name]
        # Six rare rows, give or take two standard deviations of their number.
        assert low < 0.7 * value
        assert high > 1.4 * value


def test_intervals_of_groups_hold_the_error_of_other_groups(seed):
    """Errors of a group are alike: intervals from single rows held it in half of the cases."""
    rng = np.random.default_rng(seed)
    hits = {"rows": 0, "groups": 0}
    for _ in range(200):
        groups = np.repeat(np.arange(20), 6)
        truth = rng.normal(size=20)[groups] + 0.5 * rng.normal(size=120)
        for name, scheme in (("rows", None), ("groups", Scheme("regression", groups))):
            _, low, high = scores_of(truth, scheme, ("rmse",))["rmse"]
            hits[name] += low <= np.sqrt(1.25) <= high
    assert hits["rows"] < 150
    assert hits["groups"] >= 176  # of 200


def test_a_loss_that_is_the_same_in_all_groups_has_an_interval_without_width():
    groups = np.repeat(np.arange(14), 2)
    assert scores_of(np.ones(28), Scheme("regression", groups), ("rmse",))["rmse"] == (1.0, 1.0, 1.0)


def test_few_groups_give_no_interval():
    groups = np.repeat(np.arange(4), 10)
    value, low, high = scores_of(np.random.default_rng(0).normal(size=40), Scheme("regression", groups))["rmse"]
    assert np.isfinite(value)
    assert np.isnan([low, high]).all()


def test_the_verdict_gives_no_interval_for_times_to_come_and_for_few_groups():
    rng = np.random.default_rng(0)
    x, subject = rng.normal(size=90), np.repeat(np.arange(15), 6)
    frame = pd.DataFrame({"x": x, "subject": subject, "day": np.arange(90), "y": x + rng.normal(size=90)})
    grouped = compare(frame, "y", models=["ridge"], groups="subject", folds=4)
    assert "they belong to too few groups for an interval." in grouped.verdict
    timed = compare(frame, "y", models=["ridge"], time_order="day", folds=4)
    assert "On the 18 held-out rows, the latest ones, the best model has" in timed.verdict
    assert "later rows may differ by more." in timed.verdict
    assert "95 % interval" not in grouped.verdict + timed.verdict
