"""Reader and printer."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn.logic import (
    Atom,
    Clause,
    Compound,
    Constant,
    Literal,
    Program,
    PrologSyntaxError,
    Term,
    Variable,
    format_clause,
    parse,
)
from tests.logic.tasks import terms

operators = st.sampled_from(["+", "-", "*", "/", "=", "<", "is", "mod", "**", "^", ";", "->", ",", "=..", "\\=", ":-"])
names = st.text(st.characters(codec="utf-8", exclude_categories=("Cs",)), min_size=1, max_size=4)


def any_terms():
    leaves = st.one_of(
        st.sampled_from([Variable("X"), Variable("_y"), Variable("Zoo")]),
        st.builds(Constant, names),
        st.builds(Constant, st.integers(-(2**59), 2**59)),
        st.builds(Constant, st.floats(allow_nan=False, allow_infinity=False)),
        st.sampled_from([Constant("[]"), Constant("-"), Constant("not"), Constant("mod"), Constant("!")]),
    )

    def grow(inner):
        return st.one_of(
            st.builds(lambda n, args: Compound(n, args), names, st.lists(inner, min_size=1, max_size=3)),
            st.builds(lambda n, a, b: Compound(n, (a, b)), operators, inner, inner),
            st.builds(lambda n, a: Compound(n, (a,)), st.sampled_from(["-", "+", "\\+", "not", "\\"]), inner),
            st.builds(lambda a, b: Compound(".", (a, b)), inner, inner),
        )

    return st.recursive(leaves, grow, max_leaves=8)


@pytest.mark.spec("LOG-P4", "LOG-06")
@given(any_terms())
def test_printed_terms_parse_back(term):
    assert Term.of(repr(term)) == term


@pytest.mark.spec("LOG-P4")
@given(terms, st.lists(st.tuples(terms, st.booleans()), max_size=4))
def test_clauses_are_read_back(head, body):
    clause = Clause(Atom("h", (head,)), [Literal(Atom("p", (t,)), negated) for t, negated in body])
    (read,) = parse(format_clause(clause))
    assert read == clause
    assert pickle.loads(pickle.dumps(read)) == clause


@pytest.mark.spec("LOG-05", "LOG-06")
def test_a_program_with_everything_is_read():
    program = parse(
        """
        % facts
        p(a, 'B c', -1, 2.5e3).   /* a comment
        over lines */ q([]).
        r([H|T], [1, 2|T]) :- not q(H), \\+ p(T), ( a -> b ; c ), X is 1 + 2 * 3 - 4, X =< 7.
        :- bad(X).
        """
    )
    assert [clause.is_fact for clause in program] == [True, True, False, False]
    assert program[0].head.args[1] == Constant("B c")
    assert [literal.negated for literal in program[2].body] == [True, True, False, False, False]
    assert program[3].is_goal
    assert not program[2].is_definite
    assert program[2].body[3].args[1] == Compound(
        "-", (Compound("+", (Constant(1), Compound("*", (Constant(2), Constant(3))))), Constant(4))
    )
    assert Program(repr(program)) == program


@pytest.mark.parametrize(
    "text, line, column",
    [
        ("p(a", 1, 4),
        ("p(a)) .", 1, 5),
        ("p.\nq :- .", 2, 3),
        ("p(X) :- q(X) r(X).", 1, 14),
        ("p.\n  'abc", 2, 3),
        ("p(a).\nq(b) :- X Y.", 2, 11),
        ("P(a).", 1, 1),
        ("p :- 3.", 1, 1),
        ("3 :- p.", 1, 1),
        ("p().", 1, 1),
        ("p([a, b).", 1, 8),
        ("p(a) q(b).", 1, 6),
        ("p /* open", 1, 3),
        ("p(9999999999999999999999).", 1, 3),
        ("p(a)", 1, 5),
        ("a, b :- c.", 1, 1),
    ],
)
def test_syntax_errors_have_line_and_column(text, line, column):
    with pytest.raises(PrologSyntaxError) as caught:
        parse(text)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert f"line {line}, column {column}" in str(caught.value)


def test_nesting_that_is_too_deep_is_a_syntax_error():
    with pytest.raises(PrologSyntaxError, match="too deeply"):
        parse("p(" + "f(" * 5000 + "a" + ")" * 5000 + ").")


def test_long_lists_and_bodies_need_no_recursion():
    long = "p([" + ", ".join(map(str, range(20_000))) + "])."
    (clause,) = parse(long)
    assert format_clause(clause) == long
    assert clause == parse(long)[0]
    assert hash(clause) == hash(parse(long)[0])
    assert pickle.loads(pickle.dumps(clause)) == clause
    (clause,) = parse("p :- " + ", ".join(["q"] * 5000) + ".")
    assert len(clause.body) == 5000


@pytest.mark.spec("LOG-05")
def test_terms_of_python_values_and_back():
    assert Term.of([1, "a", [2.5, True]]).value == [1, "a", [2.5, "true"]]
    assert Atom("p", ["New York", 3]).args == (Constant("New York"), Constant(3))
    assert Clause("p(X)", ["q(X)", "not r(X)"]).variables() == [Variable("X")]
    with pytest.raises(TypeError, match="dict"):
        Term.of({})
    with pytest.raises(ValueError, match="atom"):
        Atom.of("X")


def test_an_open_comment_is_named_where_it_begins():
    with pytest.raises(PrologSyntaxError, match="line 2, column 7: the comment is not closed"):
        parse("p(a).\nq(b). /* and so on\nr(c).")


@pytest.mark.spec("CRS-64")
def test_goals_are_written_in_two_ways():
    program = parse("false :- p(X), not q(X). :- p(X), not q(X). false. p(false).")
    assert program[0] == program[1]
    assert program[0].is_goal
    assert format_clause(program[0]) == format_clause(program[1]) == ":- p(X), not q(X)."
    assert program[2].is_fact  # the atom that never holds is no goal
    assert program[3].is_fact
    assert Clause.of("false :- p(X)") == Clause.of(":- p(X)")
