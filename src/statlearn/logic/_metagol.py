"""Metagol: programs from metarules, with predicate invention and recursion."""

from statlearn._core.fitted_state import forget
from statlearn._core.params import Int

from ._errors import SearchBudgetExceeded
from ._learner import Budget, Learner, background_program, covered_by, read_examples
from ._metagol_trace import TracedSearch, format_trace, trace
from ._metarules import MetaRule
from ._prolog import Prolog
from ._terms import Atom, Clause, Compound, Constant, Literal, Program, Variable, list_items, make_list

# The proof of an atom [P, Args...] may use the background, a clause that was abduced before, or a new one. Clauses
# are kept as sub(Rule, Symbols). A goal that repeats one of its ancestors, up to the names of variables, fails: such a
# proof would not end in a Prolog either. No clause may occur twice, which would double every later choice. The last
# argument counts the levels that are left.
_INTERPRETER = r"""
'$learn'(Pos, Neg, N, Depth, Subs) :-
    '$prove_all'(Pos, [], Subs, N, Depth),
    \+ '$twice'(Subs),
    '$reject_all'(Neg, Subs, Depth).
'$prove_all'([], S, S, _, _).
'$prove_all'([A|As], S1, S3, N, D) :- '$prove'(A, S1, S2, N, [], D), '$prove_all'(As, S2, S3, N, D).
'$reject_all'([], _, _).
'$reject_all'([A|As], S, D) :- \+ '$prove'(A, S, S, 0, [], D), '$reject_all'(As, S, D).
'$body'([], S, S, _, _, _).
'$body'([A|As], S1, S3, N, Up, D) :- '$prove'(A, S1, S2, N, Up, D), '$body'(As, S2, S3, N, Up, D).
'$prove'([P|Args], S, S, _, _, _) :- '$length'(Args, K), '$background'(P, K), '$call'(P, Args).
'$prove'(A, S1, S2, N, Up, D) :-
    D > 0, \+ '$twice'(S1), A = [P|Args], '$length'(Args, K),
    '$member_sub'(sub(Rule, [P|Symbols]), S1),
    '$rule'(Rule, [P|Symbols], A, Body),
    '$arity_of'(P, K),
    \+ '$above'(A, Up), E is D - 1,
    '$body'(Body, S1, S2, N, [A|Up], E).
'$prove'(A, S1, S3, N, Up, D) :-
    D > 0, '$length'(S1, Used), Used < N, A = [P|Args], '$length'(Args, K),
    '$symbol'(P, K, S1),
    '$rule'(Rule, [P|Symbols], A, Body),
    \+ '$above'(A, Up), E is D - 1,
    '$append'(S1, [sub(Rule, [P|Symbols])], S2),
    '$body'(Body, S2, S3, N, [A|Up], E).
'$member_sub'(X, [Y|T]) :- '$member'(T, X, Y).
'$twice'([X|T]) :- ( '$again'(T, X) -> true ; '$twice'(T) ).
'$again'([Y|T], X) :- ( X == Y, ground(X) -> true ; '$again'(T, X) ).
'$above'(A, [B|T]) :- ( A =@= B -> true ; '$above'(A, T) ).
'$symbol'(P, K, S) :- nonvar(P), !, '$definable'(P, S), '$arity_of'(P, K).
'$symbol'(P, K, _) :- '$target'(P, K).
'$symbol'(P, K, S) :- '$invented'(P, K), '$allowed'(P, S).
'$definable'(P, _) :- '$target'(P, _), !.
'$definable'(P, S) :- '$invented'(P, _), !, '$allowed'(P, S).
'$arity_of'(P, K) :- '$target'(P, K), !.
'$arity_of'(P, K) :- '$invented'(P, K), !.
'$allowed'(P, S) :- '$invention'(P, M), ( M =:= 1 -> true ; L is M - 1, '$invention'(Q, L), '$defined'(Q, S) ).
'$defined'(Q, [sub(_, [P|_])|T]) :- ( P == Q -> true ; '$defined'(Q, T) ).
"""


