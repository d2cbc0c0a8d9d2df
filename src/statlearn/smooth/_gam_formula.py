"""Formulas for additive models: ``"y ~ s(x, k=20) + te(u, v) + C(g) + z + offset(log(n))"``."""

import ast
from collections.abc import Callable

from . import _gam_terms


def _smooth(*arguments, **named):
    """`s`, or `s2` where several columns are named, as in mgcv."""
    several = len(arguments) > 1 and isinstance(arguments[1], str)
    return _gam_terms.s2(*arguments, **named) if several else _gam_terms.s(*arguments, **named)


_MAKERS: dict[str, Callable] = {
    "s": _smooth,
    "s2": _gam_terms.s2,
    "te": _gam_terms.te,
    "ti": _gam_terms.ti,
    "re": _gam_terms.re,
    "lin": _gam_terms.lin,
    "C": _gam_terms.factor,
    "factor": _gam_terms.factor,
    "offset": _gam_terms.offset,
}


def parse_formula(formula):
    """The name of the response (None if there is none) and the terms.

    The right side is a sum of names (linear terms), of products ``x:g`` of a name and a factor (slopes of its levels),
    and of calls of `s`, `s2`, `te`, `ti`, `re`, `lin`, `C`, `factor` and `offset`, with names of columns and plain
    values as arguments.
    """
    left, tilde, right = formula.partition("~")
    if not tilde:
        left, right = "", formula
    response = left.strip() or None
    if response is not None and not response.isidentifier():
        response = response.strip("`")
    try:
        tree = ast.parse(right.strip().replace(":", "@"), mode="eval").body
    except SyntaxError as error:
        raise ValueError(f"terms: the formula {formula!r} cannot be read: {error.msg}.") from None
    terms = []
    for part in _summands(tree, formula):
        if isinstance(part, ast.Constant) and part.value == 1:
            continue  # the constant is always there
        terms.append(_term(part, formula))
    return response, terms


def _summands(node, formula):
    if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.MatMult):
        if not isinstance(node.op, ast.Add):
            raise ValueError(f"terms: only sums of terms can be read, not {_written(node)!r} in {formula!r}.")
        return [*_summands(node.left, formula), *_summands(node.right, formula)]
    return [node]


def _written(node):
    return ast.unparse(node).replace(" @ ", ":")


def _name(node):
    """The column that a name stands for, which may hold dots; None for anything else."""
    dotted = node
    while isinstance(dotted, ast.Attribute):
        dotted = dotted.value
    return ast.unparse(node) if isinstance(dotted, ast.Name) else None


def _term(node, formula):
    if _name(node) is not None:
        return _gam_terms.lin(_name(node))
    if isinstance(node, ast.BinOp) and _name(node.left) is not None and _name(node.right) is not None:
        return _gam_terms.lin(_name(node.left), by=_name(node.right))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _MAKERS:
        positional = [_value(argument, formula) for argument in _arguments(node)]
        named = {keyword.arg: _value(keyword.value, formula) for keyword in node.keywords}
        try:
            return _MAKERS[node.func.id](*positional, **named)
        except TypeError as error:
            raise ValueError(f"terms: {_written(node)!r}: {error}.") from None
    known = ", ".join(_MAKERS)
    raise ValueError(f"terms: {_written(node)!r} is no term; known are names of columns and {known}.")


def _arguments(node):
    """The positional arguments of a call; ``offset(log(n))`` has two, the column and the function."""
    inner = node.args[0] if node.args else None
    if node.func.id == "offset" and isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name) and inner.args:
        return [inner.args[0], ast.Constant(inner.func.id)]
    return node.args


def _value(node, formula):
    if _name(node) is not None:
        return _name(node)
    try:
        return ast.literal_eval(node)
    except ValueError:
        raise ValueError(f"terms: {_written(node)!r} in {formula!r} is neither a name nor a value.") from None
