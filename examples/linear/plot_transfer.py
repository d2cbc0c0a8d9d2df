"""
Transfer: how many rows of its own does a target need?
======================================================

A source with 1000 rows has 30 coefficients. Those of the target differ a little from them, and it has few rows. Three
models: fitted to the target alone, taken over from the source, and shrunk towards the source by
``Ridge(prior_coef=...)``, with the penalty chosen by cross-validation on the target rows.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.assess import GridSearchCV
from statlearn.linear import LinearRegression, Ridge

rng = np.random.default_rng(0)
n_columns, sizes = 30, (10, 20, 40, 80, 160)
grid = {"alpha": np.logspace(-1, 3, 5)}


def rows(coef, n):
    X = rng.normal(size=(n, coef.size))
    return X, X @ coef + rng.normal(size=n)


errors = np.zeros((8, len(sizes), 3))
for repetition in errors:
    source_coef = rng.normal(size=n_columns)
    target_coef = source_coef + 0.3 * rng.normal(size=n_columns)
    source = LinearRegression().fit(*rows(source_coef, 1000))
    X_test, y_test = rows(target_coef, 500)
    for size, result in zip(sizes, repetition):
        X, y = rows(target_coef, size)
        models = [
            GridSearchCV(Ridge(), grid, cv=5).fit(X, y),
            source,
            GridSearchCV(Ridge(prior_coef=source.coef_), grid, cv=5).fit(X, y),
        ]
        result[:] = [np.mean((y_test - model.predict(X_test)) ** 2) for model in models]

fig, ax = plt.subplots(layout="constrained")
for curve, label in zip(errors.mean(axis=0).T, ("target rows only (ridge)", "source model", "transfer (prior_coef)")):
    ax.plot(sizes, curve, "o-", label=label)
ax.axhline(1, color="0.6", linestyle=":", label="noise")
ax.set(xscale="log", yscale="log", xlabel="rows of the target", ylabel="mean squared error on the target")
ax.set_xticks(sizes, sizes)
ax.minorticks_off()
ax.legend()
plt.show()

# %%
# With few rows, the transferred model is as good as the source; with many, it approaches the fit to the target alone.
# In between it is better than both. It can be worse than the target's own fit only where the source misleads and the
# penalty is chosen badly.
