"""
Boltzmann machines by Gibbs sampling: exact, and slow
=====================================================

The gradient of the likelihood of a Boltzmann machine needs samples of the machine itself. A long Gibbs chain provides
them, at the cost of many sweeps for every step. Contrastive divergence stops the chain after one sweep. A machine so
small that its likelihood can be computed exactly shows what that loses, and what it saves.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.graphical import BernoulliRBM
from statlearn.plot import style

# Bars and stripes: the fourteen images of 3 x 3 pixels whose rows, or whose columns, are all of one colour.
lines = np.indices((2, 2, 2)).reshape(3, -1).T
bars = np.repeat(lines, 3, axis=1)
images = np.unique(np.vstack([bars, bars.reshape(-1, 3, 3).transpose(0, 2, 1).reshape(-1, 9)]), axis=0).astype(float)

# %%
# Every machine has six hidden units and makes one step per image. A step of CD-k costs k sweeps, in which all hidden
# units are drawn, then all visible ones. After 100 sweeps a chain has forgotten its start.

methods = {"CD-1": (1, 6000), "CD-10": (10, 3000), "Gibbs chains of 100 sweeps": (100, 1500)}  # sweeps, passes
curves = {}
for name, (k, most) in methods.items():
    found = []
    for n_iter in np.geomspace(20, most, 9).astype(int):
        model = BernoulliRBM(6, method="cd", k=k, n_iter=n_iter, batch_size=1, learning_rate=0.1, random_state=0)
        model.fit(images)
        likelihood = -model.free_energy(images).mean() - model.log_partition()
        found.append([n_iter * len(images) * k, model.reconstruction_errors_[-5:].mean(), likelihood])
    curves[name] = np.array(found).T

# %%
# The best possible machine gives every image the probability 1/14.

with style() as colours:
    fig, axes = plt.subplots(1, 2, figsize=(10.5, 4), layout="constrained")
    for name, (sweeps, errors, likelihood) in curves.items():
        axes[0].plot(sweeps, errors, "o-", ms=4, label=name)
        axes[1].plot(sweeps, likelihood, "o-", ms=4, label=name)
    axes[1].axhline(-np.log(len(images)), ls="--", lw=1, color=colours.muted)
    axes[1].annotate("best possible", (300, -np.log(len(images)) + 0.05), color=colours.muted)
    axes[0].set(xscale="log", xlabel="sweeps", ylabel="mean squared error", title="Reconstruction of the images")
    axes[1].set(
        xscale="log", xlabel="sweeps", ylabel="mean log-likelihood", title="Exact log-likelihood", ylim=(None, -2.4)
    )
    axes[0].legend(loc="lower left", bbox_to_anchor=(0, 0.1))
plt.show()
for name, (sweeps, _, likelihood) in curves.items():
    print(f"{name:28} after {int(sweeps[-1]):7d} sweeps: log-likelihood {likelihood[-1]:.2f}")

# %%
# What one should see: CD-1 climbs first, with a twenty-fifth of the sweeps, and then falls short of the best machine,
# because its gradient is biased; the reconstruction does not tell. Long chains climb last and highest.
