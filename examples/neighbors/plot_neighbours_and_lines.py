"""
Neighbours or a line?
=====================

Where each class is one Gaussian with the same spread, the best border is a line, and least squares finds it. Where each
is a mixture of ten, it is not.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.linear import LeastSquaresClassifier
from statlearn.neighbors import KNeighborsClassifier
from statlearn.plot import plot_decision_boundary, style
from statlearn.prep import make_scenario

scenarios = {"one Gaussian per class": ("gaussians", 0), "ten Gaussians per class": ("mixture", 3)}
rows = []
with style() as colours:
    fig, axes = plt.subplots(2, 2, figsize=(8.6, 7.4), layout="constrained")
    for line, (title, (name, seed)) in zip(axes, scenarios.items()):
        data = make_scenario(name, 5200, n_features=2, random_state=seed)
        order = np.random.default_rng(0).permutation(5200)
        train, test = order[:200], order[200:]
        for ax, (method, model) in zip(
            line, {"least squares": LeastSquaresClassifier(), "15 neighbours": KNeighborsClassifier(15)}.items()
        ):
            model.fit(data.X[train], data.y[train])
            error = 1 - model.score(data.X[test], data.y[test])
            rows.append((title, method, error, data.bayes_error))
            plot_decision_boundary(model, data.X[train], data.y[train], regions="class", grid_resolution=120, ax=ax)
            ax.set_title(f"{method}: error {error:.3f} (Bayes {data.bayes_error:.3f})", loc="left")
            if ax is not axes[0, 0]:
                ax.get_legend().remove()
            ax.set_xlabel("")
            ax.set_ylabel(title if method == "least squares" else "")
plt.show()

# %%
# The line has little variance and, on the first kind of data, no bias. Neighbours assume nothing about the border and
# pay for it with variance: they win only where the border bends.

for row in rows:
    print("{:<24s} {:<14s} error {:.3f}, Bayes {:.3f}".format(*row))
