"""Conjunctive and disjunctive normal forms, Skolem terms and clauses."""

import itertools

from statlearn._core.params import Int, check_value

from ._formula import QUANTIFIERS, Formula, format_atom, function_names
from ._terms import Clause, Compound, Constant, Literal, Program, Variable
from ._unify import substitute


def to_cnf(formula, *, max_clauses=4096):
    """Conjunctive normal form: a conjunction of disjunctions of literals.

    Parameters
    ----------
    formula : Formula or str
        Without quantifiers; :func:`to_clauses` removes these.
    max_clauses : int, default=4096
        An error is raised if more disjunctions are needed. Their number can be exponential in the size of the formula.

    Returns
    -------
    Formula
        It has the truth table of `formula`. Disjunctions that are always true or that another one implies are left
        out. The conjunction of none is "true", a contradiction is "false".

    See Also
    --------
    to_dnf : the other normal form.
    to_clauses : formulas with quantifiers.

    Notes
    -----
    Implications are replaced (p → q by ¬p ∨ q), negations moved to the atoms by De Morgan's laws, and disjunctions
    distributed over conjunctions.

    References
    ----------
    Russell, S. and Norvig, P. (2021). Artificial Intelligence: A Modern Approach, 4th edition, section 7.5.2.

    Examples
    --------
    >>> from statlearn.logic import to_cnf
    >>> to_cnf("(a and b) or c")
    (a or c) and (b or c)
    >>> to_cnf("p -> q")
    not p or q
    """
    return _join(_clauses(_without_quantifiers(formula, "to_cnf"), True, _limit(max_clauses)), "and", "or")


def to_dnf(formula, *, max_clauses=4096):
    """Disjunctive normal form: a disjunction of conjunctions of literals.

    Parameters
    ----------
    formula : Formula or str
        Without quantifiers.
    max_clauses : int, default=4096
        An error is raised if more conjunctions are needed. Their number can be exponential in the size of the formula.

    Returns
    -------
    Formula
        It has the truth table of `formula`. Contradictory conjunctions and those that imply another one are left out.

    See Also
    --------
    to_cnf : the other normal form.

    Examples
    --------
    >>> from statlearn.logic import to_dnf
    >>> to_dnf("(a or b) and c")
    (a and c) or (b and c)
    >>> to_dnf("a <-> b")
    (a and b) or (not a and not b)
    """
    negated = _clauses(_without_quantifiers(formula, "to_dnf"), False, _limit(max_clauses))
    return _join([[(atom, not sign) for atom, sign in clause] for clause in negated], "or", "and")


def to_clauses(formula, *, max_clauses=4096):
    """Clauses of a formula of predicate logic: conjunctive normal form after quantifiers are removed.

    Parameters
    ----------
    formula : Formula or str
        Variables that no quantifier binds are taken as universal.
    max_clauses : int, default=4096
        An error is raised if more clauses are needed.

    Returns
    -------
    list of tuple of Literal
        Each tuple is a disjunction; its variables are universal. The empty list is "true", an empty tuple is "false".
        Here, negation is that of logic, not negation as failure.

    See Also
    --------
    horn_program : the clauses as a program for :class:`Prolog`.
    to_cnf : formulas without quantifiers.

    Notes
    -----
    Bound variables are renamed apart. An existential variable is replaced by a Skolem term: a new function of the
    universal variables on which its scope depends, a new constant if there are none. The clauses can be satisfied if
    and only if the formula can; they are not equivalent to it if there are Skolem terms.

    References
    ----------
    Chang, C.-L. and Lee, R. C.-T. (1973). Symbolic Logic and Mechanical Theorem Proving, chapter 4.

    Examples
    --------
    >>> from statlearn.logic import to_clauses
    >>> to_clauses("forall X: (human(X) -> exists Y: (mother(Y, X) and human(Y)))")
    [(not human(X), mother(sk1(X), X)), (not human(X), human(sk1(X)))]
    """
    limit = _limit(max_clauses)
    formula = Formula.of(formula)
    matrix = _Skolemizer(formula, limit).run(formula, True, {})
    return [tuple(Literal(atom, not sign) for atom, sign in clause) for clause in _clauses(matrix, True, limit)]


