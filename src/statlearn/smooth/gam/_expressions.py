"""Arithmetic on columns written as text: ``log(x)``, ``sqrt(a / b)``, ``I(x^2 - 1)``.

The text is read, never executed: names of columns, numbers, the signs + - * / ^ and the functions of `FUNCTIONS` are
all that can be said. A power may be written ``^`` or ``**``, a name with blanks or signs in it between backticks.
"""

import numpy as np

from statlearn._core.formulas import (
    FUNCTIONS,
    OPERATORS,
    SIGNS,
    Binary,
    Brackets,
    Call,
    Constant,
    Name,
    Unary,
    function_name,
    parse,
)


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
        """Refuse all but arithmetic; names of columns go to `found`."""
        if isinstance(node, Name) and node.name != ".":
            found.append(node.name)
        elif (
            (isinstance(node, Binary) and node.sign in OPERATORS)
            or (isinstance(node, Unary) and node.sign in SIGNS)
            or isinstance(node, Brackets)
        ):
            for part in node.parts:
                self._check(part, found)
        elif isinstance(node, Call):
            if function_name(node) is None or len(node.arguments) != 1 or node.named:
                raise ValueError(
                    f"{node.source!r} in {self.text!r} cannot be read: functions are "
                    f"{', '.join(FUNCTIONS)}, of one argument."
                )
            self._check(node.arguments[0], found)
        elif not (isinstance(node, Constant) and type(node.value) in (int, float)):
            raise ValueError(
                f"{node.source!r} in {self.text!r} is not arithmetic on columns; use + - * / ^, numbers and "
                f"{', '.join(FUNCTIONS)}."
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
        own = {name: np.asarray(columns[name], np.float64) for name in self.columns}
        with np.errstate(all="ignore"):
            return self._evaluate(self.tree, own)

    def _evaluate(self, node, columns):
        if isinstance(node, Constant):
            return np.float64(node.value)
        if isinstance(node, Brackets):
            return self._evaluate(node.inner, columns)
        if isinstance(node, Binary):
            left, right = self._evaluate(node.left, columns), self._evaluate(node.right, columns)
            return self._finite(node, OPERATORS[node.sign](left, right), columns)
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
        """Name the first row, and what its columns hold, where `fine` is false; gaps in them are not our matter."""
        if np.all(fine):
            return
        inner = []
        self._check(node, inner)
        known = np.all([np.isfinite(columns[name]) for name in inner], axis=0) if inner else True
        bad = np.flatnonzero(~np.broadcast_to(fine, np.shape(next(iter(columns.values())))) & known)
        if len(bad):
            held = ", ".join(f"column {name!r} holds {columns[name][bad[0]]:g}" for name in dict.fromkeys(inner))
            raise ValueError(f"{node.source}: {words}, but in row {bad[0]} {held}.")
