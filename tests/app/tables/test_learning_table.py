"""The table that a comparison learns from."""

import polars as pl
import pytest

from statlearn.app.errors import DataError, UsageError
from statlearn.app.tables.learning_table import learning_table, read_formula
from statlearn.app.tables.table import as_table


def test_formulas():
    columns = ["y", "a", "b.c", "d e"]
    assert read_formula("y ~ a + b.c", columns) == ("y", ["a", "b.c"])
    assert read_formula("y~.-`d e`", columns) == ("y", ["a", "b.c"])
    assert read_formula("y ~ 1 + a", columns) == ("y", ["a"])
    for wrong, words in (
        ("z ~ a", "unknown column 'z'"), ("y ~ q", "unknown column 'q'"), ("y ~ a:b.c", "joined by"),
        ("y ~ log(a)", "joined by"), ("y ~ a - a", "has no column"),
    ):  # fmt: skip
        with pytest.raises(UsageError, match=words):
            read_formula(wrong, columns)


def test_rows_are_sorted_by_dates_in_text():
    days = ["12/30/2023", "01/15/2024", "11/02/2023"] * 5
    table = as_table(pl.DataFrame({"day": days, "quarter": ["2024Q1", "2024Q2", "2023Q4"] * 5, "y": range(15)}))
    for column in ("day", "quarter"):
        order = learning_table(table, "y", time_order=column).order
        assert [k % 3 for k in order] == [2] * 5 + [0] * 5 + [1] * 5
    words = as_table(pl.DataFrame({"when": [f"week {k}" for k in range(15)], "y": range(15)}))
    with pytest.raises(DataError, match="'when' contains text that cannot be read as dates, such as 'week 0'"):
        learning_table(words, "y", time_order="when")
