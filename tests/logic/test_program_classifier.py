"""Programs as classifiers."""

import pickle

import pytest
from sklearn.base import clone

from statlearn.logic import ASPAL, Aleph, Metagol, Popper, Program, ProgramClassifier
from tests.logic.tasks import GRANDPARENTS, KINSHIP, LEGO, LEGO_MODES, LEGO_NEG, LEGO_POS, NO_GRANDPARENTS


@pytest.mark.spec("LOG-21", "LOG-P5")
@pytest.mark.parametrize(
    "learner", [Aleph(LEGO_MODES), ASPAL(LEGO_MODES), Popper(LEGO_MODES)], ids=lambda x: type(x).__name__
)
def test_every_learner_classifies_its_examples(learner):
    X, y = LEGO_POS + LEGO_NEG, ["yes", "no", "no", "no"]
    model = ProgramClassifier(learner, background=LEGO).fit(X, y)
    assert model.predict(X).tolist() == y
    assert model.score(X, y) == 1.0
    assert model.rules_ == ["happy(A) :- lego_builder(A), enjoys_lego(A)."]
    assert pickle.loads(pickle.dumps(model)).predict(X).tolist() == y
    assert not hasattr(clone(model), "rules_")


@pytest.mark.spec("LOG-21")
def test_a_learned_recursive_program_predicts_and_explains():
    X, y = GRANDPARENTS + NO_GRANDPARENTS, [1, 1, 1, 1, 0]
    model = ProgramClassifier(Metagol(), background=KINSHIP).fit(X, y)
    assert model.predict(["grandparent(steve,bob)", "grandparent(bob,steve)"]).tolist() == [1, 0]
    assert repr(model.explain("grandparent(ann,amelia)")).split("\n")[1:] == [
        "├─ mother(ann, amy)",
        "└─ mother(amy, amelia)",
    ]
    assert model.explain("grandparent(bob,ann)") is None


@pytest.mark.spec("LOG-21")
def test_a_given_program_needs_no_learner():
    model = ProgramClassifier(program="p(X) :- q(X).", background="q(a).", positive="a class")
    model.fit(["p(a)", "p(b)"], ["a class", "other"])
    assert model.predict(["p(a)", "p(b)"]).tolist() == ["a class", "other"]
    assert model.program_ == Program("p(X) :- q(X).")


@pytest.mark.parametrize(
    "X, y, words",
    [
        (["p(a)", "p(X)"], [0, 1], "ground"),
        (["p(a)", "p(b)"], [0, 0], "classes"),
        (["p(a)", "p(b)", "p(c)"], [0, 1, 2], "binary"),
        (["p(a)"], [0, 1], r"\by\b"),
        ([], [], "X"),
    ],
)
def test_bad_examples_raise(X, y, words):
    with pytest.raises(ValueError, match=words):
        ProgramClassifier(program="p(a).").fit(X, y)


def test_a_learner_or_a_program_is_needed():
    with pytest.raises(ValueError, match="learner"):
        ProgramClassifier().fit(["p(a)", "p(b)"], [0, 1])
    with pytest.raises(TypeError, match="list"):
        ProgramClassifier(program="p(a).").fit("p(a)", [1])
