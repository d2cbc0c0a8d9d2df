"""Parser of R-style formulas: ``log(y) ~ a * b + I(x^2) + `my column` - 1``.

A text becomes a tree (:func:`parse`), and the right-hand side of a formula a list of terms (:func:`expand`). Nothing is
ever executed: the grammar has names, numbers, strings, R's operators and calls, and every caller defines which
functions exist. A formula may come from a file or a web page, so its size, depth and expansion are limited.
"""

import math
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

# Limits: errors name them, and a formula within them is read and expanded in about a second --------------------------

MAX_LENGTH = 1_000_000  # characters of a formula
MAX_TOKENS = 100_000  # names, numbers and operators of a formula
MAX_NAME = 10_000  # characters of a name or a string
MAX_DIGITS = 100  # digits of a number
MAX_DEPTH = 100  # expressions within each other: brackets, arguments, signs and right operands
MAX_OPERATIONS = 1_000  # operators and calls within one variable, such as I(a + b + c)
MAX_POWER = 100  # of a sum of terms: (a + b)^2
MAX_ORDER = 30  # variables in one term: a:b:c
MAX_TERMS = 10_000
MAX_PRODUCTS = 300_000  # products of terms in the course of the expansion
MAX_COLUMNS = 100_000  # columns of a design
MAX_BASIS = 1_000  # columns or knots of one polynomial or spline
MAX_DEGREE = 30  # of a spline
MAX_TENSOR = 2_500  # functions of one tensor product


def shortened(text, limit=200):
    """The text in quotation marks, abbreviated if it is long."""
    return repr(text) if len(text) <= limit else f"{text[:limit]!r}... ({len(text):,} characters)"


def over(limit):
    """The value of a limit and its name, as the errors about it end: ``the limit of 10,000 (MAX_TERMS)``."""
    return f"the limit of {globals()[limit]:,} ({limit})"


# The tree ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Node:
    """A part of a formula; `span` is the text that it was read from, and its start and end there."""

    span: tuple = field(default=("", 0, 0), kw_only=True, compare=False, repr=False)

    @property
    def source(self):
        """The part of the text that this node was read from."""
        text, start, end = self.span
        return text[start:end]

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


def left_operands(node):
    """The innermost left operand of a chain of operators, and its binary nodes from there to `node`.

    A sum of n terms is a tree of depth n; what walks a tree follows such chains in a loop and recurses into right
    operands only, whose depth is limited.
    """
    chain = []
    while isinstance(node, Binary):
        chain.append(node)
        node = node.left
    return node, chain[::-1]


