"""
One score, many thresholds: ROC, DET, precision and recall
==========================================================

A classifier gives a score; where to cut it is another question. What do the curves show, and where is the equal error
rate?
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

from statlearn.assess import (
    choose_threshold,
    equal_error_rate,
    metrics_at_threshold,
    roc_auc_score,
    two_thirds_split,
)
from statlearn.linear import LogisticRegression
from statlearn.plot import det_plot, precision_recall_plot, roc_plot, style
from statlearn.prep import StandardScaler, make_pipeline

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

# %%
# Two errors against each other. A high threshold misses the sick, a low one alarms the healthy; where both rates are
# equal, the curves cross. The DET curve shows the same pairs of rates without the threshold, on scales that make the
# curve of normal scores straight, and meets its diagonal at the same point.
miss, alarm = 1 - found["recall"], 1 - found["specificity"]
eer = equal_error_rate(y_test, score)
crossing = choose_threshold(y_test, score, metric="equal_error").threshold
with style() as colours:
    fig, axes = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    axes[0].plot(thresholds, miss, label="missed: tumours below the threshold")
    axes[0].plot(thresholds, alarm, label="false alarms: healthy ones above it")
    axes[0].plot(crossing, eer, "o", color=colours.ink, ms=8, mfc="none", mew=2, label=f"equal error rate {eer:.3f}")
    axes[0].set(xlabel="threshold", ylabel="rate", ylim=(-0.02, 1.25))
    axes[0].legend(loc="upper center", ncols=1)
    det_plot(y_test, score, name="three columns", ax=axes[1])
plt.show()
print(f"equal error rate {eer:.3f} at the threshold {crossing:.2f}")

# %%
# How far can a ranking go? Perfect, useless and reversed scores are the extremes. A reversed one holds as much
# information as a perfect one: it only needs the other sign.
rng = np.random.default_rng(0)
truth = np.repeat([0, 1], 100)
rankings = {
    "perfect": truth + 0.5 * rng.uniform(size=200),
    "useless": np.tile(rng.uniform(size=100), 2),
    "reversed": -truth - 0.5 * rng.uniform(size=200),
}
with style():
    fig, axes = plt.subplots(1, 3, figsize=(12, 3.9), layout="constrained", sharey=True)
    for ax, (name, ranking) in zip(axes, rankings.items()):
        roc_plot(truth, ranking, name=name, band=None, ax=ax)
        area = roc_auc_score(truth, ranking)
        ax.set_title(f"{name}: area {area:.1f}")
        print(f"{name}: area {area:.3f}")
plt.show()
