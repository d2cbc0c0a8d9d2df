"""Reader of answer-set programs: normal rules, choice rules, cardinality constraints, optimisation."""

from dataclasses import dataclass, field

from ._intervals import INTERVAL, without_intervals
from ._parser import INFIX, _TermReader, simple_fact
from ._terms import Atom, Compound, Constant, Program, literal_of


@dataclass
class Rule:
    """``low { heads } high :- body``; a plain rule has one head and `choice` False, a constraint no head."""

    heads: list = field(default_factory=list)  # (Atom, condition literals)
    body: list = field(default_factory=list)  # Literal, or Cardinality
    choice: bool = False
    low: int | None = None
    high: int | None = None
    text: str = ""


@dataclass
class Cardinality:
    """``low { literals } high`` in a body."""

    elements: list
    low: int | None
    high: int | None
    negated: bool = False


@dataclass
class Minimize:
    """Weighted tuples whose conditions are to be false: (weight, priority, terms, literals)."""

    elements: list


def read_asp(program):
    """Rules and minimise statements of a text or a program of clauses."""
    if isinstance(program, str):
        statements = _AspReader(program).statements()
        if INTERVAL in program:
            statements = [without_intervals(each) if isinstance(each, Rule) else each for each in statements]
        return statements
    if isinstance(program, (list, tuple)) and all(isinstance(each, (Rule, Minimize)) for each in program):
        return list(program)
    rules = []
    for clause in Program(program):
        heads = [] if clause.head is None else [(clause.head, [])]
        rules.append(Rule(heads, list(clause.body), text=repr(clause)))
    return rules


class _AspReader(_TermReader):
    infix = {**INFIX, ":": (940, "xfx"), INTERVAL: (600, "xfx")}  # conditions may be comparisons and negations

    def statements(self):
        rules = []
        while True:
            fact = simple_fact(self.text, self.at)
            if fact is not None:
                atom, end = fact
                rules.append(Rule([(atom, [])], text=self.text[self.at : end].strip()))
                self.at = end
                continue
            self.advance()
            if self.kind is None:
                return rules
            self.anonymous, self.names = 0, set()
            begin = self.start
            statement = self._statement()
            if self.kind != "end" and not (self.kind == "symbol" and self.token == "."):  # a.b. as clingo reads it
                got = "the end of the text" if self.kind is None else repr(self.token)
                self.fail(f"expected a full stop, found {got}")
            if isinstance(statement, Rule):
                statement.text = self.text[begin : self.at].strip()
            if statement is not None:
                rules.append(statement)

    def _statement(self):
        if self.kind == "symbol" and self.token == "#":
            return self._directive()
        rule = Rule()
        if not (self.kind == "symbol" and self.token == ":-"):
            if self._at_braces():
                rule.choice = True
                rule.low, elements, rule.high = self._braces()
                rule.heads = [(_plain(e[0], self), e[1]) for e in elements]
            else:
                rule.heads = [(Atom.of(self._term(999)), [])]
        if self.kind == "symbol" and self.token == ":-":
            self.advance()
            rule.body = self._body()
        return rule

    def _term(self, limit):
        begin = self.start
        try:
            return self.read(limit)
        except RecursionError:
            self.fail("the rule is nested too deeply", begin)

    def _directive(self):
        self.advance()
        name = self.token
        if name == "show":
            while self.kind not in (None, "end"):
                self.advance()
            return None
        if name not in ("minimize", "minimise", "maximize", "maximise"):
            self.fail(f"unknown directive #{name}; #minimize, #maximize and #show are known")
        self.advance()
        sign = -1 if name.startswith("max") else 1
        if not (self.kind == "solo" and self.token == "{"):
            self.fail("expected '{'")
        self.advance()
        elements = []
        while not (self.kind == "solo" and self.token == "}"):
            weight, priority, terms, literals = self._weighted()
            elements.append((sign * weight, priority, terms, literals))
            if self.kind == "solo" and self.token == ";":
                self.advance()
        self.advance()
        return Minimize(elements)

    def _weighted(self):
        begin = self.start
        first = self.read(399)
        priority = 0
        if self.kind == "symbol" and self.token == "@":
            self.advance()
            level = self.read(399)
            priority = level.name
        terms, literals = [], []
        while self.kind == "solo" and self.token == ",":
            self.advance()
            terms.append(self.read(199))
        if self.kind == "symbol" and self.token == ":":
            self.advance()
            literals = self._literals()
        if isinstance(first, Compound) and first.functor == ":":  # 1:a without terms
            literals = [literal_of(first.args[1]), *literals]
            first = first.args[0]
        if terms and isinstance(terms[-1], Compound) and terms[-1].functor == ":":
            last = terms.pop()
            terms.append(last.args[0])
            literals = [literal_of(last.args[1]), *literals]
            while self.kind == "solo" and self.token == ",":
                self.advance()
                literals.append(literal_of(self.read(999)))
        if not isinstance(first, Constant) or not isinstance(first.name, int):
            self.fail(f"a weight must be an integer, got {first}", begin)
        return first.name, priority, terms, literals

    def _literals(self):
        literals = [literal_of(self._term(999))]
        while self.kind == "solo" and self.token == ",":
            self.advance()
            literals.append(literal_of(self._term(999)))
        return literals

    def _at_braces(self):
        if self.kind == "solo" and self.token == "{":
            return True
        return self.kind == "number" and self.text[self.at :].lstrip()[:1] == "{"

    def _braces(self):
        """Read a choice such as ``1 { a; b : c } 2``: its bounds, and its elements as (literal, condition)."""
        low = high = None
        if self.kind == "number":
            low = int(self.token)
            self.advance()
        opening = self.start
        self.advance()
        elements = []
        while not (self.kind == "solo" and self.token == "}"):
            parts = []
            while True:
                parts.append(self._term(950))
                if self.kind == "solo" and self.token == ",":
                    self.advance()
                    continue
                break
            head, condition = parts[0], parts[1:]
            if isinstance(head, Compound) and head.functor == ":":
                condition = [head.args[1], *condition]
                head = head.args[0]
            elif condition:
                self.fail("elements are separated by ';', conditions follow ':'")
            elements.append((literal_of(head), [literal_of(c) for c in condition]))
            if self.kind == "solo" and self.token == ";":
                self.advance()
            elif not (self.kind == "solo" and self.token == "}"):
                self._expect("}", opening)
        self.advance()
        if self.kind == "number":
            high = int(self.token)
            self.advance()
        return low, elements, high

    def _body(self):
        literals = []
        while True:
            negated = False
            if self.kind == "name" and self.token == "not" and self._braces_follow():
                self.advance()
                negated = True
            if self._at_braces():
                low, elements, high = self._braces()
                literals.append(Cardinality(elements, low, high, negated))
            else:
                literals.append(literal_of(self._term(999)))
            if self.kind == "solo" and self.token in (",", ";"):
                self.advance()
                continue
            return literals

    def _braces_follow(self):
        rest = self.text[self.at :].lstrip()
        return rest[:1] == "{" or (rest.lstrip("0123456789").lstrip()[:1] == "{" and rest[:1].isdigit())


def _plain(literal, reader):
    if literal.negated:
        reader.fail("the head of a choice rule cannot be negated")
    return literal.atom
