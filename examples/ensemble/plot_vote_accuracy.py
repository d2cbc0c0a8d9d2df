"""
Majority votes: when more voters help
=====================================

Each of several voters is right with probability p, independently of the others. How often is their majority right?
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.ensemble import average_variance, majority_vote_accuracy
from statlearn.plot import style

p = np.linspace(0, 1, 201)
with style() as colours:
    fig, ax = plt.subplots(figsize=(5.8, 4.2), layout="constrained")
    ax.plot(p, p, color=colours.muted, linestyle=":", label="one voter")
    for n, colour in zip((3, 11, 101), colours.cycle):
        ax.plot(p, majority_vote_accuracy(p, n), color=colour, label=f"{n} voters")
    ax.plot([0.6], [majority_vote_accuracy(0.6, 11)], "o", color=colours.cycle[1])
    ax.annotate("0.6 becomes 0.75", (0.6, majority_vote_accuracy(0.6, 11)), (0.66, 0.6), color=colours.cycle[1])
    ax.set(xlabel="probability that one voter is right", ylabel="probability that the majority is right")
    ax.legend(loc="upper left")
plt.show()

# %%
# A vote sharpens what its voters know: above one half it is better than they are, below one half worse. Members of an
# ensemble learn from the same data and so do not err independently. For averages, the formula of the variance shows
# what that costs: however many members, the share that they have in common stays.

members = np.arange(1, 101)
with style() as colours:
    fig, ax = plt.subplots(figsize=(5.8, 4.2), layout="constrained")
    for rho, colour in zip((0.0, 0.1, 0.3, 0.6), colours.cycle):
        ax.plot(members, average_variance(rho, 1.0, members), color=colour)
        ax.text(101, average_variance(rho, 1.0, 100), f"ρ = {rho}", color=colour, va="center")
    ax.set(xlabel="members", ylabel="variance of their average", xlim=(1, 116), ylim=(0, 1.02))
plt.show()
