"""Arithmetic on columns written as text: ``log(x)``, ``sqrt(a / b)``, ``I(x^2 - 1)``.

The text is read, never executed: names of columns, numbers, the signs + - * / ^ and the functions of `FUNCTIONS` are
all that can be said. A power may be written ``^`` or ``**``, a name with blanks or signs in it between backticks.
"""

import ast
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class _Function:
    """A function of one column: how it is computed, where it is defined, and that in words."""

    compute: Callable
    inside: Callable | None = None
    words: str = ""


def _above(least):
    return lambda x: x > least


FUNCTIONS = {
    "log": _Function(np.log, _above(0), "needs values above 0"),
    "log2": _Function(np.log2, _above(0), "needs values above 0"),
    "log10": _Function(np.log10, _above(0), "needs values above 0"),
    "log1p": _Function(np.log1p, _above(-1), "needs values above -1"),
    "exp": _Function(np.exp),
    "expm1": _Function(np.expm1),
    "sqrt": _Function(np.sqrt, lambda x: x >= 0, "needs values of at least 0"),
    "abs": _Function(np.abs),
    "sin": _Function(np.sin),
    "cos": _Function(np.cos),
    "I": _Function(np.asarray),
}
_OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_SIGNS = {ast.USub: operator.neg, ast.UAdd: operator.pos}


class Expression:
    """A function of columns.

    Parameters
    ----------
    text : str

    Attributes
    ----------
    columns : tuple of str
        Names of the columns in it, in the order in which they come.

    Examples
    --------
    >>> from statlearn.smooth.gam._expressions import Expression
    >>> area = Expression("sqrt(width^2 + height^2)")
    >>> area.columns
    ('width', 'height')
    >>> area.values({"width": [3.0], "height": [4.0]})
    array([5.])
    """

    def __init__(self, text):
        self.text = text
        try:
            self.tree = parse(text)
        except SyntaxError as error:
            raise ValueError(f"the expression {text!r} cannot be read: {error.msg}.") from None
        found = []
        self._check(self.tree, found)
        self.columns = tuple(dict.fromkeys(found))
        if not found:
            raise ValueError(f"the expression {text!r} names no column.")

    def _check(self, node, found):
        """Refuse what is no arithmetic; names of columns go to `found`."""
        name = column_name(node)
        if name is not None:
            found.append(name)
        elif isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
            self._check(node.left, found)
            self._check(node.right, found)
        elif isinstance(node, ast.UnaryOp) and type(node.op) in _SIGNS:
            self._check(node.operand, found)
        elif isinstance(node, ast.Call):
            if function_name(node) is None or len(node.args) != 1 or node.keywords:
                raise ValueError(
                    f"{self._written(node)!r} in {self.text!r} cannot be read: functions are "
                    f"{', '.join(FUNCTIONS)}, of one argument."
                )
            self._check(node.args[0], found)
        elif not (isinstance(node, ast.Constant) and type(node.value) in (int, float)):
            raise ValueError(
                f"{self._written(node)!r} in {self.text!r} is no arithmetic on columns: + - * / ^, numbers and "
                f"{', '.join(FUNCTIONS)} are."
            )

    def _written(self, node):
        return segment(self.text, node)

    def values(self, columns):
        """The expression for all rows.

        Parameters
        ----------
        columns : mapping of str to array-like of shape (n,)

        Returns
        -------
        ndarray of shape (n,)
        """
        own = {name: np.asarray(columns[name], np.float64) for name in self.columns}
        with np.errstate(all="ignore"):
            return self._evaluate(self.tree, own)

    def _evaluate(self, node, columns):
        if isinstance(node, ast.Constant):
            return np.float64(node.value)
        if isinstance(node, ast.BinOp):
            left, right = self._evaluate(node.left, columns), self._evaluate(node.right, columns)
            out = _OPERATORS[type(node.op)](left, right)
            return self._finite(node, out, columns)
        if isinstance(node, ast.UnaryOp):
            return _SIGNS[type(node.op)](self._evaluate(node.operand, columns))
        if isinstance(node, ast.Call):
            name, x = function_name(node), self._evaluate(node.args[0], columns)
            function = FUNCTIONS[name]
            if function.inside is not None:
                self._require(function.inside(x), node, columns, f"{name} {function.words}")
            return self._finite(node, function.compute(x), columns)
        return columns[column_name(node)]

    def _finite(self, node, out, columns):
        self._require(np.isfinite(out), node, columns, "the result must be a finite number")
        return out

    def _require(self, fine, node, columns, words):
        """Name the first row, and what its columns hold, where `fine` is false; gaps in them are not our matter."""
        if np.all(fine):
            return
        inner = []
        self._check(node, inner)
        known = np.all([np.isfinite(columns[name]) for name in inner], axis=0) if inner else True
        bad = np.flatnonzero(~np.broadcast_to(fine, np.shape(next(iter(columns.values())))) & known)
        if len(bad):
            held = ", ".join(f"column {name!r} holds {columns[name][bad[0]]:g}" for name in dict.fromkeys(inner))
            raise ValueError(f"{self._written(node)}: {words}, but in row {bad[0]} {held}.")


def parse(text, signs=None):
    """The tree of a text in which ``^`` is a power; `segment` finds what a part of it was.

    Parameters
    ----------
    text : str
    signs : dict or None, default=None
        Characters outside of backticks that stand for others.
    """
    text = " ".join(text.splitlines())
    shown = _masked(text)
    for sign, other in (signs or {}).items():
        shown = shown.replace(sign, other)
    tree = ast.parse(shown.replace("^", "**"), mode="eval").body
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and (quoted := segment(text, node)).startswith("`"):
            node.id = quoted.strip("`")
    return tree


def _masked(text):
    """Names between backticks become underscores, as many as they have bytes."""
    return re.sub("`[^`]+`", lambda found: "_" * len(found[0].encode()), text)


def segment(text, node):
    """A part of the tree as it was written."""
    shown = text.encode()
    # Every ^ before a place moved it by one.
    places, moved = [], 0
    for j, byte in enumerate(_masked(text).encode()):
        places.append(j + moved)
        moved += byte == ord("^")
    places.append(len(shown) + moved)
    start, end = (int(np.searchsorted(places, at)) for at in (node.col_offset, node.end_col_offset))
    return shown[start:end].decode()


def column_name(node):
    """The column that a name stands for, which may hold dots; None for anything else."""
    dotted = node
    while isinstance(dotted, ast.Attribute):
        dotted = dotted.value
    return ast.unparse(node) if isinstance(dotted, ast.Name) else None


def function_name(node):
    """The function of `FUNCTIONS` that a call is of, ``np.log`` too; None for others."""
    name = column_name(node.func)
    name = name.removeprefix("np.").removeprefix("numpy.") if name is not None else None
    return name if name in FUNCTIONS else None
