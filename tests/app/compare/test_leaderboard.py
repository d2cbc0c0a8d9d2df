"""The leaderboard: every view of a comparison shows the same entries."""

import csv
import io
import json
from dataclasses import replace

import numpy as np
from rich.console import Console

from statlearn.app.cli import console
from statlearn.app.compare.leaderboard import as_rows, finished, leaderboard
from statlearn.app.report.content import page
from statlearn.app.report.files import comparison_json, leaderboard_csv


def test_frame_json_and_csv_have_the_same_columns_and_numbers(regression):
    frame = regression.leaderboard()
    file = io.StringIO()
    leaderboard_csv(regression, file)
    lines = list(csv.DictReader(io.StringIO(file.getvalue())))
    rows = json.loads(comparison_json(regression))["leaderboard"]
    assert list(frame.columns) == list(lines[0]) == list(rows[0])
    for k, row in enumerate(rows):
        assert row["rmse"] == frame["rmse"].to_list()[k] == float(lines[k]["rmse"])
    assert rows[0]["behind_best"] is None
    assert lines[0]["behind_best"] == ""
    assert np.isnan(frame["behind_best"].to_list()[0])


def test_every_view_has_the_models_in_the_same_order(regression):
    labels = [entry.label for entry in leaderboard(regression)]
    screen = Console(file=io.StringIO(), width=140)
    screen.print(console.Leaderboard(regression))
    for text in (screen.file.getvalue(), repr(regression), regression._repr_html_()):
        text = text.replace(regression.verdict, "")
        places = [text.index(label) for label in labels]
        assert places == sorted(places)
    assert [row["label"] for row in page(regression)["board"]["rows"]] == labels


def test_a_model_with_several_roles_has_the_first_badge_of_them(regression):
    best = regression.best
    roles = {e.name: e.roles for e in leaderboard(replace(regression, simplest=best))}
    assert roles[best] == ("best", "simplest")
    assert leaderboard(replace(regression, simplest=best))[0].badges == [("best", "best")]


def test_models_without_scores_are_entries_that_have_not_finished(regression):
    failed = replace(regression.models[-1], status="failed", error="singular", scores={})
    partial = replace(regression, models=[*regression.models[:-1], failed])
    assert [e.finished for e in leaderboard(partial)] == [True] * (len(partial.models) - 1) + [False]
    assert len(finished(partial)) == len(partial.models) - 1
    assert as_rows(partial)[-1]["error"] == "singular"
