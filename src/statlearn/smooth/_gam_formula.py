"""Formulas for additive models: ``"y ~ s(x, k=20) + te(u, v) + C(g) + z"``."""

import ast

from . import _gam_terms

_MAKERS = {
    "s": _gam_terms.s,
    "s2": _gam_terms.s2,
    "te": _gam_terms.te,
    "re": _gam_terms.re,
    "lin": _gam_terms.lin,
    "C": _gam_terms.factor,
    "factor": _gam_terms.factor,
}


def parse_formula(formula):
    """The name of the response (None if there is none) and the terms.

    The right side is a sum of names (linear terms) and of calls of `s`, `s2`, `te`, `re`, `lin`, `C` and `factor`, with
    names of columns and plain values as arguments.
    """
    left, tilde, right = formula.partition("~")
    if not tilde:
        left, right = "", formula
    response = left.strip() or None
    if response is not None and not response.isidentifier():
        response = response.strip("`")
    try:
        tree = ast.parse(right.strip(), mode="eval").body
    except SyntaxError as error:
        raise ValueError(f"terms: the formula {formula!r} cannot be read: {error.msg}.") from None
    terms = []
    for part in _summands(tree, formula):
        if isinstance(part, ast.Constant) and part.value == 1:
            continue  # the constant is always there
        terms.append(_term(part, formula))
    return response, terms


def _summands(node, formula):
    if isinstance(node, ast.BinOp):
        if not isinstance(node.op, ast.Add):
            raise ValueError(f"terms: only sums of terms can be read, not {ast.unparse(node)!r} in {formula!r}.")
        return [*_summands(node.left, formula), *_summands(node.right, formula)]
    return [node]


def _term(node, formula):
    if isinstance(node, ast.Name):
        return _gam_terms.lin(node.id)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _MAKERS:
        positional = [_value(argument, formula) for argument in node.args]
        named = {keyword.arg: _value(keyword.value, formula) for keyword in node.keywords}
        try:
            return _MAKERS[node.func.id](*positional, **named)
        except TypeError as error:
            raise ValueError(f"terms: {ast.unparse(node)!r}: {error}.") from None
    known = ", ".join(_MAKERS)
    raise ValueError(f"terms: {ast.unparse(node)!r} is no term; known are names of columns and {known}.")


def _value(node, formula):
    if isinstance(node, ast.Name):
        return node.id
    try:
        return ast.literal_eval(node)
    except ValueError:
        raise ValueError(f"terms: {ast.unparse(node)!r} in {formula!r} is neither a name nor a value.") from None
