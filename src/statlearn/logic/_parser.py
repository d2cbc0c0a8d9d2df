"""Reader of Prolog-like text: an operator-precedence parser that reports line and column."""

import re

from ._errors import PrologSyntaxError
from ._terms import DOT, NIL, Atom, Clause, Compound, Constant, Program, Variable, literal_of, make_list

# name: (priority, type); the right argument of xfy and the left one of yfx may have the same priority
INFIX = {
    ":-": (1200, "xfx"), ";": (1100, "xfy"), "|": (1100, "xfy"), "->": (1050, "xfy"), ",": (1000, "xfy"),
    **dict.fromkeys(
        ("=", "\\=", "==", "\\==", "is", "<", ">", "=<", ">=", "=:=", "=\\=", "@<", "@>", "@=<", "@>=", "=..", "=@=",
         "\\=@=", "!=", "<="), (700, "xfx")
    ),
    ":": (200, "xfy"),
    **dict.fromkeys(("+", "-", "/\\", "\\/", "xor"), (500, "yfx")),
    **dict.fromkeys(("*", "/", "//", "mod", "rem", "div", "<<", ">>"), (400, "yfx")),
    "**": (200, "xfx"), "^": (200, "xfy"),
}  # fmt: skip
PREFIX = {":-": 1200, "?-": 1200, "dynamic": 1150, "#": 200, "\\+": 900, "not": 900, "-": 200, "+": 200, "\\": 200}

_TOKEN = re.compile(
    r"""
    (?P<space>\s+|%[^\n]*|/\*(?s:.*?)\*/)
  | (?P<number>\d+\.\d+(?:[eE][+-]?\d+)?|\d+(?:[eE][+-]?\d+)?(?!\w)|\d+|\d+\.\d+Inf)
  | (?P<variable>[A-Z_]\w*)
  | (?P<name>[^\W\d_]\w*)
  | '(?P<quoted>(?:[^'\\\n]|''|\\.)*)'
  | "(?P<string>(?:[^"\\\n]|""|\\.)*)"
  | (?P<end>\.(?=\s|%|$))
  | (?P<symbol>!=|[+\-*/\\^<>=~:.?@\#&$]+)
  | (?P<solo>[!,;|()\[\]{}])
    """,
    re.VERBOSE,
)
_SIMPLE = r"(?:[a-z]\w*|-?\d{1,17})"
_FACT = re.compile(rf"\s*([a-z]\w*)\((\s*{_SIMPLE}\s*(?:,\s*{_SIMPLE}\s*)*)\)\s*\.(?=\s|$)", re.ASCII)
_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", "'": "'", '"': '"', "`": "`", "a": "\a", "r": "\r", "0": "\0"}
_INTEGER_LIMIT = 2**60


def parse(text, *, need_end=True):
    """A program from Prolog-like text.

    Facts ``p(a, b).``, clauses ``h :- b1, not b2.``, goals ``:- b.`` or ``false :- b.``, lists ``[H|T]``, operators,
    quoted names and comments (``%`` and ``/* */``) are read as in Prolog.

    Parameters
    ----------
    text : str
    need_end : bool, default=True
        Whether the last clause must end with a full stop.

    Returns
    -------
    Program

    Raises
    ------
    PrologSyntaxError
        With line and column of the error.

    Examples
    --------
    >>> from statlearn.logic import parse
    >>> program = parse("member(X, [X|_]).  member(X, [_|T]) :- member(X, T).")
    >>> print(program)
    member(X, [X|_]).
    member(X, [_|T]) :- member(X, T).
    """
    reader = _TermReader(text)
    clauses = []
    while True:
        while (fact := simple_fact(text, reader.at)) is not None:
            atom, reader.at = fact
            clauses.append(Clause(atom))
        reader.advance()
        if reader.kind is None:
            break
        clauses.append(reader.clause(need_end))
    return Program(clauses)


def simple_fact(text, at):
    """(atom, end) of a fact without variables or compound terms that stands here, or None: the bulk of most texts."""
    fact = _FACT.match(text, at)
    if fact is None:
        return None
    return Atom(fact[1], [Constant(_simple(each.strip())) for each in fact[2].split(",")]), fact.end()


def _simple(word):
    return int(word) if word[-1].isdigit() and word.lstrip("-").isdigit() else word


def parse_clause(text):
    """One clause; its full stop may be missing."""
    clauses = parse(text, need_end=False).clauses
    if len(clauses) != 1:
        raise ValueError(f"Expected one clause, got {len(clauses)} in {text!r}.")
    return clauses[0]


def parse_term(text):
    """One term; a full stop behind it may be missing."""
    reader = _TermReader(text)
    reader.advance()
    try:
        term = reader.read(1200)
    except RecursionError:
        reader.fail("the term is nested too deeply", 0)
    if reader.kind == "end":
        reader.advance()
    if reader.kind is not None:
        reader.fail(f"unexpected {reader.token!r} behind the term")
    return term


