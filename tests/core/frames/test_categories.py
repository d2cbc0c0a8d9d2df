"""Codes of categories."""

import datetime

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn._core.frames import CategoryCoder, factorize, level_codes

CELLS = st.lists(st.sampled_from(["a", "b", "ä", "", "10", "9", None]), max_size=12)
FRAMES = {
    "pandas objects": lambda v: pd.DataFrame({"t": pd.Series(v, dtype=object)}),
    "pandas string": lambda v: pd.DataFrame({"t": pd.Series(v, dtype="string")}),
    "pandas category": lambda v: pd.DataFrame({"t": pd.Categorical(v, categories=["a", "b", "ä", "", "10", "9"])}),
    "polars string": lambda v: pl.DataFrame({"t": v}, schema={"t": pl.String}),
    "polars category": lambda v: pl.DataFrame({"t": v}, schema={"t": pl.Categorical}),
    "polars enum": lambda v: pl.DataFrame({"t": v}, schema={"t": pl.Enum(["a", "b", "ä", "", "10", "9"])}),
}


def codes_cell_by_cell(training, cells):
    """Sorted levels of the training cells, and the obvious loop."""
    levels = sorted({v for v in training if v is not None})
    return levels, [levels.index(v) if v in levels else np.nan for v in cells]


@pytest.mark.parametrize("kind", FRAMES)
@given(CELLS, CELLS)
def test_codes_match_a_loop_over_the_cells(kind, training, cells):
    frame = FRAMES[kind]
    coder = CategoryCoder(["t"])
    fitted = coder.fit_frame(frame(training))
    levels, expected = codes_cell_by_cell(training, training)
    assert coder.text_levels == {"t": levels}
    np.testing.assert_array_equal(np.asarray(fitted)[:, 0], np.array(expected, float))
    _, expected = codes_cell_by_cell(training, cells)
    np.testing.assert_array_equal(np.asarray(coder.read_frame(frame(cells)))[:, 0], np.array(expected, float))


@pytest.mark.parametrize("kind", ["pandas category", "polars enum"])
def test_the_declared_order_of_levels_that_occur(kind):
    coder = CategoryCoder("from_dtype", declared_order=True)
    codes = coder.fit_frame(FRAMES[kind](["10", "ä", None, "a"]))
    assert coder.text_levels == {"t": ["a", "ä", "10"]}
    np.testing.assert_array_equal(np.asarray(codes)[:, 0], [2, 1, np.nan, 0])


def test_levels_of_several_types():
    table = pd.DataFrame({"t": [1, "a", 2.5, True, None, 1.0]})
    coder = CategoryCoder(["t"])
    np.testing.assert_array_equal(coder.fit_frame(table)["t"], [1, 2, 0, 1, np.nan, 1])
    assert coder.text_levels == {"t": [2.5, 1, "a"]}
    np.testing.assert_array_equal(coder.read_frame(pd.DataFrame({"t": ["a", "b", 2.5]}))["t"], [2, np.nan, 0])


@pytest.mark.parametrize("new", [[1.0, np.nan], [True, None], [None, None]], ids=str)
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_column_of_another_type_has_no_known_level(frame, new):
    coder = CategoryCoder(["t"])
    coder.fit_frame(frame({"t": ["a", "b"]}))
    assert np.isnan(np.asarray(coder.read_frame(frame({"t": new})), float)).all()


@pytest.mark.parametrize(
    "column",
    [
        pl.Series("t", [(1, 2), None, (0, 1), (1, 2)], dtype=pl.Object),
        pl.Series("t", [datetime.date(2020, 1, 2), None, datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)]),
        pd.Series(pd.to_datetime(["2020-01-02", None, "2020-01-01", "2020-01-02"])),
    ],
    ids=["objects", "polars dates", "pandas dates"],
)
def test_factorize_any_values(column):
    codes, values = factorize(nw.from_native(column, series_only=True))
    cells = column.to_list()
    assert codes[1] == -1
    assert [values[k] for k in codes[[0, 2, 3]]] == [cells[0], cells[2], cells[3]]
    assert len(values) == 2


def test_lists_are_not_categories():
    with pytest.raises(ValueError, match="Column 't' contains lists"):
        CategoryCoder(["t"]).fit_frame(pl.DataFrame({"t": [[1], [2]]}))


@pytest.mark.parametrize("levels", [[0.0, 2.0, 3.0], [-1.0, 0.5, 1e9], []])
def test_codes_of_numbers(levels):
    column = np.array([2.0, np.nan, 0.5, -1.0, 3.0, 2.5, 1e9])
    expected = [levels.index(v) if v in levels else np.nan for v in column]
    found = level_codes(column, np.array(levels), np.arange(len(levels)))
    np.testing.assert_array_equal(found, np.array(expected, float))
