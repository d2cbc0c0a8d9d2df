"""Modes, bottom clauses and covering."""

import numpy as np
import pytest
from sklearn.base import clone

from statlearn._core.warnings import StatlearnWarning
from statlearn.logic import (
    ASPAL,
    Aleph,
    Atom,
    ILPTask,
    ModeB,
    ModeH,
    Popper,
    Prolog,
    SearchBudgetExceeded,
    bottom_clause,
    theta_subsumes,
)
from statlearn.logic._aleph import mdl_gain
from statlearn.logic._modes import read_modes
from tests.logic.tasks import LEGO, LEGO_MODES, LEGO_NEG, LEGO_POS, PENGUIN, PENGUIN_MODES, SHAPES

SHAPE_MODES = "modeh(1, pos(+shape)). modeb(1, red(+shape)). modeb(1, square(+shape)). modeb(1, triangle(+shape))."


@pytest.mark.spec("LOG-12")
def test_modes_are_read():
    heads, bodies = read_modes(
        "modeh(1,happy(+p)). modeb(*, parent(+p,-p)). modeb(2, not can(+p,#skill)). modeb(f(+a))."
    )
    assert heads == [ModeH("happy(+p)", 1)]
    assert [mode.recall for mode in bodies] == ["*", 2, "*"]
    assert [mode.negated for mode in bodies] == [False, True, False]
    assert bodies[1].arguments == [("+", "p"), ("#", "skill")]
    assert ModeB.of(repr(bodies[1])) == bodies[1]
    with pytest.raises(ValueError, match=r"\+type"):
        ModeB("p(X)")
    with pytest.raises(ValueError, match="recall"):
        ModeB("p(+a)", recall=0)
    with pytest.raises(ValueError, match="No modeh declares"):
        read_modes("modeh(1, p(+a)).", ("q", 1))
    with pytest.raises(ValueError, match="negated"):
        read_modes("modeh(1, not p(+a)).")


@pytest.mark.spec("LOG-T8", "LOG-13")
def test_the_bottom_clause_has_the_literals_of_the_modes():
    modes = SHAPE_MODES + " modeb(1, polygon(+shape))."
    assert repr(bottom_clause("pos(s1)", modes, SHAPES)) == "pos(A) :- red(A), square(A), polygon(A)."
    with_rectangle = modes.replace("modeb(1, polygon", "modeb(1, rectangle(+shape)). modeb(1, polygon")
    assert (
        repr(bottom_clause("pos(s1)", with_rectangle, SHAPES))
        == "pos(A) :- red(A), square(A), rectangle(A), polygon(A)."
    )


@pytest.mark.spec("LOG-13")
def test_depth_recall_constants_and_negation_in_bottom_clauses():
    program = "par(a,b). par(a,c). par(b,d). age(b,7). likes(b,tea). skill(fly). skill(swim). can(a,fly)."
    modes = "modeh(1, t(+p)). modeb({}, par(+p,-p)). modeb(1, age(+p,#int)). modeb(1, likes(+p,-d))."
    one = bottom_clause("t(a)", modes.format("*"), program, depth=1)
    assert repr(one) == "t(A) :- par(A, B), par(A, C)."
    two = bottom_clause("t(a)", modes.format("*"), program, depth=2)
    assert repr(two) == "t(A) :- par(A, B), par(A, C), par(B, D), age(B, 7), likes(B, E)."
    assert repr(bottom_clause("t(a)", modes.format(1), program, depth=1)) == "t(A) :- par(A, B)."
    negative = bottom_clause("t(a)", "modeh(1, t(+p)). modeb(*, not can(+p,#skill)).", program)
    assert repr(negative) == "t(A) :- not can(A, swim)."
    with pytest.raises(ValueError, match="ground"):
        bottom_clause("t(X)", modes.format(1), program)


@pytest.mark.spec("LOG-T7", "LOG-14")
def test_aleph_finds_lego_builders_who_enjoy_it():
    learner = Aleph(LEGO_MODES).fit(LEGO, LEGO_POS, LEGO_NEG)
    assert repr(learner.program_) == "happy(A) :- lego_builder(A), enjoys_lego(A)."
    assert learner.coverage_ == [(1, 0)]
    assert ILPTask(LEGO, LEGO_POS, LEGO_NEG).check(learner.program_).correct


@pytest.mark.spec("LOG-P3", "LOG-14")
def test_every_visited_clause_subsumes_the_bottom_clause():
    learner = Aleph(LEGO_MODES, keep_search=True).fit(LEGO, LEGO_POS, LEGO_NEG)
    (bottom,), (nodes,) = learner.bottoms_, learner.search_
    assert len(nodes) == learner.n_nodes_ > 3
    for node in nodes:
        assert theta_subsumes(node.clause, bottom) is not None
        if node.parent is not None:
            assert theta_subsumes(nodes[node.parent].clause, node.clause) is not None


