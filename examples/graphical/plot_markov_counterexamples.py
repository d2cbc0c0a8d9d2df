"""
When pairwise independence is not enough
========================================

The pairwise, local and global Markov properties are equivalent if every state has a positive probability. Two
distributions with impossible states show that they differ in general.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.graphical import UndirectedGraph, markov_report
from statlearn.plot import style

three = np.zeros((2, 2, 2))
three[0, 0, 0] = three[1, 1, 1] = 0.5
four = np.zeros((2, 2, 2, 2))
four[0, 0, 0, 0] = four[1, 1, 1, 1] = 0.5
cases = [
    ("A = B = C, one edge", three, UndirectedGraph("ABC", ["BC"])),
    ("A = B = C = D, two edges", four, UndirectedGraph("ABCD", ["AB", "CD"])),
    ("The second with noise", 0.8 * four + 0.2 / 16, UndirectedGraph("ABCD", ["AB", "CD"])),
]

# %%
# A missing edge asserts an independence. Given C, variable B says nothing about A that C does not, so the pairwise
# property holds in the first graph; yet A depends on B and C together.

with style():
    fig, axes = plt.subplots(1, 3, figsize=(12, 4.2), layout="constrained")
    for ax, (title, table, graph) in zip(axes, cases):
        report = markov_report(table, graph)
        graph.plot(ax=ax, layout="circle")
        verdicts = [("pairwise", report.pairwise), ("local", report.local), ("global", report.global_)]
        ax.set_title(title + "\n" + ", ".join(f"{name} {'holds' if ok else 'fails'}" for name, ok in verdicts))
        print(title, report, sep="\n", end="\n\n")
plt.show()

# %%
# What one should see: each property in turn holds without the next; with noise, all three fail together.
