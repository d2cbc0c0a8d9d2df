"""Induction of finite automata from example words."""

import itertools

import numpy as np

from statlearn._core import native
from statlearn._core.params import Int

from ._automaton import FiniteAutomaton
from ._errors import SearchBudgetExceeded
from ._learner import Budget, Learner
from ._prolog import Prolog
from ._terms import Compound, Constant, Variable, list_items, make_list

_TOO_MANY_SECONDS = 3  # as native/logic/automaton.hpp numbers the ends of a search

# The search for automata that need not be deterministic. States are numbers. A path uses known transitions or adds one,
# to a known state or the next new one. After every word that is parsed, no negative word may be accepted by what is
# known: more facts cannot undo that.
_PARSER = r"""
'$induce'(Pos, Neg, K, G) :- '$parse_all'(Pos, Neg, g([], [], 1, K), g(Acc, Delta, _, _)), G = g(Acc, Delta).
'$parse_all'([], _, G, G).
'$parse_all'([W|Ws], Neg, G1, G3) :-
    '$parse'(W, 0, G1, G2), '$refused'(Neg, G2), '$parse_all'(Ws, Neg, G2, G3).
'$parse'([], Q, G, G) :- G = g(Acc, _, _, _), '$has'(Acc, Q).
'$parse'([], Q, g(Acc, D, N, K), g([Q|Acc], D, N, J)) :- \+ '$has'(Acc, Q), K > 0, J is K - 1.
'$parse'([C|T], Q, G1, G3) :- '$step'(C, Q, P, G1, G2), '$parse'(T, P, G2, G3).
'$step'(C, Q, P, G, G) :- G = g(_, D, _, _), '$known'(D, Q, C, P).
'$step'(C, Q, P, g(Acc, D, N, K), g(Acc, [d(Q, C, P)|D], M, J)) :-
    K > 0, J is K - 1, '$target'(P, N, M), \+ '$known'(D, Q, C, P).
'$target'(P, N, N) :- L is N - 1, between(0, L, P).
'$target'(N, N, M) :- '$most_states'(L), N < L, M is N + 1.
'$known'([d(Q, C, P)|_], Q, C, P).
'$known'([_|D], Q, C, P) :- '$known'(D, Q, C, P).
'$has'([X|T], Y) :- ( X == Y -> true ; '$has'(T, Y) ).
'$refused'([], _).
'$refused'([W|Ws], G) :- \+ '$accepts'(W, 0, G), '$refused'(Ws, G).
'$accepts'([], Q, g(Acc, _, _, _)) :- '$has'(Acc, Q).
'$accepts'([C|T], Q, G) :- G = g(_, D, _, _), '$known'(D, Q, C, P), '$accepts'(T, P, G).
"""


