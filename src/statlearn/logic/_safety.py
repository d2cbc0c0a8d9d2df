"""Which variables of an answer-set rule get values."""

from ._asp_reader import Cardinality
from ._joins import bound_variables
from ._terms import Literal

_PROLOG_ONLY = ("is", ";", "->", ",", "!", "call", "=..", "=:=", "=\\=")


def check_safe(rule):
    """Raise if neither a positive literal of the body nor an equation gives a variable of the rule its value."""
    literals = [each for each in rule.body if isinstance(each, Literal)]
    strange = next((each for each in literals if each.atom.predicate in _PROLOG_ONLY), None)
    if strange is not None:
        raise ValueError(
            f"{strange.atom.indicator} of Prolog is not available in answer-set programs: {rule.text or rule}. Write "
            "X = Y + 1 for arithmetic, and one rule for each alternative."
        )
    bound = bound_variables(literals)
    needed = {v for each in literals for v in each.variables()}
    for head, condition in rule.heads:
        local = bound_variables(condition, bound)
        needed |= (set(head.variables()) | {v for c in condition for v in c.variables()}) - local
    for card in (each for each in rule.body if isinstance(each, Cardinality)):
        for literal, condition in card.elements:
            local = bound_variables([literal, *condition], bound)
            needed |= {v for each in (literal, *condition) for v in each.variables()} - local
    loose = sorted(v.name for v in needed - bound)
    if loose:
        what = "fact" if rule.heads and not rule.body else "rule"
        raise ValueError(
            f"The variable {loose[0]} of the {what} {rule.text or rule} is unsafe: it must occur in a positive body "
            "literal, or in an equation that has one solution."
        )
