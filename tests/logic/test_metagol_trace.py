"""The steps of Metagol's search."""

import pytest

from statlearn.logic import Metagol, MetaRule, Program, Prolog
from statlearn.logic._learner import background_program, read_examples
from statlearn.logic._metagol import _instances, _predicates
from statlearn.logic._metagol_trace import TracedSearch
from statlearn.logic._parser import parse_term
from tests.logic.tasks import GRANDPARENTS, KINSHIP, NO_GRANDPARENTS

EDGES = "edge(a,b). edge(b,c). edge(c,d). edge(d,e)."
TASKS = [
    (["ident", "chain"], KINSHIP, GRANDPARENTS, NO_GRANDPARENTS),
    (["ident", "tail_recursion"], EDGES, ["r(a,b)", "r(a,e)", "r(b,d)"], ["r(b,a)", "r(c,a)"]),
    ([MetaRule("P(A) :- Q(A,B), R(B)")], "even(0). successor(N, M) :- N > 0, M is N - 1.", ["even(2)", "even(4)"],
     ["even(1)", "even(3)"]),
]  # fmt: skip


@pytest.mark.spec("CRS-65")
def test_the_first_clauses_of_kinship_match_the_notes():
    learner = Metagol(["ident", "chain"], max_invented=0, trace=True).fit(KINSHIP, GRANDPARENTS, NO_GRANDPARENTS)
    tried = [row for row in learner.trace_ if row["n_clauses"] == 2]
    assert [(row["example"], row["metarule"], row["substitution"], row["outcome"]) for row in tried[:6]] == [
        ("grandparent(ann, amelia)", "ident", "sub(ident, [grandparent, Q])", "failed"),
        ("grandparent(ann, amelia)", "chain", "sub(chain, [grandparent, Q, R])", "stored"),
        ("grandparent(ann, amelia)", "chain", "sub(chain, [grandparent, mother, mother])", "proved"),
        ("grandparent(steve, amelia)", "ident", "sub(ident, [grandparent, Q])", "failed"),
        ("grandparent(steve, amelia)", "chain", "sub(chain, [grandparent, Q, R])", "stored"),
        ("grandparent(steve, amelia)", "chain", "sub(chain, [grandparent, father, mother])", "proved"),
    ]
    lines = learner.trace_text().split("\n")
    assert lines[:2] == ["up to 1 clause", "  grandparent(ann, amelia)"]
    assert "    grandparent(ann, amelia): sub(chain, [grandparent, mother, mother]) proved" in lines


@pytest.mark.spec("CRS-65")
@pytest.mark.parametrize("task", TASKS, ids=["kinship", "reachable", "even"])
def test_the_traced_search_finds_the_program_of_the_compiled_one(task):
    rules, background, positives, negatives = task
    learner = Metagol(rules, trace=True).fit(background, positives, negatives)
    assert learner._trace_complete
    assert max(row["n_clauses"] for row in learner.trace_) == learner.n_clauses_
    rules = learner._metarules()
    theory, examples = background_program(background), read_examples(positives, negatives)
    targets = _predicates([*examples[0], *examples[1]])
    search = TracedSearch(Prolog(theory, unknown="fail"), learner._signature(theory), rules, targets, 100)
    for n in range(1, learner.n_clauses_ + 1):
        subs = search.run(*examples, n, learner._invented(n, targets, rules))
        assert (subs is None) == (n < learner.n_clauses_)
    from statlearn.logic._terms import make_list

    found = _instances(make_list([parse_term(sub) for sub in subs]), {rule.name: rule for rule in rules})
    assert Program(found) == learner.program_


@pytest.mark.spec("CRS-65")
def test_negative_examples_take_back_a_choice():
    learner = Metagol(trace=True).fit("f(a,b). f(b,c). g(b,c). f(c,b).", ["t(a,c)"], ["t(b,b)"])
    outcomes = [row["outcome"] for row in learner.trace_]
    assert "negative t(b, b) is entailed: take back the last choice" in outcomes
    assert repr(learner.program_) == "t(A, B) :- f(A, C), g(C, B)."
    assert "  negative t(b, b) is entailed" in learner.trace_text()


def test_no_trace_is_stored_without_trace(monkeypatch):
    learner = Metagol(trace=True).fit(KINSHIP, GRANDPARENTS[:1])
    learner.set_params(trace=False).fit(KINSHIP, GRANDPARENTS[:1])
    assert not hasattr(learner, "trace_")
    with pytest.raises(AttributeError, match="`trace`=True"):
        learner.trace_text()
    monkeypatch.setattr("statlearn.logic._metagol_trace.MAX_STEPS", 2)
    learner.set_params(trace=True).fit(KINSHIP, GRANDPARENTS[:1])
    assert learner.trace_text().endswith("... (the first 2 steps)")
