"""Normal forms: equal truth tables, textbook examples, Skolem terms judged in all small models."""

import itertools
import pickle

import numpy as np
import pytest

from statlearn.logic import Formula, Prolog, PrologSyntaxError, Variable, horn_program, to_clauses, to_cnf, to_dnf

NAMES = "abcd"


def random_formula(rng, depth):
    kinds = ["atom", "not", "and", "or", "implies", "iff", "true"]
    kind = "atom" if depth == 0 else str(rng.choice(kinds, p=[0.1, 0.16, 0.18, 0.18, 0.18, 0.18, 0.02]))
    if kind == "atom":
        return Formula.of(str(rng.choice(list(NAMES))))
    n_parts = {"true": 0, "not": 1, "implies": 2, "iff": 2}.get(kind, int(rng.integers(1, 4)))
    return Formula(kind, [random_formula(rng, depth - 1) for _ in range(n_parts)])


def rows():
    return [dict(zip(NAMES, values)) for values in itertools.product([False, True], repeat=len(NAMES))]


def is_literal(formula):
    return formula.kind == "atom" or (formula.kind == "not" and formula.args[0].kind == "atom")


def has_form(formula, outer, inner):
    parts = formula.args if formula.kind == outer else [formula]
    return formula.kind in ("true", "false") or all(
        is_literal(part) or (part.kind == inner and all(is_literal(each) for each in part.args)) for part in parts
    )


@pytest.mark.spec("CRS-105")
def test_normal_forms_have_the_truth_table_of_the_formula(seed):
    rng = np.random.default_rng(seed)
    for _ in range(60):
        formula = random_formula(rng, 4)
        cnf, dnf = to_cnf(formula), to_dnf(formula)
        assert has_form(cnf, "and", "or")
        assert has_form(dnf, "or", "and")
        again = Formula.of(str(formula))
        for row in rows():
            assert cnf.evaluate(row) == dnf.evaluate(row) == again.evaluate(row) == formula.evaluate(row)


@pytest.mark.spec("CRS-105")
def test_textbook_conversions():
    assert str(to_cnf("(a ∧ b) ∨ c")) == "(a or c) and (b or c)"
    assert str(to_cnf("p → q")) == "not p or q"
    assert str(to_dnf("(a | b) & c")) == "(a and c) or (b and c)"
    assert str(to_cnf("~(p | q)")) == "not p and not q"
    assert str(to_cnf("B11 <-> (P12 or P21)")) == "(not B11 or P12 or P21) and (B11 or not P12) and (B11 or not P21)"
    assert to_cnf("p or not p").kind == "true"
    assert to_cnf("p and not p").evaluate({"p": True}) is False
    assert to_dnf("p and not p").kind == "false"


def satisfies_formula(formula, predicates, names):
    """Truth of a closed formula in a model on {0, 1}: `predicates` maps names to tables."""
    if formula.kind == "atom":
        atom = formula.args[0]
        return predicates[atom.predicate][tuple(names[each] for each in atom.args)]
    if formula.kind in ("forall", "exists"):
        values = [satisfies_formula(formula.args[0], predicates, {**names, formula.variable: v}) for v in (0, 1)]
        return all(values) if formula.kind == "forall" else any(values)
    values = [satisfies_formula(each, predicates, names) for each in formula.args]
    if formula.kind == "not":
        return not values[0]
    if formula.kind == "implies":
        return not values[0] or values[1]
    if formula.kind == "iff":
        return values[0] == values[1]
    return all(values) if formula.kind == "and" else any(values)


def value_of(term, functions, names):
    if isinstance(term, Variable):
        return names[term]
    arguments = getattr(term, "args", ())
    name = term.functor if arguments else term.name
    return functions[name][tuple(value_of(each, functions, names) for each in arguments)]


def satisfies_clauses(clauses, predicates, functions):
    for clause in clauses:
        variables = list(dict.fromkeys(v for literal in clause for v in literal.variables()))
        for values in itertools.product((0, 1), repeat=len(variables)):
            names = dict(zip(variables, values))
            if not any(
                predicates[each.predicate][tuple(value_of(arg, functions, names) for arg in each.args)] != each.negated
                for each in clause
            ):
                return False
    return True


