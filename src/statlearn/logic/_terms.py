"""Terms, atoms, literals, clauses and programs."""

import numbers

NIL = "[]"
DOT = "."


class Term:
    """Base class of variables, constants and compound terms.

    Terms are immutable and hashable; two terms are equal if they are written alike. Use :meth:`of` to make a term of a
    Python value, and :attr:`value` for the way back.

    Parameters
    ----------
    None

    See Also
    --------
    Variable, Constant, Compound : the three kinds.

    Examples
    --------
    >>> from statlearn.logic import Term
    >>> Term.of(["a", 1, 2.5])
    [a, 1, 2.5]
    >>> Term.of("f(X, [1])").variables()
    [X]
    """

    __slots__ = ()

    @staticmethod
    def of(value):
        """The term of a Python value.

        Parameters
        ----------
        value : Term, Atom, str, number, bool, list or tuple
            Text is parsed. Lists and tuples become lists.

        Returns
        -------
        Term
        """
        if isinstance(value, Term):
            return value
        if isinstance(value, Atom):
            return value.to_term()
        if isinstance(value, str):
            from ._parser import parse_term

            return parse_term(value)
        if isinstance(value, bool):
            return Constant("true" if value else "false")
        if isinstance(value, numbers.Integral):
            return Constant(int(value))
        if isinstance(value, numbers.Real):
            return Constant(float(value))
        if isinstance(value, (list, tuple)):
            return make_list([Term.of(each) for each in value])
        raise TypeError(f"A term must be a Term, text, a number or a list, got {type(value).__name__}.")

    def variables(self):
        """The distinct variables, in the order in which they occur."""
        distinct = {}
        for part in subterms(self):
            if isinstance(part, Variable):
                distinct[part] = None
        return list(distinct)

    @property
    def is_ground(self):
        """Whether the term has no variables."""
        return not any(isinstance(part, Variable) for part in subterms(self))

    @property
    def value(self):
        """The Python value: text or a number for constants, a list for proper lists, otherwise the term itself."""
        return self

    def __repr__(self):
        from ._printer import format_term

        return format_term(self)

    __str__ = __repr__


class Variable(Term):
    """A logical variable.

    Parameters
    ----------
    name : str
        Begins with a capital letter or an underscore.

    Examples
    --------
    >>> from statlearn.logic import Variable
    >>> Variable("X")
    X
    """

    __slots__ = ("_hash", "name")

    def __init__(self, name):
        self.name = name
        self._hash = hash((Variable, name))

    def __eq__(self, other):
        return self is other or (type(other) is Variable and other.name == self.name)

    def __hash__(self):
        return self._hash

    def __reduce__(self):
        return Variable, (self.name,)


class Constant(Term):
    """A name or a number.

    Parameters
    ----------
    value : str, int or float
        Any text can be a name; it is quoted when printed if it has to be.

    Examples
    --------
    >>> from statlearn.logic import Constant
    >>> Constant("ann"), Constant("New York"), Constant(3)
    (ann, 'New York', 3)
    """

    __slots__ = ("_hash", "_value")

    def __init__(self, value):
        self._value = value
        self._hash = hash((type(value), value))

    @property
    def value(self):
        """The name or number; an empty Python list for the constant ``[]``."""
        return [] if self._value == NIL and type(self._value) is str else self._value

    @property
    def name(self):
        """The name or number as it is."""
        return self._value

    def __eq__(self, other):
        if self is other:
            return True
        return type(other) is Constant and type(other._value) is type(self._value) and other._value == self._value

    def __hash__(self):
        return self._hash

    def __reduce__(self):
        return Constant, (self._value,)


class Compound(Term):
    """A functor with arguments; a list is the functor ``.`` with head and tail.

    Parameters
    ----------
    functor : str
    args : sequence of Term
        At least one argument.

    Examples
    --------
    >>> from statlearn.logic import Compound, Constant, Variable
    >>> Compound("f", [Constant("a"), Variable("X")])
    f(a, X)
    """

    __slots__ = ("_hash", "args", "functor")

    def __init__(self, functor, args):
        self.functor = functor
        self.args = args if type(args) is tuple else tuple(args)
        # The tail of a list is made before its head: hashing one level is enough.
        self._hash = hash((functor, self.args))

    @property
    def value(self):
        """A Python list for a proper list, otherwise the term itself."""
        items = list_items(self)
        return self if items is None else [each.value for each in items]

    def __eq__(self, other):
        a, b = self, other
        while True:  # along the last argument, so that long lists need no recursion
            if a is b:
                return True
            if type(a) is not Compound:
                return a == b
            if type(b) is not Compound:
                return False
            if a._hash != b._hash or a.functor != b.functor or len(a.args) != len(b.args):
                return False
            if a.args[:-1] != b.args[:-1]:
                return False
            a, b = a.args[-1], b.args[-1]

    def __hash__(self):
        return self._hash

    def __reduce__(self):
        return _unfold, (_fold(self),)


