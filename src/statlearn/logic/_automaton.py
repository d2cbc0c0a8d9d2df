"""Finite automata and their induction from example words."""

import itertools

from statlearn._core.params import Int

from ._errors import SearchBudgetExceeded
from ._learner import Budget, Learner
from ._prolog import Prolog
from ._terms import Atom, Clause, Compound, Constant, Program, Variable, list_items, make_list


class FiniteAutomaton:
    """A finite automaton, deterministic or not, with start state 0.

    Parameters
    ----------
    transitions : iterable of (int, symbol, int)
        State, symbol, next state.
    accepting : iterable of int
        Accepting states.

    Attributes
    ----------
    transitions : list of (int, symbol, int)
    accepting : set of int
    states : list of int
    alphabet : list

    Examples
    --------
    >>> from statlearn.logic import FiniteAutomaton
    >>> parity = FiniteAutomaton([(0, "0", 0), (0, "1", 1), (1, "0", 1), (1, "1", 0)], accepting=[0])
    >>> parity.accepts("0110"), parity.accepts("01")
    (True, False)
    >>> print(parity.to_program())
    acceptor(s(0)).
    delta1(s(0), '0', s(0)).
    delta1(s(0), '1', s(1)).
    delta1(s(1), '0', s(1)).
    delta1(s(1), '1', s(0)).
    """

    def __init__(self, transitions, accepting):
        self.transitions = sorted(set(map(tuple, transitions)), key=lambda t: (t[0], str(t[1]), t[2]))
        self.accepting = set(accepting)
        used = {0, *self.accepting, *(t[0] for t in self.transitions), *(t[2] for t in self.transitions)}
        self.states = sorted(used)
        self.alphabet = list(dict.fromkeys(sorted((t[1] for t in self.transitions), key=str)))
        self._next = {}
        for state, symbol, target in self.transitions:
            self._next.setdefault((state, symbol), []).append(target)

    @classmethod
    def from_facts(cls, facts):
        """The automaton of facts ``acceptor(s(Q))`` and ``delta1(s(Q), C, s(P))``.

        Parameters
        ----------
        facts : Program or str

        Returns
        -------
        FiniteAutomaton
        """
        transitions, accepting = [], []
        for clause in Program(facts):
            atom = clause.head
            if clause.body or atom is None:
                raise ValueError(f"Facts are expected, got {clause}")
            if atom.indicator == "acceptor/1":
                accepting.append(_state(atom.args[0]))
            elif atom.indicator == "delta1/3":
                transitions.append((_state(atom.args[0]), atom.args[1].value, _state(atom.args[2])))
            else:
                raise ValueError(f"Facts of acceptor/1 and delta1/3 are expected, got {clause}")
        return cls(transitions, accepting)

    def to_program(self):
        """The facts ``acceptor(s(Q))`` and ``delta1(s(Q), C, s(P))``."""

        def state(q):
            return Compound("s", (Constant(q),))

        facts = [Clause(Atom("acceptor", (state(q),))) for q in sorted(self.accepting)]
        facts += [Clause(Atom("delta1", (state(q), Constant(c), state(p)))) for q, c, p in self.transitions]
        return Program(facts)

    @property
    def n_facts(self):
        """Number of facts: accepting states and transitions."""
        return len(self.accepting) + len(self.transitions)

    @property
    def is_deterministic(self):
        """Whether no state has two transitions for a symbol."""
        return all(len(targets) == 1 for targets in self._next.values())

    def accepts(self, word):
        """Whether a word, a sequence of symbols, leads to an accepting state."""
        current = {0}
        for symbol in word:
            current = {target for state in current for target in self._next.get((state, symbol), ())}
            if not current:
                return False
        return bool(current & self.accepting)

    def determinize(self):
        """An equivalent deterministic automaton (subset construction)."""
        number, queue, transitions = {frozenset([0]): 0}, [frozenset([0])], []
        while queue:
            subset = queue.pop(0)
            for symbol in self.alphabet:
                target = frozenset(p for q in subset for p in self._next.get((q, symbol), ()))
                if not target:
                    continue
                if target not in number:
                    number[target] = len(number)
                    queue.append(target)
                transitions.append((number[subset], symbol, number[target]))
        return FiniteAutomaton(transitions, [k for subset, k in number.items() if subset & self.accepting])

    def minimize(self):
        """The smallest deterministic automaton of the same language, without a dead state."""
        full = self.determinize()
        dead = len(full.states)
        states = [*full.states, dead]

        def move(state, symbol):
            return full._next.get((state, symbol), [dead])[0] if state != dead else dead

        block = {q: int(q in full.accepting) for q in states}
        while True:
            key = {q: (block[q], *(block[move(q, c)] for c in full.alphabet)) for q in states}
            number = {}
            fresh = {q: number.setdefault(key[q], len(number)) for q in states}
            if len(number) == len(set(block.values())):
                break
            block = fresh
        # Blocks in the order in which a walk from the start meets them; the dead one is left out.
        order, queue, transitions = {block[0]: 0}, [0], []
        if block[0] == block[dead]:
            return FiniteAutomaton([], [])
        while queue:
            q = queue.pop(0)
            for symbol in full.alphabet:
                p = move(q, symbol)
                if block[p] == block[dead]:
                    continue
                if block[p] not in order:
                    order[block[p]] = len(order)
                    queue.append(p)
                transitions.append((order[block[q]], symbol, order[block[p]]))
        accepting = {order[block[q]] for q in full.accepting if block[q] in order}
        return FiniteAutomaton(transitions, accepting)

    def words(self, max_length):
        """All accepted words up to a length, as tuples."""
        for n in range(max_length + 1):
            for word in itertools.product(self.alphabet, repeat=n):
                if self.accepts(word):
                    yield word

    def plot(self, ax=None):
        """Draw the automaton.

        Parameters
        ----------
        ax : matplotlib axes or None, default=None

        Returns
        -------
        matplotlib axes
        """
        from ._plots import draw_automaton

        return draw_automaton(self, ax)

    def __eq__(self, other):
        if not isinstance(other, FiniteAutomaton):
            return NotImplemented
        return self.transitions == other.transitions and self.accepting == other.accepting

    def __hash__(self):
        return hash((tuple(self.transitions), frozenset(self.accepting)))

    def __repr__(self):
        arrows = ", ".join(f"{q} -{c}-> {p}" for q, c, p in self.transitions)
        return f"FiniteAutomaton(accepting {sorted(self.accepting)}; {arrows})"


