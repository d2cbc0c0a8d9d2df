"""Finished work on disk."""

import json

import numpy as np
import polars as pl
import pytest

from statlearn.app.compare.checkpoints import State, digest
from statlearn.app.compare.fitting import Record
from statlearn.app.compare.result import TuningCurve
from statlearn.app.errors import StateError
from statlearn.app.tables import frames
from statlearn.linear import LinearRegression


@pytest.fixture
def record(rng):
    curve = TuningCurve("alpha", [1.0, 0.1], np.array([2.0, 1.0]), np.array([0.1, 0.2]), 1, 0, 1, "mse", True)
    model = LinearRegression().fit(rng.normal(size=(10, 2)), rng.normal(size=10))
    return Record(
        "lasso",
        -1,
        settings={"alpha": 0.1},
        warnings=["W: x"],
        tuning=curve,
        estimator=model,
        n_columns=2,
        fit_seconds=2,
    )


def test_records_come_back(record, tmp_path, rng):
    state = State(tmp_path / "state", {"seed": 0})
    fold = Record("lasso", 2, scores={"rmse": 0.5, "r2": float("nan")}, predictions=rng.normal(size=7), fit_seconds=0.1)
    for item in (record, fold, Record("ridge", 0, status="failed", error="no")):
        state.save(item)
    again = State(tmp_path / "state", {"seed": 0}, resume=True).load(["lasso", "ridge"], 3)
    assert [(item.model, item.fold) for item in again] == [("lasso", -1), ("lasso", 2)]
    whole, part = again
    assert whole.settings == record.settings
    np.testing.assert_array_equal(whole.tuning.mean, record.tuning.mean)
    assert whole.tuning.values == record.tuning.values
    np.testing.assert_array_equal(whole.estimator.coef_, record.estimator.coef_)
    np.testing.assert_array_equal(part.predictions, fold.predictions)
    assert part.scores["rmse"] == 0.5
    assert np.isnan(part.scores["r2"])


def test_models_of_folds_come_back_or_are_fitted_again(record, tmp_path):
    """The stack averages them: a resumed comparison must not go on without them."""
    state = State(tmp_path / "state", {})
    state.save(Record("lasso", 0, predictions=np.zeros(3), estimator=record.estimator, fit_seconds=2.0))
    state.save(Record("lasso", 1, predictions=np.zeros(3), estimator=record.estimator, fit_seconds=0.1))
    (again,) = state.load(["lasso"], 2)
    assert again.fold == 0
    np.testing.assert_array_equal(again.estimator.coef_, record.estimator.coef_)


def test_damaged_records_count_as_absent(record, tmp_path):
    state = State(tmp_path / "state", {})
    state.save(record)
    state.save(Record("lasso", 0, scores={"rmse": 1.0}, predictions=np.zeros(3)))
    (tmp_path / "state" / "lasso.000.npz").write_bytes(b"PK broken")
    assert [item.fold for item in state.load(["lasso"], 1)] == [-1]
    (tmp_path / "state" / "lasso.all.statlearn").write_bytes(b"broken")
    assert state.load(["lasso"], 1) == []


def test_a_new_run_forgets_an_old_one(record, tmp_path):
    State(tmp_path / "state", {"seed": 0}).save(record)
    assert State(tmp_path / "state", {"seed": 1}).load(["lasso"], 1) == []


def test_another_run_cannot_be_resumed(tmp_path):
    State(tmp_path / "state", {"seed": 0, "folds": 5})
    with pytest.raises(StateError, match=r"seed \(was 0, now 1\)"):
        State(tmp_path / "state", {"seed": 1, "folds": 5}, resume=True)
    (tmp_path / "state" / "about.json").write_text("{")
    with pytest.raises(StateError, match="cannot be read"):
        State(tmp_path / "state", {"seed": 0}, resume=True)


def test_resuming_nothing_is_a_new_run(tmp_path):
    state = State(tmp_path / "state", {"seed": 0}, resume=True)
    assert json.loads((tmp_path / "state" / "about.json").read_text()) == {"seed": 0}
    state.clear()
    assert not (tmp_path / "state").exists()


def test_without_a_folder_nothing_is_kept(record, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    state = State(None, {})
    state.save(record)
    state.clear()
    assert state.load(["lasso"], 1) == []
    assert list(tmp_path.iterdir()) == []


def test_the_fingerprint_sees_every_cell():
    base = {"a": [1.0, 2.0], "b": ["x", None]}
    y = np.array([0, 1])

    def mark(columns, y=y):
        return digest(frames.as_frame(pl.DataFrame(columns)), y)

    assert mark(base) == mark(base)
    for other in ({**base, "a": [1.0, 3.0]}, {**base, "b": ["x", "y"]}, {"c": base["a"], "b": base["b"]}):
        assert mark(other) != mark(base)
    assert mark(base, np.array([0, 2])) != mark(base)
