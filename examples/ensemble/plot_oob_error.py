"""
Out-of-bag error: cross-validation that costs nothing
=====================================================

A tree of a random forest has not seen about a third of the rows. Predicting each row by the trees that have not seen
it gives an honest error from a single fit, and the whole curve over the number of trees tells when to stop.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes

from statlearn.assess import KFold, cross_val_score
from statlearn.ensemble import RandomForestClassifier, RandomForestRegressor, oob_error_curve
from statlearn.plot import style

sizes = [5, 20, 60, 200]
folds = KFold(10, shuffle=True, random_state=0)


def held_out(kind, X, y, scoring):
    """Ten-fold error for each number of trees."""
    return [-cross_val_score(kind(n, random_state=0), X, y, cv=folds, scoring=scoring).mean() for n in sizes]


X, y = load_breast_cancer(return_X_y=True)
forest = RandomForestClassifier(200, random_state=0).fit(X, y)
classes = oob_error_curve(forest, X, y), 1 + np.array(held_out(RandomForestClassifier, X, y, "accuracy"))
X, y = load_diabetes(return_X_y=True)
forest = RandomForestRegressor(200, max_features="p/3", random_state=0).fit(X, y)
numbers = (
    oob_error_curve(forest, X, y),
    held_out(lambda n, **o: RandomForestRegressor(n, max_features="p/3", **o), X, y, "neg_mean_squared_error"),
)

# %%
# The two estimates end at the same height. The out-of-bag curve starts higher: with few trees a row is predicted by a
# third of them only.
with style():
    fig, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    titles = ("breast cancer: share of errors", "diabetes: mean squared error")
    for ax, (curve, folded), title in zip(axes, (classes, numbers), titles):
        ax.plot(np.arange(1, 201), curve, label="out of bag, one fit")
        ax.plot(sizes, folded, "o", label="ten folds, ten fits each")
        ax.set(xscale="log", xlabel="trees", title=title)
        ax.legend()
plt.show()
