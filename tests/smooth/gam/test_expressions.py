"""Arithmetic on columns, written as text."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn._math.formulas.functions import FUNCTIONS
from statlearn.smooth.gam._expressions import Expression

COLUMNS = {"x": np.array([1.0, 2.0, 4.0]), "Solar.R": np.array([3.0, 0.5, 9.0]), "z": np.array([-1.0, 0.0, 2.0])}
x, r, z = COLUMNS.values()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("log(x)", np.log(x)),
        ("log10(Solar.R) + log2(x)", np.log10(r) + np.log2(x)),
        ("I(2*x^2 - 1)", 2 * x**2 - 1),
        ("-x^2", -(x**2)),
        ("sqrt(x/Solar.R)", np.sqrt(x / r)),
        ("np.log1p(abs(z)) * exp(-x)", np.log1p(np.abs(z)) * np.exp(-x)),
        ("x ** -0.5", x**-0.5),
        ("I(x)", x),
        ("sin(x) + cos(+x)\n + expm1(z)", np.sin(x) + np.cos(x) + np.expm1(z)),
    ],
)
def test_expressions_match_numpy(text, expected):
    np.testing.assert_array_equal(Expression(text).values(COLUMNS), expected)


@given(
    st.lists(st.sampled_from(["x", "2", "log(", "I(", ")", "+", "*", "^", "**", ".", "(", "-", "@", "if", "'a'", " "]))
)
def test_any_text_is_read_or_raise(parts):
    try:
        found = Expression("".join(parts))
    except ValueError:
        return
    assert set(found.columns) <= {"x", "x2"} or "." in "".join(parts)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("log(z)", r"log\(z\): log needs values above 0, but in row 0 column 'z' holds -1\."),
        (
            "x + sqrt(z*x)",
            r"sqrt\(z\*x\): sqrt needs values of at least 0, but in row 0 column 'z' holds -1, column 'x'",
        ),
        ("log1p(z)", "above -1, but in row 0"),
        ("x / z", "x / z: the result must be a finite number, but in row 1 column 'x' holds 2, column 'z' holds 0"),
        ("z^0.5", r"z\^0.5: the result must be a finite number, but in row 0"),
        ("exp(1000*x)", r"exp\(1000\*x\): the result must be a finite number"),
    ],
)
def test_values_outside_the_domain_are_named(text, words):
    with pytest.raises(ValueError, match=words):
        Expression(text).values(COLUMNS)


FOREIGN = [
    "__import__('os')", "x.__class__()", "(lambda: x)()", "[x]", "x if x else x", "x == 1", "log(x, 2)", "log(x=x)",
    "eval('x')", "x @ z", "True + x", "1j * x", "f'{x}'", "x[0]",
]  # fmt: skip


@pytest.mark.parametrize("text", FOREIGN)
def test_other_expressions_raise(text):
    with pytest.raises(ValueError, match=r"could not be parsed|not supported"):
        Expression(text)


def test_gaps_stay_gaps_and_names_are_in_order():
    found = Expression("log(b) + a * b")
    assert found.columns == ("b", "a")
    np.testing.assert_array_equal(found.values({"a": [1.0, np.nan], "b": [1.0, 1.0]}), [1.0, np.nan])
    with pytest.raises(ValueError, match="does not contain a column"):
        Expression("2 + 2")
    assert "I" in FUNCTIONS
