"""Frames of any make."""

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from statlearn.app.errors import DataError
from statlearn.app.tables import frames


def pandas_3(columns):
    """A frame whose text has the data type that pandas 3 gives it, with NaN for missing cells."""
    return pd.DataFrame(columns).astype({"b": pd.StringDtype("pyarrow", na_value=np.nan)})


@pytest.mark.parametrize("make", [pd.DataFrame, pandas_3, pl.DataFrame, pa.table, lambda c: pl.DataFrame(c).lazy()])
def test_frames_of_all_makers(make):
    frame = frames.as_frame(make({"a": [1.0, 2.0], "b": ["x", None]}))
    assert frame.columns == ["a", "b"]
    assert frames.strings(frame["b"]).tolist() == ["x", None]
    assert len(set(frames.row_keys(frame, ["a", "b"]))) == 2
    assert frames.take(frame, [1, 0])["a"].to_list() == [2.0, 1.0]
    assert frames.as_frame(frame) is frame


def test_arrays_become_frames_with_names():
    assert frames.as_frame(np.eye(3)).columns == ["x0", "x1", "x2"]
    mixed = frames.as_frame(np.array([[1, "a", True], [None, "b", False]], dtype=object))
    assert [str(mixed[c].dtype) for c in mixed.columns] == ["Float64", "String", "Boolean"]


def test_names_that_are_not_text_become_text():
    assert frames.as_frame(pd.DataFrame(np.eye(2))).columns == ["0", "1"]


def test_what_is_no_table_is_refused():
    with pytest.raises(DataError, match="duplicate column names: a"):
        frames.as_frame(pd.DataFrame(np.eye(2), columns=["a", "a"]))
    with pytest.raises(DataError, match="sparse"):
        frames.as_frame(sparse.eye(3).tocsr())
    with pytest.raises(DataError, match="two-dimensional"):
        frames.as_frame(np.arange(3))


def test_missing_cells_are_null_or_nan():
    for frame in (pl.DataFrame({"a": [1.0, float("nan"), None]}), pd.DataFrame({"a": [1.0, float("nan"), None]})):
        series = frames.as_frame(frame)["a"]
        assert frames.missing(series).tolist() == [False, True, True]
        np.testing.assert_array_equal(frames.numbers(series), [1.0, np.nan, np.nan])


def test_numbers_of_booleans_and_dates():
    frame = frames.as_frame(pl.DataFrame({"b": [True, None, False], "d": [None, "2024-01-01", "2024-01-02"]}))
    np.testing.assert_array_equal(frames.numbers(frame["b"]), [1, np.nan, 0])
    days = frames.numbers(frame["d"].str.to_datetime(format="%Y-%m-%d").cast(nw.Date))
    assert np.isnan(days[0])
    assert days[2] - days[1] == 86_400_000_000  # microseconds
