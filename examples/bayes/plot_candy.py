"""
Five bags of sweets: learning by averaging over hypotheses
==========================================================

A bag has 100, 75, 50, 25 or 0 percent cherry sweets. We unwrap limes, one after the other. Which bag is it, and what
comes next?
"""

# %%
# Posterior and prediction
# ------------------------
# The Bayes prediction averages over all five hypotheses; the most probable hypothesis alone jumps.

import matplotlib.pyplot as plt
import numpy as np

from statlearn.bayes import HypothesisSpace

prior, cherry = [0.1, 0.2, 0.4, 0.2, 0.1], [1, 0.75, 0.5, 0.25, 0]
bags = HypothesisSpace(prior, cherry, names=["100 %", "75 %", "50 %", "25 %", "0 %"])
posteriors, bayes, best = [bags.posterior], [bags.predict()[0]], [bags.predict("map")[0]]
for _ in range(10):
    bags.update([0])  # a lime
    posteriors.append(bags.posterior)
    bayes.append(bags.predict()[0])
    best.append(bags.predict("map")[0])

fig, axes = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
axes[0].plot(np.array(posteriors), marker="o", markersize=3)
axes[0].legend(bags.names, title="cherry", loc="center right")
axes[0].set(xlabel="limes seen", ylabel="posterior probability", title="Which bag?")
axes[1].plot(bayes, marker="o", markersize=3, label="average over hypotheses")
axes[1].step(range(11), best, where="mid", label="most probable hypothesis")
axes[1].set(xlabel="limes seen", ylabel="P(next is lime)", title="What comes next?")
axes[1].legend(loc="lower right")

# %%
# After three limes the bag without cherries is the most probable. From then on, it predicts limes with certainty, while
# the average admits that it may be wrong.

print("P(next lime) after 1, 2, 3 limes:", np.round(bayes[1:4], 4))