class MetagolR(Learner):
    """Regular grammars and finite automata from example words.

    Every positive word is parsed from the start state. A transition or accepting state that is missing is abduced at
    a cost of one; new states are made on demand. Negative words must not be accepted. The budget of facts grows from
    1, so that the result has the fewest facts.

    Parameters
    ----------
    max_facts : int, default=30
        Largest number of transitions and accepting states.
    max_states : int, default=20
        Largest number of states.
    deterministic : bool, default=True
        Whether a state may have only one transition per symbol, which makes the search much smaller.
    max_nodes : int or None, default=100_000_000
        Largest number of transitions tried (of inferences if `deterministic` is False); more raise
        :class:`SearchBudgetExceeded`.
    max_seconds : float or None, default=None
        Longest time; more raises :class:`SearchBudgetExceeded`.

    Attributes
    ----------
    automaton_ : FiniteAutomaton
    program_ : Program
        The same as facts of acceptor/1 and delta1/3.
    n_facts_ : int
    n_nodes_ : int
        Number of transitions tried, or of inferences.

    See Also
    --------
    FiniteAutomaton : what is learned.

    References
    ----------
    Muggleton, S., Lin, D., Pahlavi, N. and Tamaddoni-Nezhad, A. (2014). Meta-interpretive learning: application to
    grammatical inference. Machine Learning 94, 25-49.

    Examples
    --------
    >>> from statlearn.logic import MetagolR
    >>> learner = MetagolR().fit(["", "11", "011", "101", "110"], ["1", "01", "10", "001", "111"])
    >>> learner.automaton_
    FiniteAutomaton(accepting [0]; 0 -0-> 0, 0 -1-> 1, 1 -0-> 1, 1 -1-> 0)
    >>> learner.predict(["0000", "0100"])
    [True, False]
    """

    _rules = {"max_facts": [Int(1, None)], "max_states": [Int(1, None)], "deterministic": ["boolean"]}

    def __init__(self, *, max_facts=30, max_states=20, deterministic=True, max_nodes=100_000_000, max_seconds=None):
        self.max_facts = max_facts
        self.max_states = max_states
        self.deterministic = deterministic
        self.max_nodes = max_nodes
        self.max_seconds = max_seconds

    def fit(self, positives, negatives=()):
        """Learn an automaton.

        Parameters
        ----------
        positives, negatives : sequence of words
            A word is text (a symbol per character) or a sequence of symbols.

        Returns
        -------
        self
        """
        self._check()
        positives, negatives = _words(positives, "positives"), _words(negatives, "negatives")
        both = [word for word in positives if word in set(negatives)]
        if both:
            word = "".join(both[0]) if all(isinstance(c, str) and len(c) == 1 for c in both[0]) else list(both[0])
            raise ValueError(f"The examples contradict each other: {word!r} is both positive and negative.")
        if not positives:
            raise ValueError("`positives` must contain at least one word.")
        budget = Budget(self)
        for k in range(1, self.max_facts + 1):
            programs = self._solutions(positives, negatives, k, budget, 1)
            if programs:
                self.automaton_ = programs[0]
                self.program_ = self.automaton_.to_program()
                self.n_facts_, self.n_nodes_ = self.automaton_.n_facts, budget.nodes
                return self
        raise SearchBudgetExceeded(
            f"No automaton with up to max_facts={self.max_facts} facts and max_states={self.max_states} states accepts "
            "all positives and no negative. Raise max_facts or max_states.",
            best=None,
            n_nodes=budget.nodes,
        )

    def automata(self, positives, negatives=(), *, n_facts):
        """All automata with at most this many facts that agree with the examples, states numbered by first use."""
        self._check()
        positives, negatives = _words(positives, "positives"), _words(negatives, "negatives")
        return list(dict.fromkeys(self._solutions(positives, negatives, n_facts, Budget(self), None)))

    def learn(self, positives, negatives=()):
        """The program learned from words; see :meth:`fit`."""
        return self.fit(positives, negatives).program_

    def predict(self, words):
        """Whether each word is accepted."""
        if not hasattr(self, "automaton_"):
            raise AttributeError("MetagolR is not fitted yet; call fit first.")
        return [self.automaton_.accepts(word) for word in words]

    def _solutions(self, positives, negatives, k, budget, limit):
        symbols = list(dict.fromkeys(c for word in (*positives, *negatives) for c in word))
        code = {symbol: n for n, symbol in enumerate(symbols)}
        # Short words first: they fix the automaton near the start.
        ordered = sorted(([code[c] for c in word] for word in positives), key=lambda word: (len(word), word))
        refused = sorted(([code[c] for c in word] for word in negatives), key=len)
        search = self._deterministic if self.deterministic else self._any
        return [
            FiniteAutomaton([(q, symbols[c], p) for q, c, p in arrows], accepting)
            for accepting, arrows in search(ordered, refused, len(symbols), k, budget, limit)
        ]

    def _deterministic(self, positives, negatives, n_symbols, k, budget, limit):
        """Pairs of accepting states and transitions, by the native search."""
        words = [*positives, *negatives]
        starts = np.cumsum([0, *map(len, words)], dtype=np.int64)
        left = None if budget.max_nodes is None else max(1, budget.max_nodes - budget.nodes)
        end, n_nodes, codes = native.logic.induce_automata(
            np.fromiter(itertools.chain.from_iterable(words), np.int32, count=int(starts[-1])),
            starts,
            np.repeat(np.array([1, 0], np.uint8), [len(positives), len(negatives)]),
            n_symbols,
            min(k, 2**20 - 1),
            min(self.max_states, 2**20),
            limit or 0,
            2**62 if left is None else left,
            1e18 if budget.max_seconds is None else budget.left(),
        )
        budget.spend(n_nodes)
        if end == _TOO_MANY_SECONDS:
            budget.stop(f"max_seconds={self.max_seconds}")
        numbers, automata = iter(codes.tolist()), []
        for n_accepting in numbers:
            accepting = list(itertools.islice(numbers, n_accepting))
            arrows = [tuple(itertools.islice(numbers, 3)) for _ in range(next(numbers))]
            automata.append((accepting, arrows))
        return automata

    def _any(self, positives, negatives, n_symbols, k, budget, limit):
        """Pairs of accepting states and transitions, by the prover."""

        def terms(words):
            return make_list([make_list([Constant(c) for c in word]) for word in words])

        prover = Prolog(
            _PARSER + f"'$most_states'({int(self.max_states)}).",
            unknown="fail",
            max_inferences=None if budget.max_nodes is None else max(1, budget.max_nodes - budget.nodes),
            max_seconds=budget.left(),
            max_depth=10**9,
        )
        goal = Compound("$induce", (terms(positives), terms(negatives), Constant(k), Variable("G")))
        automata = []
        try:
            for answer in prover.answers(goal, limit):
                accepting, arrows = answer["G"].args
                automata.append(
                    (
                        [q.name for q in list_items(accepting)],
                        [tuple(part.name for part in arrow.args) for arrow in list_items(arrows)],
                    )
                )
        except SearchBudgetExceeded:
            budget.spend(prover.n_inferences)
            budget.stop(f"max_seconds={self.max_seconds}")
        budget.spend(prover.n_inferences)
        return automata


def _words(words, name):
    if isinstance(words, str):
        raise TypeError(f"`{name}` must be a sequence of words, got one text; put it into a list.")
    return list(dict.fromkeys(tuple(word) for word in words))
