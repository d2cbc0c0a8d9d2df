"""Mode declarations: which literals a learner may use, and how their arguments are linked."""

import numbers

from ._parser import parse, parse_term
from ._terms import Atom, Clause, Compound, Constant, Literal

_MARKS = ("+", "-", "#")


def without_arrow(text):
    """The declaration in a directive of Aleph's files, ``:- modeh(1, happy(+person)).``"""
    text = text.strip()
    return text[2:].strip().removesuffix(".") if text.startswith(":-") else text


class _Mode:
    keyword = ""

    def __init__(self, template, recall="*"):
        if recall != "*" and (isinstance(recall, bool) or not isinstance(recall, numbers.Integral) or recall < 1):
            raise ValueError(f"`recall` must be a positive integer or '*', got {recall!r}.")
        term = parse_term(without_arrow(template)) if isinstance(template, str) else template
        if isinstance(term, Compound) and term.functor in ("modeh", "modeb") and len(term.args) in (1, 2):
            if term.functor != self.keyword:
                raise ValueError(f"{type(self).__name__} declares {self.keyword}, got {term}.")
            declared = _declared(Atom.from_term(term))
            recall = declared.recall if recall == "*" else recall
            term = term.args[-1]
        if isinstance(term, Compound) and len(term.args) == 1 and term.functor in ("not", "\\+"):
            self.negated = True
            term = term.args[0]
        else:
            self.negated = False
        self.recall = recall if recall == "*" else int(recall)
        self.atom = Atom.of(term)
        self.arguments = [self._argument(arg) for arg in self.atom.args]

    def _argument(self, arg):
        if isinstance(arg, Compound) and arg.functor in _MARKS and len(arg.args) == 1:
            kind = arg.args[0]
            if isinstance(kind, Constant) and isinstance(kind.name, str):
                return arg.functor, kind.name
        if isinstance(arg, Constant):
            return "=", arg  # a fixed constant
        raise ValueError(
            f"An argument of a mode must be +type, -type, #type or a constant, got {arg} in {self.atom.predicate}."
        )

    @classmethod
    def of(cls, value):
        """The mode of a text such as ``"modeb(*, parent(+person, -person))"`` or of a template alone."""
        if isinstance(value, _Mode):
            return value
        term = parse_term(without_arrow(value)) if isinstance(value, str) else value
        if isinstance(term, Compound) and term.functor in ("modeh", "modeb"):
            return _declared(Atom.from_term(term))
        return cls(term)

    @property
    def most(self):
        """Largest number of answers."""
        return None if self.recall == "*" else self.recall

    @property
    def predicate(self):
        return self.atom.predicate

    @property
    def arity(self):
        return self.atom.arity

    @property
    def indicator(self):
        return self.atom.indicator

    def __eq__(self, other):
        return type(other) is type(self) and repr(other) == repr(self)

    def __hash__(self):
        return hash(repr(self))

    def __repr__(self):
        args = ", ".join(repr(t) if mark == "=" else f"{mark}{t}" for mark, t in self.arguments)
        text = f"{self.atom.predicate}({args})" if args else self.atom.predicate
        return f"{self.keyword}({self.recall}, {'not ' if self.negated else ''}{text})"


class ModeH(_Mode):
    """A mode of the head of rules.

    Parameters
    ----------
    template : str, Atom or Term
        The predicate with an argument mark each: ``+type`` a variable that the call binds, ``-type`` one that the
        rule binds, ``#type`` a constant.
    recall : int or "*", default="*"
        Kept as declared; learners need one head only.

    See Also
    --------
    ModeB : modes of body literals.

    Examples
    --------
    >>> from statlearn.logic import ModeH
    >>> ModeH("happy(+person)", recall=1)
    modeh(1, happy(+person))
    """

    keyword = "modeh"


