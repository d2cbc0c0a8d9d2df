"""Parser of R-style formulas: ``log(y) ~ a * b + I(x^2) + `my column` - 1``.

A text becomes a tree (:func:`parse`), and the right-hand side of a formula a list of terms (:func:`expand`). Nothing is
ever executed: the grammar has names, numbers, strings, R's operators and calls, and every caller defines which
functions exist.
"""

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

# The tree ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Node:
    """A part of a formula; `source` is the part of the text that it was read from."""

    source: str = field(default="", kw_only=True, compare=False)

    @property
    def parts(self):
        return ()


@dataclass(frozen=True)
class Name(Node):
    name: str


@dataclass(frozen=True)
class Constant(Node):
    """A number, a string, TRUE, FALSE or NULL."""

    value: object


@dataclass(frozen=True)
class Sequence(Node):
    """Values in brackets, ``(5, 8)`` or ``[5, 8]``; R writes ``c(5, 8)``."""

    items: tuple

    @property
    def parts(self):
        return self.items


@dataclass(frozen=True)
class Call(Node):
    """A call of `function`; `named` contains pairs of keyword and argument."""

    function: str
    arguments: tuple
    named: tuple = ()

    @property
    def parts(self):
        return (*self.arguments, *(value for _, value in self.named))


@dataclass(frozen=True)
class Unary(Node):
    sign: str
    operand: Node

    @property
    def parts(self):
        return (self.operand,)


@dataclass(frozen=True)
class Binary(Node):
    sign: str
    left: Node
    right: Node

    @property
    def parts(self):
        return (self.left, self.right)


@dataclass(frozen=True)
class Brackets(Node):
    """``( ... )`` around a part."""

    inner: Node

    @property
    def parts(self):
        return (self.inner,)


def bare(node):
    """The node without brackets around it."""
    while isinstance(node, Brackets):
        node = node.inner
    return node


def plain_value(node, *, names=False):
    """Value of numbers, strings, TRUE, FALSE and NULL, and of sequences of them; a ValueError otherwise.

    With `names`, a name stands for itself.
    """
    node = bare(node)
    if isinstance(node, Constant):
        return node.value
    if names and isinstance(node, Name):
        return node.name
    if isinstance(node, Unary) and isinstance(node.operand, Constant) and type(node.operand.value) in (int, float):
        return -node.operand.value if node.sign == "-" else node.operand.value
    if isinstance(node, Sequence) or (isinstance(node, Call) and node.function == "c" and not node.named):
        return tuple(plain_value(each, names=names) for each in node.parts)
    raise ValueError(f"{node.source!r} is not a constant")


