"""
Cross-validation: which rows are held out, and what the curve says
==================================================================

Four ways to split the same forty rows, and a ridge penalty chosen by ten folds.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes

from statlearn.assess import GridSearchCV, GroupKFold, KFold, StratifiedKFold, TimeSeriesSplit, nested_cross_validate
from statlearn.linear import Lasso
from statlearn.plot import cv_diagram, plot_cv_curve, style
from statlearn.prep import StandardScaler, make_pipeline

classes = np.repeat([0, 1], [28, 12])
groups = np.repeat(np.arange(10), 4)
with style():
    fig, axes = plt.subplots(2, 2, figsize=(11, 5.4), layout="constrained")
    cv_diagram(KFold(5), n=40, ax=axes[0, 0])
    cv_diagram(StratifiedKFold(5), y=classes, ax=axes[0, 1])
    cv_diagram(GroupKFold(5), n=40, groups=groups, ax=axes[1, 0])
    cv_diagram(TimeSeriesSplit(5), n=40, ax=axes[1, 1])
    for ax, title in zip(axes.flat, ("K folds", "stratified", "grouped", "time series")):
        ax.set_title(title)

# %%
# Ten folds over a path of lasso penalties. The error bars are one standard error of the mean over folds; the green
# line is the simplest model that is within one of them of the best.
X, y = load_diabetes(return_X_y=True)
model = make_pipeline(StandardScaler(), Lasso())
grid = {"lasso__alpha": np.logspace(1.5, -1, 20).tolist()}
search = GridSearchCV(model, grid, cv=10, scoring="neg_mean_squared_error", rule="one_se").fit(X, y)
kept = np.count_nonzero(search.best_estimator_[-1].coef_)
with style():
    ax = plot_cv_curve(search.cv_curve_)
    ax.set_title(f"one standard error: {kept} of {X.shape[1]} columns stay")

# %%
# What is the error of the whole procedure, search included? Nested cross-validation scores rows that took no part in
# it.
print(nested_cross_validate(model, X, y, grid=grid, outer=5, rule="one_se", scoring="r2", random_state=0).summary())
plt.show()
