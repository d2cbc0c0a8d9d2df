"""
Ridge on polynomial features: a larger penalty draws a smoother curve
=====================================================================

A polynomial of degree 12 through 20 points wiggles. How does the ridge penalty calm it?
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.linear import Ridge, effective_df
from statlearn.prep import PolynomialFeatures, StandardScaler, make_pipeline

rng = np.random.default_rng(3)
x = np.sort(rng.uniform(0, 1, 20))
y = np.sin(2 * np.pi * x) + 0.3 * rng.normal(size=20)
grid = np.linspace(0, 1, 300)

fig, ax = plt.subplots(figsize=(8, 4.5), layout="constrained")
ax.plot(x, y, "ko", label="data")
ax.plot(grid, np.sin(2 * np.pi * grid), color="0.6", ls="--", label="truth")
features = make_pipeline(PolynomialFeatures(12, include_bias=False), StandardScaler()).fit(x[:, None])
for alpha in (1e-6, 1e-2, 1.0, 100.0):
    model = Ridge(alpha=alpha).fit(features.transform(x[:, None]), y)
    df = effective_df(model, features.transform(x[:, None]))
    ax.plot(grid, model.predict(features.transform(grid[:, None])), label=f"alpha = {alpha:g}, df = {df:.1f}")
ax.set(ylim=(-2, 2), xlabel="x", ylabel="y")
ax.legend(frameon=False)
plt.show()

# %%
# The effective degrees of freedom fall from nearly 12 to about 1, and the curve from interpolation to a gentle slope;
# the truth lies in between.
