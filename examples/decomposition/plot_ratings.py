"""
A completed table of ratings
============================

Five people, six films, eleven ratings. What does a matrix factorisation predict for the other cells, and where does it
place people and films?
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.assess import recommender_report, user_time_split
from statlearn.decomposition import ItemKNNRecommender, MatrixFactorization
from statlearn.plot import style

ratings = [
    ("A", "SW1", 4), ("A", "TW", 4), ("B", "SW1", 5), ("B", "SW2", 5), ("B", "BM", 5), ("C", "HP1", 4),
    ("C", "BM", 5), ("D", "TW", 5), ("E", "SW2", 5), ("E", "HP1", 5), ("E", "HP2", 5),
]  # fmt: skip
model = MatrixFactorization(2, bias=False, alpha=0.05, max_iter=2000, tol=1e-6, random_state=0).fit(ratings)
table = np.array([model.predict([(u, i) for i in model.items_]) for u in model.users_])

with style():
    fig, axes = plt.subplots(1, 2, figsize=(8.6, 3.6), layout="constrained")
    axes[0].imshow(table, cmap="Blues", vmin=2, vmax=7)
    axes[0].grid(False)
    known = {(u, i): r for u, i, r in ratings}
    for a, user in enumerate(model.users_):
        for b, item in enumerate(model.items_):
            given = known.get((user, item))
            text = f"{table[a, b]:.1f}" if given is None else f"{given}"
            axes[0].text(b, a, text, ha="center", va="center", weight="bold" if given else "normal")
    axes[0].set_xticks(range(len(model.items_)), model.items_)
    axes[0].set_yticks(range(len(model.users_)), model.users_)
    axes[0].set_title("given (bold) and predicted")
    for labels, points, shift in ((model.users_, model.user_factors_, 5), (model.items_, model.item_factors_, -12)):
        axes[1].scatter(*points.T, s=15)
        # The two films of a series lie on each other: one label for both.
        near = np.linalg.norm(points[:, None] - points, axis=2) < 0.05
        for first in np.unique(near.argmax(axis=1)):
            text = ", ".join(labels[near[first]])
            axes[1].annotate(text, points[first], (2, shift), textcoords="offset points", fontsize=8)
    axes[1].margins(0.1)
    axes[1].axhline(0, lw=0.5, color="0.6")
    axes[1].axvline(0, lw=0.5, color="0.6")
    axes[1].set_title("latent axes of people and films")
plt.show()

# %%
# Eleven ratings are far too few to be trusted. With a larger table of known truth, the error on later ratings shows
# what biases and factors are worth.

rng = np.random.default_rng(1)
U, V = rng.normal(size=(300, 3)), rng.normal(size=(120, 3))
truth = 3 + rng.normal(size=(300, 1)) * 0.6 + rng.normal(size=120) * 0.6 + 0.5 * U @ V.T
u, i = np.nonzero(rng.random(truth.shape) < 0.15)
X = rng.permutation(np.column_stack([u, i, truth[u, i] + 0.3 * rng.normal(size=len(u))]))
train, test = user_time_split(X, n_test=3)
models = {
    "item neighbours": ItemKNNRecommender(30, metric="pearson", shrinkage=10, min_common=3),
    "factors only": MatrixFactorization(3, bias=False, alpha=3.0, max_iter=200, random_state=0),
    "biases and factors": MatrixFactorization(3, alpha=3.0, max_iter=200, random_state=0),
}
reports = {name: recommender_report(m.fit(X[train]), X[test], n=10, threshold=4.0) for name, m in models.items()}
with style():
    fig, axes = plt.subplots(1, 2, figsize=(8.6, 2.4), sharey=True, layout="constrained")
    for ax, key, label in zip(axes, ("rmse", "ndcg"), ("error of later ratings", "NDCG of lists of 10")):
        bars = ax.barh(list(reports), [report[key] for report in reports.values()])
        ax.bar_label(bars, fmt="{:.2f}", padding=3)
        ax.set_xlabel(label)
        ax.margins(x=0.15)
    axes[0].invert_yaxis()
plt.show()