def random_graph(rng, n=30):
    edges = {(f"v{i}", f"v{j}") for i, j in rng.integers(0, n, size=(2 * n, 2)) if i != j}
    red = {f"v{i}" for i in range(n) if rng.random() < 0.5}
    return edges, red


@pytest.mark.spec("LOG-P5", "LOG-14")
def test_noise_free_rules_are_complete_and_consistent(rng):
    edges, red = random_graph(rng)
    target = {x for x, y in edges if y in red}
    nodes = [f"v{i}" for i in range(30)]
    program = "\n".join([*(f"edge({a},{b})." for a, b in sorted(edges)), *(f"red({a})." for a in sorted(red))])
    pos = [f"t({x})" for x in nodes if x in target]
    neg = [f"t({x})" for x in nodes if x not in target]
    learner = Aleph("modeh(1, t(+v)). modeb(*, edge(+v,-v)). modeb(1, red(+v)).").fit(program, pos, neg)
    assert repr(learner.program_) == "t(A) :- edge(A, B), red(B)." or len(learner.program_) <= 2
    assert ILPTask(program, pos, neg).check(learner.program_).correct
    assert not learner.uncovered_


@pytest.mark.spec("LOG-P9", "LOG-14")
def test_a_noisy_positive_stays_uncovered():
    facts = " ".join(f"red(r{i})." for i in range(6)) + " " + " ".join(f"blue(b{i})." for i in range(6))
    pos = [f"t(r{i})" for i in range(6)] + ["t(b0)"]
    neg = [f"t(b{i})" for i in range(1, 6)]
    modes = "modeh(1, t(+x)). modeb(1, red(+x)). modeb(1, blue(+x))."
    for noise in (0, 3, 0.4):
        learner = Aleph(modes, noise=noise).fit(facts, pos, neg)
        assert repr(learner.program_) == "t(A) :- red(A)."
        assert [repr(atom) for atom in learner.uncovered_] == ["t(b0)"]


@pytest.mark.spec("LOG-14")
def test_noise_scores_and_bounds():
    facts = " ".join(f"red(r{i})." for i in range(10))
    pos, neg = [f"t(r{i})" for i in range(9)], ["t(r9)"]
    modes = "modeh(1, t(+x)). modeb(1, red(+x))."
    assert len(Aleph(modes, min_positives=2).learn(facts, pos, neg)) == 0
    for score in ("coverage", "compression", "precision", "laplace", lambda p, n, length: p - 2 * n):
        assert len(Aleph(modes, noise=1, score=score).learn(facts, pos, neg)) == 1
    assert len(Aleph(modes, noise=0.05).learn(facts, pos, neg)) == 0
    assert len(Aleph(modes, noise=1, score="mdl").learn(facts, pos, neg)) == 0  # nothing is saved
    more = " ".join(f"red(r{i})." for i in range(20))
    assert (
        len(
            Aleph(modes, noise=1, score="mdl").learn(
                more, [f"t(r{i})" for i in range(20)], [f"t(s{i})" for i in range(20)]
            )
        )
        == 1
    )


@pytest.mark.spec("LOG-14")
def test_description_length_gain_counts_bits():
    # A rule for all of 10 positives among 20 saves log2 C(20, 10) bits, and costs its literals and the count covered.
    assert np.isclose(mdl_gain(10, 0, 2, 10, 10, 8), np.log2(184756) - 2 * 3 - np.log2(21))
    assert mdl_gain(10, 0, 2, 10, 10, 8) > mdl_gain(10, 2, 2, 10, 10, 8) > mdl_gain(10, 10, 2, 10, 10, 8)


@pytest.mark.spec("LOG-P11")
def test_searches_without_bias_or_beyond_their_budget_stop():
    with pytest.raises(SearchBudgetExceeded, match="modes"):
        Aleph().fit(LEGO, LEGO_POS, LEGO_NEG)
    with pytest.raises(SearchBudgetExceeded, match="max_nodes=2") as caught:
        Aleph(LEGO_MODES, max_nodes=2).fit(LEGO, LEGO_POS, LEGO_NEG)
    assert len(caught.value.best) == 0
    with pytest.raises(SearchBudgetExceeded, match="max_seconds"):
        Aleph(LEGO_MODES, max_seconds=1e-9).fit(LEGO, LEGO_POS, LEGO_NEG)


