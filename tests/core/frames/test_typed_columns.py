"""Reading of cells: types of frames, numbers and dates in text."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn._core.frames.typed_columns import array_columns, frame_columns
from statlearn._core.text_values import date_format, number_format, read_date, read_number


@pytest.mark.parametrize(
    "text, value",
    [
        ("75K", 75_000.0),
        ("1,200.50", 1200.5),
        ("$ 3.5M", 3.5e6),
        ("2bn", 2e9),
        ("(300)", -300.0),
        ("12 %", 0.12),
        (".5", 0.5),
        ("5.", 5.0),
        ("1e-3", 0.001),
        ("−3", -3.0),
        ("1 200", 1200.0),
        ("20 €", 20.0),
    ],
)
def test_numbers_in_text(text, value):
    assert read_number(text) == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize("text", ["", "-", "K", ".", "red", "1,20", "12,34,567", "1.2.3", "(3", "3)", "e5", "75 kg"])
def test_values_that_are_not_numbers(text):
    assert read_number(text) is None


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_float_is_read_back(value):
    assert read_number(repr(value)) == value


def test_the_decimal_sign_is_one_for_the_column():
    assert number_format(["1.5", "2"]) == "."
    assert number_format(["1,5", "2"]) == ","
    assert number_format(["1.234,5"]) == ","
    assert number_format(["1,5", "2.5"]) is None
    assert number_format(["01234", "94305"]) is None  # codes, whose leading zero means something


@given(st.datetimes(min_value=dt.datetime(1, 1, 1), max_value=dt.datetime(9999, 12, 31)))
def test_every_moment_is_read_back(moment):
    assert read_date(moment.isoformat()) == moment
    assert read_date(moment.isoformat(sep=" ")) == moment


def test_the_form_of_dates_is_one_for_the_column():
    assert date_format(["2024-01-31", "2024-02-01 10:30"]) == "iso"
    assert date_format(["31/01/2024", "01/02/2024"]) == "%d/%m/%Y"
    assert date_format(["01/31/2024", "02/01/2024"]) == "%m/%d/%Y"
    assert date_format(["31.01.2024"]) == "%d.%m.%Y"
    assert date_format(["2024-02-30"]) is None
    assert date_format(["2024"]) is None
    assert read_date("2024-01-01T12:00:00+02:00") == dt.datetime(2024, 1, 1, 10)


TIMES = [dt.datetime(2020, 1, 1, 12, tzinfo=dt.UTC), None]
FRAMES = {
    "pandas": pd.DataFrame(
        {
            "int": pd.array([1, None], dtype="Int64"),
            "float": [1.5, np.nan],
            "bool": pd.array([True, None], dtype="boolean"),
            "objects": [True, None],
            "category": pd.Categorical(["x", None]),
            "ordered": pd.Categorical(["x", None], categories=["y", "x"], ordered=True),
            "date": [dt.date(2020, 1, 1), None],
            "time": pd.to_datetime(["2020-01-01T13:00", None]).tz_localize("Europe/Berlin"),
            "text": ["a", None],
            "string": pd.array(["a", None], dtype="string"),
            "mixed": [1.5, "a"],
            "span": pd.to_timedelta([12, None], unit="h"),
            "nothing": [None, None],
            "decimal": [Decimal("1.5"), None],
        }
    ),
    "polars": pl.DataFrame(
        {
            "int": [1, None],
            "float": [1.5, float("nan")],
            "bool": [True, None],
            "category": pl.Series(["x", None], dtype=pl.Categorical),
            "ordered": pl.Series(["x", None], dtype=pl.Enum(["y", "x"])),
            "date": [dt.date(2020, 1, 1), None],
            "time": pl.Series(TIMES, dtype=pl.Datetime(time_zone="UTC")),
            "text": ["a", None],
            "span": [dt.timedelta(hours=12), None],
            "clock": [dt.time(12, 30), None],
            "nothing": [None, None],
            "decimal": pl.Series([Decimal("1.5"), None], dtype=pl.Decimal(10, 2)),
        }
    ),
}
EXPECTED = {
    "int": ("number", 1.0),
    "float": ("number", 1.5),
    "decimal": ("number", 1.5),
    "bool": ("boolean", 1.0),
    "objects": ("boolean", 1.0),
    "category": ("string", "x"),
    "ordered": ("ordinal", "x"),
    "date": ("date", np.datetime64("2020-01-01", "us")),
    "time": ("date", np.datetime64("2020-01-01T12:00", "us")),
    "text": ("string", "a"),
    "string": ("string", "a"),
    "span": ("number", 0.5),
    "clock": ("number", 12.5),
}


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_every_type_of_a_frame_is_read_with_its_missing_cell(frame):
    for name, cells in frame_columns(frame):
        if name == "nothing":
            assert cells.type == "empty"
        elif name == "mixed":
            assert cells.values.tolist() == ["1.5", "a"]
        else:
            assert (cells.type, cells.values[0]) == EXPECTED[name], name
        assert cells.missing.tolist() == [name == "nothing", name != "mixed"], name


def test_nested_cells_raise_by_name():
    with pytest.raises(TypeError, match="'lists'"):
        list(frame_columns(pl.DataFrame({"lists": [[1], [2]]})))


def test_arrays_have_columns_with_separate_types():
    X = np.array([[1, "a", True, dt.date(2020, 1, 1)], [2.5, None, None, None]], dtype=object)
    assert [c.type for c in array_columns(X)] == ["number", "string", "boolean", "date"]
    assert [c.type for c in array_columns(np.array([[True]]))] == ["boolean"]
    assert [c.type for c in array_columns(np.array([["a"]]))] == ["string"]
    assert [c.type for c in array_columns(np.array([["2020"]], dtype="M8[D]"))] == ["date"]


def test_text_of_numbers_and_truths():
    number, truth = array_columns(np.array([[3.0, True], [0.5, False]], dtype=object))
    assert number.as_strings().tolist() == ["3", "0.5"]
    assert truth.as_strings().tolist() == ["True", "False"]
