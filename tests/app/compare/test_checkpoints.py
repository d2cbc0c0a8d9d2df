"""Finished work on disk."""

import io
import json
import shutil
import zipfile
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from statlearn.app.compare.checkpoints import State, digest, fits
from statlearn.app.compare.fitting import Record
from statlearn.app.compare.result import TuningCurve
from statlearn.app.errors import StateError
from statlearn.app.model.format import archive as archives
from statlearn.app.tables import frames
from statlearn.linear import LinearRegression
from tests.security.archives import archive


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


def test_a_linked_folder_is_not_emptied(tmp_path):
    other = State(tmp_path / "other", {})
    (other.folder / "thesis.txt").write_text("three years")
    (tmp_path / "state").symlink_to(other.folder, target_is_directory=True)
    for resume in (False, True):
        with pytest.raises(StateError, match="is a link"):
            State(tmp_path / "state", {}, resume=resume)
    assert (other.folder / "thesis.txt").exists()


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


def spoilt(content, change):
    """A record's file with its arrays changed."""
    with np.load(io.BytesIO(content)) as arrays:
        parts = dict(arrays)
    plain = json.loads(str(parts["plain"]))
    change(plain, parts)
    buffer = io.BytesIO()
    np.savez(buffer, **{**parts, "plain": np.array(json.dumps(plain))})
    return buffer.getvalue()


TAMPERED = {
    "another model": lambda plain, parts: plain.update(model="ridge"),
    "another fold": lambda plain, parts: plain.update(fold=2),
    "a field too many": lambda plain, parts: plain.update(folder="/"),
    "a method": lambda plain, parts: plain.update(outcome="x"),
    "scores of text": lambda plain, parts: plain.update(scores={"rmse": "<script>"}),
    "no scores": lambda plain, parts: plain.update(scores=None),
    "endless seconds": lambda plain, parts: plain.update(fit_seconds=float("inf")),
    "rows of text": lambda plain, parts: plain.update(rows="9"),
    "a warning of numbers": lambda plain, parts: plain.update(warnings=[1]),
    "no predictions": lambda plain, parts: parts.pop("predictions"),
    "predictions of text": lambda plain, parts: parts.update(predictions=np.array(["a"] * 7)),
    "missing predictions": lambda plain, parts: parts.update(predictions=np.full(7, np.nan)),
    "a cube of predictions": lambda plain, parts: parts.update(predictions=np.zeros((7, 1, 1))),
    "a short ranking": lambda plain, parts: parts.update(ranking=np.zeros(3)),
}


@pytest.mark.parametrize("change", TAMPERED.values(), ids=TAMPERED)
def test_records_that_were_tampered_with_count_as_absent(change, tmp_path):
    state = State(tmp_path / "state", {})
    state.save(Record("lasso", 1, scores={"rmse": 1.0}, predictions=np.zeros(7)))
    path = tmp_path / "state" / "lasso.001.npz"
    assert len(state.load(["lasso"], 3)) == 1
    path.write_bytes(spoilt(path.read_bytes(), change))
    assert state.load(["lasso"], 3) == []


def test_records_are_archives_that_are_read_with_limits(tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "FREE_BYTES", 2**16)
    state = State(tmp_path / "state", {})
    state.save(Record("lasso", 0, scores={"rmse": 1.0}, predictions=np.zeros(7)))
    path = tmp_path / "state" / "lasso.000.npz"
    with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as source:
        parts = {name: source.read(name) for name in source.namelist()}
    shape = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1099511627776,), }"
    huge = b"\x93NUMPY\x01\x00" + len(shape).to_bytes(2, "little") + shape
    objects = io.BytesIO()
    np.save(objects, np.array([Deleter()], dtype=object), allow_pickle=True)
    for predictions in (huge, objects.getvalue(), b"", bytes(2**22)):
        path.write_bytes(archive({**parts, "predictions.npy": predictions}))
        assert state.load(["lasso"], 1) == []
    assert path.exists()
    for text in ("[]", "3", "[" * 100_000):
        (tmp_path / "state" / "about.json").write_text(text)
        with pytest.raises(StateError, match="cannot be read"):
            State(tmp_path / "state", {"seed": 0}, resume=True)


class Deleter:
    """What a pickle would run."""

    def __reduce__(self):
        return shutil.rmtree, ("state",)


def test_records_of_another_table_do_not_fit():
    metric, folds = SimpleNamespace(name="accuracy"), [(np.arange(4), np.arange(4, 7))]
    problem = SimpleNamespace(metrics=[metric], folds=folds, classes=np.array(["a", "b"]))
    scores = {"accuracy": 1.0}
    assert fits(Record("lasso", 0, scores=scores, predictions=np.zeros((3, 2))), problem)
    assert fits(Record("lasso", -1), problem)
    for shape in ((3,), (3, 3), (4, 2), (0, 2)):
        assert not fits(Record("lasso", 0, scores=scores, predictions=np.zeros(shape)), problem)
    assert not fits(Record("lasso", 0, scores={"auc": 1.0}, predictions=np.zeros((3, 2))), problem)
