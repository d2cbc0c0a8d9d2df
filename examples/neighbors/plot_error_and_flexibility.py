"""
Error against the number of effective parameters
================================================

k neighbours spend about N/k parameters: one mean for each of N/k neighbourhoods. How do the errors on old and new rows
depend on it, and what does cross-validation make of that?
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.linear import LinearRegression
from statlearn.neighbors import KNeighborsClassifier, choose_k
from statlearn.plot import style
from statlearn.prep import make_scenario

data = make_scenario("mixture", 10_200, random_state=3)
order = np.random.default_rng(1).permutation(10_200)
train, test = order[:200], order[200:]
X, y = data.X[train], data.y[train]
ks = [151, 101, 69, 45, 31, 21, 11, 7, 5, 3, 1]
errors = np.array(
    [
        [1 - model.score(X, y), 1 - model.score(data.X[test], data.y[test])]
        for model in (KNeighborsClassifier(k).fit(X, y) for k in ks)
    ]
)
chosen = choose_k(KNeighborsClassifier(), X, y, n_neighbors=ks, cv=10)
curve = chosen.cv_curve_
line = LinearRegression().fit(X, y)
linear = [np.mean((line.predict(data.X[rows]) > 0.5) != data.y[rows]) for rows in (train, test)]
with style() as colours:
    fig, ax = plt.subplots(figsize=(7.4, 4.6), layout="constrained")
    parameters = 200 / np.array(ks)
    ax.plot(parameters, errors[:, 0], "o-", ms=4, color=colours.cycle[1], label="training rows")
    ax.plot(parameters, errors[:, 1], "s-", ms=4, color=colours.cycle[0], label="10,000 new rows")
    ax.errorbar(
        200 / curve.parameter, curve.mean, curve.std_error, fmt="D-", ms=3.5, lw=1, capsize=2, color=colours.cycle[2],
        label="ten-fold cross-validation",
    )  # fmt: skip
    ax.plot([3, 3], linear, "_", ms=16, mew=2, color=colours.ink, label="linear: training and new rows")
    ax.axhline(data.bayes_error, ls="--", lw=1, color=colours.muted, label="Bayes")
    ax.set(xscale="log", xlabel="effective parameters N/k", ylabel="error", ylim=(0, None))
    top = ax.secondary_xaxis(
        "top", functions=(lambda v: 200 / np.maximum(v, 1e-9), lambda k: 200 / np.maximum(k, 1e-9))
    )
    top.set_xlabel("k")
    top.set_xticks([100, 30, 10, 3, 1], ["100", "30", "10", "3", "1"])
    ax.legend(loc="lower left")
plt.show()

# %%
# The training error falls to zero with k = 1. On new rows the error has its minimum in between, and cross-validation
# finds about the right k.

print(f"cross-validation takes k = {chosen.n_neighbors}; Bayes error {data.bayes_error:.3f}")
print(f"its error on new rows: {1 - chosen.score(data.X[test], data.y[test]):.3f}, that of the line {linear[1]:.3f}")