class ModeB(_Mode):
    """A mode of body literals.

    Parameters
    ----------
    template : str, Atom or Term
        The predicate with an argument mark each: ``+type`` a variable bound before, ``-type`` one that this literal
        binds, ``#type`` a constant; ``not`` in front allows the negated literal.
    recall : int or "*", default="*"
        Largest number of answers (in a bottom clause) or occurrences (in ASPAL's rules).

    See Also
    --------
    ModeH : modes of the head.
    bottom_clause : the literals that modes allow for an example.

    Examples
    --------
    >>> from statlearn.logic import ModeB
    >>> ModeB("not can(+bird, #ability)")
    modeb(*, not can(+bird, #ability))
    >>> ModeB.of("modeb(2, parent(+person, -person))").recall
    2
    """

    keyword = "modeb"


def _declared(atom):
    if atom.predicate not in ("modeh", "modeb") or atom.arity not in (1, 2):
        raise ValueError(f"A mode is modeh(recall, template) or modeb(recall, template), got {atom}.")
    template = atom.args[-1]
    recall = "*" if atom.arity == 1 else atom.args[0].name if isinstance(atom.args[0], Constant) else None
    return (ModeH if atom.predicate == "modeh" else ModeB)(template, recall)


def _determination(atom):
    """The predicate and the one that its rules may use, of ``determination(happy/1, builder/1)``."""
    pairs = []
    for arg in atom.args:
        parts = arg.args if isinstance(arg, Compound) and arg.functor == "/" and len(arg.args) == 2 else ()
        if len(parts) != 2 or not all(isinstance(part, Constant) for part in parts):
            raise ValueError(f"A determination is determination(name/arity, name/arity), got {atom}.")
        pairs.append((parts[0].name, parts[1].name))
    if len(pairs) != 2:
        raise ValueError(f"A determination is determination(name/arity, name/arity), got {atom}.")
    return tuple(pairs)


def _declaration(clause):
    """The atom of a clause, or of a directive ``:- modeb(*, parent(+p, -p)).``"""
    if not isinstance(clause, Clause):
        return clause
    if clause.head is not None and not clause.body:
        return clause.head
    if clause.head is None and len(clause.body) == 1 and not clause.body[0].negated:
        return clause.body[0].atom
    raise ValueError(f"Modes are declarations such as ':- modeb(*, parent(+person, -person)).', got {clause}.")


def read_modes(modes, head=None):
    """Head modes and body modes, from text, a program or a list of modes.

    Text is read in the form of Aleph's files, too. Where determinations are given for the predicate of `head`, only the
    predicates that they name may stand in bodies.
    """
    if modes is None:
        modes = []
    if isinstance(modes, str):
        modes = parse(modes, need_end=False)
    determined = {}
    declarations = []
    for each in modes:
        atom = _declaration(each)
        if isinstance(atom, Atom) and atom.predicate == "determination":
            target, used = _determination(atom)
            determined.setdefault(target, set()).add(used)
        else:
            declarations.append(atom)
    checked = []
    for each in declarations:
        if isinstance(each, _Mode):
            checked.append(each)
        elif isinstance(each, Atom):
            checked.append(_declared(each))
        else:
            declared = isinstance(each, str) and without_arrow(each).startswith("mode")
            checked.append(_Mode.of(each) if declared else ModeB(each))
    heads = [mode for mode in checked if isinstance(mode, ModeH)]
    bodies = [mode for mode in checked if not isinstance(mode, ModeH)]
    if any(mode.negated for mode in heads):
        raise ValueError("The head of a rule cannot be negated.")
    if head is not None:
        predicate, arity = head
        fits = [mode for mode in heads if mode.predicate == predicate and mode.arity == arity]
        if heads and not fits:
            raise ValueError(
                f"No modeh declares {predicate}/{arity}; declared: {', '.join(m.indicator for m in heads)}."
            )
        heads = fits
        if (predicate, arity) in determined:
            bodies = [mode for mode in bodies if (mode.predicate, mode.arity) in determined[predicate, arity]]
    return heads, bodies


def mode_literal(mode, args):
    """The literal of a mode with these arguments."""
    return Literal(Atom(mode.predicate, args), mode.negated)
