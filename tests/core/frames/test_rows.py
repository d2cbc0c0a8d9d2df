"""Rows of any kind of table, and missing values."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from statlearn._core.frames import missing, n_rows, take_per_row, take_rows
from tests.helpers import assert_close

TABLES = {
    "array": np.asarray,
    "csr": sparse.csr_array,
    "csc": sparse.csc_matrix,
    "coo": sparse.coo_array,
    "pandas": lambda X: pd.DataFrame(X, index=np.arange(100, 100 + len(X))),
    "polars": lambda X: pl.DataFrame(X, list("ab")),
    "list": lambda X: X.tolist(),
    "tuple": lambda X: tuple(X.tolist()),
}
ROWS = [[3, 0, 3], np.array([1]), [], np.array([True, False, False, True, False])]


def dense(table):
    return table.toarray() if sparse.issparse(table) else np.asarray(table)


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("rows", ROWS, ids=["repeated", "one", "none", "mask"])
def test_rows_of_every_kind_of_table(kind, rows):
    X = np.arange(10.0).reshape(5, 2)
    table = TABLES[kind](X)
    expected = X[np.asarray(rows, bool if len(rows) == 5 else int)]
    taken = take_rows(table, rows)
    assert n_rows(table) == 5
    assert n_rows(taken) == len(expected)
    assert_close(dense(taken).reshape(-1, 2), expected)
    assert isinstance(taken, list) if kind == "tuple" else sparse.issparse(taken) or type(taken) is type(table)


def test_rows_of_series_and_of_arrays_in_disguise():
    class OnlyAnArray:
        def __array__(self, dtype=None, copy=None):
            return np.arange(4)

    assert take_rows(pl.Series("s", [5, 6, 7]), [2, 0]).to_list() == [7, 5]
    assert take_rows(pd.Series([5, 6, 7], index=list("abc")), [2, 0]).to_dict() == {"c": 7, "a": 5}
    assert take_rows(OnlyAnArray(), [3]).tolist() == [3]
    assert take_rows(None, [0]) is None


def test_only_arguments_with_an_entry_per_row_are_cut():
    given = {"sample_weight": [1.0, 2.0, 3.0], "name": "abc", "pair": (1, 2), "level": 0.5}
    assert take_per_row(given, [2, 0], 3) == {"sample_weight": [3.0, 1.0], "name": "abc", "pair": (1, 2), "level": 0.5}
    assert take_per_row(None, [0], 3) == {}


def test_missing_cells():
    assert missing(np.array([1.0, np.nan])).tolist() == [False, True]
    assert missing(np.array(["a", None, np.nan, pd.NA, pd.NaT], object)).tolist() == [False, True, True, True, True]
    assert missing(np.array([["a", None], [np.nan, 0]], object)).tolist() == [[False, True], [True, False]]
    assert missing(np.array(["2020-01-01", "NaT"], "datetime64[D]")).tolist() == [False, True]
    assert not missing(np.array([1, 2])).any()


def test_objects_without_rows_raise_by_name():
    with pytest.raises(ValueError, match="X must be a table, got NoneType"):
        n_rows(None)
