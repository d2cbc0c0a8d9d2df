"""Task checks."""

import pytest

from statlearn.logic import ILPTask
from tests.logic.tasks import LEGO, LEGO_NEG, LEGO_POS

BODIES = {
    "lego_builder(A)": (True, ["bob"]),
    "estate_agent(A)": (False, ["claire", "dave"]),
    "enjoys_lego(A)": (True, ["claire"]),
    "lego_builder(A), estate_agent(A)": (False, []),
    "lego_builder(A), enjoys_lego(A)": (True, []),
    "estate_agent(A), enjoys_lego(A)": (False, ["claire"]),
}


@pytest.mark.spec("LOG-T7", "LOG-11")
@pytest.mark.parametrize("body", BODIES)
def test_six_hypotheses_of_the_lego_task(body):
    complete, wrong = BODIES[body]
    check = ILPTask(LEGO, LEGO_POS, LEGO_NEG).check(f"happy(A) :- {body}.")
    assert check.necessary
    assert check.complete == complete
    assert [repr(atom.args[0]) for atom in check.false_positives] == wrong
    assert check.strongly_consistent == (not wrong)
    assert check.weakly_consistent
    assert check.correct == (body == "lego_builder(A), enjoys_lego(A)")


@pytest.mark.spec("LOG-11")
def test_necessity_and_weak_consistency():
    task = ILPTask("p(a). :- p(X), q(X).", ["p(a)"], ["p(b)"])
    assert not task.check("r.").necessary
    check = task.check("q(a).")
    assert not check.weakly_consistent
    assert not check.strongly_consistent
    assert "weakly consistent    no" in repr(check)


@pytest.mark.parametrize(
    "positives, negatives, words",
    [
        (["p(X)"], [], "positives.*ground"),
        (["p(a)"], ["p(f(Y))"], "negatives.*ground"),
        (["p(a)"], ["p(a)"], "contradict"),
        ([], ["p(a)"], "at least one"),
        (["p(a) :- q."], [], "facts"),
    ],
)
def test_bad_examples_raise(positives, negatives, words):
    with pytest.raises(ValueError, match=words):
        ILPTask("q.", positives, negatives)
