"""
What EM does, step by step
==========================

Sweets come in two bags that were mixed up. Flavour, wrapper and hole of a thousand sweets are known, the bag of none.
How does EM find out what was in the bags?
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

from statlearn.mixture import LatentClassModel, elbo
from statlearn.plot import style

# counts[flavour, wrapper, hole]: cherry or lime, red or green, yes or no
counts = np.array([[[273, 93], [104, 90]], [[79, 100], [94, 167]]])
cells = np.indices(counts.shape).reshape(3, -1).T
weights = counts.ravel()
start = {"weights_init": [0.6, 0.4], "tables_init": [[[0.6, 0.4], [0.4, 0.6]]] * 3}

# %%
# After each M step the bound with the responsibilities of the step before lies below the log-likelihood; the E step
# closes the gap again.
likelihoods, bounds, shares = [], [], []
before = None
for steps in range(16):
    model = LatentClassModel(2, max_iter=steps, tol=0.0, **start)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it is stopped on purpose
        model.fit(cells, sample_weight=weights)
    q = model.predict_proba(cells)
    log_joint = np.log(q) + model.score_samples(cells)[:, None]
    likelihoods.append(elbo(log_joint, q, weights).log_likelihood)
    bounds.append(np.nan if before is None else elbo(log_joint, before, weights).bound)
    shares.append([model.weights_[0], *(table[0, 0] for table in model.tables_)])
    before = q

with style() as colours:
    fig, (left, right) = plt.subplots(1, 2, figsize=(10.5, 4.2), layout="constrained")
    left.plot(likelihoods, "o-", label="log-likelihood")
    left.plot(bounds, "v", color=colours.bad, label="bound before the E step")
    left.vlines(np.arange(16), bounds, likelihoods, color=colours.muted, lw=1)
    left.set(xlabel="EM step", ylabel="nats", title="The likelihood never falls")
    left.legend(loc="lower right")
    for line, name in zip(np.transpose(shares), ["share of bag 1", "cherry", "red", "hole"]):
        right.plot(line, label=name)
    right.set(xlabel="EM step", ylabel="probability", ylim=(0, 1), title="What is in bag 1")
    right.legend()
plt.show()

# %%
# Each M step raises the bound as far as it can, and each E step brings it up to the likelihood again. The first steps
# gain most. In the end, bag 1 is the one with mostly cherry flavour, red wrappers and holes.
