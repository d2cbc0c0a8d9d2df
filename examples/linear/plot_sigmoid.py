"""
The sigmoid: from a line to a probability
=========================================

A straight line cannot be a probability: it leaves the range between 0 and 1. What does logistic regression do with the
line instead, and where does it draw the boundary?
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.linear import LinearRegression, LogisticRegression, expit, logit
from statlearn.plot import style

rng = np.random.default_rng(0)
hours = np.sort(rng.uniform(0, 10, 80))
passed = (rng.uniform(size=80) < expit(1.2 * (hours - 4.5))).astype(int)

model = LogisticRegression(C=np.inf).fit(hours[:, None], passed)
line = LinearRegression().fit(hours[:, None], passed)
slope, boundary = model.coef_[0, 0], -model.intercept_[0] / model.coef_[0, 0]
x = np.linspace(-1, 11, 300)
p = model.predict_proba(x[:, None])[:, 1]

# %%
# Three views of one model. The sigmoid 1 / (1 + exp(-z)) maps any score z to a probability. The log odds,
# log(p / (1 - p)), are its inverse: in them the model is a line. At the boundary the score is 0, the odds are even, and
# the probability is one half.
with style() as colours:
    fig, axes = plt.subplots(1, 3, figsize=(13, 3.9), layout="constrained")
    z = np.linspace(-6, 6, 300)
    axes[0].plot(z, expit(z))
    axes[0].set(title="sigmoid", xlabel="score z", ylabel="1 / (1 + exp(-z))")
    axes[1].plot(hours, passed, "o", mfc="none", color=colours.ink, ms=5)
    axes[1].plot(x, p, label="logistic regression")
    axes[1].plot(x, line.predict(x[:, None]), "--", color=colours.muted, label="straight line")
    axes[1].set(title="probability to pass", xlabel="hours of preparation", ylim=(-0.15, 1.3))
    axes[1].legend(loc="upper left")
    axes[2].plot(x, logit(p))
    axes[2].set(title="log odds", xlabel="hours of preparation", ylabel="log(p / (1 - p))")
    for ax, where, level in zip(axes, (0, boundary, boundary), (0.5, 0.5, 0)):
        ax.axhline(level, color=colours.muted, lw=1, ls=":")
        ax.axvline(where, color=colours.muted, lw=1, ls=":")
        ax.plot(where, level, "o", color=colours.bad, ms=7, zorder=3)
plt.show()

# %%
# One more hour adds the slope to the log odds, wherever it is spent, so it multiplies the odds by a constant. What it
# adds to the probability depends on where: at most a quarter of the slope, at the boundary.
print(f"boundary at {boundary:.2f} hours, where the probability is {model.predict_proba([[boundary]])[0, 1]:.3f}")
print(f"an hour multiplies the odds by {np.exp(slope):.2f}, and adds at most {slope / 4:.2f} to the probability")
