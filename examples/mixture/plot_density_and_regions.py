"""
Density and regions of a Gaussian mixture
=========================================

How many components does a cloud need, and which of them is the most probable where?
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.mixture import GaussianMixtureIC, criterion_plot, gmm_density_plot
from statlearn.plot import style

rng = np.random.default_rng(1)
angle = rng.uniform(0, np.pi, size=250)
arc = 4.0 * np.column_stack([np.cos(angle), np.sin(angle)]) + 0.45 * rng.normal(size=(250, 2))
X = np.vstack([arc, rng.normal(size=(120, 2)) @ [[0.9, 0.0], [0.5, 0.4]] + [0.0, -0.5]])

model = GaussianMixtureIC(n_components=range(1, 9), random_state=0).fit(X)
with style():
    fig, (left, right) = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
    criterion_plot(model, ax=left).set_title("BIC of 32 mixtures")
    gmm_density_plot(model.best_estimator_, X, ax=right)
    right.set_title(f"{model.n_components_} components, {model.covariance_type_} covariances")
plt.show()

# %%
# BIC chooses the mixture whose density describes the rows best for its number of parameters. The arc is one cluster but
# no normal distribution: several components share it. Lines are contours of the log density; the shaded regions
# are where each component is the most probable.
