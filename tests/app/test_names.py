"""Numbers and labels as people read them."""

import numpy as np
import pytest

from statlearn.app import names


def test_a_mean_and_its_error_have_one_number_format():
    assert names.plus_minus(49887.2, 310.4) == "49,887 ± 310"
    assert names.plus_minus(23402.0, 1410.0) == "23,402 ± 1,410"  # commas in both or in none
    assert names.plus_minus(1124.0, 1341.0) == "1124 ± 1341"
    assert names.plus_minus(-0.12345, 0.021) == "−0.123 ± 0.021"
    assert names.plus_minus(0.5, np.nan) == "0.5000"  # one fold has no standard error


@pytest.mark.parametrize(
    "label, words",
    [("RMSE", "an RMSE"), ("log loss", "a log loss"), ("accuracy", "an accuracy"), ("R²", "an R²"), ("F1", "an F1"),
     ("root mean squared error", "a root mean squared error"), ("MAE", "an MAE"), ("ROC AUC", "a ROC AUC"),
     ("area under the ROC curve", "an area under the ROC curve")],
)  # fmt: skip
def test_the_article_follows_the_pronunciation(label, words):
    assert names.with_article(label) == words


def test_a_mean_and_its_error_are_grouped_both_or_none():
    from statlearn.app.names import fixed_pair

    assert fixed_pair(31_670.2, 4082.4, 0) == ("31,670", "4,082")
    assert fixed_pair(6041.2, 4508.9, 0) == ("6041", "4509")
    assert fixed_pair(0.322, 0.042, 3) == ("0.322", "0.042")
    assert fixed_pair(float("nan"), None, 2) == ("–", "–")


def test_kinds_of_columns_behind_their_number():
    from statlearn.app.report.content import _kinds

    assert [_kinds("category", 1), _kinds("category", 3), _kinds("date", 1), _kinds("constant", 2)] == [
        "category", "categories", "date", "constants",
    ]  # fmt: skip


def test_a_difference_that_rounds_to_nothing_has_no_sign():
    assert names.plus_minus(-0.0004, 0.043) == "0.000 ± 0.043"


def test_positions_of_columns_become_their_names():
    columns = ["age", "size of town"]
    assert names.with_column_names("s(x0), x0², x1 × x0, x2, max0, x10", columns) == (
        "s(age), age², size of town × age, x2, max0, x10"
    )


def test_common_decimals_do_not_make_a_score_or_its_error_zero():
    decimals = names.decimals_for([0.01, 0.013, 1.5, 1.9, 6.0])
    assert decimals == 1
    assert names.fixed_pair(0.3002, 0.0098, names.enough_decimals(decimals, 0.0098)) == ("0.3002", "0.0098")
    assert names.fixed_pair(13.6, 1.5, names.enough_decimals(decimals, 1.5)) == ("13.6", "1.5")
    assert names.fixed(0.27, 0) == "0.27"
    assert names.fixed(0.0, 0) == "0"
    assert names.enough_decimals(None, 0.1) is None
