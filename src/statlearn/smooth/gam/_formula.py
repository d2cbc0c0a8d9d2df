"""Formulas for additive models: ``"y ~ s(x, k=20) + te(u, log(v)) + C(g) + I(z^2) + offset(log(n))"``."""

import ast
import re
from collections.abc import Callable

from . import _terms
from ._expressions import FUNCTIONS, Expression, column_name, function_name, parse, segment


def _smooth(*arguments, **named):
    """`s` as in mgcv: `s2` where several columns are named, `re` where the basis is that of a random effect."""
    several = len(arguments) > 1 and isinstance(arguments[1], str)
    if named.get("basis") == "re":
        if several:
            raise TypeError("random slopes are written re(group, by=x)")
        return _terms.re(*arguments, **{word: value for word, value in named.items() if word != "basis"})
    if several and named.get("basis") == "tp":
        del named["basis"]  # they have no other
    return _terms.s2(*arguments, **named) if several else _terms.s(*arguments, **named)


def _with_bs(maker):
    """The maker with mgcv's word for `basis`."""

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

    The right side is a sum of names (linear terms), of functions of columns (`statlearn.smooth.gam._expressions`), of
    products ``x:g`` with a factor (slopes of its levels), and of calls of `s`, `s2`, `te`, `ti`, `re`, `lin`, `C`,
    `factor` and `offset`, with columns, functions of them and plain values as arguments. Names with blanks or signs in
    them stand between backticks. The words of R's mgcv are read too: ``s(x, bs="ps")``, ``s(g, bs="re")``,
    ``te(u, v, k=c(5, 8))``.
    """
    left, tilde, right = formula.partition("~")
    if not tilde:
        left, right = "", formula
    response = left.strip() or None
    if response is not None and re.fullmatch("`[^`]+`", response):
        response = response.strip("`")
    text = " ".join(right.split("\n")).strip()
    try:
        tree = parse(text, {":": "@"})
    except SyntaxError as error:
        raise ValueError(f"terms: the formula {formula!r} cannot be read: {error.msg}.") from None
    terms = []
    for part in _summands(tree, text, formula):
        if isinstance(part, ast.Constant) and part.value == 1:
            continue  # the constant is always there
        terms.append(_term(part, text))
    return response, terms


def term_columns(term, names):
    """The columns that a term uses: its features, or those that its expressions are made of."""
    for feature in (*term.features, term.by):
        if isinstance(feature, str) and feature not in names:
            yield from _made_of(feature)
        elif feature is not None:
            yield feature


def expressions(terms, names):
    """The features of terms that are no names of columns, but functions of them."""
    features = [feature for term in terms for feature in (*term.features, term.by)]
    written = dict.fromkeys(f for f in features if isinstance(f, str) and f not in names)
    return [text for text in written if _made_of(text) != (text,)]


def _made_of(text):
    """The columns of a feature that is itself none."""
    try:
        return Expression(text).columns
    except ValueError as error:
        raise ValueError(f"terms: there is no column named {text!r}, and {error}") from None


def _summands(node, text, formula):
    if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.MatMult):
        if not isinstance(node.op, ast.Add):
            raise ValueError(
                f"terms: only sums of terms can be read, not {segment(text, node)!r} in {formula!r}; arithmetic on "
                f"columns goes into I(...), and the constant is always there."
            )
        return [*_summands(node.left, text, formula), *_summands(node.right, text, formula)]
    return [node]


def _is_feature(node):
    """Whether this is a column, or a function of columns."""
    return column_name(node) is not None or (isinstance(node, ast.Call) and function_name(node) is not None)


def _term(node, text):
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _MAKERS:
        return _call(node, text)
    if _is_feature(node):
        return _terms.lin(_feature(node, text))
    if isinstance(node, ast.BinOp) and _is_feature(node.left) and column_name(node.right) is not None:
        return _terms.lin(_feature(node.left, text), by=column_name(node.right))
    raise ValueError(
        f"terms: {segment(text, node)!r} is no term; known are names of columns, their functions "
        f"({', '.join(FUNCTIONS)}) and {', '.join(_MAKERS)}."
    )


def _call(node, text):
    maker = node.func.id
    positional = [_argument(argument, text) for argument in _arguments(node)]
    named = {
        word.arg: _feature(word.value, text) if word.arg == "by" else _value(word.value, text) for word in node.keywords
    }
    first = node.args[0] if node.args else None
    if maker in _FACTORS and isinstance(first, (ast.Call, ast.BinOp, ast.UnaryOp)):
        raise ValueError(f"terms: {segment(text, node)!r}: a factor is a column, not a function of columns.")
    try:
        return _MAKERS[maker](*positional, **named)
    except TypeError as error:
        raise ValueError(f"terms: {segment(text, node)!r}: {error}.") from None


def _arguments(node):
    """The positional arguments of a call; ``offset(log(n))`` has two, the column and the function."""
    inner = node.args[0] if node.args else None
    if (
        node.func.id == "offset"
        and isinstance(inner, ast.Call)
        and column_name(inner.func) in ("log", "sqrt")
        and len(inner.args) == 1
        and column_name(inner.args[0]) is not None
    ):
        return [inner.args[0], ast.Constant(inner.func.id)]
    return node.args


def _argument(node, text):
    """A plain value, or a column or function of columns."""
    try:
        return ast.literal_eval(node)
    except ValueError:
        return _feature(node, text)


def _feature(node, text):
    if column_name(node) is not None:
        return column_name(node)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    try:
        return Expression(segment(text, node)).text
    except ValueError as error:
        raise ValueError(f"terms: {error}") from None


def _value(node, text):
    if column_name(node) is not None:
        return column_name(node)
    if isinstance(node, ast.Call) and column_name(node.func) == "c" and not node.keywords:
        return tuple(_value(each, text) for each in node.args)
    try:
        return ast.literal_eval(node)
    except ValueError:
        raise ValueError(f"terms: {segment(text, node)!r} in {text!r} is neither a name nor a value.") from None
