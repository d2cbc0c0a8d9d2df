"""Joins over ground atoms: the bindings under which the body of a rule can hold.

Ground terms are numbers (:class:`Symbols`), a ground atom is a predicate with a tuple of numbers, and a variable is a
slot of a list. The steps of a join are ordered before it runs, so every slot is filled in exactly one step and nothing
has to be undone on the way back.
"""

import contextlib
import itertools

from ._intervals import INTERVAL, interval_of
from ._terms import Atom, Compound, Constant, Literal, Variable

_COMPARISONS = {"=": "=", "==": "=", "!=": "!=", "\\=": "!=", "<": "<", ">": ">", "<=": "<=", "=<": "<=", ">=": ">="}
_OPERATIONS = ("+", "-", "*", "/", "mod")
MOST_INSTANCES = 1_000_000


def is_comparison(literal):
    """Whether a literal compares two terms."""
    return isinstance(literal, Literal) and literal.predicate in _COMPARISONS and literal.atom.arity == 2


def is_equation(literal):
    """Whether a literal is ``left = right``, which can also give a variable its value."""
    return is_comparison(literal) and not literal.negated and _COMPARISONS[literal.predicate] == "="


def predicate_of(atom):
    """Key of the table of an atom."""
    return atom.predicate, len(atom.args)


def split(body):
    """Positive literals to be joined, and comparisons.

    Arithmetic on variables is taken out of the literals: ``p(X + 1)`` becomes ``p(V), V = X + 1``, since the equation
    can be solved for either side, when the other one is known.
    """
    literals, comparisons = [], []
    for each in body:
        if is_comparison(each):
            comparisons.append(each)
        elif isinstance(each, Literal) and not each.negated:
            args = [_without_arithmetic(arg, comparisons) for arg in each.args]
            literals.append(Literal(Atom(each.predicate, args)))
    return literals, comparisons


_fresh = itertools.count()


def _without_arithmetic(term, equations):
    if not isinstance(term, Compound) or term.is_ground:
        return term
    if term.functor in _OPERATIONS:
        variable = Variable(f"_{next(_fresh)}.")  # a name that no text contains
        equations.append(Literal(Atom("=", [variable, term])))
        return variable
    return Compound(term.functor, [_without_arithmetic(arg, equations) for arg in term.args])


def bound_variables(body, bound=()):
    """The variables that have values when the positive literals are true and the equations are solved."""
    literals, comparisons = split(body)
    bound = {*bound, *(v for each in literals for v in each.variables())}
    equations = [each for each in comparisons if is_equation(each)]
    changed = True
    while changed:
        changed = False
        for each in equations:
            for a, b in (each.args, each.args[::-1]):
                if set(a.variables()) <= bound and solvable(b, bound) and not set(b.variables()) <= bound:
                    bound |= set(b.variables())
                    changed = True
    return bound


class Undefined(Exception):
    """Arithmetic on something other than integers: the instance of the rule does not exist, as for clingo."""


class Symbols:
    """Numbers of ground terms."""

    def __init__(self):
        self.terms, self.integers = [], []  # term by number; its value if it is an integer, else None
        self._numbers, self._by_value = {}, {}

    def number(self, term):
        number = self._numbers.get(term)
        if number is None:
            number = self._numbers[term] = len(self.terms)
            self.terms.append(term)
            value = term.name if isinstance(term, Constant) and type(term.name) is int else None
            self.integers.append(value)
            if value is not None:
                self._by_value[value] = number
        return number

    def integer(self, value):
        number = self._by_value.get(value)
        return self.number(Constant(value)) if number is None else number

    def compound(self, functor, args):
        """Number of a compound term, its arithmetic done."""
        if len(args) <= 2 and functor in _OPERATIONS:
            values = [self.integers[arg] for arg in args]
            if len(values) == 2 or functor == "-":
                if None in values:
                    raise Undefined
                return self.integer(_calculate(functor, *values))
        return self.number(Compound(functor, [self.terms[arg] for arg in args]))

    def order_key(self, number):
        return _order_key(self.terms[number])


def _calculate(functor, a, b=None):
    if b is None:
        return -a
    if functor in ("/", "mod"):
        if b == 0:
            raise ValueError(f"Division by zero in {a} {functor} {b}.")
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)  # towards zero, as clingo does
        return quotient if functor == "/" else a - b * quotient
    return a + b if functor == "+" else a - b if functor == "-" else a * b


def _order_key(term):
    """Sorting key: integers first, then names, then compound terms by number of arguments, functor and arguments."""
    if isinstance(term, Compound):
        return (2, len(term.args), term.functor, tuple(map(_order_key, term.args)))
    return (1, term.name) if isinstance(term.name, str) else (0, term.name)


