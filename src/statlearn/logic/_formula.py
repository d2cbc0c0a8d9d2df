"""Formulas of propositional and predicate logic, and their reader."""

import re

from ._errors import PrologSyntaxError
from ._parser import parse_term
from ._printer import format_term
from ._terms import Atom, Constant, Term, Variable

MAX_DEPTH = 100
QUANTIFIERS = ("forall", "exists")
_CONSTANTS = ("true", "false")
_N_PARTS = {"atom": 1, "true": 0, "false": 0, "not": 1, "and": None, "or": None, "implies": 2, "iff": 2}
_N_PARTS |= dict.fromkeys(QUANTIFIERS, 1)
_BINDING = {"iff": 0, "implies": 1, "or": 2, "and": 3, "not": 4, "atom": 5, "true": 5, "false": 5}

_SYMBOLS = {
    **dict.fromkeys(("<->", "<=>", "↔", "⇔", "iff"), "iff"),
    **dict.fromkeys(("->", "=>", "→", "⇒", "implies"), "implies"),
    **dict.fromkeys(("|", "||", ";", "\\/", "∨", "or"), "or"),
    **dict.fromkeys(("&", "&&", "/\\", "∧", "and"), "and"),
    **dict.fromkeys(("~", "¬", "\\+", "!", "-", "not"), "not"),
    **dict.fromkeys(("∀", "forall"), "forall"),
    **dict.fromkeys(("∃", "exists"), "exists"),
    **dict.fromkeys(("⊤", "true"), "true"),
    **dict.fromkeys(("⊥", "false"), "false"),
}
_TOKEN = re.compile(
    r"""(?P<space>\s+)
  | (?P<symbol><->|<=>|->|=>|\|\||&&|\\/|/\\|\\\+|[↔⇔→⇒|;∨&∧~¬!∀∃⊤⊥-])
  | (?P<word>[^\W\d]\w*)
  | (?P<quoted>'(?:[^'\\\n]|''|\\.)*')
  | (?P<solo>[():.,])""",
    re.VERBOSE,
)
_ARGUMENT = re.compile(r"'(?:[^'\\\n]|''|\\.)*'|\"(?:[^\"\\\n]|\"\"|\\.)*\"|[()]|[^()'\"]+")


