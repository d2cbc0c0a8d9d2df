"""
Rare events: which columns separate the classes?
================================================

Three percent of the transactions are fraud. Some columns look alike in both classes; they add noise to the product of
densities. A filter by density similarity drops them.
"""

# %%
# Class-conditional histograms
# ----------------------------

import matplotlib.pyplot as plt
import numpy as np

from statlearn.assess import average_precision_score, train_test_split
from statlearn.bayes import GaussianNB
from statlearn.prep import DensitySimilaritySelector

rng = np.random.default_rng(0)
n, p = 6000, 12
y = (rng.uniform(size=n) < 0.03).astype(int)
shift = np.array([2.0, 1.5, 1.2, 0.9, 0.6, 0.3, 0.1, 0, 0, 0, 0, 0])
X = rng.normal(size=(n, p)) + shift * y[:, None]
X[:, 7:] = rng.standard_t(3, size=(n, 5))  # heavy tails, the same in both classes
train_X, test_X, train_y, test_y = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)

fig, axes = plt.subplots(2, 3, figsize=(9, 4.5), layout="constrained")
for ax, j in zip(axes.ravel(), [0, 2, 4, 5, 7, 9]):
    bins = np.linspace(-4, 5, 40)
    ax.hist(train_X[train_y == 0, j], bins, density=True, alpha=0.5, label="regular")
    ax.hist(train_X[train_y == 1, j], bins, density=True, alpha=0.5, label="fraud")
    ax.set_title(f"column {j}", fontsize="small")
axes[0, 0].legend(fontsize="small")

# %%
# Score against the threshold of the filter
# -----------------------------------------
# Columns whose densities overlap more than the threshold are dropped before `GaussianNB`.

thresholds = np.linspace(0.4, 1.0, 13)
scores, kept = [], []
for threshold in thresholds:
    selector = DensitySimilaritySelector(threshold=threshold).fit(train_X, train_y)
    support = selector.get_support()
    if not support.any():
        scores.append(np.nan)
        kept.append(0)
        continue
    model = GaussianNB().fit(train_X[:, support], train_y)
    scores.append(average_precision_score(test_y, model.predict_proba(test_X[:, support])[:, 1]))
    kept.append(int(support.sum()))

fig, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
ax.margins(y=0.12)
ax.plot(thresholds, scores, marker="o")
for x, s, k in zip(thresholds, scores, kept):
    if np.isfinite(s):
        ax.annotate(str(k), (x, s), textcoords="offset points", xytext=(0, 6), ha="center", fontsize="small")
ax.set(xlabel="largest similarity allowed", ylabel="average precision on new rows",
       title="Columns kept are written above the points")  # fmt: skip

# %%
# Too few columns lose information, and all columns add the noise of heavy tails. The best threshold lies between.
