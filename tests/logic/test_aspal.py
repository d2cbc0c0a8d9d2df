"""ASPAL."""

import itertools

import pytest

from statlearn.logic import ASPAL, ILPTask, SearchBudgetExceeded
from tests.logic.tasks import LEGO, LEGO_MODES, LEGO_NEG, LEGO_POS, PENGUIN, PENGUIN_MODES


@pytest.mark.spec("LOG-T13", "LOG-19")
@pytest.mark.parametrize("backend", ["own", "clingo"])
def test_penguins_are_birds_that_cannot_fly(backend):
    learner = ASPAL(PENGUIN_MODES, backend=backend).fit(PENGUIN, ["penguin(betty)"], ["penguin(alice)"])
    assert repr(learner.program_) == "penguin(A) :- bird(A), not can(A, fly)."
    assert [repr(rule) for rule in learner.candidates_] == [
        "penguin(A) :- bird(A).",
        "penguin(A) :- bird(A), not can(A, fly).",
        "penguin(A) :- bird(A), not can(A, swim).",
        "penguin(A) :- bird(A), not can(A, fly), not can(A, swim).",
    ]
    assert learner.answer_set_.holds("penguin(betty)")


@pytest.mark.spec("LOG-T7", "LOG-19", "LOG-P5")
@pytest.mark.parametrize("backend", ["own", "clingo"])
def test_aspal_solves_the_lego_task(backend):
    learner = ASPAL(LEGO_MODES, backend=backend).fit(LEGO, LEGO_POS, LEGO_NEG)
    assert repr(learner.program_) == "happy(A) :- lego_builder(A), enjoys_lego(A)."
    assert ILPTask(LEGO, LEGO_POS, LEGO_NEG).check(learner.program_).correct


@pytest.mark.spec("LOG-P7", "LOG-19")
@pytest.mark.parametrize("backend", ["own", "clingo"])
def test_the_rule_set_is_minimal(backend):
    facts = "x(a). x(b). x(c). x(d). p(a). q(b). r(b). p(c). r(c). q(d)."
    modes = "modeh(1, t(+x)). modeb(1, p(+x)). modeb(1, q(+x)). modeb(1, r(+x)). modeb(1, not r(+x))."
    pos, neg = ["t(a)", "t(b)"], ["t(c)", "t(d)"]
    learner = ASPAL(modes, backend=backend).fit(facts, pos, neg)
    task = ILPTask(facts, pos, neg)
    assert task.check(learner.program_).correct

    def cost(rules):
        return len(rules), sum(map(len, rules))

    best = min(
        cost(rules)
        for n in (1, 2)
        for rules in itertools.combinations(learner.candidates_, n)
        if task.check(rules).correct
    )
    assert cost(learner.program_.clauses) == best


@pytest.mark.spec("LOG-19", "LOG-P11")
def test_bad_input_and_bounds():
    with pytest.raises(SearchBudgetExceeded, match="modes"):
        ASPAL().fit(PENGUIN, ["penguin(betty)"])
    with pytest.raises(SearchBudgetExceeded, match="max_rules=3"):
        ASPAL("modeh(1, penguin(+bird)). modeb(1, bird(+bird)).").fit(PENGUIN, ["penguin(betty)"], ["penguin(alice)"])
    with pytest.raises(SearchBudgetExceeded, match="max_nodes=2"):
        ASPAL(PENGUIN_MODES, max_nodes=2).fit(PENGUIN, ["penguin(betty)"], ["penguin(alice)"])


@pytest.mark.spec("LOG-19")
def test_new_variables_link_literals():
    facts = "n(a). n(b). n(c). e(a,b). e(b,c). red(b)."
    modes = "modeh(1, t(+n)). modeb(1, e(+n,-n)). modeb(1, red(+n))."
    learner = ASPAL(modes).fit(facts, ["t(a)"], ["t(b)", "t(c)"])
    assert repr(learner.program_) == "t(A) :- n(A), n(B), e(A, B), red(B)."