def _fold(term):
    """A flat description of a term, so that long lists can be pickled."""
    flat, stack = [], [term]
    while stack:
        each = stack.pop()
        if type(each) is Compound:
            flat.append((each.functor, len(each.args)))
            stack.extend(reversed(each.args))
        else:
            flat.append(each)
    return flat


def _unfold(flat):
    stack = []
    for each in reversed(flat):
        if type(each) is tuple:
            functor, n = each
            args = tuple(stack.pop() for _ in range(n))
            stack.append(Compound(functor, args))
        else:
            stack.append(each)
    return stack[0]


def make_list(items, tail=None):
    """The list term of the items."""
    term = Constant(NIL) if tail is None else tail
    for item in reversed(items):
        term = Compound(DOT, (item, term))
    return term


def list_items(term):
    """The items of a proper list, or None."""
    items = []
    while type(term) is Compound and term.functor == DOT and len(term.args) == 2:
        items.append(term.args[0])
        term = term.args[1]
    return items if type(term) is Constant and term.name == NIL else None


def subterms(term):
    """All subterms, the term itself first, without recursion."""
    stack = [term]
    while stack:
        each = stack.pop()
        yield each
        if type(each) is Compound:
            stack.extend(reversed(each.args))


class Atom:
    """A predicate with its arguments.

    Parameters
    ----------
    predicate : str
    args : sequence, default=()
        Terms, or Python values: text is taken as a name, not parsed.

    Examples
    --------
    >>> from statlearn.logic import Atom, Variable
    >>> Atom("parent", ["ann", Variable("X")])
    parent(ann, X)
    """

    __slots__ = ("_hash", "args", "predicate")

    def __init__(self, predicate, args=()):
        self.predicate = predicate
        self.args = tuple(
            each if isinstance(each, Term) else Constant(each) if isinstance(each, str) else Term.of(each)
            for each in args
        )
        self._hash = hash((predicate, self.args))

    @classmethod
    def of(cls, value):
        """The atom of a text, a term or an atom."""
        if isinstance(value, Atom):
            return value
        if isinstance(value, str):
            from ._parser import parse_term

            value = parse_term(value)
        if isinstance(value, Clause):
            if value.body or value.head is None:
                raise ValueError(f"Expected an atom, got the clause {value}")
            return value.head
        if isinstance(value, Literal):
            return value.atom
        return cls.from_term(value)

    @classmethod
    def from_term(cls, term):
        """The atom that is written like the term."""
        if type(term) is Compound:
            return cls(term.functor, term.args)
        if type(term) is Constant and isinstance(term.name, str):
            return cls(term.name)
        raise ValueError(f"An atom must be a name or a compound term, got {term}.")

    def to_term(self):
        """The term that is written like the atom."""
        return Compound(self.predicate, self.args) if self.args else Constant(self.predicate)

    @property
    def arity(self):
        """Number of arguments."""
        return len(self.args)

    @property
    def indicator(self):
        """Name and arity, such as ``"parent/2"``."""
        return f"{self.predicate}/{len(self.args)}"

    @property
    def is_ground(self):
        """Whether the atom has no variables."""
        return all(each.is_ground for each in self.args)

    def variables(self):
        """The distinct variables, in the order in which they occur."""
        return list(dict.fromkeys(v for each in self.args for v in each.variables()))

    def __eq__(self, other):
        return type(other) is Atom and other.predicate == self.predicate and other.args == self.args

    def __hash__(self):
        return self._hash

    def __repr__(self):
        return repr(self.to_term())

    def __reduce__(self):
        return Atom, (self.predicate, self.args)


class Literal:
    """An atom or its negation as failure.

    Parameters
    ----------
    atom : Atom or str
    negated : bool, default=False

    Examples
    --------
    >>> from statlearn.logic import Literal
    >>> Literal("can(X, fly)", negated=True)
    not can(X, fly)
    """

    __slots__ = ("_hash", "atom", "negated")

    def __init__(self, atom, negated=False):
        self.atom = Atom.of(atom)
        self.negated = bool(negated)
        self._hash = hash((self.atom, self.negated))

    @property
    def predicate(self):
        return self.atom.predicate

    @property
    def args(self):
        return self.atom.args

    def variables(self):
        """The distinct variables, in the order in which they occur."""
        return self.atom.variables()

    def to_term(self):
        """The literal as a term; a negation has the functor ``not``."""
        term = self.atom.to_term()
        return Compound("not", (term,)) if self.negated else term

    def __eq__(self, other):
        return type(other) is Literal and other.negated == self.negated and other.atom == self.atom

    def __hash__(self):
        return self._hash

    def __repr__(self):
        from ._printer import format_literal

        return format_literal(self)

    def __reduce__(self):
        return Literal, (self.atom, self.negated)


