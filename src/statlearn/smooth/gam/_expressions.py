"""Arithmetic on columns written as text: ``log(x)``, ``sqrt(a / b)``, ``I(x^2 - 1)``.

The text is parsed, never executed: it may contain column names, numbers, the operators + - * / ^ and the functions of
`FUNCTIONS`, nothing else. A power may be written ``^`` or ``**``; names with blanks or operators are put in backticks.
"""

import numpy as np

from statlearn._math.formulas.functions import FUNCTIONS, OPERATORS, SIGNS, function_name
from statlearn._math.formulas.limits import shortened
from statlearn._math.formulas.parser import parse
from statlearn._math.formulas.terms import limit_operations
from statlearn._math.formulas.tree import Binary, Brackets, Call, Constant, Name, Unary, left_operands


class Expression:
    """A function of columns.

    Parameters
    ----------
    text : str

    Attributes
    ----------
    columns : tuple of str
        Names of its columns, in order of appearance.

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
            raise ValueError(f"the expression {shortened(text)} could not be parsed: {error.msg}.") from None
        limit_operations(self.tree)
        names = []
        self._check(self.tree, names)
        self.columns = tuple(dict.fromkeys(names))
        if not names:
            raise ValueError(f"the expression {shortened(text)} does not contain a column.")

    def _check(self, node, names):
        """Refuse all but arithmetic; names of columns go to `found`."""
        if isinstance(node, Name) and node.name != ".":
            names.append(node.name)
        elif isinstance(node, Binary) and all(step.sign in OPERATORS for step in left_operands(node)[1]):
            first, chain = left_operands(node)
            for part in (first, *(step.right for step in chain)):
                self._check(part, names)
        elif (isinstance(node, Unary) and node.sign in SIGNS) or isinstance(node, Brackets):
            for part in node.parts:
                self._check(part, names)
        elif isinstance(node, Call):
            if function_name(node) is None or len(node.arguments) != 1 or node.named:
                raise ValueError(
                    f"{shortened(node.source)} in {shortened(self.text)} is not supported; use one of the functions "
                    f"{', '.join(FUNCTIONS)} with a single argument."
                )
            self._check(node.arguments[0], names)
        elif not (isinstance(node, Constant) and type(node.value) in (int, float)):
            raise ValueError(
                f"{shortened(node.source)} in {shortened(self.text)} is not supported arithmetic; use columns, "
                f"numbers, + - * / ^ and the functions {', '.join(FUNCTIONS)}."
            )

    def values(self, columns):
        """The expression for all rows.

        Parameters
        ----------
        columns : mapping of str to array-like of shape (n,)

        Returns
        -------
        ndarray of shape (n,)
        """
        values_by_name = {name: np.asarray(columns[name], np.float64) for name in self.columns}
        with np.errstate(all="ignore"):
            return self._evaluate(self.tree, values_by_name)

    def _evaluate(self, node, columns):
        if isinstance(node, Constant):
            return np.float64(node.value)
        if isinstance(node, Brackets):
            return self._evaluate(node.inner, columns)
        if isinstance(node, Binary):
            first, chain = left_operands(node)
            value = self._evaluate(first, columns)
            for step in chain:
                right = self._evaluate(step.right, columns)
                value = self._finite(step, OPERATORS[step.sign](value, right), columns)
            return value
        if isinstance(node, Unary):
            return SIGNS[node.sign](self._evaluate(node.operand, columns))
        if isinstance(node, Call):
            name, x = function_name(node), self._evaluate(node.arguments[0], columns)
            function = FUNCTIONS[name]
            if function.inside is not None:
                self._require(function.inside(x), node, columns, f"{name} {function.words}")
            return self._finite(node, function.compute(x), columns)
        return columns[node.name]

    def _finite(self, node, out, columns):
        self._require(np.isfinite(out), node, columns, "the result must be a finite number")
        return out

    def _require(self, fine, node, columns, words):
        """Raise an error that names the first row where `fine` is false, and its values; missing values are ignored."""
        if np.all(fine):
            return
        inner = []
        self._check(node, inner)
        if not inner:
            raise ValueError(f"{shortened(node.source)}: {words}.")
        known = np.all([np.isfinite(columns[name]) for name in inner], axis=0) if inner else True
        bad = np.flatnonzero(~np.broadcast_to(fine, np.shape(next(iter(columns.values())))) & known)
        if len(bad):
            held = ", ".join(f"column {name!r} holds {columns[name][bad[0]]:g}" for name in dict.fromkeys(inner))
            raise ValueError(f"{node.source}: {words}, but in row {bad[0]} {held}.")
