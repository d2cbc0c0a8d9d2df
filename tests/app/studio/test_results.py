"""Results: the history, a comparison with its files, two side by side, one model, decisions at a threshold."""

import numpy as np
import pytest

from statlearn.app.studio.results import FILES, decisions


def test_the_history_names_what_was_made(made):
    text = made.get("/results")
    for words in ("sales-report", "loans-report", "RMSE", "log loss", "revenue"):
        assert words in text


def test_a_comparison_has_its_verdict_board_and_findings(made):
    text = made.get("/report", folder="sales-report")
    for words in ("Predicting", "least squares", "Honesty box", "TARGET-IN-DISGUISE", "Ignore gross and run again"):
        assert words in text
    assert "--kind size=" in text or "--kind &#39;size=" in text


def test_a_finding_is_followed_and_leads_back_to_the_form(made):
    fields = {"data": "sales.csv", "column": "gross", "role": "drop"}
    before = made.studio.memory.load("sales.csv")
    answer = made.post("/report/again", fields)
    assert answer.headers["location"] == "/compare?data=sales.csv"
    assert made.studio.memory.load("sales.csv").roles["gross"] == "drop"
    assert made.post("/report/again", {**fields, "column": "none"}).status_code == 400
    made.studio.memory.save(before)


@pytest.mark.parametrize(
    "name", ["report.html", "report.json", "leaderboard.csv", "predictions.csv", "model.statlearn"]
)
def test_files_are_taken_away(made, name):
    answer = made.ask("GET", "/report/file", params={"folder": "sales-report", "name": name, "save": 1})
    assert answer.content == (made.studio.folder.root / "sales-report" / name).read_bytes()
    assert answer.headers["content-disposition"] == f'attachment; filename="sales-report-{name}"'


def test_the_report_is_shown_without_rights(made):
    answer = made.ask("GET", "/report/file", params={"folder": "sales-report", "name": "report.html"})
    assert answer.headers["content-security-policy"].startswith("sandbox; default-src 'none'")
    assert "content-disposition" not in answer.headers


@pytest.mark.parametrize(
    "query",
    [
        {"folder": "..", "name": "report.html"}, {"folder": "sales-report", "name": "../sales.csv"},
        {"folder": "sales-report"}, {"folder": "/etc", "name": "report.html"},
        {"folder": "nothing", "name": "report.html"},
        {"folder": "sales-report", "name": "comparison.statlearn"},
    ],
)  # fmt: skip
def test_other_files_are_not_served(made, query):
    assert made.ask("GET", "/report/file", params=query).status_code == 400
    assert "comparison.statlearn" not in FILES


@pytest.mark.parametrize("path", ["/report", "/understand"])
@pytest.mark.parametrize("folder", ["nothing", "..", "", "/"])
def test_folders_without_a_report_are_refused(made, path, folder):
    assert made.ask("GET", path, params={"folder": folder}).status_code in (200, 400)
    assert "Predicting" not in made.ask("GET", path, params={"folder": folder}).text


def test_two_comparisons_stand_side_by_side(made):
    text = made.get("/results/two", first="sales-report", second="loans-report")
    assert "statlearn report sales-report loans-report" in text
    assert made.ask("GET", "/results/two", params={"first": "sales-report", "second": ".."}).status_code == 400


def test_a_model_is_understood_by_its_figures(made):
    text = made.get("/understand", folder="sales-report")
    for words in ("Actual and predicted", "Residuals", "Inference"):
        assert words in text
    assert "ridge" in made.get("/understand", folder="sales-report", model="ridge")
    assert made.ask("GET", "/understand", params={"folder": "sales-report", "model": "x"}).status_code == 400


def test_decisions_follow_the_threshold(made):
    assert "Decide at a threshold" in made.get("/understand", folder="loans-report", model="logistic-l2")
    query = {"folder": "loans-report", "model": "logistic-l2", "fp": 1, "fn": 3}
    low, high = (made.get("/understand/threshold", **query, threshold=cut) for cut in (0, 1))
    assert "100.0 %" in low
    assert low != high
    for wrong in ({"threshold": 2}, {"fn": -1}, {"threshold": "x"}):
        assert made.ask("GET", "/understand/threshold", params={**query, **wrong}).status_code == 400
    regression = {"folder": "sales-report", "model": "ridge"}
    assert made.ask("GET", "/understand/threshold", params=regression).status_code == 400


def test_costs_of_decisions_match_a_count_by_hand():
    rng = np.random.default_rng(0)
    positive, p = rng.random(200) < 0.4, rng.random(200)
    for cut in (0.0, 0.31, 1.0):
        found = decisions(positive, p, cut, 2.0, 5.0)
        wrong = [(2.0 if not t else 5.0) for t, decided in zip(positive, p >= cut) if decided != t]
        assert found["cost"] == f"{sum(wrong) / 200:.4g}"
        assert np.sum(found["cells"]) == 200
    smallest = min(np.mean(np.where(positive, 5.0 * (p < c), 2.0 * (p >= c))) for c in np.linspace(0, 1, 101))
    assert found["smallest"] == f"{smallest:.4g}"