class Metagol(Learner):
    """Meta-interpretive learning: the smallest program whose clauses are instances of metarules.

    Every positive example is proved from the background and from clauses that are abduced on the way, each an
    instance of a metarule with predicates for its variables. Then the negatives are tested; if one is proved, the
    last choice is taken back. The number of clauses grows from 1, so that the result has the fewest clauses. Symbols
    that neither background nor examples have may be invented.

    Parameters
    ----------
    metarules : list of MetaRule or str, default=("ident", "chain")
        The forms that clauses may have.
    max_clauses : int, default=6
        Largest number of clauses.
    max_invented : int or None, default=None
        Largest number of invented predicates; by default one less than the number of clauses.
    max_depth : int, default=100
        Depth bound of proofs, in nested calls of learned predicates.
    predicates : list of str or None, default=None
        Background predicates that bodies may use, such as ``["mother/2"]``. None means all that have clauses, in their
        order.
    max_nodes : int or None, default=50_000_000
        Largest number of inferences; more raise :class:`SearchBudgetExceeded`.
    max_seconds : float or None, default=None
        Longest time; more raises :class:`SearchBudgetExceeded`.
    trace : bool, default=False
        Whether to write down the steps of the search in `trace_`. They come from a second search in Python, which is
        slow: for small tasks.

    Attributes
    ----------
    program_ : Program
    n_clauses_ : int
    n_nodes_ : int
        Number of inferences of the search.
    trace_ : list of dict
        Steps of the search in their order: the bound `n_clauses`, the `example` to prove, the `goal` and its `level`
        of nesting, the `metarule` that is tried, the `substitution` that is stored for it, and the `outcome`
        ("stored", "proved", "failed", or the negative example that takes back the last choice). A clause that is
        proved appears twice: as it was stored, and with its predicates. At most 10,000 steps. Only with ``trace=True``.

    See Also
    --------
    MetaRule : the forms.
    MetagolR : regular grammars.
    Aleph : rules one by one, for noisy data.

    Notes
    -----
    Metarules are the bias: with wrong ones nothing is found. Background symbols are tried before the target, the target
    before invented symbols. The search grows exponentially with the number of clauses; noise is not tolerated. Programs
    that call themselves with the same arguments are not considered, since their proofs do not end.

    References
    ----------
    Muggleton, S., Lin, D. and Tamaddoni-Nezhad, A. (2015). Meta-interpretive learning of higher-order dyadic Datalog:
    predicate invention revisited. Machine Learning 100, 49-73.

    Examples
    --------
    >>> from statlearn.logic import Metagol
    >>> learner = Metagol(["ident", "tail_recursion"])
    >>> learner.learn(
    ...     "edge(a, b). edge(b, c). edge(c, d). edge(d, e).",
    ...     positives=["reach(a, b)", "reach(a, e)", "reach(b, d)"], negatives=["reach(b, a)", "reach(c, a)"],
    ... )
    reach(A, B) :- edge(A, B).
    reach(A, B) :- edge(A, C), reach(C, B).

    How the search goes:

    >>> learner = Metagol(trace=True).fit("mother(ann, amy). mother(amy, bob).", ["grandmother(ann, bob)"])
    >>> print(learner.trace_text())
    up to 1 clause
      grandmother(ann, bob)
        grandmother(ann, bob): sub(ident, [grandmother, Q]) failed
        grandmother(ann, bob): sub(chain, [grandmother, Q, R]) stored
        grandmother(ann, bob): sub(chain, [grandmother, mother, mother]) proved
    """

    _rules = {
        "max_clauses": [Int(1, None)],
        "max_invented": [Int(0, None), None],
        "max_depth": [Int(1, None)],
        "predicates": ["array-like", None],
        "trace": ["boolean"],
    }

    def __init__(
        self,
        metarules=("ident", "chain"),
        *,
        max_clauses=6,
        max_invented=None,
        max_depth=100,
        predicates=None,
        max_nodes=50_000_000,
        max_seconds=None,
        trace=False,
    ):
        self.metarules = metarules
        self.max_clauses = max_clauses
        self.max_invented = max_invented
        self.max_depth = max_depth
        self.predicates = predicates
        self.max_nodes = max_nodes
        self.max_seconds = max_seconds
        self.trace = trace

    def fit(self, background, positives, negatives=()):
        """Learn a program.

        Parameters
        ----------
        background : Program, Prolog or str
            Facts and rules.
        positives, negatives : str or sequence of Atom or str
            Ground atoms.

        Returns
        -------
        self

        Raises
        ------
        SearchBudgetExceeded
            If a budget is used up, or no program with `max_clauses` clauses exists.
        """
        self._check()
        self.n_nodes_ = 0
        forget(self, "trace_", "_trace_complete")
        if self.trace:
            self._write_trace(background, positives, negatives)
        budget = Budget(self, best=lambda: self._partial(background, positives, negatives))
        for n in range(1, self.max_clauses + 1):
            program = next(iter(self._solutions(background, positives, negatives, n, budget, 1)), None)
            if program is not None:
                self.program_, self.n_clauses_ = program, len(program)
                self.n_nodes_ = budget.nodes
                return self
        raise SearchBudgetExceeded(
            f"No program with up to max_clauses={self.max_clauses} clauses under these metarules proves all positives "
            "and no negative. Raise max_clauses, or try other metarules.",
            best=self._partial(background, positives, negatives),
            n_nodes=budget.nodes,
        )

    def _write_trace(self, background, positives, negatives):
        rules, (positives, negatives) = self._metarules(), read_examples(positives, negatives)
        theory = background_program(background)
        targets = _predicates([*positives, *negatives])
        prover = Prolog(theory, unknown="fail")
        search = TracedSearch(prover, self._signature(theory), rules, targets, int(self.max_depth))
        tasks = (
            (positives, negatives, n, self._invented(n, targets, rules)) for n in range(1, int(self.max_clauses) + 1)
        )
        self.trace_, self._trace_complete = trace(search, tasks)

    def trace_text(self):
        """The steps of the search as text, a line for each.

        Returns
        -------
        str
        """
        if not hasattr(self, "trace_"):
            raise AttributeError("There is no trace: fit with `trace`=True.")
        return format_trace(self.trace_, self._trace_complete)

    def _partial(self, background, positives, negatives):
        """Program that proves some positives and no negative, built from clauses for one positive at a time."""
        positives, negatives = read_examples(positives, negatives)
        helper = Metagol(self.metarules, max_depth=self.max_depth, predicates=self.predicates, max_nodes=200_000)
        best = Program()
        for atom in positives[:20]:
            if covered_by(best, background, [atom], max_depth=1000, max_inferences=100_000).any():
                continue
            try:
                program = next(iter(helper._solutions(background, [atom], negatives, 1, Budget(helper), 1)), None)
            except SearchBudgetExceeded:
                continue
            if program is not None:
                grown = best + program
                if not covered_by(grown, background, negatives, max_depth=1000, max_inferences=100_000).any():
                    best = grown
        return best

    def programs(self, background, positives, negatives=(), *, n_clauses):
        """All programs with at most this many clauses that solve the task.

        Parameters
        ----------
        background, positives, negatives
            As in :meth:`fit`.
        n_clauses : int
            Bound of the number of clauses.

        Returns
        -------
        list of Program
            Without repetition, in the order of the search.
        """
        self._check()
        unique = {}
        for program in self._solutions(background, positives, negatives, n_clauses, Budget(self), None):
            unique.setdefault(frozenset(program), program)
        return list(unique.values())

    def _solutions(self, background, positives, negatives, n, budget, limit):
        rules = self._metarules()
        positives, negatives = read_examples(positives, negatives)
        theory = background_program(background)
        used = self._signature(theory)
        targets = _predicates([*positives, *negatives])
        clauses = [_fact("$background", name, arity) for name, arity in used]
        clauses += [_caller(name, arity) for name, arity in used]
        clauses += [_fact("$target", name, arity) for name, arity in targets]
        invented = self._invented(n, targets, rules)
        clauses += [_fact("$invented", name, arity) for name, arity in invented]
        clauses += [_fact("$invention", name, k) for k, name in enumerate(dict.fromkeys(m for m, _ in invented), 1)]
        clauses += [Clause(Atom.from_term(rule.to_term())) for rule in rules]
        prover = Prolog(
            theory + Program(clauses) + Program(_INTERPRETER),
            unknown="fail",
            max_inferences=None if budget.max_nodes is None else max(1, budget.max_nodes - budget.nodes),
            max_seconds=budget.left(),
            max_depth=10**9,
        )
        goal = Compound(
            "$learn",
            (_examples(positives), _examples(negatives), Constant(n), Constant(int(self.max_depth)), Variable("Subs")),
        )
        by_name = {rule.name: rule for rule in rules}
        try:
            for answer in prover.answers(goal, limit):
                yield Program(_instances(answer["Subs"], by_name))
        except SearchBudgetExceeded:
            budget.spend(prover.n_inferences)
            budget.stop(f"max_seconds={self.max_seconds}")
        budget.spend(prover.n_inferences)

    def _metarules(self):
        rules = [MetaRule.of(rule) for rule in self.metarules]
        if not rules:
            raise SearchBudgetExceeded(
                "Without metarules the space of programs is infinite. Give some, such as ['ident', 'chain'].",
                best=None,
                n_nodes=0,
            )
        if len({rule.name for rule in rules}) < len(rules):
            raise ValueError("Two metarules have the same name; pass MetaRule objects with different names.")
        return rules

    def _invented(self, n, targets, rules):
        """Names and arities of the predicates that a program of n clauses may invent."""
        largest = n - 1 if self.max_invented is None else min(n - 1, self.max_invented)
        arities = sorted({rule.arity for rule in rules})
        return [(f"{targets[0][0]}_{k}", arity) for k in range(1, largest + 1) for arity in arities]

    def _signature(self, theory):
        names = list(dict.fromkeys((c.head.predicate, c.head.arity) for c in theory if c.head is not None))
        if self.predicates is None:
            return names
        chosen = []
        for each in self.predicates:
            name, _, arity = each.rpartition("/")
            if not name or not arity.isdigit():
                raise ValueError(f"`predicates` must contain names with arities such as 'mother/2', got {each!r}.")
            chosen.append((name, int(arity)))
        return chosen


