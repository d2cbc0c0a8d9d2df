"""Ground instances of answer-set programs."""

from dataclasses import dataclass, field

from ._asp_reader import Cardinality, Minimize, Rule, read_asp
from ._joins import MOST_INSTANCES, Join, Scope, Symbols, Tables, bound_variables, is_comparison, predicate_of, split
from ._safety import check_safe
from ._terms import Atom


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
        check_safe(rule)
    symbols, tables = Symbols(), Tables()
    _reach(rules, symbols, tables)
    grounder = _Grounder(symbols, tables)
    for rule in rules:
        grounder.add(rule)
    for each in statements:
        if isinstance(each, Minimize):
            grounder.minimize(each)
    return grounder.made


# Atoms that can be true ----------------------------------------------------------------------------------------------


def _reach(rules, symbols, tables):
    """Fill the tables with all atoms that some rule can derive, ignoring negation.

    Every round joins the atoms that the last one has added with all others: a rule is looked at only when an atom of
    its body is new (semi-naive evaluation).
    """
    derived = {}  # new atoms by predicate

    def add(predicate, args):
        if tables.add(predicate, args):
            derived.setdefault(predicate, []).append(args)

    triggered = {}  # predicate -> derivations with the place of the literal
    for rule in rules:
        if _is_fact(rule):
            head = rule.heads[0][0]
            add(predicate_of(head), Scope(symbols).values(head.args)())
            continue
        for head, condition in rule.heads:
            derivation = _Derivation(head, [*rule.body, *condition], symbols, tables, add)
            for place, literal in enumerate(derivation.literals):
                triggered.setdefault(predicate_of(literal.atom), []).append((derivation, place))
            if not derivation.literals:
                derivation.run()
    while derived:
        fresh = list(derived.items())
        derived.clear()
        for predicate, rows in fresh:
            for derivation, place in triggered.get(predicate, ()):
                derivation.run(place, rows)


def _is_fact(rule):
    return not rule.body and not rule.choice and len(rule.heads) == 1 and not rule.heads[0][1]


class _Derivation:
    """A head with the literals that it requires."""

    def __init__(self, head, body, symbols, tables, add):
        self.body, self.tables = body, tables
        self.literals, _ = split(body)
        self.scope = Scope(symbols)
        predicate, args = predicate_of(head), self.scope.values(head.args)
        self.found = lambda: add(predicate, args())
        self._joins = {}  # by the place of the first literal, for tables of about this size

    def run(self, place=None, rows=(None,)):
        size = self.tables.n.bit_length()
        known, join = self._joins.get(place, (None, None))
        if known != size:
            join = Join(self.scope, self.tables, self.body, first=place)
            self._joins[place] = size, join
        for args in rows:
            join.run(self.found, args)


# Rules ---------------------------------------------------------------------------------------------------------------


