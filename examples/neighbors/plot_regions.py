"""
From one neighbour to fifteen
=============================

Two classes, each a mixture of ten small Gaussians. The fewer neighbours vote, the more islands the regions have.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.neighbors import KNeighborsClassifier
from statlearn.plot import plot_decision_boundary, style
from statlearn.prep import make_scenario

# The same seed draws the same centres: the first 200 rows of the shuffled table teach, the others test.
data = make_scenario("mixture", 4000, random_state=7)
order = np.random.default_rng(0).permutation(4000)
train, test = order[:200], order[200:]
with style() as colours:
    fig, axes = plt.subplots(2, 3, figsize=(10.5, 6.6), layout="constrained")
    errors = []
    for ax, k in zip(axes.flat, (1, 3, 5, 7, 15)):
        model = KNeighborsClassifier(k).fit(data.X[train], data.y[train])
        errors.append((k, 1 - model.score(data.X[train], data.y[train]), 1 - model.score(data.X[test], data.y[test])))
        plot_decision_boundary(model, data.X[train], data.y[train], regions="class", grid_resolution=120, ax=ax)
        ax.set_title(f"k = {k}", loc="left")
        if k > 1:
            ax.get_legend().remove()
    ax = axes.flat[-1]
    k, training, testing = np.array(errors).T
    ax.plot(k, training, "o-", label="training rows")
    ax.plot(k, testing, "s-", label="new rows")
    ax.axhline(data.bayes_error, ls="--", lw=1, color=colours.muted, label="Bayes")
    ax.set(xlabel="k", ylabel="error", ylim=(0, None), title="errors")
    ax.legend()
plt.show()

# %%
# One neighbour makes no error on its own rows and follows every single one of them. With more votes the islands go, the
# border becomes smooth, and the error on new rows falls towards that of the best possible rule.

for row in errors:
    print("k = {:2d}: training {:.3f}, new rows {:.3f}".format(*row))
