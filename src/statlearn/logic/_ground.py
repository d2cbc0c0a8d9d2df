"""Normal programs with choice rules: reader and grounder."""

from dataclasses import dataclass, field

from ._parser import _Reader
from ._subsumption import match
from ._terms import Atom, Compound, Constant, Literal, Program, Variable, literal_of
from ._unify import substitute

_COMPARISONS = {"=": "=", "==": "=", "!=": "!=", "\\=": "!=", "<": "<", ">": ">", "<=": "<=", "=<": "<=", ">=": ">="}
_PROLOG_ONLY = ("is", ";", "->", ",", "!", "call", "=..", "=:=", "=\\=")
_MOST_INSTANCES = 1_000_000


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
        return _AspReader(program).statements()
    if isinstance(program, (list, tuple)) and all(isinstance(each, (Rule, Minimize)) for each in program):
        return list(program)
    rules = []
    for clause in Program(program):
        heads = [] if clause.head is None else [(clause.head, [])]
        rules.append(Rule(heads, list(clause.body), text=repr(clause)))
    return rules


class _AspReader(_Reader):
    def statements(self):
        made = []
        while True:
            self.advance()
            if self.kind is None:
                return made
            self.anonymous, self.names = 0, set()
            begin = self.start
            statement = self._statement()
            if self.kind != "end":
                found = "the end of the text" if self.kind is None else repr(self.token)
                self.fail(f"expected a full stop, found {found}")
            if isinstance(statement, Rule):
                statement.text = self.text[begin : self.at].strip()
            if statement is not None:
                made.append(statement)

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

    def _term(self, most):
        begin = self.start
        try:
            return self.read(most)
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
        found = [literal_of(self._term(999))]
        while self.kind == "solo" and self.token == ",":
            self.advance()
            found.append(literal_of(self._term(999)))
        return found

    def _at_braces(self):
        if self.kind == "solo" and self.token == "{":
            return True
        return self.kind == "number" and self.text[self.at :].lstrip()[:1] == "{"

    def _braces(self):
        """low { elements } high, elements as (literal, condition)."""
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
                parts.append(self._term(899))
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
        found = []
        while True:
            negated = False
            if self.kind == "name" and self.token == "not" and self._braces_follow():
                self.advance()
                negated = True
            if self._at_braces():
                low, elements, high = self._braces()
                found.append(Cardinality(elements, low, high, negated))
            else:
                found.append(literal_of(self._term(999)))
            if self.kind == "solo" and self.token in (",", ";"):
                self.advance()
                continue
            return found

    def _braces_follow(self):
        rest = self.text[self.at :].lstrip()
        return rest[:1] == "{" or (rest.lstrip("0123456789").lstrip()[:1] == "{" and rest[:1].isdigit())


def _plain(literal, reader):
    if literal.negated:
        reader.fail("the head of a choice rule cannot be negated")
    return literal.atom


# Grounding ------------------------------------------------------------


@dataclass
class GroundProgram:
    """Atoms are numbers from 1; the head of a choice may remain false."""

    atoms: list = field(default_factory=list)  # Atom by number - 1; None for auxiliary ones
    rules: list = field(default_factory=list)  # (head or 0, positive body, negative body, is choice)
    minimize: list = field(default_factory=list)  # (priority, weight, atom)
    number: dict = field(default_factory=dict)

    def atom(self, atom):
        if atom not in self.number:
            self.atoms.append(atom)
            self.number[atom] = len(self.atoms)
        return self.number[atom]

    def new(self):
        self.atoms.append(None)
        return len(self.atoms)


def ground(program):
    """The ground program of a text or of rules."""
    statements = read_asp(program)
    rules = [each for each in statements if isinstance(each, Rule)]
    for rule in rules:
        _check_safe(rule)
    possible = _Possible()
    _reach(rules, possible)
    made = GroundProgram()
    count = 0
    for rule in rules:
        for bindings in _instances(rule.body, possible, {}):
            count += 1
            if count > _MOST_INSTANCES:
                raise MemoryError(f"The program has more than {_MOST_INSTANCES:,} ground rules; write it smaller.")
            _emit(rule, bindings, possible, made)
    for each in statements:
        if isinstance(each, Minimize):
            _emit_minimize(each, possible, made)
    return made


class _Possible:
    """Atoms that some rule can derive, by predicate."""

    def __init__(self):
        self.by_predicate = {}
        self.terms = {}

    def add(self, atom):
        known = self.by_predicate.setdefault(atom.indicator, {})
        if atom in known:
            return False
        known[atom] = atom.to_term()
        return True

    def __contains__(self, atom):
        return atom in self.by_predicate.get(atom.indicator, ())

    def of(self, indicator):
        return list(self.by_predicate.get(indicator, {}).values())


