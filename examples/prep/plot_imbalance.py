"""
One case in forty: SMOTE and its rivals
=======================================

Remedies against unequal classes, compared on rows that no sampler has touched: the samplers sit in a
``SamplingPipeline`` and act on the training folds only.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.assess import StratifiedKFold, average_precision_score, cross_val_predict, precision_recall_curve
from statlearn.linear import LogisticRegression
from statlearn.plot import style
from statlearn.prep import (
    SMOTE,
    PolynomialFeatures,
    RandomOverSampler,
    RandomUnderSampler,
    SamplingPipeline,
    StandardScaler,
)

rng = np.random.default_rng(3)
n, rare = 2000, 50
y = np.repeat([0, 1], [n - rare, rare])
angle = rng.uniform(0.2, 2.6, size=n)
X = np.where(
    y[:, None] == 1,
    np.column_stack([2.4 * np.cos(angle), 2.4 * np.sin(angle)]) + 0.25 * rng.normal(size=(n, 2)),
    1.0 * rng.normal(size=(n, 2)),
)

# %%
# New rows lie between neighbours of the rare class.

X_more, y_more = SMOTE(sampling_strategy=0.1, random_state=0).fit_resample(X, y, training_only=True)

# %%
# The same model, a logistic regression on squares and products, with each remedy.

remedies = {
    "as it is": [],
    "undersampling": [("sampler", RandomUnderSampler(random_state=0))],
    "oversampling": [("sampler", RandomOverSampler(random_state=0))],
    "SMOTE": [("sampler", SMOTE(random_state=0))],
    "class weights": [],
}
folds = StratifiedKFold(5, shuffle=True, random_state=0)
scores = {}
for name, sampler in remedies.items():
    weight = "balanced" if name == "class weights" else None
    steps = [
        ("scale", StandardScaler()),
        *sampler,
        ("powers", PolynomialFeatures(3, include_bias=False)),
        ("model", LogisticRegression(C=1.0, class_weight=weight, max_iter=2000)),
    ]
    scores[name] = cross_val_predict(SamplingPipeline(steps), X, y, cv=folds, method="predict_proba")[:, 1]
    found = scores[name] > 0.5
    print(
        f"{name:14s} average precision {average_precision_score(y, scores[name]):.2f}, "
        f"at probability 1/2: recall {found[y == 1].mean():.0%}, false alarms {found[y == 0].mean():.1%}"
    )

with style("light"):
    fig, axes = plt.subplots(1, 2, figsize=(12, 4.8), layout="constrained")
    axes[0].scatter(*X[y == 0].T, s=5, color="0.75", label="common")
    new = X_more[n:]
    axes[0].scatter(*new.T, s=12, color="C1", alpha=0.7, label=f"{len(new)} new rows by SMOTE")
    axes[0].scatter(*X[y == 1].T, s=18, color="C0", label=f"{rare} rare rows")
    axes[0].set(title="SMOTE in the plane", aspect="equal")
    axes[0].legend(frameon=False, loc="lower left")
    for name, score in scores.items():
        precision, recall, _ = precision_recall_curve(y, score)
        axes[1].plot(recall, precision, label=f"{name} ({average_precision_score(y, score):.2f})")
    axes[1].axhline(rare / n, color="0.5", ls=":")
    axes[1].set(xlabel="recall", ylabel="precision", ylim=(0, 1.02), title="new rows, 5 folds (average precision)")
    axes[1].legend(frameon=False)
plt.show()

# %%
# The order of the scores, and with it the curve, hardly changes. What changes is the threshold: at probability 1/2
# the plain model finds few of the rare rows, the others most, at the price of false alarms. A lower threshold does
# the same without resampling.
