"""
Local effects: when columns go together
=======================================

Two columns are nearly the same, and the response depends on them as x1 + x2². Partial dependence asks the model about
rows with a small x1 and a large x2, which nobody has ever seen; the trees answer something. Accumulated local effects
only move each row a little.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.ensemble import GradientBoostingRegressor, accumulated_local_effects, partial_dependence
from statlearn.plot import ALEDisplay, style

rng = np.random.default_rng(0)
n = 1500
x = rng.uniform(size=n)
X = np.column_stack([x, x + 0.05 * rng.normal(size=n)])
y = X[:, 0] + X[:, 1] ** 2 + 0.1 * rng.normal(size=n)
model = GradientBoostingRegressor(n_estimators=150, max_depth=5, random_state=0).fit(X, y)

truth = [lambda z: z, lambda z: z**2]
with style() as colours:
    fig, axes = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained")
    axes[0].scatter(*X.T, s=5, color=colours.muted, alpha=0.5)
    axes[0].set(xlabel="x1", ylabel="x2", title="the data")
    for j, ax in enumerate(axes[1:]):
        effect = accumulated_local_effects(model, X, [j], n_intervals=30)
        partial = partial_dependence(model, X, [j], percentiles=(0.0, 1.0), method="brute")
        z = np.linspace(0, 1, 100)
        centre = truth[j](X[:, j]).mean()
        ax.plot(z, truth[j](z) - centre, color=colours.muted, lw=4, alpha=0.4, label="truth")
        ax.plot(effect.grid_values[0], effect.average[0], color=colours.cycle[0], label="local effects")
        ax.plot(partial.grid_values[0], partial.average[0] - partial.average[0].mean(), "--", color=colours.cycle[1],
                label="partial dependence")  # fmt: skip
        ax.set(xlabel=f"x{j + 1}", title=f"effect of x{j + 1}", xlim=(0, 1))
    axes[1].legend()
plt.show()

# %%
# Interactions have pictures of their own. For f = x1 x2 with independent columns the pure interaction, main effects
# taken out, is (x1 - 1/2)(x2 - 1/2).

X = rng.uniform(size=(1500, 2))
model = GradientBoostingRegressor(n_estimators=200, max_depth=3, random_state=0).fit(X, X[:, 0] * X[:, 1])
with style():
    ALEDisplay.from_estimator(model, X, [0, 1, (0, 1)], feature_names=["x1", "x2"], n_intervals=25)
plt.show()