def _state(term):
    if isinstance(term, Compound) and term.functor == "s" and isinstance(term.args[0], Constant):
        return term.args[0].name
    raise ValueError(f"A state must be s(number), got {term}.")


# States are numbers. A path through the automaton uses known transitions or adds one, to a known state or the next new
# one. After every word that is parsed, no negative word may be accepted by what is known: more facts cannot undo that.
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
    K > 0, '$may_add'(D, Q, C), J is K - 1, '$target'(P, N, M), '$new_arrow'(D, Q, C, P).
'$target'(P, N, N) :- L is N - 1, between(0, L, P).
'$target'(N, N, M) :- '$most_states'(L), N < L, M is N + 1.
'$may_add'(D, Q, C) :- ( '$deterministic' -> \+ '$known'(D, Q, C, _) ; true ).
'$new_arrow'(D, Q, C, P) :- ( '$deterministic' -> true ; \+ '$known'(D, Q, C, P) ).
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
        Largest number of inferences; more raise :class:`SearchBudgetExceeded`.
    max_seconds : float or None, default=None
        Longest time; more raises :class:`SearchBudgetExceeded`.

    Attributes
    ----------
    automaton_ : FiniteAutomaton
    program_ : Program
        The same as facts of acceptor/1 and delta1/3.
    n_facts_ : int
    n_nodes_ : int
        Number of inferences of the search.

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
            raise ValueError(f"The examples contradict each other: {list(both[0])} is both positive and negative.")
        if not positives:
            raise ValueError("`positives` must contain at least one word.")
        budget = Budget(self)
        for k in range(1, self.max_facts + 1):
            found = self._solutions(positives, negatives, k, budget, 1)
            if found:
                self.automaton_ = found[0]
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
        ordered = sorted(positives, key=lambda w: (len(w), [code[c] for c in w]))

        def terms(words):
            return make_list([make_list([Constant(code[c]) for c in word]) for word in words])

        prover = Prolog(
            _PARSER
            + f"'$most_states'({int(self.max_states)}).\n"
            + ("'$deterministic'." if self.deterministic else ":- dynamic '$deterministic'/0."),
            unknown="fail",
            max_inferences=None if budget.max_nodes is None else max(1, budget.max_nodes - budget.nodes),
            max_seconds=budget.left(),
            max_depth=10**9,
        )
        refused = sorted(negatives, key=len)
        goal = Compound("$induce", (terms(ordered), terms(refused), Constant(k), Variable("G")))
        found = []
        try:
            for answer in prover.answers(goal, limit):
                accepting, arrows = answer["G"].args
                found.append(
                    FiniteAutomaton(
                        [(q.name, symbols[c.name], p.name) for q, c, p in (d.args for d in list_items(arrows))],
                        [q.name for q in list_items(accepting)],
                    )
                )
        except SearchBudgetExceeded:
            budget.spend(prover.n_inferences)
            budget.stop(f"max_seconds={self.max_seconds}")
        budget.spend(prover.n_inferences)
        return found


def _words(words, name):
    if isinstance(words, str):
        raise TypeError(f"`{name}` must be a sequence of words, got one text; put it into a list.")
    return list(dict.fromkeys(tuple(word) for word in words))
