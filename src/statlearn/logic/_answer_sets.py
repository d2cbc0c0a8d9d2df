"""Answer sets: our own search for stable models, and clingo."""

import importlib.util
import itertools

import numpy as np

from statlearn._core import native
from statlearn._core.params import Int, Options, check_arguments

from ._asp_reader import Rule
from ._errors import SearchBudgetExceeded
from ._grounding import GroundProgram, ground
from ._terms import Atom, Clause, Program

_TOO_MANY_NODES = 2  # as native/logic/stable_models.hpp numbers the ends of a search


class AnswerSet(frozenset):
    """A stable model: the set of true atoms, with its cost if the program minimises something."""

    cost: tuple = ()

    def holds(self, atom):
        """Whether an atom is true."""
        return Atom.of(atom) in self

    def __repr__(self):
        return "{" + ", ".join(sorted(map(repr, self))) + "}"


def answer_sets(program, *, n_models=None, backend="auto", max_nodes=1_000_000):
    """Stable models of a normal program with choice rules, cardinality constraints and optimisation.

    Parameters
    ----------
    program : str or Program
        Rules ``h :- b, not c.``, constraints ``:- b.``, choice rules ``1 {a; b; c} 2 :- d.``, cardinality constraints
        ``2 {a; b; c}`` in bodies, and ``#minimize {1,x : a(x)}``. Rules with variables must be safe; they are replaced
        by their ground instances. ``1..3`` stands for the integers from 1 to 3. Arithmetic is on integers, and an
        instance with other arithmetic does not exist.
    n_models : int or None, default=None
        Largest number of models. None means all.
    backend : {"auto", "own", "clingo"}, default="auto"
        "auto" uses clingo if it is installed (``pip install statlearn[logic]``).
    max_nodes : int, default=1_000_000
        Largest number of decisions of our own solver; more raise :class:`SearchBudgetExceeded`.

    Returns
    -------
    list of AnswerSet
        Sets of ground atoms, sorted. With an optimisation statement, only models of the smallest cost. An empty list
        if there is no model.

    Notes
    -----
    A set of atoms is stable if it is the least model of its reduct: the rules whose negated atoms it does not contain,
    without their negations. Our own solver is native: it learns from conflicts among the clauses of the program's
    completion, and excludes atoms that only support each other by loop clauses as it meets them. clingo has more
    propagators, and is the better choice for hard programs. Rules with variables are replaced by their instances
    before either of them begins, by joins of the atoms that can be true (semi-naive evaluation).

    References
    ----------
    Gebser, M., Kaufmann, B. and Schaub, T. (2012). Conflict-driven answer set solving: from theory to practice.
    Artificial Intelligence 187-188, 52-89.

    Examples
    --------
    >>> from statlearn.logic import answer_sets
    >>> answer_sets("p :- not q.  q :- not p.")
    [{p}, {q}]
    >>> answer_sets("p :- not p.")
    []
    >>> answer_sets("1 {a; b; c} 2.  :- a, b.  #minimize {1,a : a; 1,b : b; 3,c : c}.")
    [{a}, {b}]
    """
    check_arguments(
        "answer_sets",
        n_models=(n_models, [Int(1, None), None]),
        backend=(backend, [Options("auto", "own", "clingo")]),
        max_nodes=(max_nodes, [Int(1, None)]),
    )
    grounded = program if isinstance(program, GroundProgram) else ground(program)
    if backend == "auto":
        backend = "own" if importlib.util.find_spec("clingo") is None else "clingo"
    if backend == "clingo":
        models = _clingo_models(grounded, n_models)
    else:
        models = _own_models(grounded, n_models, max_nodes)
    return _sorted_sets(models, grounded)


def _sorted_sets(models, grounded):
    """Answer sets of (numbers of true atoms, cost), short ones first, then by the names of their atoms."""
    order = sorted((repr(atom), k) for k, atom in enumerate(grounded.atoms, 1) if atom is not None)
    rank = {k: place for place, (_, k) in enumerate(order)}
    listed = {}
    for numbers, cost in models:
        listed[tuple(sorted(rank[k] for k in numbers if k in rank))] = cost
    readable = []
    for ranks in sorted(listed, key=lambda ranks: (len(ranks), ranks)):
        model = AnswerSet(grounded.atoms[order[place][1] - 1] for place in ranks)
        model.cost = listed[ranks]
        readable.append(model)
    return readable


