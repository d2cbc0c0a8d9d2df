"""Intervals ``low..high`` of answer-set programs, taken out of the atoms."""

from dataclasses import replace

from ._terms import Atom, Compound, Literal, Variable

INTERVAL = ".."


def interval_of(literal):
    """(low, high, other side) if an equation has an interval on one side, else None."""
    for side, other in (literal.args, literal.args[::-1]):
        if isinstance(side, Compound) and side.functor == INTERVAL:
            return (*side.args, other)
    return None


def without_intervals(rule):
    """The rule with ``p(V), V = 1..3`` for ``p(1..3)``; in braces the equation is a condition of the element."""
    names = _Fresh()
    body = []
    for each in rule.body:
        if isinstance(each, Literal):
            body += names.literal(each)
        else:
            body.append(replace(each, elements=[names.element(*element) for element in each.elements]))
    heads = []
    for head, condition in rule.heads:
        atom, equations = names.atom(head)
        condition = [literal for each in condition for literal in names.literal(each)]
        if rule.choice:
            heads.append((atom, condition + equations))
        else:
            heads.append((atom, condition))
            body += equations
    return replace(rule, heads=heads, body=body)


class _Fresh:
    """New variables for intervals, and the equations that assign their values."""

    def __init__(self):
        self.n = 0

    def _term(self, term, equations):
        if not isinstance(term, Compound):
            return term
        args = [self._term(arg, equations) for arg in term.args]
        if term.functor != INTERVAL or len(args) != 2:
            return Compound(term.functor, args)
        self.n += 1
        variable = Variable(f"_{self.n}..")  # a name that no text contains
        equations.append(Literal(Atom("=", [variable, Compound(INTERVAL, args)])))
        return variable

    def atom(self, atom):
        equations = []
        return Atom(atom.predicate, [self._term(arg, equations) for arg in atom.args]), equations

    def literal(self, literal):
        if not literal.negated and literal.predicate == "=" and interval_of(literal):
            return [literal]
        atom, equations = self.atom(literal.atom)
        return [Literal(atom, literal.negated), *equations]

    def element(self, literal, condition):
        first, *equations = self.literal(literal)
        return first, [*(part for each in condition for part in self.literal(each)), *equations]