def test_learners_are_cloned_and_share_no_state():
    first, second = Aleph(LEGO_MODES), Aleph(PENGUIN_MODES)
    copy = clone(first).set_params(max_literals=1)
    a = first.learn(LEGO, LEGO_POS, LEGO_NEG)
    second.learn(PENGUIN, ["penguin(betty)"], ["penguin(alice)"])
    assert first.learn(LEGO, LEGO_POS, LEGO_NEG) == a
    assert (first.max_literals, copy.max_literals) == (4, 1)
    assert "max_literals=1" in repr(copy)
    with pytest.raises(ValueError, match="nonsense"):
        first.set_params(nonsense=1)
    with pytest.raises(ValueError, match="max_literals"):
        Aleph(LEGO_MODES, max_literals=0).fit(LEGO, LEGO_POS)
    with pytest.raises(ValueError, match=r"numbers of arguments: happy/1, happy/2"):
        first.fit(LEGO, ["happy(alice)"], ["happy(bob, x)"])


def test_a_prover_serves_as_background():
    prover = Prolog(unknown="fail").add_facts("red", [("a",), ("b",)])
    learner = Aleph("modeh(1, t(+x)). modeb(1, red(+x)).")
    assert repr(learner.learn(prover, [Atom("t", ("a",))], [Atom("t", ("c",))])) == "t(A) :- red(A)."


def test_weights_replace_counts_of_examples():
    facts = "a(1). a(2). a(3). b(3). b(4)."
    modes = "modeh(1, t(+n)). modeb(1, a(+n)). modeb(1, b(+n))."
    positives, negatives = ["t(3)", "t(1)", "t(4)"], ["t(2)", "t(5)"]
    plain = Aleph(modes, max_literals=1, noise=1).fit(facts, positives, negatives)
    assert repr(plain.program_[0]) == "t(A) :- b(A)."
    heavy = Aleph(modes, max_literals=1, noise=1).fit(facts, positives, negatives, positive_weights=[1, 9, 1])
    assert repr(heavy.program_[0]) == "t(A) :- a(A)."
    assert heavy.coverage_[0] == (10.0, 1)
    with pytest.raises(ValueError, match="`negative_weights` must have one weight for each of the 2"):
        Aleph(modes).fit(facts, positives, negatives, negative_weights=[1])


@pytest.mark.parametrize("learner", [Aleph, ASPAL, Popper])
def test_modes_of_predicates_that_do_not_exist_are_reported(learner):
    modes = "modeh(1, p(+t)). modeb(1, q(+t)). modeb(1, q(+t, -t)). modeb(1, p(+t)). modeb(1, member(+t, +u))."
    with pytest.warns(StatlearnWarning, match=r"does not define q/2, so the mode .* has no effect. Did you mean q/1\?"):
        found = learner(modes).learn("q(a).", ["p(a)"], ["p(b)"])
    assert str(found) == "p(A) :- q(A)."


@pytest.mark.spec("CRS-131")
def test_modes_are_read_as_they_stand_in_files_of_aleph():
    background = "builder(alice). builder(bob). agent(claire). agent(dave). enjoys(alice). enjoys(claire)."
    plain = "modeh(1, happy(+person)). modeb(1, builder(+person)). modeb(1, enjoys(+person))."
    printed = """
        % as in every file
        :- modeh(1,happy(+person)).
        :- modeb(1,builder(+person)).
        :- modeb(*,agent(+person)).
        :- modeb(1,enjoys(+person)).
        :- determination(happy/1,builder/1).
        :- determination(happy/1,enjoys/1).
    """
    assert str(bottom_clause("happy(alice)", printed, background)) == str(
        bottom_clause("happy(alice)", plain, background)
    )
    positives, negatives = ["happy(alice)"], ["happy(bob)", "happy(claire)", "happy(dave)"]
    learned = [Aleph(modes).learn(background, positives=positives, negatives=negatives) for modes in (printed, plain)]
    assert str(learned[0]) == str(learned[1])
    assert ModeH(":- modeh(1, happy(+person)).") == ModeH("happy(+person)", recall=1)
    assert ModeB(":- modeb(*, not can(+bird, #ability))") == ModeB("not can(+bird, #ability)")


@pytest.mark.spec("CRS-131")
@pytest.mark.parametrize(
    ("modes", "message"),
    [
        (":- set(i, 2).", "A mode is modeh"),
        (":- determination(happy, builder).", r"name/arity"),
        (":- determination(happy/1).", r"name/arity"),
        ("happy(X) :- builder(X).", "Modes are declarations"),
    ],
)
def test_other_directives_raise(modes, message):
    with pytest.raises(ValueError, match=message):
        bottom_clause("happy(alice)", modes, "builder(alice).")
    with pytest.raises(ValueError, match="ModeB declares modeb"):
        ModeB(":- modeh(1, happy(+person))")