class _TermReader:
    infix = INFIX

    def __init__(self, text):
        if not isinstance(text, str):
            raise TypeError(f"Expected a string, got {type(text).__name__}.")
        self.text = text
        self.at = 0  # behind the current token
        self.start = 0
        self.kind = self.token = None
        self.glued = False  # whether an opening parenthesis follows at once
        self.anonymous = 0
        self.names = set()

    def fail(self, message, at=None):
        at = self.start if at is None else at
        line = self.text.count("\n", 0, at) + 1
        begin = self.text.rfind("\n", 0, at) + 1
        stop = self.text.find("\n", begin)
        shown = self.text[begin : len(self.text) if stop < 0 else stop]
        raise PrologSyntaxError(message, line, at - begin + 1, shown if len(shown) <= 200 else "")

    def advance(self):
        """Move to the next token."""
        text = self.text
        while True:
            if self.at >= len(text):
                self.kind = self.token = None
                self.start = len(text)
                return
            match = _TOKEN.match(text, self.at)
            if match is None:
                self._refuse_character()
            self.start, self.at = self.at, match.end()
            if match.lastgroup != "space":
                break
        self.kind, self.token = match.lastgroup, match[match.lastgroup]
        if self.kind == "symbol" and self.token.startswith("/*"):
            self.fail("the comment is not closed")
        if self.kind in ("quoted", "string"):
            self.token = self._unquote(self.token)
        elif self.kind == "name" and self.token[0].isupper():
            self.kind = "variable"
        self.glued = self.at < len(text) and text[self.at] == "("

    def _refuse_character(self):
        char = self.text[self.at]
        if char in "'\"":
            self.fail("the quote is not closed on this line", self.at)
        self.fail(f"unexpected character {char!r}", self.at)

    def _unquote(self, body):
        body = body.replace("''", "'") if self.kind == "quoted" else body.replace('""', '"')

        def escape(match):
            if match[1] not in _ESCAPES:
                self.fail(f"unknown escape \\{match[1]}")
            return _ESCAPES[match[1]]

        return re.sub(r"\\(.)", escape, body) if "\\" in body else body

    def clause(self, need_end):
        self.anonymous, self.names = 0, set()
        begin = self.start
        try:
            term = self.read(1200)
        except RecursionError:
            self.fail("the clause is nested too deeply", begin)
        if self.kind != "end" and (need_end or self.kind is not None):
            what = "the end of the text" if self.kind is None else repr(self.token)
            self.fail(f"expected an operator or a full stop, found {what}")
        # The next token is read by `parse`, behind the full stop.
        try:
            return clause_of(term)
        except ValueError as error:
            self.fail(str(error), begin)

    def read(self, limit):
        """A term of at most this priority."""
        left, priority = self._primary(limit)
        return self._infix(left, priority, limit)

    def _infix(self, left, priority, limit):
        while True:
            name = self.token if self.kind in ("name", "symbol", "solo", "quoted") else None
            rule = self.infix.get(name) if self.kind != "quoted" else None
            if rule is None:
                return left
            own_priority, kind = rule
            left_most = own_priority if kind == "yfx" else own_priority - 1
            right_most = own_priority if kind == "xfy" else own_priority - 1
            if own_priority > limit or priority > left_most:
                return left
            at = self.start
            self.advance()
            if self.kind is None or self.kind == "end":
                self.fail(f"a term is missing behind {name!r}", at)
            if kind == "xfy" and own_priority >= 1000:  # long conjunctions need no recursion
                left = self._right_chain(left, name, own_priority)
                priority = own_priority
                continue
            right = self.read(right_most)
            left, priority = Compound("," if name == "," else ";" if name == "|" else name, (left, right)), own_priority

    def _right_chain(self, first, name, priority):
        parts, names = [first], ["" + (";" if name == "|" else name)]
        while True:
            parts.append(self.read(priority - 1))
            again = self.token if self.kind in ("solo", "symbol") else None
            if again in INFIX and INFIX[again] == (priority, "xfy"):
                names.append(";" if again == "|" else again)
                at = self.start
                self.advance()
                if self.kind is None or self.kind == "end":
                    self.fail(f"a term is missing behind {again!r}", at)
                continue
            term = parts.pop()
            while parts:
                term = Compound(names.pop(), (parts.pop(), term))
            return term

    def _primary(self, limit):
        kind, token, glued = self.kind, self.token, self.glued
        if kind is None:
            self.fail("unexpected end of the text")
        if kind == "end":
            self.fail("unexpected full stop")
        at = self.start
        self.advance()
        if kind == "number":
            return Constant(self._number(token, at)), 0
        if kind == "variable":
            if glued:
                self.fail("a variable cannot have arguments", at)
            return self._variable(token), 0
        if kind == "quoted" or kind == "string":
            return (self._arguments(token, at), 0) if glued and kind == "quoted" else (Constant(token), 0)
        if kind in ("name", "symbol"):
            if glued:
                return self._arguments(token, at), 0
            return self._operator_or_name(token, limit, at)
        if token == "(":
            inner = self.read(1200)
            self._expect(")", at)
            return inner, 0
        if token == "[":
            if self.kind == "solo" and self.token == "]":
                self.advance()
                return Constant(NIL), 0
            return self._list(at), 0
        if token in ("!", ";"):
            return (self._arguments(token, at), 0) if glued else (Constant(token), 0)
        if token == "{":
            inner = self.read(1200)
            self._expect("}", at)
            return Compound("{}", (inner,)), 0
        return self.fail(f"unexpected {token!r}", at)

    def _number(self, token, at):
        if token.isdigit():
            value = int(token)
            if value >= _INTEGER_LIMIT:
                self.fail(f"integers must be below 2**60, got {token}", at)
            return value
        return float(token.replace("Inf", "e999"))

    def _variable(self, token):
        if token != "_":
            self.names.add(token)
            return Variable(token)
        self.anonymous += 1
        while f"_{self.anonymous}" in self.names:
            self.anonymous += 1
        return Variable(f"_{self.anonymous}")

    def _operator_or_name(self, token, limit, at):
        priority = PREFIX.get(token)
        starts = self.kind not in (None, "end") and not (self.kind == "solo" and self.token in ")]},|;")
        if priority is not None and starts:
            if token in ("-", "+") and self.kind == "number" and self.start == at + 1:
                number = self._number(self.token, self.start)
                self.advance()
                return Constant(-number if token == "-" else number), 0
            infix = self.token if self.kind in ("name", "symbol", "solo") else None
            if not (infix in INFIX and not self.glued and infix not in PREFIX and self.token != "("):
                priority = min(priority, limit)
                return Compound(token, (self.read(priority if token != ":-" else priority - 1),)), priority
        if token in INFIX and INFIX[token][0] > limit:
            self.fail(f"unexpected operator {token!r}", at)
        return Constant(token), 0

    def _arguments(self, name, at):
        opening = self.start
        self.advance()  # over the parenthesis
        if self.kind == "solo" and self.token == ")":
            self.fail(f"{name} has empty parentheses; write {name} without them", at)
        args = [self.read(999)]
        while self.kind == "solo" and self.token == ",":
            self.advance()
            args.append(self.read(999))
        self._expect(")", opening)
        if len(args) > 255:
            self.fail(f"{name} has {len(args)} arguments; the maximum is 255", at)
        return Compound(name, args)

    def _list(self, opening):
        items = [self.read(999)]
        while self.kind == "solo" and self.token == ",":
            self.advance()
            items.append(self.read(999))
        tail = None
        if self.kind == "solo" and self.token == "|":
            self.advance()
            tail = self.read(999)
        self._expect("]", opening)
        return make_list(items, tail)

    def _expect(self, token, opening):
        if self.kind == "solo" and self.token == token:
            self.advance()
            return
        got = "the end of the text" if self.kind is None else "a full stop" if self.kind == "end" else repr(self.token)
        line = self.text.count("\n", 0, opening) + 1
        column = opening - self.text.rfind("\n", 0, opening)
        self.fail(f"expected {token!r} (opened at line {line}, column {column}), found {got}")


