"""Formulas from an enemy: refused at once by a limit that the error names, and never executed."""

import numpy as np
import pandas as pd
import pytest

from statlearn._math.formulas import limits
from statlearn._math.formulas.parser import parse, parse_sides, written
from statlearn._math.formulas.terms import expand
from statlearn.prep import FormulaModel, FormulaTransformer
from statlearn.smooth import GAM, s2


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    columns = {name: rng.normal(size=30) for name in "xabcy"}
    return pd.DataFrame({**columns, "g": list("pqrst") * 6, "day": pd.date_range("2026-01-01", periods=30)})


def series(n):
    return ",".join(map(str, range(n)))


EXCESSIVE = [
    ("x**100000000", "MAX_POWER"),
    ("((a + b)^9)^1000000", "MAX_POWER"),
    ("x" * 1_000_001, "MAX_LENGTH"),
    ("x" * 10_001, "MAX_NAME"),
    ("`" + "x y" * 5_000 + "`", "MAX_NAME"),
    ("C(g, levels = '" + "x" * 10_001 + "')", "MAX_NAME"),
    (" + ".join(f"x{k}" for k in range(100_000)), "MAX_TOKENS"),
    (" + ".join(f"x{k}" for k in range(10_001)), "MAX_TERMS"),
    (" * ".join(f"x{k}" for k in range(40)), "MAX_TERMS"),
    ("(" + " + ".join(f"x{k}" for k in range(40)) + ")^20", "MAX_TERMS"),
    (" + ".join(["(a + b + c + x + y)^5 %in% (a * b * c * x * y)"] * 3_000), "MAX_PRODUCTS"),
    (" - ".join(["(a * b * c * x * y)^2"] * 5_000), "MAX_PRODUCTS"),
    (":".join(f"x{k}" for k in range(31)), "MAX_ORDER"),
    ("/".join(f"x{k}" for k in range(40)), "MAX_ORDER"),
    ("(" * 100_000 + "x", "MAX_TOKENS"),
    ("(" * 1_000 + "x" + ")" * 1_000, "MAX_DEPTH"),
    ("I(" * 1_000 + "x" + ")" * 1_000, "MAX_DEPTH"),
    ("-" * 5_000 + "x", "MAX_DEPTH"),
    ("I(" + "!" * 5_000 + "x)", "MAX_DEPTH"),
    ("I(" + "x^" * 5_000 + "x)", "MAX_DEPTH"),
    ("C(g, levels = " + "c(" * 1_000 + "1" + ")" * 1_000 + ")", "MAX_DEPTH"),
    ("I(" + "x + " * 5_000 + "x)", "MAX_OPERATIONS"),
    ("a + offset(" + "x + " * 5_000 + "x)", "MAX_OPERATIONS"),
    ("x + x" + " + x" * 5_000 + " ~ a", "MAX_OPERATIONS"),
    ("I(x * " + "9" * 5_000 + ")", "MAX_DIGITS"),
    ("ns(x, df=1e400)", "1e400 exceeds the largest floating-point number"),
    ("bs(x, df=100000000)", "MAX_BASIS"),
    ("ns(x, df=100000000)", "MAX_BASIS"),
    ("cr(x, df=100000000)", "MAX_BASIS"),
    ("cc(x, df=100000000)", "MAX_BASIS"),
    ("poly(x, 1000000000)", "MAX_BASIS"),
    ("poly(x, 100000000, raw=TRUE)", "MAX_BASIS"),
    (f"bs(x, knots=c({series(5_000)}))", "MAX_BASIS"),
    ("bs(x, degree=100000000)", "MAX_DEGREE"),
]


@pytest.mark.parametrize(("formula", "limit"), EXCESSIVE, ids=lambda value: str(value)[:30])
def test_excessive_formulas_raise_by_a_named_limit(formula, limit, table):
    with pytest.raises(ValueError, match=limit) as caught:
        FormulaTransformer(formula).fit(table)
    assert len(str(caught.value)) < 1_000


def test_every_limit_has_a_test():
    names = {name for name in vars(limits) if name.startswith("MAX_")}
    assert names == {limit for _, limit in EXCESSIVE if limit.startswith("MAX_")} | {
        "MAX_COLUMNS",
        "MAX_TENSOR",
    }


