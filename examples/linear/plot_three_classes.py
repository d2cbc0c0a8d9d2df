"""
One against the rest, one against one, softmax
==============================================

A linear score separates two classes. For three there are three ways, and they divide the plane differently.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.linear import LogisticRegression, OneVsRestClassifier
from statlearn.svm import OneVsOneClassifier

rng = np.random.default_rng(0)
centres = np.array([[-2.5, 0.0], [0.0, 1.2], [2.5, 0.0]])
y = np.repeat(np.arange(3), 60)
X = centres[y] + 0.7 * rng.normal(size=(180, 2))

xx, yy = np.meshgrid(np.linspace(-5, 5, 300), np.linspace(-3, 4, 300))
grid = np.c_[xx.ravel(), yy.ravel()]
binary = LogisticRegression(C=10.0)
rest = OneVsRestClassifier(binary).fit(X, y)
pairs = OneVsOneClassifier(binary).fit(X, y)
softmax = LogisticRegression(C=10.0).fit(X, y)

# How many of the three scores say "mine": one is a decision, none or two are not.
claims = np.column_stack([model.decision_function(grid) > 0 for model in rest.estimators_]).sum(axis=1)
votes = np.zeros((len(grid), 3))
for (a, b), model in zip([(0, 1), (0, 2), (1, 2)], pairs.estimators_):
    wins = model.decision_function(grid) > 0
    votes[np.arange(len(grid)), np.where(wins, b, a)] += 1
tied = votes.max(axis=1) == 1

colours = np.array([[0.55, 0.7, 0.9], [0.95, 0.8, 0.5], [0.6, 0.85, 0.65]])
fig, axes = plt.subplots(1, 3, figsize=(12, 4), layout="constrained", sharey=True)
panels = [
    ("one against the rest", rest.predict(grid), claims != 1),
    ("one against one", pairs.predict(grid), tied),
    ("softmax", softmax.predict(grid), np.zeros(len(grid), bool)),
]
for ax, (title, labels, undecided) in zip(axes, panels):
    picture = np.where(undecided[:, None], 0.85, colours[labels])
    ax.imshow(picture.reshape(*xx.shape, 3), origin="lower", extent=(-5, 5, -3, 4), aspect="auto")
    for k, marker in enumerate("os^"):
        ax.plot(*X[y == k].T, marker, ms=4, mfc="none", mec="0.2")
    ax.set(title=f"{title}: {undecided.mean():.0%} undecided", xlabel="x1")
axes[0].set_ylabel("x2")
plt.show()

# %%
# Grey is where the votes alone do not decide. One against the rest leaves regions that no class claims, or that two
# classes claim: no line separates the middle class from both others. One against one leaves at most a small triangle.
# In both, the predicted class is then the one with the largest score, although scores of separate fits are not on one
# scale. Softmax fits all scores together: every point belongs to one class, and the probabilities add up to one.
