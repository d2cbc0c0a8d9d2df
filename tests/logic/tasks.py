"""The worked examples of the catalog, and generators."""

from hypothesis import strategies as st

from statlearn.logic import Atom, Clause, Compound, Constant, Literal, Variable

TENNIS = [
    ["Sunny", "Hot", "High", "Weak", "No"],
    ["Sunny", "Hot", "High", "Strong", "No"],
    ["Overcast", "Hot", "High", "Weak", "Yes"],
    ["Overcast", "Mild", "High", "Weak", "Yes"],
    ["Overcast", "Mild", "High", "Strong", "Yes"],
    ["Overcast", "Hot", "Normal", "Weak", "Yes"],
    ["Rain", "Mild", "High", "Strong", "No"],
]
TENNIS_X = [row[:4] for row in TENNIS]
TENNIS_Y = [row[4] for row in TENNIS]

KINSHIP = """
mother(ann,amy). mother(ann,andy). mother(amy,amelia). mother(amy,bob). mother(linda,gavin).
father(steve,amy). father(steve,andy). father(andy,spongebob). father(gavin,amelia).
"""
GRANDPARENTS = [
    "grandparent(ann,amelia)",
    "grandparent(steve,amelia)",
    "grandparent(ann,spongebob)",
    "grandparent(linda,amelia)",
]
NO_GRANDPARENTS = ["grandparent(amy,amelia)"]

LEGO = """
lego_builder(alice). lego_builder(bob). estate_agent(claire). estate_agent(dave).
enjoys_lego(alice). enjoys_lego(claire).
"""
LEGO_POS, LEGO_NEG = ["happy(alice)"], ["happy(bob)", "happy(claire)", "happy(dave)"]
LEGO_MODES = """
modeh(1, happy(+person)). modeb(1, lego_builder(+person)). modeb(1, estate_agent(+person)).
modeb(1, enjoys_lego(+person)).
"""
PENGUIN = "bird(alice). bird(betty). can(alice,fly). can(betty,swim). ability(fly). ability(swim)."
PENGUIN_MODES = "modeh(1, penguin(+bird)). modeb(1, bird(+bird)). modeb(*, not can(+bird,#ability))."

SHAPES = """
red(s1). square(s1). blue(s2). triangle(s2). polygon(A) :- rectangle(A). rectangle(A) :- square(A).
"""

# Terms and clauses over a small vocabulary, so that unification and subsumption often succeed.
variables = st.sampled_from([Variable(name) for name in "XYZ"])
constants = st.one_of(st.sampled_from([Constant("a"), Constant("b"), Constant(1), Constant(-2), Constant(0.5)]))


def _compound(inner):
    return st.one_of(
        st.builds(lambda x: Compound("f", (x,)), inner),
        st.builds(lambda x, y: Compound("g", (x, y)), inner, inner),
        st.builds(lambda x, y: Compound(".", (x, y)), inner, inner),
    )


terms = st.recursive(st.one_of(variables, constants), _compound, max_leaves=6)
flat = st.one_of(variables, constants)
atoms = st.builds(lambda x, y: Atom("p", (x, y)), terms, terms)
flat_atoms = st.one_of(
    st.builds(lambda x, y: Atom("p", (x, y)), flat, flat), st.builds(lambda x: Atom("q", (x,)), flat)
)
clauses = st.builds(
    lambda x, y, body: Clause(Atom("h", (x, y)), [Literal(atom) for atom in body]),
    variables,
    variables,
    st.lists(flat_atoms, max_size=4),
)