def horn_program(formula, *, max_clauses=4096):
    """Program of a formula whose clauses have at most one positive literal.

    Parameters
    ----------
    formula : Formula or str
    max_clauses : int, default=4096
        An error is raised if more clauses are needed.

    Returns
    -------
    Program
        A clause without a positive literal becomes a goal ``:- body.``

    See Also
    --------
    to_clauses : clauses of any formula.

    Examples
    --------
    >>> from statlearn.logic import Prolog, horn_program
    >>> program = horn_program("human(socrates) and forall X: (human(X) -> mortal(X))")
    >>> print(program)
    human(socrates).
    mortal(X) :- human(X).
    >>> Prolog(program).holds("mortal(socrates)")
    True
    """
    program = []
    for literals in to_clauses(formula, max_clauses=max_clauses):
        heads = [each.atom for each in literals if not each.negated]
        if len(heads) > 1:
            text = " or ".join(_text(each) for each in literals)
            raise ValueError(
                f"`formula` has a clause with {len(heads)} positive literals, which no program can state: {text}."
            )
        program.append(Clause(heads[0] if heads else None, [Literal(each.atom) for each in literals if each.negated]))
    return Program(program)


def _text(literal):
    return f"not {format_atom(literal.atom)}" if literal.negated else format_atom(literal.atom)


def _limit(max_clauses):
    check_value("max_clauses", max_clauses, [Int(1, None)], "normal form")
    return int(max_clauses)


def _without_quantifiers(formula, name):
    formula = Formula.of(formula)
    if formula.has_quantifiers:
        raise ValueError(f"{name}() requires a formula without quantifiers, got {formula}; use to_clauses().")
    return formula


def _join(clauses, outer, inner):
    """The formula of clauses, each a list of pairs (atom, whether it is positive)."""

    def literal(atom, sign):
        node = Formula("atom", atom)
        return node if sign else Formula("not", (node,))

    if any(not clause for clause in clauses):
        return Formula("false" if outer == "and" else "true")
    if not clauses:
        return Formula("true" if outer == "and" else "false")
    parts = [[literal(*each) for each in clause] for clause in clauses]
    joined = [part[0] if len(part) == 1 else Formula(inner, part) for part in parts]
    return joined[0] if len(joined) == 1 else Formula(outer, joined)


def _clauses(formula, positive, limit):
    """Disjunctions whose conjunction is the formula, or its negation: lists of pairs (atom, whether it is positive)."""
    memory = {}

    def clauses(part, positive):
        key = (id(part), positive)
        if key not in memory:
            memory[key] = convert(part, positive)
        return memory[key]

    def convert(part, positive):
        kind = part.kind
        if kind == "atom":
            return [((part.args[0], positive),)]
        if kind in ("true", "false"):
            return [] if (kind == "true") == positive else [()]
        if kind == "not":
            return clauses(part.args[0], not positive)
        if kind == "implies":
            sides = [clauses(part.args[0], not positive), clauses(part.args[1], positive)]
            return _disjunction(sides, limit) if positive else _conjunction(sides, limit)
        if kind == "iff":
            a, b = part.args
            # a implies b and back; negated, a implies not b and back
            pairs = [[clauses(a, sign), clauses(b, sign != positive)] for sign in (False, True)]
            return _conjunction([_disjunction(pair, limit) for pair in pairs], limit)
        sides = [clauses(each, positive) for each in part.args]
        return _conjunction(sides, limit) if (kind == "and") == positive else _disjunction(sides, limit)

    return clauses(formula, positive)


def _conjunction(sides, limit):
    return _absorb([clause for side in sides for clause in side], limit)