class Formula:
    """Formula of propositional or predicate logic.

    Parameters
    ----------
    kind : {"atom", "true", "false", "not", "and", "or", "implies", "iff", "forall", "exists"}
        Connective or quantifier.
    args : sequence of Formula, str or Atom, default=()
        Parts; the atom itself for "atom", the formula in the scope for a quantifier.
    variable : Variable, str or None, default=None
        The variable that a quantifier binds.

    See Also
    --------
    to_cnf, to_dnf, to_clauses : normal forms.

    Notes
    -----
    :meth:`of` reads text: ``not``, ``and``, ``or``, ``implies``, ``iff``, ``forall X:``, ``exists X:``, or the usual
    symbols (``~ & | -> <->``, ``¬ ∧ ∨ → ↔ ∀ ∃``). They bind in this order, "not" first; implications group to the
    right, and the scope of a quantifier extends as far to the right as possible. Atoms are written as in Prolog:
    names begin with a lower-case letter, variables with a capital one. An atom without arguments may be any word.

    Examples
    --------
    >>> from statlearn.logic import Formula
    >>> formula = Formula.of("p -> (q | ~r)")
    >>> formula
    p implies q or not r
    >>> formula.evaluate({"p": True, "q": False, "r": True})
    False
    >>> Formula.of("forall X: (human(X) -> mortal(X))")
    forall X: (human(X) implies mortal(X))
    """

    __slots__ = ("args", "depth", "kind", "variable")

    def __init__(self, kind, args=(), variable=None):
        if kind == "atom":
            args = (args if isinstance(args, Atom) else Atom.of(args),)
            depth = 0
        else:
            args = (args,) if isinstance(args, (str, Atom, Formula)) else args
            args = tuple(Formula.of(each) for each in args)
            depth = 1 + max((each.depth for each in args), default=0)
        expected = _N_PARTS.get(kind, -1)
        if expected == -1:
            names = ", ".join(map(repr, _N_PARTS))
            raise ValueError(f"`kind` must be one of {names}, got {kind!r}.")
        if expected is not None and len(args) != expected:
            raise ValueError(f"`args` of {kind!r} must contain {expected} parts, got {len(args)}.")
        if depth > MAX_DEPTH:
            raise ValueError(f"The formula is nested too deeply: at most {MAX_DEPTH} levels are supported.")
        if (variable is not None) != (kind in QUANTIFIERS):
            raise ValueError(f"`variable` must be given for quantifiers only, got {variable!r} with {kind!r}.")
        self.kind = kind
        self.args = args
        self.variable = Variable(variable) if isinstance(variable, str) else variable
        self.depth = depth

    @classmethod
    def of(cls, value):
        """The formula of a text, an atom, a truth value or a formula."""
        if isinstance(value, Formula):
            return value
        if isinstance(value, bool):
            return cls("true" if value else "false")
        if isinstance(value, (Atom, Term)):
            return cls("atom", Atom.of(value))
        if isinstance(value, str):
            return _FormulaReader(value).formula()
        raise TypeError(f"A formula must be text, an Atom or a Formula, got {type(value).__name__}.")

    def atoms(self):
        """The distinct atoms, in the order in which they occur."""
        return list(dict.fromkeys(part.args[0] for part in self._parts() if part.kind == "atom"))

    @property
    def has_quantifiers(self):
        """Whether a quantifier occurs."""
        return any(part.kind in QUANTIFIERS for part in self._parts())

    def _parts(self):
        stack = [self]
        while stack:
            part = stack.pop()
            yield part
            if part.kind != "atom":
                stack.extend(reversed(part.args))

    def evaluate(self, values):
        """Truth value of a formula without quantifiers.

        Parameters
        ----------
        values : mapping of atom or str to bool
            Truth value of every atom.

        Returns
        -------
        bool
        """
        if self.has_quantifiers:
            raise ValueError(f"A formula with quantifiers has no truth table: {self}.")
        known = {
            _proposition(key) if isinstance(key, str) else Atom.of(key): bool(v) for key, v in dict(values).items()
        }
        missing = [str(Formula("atom", atom)) for atom in self.atoms() if atom not in known]
        if missing:
            raise ValueError(f"`values` must contain every atom; missing: {', '.join(missing)}.")
        return self._value(known)

    def _value(self, known):
        if self.kind == "atom":
            return known[self.args[0]]
        values = [each._value(known) for each in self.args]
        if self.kind == "not":
            return not values[0]
        if self.kind == "implies":
            return not values[0] or values[1]
        if self.kind == "iff":
            return values[0] == values[1]
        return all(values) if self.kind in ("and", "true") else any(values)

    def __and__(self, other):
        return Formula("and", (self, other))

    def __or__(self, other):
        return Formula("or", (self, other))

    def __invert__(self):
        return Formula("not", (self,))

    def __rshift__(self, other):
        return Formula("implies", (self, other))

    def __eq__(self, other):
        return type(other) is Formula and (self.kind, self.args, self.variable) == (
            other.kind,
            other.args,
            other.variable,
        )

    def __hash__(self):
        return hash((self.kind, self.args, self.variable))

    def __reduce__(self):
        return Formula, (self.kind, self.args[0] if self.kind == "atom" else self.args, self.variable)

    def __repr__(self):
        if self.kind == "atom":
            return format_atom(self.args[0])
        if self.kind in _CONSTANTS:
            return self.kind
        if self.kind in QUANTIFIERS:
            return f"{self.kind} {self.variable}: {self.args[0]._within(5)}"
        if self.kind == "not":
            return f"not {self.args[0]._within(4)}"
        binding = _BINDING[self.kind]
        if self.kind == "implies":
            return f"{self.args[0]._within(binding + 1)} implies {self.args[1]._within(binding)}"
        if len(self.args) < 2:  # a conjunction or disjunction of none is "true" or "false"
            return self.args[0]._within(binding) if self.args else "true" if self.kind == "and" else "false"
        return f" {self.kind} ".join(each._within(2 if self.kind == "iff" else 4) for each in self.args)

    def _within(self, binding):
        text = repr(self)
        return f"({text})" if self.kind in QUANTIFIERS or _BINDING[self.kind] < binding else text


def format_atom(atom):
    """Text of an atom; a proposition that is a plain word stands without quotes."""
    if not atom.args and atom.predicate.isidentifier() and atom.predicate not in _SYMBOLS:
        return atom.predicate
    text = format_term(atom.to_term())
    return f"'{text}'" if text in _SYMBOLS else text


def _proposition(text):
    """Atom of an atom or a text: a plain word, or an atom with arguments."""
    return Atom(text) if isinstance(text, str) and text.isidentifier() else Atom.of(text)