def walk(node):
    """The node and everything below it."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(node.parts)


def plain_value(node, *, names=False):
    """Value of numbers, strings, TRUE, FALSE and NULL, and of sequences of them; a ValueError otherwise.

    With `names`, a name stands for itself.
    """
    node = bare(node)
    if isinstance(node, Constant):
        return node.value
    if names and isinstance(node, Name):
        return node.name
    if (
        isinstance(node, Unary)
        and node.sign in "+-"
        and isinstance(node.operand, Constant)
        and type(node.operand.value) in (int, float)
    ):
        return -node.operand.value if node.sign == "-" else node.operand.value
    if isinstance(node, Sequence) or (isinstance(node, Call) and node.function == "c" and not node.named):
        return tuple(plain_value(each, names=names) for each in node.parts)
    raise ValueError(f"{shortened(node.source)} is not a constant")


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


_BLANK = re.compile(r"\s*")


class _Reader:
    def __init__(self, text):
        if len(text) > MAX_LENGTH:
            raise SyntaxError(f"{len(text):,} characters exceed {over('MAX_LENGTH')}")
        self.text = text
        self.tokens = []
        self.depth = 0
        at = 0
        while _BLANK.match(text, at).end() < len(text):
            found = _TOKEN.match(text, at)
            if found is None:
                raise SyntaxError(f"unexpected {text[_BLANK.match(text, at).end() :][:12].split()[0]!r}")
            kind = found.lastgroup
            self.tokens.append((kind, found[kind], found.start(kind), found.end(kind)))
            at = found.end()
            if len(self.tokens) > MAX_TOKENS:
                raise SyntaxError(f"its names, numbers and operators exceed {over('MAX_TOKENS')}")
            if kind in ("name", "quoted", "string") and len(found[kind]) > MAX_NAME:
                raise SyntaxError(f"a name or string of {len(found[kind]):,} characters exceeds {over('MAX_NAME')}")
        self.place = 0

    def peek(self):
        return self.tokens[self.place] if self.place < len(self.tokens) else ("end", "", len(self.text), len(self.text))

    def sign(self):
        """The next operator, with ** as ^, or None."""
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
        return self.text, start, self.tokens[self.place - 1][3]

    def expression(self, least=0):
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise SyntaxError(f"the nesting of brackets, calls and operators exceeds {over('MAX_DEPTH')}")
        node = self.chain(least)
        self.depth -= 1
        return node

    def chain(self, least):
        start = self.peek()[2]
        node = self.prefix()
        while True:
            sign = self.sign()
            binding = _SPECIAL if sign is not None and sign.startswith("%") else _BINDING.get(sign, -1)
            if binding < max(least, 1):
                return node
            self.take()
            right = self.expression(binding if sign == "^" else binding + 1)
            node = Binary(sign, node, right, span=self.since(start))

    def prefix(self):
        start = self.peek()[2]
        sign = self.sign()
        if sign in ("-", "+", "!"):
            self.take()
            operand = self.expression(_NOT if sign == "!" else _SIGN)
            return Unary(sign, operand, span=self.since(start))
        return self.atom()

    def atom(self):
        kind, text, start, end = self.take()
        span = self.text, start, end
        if kind == "quoted":
            return Name(text[1:-1], span=span)
        if kind == "number":
            return Constant(_number(text.rstrip("L")), span=span)
        if kind == "string":
            return Constant(text[1:-1], span=span)
        if kind == "name":
            if text in _CONSTANTS:
                return Constant(_CONSTANTS[text], span=span)
            if text in _RESERVED:
                raise SyntaxError(f"unexpected {text!r}")
            if self.sign() == "(":
                return self.call(text, start)
            return Name(text, span=span)
        if text in ("(", "["):
            closing = ")" if text == "(" else "]"
            items, comma = self.items(closing)
            if text == "(" and len(items) == 1 and not comma:
                return Brackets(items[0], span=self.since(start))
            return Sequence(tuple(items), span=self.since(start))
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
        return Call(function, tuple(arguments), tuple(named), span=self.since(start))


def _number(digits):
    if len(digits) > MAX_DIGITS:
        raise SyntaxError(f"a number of {len(digits):,} digits exceeds {over('MAX_DIGITS')}")
    value = float(digits)
    if math.isinf(value):
        raise SyntaxError(f"the number {digits} exceeds the largest floating-point number, 1.8e308")
    return int(digits) if digits.isdigit() else value


def parse(text):
    """The tree of an expression.

    Raises
    ------
    SyntaxError
        If the text is not valid; `msg` says where parsing stopped.

    Examples
    --------
    >>> from statlearn._math.formulas.formula import parse, written
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
    first, chain = left_operands(node)
    pieces = [written(first)]
    for step in chain:
        blank = "" if step.sign in _TIGHT else " "
        pieces.append(f"{blank}{step.sign}{blank}{written(step.right)}")
    return "".join(pieces)


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
        return next(self.all_ordered([term]))

    def all_ordered(self, terms=None):
        """The variables of every term, in the order of the formula."""
        place = {key: k for k, key in enumerate(self.variables)}
        return (sorted(term, key=place.__getitem__) for term in (self.terms if terms is None else terms))

    @property
    def used(self):
        """The variables that a term contains, in the order of the formula."""
        keys = set().union(*self.terms)
        return {key: node for key, node in self.variables.items() if key in keys}

    def text(self):
        """An equivalent formula with every term written out."""
        pieces = ["1" if self.intercept else "0"]
        pieces += map(":".join, self.all_ordered())
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
    >>> from statlearn._math.formulas.formula import expand, parse
    >>> expand(parse("(a + b)^2 + c %in% a - 1")).text()
    '0 + a + b + a:b + a:c'
    """
    algebra = _Algebra(columns, variables)
    terms = sorted(algebra.terms(node), key=len)
    return Terms(algebra.intercept, algebra.variables, terms, algebra.offsets)


class _Algebra:
    """The operators of formulas on sets of terms, which are dicts because order matters; a term is a set of variables.

    Every set that a method returns is the caller's own, to be changed in place.
    """

    def __init__(self, columns, variables):
        self.columns = columns
        self.intercept = True
        self.variables = {text: parse(text) for text in variables}
        self.offsets = []
        self.products = 0

    def terms(self, node):
        node = bare(node)
        if isinstance(node, Constant):
            return self._constant(node, adds=True)
        if isinstance(node, Name) and node.name == ".":
            self._count(len(self.columns))
            return self._limited(dict.fromkeys(self._variable(Name(name)) for name in self.columns))
        if isinstance(node, Name):
            return dict.fromkeys([self._variable(node)])
        if isinstance(node, Call):
            if node.function != "offset":
                return dict.fromkeys([self._variable(node)])
            if len(node.arguments) != 1 or node.named:
                raise ValueError(f"{shortened(written(node))} requires exactly one argument")
            limit_operations(node)
            self.offsets.append(node.arguments[0])
            return {}
        if isinstance(node, Unary) and node.sign in "+-":
            return self.terms(node.operand) if node.sign == "+" else self._without({}, node.operand)
        if isinstance(node, Binary):
            first, chain = left_operands(node)
            terms = self.terms(first)
            for step in chain:
                terms = self._limited(self._combined(step, terms))
            return terms
        raise ValueError(
            f"{shortened(node.source)} is not a term; put arithmetic and comparisons of columns inside I(...)"
        )

    def _combined(self, node, left):
        """The terms of a binary node, from those of its left operand."""
        if node.sign == "-":
            return self._without(left, node.right)
        if node.sign == "^":
            return self._power(node, left)
        if node.sign not in ("+", "*", ":", "/", "%in%"):
            raise ValueError(
                f"the operator {shortened(node.sign)} in {shortened(node.source)} is only allowed inside I(...)"
            )
        right = self.terms(node.right)
        if node.sign == "+":
            self._count(len(right))
            left.update(right)
            return left
        if node.sign == ":":
            return self._crossed(left, right)
        if node.sign == "*":
            return {**left, **right, **self._crossed(left, right)}
        if node.sign == "%in%":
            return self._crossed(left, [frozenset().union(*right)])
        return {**left, **self._crossed([frozenset().union(*left)], right)}

    def _power(self, node, base):
        power = bare(node.right)
        if not isinstance(power, Constant) or type(power.value) is not int or power.value < 1:
            raise ValueError(
                f"{shortened(node.source)}: the power of terms must be a positive integer; use I(...) for powers of "
                "columns"
            )
        if power.value > MAX_POWER:
            raise ValueError(
                f"{shortened(node.source)}: the power exceeds {over('MAX_POWER')}; use I(...) for powers of columns"
            )
        terms = dict(base)
        for _ in range(power.value - 1):
            before = len(terms)
            terms.update(self._crossed(terms, base))
            if len(self._limited(terms)) == before:  # all products are there
                break
        return terms

    def _crossed(self, left, right):
        self._count(len(left) * len(right))
        terms = {}
        for a in left:
            for b in right:
                term = a | b
                if len(term) > MAX_ORDER:
                    raise ValueError(f"the number of variables in one term exceeds {over('MAX_ORDER')}")
                terms[term] = None
            self._limited(terms)
        return terms

    def _count(self, products):
        self.products += products
        if self.products > MAX_PRODUCTS:
            raise ValueError(f"the number of products of terms exceeds {over('MAX_PRODUCTS')}")

    def _limited(self, terms):
        if len(terms) > MAX_TERMS:
            raise ValueError(f"the number of terms exceeds {over('MAX_TERMS')}")
        return terms

    def _constant(self, node, *, adds):
        if node.value not in (0, 1) or type(node.value) is not int:
            raise ValueError(f"{shortened(node.source)} is not a term; use 1 or 0 to include or remove the intercept")
        self.intercept = bool(node.value) == adds
        return {}

    def _without(self, terms, node):
        if isinstance(bare(node), Constant):
            self._constant(bare(node), adds=False)
            return terms
        intercept, n_offsets = self.intercept, len(self.offsets)
        dropped = self.terms(node)
        self.intercept = intercept
        del self.offsets[n_offsets:]
        for term in dropped:
            terms.pop(term, None)
        return terms

    def _variable(self, node):
        if isinstance(node, Call):
            limit_operations(node)
        text = written(node)
        self.variables.setdefault(text, node)
        return frozenset([text])


def limit_operations(node):
    """Raise an error for a variable with more than `MAX_OPERATIONS` operators and calls."""
    count = sum(isinstance(each, (Call, Unary, Binary)) for each in walk(node))
    if count > MAX_OPERATIONS:
        raise ValueError(
            f"{shortened(node.source)} contains {count:,} operators and calls, which exceeds {over('MAX_OPERATIONS')}"
        )


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
    full, containing = [], {}  # earlier terms that contain a variable
    for term in terms.terms:
        rests = {key: term - {key} for key in term & factors}
        full.append({key for key, rest in rests.items() if rest and not _is_contained(rest, containing)})
        for key in term:
            containing.setdefault(key, []).append(term)
    if not terms.intercept:
        for k, ordered in enumerate(terms.all_ordered()):
            first = next((key for key in ordered if key in factors), None)
            if first is not None:
                full[k].add(first)
                break
    return full


def _is_contained(rest, containing):
    """Whether one of the earlier terms, each given by its variables, contains all variables in `rest`."""
    return any(rest <= term for term in min((containing.get(key, ()) for key in rest), key=len))


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
