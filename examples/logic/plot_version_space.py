"""
A version space that shrinks
============================

Seven days, with or without tennis. Candidate elimination keeps every conjunction that agrees with the days seen so
far: the interval between the most general members (green) and the most specific one (orange). When both meet (blue),
one hypothesis is left.
"""

import itertools

import matplotlib.pyplot as plt

from statlearn.logic import ConjunctiveHypothesis, VersionSpace
from statlearn.plot import style

days = [
    ("Sunny", "Hot", "High", "Weak", False),
    ("Sunny", "Hot", "High", "Strong", False),
    ("Overcast", "Hot", "High", "Weak", True),
    ("Overcast", "Mild", "High", "Weak", True),
    ("Overcast", "Mild", "High", "Strong", True),
    ("Overcast", "Hot", "Normal", "Weak", True),
    ("Rain", "Mild", "High", "Strong", False),
]
values = [list(dict.fromkeys(column)) for column in zip(*days)][:4]
everything = [ConjunctiveHypothesis(slots) for slots in itertools.product(*([None, *each] for each in values))]
print(ConjunctiveHypothesis.count([len(each) for each in values]), "hypotheses with the unsatisfiable one")

# %%
# The lattice of all satisfiable hypotheses, after each day. A positive example raises the lower boundary, a negative
# one lowers the upper boundary.
space = VersionSpace(values)
with style():
    figure, axes = plt.subplots(3, 2, figsize=(12, 12), layout="constrained")
    shown = iter(axes.flat)
    for number, (*row, tennis) in enumerate(days, 1):
        space.update(row, tennis)
        if number == 2:
            continue  # removes one member of G
        ax = space.plot(next(shown), all_hypotheses=everything)
        left = "1 hypothesis" if len(space) == 1 else f"{len(space)} hypotheses"
        ax.set_title(f"Day {number}: {'tennis' if tennis else 'no tennis'}, {left} left")
plt.show()

# %%
# After six days the concept is found: tennis on overcast days.
print(space)
