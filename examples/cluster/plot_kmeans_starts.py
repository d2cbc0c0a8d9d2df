"""
Where k-means starts
====================

The end of k-means depends on its start. Rows drawn far from one another (k-means++, k-means||) lead to better ends than
rows drawn uniformly, or points drawn from the box around the data.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.cluster import KMeans
from statlearn.plot import style

rng = np.random.default_rng(0)
middles = rng.uniform(0, 20, size=(25, 2))
X = middles[rng.integers(25, size=1000)] + 0.4 * rng.normal(size=(1000, 2))
starts = ["box", "random", "k-means||", "k-means++"]
ends = {s: np.array([KMeans(25, init=s, n_init=1, random_state=r).fit(X).inertia_ for r in range(60)]) for s in starts}
best = min(values.min() for values in ends.values())
with style() as colours:
    fig, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    for place, values in enumerate(ends.values()):
        shift = 0.12 * np.random.default_rng(1).uniform(-1, 1, size=len(values))
        left.scatter(values / best, place + shift, s=14, alpha=0.7, color=colours.cycle[place])
        left.plot([np.median(values) / best] * 2, [place - 0.3, place + 0.3], color=colours.ink)
    left.set_yticks(range(len(starts)), starts)
    left.set(xlabel="objective at the end, best found = 1")
    left.grid(axis="y", visible=False)
    for place, (name, values) in enumerate(ends.items()):
        # Mean of the best of r starts, over all ways to choose them: from the sorted values.
        order, n = np.sort(values) / best, len(values)
        counts = np.arange(1, 31)
        chance = [((n - np.arange(n)) / n) ** r - ((n - 1 - np.arange(n)) / n) ** r for r in counts]
        right.plot(counts, [order @ p for p in chance], label=name, color=colours.cycle[place])
    right.set(xlabel="number of starts", ylabel="best objective, mean")
    right.legend()
plt.show()

# %%
# One careful start is worth many careless ones. Each dot is one start; the bar marks the median.

for name, values in ends.items():
    hits = np.mean(values < 1.05 * best)
    print(f"{name}: median {np.median(values) / best:.2f} times the best, within 5 % of it {hits:.0%} of the time")
