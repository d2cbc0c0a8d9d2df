"""
Leave-one-out and a goal by lot
===============================

Fifty rows of each of two classes, drawn by lot: nothing can be learned, and every rule errs half the time. Leaving one
row out at a time says that the rule "predict the more frequent class" is always wrong. Why?
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.assess import BaselineClassifier, LeaveOneOut, StratifiedKFold, cross_val_score
from statlearn.neighbors import KNeighborsClassifier
from statlearn.plot import style

rng = np.random.default_rng(0)
goals = [rng.permutation(np.repeat([0, 1], 50)) for _ in range(5)]
X = rng.normal(size=(100, 3))
tenfold = StratifiedKFold(10, shuffle=True, random_state=0)
schemes = {
    "more frequent class,\nleave-one-out": (BaselineClassifier(), LeaveOneOut()),
    "more frequent class,\nten stratified folds": (BaselineClassifier(), tenfold),
    "nearest neighbour,\nleave-one-out": (KNeighborsClassifier(1), LeaveOneOut()),
    "nearest neighbour,\nten stratified folds": (KNeighborsClassifier(1), tenfold),
}
right = {name: [np.mean(cross_val_score(model, X, y, cv=cv)) for y in goals] for name, (model, cv) in schemes.items()}

# %%
# The row that is left out is missing from the training rows: 49 of its class are left, and 50 of the other. The more
# frequent class is never its own. Stratified folds keep the classes equal in the training rows as well.
y = goals[0]
train, test = next(LeaveOneOut().split(X, y))
counts = np.bincount(y[train])
with style() as colours:
    fig, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained", width_ratios=(1, 2))
    own = y[test[0]]
    bars = axes[0].bar(["own class", "other class"], [counts[own], counts[1 - own]], color=colours.cycle[:2], width=0.6)
    axes[0].bar_label(bars)
    axes[0].set(title="training rows for one row left out", ylim=(0, 58), ylabel="rows")
    for place, shares in enumerate(right.values()):
        axes[1].plot(shares, place + np.linspace(-0.2, 0.2, 5), "o", ms=5, alpha=0.7)
    axes[1].axvline(0.5, color=colours.muted, ls=":", label="truth")
    axes[1].set(title="five goals by lot", xlabel="estimated share of right predictions", xlim=(-0.03, 1.03))
    axes[1].set_yticks(range(4), list(right))
    axes[1].invert_yaxis()
    axes[1].legend()
plt.show()
for name, shares in right.items():
    print(f"{name.replace(chr(10), ' '):42}{np.mean(shares):4.0%} right")

# %%
# Leave-one-out trains on nearly all rows, but its training sets depend on the row that they are tested on: what is left
# out of one class tips the balance to the other. A rule that follows the balance is wrong every time, one that looks at
# neighbours only is not. Ten stratified folds find the truth with both.