class Clause:
    """A Horn or normal clause ``head :- body``.

    Parameters
    ----------
    head : Atom, str or None
        None for a goal or integrity constraint.
    body : sequence of Literal, Atom or str, default=()
        Empty for a fact.

    Examples
    --------
    >>> from statlearn.logic import Clause
    >>> clause = Clause("happy(A)", ["builder(A)", "enjoys_lego(A)"])
    >>> clause
    happy(A) :- builder(A), enjoys_lego(A).
    >>> clause.is_definite, len(clause)
    (True, 3)
    """

    __slots__ = ("_hash", "body", "head")

    def __init__(self, head, body=()):
        self.head = None if head is None else Atom.of(head)
        self.body = tuple(each if isinstance(each, Literal) else literal_of(each) for each in body)
        self._hash = hash((self.head, self.body))

    @classmethod
    def of(cls, value):
        """The clause of a text, an atom or a clause."""
        if isinstance(value, Clause):
            return value
        if isinstance(value, str):
            from ._parser import parse_clause

            return parse_clause(value)
        return cls(value)

    @property
    def is_fact(self):
        """Whether the body is empty."""
        return self.head is not None and not self.body

    @property
    def is_goal(self):
        """Whether there is no head."""
        return self.head is None

    @property
    def is_definite(self):
        """Whether there is a head, and no literal of the body is negated."""
        return self.head is not None and not any(each.negated for each in self.body)

    @property
    def is_ground(self):
        return not self.variables()

    def literals(self):
        """Head (if any) and body literals as pairs (kind, atom); kind is "head", "body" or "not"."""
        head = [] if self.head is None else [("head", self.head)]
        return head + [("not" if each.negated else "body", each.atom) for each in self.body]

    def variables(self):
        """The distinct variables, in the order in which they occur."""
        parts = ([] if self.head is None else [self.head]) + [each.atom for each in self.body]
        return list(dict.fromkeys(v for each in parts for v in each.variables()))

    def __len__(self):
        return (self.head is not None) + len(self.body)

    def __eq__(self, other):
        return type(other) is Clause and other.head == self.head and other.body == self.body

    def __hash__(self):
        return self._hash

    def __repr__(self):
        from ._printer import format_clause

        return format_clause(self)

    def __reduce__(self):
        return Clause, (self.head, self.body)


def literal_of(value):
    """The literal of a text, a term, an atom or a literal; ``not``, ``\\+`` negate."""
    if isinstance(value, Literal):
        return value
    if isinstance(value, Atom):
        return Literal(value)
    if isinstance(value, str):
        from ._parser import parse_term

        value = parse_term(value)
    if type(value) is Variable:
        return Literal(Atom("call", (value,)))
    if type(value) is Compound and len(value.args) == 1 and value.functor in ("not", "\\+"):
        inner = value.args[0]
        if type(inner) is Variable:
            return Literal(Atom("call", (inner,)), True)
        return Literal(Atom.from_term(inner), True)
    return Literal(Atom.from_term(value))


class Program:
    """A sequence of clauses.

    Parameters
    ----------
    clauses : str, Program or iterable of Clause, Atom or str, default=()
        Text is parsed.

    Examples
    --------
    >>> from statlearn.logic import Program
    >>> program = Program("parent(ann, amy). anc(X, Y) :- parent(X, Y).")
    >>> len(program), program.predicates()
    (2, ['parent/2', 'anc/2'])
    >>> print(program + "parent(amy, bob).")
    parent(ann, amy).
    anc(X, Y) :- parent(X, Y).
    parent(amy, bob).
    """

    __slots__ = ("clauses",)

    def __init__(self, clauses=()):
        if isinstance(clauses, Program):
            self.clauses = clauses.clauses
        elif isinstance(clauses, str):
            from ._parser import parse

            self.clauses = parse(clauses).clauses
        elif isinstance(clauses, (Clause, Atom)):
            self.clauses = (Clause.of(clauses),)
        elif clauses is None:
            self.clauses = ()
        else:
            self.clauses = tuple(clause for each in clauses for clause in _clauses_of(each))

    def predicates(self):
        """Indicators of the predicates that have clauses, in their order."""
        return list(dict.fromkeys(c.head.indicator for c in self.clauses if c.head is not None))

    def clauses_of(self, indicator):
        """The clauses of one predicate, such as ``"parent/2"``."""
        return [c for c in self.clauses if c.head is not None and c.head.indicator == indicator]

    @property
    def size(self):
        """Number of literals, heads included."""
        return sum(map(len, self.clauses))

    def __add__(self, other):
        joined = Program()
        joined.clauses = self.clauses + Program(other).clauses
        return joined

    def __iter__(self):
        return iter(self.clauses)

    def __len__(self):
        return len(self.clauses)

    def __getitem__(self, k):
        return self.clauses[k]

    def __eq__(self, other):
        return isinstance(other, Program) and other.clauses == self.clauses

    def __hash__(self):
        return hash(self.clauses)

    def __repr__(self):
        return "\n".join(map(repr, self.clauses))

    def __reduce__(self):
        return Program, (list(self.clauses),)


def _clauses_of(value):
    if isinstance(value, str):
        from ._parser import parse

        return parse(value, need_end=False).clauses
    return (Clause.of(value),)
