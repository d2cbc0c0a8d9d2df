"""Functions of single cells."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from statlearn.prep import FunctionTransformer
from tests.helpers import assert_close

VALUES = st.lists(st.floats(0.01, 0.99), min_size=1, max_size=8)
FUNCTIONS = {"log": np.log, "exp": np.exp, "logit": special.logit, "sqrt": np.sqrt, "power": np.square}


@pytest.mark.spec("PRE-05")
@pytest.mark.parametrize("name", FUNCTIONS)
@given(values=VALUES)
def test_presets_and_their_inverses(name, values):
    X = np.array(values)[:, None]
    preset = FunctionTransformer(name).fit(X)
    assert_close(preset.transform(X), FUNCTIONS[name](X))
    assert_close(preset.inverse_transform(preset.transform(X)), X)


@pytest.mark.spec("PRE-05")
@given(st.floats(-4, 4).filter(lambda e: abs(e) > 0.1), VALUES)
def test_powers_are_undone(exponent, values):
    X = np.array(values)[:, None]
    preset = FunctionTransformer("power", exponent=exponent).fit(X)
    assert_close(preset.transform(X), X**exponent)
    assert_close(preset.inverse_transform(preset.transform(X)), X, rtol=1e-6)


def test_odd_powers_keep_the_sign():
    cube = FunctionTransformer("power", exponent=3).fit([[-2.0]])
    assert_close(cube.transform([[-2.0]]), -8)
    assert_close(cube.inverse_transform([[-8.0]]), -2)


@pytest.mark.spec("PRE-05")
@pytest.mark.parametrize(
    "options, bad, words",
    [
        ({"func": "log"}, 0.0, "log requires values above 0"),
        ({"func": "logit"}, 1.0, "logit requires values between 0 and 1"),
        ({"func": "sqrt"}, -1.0, "sqrt requires values of at least 0"),
        ({"func": "power"}, -1.0, "power requires values of at least 0"),
        ({"func": "power", "exponent": -1}, 0.0, "power requires values above 0"),
    ],
)
def test_values_outside_the_domain_raise_by_column(options, bad, words):
    table = pd.DataFrame({"ok": [0.5, 0.5], "wrong": [0.5, bad]})
    with pytest.raises(ValueError, match=f"{words}, but column 'wrong' of X contains .* in row 1"):
        FunctionTransformer(**options).fit(table)
    preset = FunctionTransformer(**options).fit(table[:1])
    with pytest.raises(ValueError, match=words):
        preset.transform(table)


def test_the_inverse_has_a_domain_too():
    with pytest.raises(ValueError, match="inverse of exp requires values above 0"):
        FunctionTransformer("exp").fit([[1.0]]).inverse_transform([[-1.0]])


@pytest.mark.parametrize("func, exponent, large", [("exp", 2.0, 1e3), ("power", 3.0, -1e120), ("power", -2.0, 1e-200)])
def test_values_that_overflow_raise(func, exponent, large):
    with pytest.raises(ValueError, match=r"overflows, but column 'x1' of X contains .* in row 0"):
        FunctionTransformer(func, exponent=exponent).fit([[1.0, large]])


def test_names_gaps_and_functions_of_the_user():
    table = pd.DataFrame({"a": [1.0, np.nan]})
    preset = FunctionTransformer("log").set_output(transform="pandas").fit(table)
    out = preset.transform(table)
    assert list(out.columns) == ["a"]
    assert np.isnan(out["a"][1])
    own = FunctionTransformer(np.sin, np.arcsin)
    assert_close(own.fit_transform(np.array([[0.5]])), np.sin(0.5))
    assert not hasattr(own, "get_feature_names_out")
    assert_close(own.inverse_transform(np.array([[0.5]])), np.arcsin(0.5))


def test_a_list_without_rows_raises():
    with pytest.raises(ValueError, match="X must have at least one row, got none"):
        FunctionTransformer(np.log1p).fit([])
