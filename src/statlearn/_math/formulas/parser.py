"""Parser of R-style formulas: ``log(y) ~ a * b + I(x^2) + `my column` - 1``.

Nothing is ever executed: the grammar has names, numbers, strings, R's operators and calls, and every caller defines
which functions exist. A formula may come from a file or a web page, so its size, depth and expansion are limited.
"""

import math
import re

from .limits import MAX_DEPTH, MAX_DIGITS, MAX_LENGTH, MAX_NAME, MAX_TOKENS, over
from .tree import Binary, Brackets, Call, Constant, Name, Sequence, Unary, left_operands

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


class _FormulaParser:
    def __init__(self, text):
        if len(text) > MAX_LENGTH:
            raise SyntaxError(f"{len(text):,} characters exceed {over('MAX_LENGTH')}")
        self.text = text
        self.tokens = []
        self.depth = 0
        at = 0
        while _BLANK.match(text, at).end() < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                raise SyntaxError(f"unexpected {text[_BLANK.match(text, at).end() :][:12].split()[0]!r}")
            kind = match.lastgroup
            self.tokens.append((kind, match[kind], match.start(kind), match.end(kind)))
            at = match.end()
            if len(self.tokens) > MAX_TOKENS:
                raise SyntaxError(f"its names, numbers and operators exceed {over('MAX_TOKENS')}")
            if kind in ("name", "quoted", "string") and len(match[kind]) > MAX_NAME:
                raise SyntaxError(f"a name or string of {len(match[kind]):,} characters exceeds {over('MAX_NAME')}")
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
    >>> from statlearn._math.formulas.parser import parse, written
    >>> written(parse("a+I( x**2 )*`my col`"))
    'a + I(x^2) * `my col`'
    """
    reader = _FormulaParser(text)
    node = reader.expression()
    if reader.peek()[0] != "end":
        raise SyntaxError(f"unexpected {reader.peek()[1]!r}")
    return node


def parse_sides(text):
    """The trees to the left (None if there is none) and right of the tilde."""
    reader = _FormulaParser(text)
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
