"""Thresholds and costs with two classes."""

import numpy as np
import pandas as pd
import pytest

from statlearn.app.cli import console
from statlearn.app.compare.costs import Costs, read_costs
from statlearn.app.compare.leaderboard import as_rows
from statlearn.app.compare.run import compare
from statlearn.app.errors import UsageError
from statlearn.app.model.file import load, save
from statlearn.app.model.table_model import TableModel
from statlearn.app.report import report_html

from ..cli.test_console import printed
from ..made import classification_frame
from ..report.test_report import Page


def truth(rng, n):
    """A table whose probabilities are known: logistic in x."""
    x = rng.normal(size=n)
    p = 1 / (1 + np.exp(-(1.5 * x - 0.5)))
    return pd.DataFrame({"x": x, "y": np.where(rng.random(n) < p, "yes", "no")}), p


@pytest.fixture(scope="module")
def result():
    frame, _ = truth(np.random.default_rng(0), 1500)
    return compare(frame, "y", models=["logistic-l2"], folds=4, cost="fp=1,fn=5")


def test_the_threshold_is_near_the_best_one_and_the_cost_is_that_of_fresh_rows(result):
    found = result.costs.models["logistic-l2"]
    fresh, p = truth(np.random.default_rng(1), 100_000)
    positive = (fresh["y"] == "yes").to_numpy()
    costs = Costs(1, 5)
    best = costs.losses(positive, p >= 1 / 6).mean()
    model = result.model_for_use("logistic-l2")
    own = costs.losses(positive, model.predict(fresh[["x"]]) == "yes").mean()
    assert own < 1.05 * best
    assert abs(found.cost - own) < 3 * found.std_error
    assert found.at_half > 1.3 * found.cost
    assert abs(found.held_out[0] - own) < 3 * found.held_out[1]


def test_the_expected_cost_is_not_too_small_where_the_threshold_is_chosen():
    """On noise, the smallest cost over thresholds of the same rows would be too good."""
    rng = np.random.default_rng(2)
    gaps = []
    for _ in range(8):
        frame = pd.DataFrame({"x": rng.normal(size=60), "y": rng.choice(["a", "b"], size=60)})
        found = compare(frame, "y", models=["logistic-l2"], folds=5, holdout=0, cost={"fp": 1, "fn": 1})
        own = found.costs.models["logistic-l2"]
        gaps.append((own.cost - 0.5) / own.std_error)
    assert np.mean(gaps) > -0.8  # chosen and judged on the same rows it would be about -1.3


def test_the_saved_model_decides_at_its_threshold(result, tmp_path):
    model = result.model_for_use("logistic-l2")
    save(model, tmp_path / "m.statlearn")
    again = load(tmp_path / "m.statlearn", TableModel)
    assert again.threshold == result.costs.models["logistic-l2"].threshold
    frame = pd.DataFrame({"x": np.linspace(-2, 2, 50)})
    table = again.predict_table(frame)
    p = again.predict_proba(frame)[:, 1]
    assert (np.asarray(table["prediction"]) == np.where(p >= again.threshold, "yes", "no")).all()
    assert (p[np.asarray(table["prediction"]) == "yes"] < 0.5).any()


def test_cost_is_a_column_of_every_board(result):
    rows = as_rows(result)
    own = result.costs.models["logistic-l2"]
    row = next(row for row in rows if row["model"] == "logistic-l2")
    assert (row["cost"], row["cost_se"], row["threshold"]) == (own.cost, own.std_error, own.threshold)
    words = result.costs.words("logistic-l2", "logistic, L2")
    assert printed(console.comparison(result)).replace("\n", " ").count("cost") >= 2
    page = Page(report_html(result))
    assert words in page.text


def test_models_without_probabilities_have_no_costs():
    frame, _ = truth(np.random.default_rng(3), 120)
    names = ["logistic-l2", "perceptron"]
    found = compare(frame, "y", models=names, metric="accuracy", folds=3, cost="fp=1,fn=5")
    assert "perceptron" not in found.costs.models
    assert "logistic-l2" in found.costs.models
    assert found.model_for_use("perceptron").threshold is None
    assert found.costs.words("perceptron", "perceptron") == ""


def test_costs_are_stored_with_the_comparison(result, tmp_path):
    result.write(tmp_path / "out")
    again = type(result).open(tmp_path / "out")
    assert again.costs == result.costs


@pytest.mark.parametrize(
    "cost, words",
    [
        ("fp=-1,fn=5", "fp must be a finite number of at least 0, got -1"),
        ("fp=1", "must have the form fp=1,fn=5"),
        ("fp=1,fn=2,fp=3", "must have the form"),
        ("fp=1,fn=many", "fn must be a number, got 'many'"),
        ("fp=1,fn=nan", "fn must be a finite number"),
        ("fp=0,fn=0", "one of fp and fn must be above 0"),
        ({"fp": 1, "tn": 2}, "must have the form"),
        (5, "must have the form"),
    ],
)
def test_costs_that_make_no_sense_are_refused(cost, words):
    with pytest.raises(UsageError, match=words):
        read_costs(cost)


def test_costs_need_two_classes(tmp_path):
    for frame, target, words in (
        (classification_frame(60, k=3), "kind", "has 3 classes"),
        (classification_frame(60), "size", "'size' is a number"),
    ):
        with pytest.raises(UsageError, match=words):
            compare(frame, target, cost="fp=1,fn=5", out=tmp_path / "out")
    assert not (tmp_path / "out" / "report.html").exists()
