"""Answer sets: our own search for stable models, and clingo."""

import importlib.util

from statlearn._core.params import Int, Options, check_arguments

from ._errors import SearchBudgetExceeded
from ._ground import GroundProgram, Rule, ground
from ._terms import Atom, Clause, Program


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
        by their ground instances.
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
    without their negations. Our own solver assigns truth values with propagation (supported atoms, unfounded sets) and
    backtracking. It is meant for small programs.

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
    models = (
        _clingo_models(grounded, n_models) if backend == "clingo" else _Solver(grounded, max_nodes).models(n_models)
    )
    return sorted(models, key=lambda model: (len(model), sorted(map(repr, model))))


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
    made = set()
    changed = True
    while changed:
        changed = False
        for head, pos, neg, choice in grounded.rules:
            if head and head not in made and not any(n in true for n in neg) and all(p in made for p in pos):
                if choice and head not in true:
                    continue
                made.add(head)
                changed = True
    return made


def _satisfies(grounded, true):
    for head, pos, neg, choice in grounded.rules:
        body = all(p in true for p in pos) and not any(n in true for n in neg)
        if body and not choice and (head == 0 or head not in true):
            return False
    return True


class _Solver:
    """Backtracking over truth values; `value` is 1, -1 or 0 (open)."""

    def __init__(self, grounded, max_nodes):
        self.g = grounded
        self.max_nodes = max_nodes
        n = len(grounded.atoms) + 1
        self.rules = [(h, tuple(p), tuple(m), c) for h, p, m, c in grounded.rules]
        self.heads = [[] for _ in range(n)]
        self.uses = [[] for _ in range(n)]
        for r, (head, pos, neg, _) in enumerate(self.rules):
            if head:
                self.heads[head].append(r)
            for atom in {*pos, *neg}:
                self.uses[atom].append(r)
        self.value = [0] * n
        self.trail = []
        # Atoms whose truth others depend on by negation or choice decide the rest.
        weight = [0] * n
        for head, _, neg, choice in self.rules:
            if choice:
                weight[head] += 1000
            for atom in neg:
                weight[atom] += 1
        self.order = sorted(range(1, n), key=lambda a: (-weight[a], a))
        self.nodes = 0
        self.best = None  # the smallest cost so far
        self.priorities = sorted({p for p, _, _ in grounded.minimize}, reverse=True)

    def models(self, n_models):
        if not self.priorities:
            return list(self._search(n_models))
        self.best = None
        for model in self._search(None, better=True):
            self.best = model.cost
        if self.best is None:
            return []
        return [model for model in self._search(None, better=False) if model.cost == self.best][:n_models]

    def _cost(self, certain):
        """Cost by priority; a lower bound while atoms are open."""
        costs = dict.fromkeys(self.priorities, 0)
        for priority, weight, atom in self.g.minimize:
            value = self.value[atom]
            if value == 1 or (value == 0 and weight < 0 and not certain):
                costs[priority] += weight
        return tuple(costs[p] for p in self.priorities)

    def _search(self, n_models, better=None):
        found = 0
        for a in range(len(self.value)):
            self.value[a] = 0
        self.trail = []
        decisions = []  # (atom, length of the trail before, whether both values were tried)
        ok = self._propagate(range(len(self.rules)))
        while True:
            if ok and better is not None and self.best is not None:
                lower = self._cost(certain=False)
                ok = lower < self.best if better else lower <= self.best
            if ok:
                atom = next((a for a in self.order if self.value[a] == 0), None)
                if atom is None:
                    if self._is_stable():
                        yield self._model()
                        found += 1
                        if n_models is not None and found >= n_models:
                            return
                    ok = False
                else:
                    self.nodes += 1
                    if self.nodes > self.max_nodes:
                        raise SearchBudgetExceeded(
                            f"The search for answer sets made more than max_nodes={self.max_nodes} decisions. Raise "
                            "max_nodes, or install clingo (pip install statlearn[logic]).",
                            n_nodes=self.nodes,
                        )
                    decisions.append((atom, len(self.trail), False))
                    ok = self._assign(atom, -1) and self._propagate(self._touched(atom))
                    continue
            while decisions and decisions[-1][2]:
                self._undo(decisions.pop()[1])
            if not decisions:
                return
            atom, length, _ = decisions.pop()
            self._undo(length)
            decisions.append((atom, length, True))
            ok = self._assign(atom, 1) and self._propagate(self._touched(atom))

    def _touched(self, atom):
        return {*self.uses[atom], *self.heads[atom]}

    def _assign(self, atom, value):
        if self.value[atom] != 0:
            return self.value[atom] == value
        self.value[atom] = value
        self.trail.append(atom)
        return True

    def _undo(self, length):
        while len(self.trail) > length:
            self.value[self.trail.pop()] = 0

    def _propagate(self, rules):
        """Consequences of the values; False at a contradiction."""
        while True:
            start = len(self.trail)
            queue = set(rules)
            while queue:
                before = len(self.trail)
                if not self._rule(queue.pop()):
                    return False
                for atom in self.trail[before:]:
                    queue |= self._touched(atom)
                    for r in self.uses[atom]:  # heads may have lost support
                        head = self.rules[r][0]
                        if head:
                            queue.update(self.heads[head])
            if not self._unfounded():
                return False
            fresh = self.trail[start:]
            rules = {r for atom in fresh for r in self._touched(atom)}
            rules |= {s for atom in fresh for r in self.uses[atom] for s in self.heads[self.rules[r][0]]}
            if not rules:
                return True

    def _state(self, r):
        """1, -1 or 0 for the body of a rule, and its open literals as (atom, value that makes it true)."""
        _, pos, neg, _ = self.rules[r]
        value, open_ = self.value, []
        for atom in pos:
            if value[atom] < 0:
                return -1, ()
            if value[atom] == 0:
                open_.append((atom, 1))
        for atom in neg:
            if value[atom] > 0:
                return -1, ()
            if value[atom] == 0:
                open_.append((atom, -1))
        return (0, open_) if open_ else (1, ())

    def _rule(self, r):
        head, _, _, choice = self.rules[r]
        state, open_ = self._state(r)
        if state == 1 and not choice and (not head or not self._assign(head, 1)):
            return False
        if state == 0 and not choice and (not head or self.value[head] < 0) and len(open_) == 1:
            atom, value = open_[0]
            if not self._assign(atom, -value):
                return False
        if not head:
            return True
        # Support: a true atom needs a rule whose body can hold.
        support = [s for s in self.heads[head] if self._state(s)[0] >= 0]
        if not support:
            return self._assign(head, -1)
        if self.value[head] > 0 and len(support) == 1:
            for atom, value in self._state(support[0])[1]:
                if not self._assign(atom, value):
                    return False
        return True

    def _unfounded(self):
        """Make atoms false that no rule can derive without circular reasoning."""
        founded = [False] * len(self.value)
        missing, queue = {}, []
        for r, (head, pos, _, _) in enumerate(self.rules):
            if head and self._state(r)[0] >= 0:
                missing[r] = len(set(pos))
                if not pos:
                    queue.append(head)
        while queue:
            atom = queue.pop()
            if founded[atom]:
                continue
            founded[atom] = True
            for r in self.uses[atom]:
                if r in missing and atom in self.rules[r][1]:
                    missing[r] -= 1
                    if missing[r] == 0:
                        queue.append(self.rules[r][0])
        return all(founded[a] or self._assign(a, -1) for a in range(1, len(self.value)))

    def _is_stable(self):
        true = {a for a in range(1, len(self.value)) if self.value[a] > 0}
        return _least_model(self.g, true) == true and _satisfies(self.g, true)

    def _model(self):
        true = [atom for k, atom in enumerate(self.g.atoms, 1) if atom is not None and self.value[k] > 0]
        model = AnswerSet(true)
        model.cost = self._cost(certain=True)
        return model


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
    found = []
    shown = {clingo.Function(f"a{k}"): atom for k, atom in enumerate(grounded.atoms, 1) if atom is not None}
    with control.solve(yield_=True) as handle:
        for model in handle:
            if grounded.minimize and not model.optimality_proven:
                continue
            made = AnswerSet(shown[symbol] for symbol in model.symbols(atoms=True) if symbol in shown)
            made.cost = tuple(model.cost)
            found.append(made)
            if n_models is not None and len(found) >= n_models:
                break
    return list(dict.fromkeys(found))


__all__ = ["AnswerSet", "Clause", "Program", "Rule", "answer_sets", "is_stable"]
