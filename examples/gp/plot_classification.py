"""
Probabilities of a Gaussian process classifier
==============================================

The classifier averages the probability over the uncertainty of the latent function. Far from the data the latent
function is unknown, and the probability returns to one half: the model says that it does not know.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from statlearn.gp import RBF, GaussianProcessClassifier
from statlearn.plot import style

X, y = make_moons(120, noise=0.25, random_state=0)
model = GaussianProcessClassifier(1.0 * RBF(1.0)).fit(X, y)

side = np.linspace(-4, 5, 90)
table = np.column_stack([v.ravel() for v in np.meshgrid(side, side - 0.5)])
probability = model.predict_proba(table)[:, 1].reshape(90, 90)
variance = model.latent_mean_and_variance(table)[1].reshape(90, 90)

with style():
    fig, axes = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
    shown = axes[0].contourf(side, side - 0.5, probability, levels=np.linspace(0, 1, 21), cmap="RdBu_r")
    axes[0].contour(side, side - 0.5, probability, levels=[0.5], colors="k", linewidths=1)
    fig.colorbar(shown, ax=axes[0], label="probability of class 1")
    shown = axes[1].contourf(side, side - 0.5, np.sqrt(variance), levels=20, cmap="viridis")
    fig.colorbar(shown, ax=axes[1], label="standard deviation of the latent function")
    for ax in axes:
        ax.scatter(*X.T, c=y, s=14, cmap="RdBu_r", edgecolor="k", linewidth=0.5)
        ax.set(xlabel="x1", ylabel="x2")
plt.show()

print(model.kernel_)
print(f"accuracy on the training rows {model.score(X, y):.2f}, probability in a far corner {probability[-1, 0]:.2f}")

# %%
# The line of equal probability separates the moons. On the right the latent standard deviation is small between the
# observations and reaches that of the prior away from them, where the colours on the left fade.