class _Grounder:
    """The ground program under construction."""

    def __init__(self, symbols, tables):
        self.symbols, self.tables, self.made = symbols, tables, GroundProgram()
        self._numbers, self._instances = {}, 0

    def _atom(self, predicate, args):
        numbers = self._numbers.setdefault(predicate, {})
        if args not in numbers:
            terms = self.symbols.terms
            numbers[args] = self.made.atom(Atom(predicate[0], [terms[arg] for arg in args]))
        return numbers[args]

    def add(self, rule):
        """Add the instances of a rule."""
        scope = Scope(self.symbols)
        if _is_fact(rule):
            head = rule.heads[0][0]
            self.made.rules.append((self._atom(predicate_of(head), scope.values(head.args)()), [], [], False))
            return
        body = _Body(self, scope, rule.body)
        heads = [self._head(scope, head, condition, body.bound) for head, condition in rule.heads]

        def emit():
            self._instances += 1
            if self._instances > MOST_INSTANCES:
                raise MemoryError(f"The program has more than {MOST_INSTANCES:,} ground rules; write it smaller.")
            pos, neg = body.literals()
            bodies = {}  # head: its conditions
            for head in heads:
                head(pos, neg, rule.choice, bodies)
            if not rule.heads:
                self.made.rules.append((0, pos, neg, False))
            if rule.choice and (rule.low is not None or rule.high is not None):
                self._bound_choice(rule, list(bodies.values()), pos, neg)

        body.join.run(emit)

    def _head(self, scope, head, condition, bound):
        """Function that adds the rules of one head, and its elements to those of the choice."""
        predicate, args = predicate_of(head), scope.values(head.args)
        extra = _Body(self, scope, condition, bound)

        def add(pos, neg, choice, elements):
            def emit():
                values, (more, less) = args(), extra.literals()
                atom = self._atom(predicate, values)
                elements.setdefault(atom, []).append(([atom, *more], less))
                self.made.rules.append((atom, [*pos, *more], [*neg, *less], choice))

            extra.join.run(emit)

        return add

    def _bound_choice(self, rule, elements, pos, neg):
        counts = self.counter(elements, (rule.high or 0) + 1, rule.low or 0)
        if rule.high is not None and rule.high < len(elements):
            self.made.rules.append((0, [*pos, counts(rule.high + 1)], neg, False))
        if rule.low is not None and rule.low > 0:
            if rule.low > len(elements):
                self.made.rules.append((0, pos, neg, False))
            else:
                self.made.rules.append((0, pos, [*neg, counts(rule.low)], False))

    def counter(self, elements, *wanted):
        """Function that returns the atom "at least j of the elements hold"; an element is a list of bodies."""
        atoms, highest = self.made, max(wanted)
        row = {}
        for bodies in elements:
            pos, neg = bodies[0] if len(bodies) == 1 else ([self.any_of(bodies)], [])
            fresh = {}
            for j in range(1, highest + 1):
                before, below = row.get(j), row.get(j - 1)
                if before is None and j > 1 and below is None:
                    break
                atom = atoms.new()
                if before is not None:
                    atoms.rules.append((atom, [before], [], False))
                atoms.rules.append((atom, [*pos, *([below] if j > 1 else [])], list(neg), False))
                fresh[j] = atom
            row = fresh
        return lambda j: row[j] if j in row else atoms.new()  # a new atom never holds

    def any_of(self, bodies):
        """Atom that holds if one of the bodies does."""
        atom = self.made.new()
        for pos, neg in bodies:
            self.made.rules.append((atom, pos, neg, False))
        return atom

    def minimize(self, statement):
        """Add an optimisation statement: a tuple costs its weight once, if any of its conditions holds."""
        groups = {}
        for weight, priority, terms, literals in statement.elements:
            scope = Scope(self.symbols)
            body, values = _Body(self, scope, literals), scope.values(terms)

            def collect(key=(priority, weight), body=body, values=values):
                groups.setdefault((*key, values()), []).append(body.literals())

            body.join.run(collect)
        for (priority, weight, _), bodies in groups.items():
            self.made.minimize.append((priority, weight, self.any_of(bodies)))


class _Body:
    """Literals of a rule, a condition or an element, with the join that binds their variables."""

    def __init__(self, grounder, scope, body, bound=()):
        self.grounder = grounder
        self.bound = bound_variables(body, bound)
        self.join = Join(scope, grounder.tables, body, bound)
        self._parts = []  # (is a cardinality, negated, predicate or function, values)
        for each in body:
            if isinstance(each, Cardinality):
                self._parts.append((True, each.negated, self._cardinality(scope, each), None))
            elif not is_comparison(each):
                self._parts.append((False, each.negated, predicate_of(each.atom), scope.values(each.args)))

    def literals(self):
        """Positive and negative atoms under the current binding."""
        pos, neg = [], []
        atom, rows = self.grounder._atom, self.grounder.tables.rows
        for is_cardinality, negated, what, values in self._parts:
            if is_cardinality:
                (neg if negated else pos).append(what())
                continue
            args = values()
            if not negated:
                pos.append(atom(what, args))
            elif args in rows(what):
                neg.append(atom(what, args))
        return pos, neg

    def _cardinality(self, scope, card):
        """Function that returns an atom which holds if the cardinality condition does."""
        grounder, atoms = self.grounder, self.grounder.made
        elements = [
            (_Body(grounder, scope, [literal, *condition], self.bound), scope.values(literal.args), literal)
            for literal, condition in card.elements
        ]

        def holds():
            conditions = {}
            for body, values, literal in elements:

                def collect(body=body, values=values, literal=literal):
                    key = predicate_of(literal.atom), literal.negated, values()
                    conditions.setdefault(key, []).append(body.literals())

                body.join.run(collect)
            atom, low, high = atoms.new(), card.low or 0, card.high
            counts = grounder.counter(list(conditions.values()), low, (high if high is not None else 0) + 1)
            pos = [counts(low)] if low > 0 else []
            neg = [counts(high + 1)] if high is not None and high < len(conditions) else []
            atoms.rules.append((atom, pos, neg, False))
            return atom

        return holds
