"""Automata and their induction."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn.logic import FiniteAutomaton, MetagolR, SearchBudgetExceeded

PARITY = FiniteAutomaton([(0, "0", 0), (0, "1", 1), (1, "0", 1), (1, "1", 0)], [0])
SETS = [
    (["", "11", "011", "101", "110"], ["1", "01", "10", "001", "111"]),
    (["", "0", "00", "11", "000", "011", "101"], ["1", "01"]),
]


@pytest.mark.spec("LOG-T12", "LOG-17")
@pytest.mark.parametrize("words", SETS)
@pytest.mark.parametrize("deterministic", [True, False])
def test_parity_is_the_smallest_automaton(words, deterministic):
    learner = MetagolR(deterministic=deterministic, max_states=3)
    assert learner.automata(*words, n_facts=4) == []
    assert learner.automata(*words, n_facts=5) == [PARITY]
    learner.fit(*words)
    assert learner.automaton_ == PARITY
    assert learner.n_facts_ == 5
    assert set(map(repr, learner.program_)) == {
        "acceptor(s(0)).",
        "delta1(s(0), '0', s(0)).",
        "delta1(s(0), '1', s(1)).",
        "delta1(s(1), '0', s(1)).",
        "delta1(s(1), '1', s(0)).",
    }


automata = st.builds(
    FiniteAutomaton,
    st.lists(st.tuples(st.integers(0, 3), st.sampled_from("ab"), st.integers(0, 3)), max_size=8),
    st.sets(st.integers(0, 3), max_size=3),
)


@pytest.mark.spec("LOG-18")
@given(automata)
def test_determinised_and_minimal_automata_accept_the_same_words(automaton):
    words = [w for n in range(5) for w in itertools.product("ab", repeat=n)]
    full, small = automaton.determinize(), automaton.minimize()
    assert full.is_deterministic
    assert small.is_deterministic
    for word in words:
        assert automaton.accepts(word) == full.accepts(word) == small.accepts(word)
    assert len(small.states) <= len(full.states)
    if len(small.states) <= 5:  # words of up to four symbols tell the states apart
        futures = {tuple(accepts_from(small, q, word) for word in words) for q in small.states}
        assert len(futures) == len(small.states)
    assert small.minimize() == small
    assert FiniteAutomaton.from_facts(automaton.to_program()) == automaton


def accepts_from(automaton, state, word):
    arrows = {(q, c): p for q, c, p in automaton.transitions}
    for symbol in word:
        state = arrows.get((state, symbol))
    return state in automaton.accepting


@pytest.mark.spec("LOG-18")
def test_automata_consist_of_facts():
    with pytest.raises(ValueError, match="acceptor/1 and delta1/3"):
        FiniteAutomaton.from_facts("p(a).")
    with pytest.raises(ValueError, match=r"s\(number\)"):
        FiniteAutomaton.from_facts("acceptor(a).")
    assert list(PARITY.words(2)) == [(), ("0",), ("0", "0"), ("1", "1")]
    assert PARITY.n_facts == 5


@pytest.mark.spec("LOG-17", "LOG-P5")
def test_ten_states_are_counted():
    learner = MetagolR().fit([[], ["a"] * 10], [["a"] * k for k in range(1, 10)])
    assert learner.n_facts_ == 11
    assert learner.predict([["a"] * k for k in (20, 25)]) == [True, False]


@pytest.mark.spec("LOG-17")
@pytest.mark.parametrize("words", SETS)
def test_deterministic_automata_are_those_among_all(words):
    every = MetagolR(deterministic=False, max_states=3).automata(*words, n_facts=6)
    found = MetagolR(max_states=3).automata(*words, n_facts=6)
    assert {a for a in every if a.is_deterministic} == set(found)
    assert len(found) > 1


@pytest.mark.spec("LOG-17", "LOG-P5")
def test_an_automaton_of_ten_states_is_learned_again():
    rng = np.random.default_rng(0)
    made = PARITY
    while len(made.states) < 10:
        arrows = [(q, c, int(rng.integers(10))) for q in range(10) for c in "ab"]
        made = FiniteAutomaton(arrows, np.flatnonzero(rng.random(10) < 0.4).tolist()).minimize()
    words = [w for n in range(9) for w in itertools.product("ab", repeat=n)]
    learner = MetagolR().fit([w for w in words if made.accepts(w)], [w for w in words if not made.accepts(w)])
    assert learner.automaton_.minimize() == made
    assert learner.n_facts_ == made.n_facts


@pytest.mark.spec("LOG-17", "LOG-P11")
def test_invalid_words_and_budgets_raise():
    with pytest.raises(ValueError, match="contradict each other: 'a' is both"):
        MetagolR().fit(["a"], ["a"])
    with pytest.raises(TypeError, match="positives"):
        MetagolR().fit("abc")
    with pytest.raises(ValueError, match="at least one"):
        MetagolR().fit([], ["a"])
    with pytest.raises(SearchBudgetExceeded, match="max_facts=2"):
        MetagolR(max_facts=2).fit(*SETS[0])
    with pytest.raises(SearchBudgetExceeded, match="max_nodes=2"):
        MetagolR(max_nodes=2).fit(*SETS[0])
    with pytest.raises(SearchBudgetExceeded, match="max_nodes=100"):
        MetagolR(max_nodes=100, deterministic=False).fit(*SETS[0])
