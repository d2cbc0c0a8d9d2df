"""Learning from failures."""

import itertools

import pytest

from statlearn.logic import ILPTask, Popper, SearchBudgetExceeded
from tests.logic.tasks import GRANDPARENTS, KINSHIP, LEGO, LEGO_MODES, LEGO_NEG, LEGO_POS

PEOPLE = ["ann", "amy", "andy", "amelia", "bob", "linda", "gavin", "steve", "spongebob"]
TRUE = {(a, c) for a in ("ann", "steve") for c in ("amelia", "bob", "spongebob")} | {("linda", "amelia")}
OTHERS = [f"grandparent({a},{b})" for a in PEOPLE for b in PEOPLE if (a, b) not in TRUE]
GRAND_MODES = "modeh(1, grandparent(+p,+p)). modeb(*, mother(+p,-p)). modeb(*, father(+p,-p))."


@pytest.mark.spec("LOG-P5")
@pytest.mark.parametrize("backend", ["own", "clingo"])
def test_small_tasks_are_solved_with_the_fewest_literals(backend):
    lego = Popper(LEGO_MODES, backend=backend).fit(LEGO, LEGO_POS, LEGO_NEG)
    assert repr(lego.program_) == "happy(A) :- lego_builder(A), enjoys_lego(A)."
    assert lego.coverage_ == [(1, 0)]
    kin = Popper(GRAND_MODES, backend=backend, max_literals=2).fit(KINSHIP, GRANDPARENTS, OTHERS)
    assert set(map(repr, kin.program_)) == {
        "grandparent(A, B) :- mother(A, C), mother(C, B).",
        "grandparent(A, B) :- mother(A, C), father(C, B).",
        "grandparent(A, B) :- father(A, C), mother(C, B).",
    }
    assert ILPTask(KINSHIP, GRANDPARENTS, OTHERS).check(kin.program_).correct


def test_the_program_is_minimal_within_the_bounds():
    facts = "p(a). p(b). q(b). q(c). r(c). r(a). s(d). s(b)."
    modes = "modeh(1, t(+x)). modeb(1, p(+x)). modeb(1, q(+x)). modeb(1, r(+x)). modeb(1, s(+x))."
    pos, neg = ["t(a)", "t(b)", "t(c)"], ["t(d)"]
    learner = Popper(modes, max_literals=2).fit(facts, pos, neg)
    task = ILPTask(facts, pos, neg)
    assert task.check(learner.program_).correct
    bodies = [b for n in (1, 2) for b in itertools.combinations(["p(A)", "q(A)", "r(A)", "s(A)"], n)]
    clauses = [f"t(A) :- {', '.join(body)}." for body in bodies]
    sizes = [
        sum(clause.count("A)") for clause in chosen)
        for n in (1, 2)
        for chosen in itertools.combinations(clauses, n)
        if task.check("\n".join(chosen)).correct
    ]
    assert learner.program_.size == min(sizes)


def test_recursion_is_learned_with_its_base_case():
    modes = "modeh(1, even(+n)). modeb(1, zero(+n)). modeb(1, minus2(+n,-n)). modeb(1, even(+n))."
    background = "zero(0). minus2(N,M) :- N > 1, M is N - 2."
    pos, neg = [f"even({n})" for n in (0, 2, 4, 10)], [f"even({n})" for n in (1, 3, 7)]
    learner = Popper(modes).fit(background, pos, neg)
    assert list(map(repr, learner.program_)) == ["even(A) :- zero(A).", "even(A) :- minus2(A, B), even(B)."]


def test_noise_is_weighed_against_the_length_of_the_program():
    facts = " ".join([*(f"red(r{i})." for i in range(12)), *(f"blue(b{i})." for i in range(12))])
    modes = "modeh(1, t(+x)). modeb(1, red(+x)). modeb(1, blue(+x))."
    pos = [f"t(r{i})" for i in range(11)] + ["t(b0)"]
    neg = [f"t(b{i})" for i in range(1, 12)] + ["t(r11)"]
    for backend in ("own", "clingo"):
        learner = Popper(modes, noisy=True, backend=backend).fit(facts, pos, neg)
        assert repr(learner.program_) == "t(A) :- red(A)."
        assert learner.coverage_ == [(11, 1)]
    with pytest.raises(SearchBudgetExceeded, match="noisy=True"):
        Popper(modes).fit(facts, pos, neg)


@pytest.mark.spec("LOG-P11")
def test_failures_prune_and_budgets_stop():
    facts = "x(a). x(b). p(a). q(a). r(a). u(c)."
    modes = "modeh(1, t(+x)). modeb(1, u(+x)). modeb(1, p(+x)). modeb(1, q(+x)). modeb(1, r(+x)). modeb(1, x(+x))."
    learner = Popper(modes)
    with pytest.raises(SearchBudgetExceeded, match="No program"):
        learner.fit(facts, ["t(a)", "t(d)"], ["t(c)"])
    with pytest.raises(SearchBudgetExceeded, match="modes"):
        Popper().fit(facts, ["t(a)"])
    with pytest.raises(SearchBudgetExceeded, match="max_nodes=2") as caught:
        Popper(modes, max_nodes=2).fit(facts, ["t(a)", "t(d)"], ["t(b)"])
    assert caught.value.best is not None
    pruning = Popper(LEGO_MODES, max_literals=3).fit(LEGO, LEGO_POS, LEGO_NEG)
    assert pruning.n_pruned_ > 0
