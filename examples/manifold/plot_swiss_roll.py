"""
Unrolling the Swiss roll
========================

Points lie on a rolled sheet. Euclidean distances cut through the roll; distances along a neighbourhood graph follow it.
"""

import matplotlib.pyplot as plt

from statlearn.manifold import MDS, Isomap, swiss_roll, trustworthiness
from statlearn.plot import style

X, position = swiss_roll(800, random_state=0)
embeddings = {
    "least-squares scaling": MDS(2, eps=1e-4).fit_transform(X),
    "Isomap, 10 neighbours": Isomap(n_neighbors=10).fit_transform(X),
}

# %%
# Colour is the position along the sheet. Scaling folds the sheet, Isomap lays it flat.
with style():
    figure, axes = plt.subplots(1, 3, figsize=(12, 3.6), layout="constrained")
    axes[0].scatter(X[:, 0], X[:, 2], c=position, s=8)
    axes[0].set_title("the roll from the side")
    for ax, (name, Y) in zip(axes[1:], embeddings.items()):
        ax.scatter(*Y.T, c=position, s=8)
        ax.set_title(f"{name}\ntrustworthiness {trustworthiness(X, Y):.3f}")
    for ax in axes:
        ax.set_aspect("equal")
plt.show()
