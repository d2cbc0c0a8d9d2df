"""Metarules and meta-interpretive learning."""

import pytest

from statlearn.logic import ILPTask, Metagol, MetaRule, SearchBudgetExceeded
from tests.logic.tasks import GRANDPARENTS, KINSHIP, NO_GRANDPARENTS

CHAINS = {
    "grandparent(A, B) :- mother(A, C), mother(C, B).",
    "grandparent(A, B) :- mother(A, C), father(C, B).",
    "grandparent(A, B) :- father(A, C), mother(C, B).",
}
INVENTED = {
    "grandparent(A, B) :- grandparent_1(A, C), grandparent_1(C, B).",
    "grandparent_1(A, B) :- mother(A, B).",
    "grandparent_1(A, B) :- father(A, B).",
}
EVEN = "even(0). successor(N, M) :- M is N - 1."


def clauses(program):
    return set(map(repr, program))


@pytest.mark.spec("LOG-15")
def test_metarules_are_read_in_both_forms():
    chain = MetaRule("P(A,B) :- Q(A,C), R(C,B)", name="chain")
    assert chain == MetaRule("chain")
    assert MetaRule("metarule(chain,[P,Q,R],[P,A,B],[[Q,A,C],[R,C,B]])") == chain
    assert MetaRule("P(A,B) <- Q(B,A)").body == [["Q", "B", "A"]]
    assert (chain.symbols, chain.arity) == (["P", "Q", "R"], 2)
    for name in ("ident", "inverse", "tail_recursion", "monadic_ident", "monadic_chain", "monadic_recursion"):
        assert MetaRule(name).name == name
    for wrong in ("chains", "p(A) :- Q(A)", "P(A :- Q", "P(f(A)) :- Q(A)", "P(A) :- Q(A) R(A)"):
        with pytest.raises(ValueError, match=r"metarule|The known names"):
            MetaRule(wrong)


@pytest.mark.spec("LOG-T9", "LOG-16", "LOG-P6")
def test_kinship_has_exactly_two_programs_of_three_clauses():
    learner = Metagol(["ident", "chain"])
    task = (KINSHIP, GRANDPARENTS, NO_GRANDPARENTS)
    assert learner.programs(*task, n_clauses=1) == []
    assert learner.programs(*task, n_clauses=2) == []
    three = learner.programs(*task, n_clauses=3)
    assert sorted(map(len, three)) == [3, 3]
    assert CHAINS in map(clauses, three)
    assert INVENTED in map(clauses, three)
    learner.fit(*task)
    assert clauses(learner.program_) in (CHAINS, INVENTED)
    assert learner.n_clauses_ == 3
    assert ILPTask(*task).check(learner.program_).correct


@pytest.mark.spec("LOG-T10", "LOG-16", "LOG-P5")
def test_reachability_is_learned_with_recursion():
    edges = "edge(a,b). edge(b,c). edge(c,d). edge(d,e)."
    task = (edges, ["reachable(a,b)", "reachable(a,e)", "reachable(b,d)"], ["reachable(b,a)", "reachable(c,a)"])
    learner = Metagol(["ident", "tail_recursion"])
    assert learner.programs(*task, n_clauses=1) == []
    assert clauses(learner.learn(*task)) == {
        "reachable(A, B) :- edge(A, B).",
        "reachable(A, B) :- edge(A, C), reachable(C, B).",
    }
    assert ILPTask(*task).check(learner.program_).correct


@pytest.mark.spec("LOG-T11", "LOG-16")
def test_even_numbers_invent_odd_ones():
    task = (EVEN, ["even(2)", "even(4)"], ["even(1)", "even(3)"])
    learner = Metagol([MetaRule("P(A) :- Q(A,B), R(B)")])
    assert learner.programs(*task, n_clauses=1) == []
    (only,) = learner.programs(*task, n_clauses=2)
    assert clauses(only) == {"even(A) :- successor(A, B), even_1(B).", "even_1(A) :- successor(A, B), even(B)."}
    assert learner.learn(*task) == only


@pytest.mark.spec("LOG-P6")
def test_fewer_clauses_are_preferred_whatever_the_order_of_metarules():
    task = ("f(a,b). g(b,c). h(a,c).", ["t(a,c)"], ["t(a,b)"])
    for rules in (["chain", "ident"], ["ident", "chain"]):
        learner = Metagol(rules).fit(*task)
        assert learner.n_clauses_ == 1
        assert all(not learner.programs(*task, n_clauses=n) for n in range(1, learner.n_clauses_))


@pytest.mark.spec("LOG-16")
def test_invention_and_predicates_can_be_limited():
    learner = Metagol(["ident", "chain"], max_invented=0)
    assert [clauses(p) for p in learner.programs(KINSHIP, GRANDPARENTS, NO_GRANDPARENTS, n_clauses=3)] == [CHAINS]
    only_mother = Metagol(["ident", "chain"], predicates=["mother/2"], max_clauses=2)
    assert clauses(only_mother.learn(KINSHIP, GRANDPARENTS[:1])) == {"grandparent(A, B) :- mother(A, C), mother(C, B)."}
    with pytest.raises(ValueError, match="mother/2"):
        Metagol(predicates=["mother"]).fit(KINSHIP, GRANDPARENTS)


@pytest.mark.spec("LOG-P11")
def test_searches_without_metarules_or_beyond_their_budget_stop():
    with pytest.raises(SearchBudgetExceeded, match="metarules"):
        Metagol([]).fit(KINSHIP, GRANDPARENTS)
    with pytest.raises(SearchBudgetExceeded, match="max_clauses=2") as caught:
        Metagol(max_clauses=2).fit(KINSHIP, GRANDPARENTS, NO_GRANDPARENTS)
    check = ILPTask(KINSHIP, GRANDPARENTS, NO_GRANDPARENTS).check(caught.value.best)
    assert check.strongly_consistent
    assert len(check.uncovered) < len(GRANDPARENTS)
    with pytest.raises(SearchBudgetExceeded, match="max_nodes=1000"):
        Metagol(max_nodes=1000).fit(KINSHIP, GRANDPARENTS, NO_GRANDPARENTS)
    with pytest.raises(SearchBudgetExceeded, match="max_seconds"):
        Metagol(["chain", "ident", "inverse"], max_seconds=0.01).fit(
            KINSHIP, ["t(ann,steve)", "t(bob,linda)"], ["t(ann,ann)"]
        )
    with pytest.raises(ValueError, match="same name"):
        Metagol(["chain", MetaRule("P(A) :- Q(A)", name="chain")]).fit(KINSHIP, GRANDPARENTS)