# Reading -------------------------------------------------------------------------------------------------------------

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<quoted>`[^`]+`)
    | (?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?L?(?![\w.]))
    | (?P<name>(?:[^\W\d]|\.(?!\d))[\w.]*)
    | (?P<string>"[^"]*"|'[^']*')
    | (?P<sign>%[^%\s]*%|\*\*|==|!=|<=|>=|&&|\|\||[-+*/^:~<>=!&|(),\[\]])
    )""",
    re.VERBOSE,
)
_CONSTANTS = {"TRUE": True, "True": True, "FALSE": False, "False": False, "NULL": None, "None": None}
_RESERVED = {"if", "else", "for", "while", "repeat", "function", "lambda", "in", "next", "break", "NA", "NaN", "Inf"}
# How tightly R's operators bind; a power binds to the right, all others to the left.
_BINDING = {
    "|": 1, "||": 1, "&": 2, "&&": 2,
    "==": 4, "!=": 4, "<": 4, "<=": 4, ">": 4, ">=": 4,
    "+": 5, "-": 5, "*": 6, "/": 6, ":": 8, "^": 10,
}  # fmt: skip
_NOT, _SPECIAL, _SIGN = 3, 7, 9


class _Reader:
    def __init__(self, text):
        self.text = text
        self.tokens = []
        at = 0
        while text[at:].strip():
            found = _TOKEN.match(text, at)
            if found is None:
                raise SyntaxError(f"unexpected {text[at:].split()[0][:12]!r}")
            kind = found.lastgroup
            self.tokens.append((kind, found[kind], found.start(kind), found.end(kind)))
            at = found.end()
        self.place = 0

    def peek(self):
        return self.tokens[self.place] if self.place < len(self.tokens) else ("end", "", len(self.text), len(self.text))

    def sign(self):
        """The operator that comes next, with ** as ^, or None."""
        kind, text, _, _ = self.peek()
        return ("^" if text == "**" else text) if kind == "sign" else None

    def take(self):
        token = self.peek()
        self.place += 1
        return token

    def expect(self, sign):
        if self.sign() != sign:
            raise SyntaxError(f"expected {sign!r}, got {self.peek()[1] or 'the end'!r}")
        self.take()

    def since(self, start):
        return self.text[start : self.tokens[self.place - 1][3]]

    def expression(self, least=0):
        start = self.peek()[2]
        node = self.prefix()
        while True:
            sign = self.sign()
            binding = _SPECIAL if sign is not None and sign.startswith("%") else _BINDING.get(sign, -1)
            if binding < max(least, 1):
                return node
            self.take()
            right = self.expression(binding if sign == "^" else binding + 1)
            node = Binary(sign, node, right, source=self.since(start))

    def prefix(self):
        start = self.peek()[2]
        sign = self.sign()
        if sign in ("-", "+", "!"):
            self.take()
            operand = self.expression(_NOT if sign == "!" else _SIGN)
            return Unary(sign, operand, source=self.since(start))
        return self.atom()

    def atom(self):
        kind, text, start, _ = self.take()
        if kind == "quoted":
            return Name(text[1:-1], source=text)
        if kind == "number":
            digits = text.rstrip("L")
            return Constant(int(digits) if digits.isdigit() else float(digits), source=text)
        if kind == "string":
            return Constant(text[1:-1], source=text)
        if kind == "name":
            if text in _CONSTANTS:
                return Constant(_CONSTANTS[text], source=text)
            if text in _RESERVED:
                raise SyntaxError(f"unexpected {text!r}")
            if self.sign() == "(":
                return self.call(text, start)
            return Name(text, source=text)
        if text in ("(", "["):
            closing = ")" if text == "(" else "]"
            items, comma = self.items(closing)
            if text == "(" and len(items) == 1 and not comma:
                return Brackets(items[0], source=self.since(start))
            return Sequence(tuple(items), source=self.since(start))
        raise SyntaxError(f"unexpected {text or 'end'!r}")

    def items(self, closing):
        items, comma = [], False
        while self.sign() != closing:
            items.append(self.expression())
            if self.sign() != ",":
                break
            self.take()
            comma = True
        self.expect(closing)
        return items, comma

    def call(self, function, start):
        self.expect("(")
        arguments, named = [], []
        while self.sign() != ")":
            kind, word, _, _ = self.peek()
            after = self.tokens[self.place + 1][1] if self.place + 1 < len(self.tokens) else ""
            if kind in ("name", "quoted") and after == "=":
                self.take(), self.take()
                named.append((word.strip("`"), self.expression()))
            elif named:
                raise SyntaxError(f"a positional argument follows {named[-1][0]}=")
            else:
                arguments.append(self.expression())
            if self.sign() != ",":
                break
            self.take()
        self.expect(")")
        return Call(function, tuple(arguments), tuple(named), source=self.since(start))


def parse(text):
    """The tree of an expression.

    Raises
    ------
    SyntaxError
        If the text is not valid; `msg` says where parsing stopped.

    Examples
    --------
    >>> from statlearn._core.formulas import parse, written
    >>> written(parse("a+I( x**2 )*`my col`"))
    'a + I(x^2) * `my col`'
    """
    reader = _Reader(text)
    node = reader.expression()
    if reader.peek()[0] != "end":
        raise SyntaxError(f"unexpected {reader.peek()[1]!r}")
    return node


def parse_sides(text):
    """The trees to the left (None if there is none) and right of the tilde."""
    reader = _Reader(text)
    left = None if reader.sign() == "~" else reader.expression()
    if reader.peek()[0] == "end":
        return None, left
    if reader.sign() != "~":
        raise SyntaxError(f"unexpected {reader.peek()[1]!r}")
    reader.take()
    right = reader.expression()
    if reader.peek()[0] != "end":
        raise SyntaxError(f"unexpected {reader.peek()[1]!r}")
    return left, right


