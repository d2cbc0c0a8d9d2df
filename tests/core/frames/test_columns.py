"""Columns of any kind of table, filled from their own cells or by given values."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from statlearn._core import frames
from tests.helpers import assert_close


def dense(table):
    return table.toarray() if sparse.issparse(table) else np.asarray(table)


KINDS = [np.asarray, sparse.csr_array, sparse.csc_matrix, pd.DataFrame, lambda X: pl.DataFrame(X, list("abc"))]


@pytest.mark.parametrize("kind", KINDS)
def test_only_the_one_column_is_filled(kind, rng):
    X = rng.normal(size=(8, 3))
    table, rows = kind(X), rng.permutation(8)
    shuffled = frames.column_from_rows(table, 1, rows)
    given = frames.column_with_values(table, 1, np.arange(8.0))
    borrowed = frames.column_from_rows(frames.take_rows(table, [0, 1]), 1, [7, 3], source=table)
    for found, expected in ((shuffled, X[rows, 1]), (given, np.arange(8.0))):
        assert type(found) is type(table)
        assert_close(dense(found)[:, [0, 2]], X[:, [0, 2]])
        assert_close(dense(found)[:, 1], expected)
    assert_close(dense(borrowed)[:, 1], X[[7, 3], 1])
    assert_close(dense(table), X)
    assert_close(frames.cells(table, 2), X[:, 2])


def test_types_of_the_columns_stay():
    colours = pd.Categorical(["red", "blue", "red"], categories=["blue", "red", "green"])
    frame = pd.DataFrame({"colour": colours, "flag": [True, False, True]})
    filled = frames.column_with_values(frame, 0, np.array(["green"] * 3, object))
    assert filled["colour"].dtype == frame["colour"].dtype
    assert frames.column_with_values(frame, 1, np.array([False] * 3)).dtypes["flag"].kind == "b"
    table = pl.DataFrame({"colour": ["red", "blue", "red"]}, schema={"colour": pl.Enum(["blue", "red", "green"])})
    filled = frames.column_with_values(table, 0, np.array(["green"] * 3, object))
    assert filled.schema == table.schema
    assert filled["colour"].to_list() == ["green"] * 3


def test_monotone_signs_without_any_constraint_are_empty():
    for given in (None, {}, [0, 0, 0]):
        assert len(frames.monotone_signs(given, 3)) == 0


def test_non_numeric_signs_raise():
    with pytest.raises(ValueError, match="monotonic_cst must be None or an array-like of -1, 0 or 1"):
        frames.monotone_signs([None, 0, 1], 3)


@pytest.mark.parametrize("given", [[0, 1], np.array([0.5, 2.0]), ["ab"]])
def test_invalid_interaction_sets_raise(given):
    with pytest.raises(ValueError, match="`interaction_cst` must contain sets of columns"):
        frames.interaction_sets(given, 3)
