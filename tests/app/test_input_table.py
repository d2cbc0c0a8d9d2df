"""The table that compare was given."""

import pytest

from statlearn.app.errors import UsageError
from statlearn.app.input_table import read_formula


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
