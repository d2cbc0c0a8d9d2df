"""
Bayesian splines: how much may the curve bend?
==============================================

Seven cubic B-splines, a normal prior for their coefficients, and what the prior variance does.
"""

# %%
# Posterior mean, bands and draws for three prior variances
# ---------------------------------------------------------

import matplotlib.pyplot as plt
import numpy as np

from statlearn.bayes import BayesianSplineRegressor

rng = np.random.default_rng(3)
x = np.sort(rng.uniform(0, 3, 50))


def truth(t):
    return 0.3 + 1.5 * np.minimum(t, 1.5) + np.sin(2.5 * t)


y = truth(x) + 0.5 * rng.normal(size=50)
grid = np.linspace(x.min(), x.max(), 200)[:, None]
fig, axes = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained", sharey=True)
for ax, tau in zip(axes, (0.1, 3.0, 1000.0)):
    model = BayesianSplineRegressor(3, tau=tau, sigma2=0.25).fit(x[:, None], y)
    mean, std = model.predict(grid, return_std=True)
    ax.fill_between(grid[:, 0], mean - 1.96 * std, mean + 1.96 * std, alpha=0.25, label="95 % band")
    ax.plot(grid, model.sample_y(grid, 8, random_state=0), color="0.5", linewidth=0.5, label=["draws"] + 7 * [None])
    ax.plot(grid, mean, label="posterior mean")
    ax.plot(grid, truth(grid), color="C3", linestyle="--", linewidth=1, label="truth")
    ax.plot(x, y, ".", color="0.3", markersize=4)
    ax.set(title=f"prior variance {tau:g}", xlabel="x")
axes[0].set_ylabel("y")
axes[0].legend(loc="upper left", fontsize="small")

# %%
# A small variance pulls the curve towards 0; a large one is least squares. The marginal likelihood chooses by itself:

model = BayesianSplineRegressor(3).fit(x[:, None], y)
print(f"chosen prior variance {model.tau_:.2f}, noise variance {model.sigma2_:.3f} (simulated with 0.25)")
