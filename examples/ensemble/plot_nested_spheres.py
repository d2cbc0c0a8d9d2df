"""
Nested spheres: hundreds of weak rules make a good one
======================================================

Ten standard normal columns; the class says whether the point lies outside the sphere that holds half of them. No stump
does much better than a coin, but hundreds of them together do.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.ensemble import AdaBoostClassifier, GentleBoostClassifier
from statlearn.plot import style

rng = np.random.default_rng(1)


def spheres(n):
    X = rng.normal(size=(n, 10))
    return X, np.where((X**2).sum(axis=1) > 9.341818, 1, -1)


X, y = spheres(2000)
X_test, y_test = spheres(10_000)
rounds = 400
discrete = AdaBoostClassifier(n_estimators=rounds).fit(X, y)
gentle = GentleBoostClassifier(n_estimators=rounds).fit(X, y)


def errors(model, X, y):
    return np.array([np.mean(predicted != y) for predicted in model.staged_predict(X)])


# %%
# Exponential loss falls steadily, and the training error below it. Of the two versions the gentle one, which adds
# weighted means instead of votes, is far better here: its stumps say how sure they are.

with style() as colours:
    fig, (left, right) = plt.subplots(1, 2, figsize=(9.4, 4.2), layout="constrained")
    said = discrete.diagnostics_
    left.plot(said["exponential_loss"], color=colours.cycle[0], label="exponential loss")
    left.plot(said["training_error"], color=colours.cycle[1], label="training error")
    left.set(title="AdaBoost on its training rows", xlabel="round", ylim=(0, 1))
    left.legend()
    for model, name, colour in ((discrete, "AdaBoost", colours.cycle[0]), (gentle, "gentle", colours.cycle[2])):
        curve = errors(model, X_test, y_test)
        right.plot(curve, color=colour)
        right.text(rounds + 8, curve[-1], f"{name} {curve[-1]:.1%}", color=colour, va="center")
    right.set(title="Error on 10,000 new rows", xlabel="round", ylim=(0, 0.5), xlim=(0, rounds + 130))
plt.show()
