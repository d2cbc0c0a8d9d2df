"""
Forest or boosting: error against the number of trees
=====================================================

Two problems of the textbooks. Nested spheres: ten normal columns, and the class says whether their squared length is
above its median. And a numeric target with noise and few interactions: the progression of diabetes (the house prices
of the textbook would have to be downloaded).
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes

from statlearn.assess import train_test_split
from statlearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

rng = np.random.default_rng(0)
X = rng.normal(size=(6000, 10))
y = np.sum(X**2, axis=1) > 9.341818
X, X_test, y, y_test = X[:2000], X[2000:], y[:2000], y[2000:]

counts = np.unique(np.geomspace(1, 400, 20).astype(int))


def staged_errors(model, X_test, y_test, error):
    """Test error after every round."""
    return [error(y_test, stage) for stage in model.staged_predict(X_test)]


def forest_errors(make, X, y, X_test, y_test, error):
    """Test error for growing numbers of trees; the trees are kept."""
    model, errors = make(), []
    for count in counts:
        model.set_params(n_estimators=int(count), warm_start=True).fit(X, y)
        errors.append(error(y_test, model.predict(X_test)))
    return errors


def wrong(y, predicted):
    return np.mean(y != predicted)


def squared(y, predicted):
    return np.mean((y - predicted) ** 2)


# %%
# Spheres: a sum of functions of single columns is the truth, so that stumps can reach it, given enough rounds.
fig, (ax, house) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
for depth in (1, 2):
    model = GradientBoostingClassifier(n_estimators=400, max_depth=depth, random_state=0).fit(X, y)
    ax.plot(np.arange(1, 401), staged_errors(model, X_test, y_test, wrong), label=f"boosting, depth {depth}")
forest = forest_errors(lambda: RandomForestClassifier(random_state=0), X, y, X_test, y_test, wrong)
ax.plot(counts, forest, "k--", label="forest")
ax.set(title="nested spheres", xlabel="trees", ylabel="test error", xscale="log")
ax.legend()

# %%
# Numbers: shrinkage decides how soon boosting is at its best, and how fast it leaves it again.
X, y = load_diabetes(return_X_y=True)
X, X_test, y, y_test = train_test_split(X, y, random_state=0, test_size=0.4)
for depth, rate in ((1, 0.1), (2, 0.1), (2, 0.02)):
    model = GradientBoostingRegressor(n_estimators=400, max_depth=depth, learning_rate=rate, random_state=0).fit(X, y)
    errors = staged_errors(model, X_test, y_test, squared)
    house.plot(np.arange(1, 401), errors, label=f"boosting, depth {depth}, rate {rate}")
    print(f"depth {depth}, rate {rate}: best {min(errors):.0f} after {np.argmin(errors) + 1} rounds")
forest = forest_errors(lambda: RandomForestRegressor(max_features="p/3", random_state=0), X, y, X_test, y_test, squared)
house.plot(counts, forest, "k--", label="forest")
house.set(title="diabetes", xlabel="trees", ylabel="test error", xscale="log")
house.legend()
plt.show()

# %%
# The forest settles after a hundred trees and stays. Boosting starts worse, passes it on the spheres after some 150
# rounds of depth 2 (stumps need twice as many) and is still falling at the end. On the noisy numbers all are close at
# their best; boosting passes its best round, the sooner the larger its steps and the deeper its trees, while the forest
# cannot overfit in the number of trees.
