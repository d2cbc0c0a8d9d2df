"""Goals as terms."""

from ._parser import parse_term
from ._terms import Atom, Clause, Compound, Constant, Literal, Term


def conjunction(body):
    """The body of a clause as one term."""
    terms = [each.to_term() for each in body]
    if not terms:
        return Constant("true")
    goal = terms.pop()
    while terms:
        goal = Compound(",", (terms.pop(), goal))
    return goal


def goal_term(goal):
    """A goal as one term: from text, an atom, a literal, a clause without head or a list of literals."""
    if isinstance(goal, str):
        term = parse_term(goal)
        if type(term) is Compound and term.functor in ("?-", ":-") and len(term.args) == 1:
            term = term.args[0]
        return term
    if isinstance(goal, Term):
        return goal
    if isinstance(goal, Atom):
        return goal.to_term()
    if isinstance(goal, Literal):
        return goal.to_term()
    if isinstance(goal, Clause):
        if goal.head is not None and goal.body:
            raise ValueError(f"Expected a goal, got the clause {goal}")
        return conjunction(goal.body) if goal.head is None else goal.head.to_term()
    if isinstance(goal, (list, tuple)):
        return conjunction([Clause(None, [each]).body[0] for each in goal])
    raise TypeError(f"A goal must be text, an atom or a list of literals, got {type(goal).__name__}.")
