"""
Fisher's direction and the first principal component
====================================================

Principal components ignore the classes. What if the direction of largest variance says nothing about them, and when
does Fisher's direction fail as well?
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.discriminant import FisherDiscriminant, fisher_criterion
from statlearn.plot import style

rng = np.random.default_rng(3)
y = np.arange(300) % 2
stretched = rng.normal(size=(300, 2)) @ [[3.0, 1.2], [0.0, 0.5]] + np.outer(y, [0.3, 2.2])
angle = rng.uniform(0, 2 * np.pi, 300)
ring = np.column_stack([np.cos(angle), np.sin(angle)]) * np.where(y == 1, 3.0, 0.4)[:, None]
ring += 0.25 * rng.normal(size=(300, 2))


def first_component(X):
    return np.linalg.svd(X - X.mean(axis=0))[2][0]


with style() as colours:
    fig, axes = plt.subplots(2, 3, figsize=(12, 7), layout="constrained")
    for line, (name, X) in enumerate([("stretched classes", stretched), ("one around another", ring)]):
        model = FisherDiscriminant().fit(X, y)
        directions = {"principal component": first_component(X), "Fisher's direction": model.direction_}
        for c in range(2):
            axes[line, 0].scatter(*X[y == c].T, s=12, color=colours.cycle[c], alpha=0.7)
        for k, (label, w) in enumerate(directions.items()):
            ends = X.mean(axis=0) + np.outer([-4, 4], w)
            axes[line, 0].plot(*ends.T, ls=["--", "-"][k], color=colours.ink, label=label)
            ax = axes[line, 1 + k]
            edges = np.histogram_bin_edges(X @ w, bins=30)
            for c in range(2):
                ax.hist(X[y == c] @ w, bins=edges, color=colours.cycle[c], alpha=0.6)
            ax.set(title=f"{label}: J = {fisher_criterion(w, X, y):.2g}", xlabel="projection", ylabel="rows")
        axes[line, 0].set(title=f"{name}: error {1 - model.score(X, y):.2f}", xlabel="x0", ylabel="x1")
        axes[line, 0].set_aspect("equal", adjustable="datalim")
        axes[line, 0].legend(fontsize="small", loc="lower right", frameon=True, framealpha=0.9)
plt.show()

# %%
# Above, the largest variance runs along both classes and the projections overlap; Fisher's direction separates them.
# Below, the means coincide: no linear projection separates a class from the ring around it, and a quadratic rule is
# needed.
