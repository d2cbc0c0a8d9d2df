"""One row as it is and with changed cells."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from statlearn.app.compare.run import compare
from statlearn.app.errors import DataError, UsageError
from statlearn.app.explain.nearest import nearest_rows
from statlearn.app.explain.what_if import read_changes, what_if
from statlearn.app.model.file import load, save
from statlearn.app.model.table_model import TableModel

from ..made import classification_frame, regression_frame
from ..report.test_report import EVIL, Page


@pytest.fixture(scope="module")
def prices():
    frame = regression_frame(120)
    frame["rooms"] = np.arange(120) % 5
    return compare(frame, "price", models=["least-squares", "knn", "regression-tree", "stack"], folds=3), frame


@pytest.fixture(scope="module")
def kinds():
    frame = classification_frame(120)
    return compare(frame, "kind", models=["logistic-l2", "ridge-classifier", "naive-bayes", "stack"], folds=3), frame


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_changed_row_is_predicted_as_a_table_with_that_row(prices, library):
    result, frame = prices
    table = frame if library == "pandas" else pl.from_pandas(frame)
    changed = frame.iloc[[17]].assign(size=1.5, colour="red", rooms=2.5)
    for entry in result.models:
        model = result.model_for_use(entry.name)
        found = what_if(model, table, 17, {"size": "1.5", "colour": "red", "rooms": 2.5})
        expected = [model.predict_table(frame.iloc[[17]]), model.predict_table(changed)]
        for scenario, own in zip((found.before, found.after), expected):
            assert scenario.prediction == pytest.approx(own["prediction"][0])
            assert (scenario.lower, scenario.upper) == pytest.approx((own["lower"][0], own["upper"][0]))
        assert found.changes["size"] == (pytest.approx(frame["size"][17]), 1.5)
        assert found.actual == pytest.approx(frame["price"][17])


def test_reasons_of_every_kind_of_saved_model(prices, kinds, tmp_path):
    for result, frame in (prices, kinds):
        for entry in result.models:
            save(result.model_for_use(entry.name), tmp_path / "m.statlearn")
            model = load(tmp_path / "m.statlearn", TableModel)
            found = what_if(model, frame, 3, {"size": 2.0})
            page = Page(found.to_html())
            assert "script" not in page.tags
            if entry.name == result.baseline:
                assert found.after.reasons == []
                continue
            assert found.method in page.text
            names = [name for name, *_ in found.after.reasons]
            assert "size" in names
            assert set(names) <= set(model.columns)
            if model.task == "classification":
                assert str(found.explained) in found.unit
                total = sum(found.after.probabilities.values())
                assert not found.after.probabilities or total == pytest.approx(1)


def test_values_that_cannot_be_used_are_refused(prices):
    result, frame = prices
    model = result.model_for_use("least-squares")
    for changes, words in (
        ({"sice": "1"}, "uses no column 'sice'; did you mean 'size'"),
        ({"size": "big"}, "'size' must be a number, got 'big'"),
        ({"size": float("inf")}, "'size' must be a number"),
        ({"price": "3"}, "'price' is the target"),
    ):
        with pytest.raises(UsageError, match=words):
            what_if(model, frame, 0, changes)
    for row in (-1, 120, True, 1.5):
        with pytest.raises(UsageError, match="`row` must be between 0 and 119"):
            what_if(model, frame, row)
    with pytest.raises(DataError, match="no rows"):
        what_if(model, frame.head(0), 0)
    with pytest.raises(UsageError, match="coverage"):
        what_if(model, frame, 0, coverage=2.0)


def test_assignments_that_cannot_be_read_are_refused():
    assert read_changes(["a=1", " b = x=y ", "c="]) == {"a": "1", "b": "x=y", "c": None}
    for texts, words in (
        (["a"], "must have the form COLUMN=VALUE"),
        (["=1"], "COLUMN=VALUE"),
        (["a=1", "a=2"], "twice"),
    ):
        with pytest.raises(UsageError, match=words):
            read_changes(texts)


def test_missing_cells_booleans_and_dates_can_be_set():
    rng = np.random.default_rng(0)
    n = 80
    frame = pl.DataFrame(
        {
            "paid": rng.random(n) < 0.5,
            "day": [f"2024-{1 + k % 12:02d}-{1 + k % 28:02d}" for k in range(n)],
            "x": rng.normal(size=n),
        }
    )
    frame = frame.with_columns(y=pl.col("x") + 2 * pl.col("paid").cast(pl.Float64) + 0.1 * rng.normal(size=n))
    model = compare(frame, "y", models=["least-squares"], folds=3, keep=["day"]).model_for_use("least-squares")
    found = what_if(model, frame, 0, {"paid": "yes", "x": None, "day": "2024-12-24"})
    assert found.after.cells["paid"] is True
    assert found.after.cells["x"] is None
    assert np.isfinite(found.after.prediction)
    dated = frame.with_columns(pl.col("day").str.to_date())
    assert what_if(model, dated, 0, {"day": "2024-12-24"}).after.cells["day"].isoformat()[:10] == "2024-12-24"
    for table in (frame, dated):
        with pytest.raises(UsageError, match="'day' must be a date, written as in the table, got 'Christmas'"):
            what_if(model, table, 0, {"day": "Christmas"})
    with pytest.raises(UsageError, match="must be true or false"):
        what_if(model, frame, 0, {"paid": "maybe"})


def test_cells_unlike_all_training_rows_are_noted(prices):
    result, frame = prices
    model = result.model_for_use("least-squares")
    notes = what_if(model, frame, 0, {"size": 1000, "colour": "purple"}).notes
    assert any("'size' = 1000 is outside the range of the training rows" in note for note in notes)
    assert any("'colour' = 'purple' does not occur in the training rows" in note for note in notes)
    inside = what_if(model, frame, 0, {"size": 0.0, "colour": "red"})
    assert inside.notes == []
    assert what_if(model, frame, 0, {"size": float(frame["size"][0])}).notes == ["no changed cell differs from the row"]


def test_a_single_row_has_no_reasons_but_those_of_stored_rows(prices):
    result, frame = prices
    bare = result.model_for_use("least-squares")
    found = what_if(bare, frame.head(1), 0, {"size": 1.0})
    assert found.after.reasons == []
    assert "needs a table with at least 10 other rows" in found.notes[0]
    stored = TableModel.from_comparison(result, "least-squares", store_rows=True)
    assert what_if(stored, frame.head(1), 0, {"size": 1.0}).after.reasons[0][0] == "size"


def test_the_nearest_training_rows_are_shown_if_they_are_stored(prices, tmp_path):
    result, frame = prices
    assert nearest_rows(result.model_for_use("k-nearest-neighbours"), {}) == []
    save(TableModel.from_comparison(result, "k-nearest-neighbours", store_rows=True), tmp_path / "m.statlearn")
    model = load(tmp_path / "m.statlearn", TableModel)
    row = int(result.train_rows[5])
    found = what_if(model, frame, row)
    nearest = found.before.nearest
    assert (nearest[0].row, nearest[0].distance) == (row, 0.0)
    assert nearest[0].actual == pytest.approx(frame["price"][row])
    distances = [n.distance for n in nearest]
    assert distances == sorted(distances)
    assert "Nearest training rows" in Page(found.to_html()).text


def test_names_and_cells_of_the_page_are_escaped():
    frame = regression_frame(60).rename(columns={"colour": EVIL})
    frame[EVIL] = np.where(np.arange(60) % 2 == 0, EVIL, "red")
    model = compare(frame, "price", models=["least-squares"], folds=3).model_for_use("least-squares")
    page = Page(what_if(model, frame, 1, {EVIL: EVIL}).to_html())
    assert not {"script", "img"} & set(page.tags)


def test_a_model_file_without_a_summary_of_its_training_rows_still_answers(prices):
    result, frame = prices
    model = result.model_for_use("least-squares")
    training, model.training = model.training, None
    try:
        assert what_if(model, frame, 0, {"size": 1e9}).notes == []
        assert model.drift(frame) is None
    finally:
        model.training = training
    assert isinstance(frame, pd.DataFrame)