def _reach(rules, possible):
    changed = True
    while changed:
        changed = False
        for rule in rules:
            if not rule.heads:
                continue
            for bindings in list(_instances(rule.body, possible, {})):
                for head, condition in rule.heads:
                    for inner in list(_instances(condition, possible, bindings)):
                        changed |= possible.add(_evaluate(substitute(head, inner)))


def _instances(body, possible, bindings):
    """Bindings under which the positive literals are possible and the comparisons hold."""
    literals = [each for each in body if isinstance(each, Literal)]
    waiting = [each for each in literals if each.atom.predicate in _COMPARISONS and each.atom.arity == 2]
    joined = [each for each in literals if not each.negated and each not in waiting]
    yield from _join(joined, waiting, possible, bindings)


def _join(literals, waiting, possible, bindings):
    ready = [each for each in waiting if not substitute(each.atom, bindings).variables()]
    for each in ready:
        if _compare(substitute(each.atom, bindings)) == each.negated:
            return
    waiting = [each for each in waiting if each not in ready]
    assigned = next((each for each in waiting if _assignment(each, bindings) is not None), None)
    if assigned is not None:
        variable, value = _assignment(assigned, bindings)
        rest = [each for each in waiting if each is not assigned]
        yield from _join(literals, rest, possible, {**bindings, variable: value})
        return
    if not literals:
        yield bindings
        return
    first, *rest = literals
    pattern = substitute(first.atom, bindings).to_term()
    for term in possible.of(first.atom.indicator):
        found = match(pattern, term, {})
        if found is not None:
            yield from _join(rest, waiting, possible, {**bindings, **found})


def _assignment(literal, bindings):
    """(variable, value) if the comparison is ``X = ground term``."""
    if literal.negated or _COMPARISONS[literal.atom.predicate] != "=":
        return None
    left, right = (substitute(arg, bindings) for arg in literal.atom.args)
    if isinstance(right, Variable) and left.is_ground:
        left, right = right, left
    if isinstance(left, Variable) and right.is_ground:
        return left, _value(right)
    return None


def _compare(atom):
    a, b = (_value(arg) for arg in atom.args)
    how = _COMPARISONS[atom.predicate]
    if how in ("=", "!="):
        return (a == b) == (how == "=")
    key = (_order_key(a), _order_key(b))
    return {"<": key[0] < key[1], ">": key[0] > key[1], "<=": key[0] <= key[1], ">=": key[0] >= key[1]}[how]


def _order_key(term):
    if isinstance(term, Constant):
        return (0, term.name, "") if not isinstance(term.name, str) else (1, 0, term.name)
    return (2, 0, repr(term))


def _value(term):
    """A ground term with its arithmetic done."""
    if isinstance(term, Compound) and len(term.args) == 2 and term.functor in ("+", "-", "*", "/", "mod"):
        a, b = (_value(arg) for arg in term.args)
        if all(isinstance(x, Constant) and isinstance(x.name, int) for x in (a, b)):
            if term.functor in ("/", "mod") and b.name == 0:
                raise ValueError(f"Division by zero in {term}.")
            done = {"+": lambda x, y: x + y, "-": lambda x, y: x - y, "*": lambda x, y: x * y}
            done |= {"/": lambda x, y: int(x / y), "mod": lambda x, y: x % y}
            return Constant(done[term.functor](a.name, b.name))
    return term


def _evaluate(atom):
    return Atom(atom.predicate, [_value(arg) for arg in atom.args]) if atom.args else atom


def _check_safe(rule):
    """Raise if a variable of the rule occurs in no positive literal of its body."""
    literals = [each for each in rule.body if isinstance(each, Literal)]
    strange = next((each for each in literals if each.atom.predicate in _PROLOG_ONLY), None)
    if strange is not None:
        raise ValueError(
            f"{strange.atom.indicator} of Prolog is not available in answer-set programs: {rule.text or rule}. Write "
            "X = Y + 1 for arithmetic, and one rule for each alternative."
        )
    bound = set()
    for each in literals:
        if not each.negated and each.atom.predicate not in _COMPARISONS:
            bound |= {v for arg in each.args for v in arg.variables()}
    changed = True
    while changed:  # X = expression of bound variables
        changed = False
        for each in literals:
            if not each.negated and each.atom.predicate in _COMPARISONS and _COMPARISONS[each.atom.predicate] == "=":
                for a, b in (each.args, each.args[::-1]):
                    if isinstance(a, Variable) and a not in bound and set(b.variables()) <= bound:
                        bound.add(a)
                        changed = True
    needed = {v for each in literals for v in each.variables()}
    for head, condition in rule.heads:
        local = {v for c in condition if not c.negated for v in c.variables()}
        needed |= (set(head.variables()) | {v for c in condition for v in c.variables()}) - local
    for card in (each for each in rule.body if isinstance(each, Cardinality)):
        for literal, condition in card.elements:
            local = {v for c in condition if not c.negated for v in c.variables()}
            needed |= set(literal.variables()) - local
    loose = sorted(v.name for v in needed - bound)
    if loose:
        what = "fact" if rule.heads and not rule.body else "rule"
        raise ValueError(
            f"The variable {loose[0]} of the {what} {rule.text or rule} is unsafe: it must occur in a positive body "
            "literal."
        )


