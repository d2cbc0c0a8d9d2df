"""
Three impurities of two classes
===============================

Gini index, entropy and error rate of a node as the share of one class goes from 0 to 1; entropy and Gini index are
scaled so that all three meet in the middle.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.plot import style
from statlearn.trees import impurity

p = np.linspace(0, 1, 201)
nodes = np.column_stack([p, 1 - p])
with style() as colours:
    fig, ax = plt.subplots(figsize=(5.8, 4.2), layout="constrained")
    for criterion, name, line in (
        ("entropy", "entropy", "-"),
        ("gini", "Gini index", "--"),
        ("error", "error rate", ":"),
    ):
        curve = impurity(nodes, criterion)
        ax.plot(p, 0.5 * curve / curve.max(), line, label=name)
    ax.plot([0.5], [0.5], "o", color=colours.ink, ms=4)
    ax.set(xlabel="share of the first class", ylabel="impurity, scaled through (½, ½)", ylim=(0, 0.55))
    ax.legend()
plt.show()

# %%
# The error rate has straight flanks. Of two splits of 400 + 400 rows that both misclassify a quarter, into
# (300, 100) and (100, 300) or into (200, 400) and (200, 0), it cannot tell the second, which makes a pure node; the
# curved ones can.

splits = {"A": np.array([[300, 100], [100, 300]]), "B": np.array([[200, 400], [200, 0]])}
for name, split in splits.items():
    shares = split.sum(axis=1) / 800
    left = {c: float(shares @ impurity(split, c)) for c in ("error", "gini", "entropy")}
    print(name, {c: round(v, 4) for c, v in left.items()})

# %%
# Grow trees by one of the curved ones, and count errors when pruning.
