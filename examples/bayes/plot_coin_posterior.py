"""
Beta densities, and a coin's posterior as data arrive
=====================================================

The beta family is closed under updating: ones add to its first parameter, zeros to its second.
"""

# %%
# A family of shapes
# ------------------
# Parameters above 1 give a peak, below 1 a valley; (1, 1) is flat. Their sum says how much the prior weighs.

import matplotlib.pyplot as plt
import numpy as np

from statlearn.bayes import BetaBernoulli

fig, ax = plt.subplots(figsize=(7, 3.5), layout="constrained")
for a, b in [(0.5, 0.5), (1, 1), (2, 2), (2, 5), (8, 3), (20, 20)]:
    BetaBernoulli(a, b).plot(ax)
ax.set_ylim(0, 8)
ax.legend(ncols=2, loc="upper center", fontsize="small")
ax.set_title("Beta densities")

# %%
# Data arrive
# -----------
# A coin that shows heads with probability 0.7, and two people: one knows nothing, the other is nearly sure that coins
# are fair.

rng = np.random.default_rng(1)
flips = (rng.uniform(size=200) < 0.7).astype(int)
fig, axes = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained", sharey=True)
for ax, prior, title in zip(axes, [BetaBernoulli(), BetaBernoulli(20, 20)], ["flat prior", "prior Beta(20, 20)"]):
    for n in (0, 5, 20, 200):
        prior.update(flips[:n]).plot(ax, label=f"{n} flips")
    ax.axvline(0.7, color="0.6", linestyle=":")
    ax.set_title(title)
axes[0].legend()

# %%
# After 200 flips the two nearly agree, and both intervals contain the truth, the dotted line. The sceptic needs longer:
# her prior weighs as much as 38 flips, half of them heads.

for prior in (BetaBernoulli(), BetaBernoulli(20, 20)):
    low, high = prior.update(flips).interval()
    print(f"95 % interval: {low:.3f} to {high:.3f}")
