"""New tables against the training rows of a model."""

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest

from statlearn.app.compare.run import compare
from statlearn.app.errors import ModelFileError, UsageError
from statlearn.app.model.drift import drift
from statlearn.app.model.file import load, save
from statlearn.app.model.predict import predict_file
from statlearn.app.model.table_model import TableModel
from statlearn.app.model.training import StoredRows, TrainingSummary

KINDS = {"x": "number", "count": "number", "town": "category", "flag": "boolean", "day": "date", "remark": "text"}


def table(rng, n, *, shift=0.0, gaps=0.1, towns=("a", "b", "c", "rare"), shares=(0.5, 0.3, 0.19, 0.01)):
    return nw.from_native(
        pl.DataFrame(
            {
                "x": np.where(rng.random(n) < gaps, np.nan, rng.standard_t(3, size=n) + shift),
                "count": rng.poisson(2.0, size=n),
                "town": rng.choice(towns, p=shares, size=n),
                "flag": rng.random(n) < 0.2,
                "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, size=n), unit="D"),
                "remark": [f"remark {k}" for k in range(n)],
            }
        ),
        eager_only=True,
    )


@pytest.mark.parametrize(("n", "m"), [(40, 300), (300, 60)])
def test_the_false_alarm_rate_of_the_whole_table_is_at_most_the_level(n, m):
    """At a level of 20 %, of 50 tables 10 may have a false alarm, and 3 standard deviations more."""
    rng = np.random.default_rng(n)
    alarms = sum(
        bool(drift(TrainingSummary.of(table(rng, n), KINDS), table(rng, m), KINDS, level=0.2).moved) for _ in range(50)
    )
    assert alarms <= 18


@pytest.mark.parametrize(
    ("change", "column", "what", "words"),
    [
        (dict(shift=1.0), "x", "values", "'x' has moved: its median is"),
        (dict(gaps=0.5), "x", "missing", "'x' is missing in"),
        (dict(shares=(0.1, 0.3, 0.59, 0.01)), "town", "levels", "'town' has moved:"),
    ],
)
def test_what_has_moved_is_found_and_nothing_else(change, column, what, words):
    rng = np.random.default_rng(1)
    found = drift(TrainingSummary.of(table(rng, 1500), KINDS), table(rng, 300, **change), KINDS)
    assert found.moved == [column]
    assert [t.what for t in found.tests if t.moved] == [what]
    notes = found.notes()
    assert notes[0] == "1 of 6 columns has moved since training (false-alarm rate 1 % for the whole table):"
    assert notes[1].startswith(words)


def test_levels_without_training_rows_are_counted():
    rng = np.random.default_rng(2)
    known = TrainingSummary.of(table(rng, 800), KINDS)
    new = table(rng, 100, towns=("a", "b", "c", "<b>"), shares=(0.5, 0.3, 0.17, 0.03))
    found = drift(known, new, KINDS)
    n = new["town"].to_list().count("<b>")
    rows = "1 row" if n == 1 else f"{n} rows"
    assert found.new_levels == [f"'town' has values that do not occur in the training rows: '<b>' ({rows})."]


def test_shares_and_medians_are_those_of_the_tables():
    rng = np.random.default_rng(3)
    old, new = table(rng, 600), table(rng, 200, shift=2.0, gaps=0.0, shares=(0.2, 0.3, 0.49, 0.01))
    found = {t.column + t.what: t for t in drift(TrainingSummary.of(old, KINDS), new, KINDS).tests}
    from scipy.stats import ks_2samp

    x = old["x"].to_numpy()
    assert found["xvalues"].size == pytest.approx(ks_2samp(x[~np.isnan(x)], new["x"].to_numpy()).statistic)
    share = new["town"].to_list().count("a") / 200
    assert f"{100 * share:.0f} % of its values are 'a'" in found["townlevels"].words
    assert "is missing in 0 % of the rows" in found["xmissing"].words


def test_long_training_tables_are_summarised_without_false_alarms():
    rng = np.random.default_rng(4)
    x = rng.normal(size=50_000)
    frame = nw.from_native(pl.DataFrame({"x": x}), eager_only=True)
    known = TrainingSummary.of(frame, {"x": "number"})
    assert len(known.columns[0].values) == 1000
    alarms = 0
    for _ in range(100):
        new = nw.from_native(pl.DataFrame({"x": rng.normal(size=5000)}), eager_only=True)
        alarms += bool(drift(known, new, {"x": "number"}, level=0.1).moved)
    assert alarms <= 19
    moved = nw.from_native(pl.DataFrame({"x": rng.normal(size=5000) + 0.1}), eager_only=True)
    assert drift(known, moved, {"x": "number"}).moved == ["x"]


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"x": rng.normal(size=200), "town": rng.choice(["a", "b"], size=200)})
    frame["y"] = frame["x"] + rng.normal(size=200)
    path = tmp_path_factory.mktemp("m") / "model.statlearn"
    save(compare(frame, "y", models=["least-squares"], folds=3).model_for_use("least-squares"), path)
    return load(path, TableModel), frame


def test_predict_names_the_columns_that_have_moved(saved, tmp_path):
    model, frame = saved
    frame.to_csv(tmp_path / "same.csv", index=False)
    assert predict_file(model, tmp_path / "same.csv")[1] == []
    frame.assign(x=frame["x"] + 3, town="c").to_csv(tmp_path / "moved.csv", index=False)
    notes = predict_file(model, tmp_path / "moved.csv")[1]
    assert notes[0].startswith("2 of 2 columns have moved since training")
    assert any("'town' has values that do not occur in the training rows: 'c' (200 rows)" in note for note in notes)
    with pytest.raises(UsageError, match="level"):
        model.drift(frame, level=2.0)


def test_one_row_says_nothing_about_drift_but_new_levels_do(saved):
    model, frame = saved
    assert model.drift(frame.head(1).assign(x=50.0)).notes() == []
    assert "'z' (1 row)" in model.drift(frame.head(1).assign(town="z")).notes()[0]


def test_stored_rows_become_a_frame_again():
    rng = np.random.default_rng(6)
    frame = table(rng, 30)
    stored = StoredRows.of(frame, np.arange(30), np.arange(30.0))
    again = stored.frame_like(frame)
    for name in ("count", "town", "flag", "day", "remark"):
        assert again[name].to_list() == frame[name].to_list()


@pytest.mark.parametrize(
    "change",
    [
        lambda training: setattr(training, "columns", [1]),
        lambda training: setattr(training.columns[0], "values", np.array([2.0, 1.0])),
        lambda training: setattr(training.columns[0], "n_missing", 10**9),
        lambda training: setattr(training.columns[1], "levels", ["a"]),
        lambda training: setattr(training.columns[0], "kind", "thing"),
    ],
)
def test_summaries_of_files_are_checked(saved, change, tmp_path):
    model = load_saved(saved[0], tmp_path)
    change(model.training)
    save(model, tmp_path / "changed.statlearn")
    with pytest.raises(ModelFileError):
        load(tmp_path / "changed.statlearn", TableModel)


def test_stored_rows_of_files_are_checked(saved, tmp_path):
    model = load_saved(saved[0], tmp_path)
    model.stored = StoredRows({"x": [1.0]}, np.arange(2), [1.0, 2.0])
    save(model, tmp_path / "changed.statlearn")
    with pytest.raises(ModelFileError):
        load(tmp_path / "changed.statlearn", TableModel)


def load_saved(model, folder):
    save(model, folder / "copy.statlearn")
    return load(folder / "copy.statlearn", TableModel)
