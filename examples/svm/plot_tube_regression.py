"""
Regression with a tube
======================

Support vector regression does not count residuals smaller than epsilon. Rows strictly inside the tube have no influence
on the curve; those on its rim or outside are the support vectors.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.plot import style
from statlearn.svm import SVR

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(0, 6, 80))
y = np.sin(x) + 0.15 * rng.normal(size=80)
y[[20, 55]] += [1.2, -1.2]  # two gross errors
grid = np.linspace(0, 6, 300)
with style() as colours:
    fig, axes = plt.subplots(1, 3, figsize=(11.4, 3.6), sharey=True, layout="constrained")
    for ax, epsilon in zip(axes, (0.05, 0.2, 0.6)):
        machine = SVR(C=5.0, gamma=0.5, epsilon=epsilon, tol=1e-4).fit(x[:, None], y)
        f = machine.predict(grid[:, None])
        ax.fill_between(grid, f - epsilon, f + epsilon, alpha=0.25, lw=0)
        ax.plot(grid, f)
        ax.plot(grid, np.sin(grid), ls=":", color=colours.ink, lw=1)
        support = np.isin(np.arange(80), machine.support_)
        ax.plot(x[~support], y[~support], ".", color=colours.muted, label="inside the tube")
        ax.plot(x[support], y[support], "o", ms=4, mfc="none", color=colours.cycle[1], label="support vectors")
        ax.set(xlabel="x", title=f"epsilon = {epsilon:g}: {support.sum()} of 80 rows matter")
    axes[0].legend(fontsize="small")
plt.show()

# %%
# The two gross errors pull no harder than any other row outside the tube, since the loss grows linearly. But when the
# tube is much wider than the noise, hardly any other row is left outside, and the curve goes where these two draw it.

for epsilon in (0.0, 0.05, 0.2, 0.6):
    machine = SVR(C=5.0, gamma=0.5, epsilon=epsilon).fit(x[:, None], y)
    error = np.sqrt(np.mean((machine.predict(grid[:, None]) - np.sin(grid)) ** 2))
    print(f"epsilon {epsilon:4.2f}: {machine.support_.size:2d} support vectors, error of the curve {error:.3f}")