def is_stable(program, model):
    """Whether a set of atoms is a stable model, by the definition (reduct and least model).

    Choice rules let their heads be chosen freely; here they count as rules for the heads that the model contains.
    """
    grounded = program if isinstance(program, GroundProgram) else ground(program)
    true = _complete(grounded, model)
    return true is not None and _least_model(grounded, true) == true and _satisfies(grounded, true)


def _complete(grounded, model):
    """Numbers of the true atoms, auxiliary ones included; these are defined by rules over the others."""
    true = {grounded.number[atom] for atom in model if atom in grounded.number}
    if len(true) < len(set(model)):
        return None
    auxiliary = {k for k, atom in enumerate(grounded.atoms, 1) if atom is None}
    settled = False
    for _ in range(len(auxiliary) + 1):
        derived = {
            head
            for head, pos, neg, _ in grounded.rules
            if head in auxiliary and all(p in true for p in pos) and not any(n in true for n in neg)
        }
        new = (true - auxiliary) | derived
        settled = new == true
        if settled:
            break
        true = new
    return true if settled else None


def _least_model(grounded, true):
    derived = set()
    changed = True
    while changed:
        changed = False
        for head, pos, neg, choice in grounded.rules:
            if head and head not in derived and not any(n in true for n in neg) and all(p in derived for p in pos):
                if choice and head not in true:
                    continue
                derived.add(head)
                changed = True
    return derived


def _satisfies(grounded, true):
    for head, pos, neg, choice in grounded.rules:
        body = all(p in true for p in pos) and not any(n in true for n in neg)
        if body and not choice and (head == 0 or head not in true):
            return False
    return True


def _own_models(grounded, n_models, max_nodes):
    """The models that our own solver finds for the ground program."""
    heads, bodies, choices = [], [], []
    for head, pos, neg, choice in grounded.rules:
        heads.append(head)
        bodies.append([*pos, *(-atom for atom in neg)])
        choices.append(choice)
    starts = np.cumsum([0, *map(len, bodies)], dtype=np.int64)
    levels = sorted({priority for priority, _, _ in grounded.minimize}, reverse=True)
    costs = [(levels.index(priority), weight, atom) for priority, weight, atom in grounded.minimize]
    level, weight, atom = zip(*costs) if costs else ((), (), ())
    end, n_nodes, atoms, ends, cost = native.logic.stable_models(
        len(grounded.atoms),
        np.array(heads, np.int32),
        np.array(choices, np.uint8),
        starts,
        np.fromiter(itertools.chain.from_iterable(bodies), np.int32, count=int(starts[-1])),
        len(levels),
        np.array(level, np.int32),
        np.array(weight, np.int64),
        np.array(atom, np.int32),
        n_models or 0,
        max_nodes,
    )
    if end == _TOO_MANY_NODES:
        raise SearchBudgetExceeded(
            f"The search for answer sets made more than max_nodes={max_nodes} decisions. Raise max_nodes, or install "
            "clingo (pip install statlearn[logic]).",
            n_nodes=n_nodes,
        )
    return [(part.tolist(), tuple(cost.tolist())) for part in np.split(atoms, ends[:-1])] if len(ends) else []


def _clingo_models(grounded, n_models):
    """The models that clingo finds for the ground program."""
    try:
        import clingo
    except ImportError as error:
        raise ImportError("backend='clingo' needs clingo: pip install statlearn[logic]") from error
    options = ["--warn=none", "--opt-mode=optN" if grounded.minimize else "--opt-mode=ignore", "0"]
    control = clingo.Control(options)
    with control.backend() as backend:
        number = {}
        for k, atom in enumerate(grounded.atoms, 1):
            number[k] = backend.add_atom() if atom is None else backend.add_atom(clingo.Function(f"a{k}"))
        for head, pos, neg, choice in grounded.rules:
            body = [number[p] for p in pos] + [-number[n] for n in neg]
            backend.add_rule([number[head]] if head else [], body, choice=choice)
        for priority in {p for p, _, _ in grounded.minimize}:
            backend.add_minimize(priority, [(number[a], w) for p, w, a in grounded.minimize if p == priority])
    models = []
    shown = {clingo.Function(f"a{k}"): k for k, atom in enumerate(grounded.atoms, 1) if atom is not None}
    with control.solve(yield_=True) as handle:
        for model in handle:
            if grounded.minimize and not model.optimality_proven:
                continue
            numbers = [shown[symbol] for symbol in model.symbols(atoms=True) if symbol in shown]
            models.append((numbers, tuple(model.cost)))
            if n_models is not None and len(models) >= n_models:
                break
    return models


__all__ = ["AnswerSet", "Clause", "Program", "Rule", "answer_sets", "is_stable"]