def _predicates(atoms):
    """Names and arities of atoms, each once."""
    return list(dict.fromkeys((atom.predicate, atom.arity) for atom in atoms))


def _fact(predicate, *args):
    return Clause(Atom(predicate, args))


def _caller(name, arity):
    """'$call'(name, [A, B]) :- name(A, B)."""
    args = [Variable(f"A{k}") for k in range(arity)]
    return Clause(Atom("$call", (Constant(name), make_list(args))), [Literal(Atom(name, args))])


def _examples(atoms):
    return make_list([make_list([Constant(atom.predicate), *atom.args]) for atom in atoms])


def _instances(subs, by_name):
    """The clauses of a list of sub(Rule, Symbols), without repetition."""
    clauses = {}
    for sub in list_items(subs):
        rule = by_name[sub.args[0].name]
        values = dict(zip(rule.symbols, list_items(sub.args[1])))

        def literal(words, values=values):
            predicate = values.get(words[0], Constant(words[0])).name
            args = [Variable(w) if w[0].isupper() or w[0] == "_" else Constant(w) for w in words[1:]]
            return Atom(predicate, [values.get(w, arg) for w, arg in zip(words[1:], args)])

        clauses[Clause(literal(rule.head), [literal(each) for each in rule.body])] = None
    return list(clauses)
