"""Printer of terms and clauses, which the parser reads back."""

import math
import re

from ._terms import DOT, NIL, Clause, Compound, Constant, Variable, subterms

_PLAIN = re.compile(r"[^\W\d_]\w*|[+\-*/\\^<>=~:.?@#&$]+|\[\]|!|;|\{\}")
_ANONYMOUS = re.compile(r"_\d+")


def format_clause(clause):
    """The text of a clause, with a full stop.

    Parameters
    ----------
    clause : Clause, Atom or str

    Returns
    -------
    str
        The parser reads it back as the same clause. Variables that occur once and were written ``_`` are printed so.

    Examples
    --------
    >>> from statlearn.logic import Clause, format_clause
    >>> format_clause(Clause("penguin(A)", ["bird(A)", "not can(A, fly)"]))
    'penguin(A) :- bird(A), not can(A, fly).'
    """
    clause = Clause.of(clause)
    parts = ([] if clause.head is None else [clause.head]) + [each.atom for each in clause.body]
    counts = {}
    for part in parts:
        for term in part.args:
            for each in subterms(term):
                if type(each) is Variable:
                    counts[each.name] = counts.get(each.name, 0) + 1
    single = {name for name, count in counts.items() if count == 1 and _ANONYMOUS.fullmatch(name)}
    # Anonymous variables are numbered in their order by the parser: others would get new names.
    order = [name for name in counts if _ANONYMOUS.fullmatch(name)]
    if order != [f"_{k + 1}" for k in range(len(order))] or len(single) < len(order):
        single = set()
    write = _TermWriter(single)
    head = "" if clause.head is None else write.term(clause.head.to_term(), 999)
    body = ", ".join(write.literal(each) for each in clause.body)
    if clause.head is None:
        return f":- {body or 'true'}."
    return f"{head} :- {body}." if body else f"{head}."


def format_term(term):
    """The text of a term."""
    return _TermWriter(()).term(term, 1200)


def format_literal(literal):
    """The text of a literal."""
    return _TermWriter(()).literal(literal)


def quote(name):
    """The name as the parser reads it."""
    if _PLAIN.fullmatch(name) and not name[0].isupper():
        return name
    escaped = name.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\t", "\\t")
    escaped = escaped.replace("\r", "\\r").replace("\0", "\\0").replace("\a", "\\a")
    return f"'{escaped}'"


class _TermWriter:
    def __init__(self, single):
        self.single = single

    def literal(self, literal):
        term = literal.atom.to_term()
        if not literal.negated:
            return self.term(term, 999)
        inner = self.term(term, 899)
        return f"not {inner}"

    def term(self, term, limit):
        """The text of a term, in brackets if its operator binds less tightly than the limit; terms may be deep."""
        words, stack = [], [(term, limit)]
        while stack:
            part = stack.pop()
            if type(part) is str:
                words.append(part)
            else:
                stack += reversed(self._parts(*part))
        return "".join(words)

    def _parts(self, term, limit):
        """Text and further terms, each with its limit, that a term is written of."""
        from ._parser import INFIX, PREFIX

        if type(term) is Variable:
            return ["_" if term.name in self.single else term.name]
        if type(term) is Constant:
            text = self.constant(term.name)
            operator = isinstance(term.name, str) and (term.name in INFIX or term.name in PREFIX)
            return [f"({text})" if operator and limit < 1200 else text]
        if term.functor == DOT and len(term.args) == 2:
            return self.list(term)
        if len(term.args) == 2 and term.functor in INFIX:
            return self.infix(term, limit, *INFIX[term.functor])
        if len(term.args) == 1 and term.functor in PREFIX and term.functor not in (":-", "?-"):
            return self.prefix(term, limit, PREFIX[term.functor])
        return [f"{quote(term.functor)}(", *_separated(term.args), ")"]

    def constant(self, value):
        if isinstance(value, str):
            return quote(value)
        if isinstance(value, float):
            if math.isinf(value):
                return "inf" if value > 0 else "-inf"
            text = repr(value)
            if "e" in text and "." not in text:
                text = text.replace("e", ".0e")
            return text
        return str(value)

    def infix(self, term, limit, priority, kind):
        left = (term.args[0], priority if kind == "yfx" else priority - 1)
        right = (term.args[1], priority if kind == "xfy" else priority - 1)
        parts = [left, ", " if term.functor == "," else f" {term.functor} ", right]
        return ["(", *parts, ")"] if priority > limit else parts

    def prefix(self, term, limit, priority):
        if term.functor not in ("not", "\\+"):  # "-(1)" is not the number -1
            return [f"{term.functor}(", (term.args[0], 999), ")"]
        parts = [f"{term.functor} ", (term.args[0], priority)]
        return ["(", *parts, ")"] if priority > limit else parts

    def list(self, term):
        items = []
        while type(term) is Compound and term.functor == DOT and len(term.args) == 2:
            items.append(term.args[0])
            term = term.args[1]
        if type(term) is Constant and term.name == NIL:
            return ["[", *_separated(items), "]"]
        return ["[", *_separated(items), "|", (term, 999), "]"]


def _separated(terms):
    """Arguments with commas between them."""
    parts = []
    for term in terms:
        parts += [", ", (term, 999)]
    return parts[1:]
