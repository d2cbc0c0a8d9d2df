"""
The entropy of a coin
=====================

How much is one learned, on average, when a coin that shows heads with probability p is tossed?
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.plot import style
from statlearn.trees import entropy, self_information

p = np.linspace(0, 1, 301)
bits = [entropy([q, 1 - q], base=2) for q in p]
with style() as colours:
    fig, ax = plt.subplots(figsize=(5.8, 4.2), layout="constrained")
    ax.plot(p, bits, label="entropy: surprise on average")
    inside = p[3:]
    ax.plot(inside, self_information(inside, base=2), "--", lw=1.3, label="surprise at heads, −log₂ p")
    ax.plot([0.5], [1.0], "o", color=colours.ink, ms=5)
    ax.annotate("one bit: nobody can guess", (0.5, 1.0), (0.53, 1.35), color=colours.ink)
    ax.set(xlabel="probability of heads, p", ylabel="bits", ylim=(0, 3))
    ax.legend(loc="upper right")
plt.show()

# %%
# A certain coin teaches nothing, a fair one a whole bit. Rare events surprise much, but seldom: their share of the
# entropy goes to zero with them.