_SYNTACTIC = re.compile(r"(?:[^\W\d]|\.(?!\d))[\w.]*")


def quoted(name):
    """Name of a column as written in a formula, in backticks if necessary."""
    plain = _SYNTACTIC.fullmatch(name) and name not in _RESERVED and name not in _CONSTANTS and name != "."
    return name if plain else f"`{name}`"


_TIGHT = ("^", ":", "/", "%%", "%/%")  # the operators that R prints without blanks around them


def written(node):
    """A tree as R prints it: ``I(x^2)``, ``bs(x, df = 4)``."""
    if isinstance(node, Name):
        return quoted(node.name)
    if isinstance(node, Constant):
        return _constant_text(node.value)
    if isinstance(node, Sequence):
        return f"c({', '.join(map(written, node.items))})"
    if isinstance(node, Call):
        named = [f"{word} = {written(value)}" for word, value in node.named]
        return f"{node.function}({', '.join([*map(written, node.arguments), *named])})"
    if isinstance(node, Unary):
        return node.sign + written(node.operand)
    if isinstance(node, Brackets):
        return f"({written(node.inner)})"
    blank = "" if node.sign in _TIGHT else " "
    return f"{written(node.left)}{blank}{node.sign}{blank}{written(node.right)}"


def _constant_text(value):
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, str):
        return f"'{value}'" if '"' in value else f'"{value}"'
    return repr(value)


# Terms ---------------------------------------------------------------------------------------------------------------


@dataclass
class Terms:
    """Right-hand side of a formula with all terms expanded.

    Attributes
    ----------
    intercept : bool
    variables : dict of str to Node
        Columns and functions of columns in the terms by their text, in the order of the formula.
    terms : list of frozenset of str
        Variables of each term in R's order: main effects first, then products of two, and so on.
    offsets : list of Node
        The arguments of ``offset(...)``.
    """

    intercept: bool
    variables: dict
    terms: list
    offsets: list

    def ordered(self, term):
        """The variables of a term in the order of the formula."""
        return [key for key in self.variables if key in term]

    @property
    def used(self):
        """The variables that a term contains, in the order of the formula."""
        return {key: node for key, node in self.variables.items() if any(key in term for term in self.terms)}

    def text(self):
        """An equivalent formula with every term written out."""
        pieces = ["1" if self.intercept else "0"]
        pieces += [":".join(self.ordered(term)) for term in self.terms]
        pieces += [f"offset({written(node)})" for node in self.offsets]
        return " + ".join(pieces)


def expand(node, columns=(), *, variables=()):
    """Expand the right-hand side of a formula by R's rules.

    Parameters
    ----------
    node : Node
    columns : sequence of str, default=()
        Columns that "." stands for.
    variables : sequence of str, default=()
        Texts of variables whose order is given; others follow in the order of the formula.

    Returns
    -------
    Terms

    Examples
    --------
    >>> from statlearn._core.formulas import expand, parse
    >>> expand(parse("(a + b)^2 + c %in% a - 1")).text()
    '0 + a + b + a:b + a:c'
    """
    algebra = _Algebra(columns, variables)
    terms = algebra.terms(node)
    terms.sort(key=len)
    return Terms(algebra.intercept, algebra.variables, terms, algebra.offsets)


