"""Finite automata: words, determinisation, minimisation, facts and drawings."""

import itertools

from ._terms import Atom, Clause, Compound, Constant, Program


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
                raise ValueError(f"`facts` must contain facts only, got {clause}.")
            if atom.indicator == "acceptor/1":
                accepting.append(_state(atom.args[0]))
            elif atom.indicator == "delta1/3":
                transitions.append((_state(atom.args[0]), atom.args[1].value, _state(atom.args[2])))
            else:
                raise ValueError(f"`facts` must contain facts of acceptor/1 and delta1/3 only, got {clause}.")
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