class _FormulaReader:
    """Recursive descent over the tokens of a formula."""

    def __init__(self, text):
        self.text = text
        self.at = self.start = 0
        self.depth = 0
        self.advance()

    def fail(self, message):
        line = self.text.count("\n", 0, self.start) + 1
        begin = self.text.rfind("\n", 0, self.start) + 1
        shown = self.text[begin:].split("\n", 1)[0]
        raise PrologSyntaxError(message, line, self.start - begin + 1, shown if len(shown) <= 200 else "")

    def advance(self):
        """Move to the next token: `kind` is a connective, an atom's first word, a bracket or None at the end."""
        while (match := _TOKEN.match(self.text, self.at)) is not None and match.lastgroup == "space":
            self.at = match.end()
        self.start = self.at
        if match is None:
            if self.at < len(self.text):
                self.fail(f"unexpected character {self.text[self.at]!r}")
            self.kind, self.token = None, ""
            return
        self.at, self.token = match.end(), match[0]
        group = match.lastgroup
        self.kind = self.token if group == "solo" else _SYMBOLS.get(self.token, "atom") if group != "quoted" else "atom"

    def formula(self):
        try:
            value = self.level("iff")
        except RecursionError:
            self.fail("the formula is nested too deeply")
        if self.kind == ".":
            self.advance()
        if self.kind is not None:
            self.fail(f"expected a connective or the end of the formula, found {self.token!r}")
        return value

    def level(self, name):
        """Operands joined by connectives that bind at least as tightly as this one."""
        self.depth += 1
        if self.depth > 5 * MAX_DEPTH:
            self.fail(f"the formula is nested too deeply: at most {MAX_DEPTH} levels are supported")
        if name == "iff":
            value = self.level("implies")
            while self.kind == "iff":
                self.advance()
                value = Formula("iff", (value, self.level("implies")))
        elif name == "implies":
            value = self.level("or")
            if self.kind == "implies":
                self.advance()
                value = Formula("implies", (value, self.level("implies")))
        else:
            inner = self.unary if name == "and" else lambda: self.level("and")
            parts = [inner()]
            while self.kind == name:
                self.advance()
                parts.append(inner())
            value = parts[0] if len(parts) == 1 else Formula(name, parts)
        self.depth -= 1
        return value

    def unary(self):
        self.depth += 1
        kind = self.kind
        if kind == "not":
            self.advance()
            if self.depth > 5 * MAX_DEPTH:
                self.fail(f"the formula is nested too deeply: at most {MAX_DEPTH} levels are supported")
            value = Formula("not", (self.unary(),))
        elif kind in QUANTIFIERS:
            value = self.quantified(kind)
        elif kind in _CONSTANTS:
            self.advance()
            value = Formula(kind)
        elif kind == "(":
            self.advance()
            value = self.level("iff")
            if self.kind != ")":
                self.fail(f"expected ')', found {self.token or 'the end of the formula'!r}")
            self.advance()
        elif kind == "atom":
            value = Formula("atom", self.atom())
        else:
            self.fail(f"expected an atom, found {self.token or 'the end of the formula'!r}")
        self.depth -= 1
        return value

    def quantified(self, kind):
        names = []
        while True:
            self.advance()
            if self.kind != "atom" or not (self.token[0].isupper() or self.token[0] == "_"):
                self.fail(f"expected a variable (a word that begins with a capital letter), found {self.token!r}")
            names.append(self.token)
            self.advance()
            if self.kind != ",":
                break
        if self.kind in (":", "."):
            self.advance()
        value = self.level("iff")
        for name in reversed(names):
            value = Formula(kind, (value,), name)
        return value

    def atom(self):
        word, begin = self.token, self.start
        if not self.text.startswith("(", self.at):
            self.advance()
            return Atom(parse_term(word).name) if word.startswith("'") else Atom(word)
        if word[0].isupper():
            self.fail(f"a predicate must begin with a lower-case letter, got {word!r}: capitals mark variables")
        depth, at = 0, self.at
        while True:
            piece = _ARGUMENT.match(self.text, at)
            if piece is None:
                self.fail(f"the arguments of {word!r} are not closed")
            at = piece.end()
            depth += {"(": 1, ")": -1}.get(piece[0], 0)
            if depth == 0:
                break
        try:
            term = parse_term(self.text[begin:at])
        except PrologSyntaxError as error:
            self.fail(f"cannot read the atom {self.text[begin:at]!r}: {error}")
        except RecursionError:
            self.fail(f"the atom {word!r} is nested too deeply")
        self.at = at
        self.advance()
        return Atom.from_term(term)


def function_names(formula):
    """Names of all functions and constants in the atoms."""
    from ._terms import Compound, subterms

    names = set()
    for atom in formula.atoms():
        for term in atom.args:
            for each in subterms(term):
                if type(each) is Compound:
                    names.add(each.functor)
                elif type(each) is Constant:
                    names.add(str(each.name))
    return names
