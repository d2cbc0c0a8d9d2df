"""Subsumption and entailment."""

import itertools

import pytest
from hypothesis import given, settings

from statlearn.logic import (
    Clause,
    Substitution,
    entails,
    more_general,
    subsumes_atom,
    theta_subsumes,
)
from statlearn.logic._unify import substitute
from tests.logic.tasks import atoms, clauses


def brute_force(general, specific):
    """All substitutions of the general clause's variables by terms of the specific one."""
    own = general.variables()
    candidates = list(dict.fromkeys(arg for _, atom in specific.literals() for arg in atom.args)) or [None]
    targets = set(specific.literals())
    for values in itertools.product(candidates, repeat=len(own)):
        made = substitute(general, dict(zip(own, values)) if None not in values else {})
        if set(made.literals()) <= targets:
            return True
    return False


@pytest.mark.spec("LOG-T4", "LOG-08")
def test_head_subsumes_head_and_empty():
    short, long = "f(A,B) :- head(A,B).", "f(X,Y) :- head(X,Y), empty(Y)."
    assert theta_subsumes(short, long) == Substitution({"A": "X", "B": "Y"})
    assert theta_subsumes(long, short) is None


@pytest.mark.spec("LOG-T5", "LOG-09")
def test_generality_with_and_without_background():
    assert more_general("can_fly(X)", "can_fly(daffy)")
    assert not more_general("can_fly(daffy)", "can_fly(X)")
    rule = "lives(X,england) :- lives(X,london)."
    assert more_general("lives(marek,london)", "lives(marek,england)", rule)
    assert not more_general("lives(marek,london)", "lives(marek,england)")
    assert not more_general("lives(marek,england)", "lives(marek,london)", rule)


@pytest.mark.spec("LOG-P3", "LOG-08")
@settings(max_examples=60)
@given(clauses, clauses)
def test_subsumption_agrees_with_brute_force_and_implies_entailment(c, d):
    found = theta_subsumes(c, d)
    assert (found is not None) == brute_force(c, d)
    if found is not None:
        assert set(found.apply(c).literals()) <= set(d.literals())
        assert entails(c, d)


@pytest.mark.spec("LOG-P3")
@settings(max_examples=60)
@given(clauses, clauses, clauses)
def test_subsumption_is_a_preorder(a, b, c):
    assert theta_subsumes(a, a) is not None
    if theta_subsumes(a, b) is not None and theta_subsumes(b, c) is not None:
        assert theta_subsumes(a, c) is not None


@pytest.mark.spec("LOG-P3")
@settings(max_examples=50)
@given(clauses, clauses)
def test_a_clause_subsumes_its_refinements(c, other):
    refined = substitute(Clause(c.head, (*c.body, *other.body)), Substitution({"X": "a"})._bindings)
    assert theta_subsumes(c, refined) is not None


@pytest.mark.spec("LOG-08")
@given(atoms, atoms)
def test_atom_subsumption_is_one_sided_matching(a, b):
    found = subsumes_atom(a, b)
    if found is not None:
        assert found.apply(a) == b
    assert subsumes_atom(a, a) == {}


@pytest.mark.spec("LOG-09")
def test_entailment_is_more_than_subsumption():
    # p(X) :- q(X), and q is closed under f: entailed in two steps, subsumed in none.
    program = "nat(s(X)) :- nat(X)."
    assert entails(program, "nat(s(s(X))) :- nat(X).")
    assert theta_subsumes(program, "nat(s(s(X))) :- nat(X).") is None
    assert not entails(program, "nat(X) :- nat(s(X)).")
    with pytest.raises(ValueError, match="negated"):
        entails("p :- not q.", "p")


def test_conjunctions_are_not_clauses():
    with pytest.raises(TypeError, match=r"compared by ConjunctiveHypothesis\(a\) >= ConjunctiveHypothesis\(b\)"):
        more_general(("?", "?"), ("Sunny", "Hot"))
