"""
Shapley values: why this prediction
====================================

A boosted model says of each tumour how likely it is benign. Shapley values take every prediction apart: they start at
the average score and give each measurement its share of the way to the score of this one tumour.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

from statlearn.assess import train_test_split
from statlearn.ensemble import GradientBoostingClassifier, tree_shap
from statlearn.plot import plot_shap_row, plot_shap_summary, style

data = load_breast_cancer(as_frame=True)
X_train, X_test, y_train, y_test = train_test_split(data.data, data.target, stratify=data.target, random_state=0)
model = GradientBoostingClassifier(n_estimators=120, learning_rate=0.1, random_state=0).fit(X_train, y_train)
shap = tree_shap(model, data.data)
print(f"test accuracy {model.score(X_test, y_test):.3f}; the values add up to the scores:",
      np.allclose(shap.base_value + shap.values.sum(axis=1), model.decision_function(data.data)))  # fmt: skip

# %%
# All tumours at once. Every point is one tumour; its place is what the measurement adds to the log-odds of "benign",
# its colour is the measurement. A large worst perimeter or many concave points push the score down, and they do so in
# steps, as trees do.

with style():
    plot_shap_summary(shap, max_columns=10)
plt.show()

# %%
# One tumour for which the model is unsure: which measurements speak for and which against it?

unsure = int(np.argmin(np.abs(model.decision_function(X_test))))
one = tree_shap(model, X_test)
with style() as colours:
    ax = plot_shap_row(one, unsure)
    ax.set_title("log-odds of a benign tumour", pad=24)
plt.show()

# %%
# The share of a measurement can depend on the others. Values against the measurement itself, with the interaction
# split off: what scatters vertically on the left is not there on the right, where only the column's own part is drawn.

pairs = tree_shap(model, X_train, interactions=True)
name = one.names[int(pairs.importance.argmax())]
j = pairs.names.index(name)
with style() as colours:
    fig, axes = plt.subplots(1, 2, figsize=(9.4, 3.8), sharey=True, layout="constrained")
    for ax, values, title in (
        (axes[0], pairs.values[:, j], "whole value"),
        (axes[1], pairs.interactions[:, j, j], "without interactions"),
    ):
        ax.scatter(X_train[name], values, s=10, color=colours.cycle[0], alpha=0.6)
        ax.axhline(0.0, color=colours.muted, lw=1)
        ax.set(title=title, xlabel=name)
    axes[0].set_ylabel("change of the log-odds")
plt.show()
