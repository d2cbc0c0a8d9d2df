"""The prover: answers of SWI-Prolog, bounds, errors, proofs and coverage."""

import json
import pickle
from pathlib import Path

import numpy as np
import pytest

import statlearn
from statlearn.logic import (
    Atom,
    Compound,
    Prolog,
    PrologError,
    PrologSyntaxError,
    SearchBudgetExceeded,
    Term,
    UnknownPredicateError,
    Variable,
)
from statlearn.logic._prolog import DepthBoundWarning

SWI = json.loads((Path(__file__).parent / "swi_answers.json").read_text(encoding="utf-8"))
PROLOG = Prolog("\n".join(SWI["program"]))


def canonical(term):
    """The term with its variables numbered in their order."""
    names: dict = {}

    def walk(t):
        if isinstance(t, Variable):
            return names.setdefault(t.name, f"V{len(names)}")
        if isinstance(t, Compound):
            return (t.functor, *map(walk, t.args))
        return type(t.name), t.name

    return walk(term)


@pytest.mark.spec("LOG-10")
@pytest.mark.parametrize("goal", SWI["goals"])
def test_answers_match_swi_prolog(goal):
    expected = [[canonical(Term.of(value.split("=", 1)[1])) for value in answer] for answer in SWI["goals"][goal]]
    assert [list(map(canonical, answer.values())) for answer in PROLOG.answers(goal, 20)] == expected


@pytest.mark.spec("LOG-T6", "LOG-P8", "LOG-10")
def test_negation_as_failure_is_not_monotonic():
    program = "sunny. happy :- sunny, not weekday."
    assert Prolog(program).holds("happy")
    assert not Prolog(program + " weekday.").holds("happy")


@pytest.mark.spec("LOG-10")
def test_left_recursion_is_cut_off_and_reported():
    prover = Prolog("anc(X,Y) :- anc(X,Z), par(Z,Y). anc(X,Y) :- par(X,Y). par(a,b).", max_depth=200)
    with pytest.warns(DepthBoundWarning, match="max_depth=200"):
        assert not prover.holds("anc(b,a)")
    assert prover.depth_exceeded
    assert prover.holds("anc(a,b)")


@pytest.mark.spec("LOG-10")
def test_iterative_deepening_finds_answers_next_to_infinite_branches():
    program = "r(X) :- loop(X). r(1). r(X) :- s(X). s(2). loop(X) :- loop(X)."
    prover = Prolog(program, strategy="iterative", max_depth=5000)
    assert [a["X"] for a in prover.query("r(X)", 2)] == [1, 2]
    both = [Prolog("\n".join(SWI["program"]), strategy=s) for s in ("depth_first", "iterative")]
    for goal in ("nrev([1,2,3],X)", "path(a,d,X)", "app(X,Y,[1,2,3,4])", "map(X)"):
        depth_first, iterative = ([repr(a) for a in p.query(goal)] for p in both)
        assert sorted(iterative) == sorted(depth_first)


def test_budgets_raise():
    forever = "p(N) :- M is N + 1, p(M)."
    with pytest.raises(SearchBudgetExceeded, match="max_inferences=5000") as caught:
        Prolog(forever, max_inferences=5000, max_depth=10**9).holds("p(0)")
    assert caught.value.n_nodes > 5000
    with pytest.raises(SearchBudgetExceeded, match="max_seconds"):
        Prolog(forever, max_seconds=0.05, max_depth=10**12).holds("p(0)")
    with pytest.raises(MemoryError, match="max_memory, 5 MB"):
        Prolog("f(X) :- f(g(X,X)).", max_memory=5_000_000, max_depth=10**9).holds("f(a)")
    with pytest.raises(MemoryError, match="max_memory"):
        Prolog("f(X) :- f(X), g.", max_memory=5_000_000, max_depth=10**9).holds("f(a)")


