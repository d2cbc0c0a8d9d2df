"""
AdaBoost, round by round
========================

Ten points on a line, five runs of labels, and a weak learner that can only cut the line once. AdaBoost gives the points
that it gets wrong more weight, and the next cut has to care about them.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.ensemble import AdaBoostClassifier
from statlearn.plot import style

X = np.arange(10.0)[:, None]
y = np.array([1, 1, 1, -1, -1, -1, 1, 1, 1, -1])
model = AdaBoostClassifier(n_estimators=3, store_weights=True).fit(X, y)
said = model.diagnostics_

# %%
# The size of a point is its weight before the round, the shaded side is where the stump says +1. After three rounds the
# weighted vote of the three stumps gets all ten right, though none of them does.

with style() as colours:
    fig, axes = plt.subplots(3, 1, figsize=(6.4, 4.6), sharex=True, layout="constrained")
    for t, (ax, stump) in enumerate(zip(axes, model.estimators_)):
        cut = stump.tree_.threshold[0]
        low, high = (-0.7, cut) if stump.predict([[cut - 1]])[0] > 0 else (cut, 9.7)
        ax.axvspan(low, high, color=colours.cycle[0], alpha=0.12, lw=0)
        ax.axvline(cut, color=colours.muted, lw=1)
        for sign, colour, marker in ((1, colours.cycle[0], "o"), (-1, colours.cycle[1], "s")):
            ax.scatter(X[y == sign, 0], np.zeros(np.sum(y == sign)), s=1500 * said["weights"][t][y == sign],
                       color=colour, marker=marker, zorder=3)  # fmt: skip
        ax.set(yticks=[], xlim=(-0.7, 9.7), ylim=(-1, 1), xticks=range(10))
        ax.set_title(f"round {t + 1}: error {said['error'][t]:.2f}, coefficient {said['alpha'][t]:.2f}", loc="left")
        ax.grid(False)
    axes[-1].set_xlabel("x")
plt.show()

# %%
# On more data, with many rounds: the training error is at most the exponential loss, which is the product of the
# normalisers Z, which is at most the bound by the edges of the weak learners over chance.

rng = np.random.default_rng(0)
A = rng.normal(size=(200, 10))
b = np.where((A**2).sum(axis=1) > 9.34, 1, -1)
said = AdaBoostClassifier(n_estimators=150).fit(A, b).diagnostics_
rounds = np.arange(1, 151)
with style() as colours:
    fig, ax = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
    for name, label, colour in (
        ("bound", "bound by the edges", colours.cycle[2]),
        ("product_Z", "exponential loss = product of Z", colours.cycle[0]),
        ("training_error", "training error", colours.cycle[1]),
    ):
        ax.plot(rounds, said[name], color=colour, label=label)
    ax.set(xlabel="round", ylim=(0, 1), xlim=(1, 150))
    ax.legend()
plt.show()
