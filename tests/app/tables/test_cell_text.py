"""One rule for cells of text that show numbers, in every command."""

import datetime as dt

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest

import statlearn
from statlearn.app.explain.explain import explain
from statlearn.app.tables.cell_text import missing_words, read_cells

COLUMNS = {
    "price": ["475,000", "$1,200.50", None, "-", "12"],
    "word": ["a", None, "b", "a", None],
    "count": ["1", "2", "3", "NULL", "5"],
    "name": ["a", "b", "-", "c", "1"],
    "code": ["007", "012", "1", "2", "3"],
}


def with_nan(columns):
    """As pandas reads missing text from a file."""
    return pd.DataFrame(columns, index=[9, 7, 5, 3, 1]).astype(object).where(lambda table: table.notna(), np.nan)


@pytest.mark.parametrize("make", [pl.DataFrame, lambda c: pd.DataFrame(c, index=[9, 7, 5, 3, 1]), with_nan])
def test_columns_of_numbers_in_text(make):
    frame, notes = read_cells(nw.from_native(make(COLUMNS)))
    price = frame["price"].to_numpy()
    np.testing.assert_array_equal(price, [475000, 1200.5, np.nan, np.nan, 12])
    assert frame["count"].to_list()[:3] == [1, 2, 3]
    assert frame["count"].dtype.is_numeric()
    assert [v if isinstance(v, str) else None for v in frame["name"].to_list()] == ["a", "b", None, "c", "1"]
    assert frame["code"].to_list() == COLUMNS["code"]
    assert len(notes) == 2
    again, silence = read_cells(frame)
    assert silence == []
    assert again.columns == frame.columns


def test_dashes_beside_other_signs_are_levels():
    assert missing_words(["-", "+"]) == set()
    assert missing_words(["-", "1", "2"]) == {"-"}
    assert missing_words(["-", ".", "a"]) == set()  # two signs tell two things
    assert missing_words(["-"]) == set()
    assert missing_words([" ", "NULL", "x"]) == {" ", "NULL"}


def test_targets_features_and_predictions_follow_one_rule():
    rng = np.random.default_rng(0)
    x = rng.uniform(100, 9000, 80).round()
    y = 3 * x + rng.normal(0, 100, 80)
    plain = pd.DataFrame({"x": x, "noise": rng.normal(size=80), "y": y.round(2)})
    text = plain.assign(x=[f"{v:,.0f}" for v in x], y=[f"${v:,.2f}" for v in plain["y"]])
    ours = statlearn.compare(text, "y", models=["LinearRegression"], folds=3)
    other = statlearn.compare(plain, "y", models=["LinearRegression"], folds=3)
    assert ours.task == "regression"
    assert any("converted in 'x'" in note and "'y'" in note for note in ours.profile.notes)
    np.testing.assert_allclose(ours.models[0].scores["rmse"], other.models[0].scores["rmse"])
    model = ours.model_for_use()
    np.testing.assert_allclose(model.predict(text.drop(columns="y")), model.predict(plain.drop(columns="y")))
    one = text.drop(columns="y").iloc[:1]
    np.testing.assert_allclose(model.predict(one), model.predict(plain[:1]))
    found = explain(model, text)
    np.testing.assert_allclose(found.y, plain["y"])


def test_numbers_with_one_unit_are_numbers():
    columns = {
        "weight": ["71.5 kg", "1,080 kg", "NA"], "dose": ["5mg", "10mg", "2.5mg"],
        "age": ["1 year", "2 years", "10 years"],
        "mixed": ["71.5 kg", "158 lb", "3 kg"], "rank": ["1st", "2nd", "3rd"], "flat": ["1a", "2a", "3b"],
        "street": ["3 Main Street", "4 Main Street", "5 Main Street"], "range": ["10-20 kg", "20-30 kg", "30-40 kg"],
    }  # fmt: skip
    frame, notes = read_cells(nw.from_native(pl.DataFrame(columns)))
    assert frame["weight"].to_list() == [71.5, 1080.0, None]
    assert frame["dose"].to_list() == [5.0, 10.0, 2.5]
    assert frame["age"].to_list() == [1, 2, 10]
    assert all(frame[name].to_list() == columns[name] for name in ("mixed", "rank", "flat", "street", "range"))
    assert "'weight' ('1,080 kg' is 1080)" in notes[0]