def test_cyclic_terms_are_reported():
    with pytest.raises(MemoryError, match="cyclic"):
        Prolog(max_memory=2**20).first("X = f(X)")
    with pytest.raises(PrologError, match="cyclic"):
        Prolog().holds("X = f(X), Y = f(Y), X = Y")
    with pytest.raises(MemoryError, match="cyclic"):
        Prolog().first("X = [a, f(X)]")  # without filling the memory that is allowed first


@pytest.mark.parametrize("goal", ["X = f(X), copy_term(X, Y)", "X = [a|X], findall(X, true, L)"])
def test_copies_of_cyclic_terms_are_refused(goal):
    """They filled all memory that is allowed, and asked neither the clock nor Ctrl-C."""
    with pytest.raises(PrologError, match="a cyclic term has no copy"):
        Prolog(max_seconds=5).holds(goal)


def test_copies_that_exceed_the_memory_raise():
    doubled = ", ".join(f"X{k + 1} = f(X{k}, X{k})" for k in range(60))
    with pytest.raises(MemoryError, match="max_memory, 5 MB"):
        Prolog(max_memory=5_000_000).holds(f"X0 = a, {doubled}, copy_term(X60, Y)")
    assert Prolog().holds("length(L, 20000), copy_term(L, M), length(M, 20000)")


def test_answers_come_before_an_endless_search():
    prover = Prolog("p(1). p(2). p(X) :- q(X). q(X) :- q(X).", max_depth=10**12, max_seconds=0.5)
    answers = prover.query("p(X)")
    assert [next(answers)["X"] for _ in range(2)] == [1, 2]


def test_deep_recursion_and_long_lists_work():
    prover = Prolog("len([],0). len([_|T],N) :- len(T,M), N is M+1. down(0). down(N) :- N > 0, M is N-1, down(M).")
    assert prover.first("numlist(1,90000,L), len(L,N)")["N"] == 90000
    assert Prolog(prover.program, max_depth=10**7).holds("down(300000)")
    big = prover.first("numlist(1,50000,L)")["L"]
    assert big == list(range(1, 50001))
    a, b = Prolog("p(a)."), Compound(".", (Term.of("x"), Term.of("[]")))
    for _ in range(20_000):
        b = Compound("f", (b,))
    assert a.holds([Atom("=", (b, b)), Atom("==", (b, b)), Atom("ground", (b,))])


def test_unknown_predicates_and_wrong_arity_are_reported():
    prover = Prolog("parent(ann, amy). p :- parnt(a, b). q(X) :- parent(X).")
    with pytest.raises(UnknownPredicateError, match=r"parnt/2. Did you mean parent/2"):
        prover.holds("p")
    with pytest.raises(UnknownPredicateError, match=r"parent/1. Did you mean parent/2"):
        prover.holds("q(a)")
    assert not Prolog("p :- missing.", unknown="fail").holds("p")
    assert not Prolog(":- dynamic missing/0. p :- missing.").holds("p")
    assert Prolog("p :- \\+ missing.").holds("p")


@pytest.mark.parametrize(
    "goal, words",
    [
        ("X is foo + 1", "'foo'"),
        ("X is Y + 1", "unbound variable"),
        ("X is 1 / 0", "division by zero"),
        ("X is 2 ** 70", "integer overflow"),
        ("X is 1152921504606846975 + 1", "integer overflow"),
        ("X is [1]", "list"),
        ("X is log(0)", "logarithm"),
        ("Y = 1, call(Y)", "not a goal"),
        ("call(X)", "unbound"),
        ("call((true, !))", "cut inside call"),
        ("arg(x, f(a), X)", "arg/3"),
        ("X =.. Y", "=../2"),
    ],
)
def test_syntax_errors_are_explained(goal, words):
    with pytest.raises(PrologError) as caught:
        PROLOG.holds(goal)
    assert words in str(caught.value)


