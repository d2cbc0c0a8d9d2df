"""Reading baskets from anything."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from statlearn.rules import Baskets

LISTS = [["milk", "bread"], ["bread"], [], ["tea", "milk", "milk"]]
TABLE = {"bread": [1, 1, 0, 0], "milk": [1, 0, 0, 1], "tea": [0, 0, 0, 1]}
LONG = {"who": ["x", "y", "x", "z", "z"], "what": ["milk", "bread", "bread", "tea", "milk"]}


@pytest.mark.spec("RUL-01")
@pytest.mark.parametrize(
    "data",
    [
        LISTS,
        [tuple(b) for b in LISTS],
        [set(b) for b in LISTS],
        (iter(b) for b in LISTS),
        [np.array(b) for b in LISTS],
        pd.Series(LISTS),
        pl.Series(LISTS),
        pd.DataFrame({"basket": LISTS}),
        pl.DataFrame({"basket": LISTS}),
        pd.DataFrame(TABLE),
        pd.DataFrame(TABLE).astype(bool),
        pl.DataFrame(TABLE),
        pd.DataFrame(TABLE).astype("boolean"),
    ],
    ids=lambda data: type(data).__module__.split(".")[0] + "-" + type(data).__name__,
)
def test_every_form_gives_the_same_baskets(data):
    baskets = Baskets(data)
    assert baskets.items == ["bread", "milk", "tea"]
    assert baskets.to_lists() == [["bread", "milk"], ["bread"], [], ["milk", "tea"]]
    assert baskets.counts.tolist() == [2, 2, 1]
    assert len(baskets) == 4


@pytest.mark.spec("RUL-01")
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_long_tables_become_baskets(frame):
    baskets = Baskets.from_long(frame(LONG), "who", "what")
    assert baskets.to_lists() == [["bread", "milk"], ["bread"], ["milk", "tea"]]
    with pytest.raises(ValueError, match="basket='nobody'"):
        Baskets.from_long(frame(LONG), "nobody", "what")
    with pytest.raises(ValueError, match="Column 'what' contains a missing item"):
        Baskets.from_long(frame({**LONG, "what": ["a", None, "b", "c", "d"]}), "who", "what")
    with pytest.raises(TypeError, match="data frame"):
        Baskets.from_long(LISTS, "who", "what")


def test_matrices_mixed_labels_and_separators():
    array = np.array([[0, 1], [1, 1]])
    for data in (array, array.astype(bool), sparse.csc_matrix(array), array.astype(float)):
        assert Baskets(data).to_lists() == [[1], [0, 1]]
    assert Baskets([["b", 2], [1.5, "a", ("t",)]]).items == [1.5, 2, "a", "b", ("t",)]
    assert Baskets(["milk, bread", "tea"], sep=",").to_lists() == [["bread", "milk"], ["tea"]]
    assert Baskets(Baskets(LISTS)).to_lists() == Baskets(LISTS).to_lists()
    assert Baskets(LISTS).take([3, 0]).to_lists() == [["milk", "tea"], ["bread", "milk"]]
    assert Baskets.from_arrays("ab", [0, 2], [1, 0]).to_lists() == [["a", "b"]]


@pytest.mark.parametrize(
    ("data", "error", "words"),
    [
        (["milk bread"], TypeError, "'milk bread'.*set sep"),
        ([["a"], 3], TypeError, r"X\[1\] must be a list of items, got 3"),
        ([["a"], {"a": 1}], TypeError, r"X\[1\]"),
        ([["a"], ["b", None]], ValueError, r"X\[1\] contains a missing item"),
        ([["a"], ["b", float("nan")]], ValueError, r"X\[1\] contains a missing item"),
        ([["a"], [["b"]]], TypeError, "cannot be compared"),
        ("abc", TypeError, "collection of baskets"),
        ({"a": 1}, TypeError, "collection of baskets"),
        (np.array([[0.0, 2.0]]), ValueError, "column 1 contains.*BinarizeDataset"),
        (np.zeros((2, 2, 2)), ValueError, "two dimensions"),
        (sparse.csr_matrix([[0.0, 2.5]]), ValueError, "got 2.5.*BinarizeDataset"),
        (pd.DataFrame({"age": [3, 4], "b": [0, 1]}), ValueError, "column 'age' contains.*BinarizeDataset"),
        (pd.DataFrame({"sex": ["m", "f"], "b": [0, 1]}), ValueError, "column 'sex' is .*BinarizeDataset"),
        (pd.DataFrame({"a": [1.0, np.nan], "b": [0, 1]}), ValueError, "Column 'a' contains missing values"),
        (pl.DataFrame({"a": [True, None], "b": [0, 1]}), ValueError, "Column 'a' contains missing values"),
    ],
)
def test_unreadable_data_are_explained(data, error, words):
    with pytest.raises(error, match=words):
        Baskets(data)
