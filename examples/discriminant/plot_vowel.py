"""
Eleven vowels: regularised and reduced-rank discriminants
=========================================================

The vowel recognition table has eleven classes, ten columns and speakers in the test set who are not in the training
set. How much should the covariances be pooled, and how many canonical coordinates are worth keeping?
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn import datasets
from statlearn.discriminant import (
    LinearDiscriminantAnalysis,
    ReducedRankLDA,
    RegularizedDiscriminantAnalysis,
    canonical_plot,
)
from statlearn.plot import style

frame = datasets.load("keel/vowel").frame
X = frame[[f"x{j}" for j in range(4, 14)]].to_numpy()
y = frame["class"].to_numpy().astype(int)
test = frame["x1"].to_numpy() == 1
X, y, X_test, y_test = X[~test], y[~test], X[test], y[test]

alphas = np.linspace(0, 1, 21)
models = [RegularizedDiscriminantAnalysis(alpha, 0.0).fit(X, y) for alpha in alphas]
rda = np.array([[1 - m.score(X, y), 1 - m.score(X_test, y_test)] for m in models])
ranks = np.arange(1, 11)
reduced = [ReducedRankLDA(int(rank)).fit(X, y) for rank in ranks]
rank = np.array([[1 - m.score(X, y), 1 - m.score(X_test, y_test)] for m in reduced])

with style() as colours:
    fig, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    for ax, x, errors, label in (
        (axes[0], alphas, rda, "alpha (0 = linear, 1 = quadratic)"),
        (axes[1], ranks, rank, "canonical coordinates"),
    ):
        for k, name in enumerate(("training", "test")):
            ax.plot(x, errors[:, k], marker="o", ms=4, color=colours.cycle[k], label=name)
        ax.axvline(x[np.argmin(errors[:, 1])], ls=":", color=colours.muted)
        ax.set(xlabel=label, ylabel="error rate")
        ax.legend()
    axes[0].set_title("regularised discriminant analysis")
    axes[1].set_title("reduced-rank discriminant analysis")

# %%
# The test error is smallest close to, but not at, the quadratic end, and with two of ten canonical coordinates. These
# two coordinates show how the classes lie:
with style():
    fig, ax = plt.subplots(figsize=(8, 6.4), layout="constrained")
    canonical_plot(LinearDiscriminantAnalysis().fit(X, y), X, y, coverage=None, ax=ax)
    ax.set_title("vowels in the first two canonical coordinates")
plt.show()
print(f"best alpha on the test speakers: {alphas[np.argmin(rda[:, 1])]:.2f}, error {rda[:, 1].min():.2f}")
print(f"best number of coordinates: {ranks[np.argmin(rank[:, 1])]}, error {rank[:, 1].min():.2f}")
