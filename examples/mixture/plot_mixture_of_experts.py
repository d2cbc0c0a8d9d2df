"""
Experts for the pieces of a curve
=================================

A curve of straight pieces is too much for one line. Which line speaks where?
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.mixture import MixtureOfExperts
from statlearn.plot import style

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(0, 6, size=300))
truth = np.interp(x, [0, 2, 4, 6], [0, 3, 1, 2])
y = truth + 0.15 * rng.normal(size=300)

model = MixtureOfExperts(3, n_init=5, random_state=0).fit(x[:, None], y)
grid = np.linspace(0, 6, 400)[:, None]
gates, lines = model.gate_proba(grid), model.predict_experts(grid)
with style() as colours:
    fig, (top, bottom) = plt.subplots(
        2, 1, figsize=(7.5, 6.2), sharex=True, height_ratios=[2.2, 1], layout="constrained"
    )
    top.plot(x, y, ".", color=colours.muted, ms=4)
    for k in np.argsort(grid[gates.argmax(axis=0), 0]):
        shown = np.where(gates[:, k] > 0.02, lines[:, k], np.nan)
        top.plot(grid, shown, lw=5, alpha=0.3)
        bottom.plot(grid, gates[:, k], label=f"slope {model.coef_[k, 0]:+.2f}")
    top.plot(grid, model.predict(grid), color=colours.ink, lw=1.6, label="prediction")
    top.set(ylabel="y", title="Three linear experts")
    top.legend()
    bottom.set(xlabel="x", ylabel="gate", ylim=(-0.03, 1.03))
    bottom.legend(ncols=3, loc="center right")
plt.show()

# %%
# Each expert is a line with its own error variance; the gates, softmax functions of x, say how much each of them
# counts. The prediction is smooth where two experts meet.