def test_a_design_with_too_many_columns_raises_before_it_is_computed():
    labels = [f"l{k}" for k in range(400)]
    table = pd.DataFrame({"g": labels, "h": labels, "k": labels})
    with pytest.raises(ValueError, match="MAX_COLUMNS"):
        FormulaTransformer("g:h:k").fit(table)


def test_a_formula_at_its_limits_is_read():
    names = [f"column{k}" for k in range(2_000)]
    table = pd.DataFrame(np.ones((2, len(names))), columns=names)
    assert FormulaTransformer(".").fit(table).transform(table).shape == (2, 2_000)
    total = FormulaTransformer(f"I({' + '.join(names[:900])})").fit_transform(table)
    assert total.tolist() == [[900.0], [900.0]]
    nested = "(" * 95 + "x" + ")" * 95
    assert written(parse(f"I({nested})")) == f"I({nested})"
    assert expand(parse("(a + b + c)^50")).text() == expand(parse("a * b * c")).text()


def test_powers_of_constants_are_evaluated_as_floating_point_numbers(table):
    with pytest.raises(ValueError, match="does not depend on a column"):
        FormulaTransformer("I(10**10**10)").fit(table)
    with pytest.raises(ValueError, match="infinity or NaN"):
        FormulaTransformer("I(x * 10**10**10)").fit(table)
    large = FormulaTransformer("I(x * 99999999999999999999)").fit_transform(table)
    np.testing.assert_allclose(large[:, 0], 1e20 * table["x"])


@pytest.mark.parametrize(
    "formula",
    [
        "eval(x)",
        "__import__('os')",
        "np.load('x')",
        "np.__builtins__(x)",
        "np.core(x)",
        "np.isnat(x)",
        "np.bitwise_not(x)",
        "numpy.random(x)",
        "x.__class__",
        "I(x).real",
        "lambda x: x",
        "I([x for x in x])",
        "I(NULL)",
        "I(C(g) == 1)",
        "C(poly(x, 2))",
        "bs(x, df='a')",
        "bs(x, degree='a')",
        "bs(x, boundary_knots=3)",
        "bs(x, lower_bound='a')",
        "cr(x, df='a')",
        "scale(x, center='a')",
        "log(x, 'a')",
        "C(g, levels=3)",
        "",
        "~",
        "x\0",
    ],
)
def test_formulas_are_never_executed_and_their_errors_are_clear(formula, table):
    with pytest.raises(ValueError, match=r"`formula`|X does not match the formula|X lacks columns"):
        FormulaTransformer(formula).fit(table)


@pytest.mark.parametrize("target", ["I(10**10**10)", "I(x * 10**10**10)", "scale(x, scale=0)", "x" * 10_001])
def test_excessive_targets_raise(target, table):
    with pytest.raises(ValueError, match="formula"):
        FormulaModel(None, f"{target} ~ a").fit(table)


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        ("s(x, k=100000000)", "MAX_BASIS"),
        ("s(x, bs='ps', k=100000000)", "MAX_BASIS"),
        ("s2(x, a, k=100000000)", "MAX_BASIS"),
        (f"s(x, knots=c({series(5_000)}))", "MAX_BASIS"),
        ("te(x, a, k=c(900, 900))", "MAX_TENSOR"),
        ("te(x, a, b, c, k=40)", "MAX_TENSOR"),
        ("te(x, a, k='q')", "`k` must be an integer"),
        ("s(x, lam='q')", "`lam` must be a number"),
        ("I(x * 10**10**10)", "the result must be a finite number"),
        ("I(" + "x + " * 5_000 + "x)", "MAX_OPERATIONS"),
        (" + ".join(["x"] * 10_002), "MAX_TERMS"),
        ("(" * 1_000 + "x" + ")" * 1_000, "MAX_DEPTH"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_excessive_additive_models_raise(formula, words, table):
    with pytest.raises(ValueError, match=words):
        GAM(f"y ~ {formula}").fit(table)


def test_thin_plates_of_many_features_raise():
    X = np.random.default_rng(0).normal(size=(40, 30))
    with pytest.raises(ValueError, match="MAX_BASIS"):
        GAM([s2(*range(30), k=50)]).fit(X, X[:, 0])


def test_sources_of_nodes_share_the_text():
    text = "y ~ " + " + ".join(f"x{k}" for k in range(5_000))
    _, right = parse_sides(text)
    assert right.source == text[4:]
    assert right.span[0] is text
