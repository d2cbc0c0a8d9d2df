"""
Programs and proofs: kinship and reachability
=============================================

Metagol learns small programs from a few examples. Metarules say what clauses may look like. With them it can call
itself and invent predicates.
"""

import matplotlib.pyplot as plt

from statlearn.logic import Metagol, Program, Prolog

family = """
mother(ann,amy). mother(ann,andy). mother(amy,amelia). mother(amy,bob). mother(linda,gavin).
father(steve,amy). father(steve,andy). father(andy,spongebob). father(gavin,amelia).
"""
positives = [
    "grandparent(ann,amelia)",
    "grandparent(steve,amelia)",
    "grandparent(ann,spongebob)",
    "grandparent(linda,amelia)",
]
learner = Metagol(["ident", "chain"])
programs = learner.programs(family, positives, ["grandparent(amy,amelia)"], n_clauses=3)
for program in programs:
    print(program, end="\n\n")

# %%
# There are exactly two programs of three clauses. The second one invents a predicate for "parent". It also proves the
# father of a father, of which no example was given.
figure, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
goals = ["grandparent(ann,amelia)", "grandparent(steve,spongebob)"]
for goal, program, ax in zip(goals, programs, axes):
    Prolog(Program(family) + program).prove(goal).plot(ax)
plt.show()

# %%
# Reachability calls itself.
edges = "edge(a,b). edge(b,c). edge(c,d). edge(d,e)."
learner = Metagol(["ident", "tail_recursion"])
program = learner.learn(edges, ["reach(a,b)", "reach(a,e)", "reach(b,d)"], ["reach(b,a)", "reach(c,a)"])
print(program)
Prolog(Program(edges) + program).prove("reach(a,d)").plot()
plt.show()
