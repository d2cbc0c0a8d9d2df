"""
Losses of the margin and what they estimate
===========================================

Classifiers of two classes differ by how they punish the margin yf(x). With endless data each loss has its own best
f(x), a function of the probability p(x) of the class +1.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.plot import style
from statlearn.svm import margin_loss, population_minimizer

losses = {"deviance": "-", "hinge": "--", "squared": "-.", "huberized": ":"}
m = np.linspace(-2.5, 2.5, 401)
p = np.linspace(0.005, 0.995, 399)
with style() as colours:
    fig, (left, right) = plt.subplots(1, 2, figsize=(9.6, 3.8), layout="constrained")
    left.plot(m, m < 0, color=colours.muted, lw=1, label="error")
    for loss, dashes in losses.items():
        left.plot(m, margin_loss(m, loss), ls=dashes, label=loss)
        right.plot(p, [population_minimizer(q, loss) for q in p], ls=dashes, label=loss)
    left.set(xlabel="yf", ylabel="loss", ylim=(0, 4.5), title="losses")
    left.legend(fontsize="small")
    right.set(xlabel="probability of the class +1", ylabel="best f", ylim=(-3, 3), title="population minimisers")
    right.axhline(0, lw=0.8, color=colours.muted)
    right.legend(fontsize="small")
plt.show()

# %%
# The deviance gives the log-odds, the squared and the huberised losses give 2p - 1: probabilities can be read from all
# three. The hinge gives only the sign, which is why a support vector machine says the class and not how sure it is.

for loss in losses:
    print(f"{loss:10s} best f at p = 0.8: {population_minimizer(0.8, loss):.4f}")

# %%
# For large negative margins the hinge and the deviance both grow with slope -1, the squared loss ever faster. The
# huberised loss goes over to a line, so that a gross error does not dominate.

for loss in losses:
    print(f"{loss:10s} slope at yf = -20: {margin_loss(-20.0, loss, derivative=True):.2f}")