def test_times_of_the_day_are_numbers():
    table = pl.DataFrame({"at": ["10:30", "06:15:36", "-"], "clock": [dt.time(12, 45), None, dt.time(1, 30)]})
    frame, notes = read_cells(nw.from_native(table, eager_only=True))
    assert frame["at"].to_list() == [10.5, 6.26, None]
    assert frame["clock"].to_list() == [12.75, None, 1.5]
    assert (
        notes[0] == "Numbers written as text were converted in 'at' ('10:30' is 10.5), 'clock' ('12:45:00' is 12.75)."
    )


def test_words_for_a_gap_among_numbers_are_missing():
    table = nw.from_native(pl.DataFrame({"energy": ["12,5 kWh", "k.A.", "7,0 kWh"], "kind": ["a", "unknown", "b"]}))
    frame, notes = read_cells(table)
    assert frame["energy"].to_list() == [12.5, None, 7.0]
    assert frame["kind"].to_list() == ["a", "unknown", "b"]  # a level like others
    assert "'k.A.' was read as a missing value in 'energy'." in notes
    alone = nw.from_native(pl.DataFrame({"energy": ["k.A."]}))
    assert read_cells(alone, only=["energy"], codes=True)[0]["energy"].to_list() == [None]  # known to hold numbers


@pytest.mark.parametrize(
    ("odd", "value"),
    [("1,5", 1.5), ("12.3 kg", 12.3), ("~12", 12.0), ("---", np.nan), ("<LOD", np.nan), ("<0.5", 0.5), ("300+", 300.0)],
)
@pytest.mark.parametrize("share", [0.01, 0.05])
def test_measurements_with_a_few_odd_cells_are_numbers(odd, value, share, seed):
    rng = np.random.default_rng(seed)
    truth = (10 + 3 * rng.normal(size=300)).round(2)
    rows = rng.choice(300, round(share * 300), replace=False)
    cells = truth.astype(str).astype(object)
    cells[rows], truth[rows] = odd, value
    for make in (pl.DataFrame, pd.DataFrame):
        frame, notes = read_cells(nw.from_native(make({"height": cells.tolist()})))
        np.testing.assert_array_equal(frame["height"].to_numpy(), truth)
        assert any(repr(odd) in note for note in notes)
    one = nw.from_native(pl.DataFrame({"height": [odd]}))
    np.testing.assert_array_equal(read_cells(one, only=["height"], codes=True)[0]["height"].cast(nw.Float64), [value])


@pytest.mark.parametrize("stray", ["10,1", "1,5"])
def test_points_before_three_digits_are_decimal_although_a_few_cells_have_commas(stray):
    """'10.035' became 10035 because of one '10,1'."""
    truth = np.random.default_rng(0).uniform(1, 20, size=200).round(3)
    cells = [f"{value:.3f}" for value in truth]
    cells[17], truth[17] = stray, float(stray.replace(",", "."))
    for make in (pl.DataFrame, pd.DataFrame):
        frame, notes = read_cells(nw.from_native(make({"height": cells})))
        np.testing.assert_array_equal(frame["height"].to_numpy(), truth)
        assert any(repr(stray) in note for note in notes)
    thousands = nw.from_native(pl.DataFrame({"sales": [*(f"{k}.250" for k in range(100, 140)), "1.234,5", "312,5"]}))
    assert read_cells(thousands)[0]["sales"].to_list()[-2:] == [1234.5, 312.5]
    assert read_cells(thousands)[0]["sales"].to_list()[0] == 100250.0


def test_levels_that_are_mostly_numbers_are_not_measurements():
    sizes = ["36", "38", "40", "42", "44"] * 40 + ["XL"] * 5  # a scale
    ranges = [f"{k}" for k in range(100)] + ["10-20"]
    mixed = [f"{k}" for k in range(100)] + ["12 kg", "27 lb"]
    words = [f"{k}" for k in range(100)] + ["red", "blue", "green", "grey"]
    for cells in (sizes, ranges, mixed, words):
        frame, _ = read_cells(nw.from_native(pl.DataFrame({"x": cells})))
        assert frame["x"].dtype == nw.String
