"""Regression or classification."""

import narwhals as nw
import numpy as np
import polars as pl
import pytest

from statlearn.app.compare.task import check_classes, choose_task, target_array
from statlearn.app.errors import DataError, UsageError


def series(values):
    return nw.from_native(pl.Series("t", values), series_only=True)


@pytest.mark.parametrize(
    "values, task",
    [
        ([0.1, 2.5, 3.7] * 10, "regression"),
        (list(range(50)), "regression"),
        ([1, 2, 3] * 10, "classification"),
        ([1, 2, 7] * 10, "regression"),  # gaps: not codes of classes
        ([0.5, 1.5] * 10, "classification"),
        (["a", "b"] * 10, "classification"),
        ([True, False, None] * 10, "classification"),
        ([1, 2, 3], "regression"),  # too few of each to be classes
    ],
)
def test_choice(values, task):
    assert choose_task(series(values))[0] == task


def test_a_doubtful_choice_has_a_note_and_can_be_overruled():
    values = series([1, 2, 3] * 10)
    assert "regression" in choose_task(values)[1]
    assert choose_task(values, "regression") == ("regression", None)


def test_counts_whose_largest_value_is_rare_are_a_quantity():
    task, note = choose_task(series([0] * 40 + [1] * 20 + [2] * 5 + [3]))
    assert task == "regression"
    assert note.startswith("The target has 4 consecutive whole values, some of which occur only once")
    assert "classification" in note
    assert choose_task(series([0] * 40 + [1] * 20 + [2] * 5 + [3] * 2))[0] == "classification"


def test_refusals():
    with pytest.raises(DataError, match="constant"):
        choose_task(series([1.0, 1.0, None]))
    with pytest.raises(DataError, match="is missing in every row"):
        choose_task(series([None, None]).cast(nw.Float64))
    with pytest.raises(UsageError, match="contains text, but regression needs numbers"):
        choose_task(series(["a", "b"]), "regression")
    with pytest.raises(DataError, match="dates"):
        choose_task(series(pl.date_range(pl.date(2024, 1, 1), pl.date(2024, 2, 1), eager=True)))
    with pytest.raises(DataError, match="infinite"):
        target_array(series([1.0, float("inf")]), "regression")


def test_labels_keep_their_type():
    assert target_array(series([1.0, 2.0]), "classification").dtype == np.int64
    assert target_array(series([True, False]), "classification").dtype == bool
    assert target_array(series(["a", "b"]), "classification").tolist() == ["a", "b"]
    assert target_array(series([0.5, 1.5]), "classification").tolist() == ["0.5", "1.5"]


def test_classes_that_cannot_be_tested():
    with pytest.raises(DataError, match=r"only one row: 'c'"):
        check_classes(np.array(["a", "b", "a", "b", "a", "c"]), "t")
    with pytest.raises(DataError, match="too many for classification"):
        check_classes(np.array([f"v{k}" for k in range(20)]), "t")
