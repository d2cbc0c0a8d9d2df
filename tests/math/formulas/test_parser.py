"""The grammar of formulas and the algebra of their terms."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn._math.formulas.parser import parse, parse_sides, written
from statlearn._math.formulas.terms import codings, expand
from statlearn._math.formulas.tree import Constant, Name, Sequence, plain_value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a+b * c", "a + b * c"),
        ("-x^2", "-x^2"),
        ("x ** -0.5", "x^-0.5"),
        ("a %in% b:c", "a %in% b:c"),
        ("f( x,df=4 , k = c(1,2) )", "f(x, df = 4, k = c(1, 2))"),
        ("`my col` + .5 + `ok`", "`my col` + 0.5 + ok"),
        ("!a&b|c", "!a & b | c"),
        ("g == 'a'", 'g == "a"'),
        ("f(TRUE, NULL, 2L)", "f(TRUE, NULL, 2)"),
    ],
)
def test_trees_are_printed_as_by_r(text, expected):
    assert written(parse(text)) == expected
    assert written(parse(expected)) == expected


def test_operators_bind_as_in_r():
    tree = parse("a + b %in% c:d^2 * -e:f")
    assert (tree.sign, tree.right.sign, tree.right.left.sign) == ("+", "*", "%in%")
    assert tree.right.left.right.sign == ":"
    assert tree.right.right.sign == ":"  # a sign binds tighter than ":"
    assert parse("2^3^2").right.sign == "^"
    assert parse("a - b - c").left.sign == "-"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a + b", "1 + a + b"),
        ("a * b", "1 + a + b + a:b"),
        ("b:a + a", "1 + a + b:a"),
        ("(a + b + c)^2", "1 + a + b + c + a:b + a:c + b:c"),
        ("(a + b + c)^3 - a:b:c", "1 + a + b + c + a:b + a:c + b:c"),
        ("a / b", "1 + a + a:b"),
        ("(a + b) / c", "1 + a + b + a:b:c"),
        ("a / (b + c)", "1 + a + a:b + a:c"),
        ("(a + b) %in% (c + d)", "1 + a:c:d + b:c:d"),
        ("a:a + a^3", "1 + a"),
        ("a - 1", "0 + a"),
        ("0 + a", "0 + a"),
        ("a - 1 + 1", "1 + a"),
        ("-1 + a", "0 + a"),
        ("a - 0", "1 + a"),
        (". - b", "1 + a + c"),
        (".^2", "1 + a + b + c + a:b + a:c + b:c"),
        ("a * (b + c) - a", "1 + b + c + a:b + a:c"),
        ("a + offset(log(b))", "1 + a + offset(log(b))"),
        ("I(a*b) + I(a * b)", "1 + I(a * b)"),
    ],
)
def test_terms_are_multiplied_out(text, expected):
    found = expand(parse(text), ["a", "b", "c"])
    assert found.text() == expected
    again = expand(parse(expected), variables=list(found.variables))
    assert (again.text(), again.terms) == (expected, found.terms)


def test_factors_are_coded_by_the_rule_of_margins():
    # attr(terms(~ ...), "factors"), where 2 stands for all levels; and model.matrix without an intercept
    def full(text, factors="abc"):
        found = expand(parse(text))
        pairs = zip(found.terms, codings(found, set(factors)))
        return {":".join(found.ordered(term)): "".join(sorted(keys)) for term, keys in pairs}

    assert full("a + b + a:b") == {"a": "", "b": "", "a:b": ""}
    assert full("a:b") == {"a:b": "ab"}
    assert full("a + a:b") == {"a": "", "a:b": "a"}
    assert full("x:a") == {"x:a": "a"}
    assert full("x + x:a") == {"x": "", "x:a": ""}
    assert full("a + b - 1") == {"a": "a", "b": ""}
    assert full("x + a - 1") == {"x": "", "a": "a"}


def test_sides_and_values():
    left, right = parse_sides("log(y) ~ x")
    assert (written(left), right) == ("log(y)", Name("x"))
    assert parse_sides("x")[0] is None
    assert parse_sides("~ x") == (None, Name("x"))
    assert plain_value(parse("c(1, -2)")) == (1, -2)
    assert plain_value(parse("[1, 'a']")) == (1, "a")
    assert parse("(1, 2)") == Sequence((Constant(1), Constant(2)))
    with pytest.raises(ValueError, match="'x' is not a constant"):
        plain_value(parse("x"))


@given(st.text(alphabet="ab1.~+-*/^:%()`'!=,& ", max_size=12))
def test_any_text_is_read_or_raise(text):
    try:
        tree = parse(text)
    except SyntaxError:
        return
    assert written(parse(written(tree))) == written(tree)
