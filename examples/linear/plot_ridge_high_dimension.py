"""
More features than samples: how much should ridge shrink?
=========================================================

100 samples, 20, 100 or 1000 correlated features with many small effects and a signal-to-noise ratio of 2. Mean test
error against the effective degrees of freedom.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.linear import ridge_path

rng = np.random.default_rng(0)
n, alphas = 100, np.logspace(-3, 5, 30)


def draw(p):
    """Features with pairwise correlation 0.2, normal coefficients, noise with half the signal's variance."""

    def features(rows):
        return np.sqrt(0.2) * rng.normal(size=(rows, 1)) + np.sqrt(0.8) * rng.normal(size=(rows, p))

    beta = rng.normal(size=p)
    X, X_new = features(n), features(500)
    sd = np.std(X_new @ beta) / np.sqrt(2)
    return X, X @ beta + sd * rng.normal(size=n), X_new, X_new @ beta, sd


fig, axes = plt.subplots(1, 3, figsize=(12, 4), layout="constrained", sharey=True)
for ax, p in zip(axes, (20, 100, 1000)):
    errors, dfs = [], []
    for _ in range(20):
        X, y, X_new, truth, sd = draw(p)
        path = ridge_path(X, y, alphas=alphas)
        predicted = path.intercepts + X_new @ path.coefs
        errors.append(np.mean((predicted - truth[:, None]) ** 2, axis=0) / sd**2)
        dfs.append(path.df)
    error, df = np.mean(errors, axis=0), np.mean(dfs, axis=0)
    ax.plot(df, error, "o-", ms=3)
    ax.plot(df[error.argmin()], error.min(), "C3o")
    ax.set(title=f"p = {p}", xlabel="effective degrees of freedom", ylim=(0, 4))
    print(f"p = {p:4}: best {error.min():.2f} at df {df[error.argmin()]:.0f}; least penalty {error[0]:.2f}")
axes[0].set_ylabel("mean error of the prediction / noise variance")
plt.show()

# %%
# With 20 features the best fit is close to least squares (df = 20). With as many features as samples, barely penalised
# least squares is a disaster, and about half the degrees of freedom are best. With 1000 features even a fit that
# interpolates the data is nearly as good as the best one: most of the signal is out of reach, and the choice of the
# penalty matters little.
