"""Bottom clauses: everything that modes allow to say about one example."""

import itertools

from ._learner import read_background
from ._modes import mode_literal, read_modes
from ._terms import Atom, Clause, Constant, Variable

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def variable_name(k):
    """A, B, ..., Z, A1, B1, ..."""
    return _LETTERS[k % 26] + (str(k // 26) if k >= 26 else "")


class Bottom:
    """The bottom clause with what a search needs: for every literal its input and output variables."""

    def __init__(self, head, literals, inputs, outputs):
        self.head, self.literals = head, literals
        self.inputs, self.outputs = inputs, outputs

    @property
    def clause(self):
        return Clause(self.head, self.literals)


class _ClauseTerms:
    """Variables of the known terms, by type."""

    def __init__(self):
        self.number = {}
        self.by_type = {}

    def variable(self, term, kind, known=True):
        key = (kind, term)
        if key not in self.number:
            self.number[key] = Variable(variable_name(len(self.number)))
        if known:
            of_kind = self.by_type.setdefault(kind, {})
            of_kind.setdefault(term, None)
        return self.number[key]

    def known(self, kind):
        return list(self.by_type.get(kind, ()))


def saturate(example, heads, bodies, prover, depth, max_literals):
    """The bottom clause of a ground atom."""
    mode = heads[0] if heads else None
    terms = _ClauseTerms()
    marks = mode.arguments if mode else [("+", "any")] * example.arity
    head_args = []
    for term, (mark, kind) in zip(example.args, marks):
        if mark == "+":
            head_args.append(terms.variable(term, kind))
        elif mark == "-":
            head_args.append(terms.variable(term, kind, known=False))
        else:
            head_args.append(term)
    head = Atom(example.predicate, head_args)
    literals, inputs, outputs = {}, [], []
    tried = set()
    for _ in range(depth):
        before = {kind: terms.known(kind) for kind in terms.by_type}
        for k, each in enumerate(bodies):
            kinds = [kind for mark, kind in each.arguments if mark == "+"]
            for values in itertools.product(*(before.get(kind, ()) for kind in kinds)):
                if (k, values) in tried:
                    continue
                tried.add((k, values))
                for args, used, results in _instances(each, values, prover, terms):
                    literal = mode_literal(each, args)
                    if literal not in literals and literal.atom != head:
                        literals[literal] = None
                        inputs.append(used)
                        outputs.append(results)
                        if len(literals) >= max_literals:
                            return Bottom(head, list(literals), inputs, outputs)
    return Bottom(head, list(literals), inputs, outputs)


def _instances(mode, values, prover, terms):
    """Arguments of the literals that hold for given inputs, with their input and output variables."""
    values = iter(values)
    goal, free = [], []
    for k, (mark, kind) in enumerate(mode.arguments):
        if mark == "+":
            goal.append(next(values))
        elif mark == "=":
            goal.append(kind)
        else:
            goal.append(Variable(f"V{k}"))
            free.append((k, mark, kind))
    goal = Atom(mode.predicate, goal)
    if mode.negated:
        answers = _failures(goal, free, prover)
    else:
        answers = prover.answers(goal, mode.most) if free else ([{}] if prover.holds(goal) else [])
    for answer in itertools.islice(answers, mode.most):
        args, used, results = [], [], []
        for k, (mark, kind) in enumerate(mode.arguments):
            term = answer.get(f"V{k}", goal.args[k])
            if mark == "+":
                args.append(terms.variable(term, kind))
                used.append(args[-1])
            elif mark == "-":
                if not term.is_ground:
                    break
                args.append(terms.variable(term, kind))
                results.append(args[-1])
            else:
                args.append(term)
        else:
            yield args, used, results


def _failures(goal, free, prover):
    """Values of the constants for which the goal fails."""
    domains = [constants_of(kind, prover, goal, k) for k, _, kind in free]
    for values in itertools.product(*domains):
        answer = {f"V{k}": value for (k, _, _), value in zip(free, values)}
        args = [answer.get(f"V{k}", arg) for k, arg in enumerate(goal.args)]
        if not prover.holds(Atom(goal.predicate, args)):
            yield answer


def constants_of(kind, prover, goal=None, place=None):
    """The constants of a type: what a unary predicate of its name holds for, else what occurs in that argument."""
    constants = {}
    names = {f"{p}/{len(rows[0])}" for p, rows in prover._tables if rows} | set(prover.program.predicates())
    if f"{kind}/1" in names:
        for answer in prover.answers(Atom(kind, [Variable("V")])):
            constants[answer["V"]] = None
    elif goal is not None:
        loose = Atom(goal.predicate, [Variable(f"V{k}") for k in range(goal.arity)])
        if loose.indicator in names:
            for answer in prover.answers(loose):
                constants[answer[f"V{place}"]] = None
    return [term for term in constants if isinstance(term, Constant)]


def bottom_clause(example, modes, background, *, depth=2, max_literals=1000):
    """The most specific clause that modes allow for an example.

    The head's arguments become variables by their types. Then, `depth` times, every body mode is tried with all known
    terms as inputs: the answers that the background proves become literals, their outputs new terms.

    Parameters
    ----------
    example : Atom or str
        A ground atom.
    modes : str or list of ModeH and ModeB
        For example ``"modeh(1, pos(+shape)). modeb(1, red(+shape))."``.
    background : Program, Prolog or str
    depth : int, default=2
        Number of layers of new variables.
    max_literals : int, default=1000
        Largest number of body literals.

    Returns
    -------
    Clause

    Notes
    -----
    A predicate without a mode never occurs, whatever the background proves.

    Examples
    --------
    >>> from statlearn.logic import bottom_clause
    >>> bottom_clause(
    ...     "pos(s1)",
    ...     "modeh(1, pos(+shape)). modeb(1, red(+shape)). modeb(1, square(+shape)). modeb(1, polygon(+shape)).",
    ...     "red(s1). square(s1). polygon(A) :- square(A).",
    ... )
    pos(A) :- red(A), square(A), polygon(A).
    """
    example = Atom.of(example)
    if not example.is_ground:
        raise ValueError(f"`example` must be ground, got {example}.")
    heads, bodies = read_modes(modes, (example.predicate, example.arity))
    prover = read_background(background, unknown="fail")
    return saturate(example, heads, bodies, prover, depth, max_literals).clause