def tables(arity):
    keys = list(itertools.product((0, 1), repeat=arity))
    return [dict(zip(keys, values)) for values in itertools.product((0, 1), repeat=len(keys))]


QUANTIFIED = [
    "exists X: forall Y: r(X, Y)",
    "forall X: exists Y: r(X, Y)",
    "forall X: (p(X) -> exists Y: (r(X, Y) and not p(Y)))",
    "not (forall X: (p(X) -> exists X: r(X, X)))",
    "(forall X: p(X)) <-> (exists X: not p(X))",
    "(exists X: p(X)) <-> (forall X: exists Y: r(X, Y))",
    "forall X, Y: (r(X, Y) -> r(Y, X)) and exists X: not r(X, X)",
]


@pytest.mark.spec("CRS-105")
@pytest.mark.parametrize("text", QUANTIFIED)
def test_clauses_hold_in_a_model_for_some_skolem_functions_where_the_formula_holds(text):
    formula, clauses = Formula.of(text), to_clauses(text)
    skolem = {}
    for literal in itertools.chain(*clauses):
        for term in literal.args:
            if not isinstance(term, Variable):
                arguments = getattr(term, "args", ())
                skolem[term.functor if arguments else term.name] = len(arguments)
    choices = list(itertools.product(*(tables(arity) for arity in skolem.values())))
    n_models = 0
    for p, r in itertools.product(tables(1), tables(2)):
        predicates = {"p": p, "r": r}
        expected = satisfies_formula(formula, predicates, {})
        n_models += expected
        assert expected == any(satisfies_clauses(clauses, predicates, dict(zip(skolem, each))) for each in choices)
    assert (n_models == 0) == (text.startswith("(forall X: p(X)) <->"))


def test_skolem_names_are_new_and_depend_on_the_scope_only():
    assert str(to_clauses("exists X: p(X, sk1)")) == "[(p(sk2, sk1),)]"
    assert str(to_clauses("forall X: exists Y: p(Y)")) == "[(p(sk1),)]"
    assert str(to_clauses("(forall X: p(X)) and (forall X: q(X))")) == "[(p(X),), (q(X2),)]"


def test_horn_clauses_are_a_program():
    program = horn_program("forall X: (parent(ann, X) -> old(ann)) and parent(ann, amy)")
    assert Prolog(program).holds("old(ann)")
    assert str(horn_program("not (p and q)")) == ":- p, q."
    with pytest.raises(ValueError, match="2 positive literals, which no program can state: p or q"):
        horn_program("p or q")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a and", "expected an atom, found 'the end"),
        ("(a or b", r"expected '\)'"),
        ("a b", "expected a connective"),
        ("p(a", "are not closed"),
        ("Human(x)", "must begin with a lower-case letter"),
        ("forall x: p(x)", "begins with a capital letter"),
        ("a $ b", "unexpected character"),
        ("p(a b)", "cannot read the atom"),
        ("(" * 3000 + "a" + ")" * 3000, "nested too deeply"),
        ("~" * 3000 + "a", "nested too deeply"),
        ("a -> " * 3000 + "a", "nested too deeply"),
    ],
)
def test_malformed_formulas_raise(text, message):
    with pytest.raises((PrologSyntaxError, ValueError), match=message):
        Formula.of(text)


def test_exponential_forms_raise():
    text = " or ".join(f"(a{k} and b{k})" for k in range(40))
    assert len(to_dnf(text).args) == 40
    with pytest.raises(ValueError, match="more than `max_clauses`=4096"):
        to_cnf(text)
    with pytest.raises(ValueError, match="use to_clauses"):
        to_cnf("forall X: p(X)")


def test_formulas_print_as_parsed_and_pickle():
    for text in [
        *QUANTIFIED,
        "a and (b or c) implies not (d iff e)",
        "'New York' or p('(', [a|T], 3)",
        "(a iff b) iff c",
    ]:
        formula = Formula.of(text)
        assert Formula.of(str(formula)) == formula == pickle.loads(pickle.dumps(formula))
    assert (Formula.of("a") & (Formula.of("b") >> "c")) == Formula.of("a and (b -> c)")
    with pytest.raises(ValueError, match="missing: b"):
        Formula.of("a or b").evaluate({"a": False})
