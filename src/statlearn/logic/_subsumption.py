"""Generality: subsumption of atoms and clauses, and entailment."""

from ._prolog import Prolog
from ._terms import Atom, Clause, Compound, Constant, Literal, Program, Variable
from ._unify import Substitution, substitute


def match(pattern, target, bindings):
    """Bindings of the pattern's variables that make it the target, or None; the target's variables are constants."""
    bindings = dict(bindings)
    stack = [(pattern, target)]
    while stack:
        a, b = stack.pop()
        if type(a) is Variable:
            if a in bindings:
                if bindings[a] != b:
                    return None
            else:
                bindings[a] = b
        elif type(a) is Compound:
            if type(b) is not Compound or a.functor != b.functor or len(a.args) != len(b.args):
                return None
            stack.extend(zip(a.args, b.args))
        elif a != b:
            return None
    return bindings


def subsumes_atom(general, specific):
    """Substitution θ with ``general θ = specific``, or None.

    Parameters
    ----------
    general, specific : Atom or str

    Returns
    -------
    Substitution or None
        An empty substitution if the atoms are equal. Compare with None, since an empty one is false.

    Examples
    --------
    >>> from statlearn.logic import subsumes_atom
    >>> subsumes_atom("can_fly(X)", "can_fly(daffy)")
    {X/daffy}
    >>> subsumes_atom("can_fly(daffy)", "can_fly(X)") is None
    True
    """
    bindings = match(Atom.of(general).to_term(), Atom.of(specific).to_term(), {})
    return None if bindings is None else Substitution(bindings)


def theta_subsumes(general, specific):
    """Substitution θ with ``general θ ⊆ specific`` as sets of literals, or None.

    Parameters
    ----------
    general, specific : Clause or str

    Returns
    -------
    Substitution or None
        Compare with None, since an empty substitution is false.

    Notes
    -----
    The problem is NP-complete. Literals with the fewest candidates are matched first.

    Examples
    --------
    >>> from statlearn.logic import theta_subsumes
    >>> theta_subsumes("f(A, B) :- head(A, B).", "f(X, Y) :- head(X, Y), empty(Y).")
    {A/X, B/Y}
    >>> theta_subsumes("f(X, Y) :- head(X, Y), empty(Y).", "f(A, B) :- head(A, B).") is None
    True
    """
    general, specific = Clause.of(general), Clause.of(specific)
    targets = {}
    for kind, atom in specific.literals():
        targets.setdefault((kind, atom.indicator), []).append(atom.to_term())
    patterns = [(key, atom.to_term()) for key, atom in (((k, a.indicator), a) for k, a in general.literals())]
    if any(key not in targets for key, _ in patterns):
        return None
    bindings = _match_all(patterns, targets, {})
    if bindings is None:
        return None
    return Substitution({v: bindings[v] for v in general.variables()})


def _match_all(patterns, targets, bindings):
    if not patterns:
        return bindings
    best, options = None, None
    for k, (key, pattern) in enumerate(patterns):
        fits = [m for m in (match(pattern, target, bindings) for target in targets[key]) if m is not None]
        if not fits:
            return None
        if options is None or len(fits) < len(options):
            best, options = k, fits
            if len(fits) == 1:
                break
    rest = patterns[:best] + patterns[best + 1 :]
    for option in options:
        complete = _match_all(rest, targets, option)
        if complete is not None:
            return complete
    return None


def entails(program, clause, *, max_depth=1000, max_inferences=1_000_000):
    """Whether a program logically implies a clause.

    The clause's variables are replaced by new constants, its body is added to the program as facts, and its head is
    proved (refutation by SLD resolution, which is complete for definite clauses).

    Parameters
    ----------
    program : Program, Clause or str
        Definite clauses.
    clause : Clause, Atom or str
        A definite clause.
    max_depth : int, default=1000
        Depth bound of the proof.
    max_inferences : int, default=1_000_000
        Budget of the proof.

    Returns
    -------
    bool

    Examples
    --------
    >>> from statlearn.logic import entails
    >>> entails("p(X) :- q(X).  q(X) :- r(X).", "p(A) :- r(A).")
    True
    >>> entails("p(X) :- q(X).", "p(A).")
    False
    """
    program, clause = Program(program), Clause.of(clause)
    if clause.head is None:
        raise ValueError(f"`clause` must have a head, got {clause}.")
    if any(each.negated for c in (*program, clause) for each in c.body):
        raise ValueError("Entailment requires definite clauses; remove the negated literals.")
    skolem = {v: Constant(f"$sk{k}") for k, v in enumerate(clause.variables())}
    ground = substitute(clause, skolem)
    facts = [Clause(each.atom) for each in ground.body]
    # Clauses with fewer body literals first: facts before rules keeps recursion from running off.
    theory = sorted([*facts, *program], key=lambda c: len(c.body))
    prover = Prolog(theory, max_depth=max_depth, max_inferences=max_inferences, unknown="fail", strategy="iterative")
    return prover.holds(ground.head)


def more_general(general, specific, background=()):
    """Whether one clause is at least as general as another: it entails it, given background knowledge.

    Parameters
    ----------
    general, specific : Clause, Atom or str
    background : Program or str, default=()
        Definite clauses that may be used in the proof.

    Returns
    -------
    bool

    Examples
    --------
    >>> from statlearn.logic import more_general
    >>> more_general("can_fly(X)", "can_fly(daffy)")
    True
    >>> more_general("lives(marek, london)", "lives(marek, england)", "lives(X, england) :- lives(X, london).")
    True
    """
    for clause in (general, specific):
        if isinstance(clause, (tuple, list)):
            raise TypeError(
                f"`general` and `specific` must be clauses, got {clause!r}. Conjunctions of attribute values are "
                "compared by ConjunctiveHypothesis(a) >= ConjunctiveHypothesis(b)."
            )
    return entails(Program(background) + Program([Clause.of(general)]), specific)


__all__ = ["Literal", "entails", "match", "more_general", "subsumes_atom", "theta_subsumes"]
