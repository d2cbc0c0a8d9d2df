"""ASPAL: the smallest set of rules, by answer-set programming."""

import itertools

from statlearn._core.params import Int, Options

from ._answer_sets import answer_sets
from ._asp_reader import Minimize, Rule, read_asp
from ._bottom_clause import constants_of, variable_name
from ._errors import SearchBudgetExceeded
from ._grounding import GroundProgram, ground
from ._learner import Budget, Learner, background_program, declared_modes, one_predicate, read_examples
from ._modes import mode_literal
from ._prolog import Prolog
from ._terms import Atom, Clause, Literal, Program, Variable


class ASPAL(Learner):
    """Rules with negation as failure, chosen by an answer-set solver.

    All rules that the modes allow are written down with a guard each. A choice over the guards is constrained to make
    all positives true and all negatives false in a stable model, and the number of rules and literals is minimised, so
    that the result is the smallest hypothesis.

    Parameters
    ----------
    modes : str or list of ModeH and ModeB, default=None
        The literals that rules may have. Constants of ``#type`` arguments are those for which a unary predicate of
        that name holds, otherwise those that occur in the facts.
    max_literals : int, default=3
        Largest number of body literals of a rule, type literals apart.
    max_variables : int, default=3
        Largest number of variables of a rule.
    max_rules : int, default=3
        Largest number of rules chosen.
    minimize : {"rules", "literals"}, default="rules"
        "rules" prefers few rules, then few literals; "literals" few literals.
    backend : {"auto", "own", "clingo"}, default="auto"
        The solver; see :func:`answer_sets`.
    max_nodes : int or None, default=1_000_000
        Largest number of candidate rules, and of decisions of our own solver.
    max_seconds : float or None, default=None
        Longest time to write down the candidates.

    Attributes
    ----------
    program_ : Program
    candidates_ : list of Clause
        All rules that the modes allow.
    answer_set_ : AnswerSet
        The stable model in which the examples have their labels.
    n_nodes_ : int
        Number of candidates.

    See Also
    --------
    answer_sets : the solver.
    Aleph : for many examples and noise.

    Notes
    -----
    Every variable of a type that is a unary predicate of the background gets a literal of that type, so that rules are
    safe. The number of candidates grows exponentially with the number of literals.

    References
    ----------
    Corapi, D., Russo, A. and Lupu, E. (2011). Inductive logic programming in answer set programming. ILP 2011, 91-97.

    Examples
    --------
    >>> from statlearn.logic import ASPAL
    >>> learner = ASPAL("modeh(1, penguin(+bird)). modeb(1, bird(+bird)). modeb(*, not can(+bird, #ability)).")
    >>> learner.learn(
    ...     "bird(alice). bird(betty). can(alice, fly). can(betty, swim). ability(fly). ability(swim).",
    ...     positives=["penguin(betty)"], negatives=["penguin(alice)"],
    ... )
    penguin(A) :- bird(A), not can(A, fly).
    >>> len(learner.candidates_)
    4
    """

    _rules = {
        "max_literals": [Int(1, None)],
        "max_variables": [Int(1, None)],
        "max_rules": [Int(1, None)],
        "minimize": [Options("rules", "literals")],
        "backend": [Options("auto", "own", "clingo")],
    }

    def __init__(
        self,
        modes=None,
        *,
        max_literals=3,
        max_variables=3,
        max_rules=3,
        minimize="rules",
        backend="auto",
        max_nodes=1_000_000,
        max_seconds=None,
    ):
        self.modes = modes
        self.max_literals = max_literals
        self.max_variables = max_variables
        self.max_rules = max_rules
        self.minimize = minimize
        self.backend = backend
        self.max_nodes = max_nodes
        self.max_seconds = max_seconds

    def fit(self, background, positives, negatives=()):
        """Learn rules.

        Parameters
        ----------
        background : Program, Prolog or str
            Facts and rules, without lists and arithmetic.
        positives, negatives : str or sequence of Atom or str
            Ground atoms.

        Returns
        -------
        self
        """
        self._check()
        positives, negatives = read_examples(positives, negatives)
        head = one_predicate(positives, negatives)
        heads, bodies = declared_modes(self.modes, head, background, "modeb(1, bird(+bird))")
        theory = background_program(background)
        budget = Budget(self)
        self.candidates_ = list(_candidates(self, theory, heads, bodies, budget))
        self.n_nodes_ = budget.nodes
        models = answer_sets(
            self._encoding(theory, positives, negatives),
            backend=self.backend,
            max_nodes=self.max_nodes or 10**9,
        )
        if not models:
            raise SearchBudgetExceeded(
                f"No set of up to max_rules={self.max_rules} of the {len(self.candidates_)} rules that the modes allow "
                "explains the examples. Add modes, or raise max_literals, max_variables or max_rules.",
                best=None,
                n_nodes=budget.nodes,
            )
        # Of several smallest sets the one whose rules come first among the candidates, whatever the solver.
        chosen, self.answer_set_ = min(((self._chosen(model), model) for model in models), key=lambda pair: pair[0])
        self.program_ = Program([self.candidates_[k] for k in chosen])
        return self

    def _chosen(self, model):
        return sorted(atom.args[0].name for atom in model if atom.predicate == "$rule")

    def encoding(self, background, positives, negatives=()):
        """The ground answer-set program that is solved, for inspection."""
        return self._encoding(background_program(background), *read_examples(positives, negatives))

    def _encoding(self, theory, positives, negatives) -> GroundProgram:
        rules = read_asp(theory)
        guards = [Atom("$rule", (k,)) for k in range(len(self.candidates_))]
        rules.append(Rule([(guard, []) for guard in guards], [], True, 0, self.max_rules, "choice of rules"))
        for guard, clause in zip(guards, self.candidates_):
            rules.append(Rule([(clause.head, [])], [*clause.body, Literal(guard)], text=repr(clause)))
        rules += [Rule([], [Literal(atom, True)], text=f"positive {atom}") for atom in positives]
        rules += [Rule([], [Literal(atom)], text=f"negative {atom}") for atom in negatives]
        elements = []
        for guard, clause in zip(guards, self.candidates_):
            if self.minimize == "rules":
                elements.append((1, 2, list(guard.args), [Literal(guard)]))
            elements.append((len(clause), 1, list(guard.args), [Literal(guard)]))
        return ground([*rules, Minimize(elements)])