def clause_of(term):
    """The clause that a term reads as."""
    if type(term) is Compound and term.functor == ":-":
        if len(term.args) == 1:
            return Clause(None, body_literals(term.args[0]))
        if type(term.args[0]) is Constant and term.args[0].name == "false":
            return Clause(None, body_literals(term.args[1]))  # the two ways to write a goal clause
        return Clause(_head(term.args[0]), body_literals(term.args[1]))
    if type(term) is Compound and term.functor == "?-":
        return Clause(None, body_literals(term.args[0]))
    return Clause(_head(term))


def _head(term):
    if type(term) is Variable or (type(term) is Constant and not isinstance(term.name, str)):
        raise ValueError(f"the head of a clause must be an atom, found {term}")
    if type(term) is Compound and (term.functor in (",", ";", "->", "not", "\\+", DOT) or term.functor in INFIX):
        raise ValueError(f"the head of a clause must be a single atom, found {term}")
    return Atom.from_term(term)


def body_literals(term):
    """The literals of a conjunction; ``true`` is left out."""
    literals, open_ = [], [term]
    while open_:
        each = open_.pop()
        if type(each) is Compound and each.functor == "," and len(each.args) == 2:
            open_ += [each.args[1], each.args[0]]
        elif not (type(each) is Constant and each.name == "true"):
            if type(each) is Constant and not isinstance(each.name, str):
                raise ValueError(f"a goal must be an atom, found {each}")
            literals.append(literal_of(each))
    return literals


__all__ = ["DOT", "INFIX", "PREFIX", "parse", "parse_clause", "parse_term"]