def _disjunction(sides, limit):
    """Distribute "or" over "and"; a disjunction that holds an atom and its negation is dropped."""
    product = [()]
    for side in sides:
        if len(product) * len(side) > 4 * limit:
            _refuse_size(limit)
        joined = []
        for left, right in itertools.product(product, side):
            literals = dict.fromkeys(left + right)
            if not any((atom, not sign) in literals for atom, sign in literals):
                joined.append(tuple(literals))
        product = _absorb(joined, limit)
    return product


def _absorb(clauses, limit):
    """Clauses without those that contain another one, in the same order."""
    unique = {frozenset(clause): clause for clause in reversed(clauses)}
    by_literal, minimal = {}, set()
    for literals in sorted(unique, key=len):
        # A subset that was accepted earlier is filed under one of its literals.
        if frozenset() in minimal or any(small <= literals for each in literals for small in by_literal.get(each, ())):
            continue
        minimal.add(literals)
        if len(minimal) > limit:
            _refuse_size(limit)
        if literals:
            by_literal.setdefault(next(iter(literals)), []).append(literals)
    ordered = {frozenset(clause): clause for clause in clauses}
    return [unique[literals] for literals in ordered if literals in minimal]


def _refuse_size(limit):
    raise ValueError(f"The normal form has more than `max_clauses`={limit} parts; raise it or simplify the formula.")


class _Skolemizer:
    """Negation normal form with quantifiers removed: bound variables renamed apart, existential ones replaced."""

    def __init__(self, formula, limit):
        self.limit = 4 * limit  # parts: equivalences double what is below them
        self.used = {each.name for atom in formula.atoms() for each in atom.variables()}
        self.free = free_variables(formula)
        self.bound = set(self.free)
        self.functions = function_names(formula)
        self.n_skolem = self.n_parts = 0

    def run(self, part, positive, names):
        self.n_parts += 1
        if self.n_parts > self.limit:
            raise ValueError("The formula is too large without equivalences; raise `max_clauses` or simplify it.")
        kind = part.kind
        if kind == "atom":
            atom = Formula("atom", substitute(part.args[0], names))
            return atom if positive else Formula("not", (atom,))
        if kind in ("true", "false"):
            return Formula(kind if positive else {"true": "false", "false": "true"}[kind])
        if kind == "not":
            return self.run(part.args[0], not positive, names)
        if kind in QUANTIFIERS:
            term = self.universal(part) if (kind == "forall") == positive else self.skolem(part, names)
            return self.run(part.args[0], positive, {**names, part.variable: term})
        if kind == "implies":
            sides = [self.run(part.args[0], not positive, names), self.run(part.args[1], positive, names)]
            return Formula("or" if positive else "and", sides)
        if kind == "iff":
            a, b = part.args
            pairs = [
                Formula("or", (self.run(a, sign, names), self.run(b, sign != positive, names)))
                for sign in (False, True)
            ]
            return Formula("and", pairs)
        sides = [self.run(each, positive, names) for each in part.args]
        return Formula("and" if (kind == "and") == positive else "or", sides)

    def universal(self, part):
        """The variable, or a new one if its name is taken."""
        name, number = part.variable.name, 1
        while Variable(name) in self.bound or (number > 1 and name in self.used):
            number += 1
            name = f"{part.variable.name}{number}"
        self.bound.add(Variable(name))
        return Variable(name)

    def skolem(self, part, names):
        """A new function of the universal variables on which the scope of an existential one depends."""
        while True:
            self.n_skolem += 1
            name = f"sk{self.n_skolem}"
            if name not in self.functions:
                break
        terms = [names.get(each, each) for each in free_variables(part)]
        arguments = list(dict.fromkeys(each for term in terms for each in term.variables()))
        return Compound(name, arguments) if arguments else Constant(name)


def free_variables(formula):
    """The variables that no quantifier binds, in the order in which they occur."""
    if formula.kind == "atom":
        return formula.args[0].variables()
    inner = list(dict.fromkeys(each for part in formula.args for each in free_variables(part)))
    return [each for each in inner if each != formula.variable]
