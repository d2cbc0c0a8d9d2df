"""
The bootstrap, drawn
====================

How far would a statistic be from this one if the data were collected again? Drawing from the data themselves, with
replacement, imitates that. What does such a sample look like, and what is left out of it?
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.assess import bootstrap_distribution, probability_left_out
from statlearn.plot import bootstrap_diagram, style

rng = np.random.default_rng(0)
waiting = rng.gamma(6.0, 2.0, size=15).round(1)

# %%
# A training set Z of fifteen waiting times, and six samples of fifteen rows each. Some rows are drawn twice or more,
# others not at all. The statistic S, here the median, is computed for each sample.
ax = bootstrap_diagram(waiting, np.median)
plt.show()

# %%
# Two thousand samples instead of six: their standard deviation estimates the standard error of the median, for which
# there is no simple formula.
found = bootstrap_distribution(np.median, waiting, n_resamples=2000, random_state=0)
low, high = found.interval(0.95, method="percentile")
print(f"median {np.median(waiting):.1f}, standard error {float(found.std_error):.1f}, interval {low:.1f} to {high:.1f}")

# %%
# The share of rows that a sample leaves out, against the number of rows: (1 - 1/n)ⁿ, which tends to 1/e. A model that
# is fitted to the sample can be tested on them.
sizes = [2, 3, 5, 10, 20, 50, 100, 200]
shares = [np.mean([1 - len(np.unique(rng.integers(n, size=n))) / n for _ in range(400)]) for n in sizes]
with style() as colours:
    fig, axes = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
    axes[0].hist(np.ravel(found.draws), bins=40, color=colours.cycle[0])
    axes[0].axvline(np.median(waiting), color=colours.ink, label="median of the data")
    axes[0].axvspan(low, high, color=colours.cycle[1], alpha=0.15, lw=0, label="95 % interval")
    axes[0].set(xlabel="median of a sample", ylabel="samples")
    axes[0].legend()
    axes[1].plot(sizes, [probability_left_out(n) for n in sizes], label="(1 - 1/n)ⁿ")
    axes[1].plot(sizes, shares, "o", label="mean of 400 samples")
    axes[1].axhline(np.exp(-1), color=colours.muted, ls=":", label="1/e = .368")
    axes[1].set(xscale="log", xlabel="rows", ylabel="share left out", ylim=(0, 0.45))
    axes[1].legend(loc="lower right")
plt.show()
print(f"left out of 200 rows: {shares[-1]:.3f}, expected {probability_left_out(200):.3f}")

# %%
# The medians of the samples take few values, because they are values of the data: the bootstrap of a median is coarse
# with few rows. About 37 % of the rows are left out whatever their number, so that a model of a sample has seen 63 % of
# them.
