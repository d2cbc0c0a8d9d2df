"""Metarules: clauses with variables instead of predicates."""

import re

from ._parser import parse_term
from ._terms import Compound, Constant, Variable, list_items, make_list

KNOWN = {
    "ident": "P(A,B) :- Q(A,B)",
    "inverse": "P(A,B) :- Q(B,A)",
    "chain": "P(A,B) :- Q(A,C), R(C,B)",
    "tail_recursion": "P(A,B) :- Q(A,C), P(C,B)",
    "precondition": "P(A,B) :- Q(A), R(A,B)",
    "postcondition": "P(A,B) :- Q(A,B), R(B)",
    "conjunction": "P(A,B) :- Q(A,B), R(A,B)",
    "monadic_ident": "P(A) :- Q(A)",
    "monadic_conjunction": "P(A) :- Q(A), R(A)",
    "monadic_chain": "P(A) :- Q(A,B), R(B)",
    "monadic_recursion": "P(A) :- Q(A,B), P(B)",
}
_LITERAL = re.compile(r"\s*(?:(?P<name>[A-Za-z]\w*)\s*\(\s*(?P<args>[^()]*)\)|(?P<bare>[A-Za-z]\w*))\s*")
_ARROW = re.compile(r":-|<-|←")


class MetaRule:
    """A clause with variables instead of predicates, such as ``P(A,B) :- Q(A,C), R(C,B)``.

    Parameters
    ----------
    rule : str
        The name of a known rule ("ident", "inverse", "chain", "tail_recursion", "precondition", "postcondition",
        "conjunction", "monadic_ident", "monadic_conjunction", "monadic_chain", "monadic_recursion"), a clause with
        capital letters as predicates, or ``metarule(name, [P,Q,R], [P,A,B], [[Q,A,C],[R,C,B]])``.
    name : str or None, default=None
        A name; by default that of the known rule.

    Attributes
    ----------
    name : str
    symbols : list of str
        The predicate variables, the head's first.
    head : list
        Predicate variable and arguments.
    body : list of lists

    Examples
    --------
    >>> from statlearn.logic import MetaRule
    >>> MetaRule("chain")
    chain: P(A,B) :- Q(A,C), R(C,B)
    >>> MetaRule("metarule(tail, [P,Q], [P,A,B], [[Q,A,C],[P,C,B]])")
    tail: P(A,B) :- Q(A,C), P(C,B)
    >>> MetaRule("P(A) :- Q(A,B), R(B)", name="step").symbols
    ['P', 'Q', 'R']
    """

    def __init__(self, rule, name=None):
        text = KNOWN.get(rule, rule) if isinstance(rule, str) else rule
        if not isinstance(text, str):
            raise TypeError(f"A metarule must be text, got {type(rule).__name__}.")
        if text.lstrip().startswith("metarule("):
            declared, self.head, self.body = _from_declaration(text)
            self.name = name or declared
        else:
            self.head, self.body = _from_clause(text)
            self.name = name or (rule if rule in KNOWN else _name_of(text))
        self.symbols = list(dict.fromkeys(lit[0] for lit in (self.head, *self.body) if lit[0][0].isupper()))
        if not self.head[0][0].isupper():
            raise ValueError(f"The head of a metarule must have a variable as predicate, got {self.head[0]!r}.")

    @classmethod
    def of(cls, value):
        """The metarule of a text, or the metarule itself."""
        return value if isinstance(value, MetaRule) else cls(value)

    @property
    def arity(self):
        """Number of arguments of the head."""
        return len(self.head) - 1

    def to_term(self):
        """``rule(name, [P,Q,R], [P,A,B], [[Q,A,C],[R,C,B]])`` as a term."""

        def items(words):
            return make_list([Variable(w) if w[0].isupper() or w[0] == "_" else Constant(w) for w in words])

        return Compound(
            "$rule",
            (Constant(self.name), items(self.symbols), items(self.head), make_list([items(lit) for lit in self.body])),
        )

    def __eq__(self, other):
        return isinstance(other, MetaRule) and repr(other) == repr(self)

    def __hash__(self):
        return hash(repr(self))

    def __repr__(self):
        def shown(words):
            return f"{words[0]}({','.join(words[1:])})" if len(words) > 1 else words[0]

        body = ", ".join(map(shown, self.body))
        return f"{self.name}: {shown(self.head)}" + (f" :- {body}" if body else "")


def _name_of(text):
    return re.sub(r"\W+", "_", text).strip("_").lower()


def _from_clause(text):
    head, *rest = _ARROW.split(text.strip().rstrip("."))
    if len(rest) > 1:
        raise ValueError(f"A metarule has one arrow, got {text!r}.")
    heads = _literals(head, text)
    if len(heads) != 1:
        raise ValueError(f"A metarule has one head, got {text!r}. The known names are {', '.join(KNOWN)}.")
    return heads[0], _literals(rest[0], text) if rest else []


def _literals(part, text):
    literals, at = [], 0
    while at < len(part):
        match = _LITERAL.match(part, at)
        if match is None:
            raise ValueError(f"A metarule looks like 'P(A,B) :- Q(A,C), R(C,B)', got {text!r}.")
        args = [] if match["args"] is None else [arg.strip() for arg in match["args"].split(",")]
        if match["name"] and not all(re.fullmatch(r"\w+", arg) for arg in args):
            raise ValueError(f"The arguments of a metarule are variables or names, got {match[0].strip()!r}.")
        literals.append([match["name"] or match["bare"], *args])
        at = match.end()
        if at < len(part):
            if part[at] != ",":
                raise ValueError(f"Expected a comma in the metarule {text!r} before {part[at:]!r}.")
            at += 1
    if any(len(lit) == 1 and lit[0][0].islower() for lit in literals):
        raise ValueError(f"{text!r} is not a metarule. The known names are {', '.join(KNOWN)}.")
    return literals


def _from_declaration(text):
    term = parse_term(text.strip().rstrip("."))
    if len(term.args) not in (3, 4):
        raise ValueError(f"A declaration is metarule(name, symbols, head, body), got {text!r}.")
    *named, _, head, body = term.args
    name = named[0].name if named else "metarule"
    literals = [list_items(each) for each in list_items(body) or []]
    head = list_items(head)
    if head is None or any(each is None for each in literals):
        raise ValueError(f"Head and body literals of a metarule are lists such as [P,A,B], got {text!r}.")
    return name, [each.name for each in head], [[each.name for each in lit] for lit in literals]