class _Algebra:
    """The operators of formulas on lists of terms; a term is a set of variables."""

    def __init__(self, columns, variables):
        self.columns = columns
        self.intercept = True
        self.variables = {text: parse(text) for text in variables}
        self.offsets = []

    def terms(self, node):
        return _distinct(self._terms(node))

    def _terms(self, node):
        node = bare(node)
        if isinstance(node, Constant):
            return self._constant(node, adds=True)
        if isinstance(node, Name) and node.name == ".":
            return [self._variable(Name(name)) for name in self.columns]
        if isinstance(node, Name):
            return [self._variable(node)]
        if isinstance(node, Call):
            if node.function != "offset":
                return [self._variable(node)]
            if len(node.arguments) != 1 or node.named:
                raise ValueError(f"{written(node)!r} requires exactly one argument")
            self.offsets.append(node.arguments[0])
            return []
        if isinstance(node, Unary) and node.sign in "+-":
            return self.terms(node.operand) if node.sign == "+" else self._without([], node.operand)
        if isinstance(node, Binary):
            return self._product(node)
        raise ValueError(f"{node.source!r} is not a term; put arithmetic and comparisons of columns inside I(...)")

    def _product(self, node):
        if node.sign == "-":
            return self._without(self.terms(node.left), node.right)
        if node.sign == "^":
            power = bare(node.right)
            if not isinstance(power, Constant) or type(power.value) is not int or power.value < 1:
                raise ValueError(
                    f"{node.source!r}: the power of terms must be a positive integer; use I(...) for powers of columns"
                )
            base = made = self.terms(node.left)
            for _ in range(power.value - 1):
                made = _distinct([*made, *_crossed(made, base)])
            return made
        if node.sign not in ("+", "*", ":", "/", "%in%"):
            raise ValueError(f"the operator {node.sign!r} in {node.source!r} is only allowed inside I(...)")
        left, right = self.terms(node.left), self.terms(node.right)
        if node.sign == "+":
            return [*left, *right]
        if node.sign == ":":
            return _crossed(left, right)
        if node.sign == "*":
            return [*left, *right, *_crossed(left, right)]
        if node.sign == "%in%":
            return _crossed(left, [frozenset().union(*right)])
        return [*left, *_crossed([frozenset().union(*left)], right)]

    def _constant(self, node, *, adds):
        if node.value not in (0, 1) or type(node.value) is not int:
            raise ValueError(f"{node.source!r} is not a term; use 1 or 0 to include or remove the intercept")
        self.intercept = bool(node.value) == adds
        return []

    def _without(self, terms, node):
        if isinstance(bare(node), Constant):
            self._constant(bare(node), adds=False)
            return terms
        kept = self.intercept, len(self.offsets)
        dropped = set(self.terms(node))
        self.intercept = kept[0]
        del self.offsets[kept[1] :]
        return [term for term in terms if term not in dropped]

    def _variable(self, node):
        text = written(node)
        self.variables.setdefault(text, node)
        return frozenset([text])


def _crossed(left, right):
    return [a | b for a in left for b in right]


def _distinct(terms):
    return list(dict.fromkeys(terms))


def codings(terms, factors):
    """For every term, the factors coded by all their levels; the others are coded by contrasts.

    R's rule (Chambers and Hastie 1992, page 38): a factor is coded by contrasts if an earlier term contains the rest of
    its term, and by all levels otherwise. Without an intercept the first factor of the formula has all levels.

    Parameters
    ----------
    terms : Terms
    factors : set of str
        Variables that have levels.

    Returns
    -------
    list of set of str
    """
    full = []
    for k, term in enumerate(terms.terms):
        rests = {key: term - {key} for key in term & factors}
        full.append({key for key, rest in rests.items() if rest and not any(rest <= t for t in terms.terms[:k])})
    if not terms.intercept:
        for k, term in enumerate(terms.terms):
            first = next((key for key in terms.ordered(term) if key in factors), None)
            if first is not None:
                full[k].add(first)
                break
    return full


# Arithmetic ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Function:
    """Function of one column: its computation, its domain, and the domain in words."""

    compute: Callable
    inside: Callable | None = None
    words: str = ""


def _above(least):
    return lambda x: x > least


FUNCTIONS = {
    "log": Function(np.log, _above(0), "needs values above 0"),
    "log2": Function(np.log2, _above(0), "needs values above 0"),
    "log10": Function(np.log10, _above(0), "needs values above 0"),
    "log1p": Function(np.log1p, _above(-1), "needs values above -1"),
    "exp": Function(np.exp),
    "expm1": Function(np.expm1),
    "sqrt": Function(np.sqrt, lambda x: x >= 0, "needs values of at least 0"),
    "abs": Function(np.abs),
    "sin": Function(np.sin),
    "cos": Function(np.cos),
    "I": Function(np.asarray),
}
OPERATORS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "^": operator.pow,
}
SIGNS = {"-": operator.neg, "+": operator.pos}


def function_name(call):
    """Name in `FUNCTIONS` of the called function, including ``np.log``; None for others."""
    name = call.function.removeprefix("np.").removeprefix("numpy.")
    return name if name in FUNCTIONS else None
