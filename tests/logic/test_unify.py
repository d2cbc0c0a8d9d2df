"""Unification."""

import pytest
from hypothesis import given

from statlearn.logic import Clause, Substitution, Variable, rename_apart, unify
from statlearn.logic._subsumption import match
from tests.logic.tasks import atoms, clauses


@pytest.mark.spec("LOG-P2", "LOG-07")
@given(atoms, atoms)
def test_the_unifier_makes_the_atoms_equal_and_is_most_general(a, b):
    theta = unify(a, b)
    if theta is None:
        return
    assert theta.apply(a) == theta.apply(b)
    assert theta.apply(theta.apply(a)) == theta.apply(a)  # idempotent


@pytest.mark.spec("LOG-P2")
@given(atoms, atoms)
def test_any_other_unifier_is_an_instance(a, pattern):
    # An instance of `pattern` unifies with it; the most general unifier must subsume that one.
    b = rename_apart(pattern, a)
    ground = Substitution({v: "a" for v in {*a.variables(), *b.variables()}})
    if ground.apply(a) != ground.apply(b):
        return
    theta = unify(a, b)
    assert theta is not None
    assert match(theta.apply(a).to_term(), ground.apply(a).to_term(), {}) is not None


@pytest.mark.spec("LOG-P2")
def test_the_occurs_check_rejects_cyclic_terms():
    assert unify("X", "f(X)") is None
    assert unify("p(X, Y)", "p(f(Y), f(X))") is None
    assert unify("p(X, X)", "p(Y, f(Y))") is None
    assert unify("p(a)", "p(b)") is None
    assert unify("p(a)", "q(a)") is None
    assert unify("p(X)", "p(X)") == {}


@pytest.mark.spec("LOG-07")
@given(clauses, clauses)
def test_renamed_clauses_share_no_variables(c, d):
    renamed = rename_apart(c, d)
    assert not set(renamed.variables()) & set(d.variables())
    assert len(renamed.variables()) == len(c.variables())


@pytest.mark.spec("LOG-07")
@given(atoms)
def test_composition_applies_one_after_the_other(atom):
    first, second = Substitution({"X": "f(Y)", "Z": "Y"}), Substitution({"Y": "g(X, b)"})
    assert first.compose(second).apply(atom) == second.apply(first.apply(atom))


def test_substitutions_read_and_print():
    theta = Substitution({"X": "f(Y)", "Y": "Y"})
    assert repr(theta) == "{X/f(Y)}"
    assert theta["X"] == theta[Variable("X")]
    assert theta.restrict([Variable("Z")]) == {}
    assert theta.apply(Clause.of("p(X) :- not q(X).")) == Clause.of("p(f(Y)) :- not q(f(Y)).")
