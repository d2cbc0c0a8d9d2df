"""The files of a run: all of them or none, and never a comparison lost."""

import csv
import json
import os
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest

from statlearn.app.compare.checkpoints import State
from statlearn.app.compare.comparison import Comparison
from statlearn.app.compare.run import compare
from statlearn.app.errors import AppError, StateError
from statlearn.app.report.outputs import write_frame

FILES = {"report.html", "report.json", "leaderboard.csv", "predictions.csv", "model.statlearn", "comparison.statlearn"}
MODELS = ["least-squares", "ridge"]


@pytest.fixture
def table(rng):
    X = pd.DataFrame(rng.normal(size=(60, 3)), columns=["a", "b", "c"])
    return X, X["a"] + 0.5 * rng.normal(size=60)


def run(table, out, **settings):
    X, y = table
    return compare(X, y, models=MODELS, folds=2, holdout=0.0, out=out, **settings)


def test_checkpoints_are_kept_until_the_files_are_written(table, tmp_path):
    result = run(table, tmp_path)
    assert (tmp_path / "state" / "about.json").exists()
    result.write(tmp_path)
    assert set(os.listdir(tmp_path)) == FILES


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_kill_at_any_step_of_the_end_loses_no_work(table, tmp_path, killed_at_step):
    """Before every change to the disk: either the files are complete, or the comparison can be resumed."""
    step, resumed, complete = 1, 0, 0
    result = run(table, tmp_path)
    while killed_at_step(step, partial(result.write, tmp_path)):
        try:
            Comparison.open(tmp_path)
            complete += 1
        except AppError:
            state = State(tmp_path / "state", json.loads((tmp_path / "state" / "about.json").read_text()), resume=True)
            names = [model.name for model in result.models]
            assert len(state.load(names, 2)) >= 2 * len(names)
            resumed += 1
        step += 1 if os.environ.get("STATLEARN_FULL") else 4
        result = run(table, tmp_path)
    assert resumed >= 3
    assert complete >= 2
    assert set(os.listdir(tmp_path)) == FILES


def test_a_full_disk_keeps_the_old_report_and_the_checkpoints(table, tmp_path, monkeypatch):
    run(table, tmp_path).write(tmp_path)
    before = {name: (tmp_path / name).read_bytes() for name in FILES}
    result = run(table, tmp_path, random_state=1)

    def full(descriptor):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(AppError, match="the disk is full"):
            result.write(tmp_path)
    assert {name: (tmp_path / name).read_bytes() for name in FILES} == before
    assert (tmp_path / "state" / "about.json").exists()


def test_a_folder_of_someone_else_is_not_emptied(table, tmp_path):
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "thesis.txt").write_text("three years")
    with pytest.raises(StateError, match="was not made by a comparison"):
        run(table, tmp_path)
    assert (tmp_path / "state" / "thesis.txt").read_text() == "three years"


def test_the_comparison_with_leaks_has_checkpoints_too(table, tmp_path):
    X, y = table
    X = X.assign(copy=3 * y + 1)
    first = compare(X, y, models=MODELS, folds=2, holdout=0.0, out=tmp_path)
    assert first.with_leaks["columns"] == ["copy"]
    assert (tmp_path / "state" / "with-leaks" / "state" / "about.json").exists()
    again = compare(X, y, models=MODELS, folds=2, holdout=0.0, out=tmp_path, resume=True)
    assert again.with_leaks == first.with_leaks
    again.write(tmp_path)
    assert set(os.listdir(tmp_path)) == FILES


def test_safe_csv_quotes_text_that_a_spreadsheet_would_run(tmp_path):
    cells = ["=cmd|' /C calc'!A0", "+1", "-2", "@sum", "\tx", "\n=1", "plain", "a=b", None]
    frame = pl.DataFrame({"=name": cells, "number": np.arange(9.0) - 4})
    write_frame(frame, tmp_path / "plain.csv")
    write_frame(frame, tmp_path / "safe.csv", safe_csv=True)
    assert read(tmp_path / "plain.csv")[1][0] == cells[0]
    header, *rows = read(tmp_path / "safe.csv")
    assert header == ["'=name", "number"]
    assert [row[0] for row in rows] == [*("'" + cell for cell in cells[:6]), "plain", "a=b", ""]
    assert [float(row[1]) for row in rows] == list(frame["number"])


def test_safe_csv_of_a_comparison_reaches_class_names(table, tmp_path):
    X, y = table
    kinds = np.where(y > 0, "=1+1", "ok")
    result = compare(X, kinds, models=["logistic-l2"], folds=2, holdout=0.0)
    result.write(tmp_path / "plain")
    result.write(tmp_path / "safe", safe_csv=True)
    assert {row[2] for row in read(tmp_path / "plain" / "predictions.csv")[1:]} == {"=1+1", "ok"}
    assert {row[2] for row in read(tmp_path / "safe" / "predictions.csv")[1:]} == {"'=1+1", "ok"}


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file))
