"""
One bad point: least squares, least absolute deviations, Huber and Student-t
============================================================================

A single wild response moves the least-squares line. What do the robust losses make of it?
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.linear import HuberRegressor, LADRegressor, LinearRegression, StudentTRegressor

rng = np.random.default_rng(1)
x = np.linspace(0, 10, 30)
y = 1.0 + 0.5 * x + 0.3 * rng.normal(size=30)
y[26] = 25.0  # one typing error
X = x[:, None]

models = {
    "least squares": LinearRegression(),
    "least absolute deviations": LADRegressor(),
    "Huber": HuberRegressor(),
    "Student-t": StudentTRegressor(),
}
fig, ax = plt.subplots(figsize=(8, 4.5), layout="constrained")
ax.plot(x, y, "ko", ms=4)
for (name, model), style in zip(models.items(), ("-", "--", ":", "-.")):
    model.fit(X, y)
    ax.plot(x, model.predict(X), style, lw=2, label=f"{name}: {model.intercept_:.2f} + {model.coef_[0]:.2f} x")
ax.legend(frameon=False)
ax.set(xlabel="x", ylabel="y")
plt.show()

# %%
# Only least squares turns towards the outlier: its loss grows with the square of the residual, the others' at most
# linearly, and Student-t's only logarithmically.
