"""Ground instances of answer-set programs."""

from dataclasses import dataclass, field

from ._asp_reader import Cardinality, Minimize, Rule, read_asp
from ._subsumption import match
from ._terms import Atom, Compound, Constant, Literal, Variable
from ._unify import substitute

_COMPARISONS = {"=": "=", "==": "=", "!=": "!=", "\\=": "!=", "<": "<", ">": ">", "<=": "<=", "=<": "<=", ">=": ">="}
_PROLOG_ONLY = ("is", ";", "->", ",", "!", "call", "=..", "=:=", "=\\=")
_MOST_INSTANCES = 1_000_000


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
    """Atoms that some rule can derive, by predicate, with an index of every argument that is asked for."""

    def __init__(self):
        self.by_predicate = {}
        self.index = {}  # (predicate, place of the argument): argument -> terms
        self.n = 0

    def add(self, atom):
        known = self.by_predicate.setdefault(atom.indicator, {})
        if atom in known:
            return False
        term = known[atom] = atom.to_term()
        for k, arg in enumerate(atom.args):
            index = self.index.get((atom.indicator, k))
            if index is not None:
                index.setdefault(arg, []).append(term)
        self.n += 1
        if self.n > _MOST_INSTANCES:
            raise MemoryError(
                f"The program has more than {_MOST_INSTANCES:,} ground atoms; bound the arithmetic of its rules."
            )
        return True

    def __contains__(self, atom):
        return atom in self.by_predicate.get(atom.indicator, ())

    def matching(self, atom):
        """Terms that an atom may match: those that agree in the ground argument with the fewest of them."""
        found = self.by_predicate.get(atom.indicator, {})
        best = None
        for k, arg in enumerate(atom.args):
            if not arg.is_ground:
                continue
            index = self.index.get((atom.indicator, k))
            if index is None:
                index = self.index[atom.indicator, k] = {}
                for known, term in found.items():
                    index.setdefault(known.args[k], []).append(term)
            terms = index.get(arg, ())
            if best is None or len(terms) < len(best):
                best = terms
        return list(found.values() if best is None else best)


def _reach(rules, possible):
    """Derive all possible atoms, rule by rule, from those that are new in each round."""
    rules = [rule for rule in rules if rule.heads]
    fresh = None  # terms of the last round by predicate; in the first round every rule is due
    while fresh is None or fresh:
        derived = {}
        for rule in rules:
            for bindings in _new_instances(rule, possible, fresh):
                for head, condition in rule.heads:
                    for inner in list(_instances(condition, possible, bindings)):
                        atom = _evaluate(substitute(head, inner))
                        if possible.add(atom):
                            derived.setdefault(atom.indicator, []).append(atom.to_term())
        fresh = derived


def _new_instances(rule, possible, fresh):
    """Bindings of a rule's body that use some new atom."""
    conditions = (c.atom.indicator for _, condition in rule.heads for c in condition)
    if fresh is None or any(indicator in fresh for indicator in conditions):
        return list(_instances(rule.body, possible, {}))
    joined, waiting = _parts(rule.body)
    found = []
    for k, literal in enumerate(joined):
        others = joined[:k] + joined[k + 1 :]
        pattern = literal.atom.to_term()
        for term in fresh.get(literal.atom.indicator, ()):
            bindings = match(pattern, term, {})
            if bindings is not None:
                found.extend(_join(others, waiting, possible, bindings))
    return found


def _parts(body):
    """Positive literals to be joined, and comparisons."""
    literals = [each for each in body if isinstance(each, Literal)]
    waiting = [each for each in literals if each.atom.predicate in _COMPARISONS and each.atom.arity == 2]
    return [each for each in literals if not each.negated and each not in waiting], waiting


def _instances(body, possible, bindings):
    """Bindings under which the positive literals are possible and the comparisons hold."""
    yield from _join(*_parts(body), possible, bindings)


def _join(literals, waiting, possible, bindings):
    if waiting:
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
    atom = substitute(first.atom, bindings)
    pattern = atom.to_term()
    for term in possible.matching(atom):
        found = match(pattern, term, bindings)
        if found is not None:
            yield from _join(rest, waiting, possible, found)


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
