"""
One score, many thresholds: ROC, DET, precision and recall
==========================================================

A classifier gives a score; where to cut it is another question. What do the curves show, and where is the equal error
rate?
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.pipeline import make_pipeline

from statlearn.assess import choose_threshold, metrics_at_threshold, two_thirds_split
from statlearn.linear import LogisticRegression
from statlearn.plot import det_plot, precision_recall_plot, roc_plot, style
from statlearn.prep import StandardScaler

X, y = load_breast_cancer(return_X_y=True)
malignant = 1 - y
X_train, X_test, y_train, y_test = two_thirds_split(X, malignant, stratify=malignant, random_state=0)
texture_only = [1, 4, 8]
scores = {
    "all columns": make_pipeline(StandardScaler(), LogisticRegression())
    .fit(X_train, y_train)
    .decision_function(X_test),
    "three columns": make_pipeline(StandardScaler(), LogisticRegression())
    .fit(X_train[:, texture_only], y_train)
    .decision_function(X_test[:, texture_only]),
}

with style() as colours:
    fig, axes = plt.subplots(2, 2, figsize=(10.5, 9), layout="constrained")
    for name, score in scores.items():
        roc_plot(y_test, score, name=name, ax=axes[0, 0])
        det_plot(y_test, score, name=name, ax=axes[0, 1])
        precision_recall_plot(y_test, score, name=name, ax=axes[1, 0])

    # %%
    # The same metrics as functions of the threshold, for the poorer score.
    score = scores["three columns"]
    thresholds = np.linspace(score.min(), score.max(), 200)
    found = metrics_at_threshold(y_test, score, thresholds)
    ax = axes[1, 1]
    for k, name in enumerate(("recall", "precision", "specificity", "f1")):
        ax.plot(thresholds, found[name], color=colours.cycle[k], label=name)
    best = choose_threshold(y_test, score, metric="f1")
    ax.axvline(best.threshold, color=colours.muted, ls=":", label="largest F1")
    ax.set(xlabel="threshold", ylabel="share")
    ax.legend()
plt.show()

# %%
# Bands are bootstrap intervals over the test rows, circles the equal error rates. All four panels show the same two
# rankings: a threshold only moves along a curve, a better model lifts the whole curve.
