"""
Rare events: class weights and the L1 path
==========================================

Two per cent of the transactions are fraudulent. An unweighted model is right in 98 % of the cases by saying "no".
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification

from statlearn.assess import balanced_accuracy_score, train_test_split
from statlearn.linear import LogisticRegression
from statlearn.prep import StandardScaler

X, y = make_classification(
    n_samples=8000, n_features=20, n_informative=5, n_redundant=2, weights=[0.98], flip_y=0.005, random_state=0
)
X = StandardScaler().fit_transform(X)
train, test = train_test_split(np.arange(len(y)), stratify=y, random_state=0)

# %%
# The same grid of penalties, with and without weights that balance the classes.

Cs = np.logspace(-3, 1, 15)
accuracy, coefs = {None: [], "balanced": []}, []
for weight in accuracy:
    for C in Cs:
        model = LogisticRegression(C=C, l1_ratio=1.0, solver="coordinate", class_weight=weight, max_iter=1000)
        model.fit(X[train], y[train])
        accuracy[weight].append(balanced_accuracy_score(y[test], model.predict(X[test])))
        if weight == "balanced":
            coefs.append(model.coef_.ravel())

fig, axes = plt.subplots(1, 2, figsize=(12, 4), layout="constrained")
axes[0].plot(np.log10(Cs), coefs)
axes[0].set(xlabel="log10(C)", ylabel="coefficient", title="L1 path, balanced weights")
axes[1].plot(np.log10(Cs), accuracy[None], label="no weights")
axes[1].plot(np.log10(Cs), accuracy["balanced"], label="balanced")
axes[1].axhline(0.5, color="0.6", ls="--")
axes[1].set(xlabel="log10(C)", ylabel="balanced accuracy on new data")
axes[1].legend(frameon=False)
plt.show()

# %%
# With weights the model finds most of the fraud at any reasonable penalty. Without, it says "no" to everything (0.5)
# until the penalty is weak, and never catches up.