def test_builtins_cannot_be_defined_but_library_predicates_can():
    with pytest.raises(ValueError, match="=/2 is built in"):
        Prolog([Atom("=", ("a", "b"))])
    assert Prolog("member(X, _) :- X = mine.").first("member(X, [a])") == {"X": "mine"}


def test_proofs_are_trees_of_clauses():
    prover = Prolog("p(X) :- q(X,Y), not r(Y), Y > 1. q(a,1). q(a,2). r(1).")
    proof = prover.prove("p(a)")
    assert repr(proof).split("\n") == ["p(a)", "├─ q(a, 2)", "├─ not r(2)", "└─ 2 > 1"]
    assert [repr(leaf) for leaf in proof.facts()] == ["q(a, 2)", "not r(2)", "2 > 1"]
    assert prover.prove("p(b)") is None
    nested = Prolog("a(X) :- ( b(X) -> c(X) ; d(X) ), e. b(1). c(1). d(2). e.").prove("a(1), a(2)")
    assert repr(nested).split("\n") == ["a(1)", "├─ b(1)", "├─ c(1)", "└─ e", "a(2)", "├─ d(2)", "└─ e"]


def test_facts_from_tables_and_pickles():
    prover = Prolog("old(X) :- age(X, A), A >= 65.").add_facts("age", [("ann", 70), ("bob", 20), ("eve", 65.5)])
    assert [a["X"] for a in prover.query("old(X)")] == ["ann", "eve"]
    copy = pickle.loads(pickle.dumps(prover))
    assert [a["X"] for a in copy.query("old(X)")] == ["ann", "eve"]
    with pytest.raises(ValueError, match="different numbers"):
        prover.add_facts("age", [("a", 1), ("b",)])
    with pytest.raises(TypeError, match="NoneType"):
        prover.add_facts("age", [("a", None)])


def test_a_program_that_changes_ends_its_queries():
    prover = Prolog("p(1). p(2).")
    answers = prover.query("p(X)")
    next(answers)
    prover.add_facts("q", [("a",)])
    with pytest.raises(ValueError, match="changed"):
        list(answers)


@pytest.mark.spec("LOG-10")
def test_coverage_equals_single_proofs_for_any_number_of_threads(rng):
    facts = [(f"n{i}", f"n{j}") for i, j in rng.integers(0, 60, size=(300, 2))]
    prover = Prolog("odd(X) :- num(X, N), N mod 2 =:= 1.").add_facts("edge", facts)
    prover.add_facts("num", [(f"n{i}", i) for i in range(60)])
    examples = [Atom("t", (f"n{i}", f"n{(7 * i) % 60}")) for i in range(60)] * 10
    clause = "t(X, Y) :- edge(X, Z), edge(Z, Y), not odd(Z)."
    one_by_one = [
        prover.holds(f"edge({x}, Z), edge(Z, {y}), not odd(Z)") for x, y in (atom.args for atom in examples[:60])
    ]
    found = {}
    for n in (1, 2):
        with statlearn.threads(n):
            found[n] = prover.covers(clause, examples)
    assert np.array_equal(found[1], found[2])
    assert found[1][:60].tolist() == one_by_one
    mask = np.arange(len(examples)) % 2 == 0
    assert np.array_equal(prover.covers(clause, examples, mask=mask), found[1] & mask)
    assert prover.covers("t(X, X) :- edge(X, X).", examples).sum() <= found[1].size
    assert prover.covers("t(n1, Y) :- true.", examples).sum() == 10
    with pytest.raises(ValueError, match="arguments"):
        prover.covers("t(X) :- true.", examples)


