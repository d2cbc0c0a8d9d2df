"""Formulas from strangers: whatever the text, a fit or a ValueError, and nothing is ever executed."""

import contextlib
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statlearn.formula import aov, gam, glm, lm, tree

COLUMNS = ["x", "z", "g", "h", "`a b`", "k", "y", ".", "1", "2"]
SIGNS = [" + ", " - ", " * ", ":", " / ", "^", " %in% ", " %% ", " == ", " < ", " & ", " | ", " ~ "]
FUNCTIONS = ["I", "log", "factor", "ordered", "poly", "bs", "ns", "cut", "ifelse", "relevel", "s", "te", "offset",
             "C", "scale", "round", "np.sin", "pmax", "eval", "__import__", "open", "Error", "cbind"]  # fmt: skip
OPTIONS = ["df = 4", "levels = c('a', 'b', 'c')", "'b'", "k = 4", "bs = 'cr'", "breaks = 3", "c(-9, 0, 9)", "by = g"]

EXPRESSIONS = st.recursive(
    st.sampled_from(COLUMNS),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(SIGNS), inner).map("".join),
        st.tuples(st.sampled_from(FUNCTIONS), st.lists(st.one_of(inner, st.sampled_from(OPTIONS)), max_size=3)).map(
            lambda call: f"{call[0]}({', '.join(call[1])})"
        ),
        inner.map("({})".format),
    ),
    max_leaves=8,
)
FITS = {"lm": lm, "glm": lambda f, d: glm(f, d, "binomial"), "gam": gam, "tree": tree, "aov": aov}


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    numbers = {name: rng.normal(size=30) for name in ("y", "x", "a b")}
    words = {"g": np.resize(list("abc"), 30), "h": np.resize([True, False, True], 30)}
    return pd.DataFrame({**numbers, **words, "z": rng.uniform(1, 2, size=30), "k": rng.integers(0, 4, 30)})


@settings(max_examples=40, deadline=None)
@given(
    left=st.sampled_from(["y", "log(z)", "cbind(x, z)", "h", "g"]), right=EXPRESSIONS, fit=st.sampled_from(list(FITS))
)
def test_any_formula_gives_a_fit_or_a_value_error(table, left, right, fit):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with contextlib.suppress(ValueError):
            FITS[fit](f"{left} ~ {right}", table)


@settings(max_examples=100, deadline=None)
@given(text=st.text(max_size=40))
def test_any_text_gives_a_fit_or_a_value_error(table, text):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with contextlib.suppress(ValueError):
            lm(text, table)


@pytest.mark.parametrize("code", [
    "__import__('os').system('true')", "eval('1')", "(lambda: 1)()", "x.__class__", "open('/etc/passwd')",
    "I(__builtins__)", "np.load('x')", "numpy.fromfile('x')", "exec('1')", "s(__import__('os'))",
])  # fmt: skip
@pytest.mark.parametrize("place", ["y ~ {}", "{} ~ x", "y ~ x + offset({})", "y ~ x + Error({})"])
def test_code_in_formulas_is_refused(table, code, place):
    for fit in (lm, gam, aov):
        with pytest.raises(ValueError, match=r"formula|data|terms"):
            fit(place.format(code), table)
    for argument in ("weights", "subset", "offset"):
        with pytest.raises(ValueError, match=rf"{argument}|data"):
            lm("y ~ x", table, **{argument: code})


@pytest.mark.parametrize("formula", [
    "y ~ " + "(" * 5000 + "x" + ")" * 5000, "y ~ (x + z + g + h + k)^99999", "y ~ " + " + ".join(["x"] * 200_000),
    "y ~ poly(x, 100000)", "y ~ bs(x, df = 1000000)", "y ~ " + "*".join(f"I(x^{k})" for k in range(2, 40)),
    "y ~ x^1e308", "y ~ I(x^" + "9" * 200 + ")", "y ~ cut(x, 100000000)",
])  # fmt: skip
def test_huge_formulas_are_refused_before_they_are_computed(table, formula):
    with pytest.raises(ValueError, match=r"formula|data"):
        lm(formula, table)