class Tables:
    """Ground atoms by predicate, with an index of every argument that is asked for."""

    def __init__(self):
        self._rows, self._index = {}, {}
        self.n = 0

    def add(self, predicate, args):
        """Whether the atom is new."""
        rows = self._rows.setdefault(predicate, {})
        if args in rows:
            return False
        rows[args] = None
        for place, index in self._index.get(predicate, {}).items():
            index.setdefault(args[place], []).append(args)
        self.n += 1
        if self.n > MOST_INSTANCES:
            raise MemoryError(
                f"The program has more than {MOST_INSTANCES:,} ground atoms; add bounds to the arithmetic in its rules."
            )
        return True

    def rows(self, predicate):
        return self._rows.get(predicate, {})

    def index(self, predicate, place):
        """Atoms by the number of one argument."""
        tables = self._index.setdefault(predicate, {})
        if place not in tables:
            index = tables[place] = {}
            for args in self.rows(predicate):
                index.setdefault(args[place], []).append(args)
        return tables[place]


class Scope:
    """The variables of a rule as slots of a list, and functions of these slots."""

    def __init__(self, symbols):
        self.symbols, self.slots, self._places = symbols, [], {}

    def place(self, variable):
        if variable not in self._places:
            self._places[variable] = len(self.slots)
            self.slots.append(0)
        return self._places[variable]

    def value(self, term):
        """A function that gives the number of a term whose variables have values."""
        slots, symbols = self.slots, self.symbols
        if isinstance(term, Variable):
            place = self.place(term)
            return lambda: slots[place]
        if not isinstance(term, Compound):
            number = symbols.number(term)
            return lambda: number
        functor, args = term.functor, [self.value(arg) for arg in term.args]
        if term.is_ground:
            try:
                number = symbols.compound(functor, [arg() for arg in args])
            except Undefined:
                number = symbols.number(term)  # written out, a-b is a term like others
            return lambda: number
        return lambda: symbols.compound(functor, [arg() for arg in args])

    def values(self, terms):
        """A function that gives the tuple of numbers of several terms."""
        parts = [self.value(term) for term in terms]
        if all(isinstance(term, Variable) for term in terms):
            slots, places = self.slots, [self.place(term) for term in terms]
            return lambda: tuple([slots[place] for place in places])
        return lambda: tuple([part() for part in parts])

    def pattern(self, term, bound):
        """A function that matches a number against a term; the term's variables are added to `bound`."""
        slots, symbols = self.slots, self.symbols
        if set(term.variables()) <= bound:
            value = self.value(term)
            return lambda number: number == value()
        if isinstance(term, Variable):
            place = self.place(term)
            bound.add(term)

            def assign(number):
                slots[place] = number
                return True

            return assign
        if term.functor in _OPERATIONS:
            return self._inverse(term, bound)
        args = [self.pattern(arg, bound) for arg in term.args]
        functor, arity = term.functor, len(term.args)

        def take_apart(number):
            term = symbols.terms[number]
            if not isinstance(term, Compound) or term.functor != functor or len(term.args) != arity:
                return False
            return all(match(symbols.number(part)) for match, part in zip(args, term.args))

        return take_apart

    def _inverse(self, term, bound):
        """Function that solves ``number = term`` for its single unknown operand."""
        symbols, functor = self.symbols, term.functor
        if len(term.args) == 1:  # -X
            left_known, known, (right,) = True, lambda: symbols.integer(0), term.args
            unknown = self.pattern(right, bound)
        else:
            left, right = term.args
            left_known = set(left.variables()) <= bound
            known = self.value(left if left_known else right)
            unknown = self.pattern(right if left_known else left, bound)

        def solve(number):
            value, other = symbols.integers[number], symbols.integers[known()]
            if value is None or other is None:
                return False
            if functor == "*":
                if other == 0 or value % other:
                    return False
                return unknown(symbols.integer(value // other))
            if functor == "+":
                return unknown(symbols.integer(value - other))
            return unknown(symbols.integer(other - value if left_known else value + other))

        return solve

    def comparison(self, literal):
        """A function that tests a comparison whose variables have values."""
        left, right = (self.value(arg) for arg in literal.args)
        how, wanted, key = _COMPARISONS[literal.predicate], not literal.negated, self.symbols.order_key
        if how in ("=", "!="):
            same = (how == "=") == wanted
            return lambda: (left() == right()) == same
        integers = self.symbols.integers

        def ordered():
            a, b = left(), right()
            x, y = integers[a], integers[b]
            if x is None or y is None:
                x, y = key(a), key(b)
            return (x < y if how == "<" else x > y if how == ">" else x <= y if how == "<=" else x >= y) == wanted

        return ordered


def solvable(term, bound):
    """Whether a term's variables have values once the term has one."""
    if isinstance(term, Variable) or set(term.variables()) <= bound:
        return True
    if term.functor == INTERVAL:
        return False
    if term.functor not in _OPERATIONS:
        return all(solvable(arg, bound) for arg in term.args)
    open_ = [arg for arg in term.args if not set(arg.variables()) <= bound]
    return term.functor in ("+", "-", "*") and len(open_) == 1 and solvable(open_[0], bound)


class Join:
    """The bindings of a body, found in one order of its literals.

    Parameters
    ----------
    scope : Scope
    tables : Tables
    body : list
        Literals; negated ones are left out, except for comparisons.
    bound : set of Variable
        Those that have values before.
    first : int or None, default=None
        Place among the positive literals of one whose atoms are given to `run`.
    """

    def __init__(self, scope, tables, body, bound=(), first=None):
        self._scope, self._tables = scope, tables
        literals, self._waiting = split(body)
        self._bound = set(bound)
        self._steps = []
        self._entry = None
        self._place_comparisons()
        if first is not None:
            atom = literals.pop(first).atom
            self._entry = [scope.pattern(arg, self._bound) for arg in atom.args]
            self._place_comparisons()
        while literals:
            best = min(range(len(literals)), key=lambda k: self._cost(literals[k].atom))
            self._steps.append(self._scan(literals.pop(best).atom))
            self._place_comparisons()

    def _cost(self, atom):
        """Approximate number of atoms that a scan visits."""
        predicate, n = predicate_of(atom), len(self._tables.rows(predicate_of(atom)))
        known = [k for k, arg in enumerate(atom.args) if set(arg.variables()) <= self._bound]
        if len(known) == len(atom.args):
            return 0
        return n / max([1, *(len(self._tables.index(predicate, k)) for k in known)])

    def _place_comparisons(self):
        """Add the comparisons whose variables are bound."""
        scope, bound = self._scope, self._bound
        placed = True
        while placed:
            placed = False
            for literal in list(self._waiting):
                step = None
                interval = interval_of(literal) if is_equation(literal) else None
                if interval is not None:
                    step = self._interval(*interval)
                elif set(literal.variables()) <= bound:
                    step = _test(scope.comparison(literal))
                elif is_equation(literal):
                    for a, b in (literal.args, literal.args[::-1]):
                        if step is None and set(a.variables()) <= bound and solvable(b, bound):
                            step = _solve(scope.value(a), scope.pattern(b, bound))
                if step is not None:
                    self._waiting.remove(literal)
                    self._steps.append(step)
                    placed = True

    def _interval(self, low, high, other):
        """Step that assigns all integers of an interval to the other side of an equation, if its ends are known."""
        scope, bound = self._scope, self._bound
        if not {*low.variables(), *high.variables()} <= bound or not solvable(other, bound):
            return None
        symbols, ends = self._scope.symbols, [scope.value(low), scope.value(high)]
        match = scope.pattern(other, bound)

        def step(then):
            first, last = (symbols.integers[end()] for end in ends)
            if first is None or last is None:
                raise Undefined
            for value in range(first, last + 1):
                if match(symbols.integer(value)):
                    then()

        return step

    def _scan(self, atom):
        """Step that calls the next one for every matching atom."""
        scope, tables, predicate = self._scope, self._tables, predicate_of(atom)
        slots = scope.slots
        known = [k for k, arg in enumerate(atom.args) if set(arg.variables()) <= self._bound]
        if len(known) == len(atom.args):
            values = scope.values(atom.args)
            return _test(lambda: values() in tables.rows(predicate))
        keys = [(k, scope.value(atom.args[k])) for k in known]
        fresh, tests = [], []
        for k, arg in enumerate(atom.args):
            if k in known:
                continue
            if isinstance(arg, Variable) and arg not in self._bound:
                self._bound.add(arg)
                fresh.append((k, scope.place(arg)))
            else:
                tests.append((k, scope.pattern(arg, self._bound)))

        def candidates():
            if not keys:
                return list(tables.rows(predicate))
            best = None
            for k, value in keys:
                rows = tables.index(predicate, k).get(value(), ())
                if best is None or len(rows) < len(best):
                    best = rows
            return list(best)

        def scan(then):
            wanted = [(k, value()) for k, value in keys] if len(keys) > 1 else ()
            for args in candidates():
                if wanted and any(args[k] != number for k, number in wanted):
                    continue
                for k, place in fresh:
                    slots[place] = args[k]
                if not tests or all(match(args[k]) for k, match in tests):
                    then()

        return scan

    def run(self, action, args=None):
        """Call `found` for every binding, with the values in the slots of the scope; `args` is the first atom."""
        if self._entry is not None and not all(match(arg) for match, arg in zip(self._entry, args)):
            return
        then = _if_defined(action)
        for step in reversed(self._steps):
            then = _if_defined(step, then)
        then()


def _if_defined(step, *then):
    def run():
        with contextlib.suppress(Undefined):
            step(*then)  # what follows catches its own

    return run


def _test(condition):
    def step(then):
        if condition():
            then()

    return step


def _solve(value, match):
    def step(then):
        if match(value()):
            then()

    return step