def test_indexing_finds_every_clause_in_order(rng):
    rows = [(int(a), f"c{b}", int(c)) for a, b, c in rng.integers(0, 6, size=(200, 3))]
    prover = Prolog("f(X, any, 0). f(3, Y, Z) :- Y = special, Z = 1.").add_facts("f", rows)
    for x, y, z in [(3, "Y", "Z"), ("X", "c2", "Z"), ("X", "Y", 4), (1, "c1", "Z"), ("X", "Y", "Z"), (9, "Y", 0)]:
        fixed = [None if isinstance(v, str) and v.isupper() else v for v in (x, y, z)]
        expected = sum(all(w is None or w == v for w, v in zip(fixed, row)) for row in rows)
        expected += all(w is None or w == v for w, v in zip(fixed, (None, "any", 0)) if v is not None)
        expected += all(w is None or w == v for w, v in zip(fixed, (3, "special", 1)))
        assert prover.count(f"f({x}, {y}, {z})") == expected


def test_provers_do_not_share_state():
    a, b = Prolog("p(1)."), Prolog("p(2).")
    first, second = a.query("p(X)"), b.query("p(X)")
    assert (next(first), next(second)) == ({"X": 1}, {"X": 2})
    assert a.count("p(X)") == 1


def test_bad_options_raise_by_name():
    with pytest.raises(ValueError, match="max_depth"):
        Prolog("p.", max_depth=0)
    with pytest.raises(ValueError, match="unknown"):
        Prolog("p.", unknown="maybe")
    with pytest.raises(TypeError, match="goal"):
        PROLOG.holds(3)


@pytest.mark.parametrize(
    "goal, answer",
    [
        ("X = f(X), ground(X)", True),
        ("X = f(X, Y), ground(X)", False),
        ("X = [1|X], ground(X)", True),
        ("X = f(X), Y = f(Y), X =@= Y", True),
        ("X = f(X, A), Y = f(Y, B), X =@= Y", True),
        ("X = f(X, a), Y = f(Y, b), X =@= Y", False),
        ("X = f(X), Y = f(Y), X \\=@= Y", False),
        ("X = f(X), unify_with_occurs_check(g(Y), g(X))", True),
    ],
)
def test_walks_over_cyclic_terms_end(goal, answer):
    """They had no limit and heard no Ctrl-C."""
    assert Prolog(max_seconds=5).holds(goal) is answer


def test_walks_over_shared_parts_visit_them_once():
    shared = ", ".join(f"X{k + 1} = f(X{k}, X{k})" for k in range(60))
    assert Prolog(max_seconds=5).holds(f"X0 = a, {shared}, ground(X60)")
    assert not Prolog(max_seconds=5).holds(f"{shared}, ground(X60)")


def test_long_ranges_are_not_deep():
    prover = Prolog()
    assert [a["X"] for a in prover.query("between(1, 300000, X), X > 299998")] == [299999, 300000]
    assert not prover.depth_exceeded
    for low, high in ((-700, 700), (-3, -3), (5, 4), (0, 256), (-257, -1), (2**60 - 600, 2**60 - 1)):
        assert [a["X"] for a in prover.query(f"between({low}, {high}, X)")] == list(range(low, high + 1))


@pytest.mark.parametrize("text", ["[" * 20_000, "f(" * 20_000, "X = " + "- " * 20_000 + "a", "\\+ " * 20_000 + "a"])
def test_terms_nested_too_deeply_are_refused(text):
    with pytest.raises(PrologSyntaxError, match="the term is nested too deeply"):
        Prolog().holds(text)


def test_long_terms_are_printed_at_once():
    """As the parts of a message, too: a chain of operators, and signs within signs, which were printed twice each."""
    for chain in (", ", "; ", " + "):
        text = chain.join(["a"] * 20_000)
        with pytest.raises(PrologSyntaxError, match="the head of a clause must be a single atom, found"):
            Prolog(f"{text}.")
    (answer,) = Prolog().query("X = " + "- " * 80 + "a")
    assert str(answer["X"]) == "-(" * 80 + "a" + ")" * 80
    nested = Prolog("deep(0, z). deep(N, s(T)) :- N > 0, M is N - 1, deep(M, T).")
    (answer,) = nested.query("deep(5000, X)")
    assert str(answer["X"]) == "s(" * 5000 + "z" + ")" * 5000
