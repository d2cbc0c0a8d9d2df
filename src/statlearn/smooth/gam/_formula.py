"""Formulas for additive models: ``"y ~ s(x, k=20) + te(u, log(v)) + C(g) + I(z^2) + offset(log(n))"``."""

from collections.abc import Callable

from statlearn._math.formulas.functions import FUNCTIONS, function_name
from statlearn._math.formulas.limits import MAX_TERMS, over, shortened
from statlearn._math.formulas.parser import parse_sides
from statlearn._math.formulas.tree import (
    Binary,
    Brackets,
    Call,
    Constant,
    Name,
    Unary,
    bare,
    left_operands,
    plain_value,
)

from . import _terms
from ._expressions import Expression


def _smooth(*arguments, **named):
    """`s` as in mgcv: `s2` for several columns, `re` for the basis of a random effect."""
    several = len(arguments) > 1 and isinstance(arguments[1], str)
    if named.get("basis") == "re":
        if several:
            raise TypeError("write random slopes as re(group, by=x)")
        return _terms.re(*arguments, **{word: value for word, value in named.items() if word != "basis"})
    if several and named.get("basis") == "tp":
        del named["basis"]  # they have no other
    return _terms.s2(*arguments, **named) if several else _terms.s(*arguments, **named)


def _with_bs(maker):
    """Term function that accepts mgcv's name for `basis`."""

    def made(*arguments, bs=None, **named):
        return maker(*arguments, **named) if bs is None else maker(*arguments, basis=bs, **named)

    return made


_MAKERS: dict[str, Callable] = {
    "s": _with_bs(_smooth),
    "s2": _terms.s2,
    "te": _with_bs(_terms.te),
    "ti": _with_bs(_terms.ti),
    "re": _terms.re,
    "lin": _terms.lin,
    "C": _terms.factor,
    "factor": _terms.factor,
    "offset": _terms.offset,
}
_FACTORS = ("C", "factor", "re")


def parse_formula(formula):
    """The name of the response (None if there is none) and the terms.

    The right-hand side is a sum of column names (linear terms), functions of columns
    (`statlearn.smooth.gam._expressions`), products ``x:g`` with a factor (one slope per level), and calls of `s`, `s2`,
    `te`, `ti`, `re`, `lin`, `C`, `factor` and `offset`, whose arguments are columns, functions of them and plain
    values. Names with blanks or operators are put in backticks. The vocabulary of R's mgcv is also understood: ``s(x,
    bs="ps")``, ``s(g, bs="re")``, ``te(u, v, k=c(5, 8))``.
    """
    try:
        left, right = parse_sides(formula)
    except SyntaxError as error:
        raise ValueError(f"terms: the formula {shortened(formula)} could not be parsed: {error.msg}.") from None
    response = left.name if isinstance(left, Name) else left and left.source
    terms = []
    for part in _summands(right, formula):
        if isinstance(part, Constant) and part.value == 1:
            continue  # the constant is always there
        terms.append(_term(part))
    return response, terms


def term_columns(term, names):
    """The columns that a term uses: its features, or those that its expressions are made of."""
    for feature in (*term.features, term.by):
        if isinstance(feature, str) and feature not in names:
            yield from _made_of(feature)
        elif feature is not None:
            yield feature


def expressions(terms, names):
    """Features of terms that are functions of columns rather than column names."""
    features = [feature for term in terms for feature in (*term.features, term.by)]
    written = dict.fromkeys(f for f in features if isinstance(f, str) and f not in names)
    return [text for text in written if _made_of(text) != (text,)]


def _made_of(text):
    """Columns from which a feature is computed that is not itself a column."""
    try:
        return Expression(text).columns
    except ValueError as error:
        raise ValueError(f"terms: X has no column named {text!r}, and {error}") from None


def _summands(node, formula):
    node = bare(node)
    if isinstance(node, Binary) and node.sign != ":":
        first, chain = left_operands(node)
        if len(chain) >= MAX_TERMS:
            raise ValueError(f"terms: the number of terms exceeds {over('MAX_TERMS')}.")
        terms = _summands(first, formula)
        for step in chain:
            if step.sign != "+":
                _refuse_summand(step, formula)
            terms += _summands(step.right, formula)
        return terms
    if isinstance(node, Unary):
        _refuse_summand(node, formula)
    return [node]


def _refuse_summand(node, formula):
    raise ValueError(
        f"terms: a formula must be a sum of terms, got {shortened(node.source)} in {shortened(formula)}. Put "
        "arithmetic on columns inside I(...); the intercept is always included. statlearn.formula.gam takes any of R's "
        "terms beside smooths."
    )


def _is_feature(node):
    """Whether this is a column, or a function of columns."""
    return isinstance(node, Name) or (isinstance(node, Call) and function_name(node) is not None)


def _term(node):
    if isinstance(node, Call) and node.function in _MAKERS:
        return _call(node)
    if _is_feature(node):
        return _terms.lin(_feature(node))
    if isinstance(node, Binary) and _is_feature(node.left) and isinstance(node.right, Name):
        return _terms.lin(_feature(node.left), by=node.right.name)
    raise ValueError(
        f"terms: {shortened(node.source)} is not a term; use column names, functions of them ({', '.join(FUNCTIONS)}) "
        f"and {', '.join(_MAKERS)}. statlearn.formula.gam takes any of R's terms beside smooths."
    )


def _call(node):
    positional = [_argument(argument) for argument in _arguments(node)]
    named = {word: _feature(value) if word == "by" else _value(value) for word, value in node.named}
    first = node.arguments[0] if node.arguments else None
    if node.function in _FACTORS and isinstance(first, (Call, Binary, Unary, Brackets)):
        raise ValueError(f"terms: {shortened(node.source)}: a factor must be a column, not a function of columns.")
    try:
        return _MAKERS[node.function](*positional, **named)
    except TypeError as error:
        raise ValueError(f"terms: {shortened(node.source)}: {error}.") from None


def _arguments(node):
    """The positional arguments of a call; ``offset(log(n))`` has two, the column and the function."""
    inner = node.arguments[0] if node.arguments else None
    if (
        node.function == "offset"
        and isinstance(inner, Call)
        and inner.function in ("log", "sqrt")
        and len(inner.arguments) == 1
        and isinstance(inner.arguments[0], Name)
    ):
        return [inner.arguments[0], Constant(inner.function)]
    return node.arguments


def _argument(node):
    """A plain value, or a column or function of columns."""
    try:
        return plain_value(node, names=True)
    except ValueError:
        return _feature(node)


def _feature(node):
    if isinstance(node, Name):
        return node.name
    if isinstance(node, Constant) and isinstance(node.value, str):
        return node.value
    try:
        return Expression(node.source).text
    except ValueError as error:
        raise ValueError(f"terms: {error}") from None


def _value(node):
    """The value of a named argument: a plain value or the name of a column."""
    try:
        return plain_value(node, names=True)
    except ValueError:
        raise ValueError(f"terms: {shortened(node.source)} must be a name or a value.") from None