def _ground_body(body, bindings, possible, made):
    """Positive and negative atoms of a ground body; None if it cannot hold."""
    pos, neg = [], []
    for each in body:
        if isinstance(each, Cardinality):
            holds = _cardinality(each, bindings, possible, made)
            (neg if each.negated else pos).append(holds)
            continue
        if each.atom.predicate in _COMPARISONS and each.atom.arity == 2:
            continue  # the join has checked it
        atom = _evaluate(substitute(each.atom, bindings))
        if each.negated:
            if atom in possible:
                neg.append(made.atom(atom))
        elif atom in possible:
            pos.append(made.atom(atom))
        else:
            return None
    return pos, neg


def _emit(rule, bindings, possible, made):
    body = _ground_body(rule.body, bindings, possible, made)
    if body is None:
        return
    pos, neg = body
    heads = []
    for head, condition in rule.heads:
        for inner in _instances(condition, possible, bindings):
            atom = made.atom(_evaluate(substitute(head, inner)))
            extra = _ground_body(condition, inner, possible, made)
            if extra is not None:
                heads.append(atom)
                made.rules.append((atom, [*pos, *extra[0]], [*neg, *extra[1]], rule.choice))
    if not rule.heads:
        made.rules.append((0, pos, neg, False))
    if rule.choice and (rule.low is not None or rule.high is not None):
        heads = list(dict.fromkeys(heads))
        counts = _counter([([h], []) for h in heads], made, (rule.high or 0) + 1, rule.low or 0)
        if rule.high is not None and rule.high < len(heads):
            made.rules.append((0, [*pos, counts(rule.high + 1)], neg, False))
        if rule.low is not None and rule.low > 0:
            if rule.low > len(heads):
                made.rules.append((0, pos, neg, False))
            else:
                made.rules.append((0, pos, [*neg, counts(rule.low)], False))


def _counter(elements, made, *wanted):
    """A function that gives the atom "at least j of the elements hold"."""
    most = max(wanted)
    row = {}
    for pos, neg in elements:
        fresh = {}
        for j in range(1, most + 1):
            before, below = row.get(j), row.get(j - 1)
            if before is None and j > 1 and below is None:
                break
            atom = made.new()
            if before is not None:
                made.rules.append((atom, [before], [], False))
            made.rules.append((atom, [*pos, *([below] if j > 1 else [])], list(neg), False))
            fresh[j] = atom
        row = fresh

    def at_least(j):
        if j in row:
            return row[j]
        return made.new()  # never holds

    return at_least


def _cardinality(card, bindings, possible, made):
    """An atom that holds if the cardinality does."""
    elements = {}
    for literal, condition in card.elements:
        for inner in _instances(condition, possible, bindings):
            body = _ground_body([literal, *condition], inner, possible, made)
            if body is not None:
                elements[tuple(map(tuple, body)), repr(substitute(literal, inner))] = body
    holds = made.new()
    low, high = card.low or 0, card.high
    counts = _counter(list(elements.values()), made, low, (high if high is not None else 0) + 1)
    pos = [counts(low)] if low > 0 else []
    neg = [counts(high + 1)] if high is not None and high < len(elements) else []
    made.rules.append((holds, pos, neg, False))
    return holds


def _emit_minimize(statement, possible, made):
    groups = {}
    for weight, priority, terms, literals in statement.elements:
        for bindings in _instances(literals, possible, {}):
            body = _ground_body(literals, bindings, possible, made)
            if body is not None:
                key = (priority, weight, tuple(substitute(t, bindings) for t in terms))
                groups.setdefault(key, []).append(body)
    for (priority, weight, _), bodies in groups.items():
        atom = made.new()
        for pos, neg in bodies:
            made.rules.append((atom, pos, neg, False))
        made.minimize.append((priority, weight, atom))
