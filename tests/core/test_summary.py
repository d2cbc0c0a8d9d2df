"""The summary object: text, HTML, data frame."""

import numpy as np
import pytest

from statlearn._core.summary import Summary, Table, format_column, format_p

TABLE = Table(
    ["(Intercept)", "<x>"],
    {"estimate": [53.3250694, -0.6680139], "std_error": [9.31279, 0.41552], "p": [0.01057, 3e-17]},
)
SUMMARY = Summary(
    "Least squares",
    TABLE,
    facts={"r2": 0.7706541, "n": 6, "f_p": 0.1098, "hidden": 1.0},
    labels={"n": "rows", "r2": "R squared", "f_p": "p of F"},
    tables=[Table(["a"], {"z": [1.0]}, caption="Another")],
    notes=["A note."],
)


def test_text_shows_everything_in_columns():
    text = str(SUMMARY)
    lines = text.splitlines()
    assert lines[0] == "Least squares"
    assert lines[2].split() == ["Estimate", "Std.", "Error", "p", "value"]
    assert lines[3].split() == ["(Intercept)", "53.32507", "9.31279", "0.01057"]
    assert lines[4].split() == ["<x>", "-0.66801", "0.41552", "<2e-16"]
    assert "R squared  0.770654" in text
    assert "p of F     0.1098" in text
    assert "hidden" not in text
    assert text.endswith("A note.")
    assert repr(SUMMARY) == text


def test_html_escapes_names():
    page = SUMMARY._repr_html_()
    assert "&lt;x&gt;" in page
    assert "<x>" not in page
    assert page.count("<table>") == 3


def test_data_frame_and_columns_keep_full_precision():
    frame = SUMMARY.to_frame()
    assert frame.loc["<x>", "estimate"] == -0.6680139
    assert frame.index.name == "term"
    np.testing.assert_array_equal(SUMMARY["estimate"], [53.3250694, -0.6680139])


@pytest.mark.parametrize(
    "p, text", [(0.5, "0.5"), (0.04999, "0.04999"), (1.234e-7, "1.23e-07"), (1e-300, "<2e-16"), (np.nan, "")]
)
def test_p_values(p, text):
    assert format_p(p) == text


def test_columns_share_their_decimals():
    assert format_column([1.0, 10.0, np.nan]) == ["1.0000", "10.0000", ""]
    assert format_column([2e9, 1e9]) == ["2.0000e+09", "1.0000e+09"]
    assert format_column([1e9, 1.0]) == ["1e+09", "1"]
    assert format_column([12897542.0, 0.2847, 0.7477]) == ["12897542", "0.2847", "0.7477"]
    assert format_column([300.25, 1e-17]) == ["300.25", "0.00"]
    assert format_column([0.0, 0.0]) == ["0.0", "0.0"]


def test_columns_of_different_length_raise():
    with pytest.raises(ValueError, match="equal lengths"):
        Table(["a"], {"estimate": [1.0, 2.0]})
