"""Substitutions, unification and renaming."""

from collections.abc import Mapping

from ._terms import Atom, Clause, Compound, Literal, Term, Variable


class Substitution(Mapping):
    """A mapping of variables to terms.

    Parameters
    ----------
    bindings : mapping of Variable or str to Term or value, default=()
        Applied once, as written: bindings are not followed.

    Examples
    --------
    >>> from statlearn.logic import Substitution
    >>> theta = Substitution({"X": "a", "Y": "f(Z)"})
    >>> theta.apply("p(X, Y)")
    p(a, f(Z))
    >>> theta.compose(Substitution({"Z": "b"}))
    {X/a, Y/f(b), Z/b}
    """

    def __init__(self, bindings=()):
        pairs = {}
        for variable, term in dict(bindings).items():
            variable = Variable(variable) if isinstance(variable, str) else variable
            term = Term.of(term)
            if term != variable:
                pairs[variable] = term
        self._bindings = pairs

    def __getitem__(self, variable):
        return self._bindings[Variable(variable) if isinstance(variable, str) else variable]

    def __iter__(self):
        return iter(self._bindings)

    def __len__(self):
        return len(self._bindings)

    def __hash__(self):
        return hash(frozenset(self._bindings.items()))

    def apply(self, thing):
        """The thing with its variables replaced.

        Parameters
        ----------
        thing : Term, Atom, Literal, Clause or str
            Text is parsed as an atom.

        Returns
        -------
        Term, Atom, Literal or Clause
        """
        return substitute(Atom.of(thing) if isinstance(thing, str) else thing, self._bindings)

    def compose(self, other):
        """The substitution that applies this one first, then the other."""
        replaced = {variable: substitute(term, other._bindings) for variable, term in self._bindings.items()}
        return Substitution(
            {**other._bindings, **replaced} if not replaced else {**replaced, **_without(other._bindings, replaced)}
        )

    def restrict(self, variables):
        """Only the bindings of these variables."""
        names = set(variables)
        return Substitution({v: t for v, t in self._bindings.items() if v in names})

    def __repr__(self):
        return "{" + ", ".join(f"{variable}/{term}" for variable, term in self._bindings.items()) + "}"


def _without(names, unused):
    return {variable: term for variable, term in names.items() if variable not in unused}


def substitute(thing, bindings):
    """Replace variables once, in a term, an atom, a literal or a clause."""
    if isinstance(thing, Term):
        return _replace(thing, bindings)
    if isinstance(thing, Atom):
        return Atom(thing.predicate, [_replace(arg, bindings) for arg in thing.args])
    if isinstance(thing, Literal):
        return Literal(substitute(thing.atom, bindings), thing.negated)
    head = None if thing.head is None else substitute(thing.head, bindings)
    return Clause(head, [substitute(each, bindings) for each in thing.body])


def _replace(term, bindings):
    if type(term) is Variable:
        return bindings.get(term, term)
    if type(term) is not Compound:
        return term
    chain = []  # along the last argument, so that long lists need no recursion
    while type(term) is Compound:
        chain.append((term, tuple(_replace(arg, bindings) for arg in term.args[:-1])))
        term = term.args[-1]
    new = bindings.get(term, term) if type(term) is Variable else term
    for old, args in reversed(chain):
        new = old if args == old.args[:-1] and new is old.args[-1] else Compound(old.functor, (*args, new))
    return new


def walk(term, bindings):
    """The term that a variable stands for, one level deep."""
    while type(term) is Variable and term in bindings:
        term = bindings[term]
    return term


def apply(term, bindings):
    """Replace variables, following bindings to their end (as unification leaves them)."""
    term = walk(term, bindings)
    if type(term) is not Compound:
        return term
    chain = []
    while type(term) is Compound:
        chain.append((term.functor, tuple(apply(arg, bindings) for arg in term.args[:-1])))
        term = walk(term.args[-1], bindings)
    for functor, args in reversed(chain):
        term = Compound(functor, (*args, term))
    return term


def unify_all(pairs, bindings=None):
    """Bindings that make the terms of every pair equal, or None. Occurs check included."""
    bindings = dict(bindings or {})
    stack = list(reversed(pairs))
    while stack:
        a, b = stack.pop()
        a, b = walk(a, bindings), walk(b, bindings)
        if a is b or (type(a) is Variable and a == b):
            continue
        if type(a) is Variable or type(b) is Variable:
            if type(a) is not Variable:
                a, b = b, a
            if _occurs(a, b, bindings):
                return None
            bindings[a] = b
        elif type(a) is Compound and type(b) is Compound:
            if a.functor != b.functor or len(a.args) != len(b.args):
                return None
            stack.extend(reversed(list(zip(a.args, b.args))))
        elif a != b:
            return None
    return bindings


def _occurs(variable, term, bindings):
    stack = [term]
    while stack:
        each = walk(stack.pop(), bindings)
        if each == variable:
            return True
        if type(each) is Compound:
            stack.extend(each.args)
    return False


def unify(a, b):
    """Most general unifier of two terms, atoms or literals, with occurs check.

    Parameters
    ----------
    a, b : Term, Atom, Literal or str
        Text is parsed as a term. Variables of the same name are the same; see :func:`rename_apart`.

    Returns
    -------
    Substitution or None
        None if the two do not unify. The substitution is idempotent.

    Examples
    --------
    >>> from statlearn.logic import unify
    >>> unify("p(X, f(Y))", "p(a, Z)")
    {X/a, Z/f(Y)}
    >>> unify("X", "f(X)") is None
    True
    """
    a, b = _as_term(a), _as_term(b)
    bindings = unify_all([(a, b)])
    if bindings is None:
        return None
    return Substitution({variable: apply(variable, bindings) for variable in bindings})


def _as_term(value):
    return value.to_term() if isinstance(value, (Atom, Literal)) else Term.of(value)


def rename_apart(clause, taken=()):
    """A clause with new variable names, distinct from those taken.

    Parameters
    ----------
    clause : Clause, Atom, Literal, Term or str
        Text is parsed as a clause.
    taken : iterable of Variable or str, or a thing with variables, default=()
        Names to avoid.

    Returns
    -------
    Clause, Atom, Literal or Term
        Only variables whose names are taken are renamed.

    Examples
    --------
    >>> from statlearn.logic import rename_apart
    >>> rename_apart("p(X) :- q(X, Y).", ["X"])
    p(X1) :- q(X1, Y).
    """
    if isinstance(clause, str):
        clause = Clause.of(clause)
    if hasattr(taken, "variables"):
        taken = taken.variables()
    names = {each.name if isinstance(each, Variable) else each for each in taken}
    variables = clause.variables()
    used = names | {each.name for each in variables}
    renamed = {}
    for variable in variables:
        if variable.name in names:
            k = 1
            while f"{variable.name}{k}" in used:
                k += 1
            used.add(f"{variable.name}{k}")
            renamed[variable] = Variable(f"{variable.name}{k}")
    return substitute(clause, renamed) if renamed else clause