def _candidates(learner, theory, heads, bodies, budget):
    """All rules that the modes allow, short ones first."""
    prover = Prolog([c for c in theory if c.head is not None], unknown="fail", max_depth=1000)
    types = {c.head.predicate for c in theory if c.head is not None and c.head.arity == 1}
    seen = set()
    for head in heads:
        terms, known = [], []
        for mark, kind in head.arguments:
            if mark in "+-":
                known.append((Variable(variable_name(len(known))), kind))
                terms.append([known[-1][0]])
            elif mark == "#":
                terms.append(constants_of(kind, prover))
            else:
                terms.append([kind])
        for args in itertools.product(*terms):
            atom = Atom(head.predicate, args)
            for n in range(learner.max_literals + 1):
                for body in _bodies(n, tuple(known), (), bodies, prover, learner.max_variables):
                    budget.spend()
                    clause = _with_types(atom, body, known, types, bodies)
                    if clause is not None and clause not in seen:
                        seen.add(clause)
                        yield clause


def _bodies(n, known, body, modes, prover, max_variables, last=None, counts=None):
    """Sequences of n mode literals whose inputs are bound.

    Of two neighbours that could stand in either order only the one by modes is made: `last` is the rank of the last
    literal and the variables that it introduced.
    """
    if n == 0:
        yield body
        return
    counts = counts or {}
    for k, mode in enumerate(modes):
        if mode.most is not None and counts.get(k, 0) >= mode.most:
            continue
        for args, grown in _arguments(mode, known, prover, max_variables):
            literal = mode_literal(mode, args)
            rank = (k, repr(literal))
            if literal in body or (last and rank < last[0] and not last[1] & set(literal.variables())):
                continue
            fresh = {variable for variable, _ in grown[len(known) :]}
            yield from _bodies(
                n - 1,
                grown,
                (*body, literal),
                modes,
                prover,
                max_variables,
                (rank, fresh),
                {**counts, k: counts.get(k, 0) + 1},
            )


def _arguments(mode, known, prover, max_variables):
    choices = [((), known)]
    for place, (mark, kind) in enumerate(mode.arguments):
        grown = []
        for args, variables in choices:
            same = [variable for variable, of in variables if of == kind]
            if mark == "+":
                same = [variable for variable, of in known if of == kind]
                grown += [((*args, variable), variables) for variable in same]
            elif mark == "-":
                grown += [((*args, variable), variables) for variable in same]
                if len(variables) < max_variables:
                    fresh = Variable(variable_name(len(variables)))
                    grown.append(((*args, fresh), (*variables, (fresh, kind))))
            elif mark == "#":
                grown += [((*args, c), variables) for c in constants_of(kind, prover, mode.atom, place)]
            else:
                grown.append(((*args, kind), variables))
        choices = grown
    return choices


def _with_types(head, body, known, types, modes):
    """The rule with literals of the types of its variables; None if a variable would be unsafe."""
    kinds = dict(known)
    for literal in body:
        for mode in modes:
            if mode.indicator == literal.atom.indicator and mode.negated == literal.negated:
                for (mark, kind), arg in zip(mode.arguments, literal.args):
                    if mark in "+-" and isinstance(arg, Variable):
                        kinds.setdefault(arg, kind)
    used = Clause(head, body).variables()
    typed = [Literal(Atom(kinds[v], (v,))) for v in used if kinds.get(v) in types]
    full = [*typed, *(each for each in body if each not in typed)]
    bound = {v for each in full if not each.negated for v in each.variables()}
    return Clause(head, full) if bound.issuperset(used) else None
