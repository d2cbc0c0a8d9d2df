"""
Which columns matter: impurity against permutation
==================================================

The fall of the impurity is measured on the rows that the trees were grown on, and a column with many distinct values
offers many cuts to chance. Permuting a column among the rows that a tree has not seen has neither weakness.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.ensemble import RandomForestClassifier, oob_permutation_importance, voided_importance
from statlearn.plot import style

# %%
# The class depends on two columns, a binary and a continuous one, and on chance. Three columns are unrelated to it: one
# continuous, one with ten values, one binary.
rng = np.random.default_rng(0)
n = 1000
binary, strong = rng.integers(0, 2, n), rng.normal(size=n)
X = np.column_stack([binary, strong, rng.normal(size=n), rng.integers(0, 10, n), rng.integers(0, 2, n)])
names = ["binary, relevant", "continuous, relevant", "continuous, noise", "ten values, noise", "binary, noise"]
y = (1.2 * (binary - 0.5) + strong + rng.logistic(size=n) > 0).astype(int)
forest = RandomForestClassifier(300, random_state=0).fit(X, y)

measures = {
    "fall of the impurity": forest.feature_importances_,
    "permutation, out of bag": oob_permutation_importance(forest, X, y, random_state=0),
    "random side, out of bag": voided_importance(forest, X, y, random_state=0),
    "refitted without it": voided_importance(forest, X, y, method="refit", random_state=0),
}
with style():
    fig, axes = plt.subplots(1, 4, figsize=(13, 3.4), layout="constrained", sharey=True)
    for ax, (title, values) in zip(axes, measures.items()):
        ax.barh(names, values)
        ax.axvline(0, color="0.5", lw=1)
        ax.set_title(title)
    axes[0].invert_yaxis()

# %%
# By impurity the continuous noise is worth more than the relevant binary column; permutation puts it at zero. Refitting
# answers another question: without the continuous noise the accuracy falls, although the column is unrelated to the
# class, because the fully grown trees then split the relevant continuous column further and overfit more.
plt.show()
