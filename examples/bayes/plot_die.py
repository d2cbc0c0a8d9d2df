"""
A loaded die: Dirichlet posterior
=================================

Six probabilities at once: counts of a die are added to the parameters of a Dirichlet distribution.
"""

# %%
# Thirty and three thousand rolls
# -------------------------------
# The die shows a six twice as often as any other face.

import matplotlib.pyplot as plt
import numpy as np

from statlearn.bayes import DirichletMultinomial

truth = np.array([1, 1, 1, 1, 1, 2]) / 7
rng = np.random.default_rng(2)
prior = DirichletMultinomial(np.ones(6))
faces = [str(k) for k in range(1, 7)]
fig, axes = plt.subplots(1, 3, figsize=(11, 3.5), layout="constrained", sharey=True)
for ax, n in zip(axes, (0, 30, 3000)):
    posterior = prior.update(rng.multinomial(n, truth))
    posterior.plot(ax, labels=faces)
    ax.plot(range(6), truth, "_", color="C3", markersize=16)
    ax.axhline(1 / 6, color="0.6", linestyle=":", linewidth=1)
    ax.set(title=f"{n} rolls", xlabel="face")
axes[1].set_ylabel("")
axes[2].set_ylabel("")

# %%
# The red marks are the truth, the dotted line is a fair die. After 30 rolls most intervals still contain it; after 3000
# none does, and the intervals have closed around the truth.

sixes = posterior.marginal(5)
low, high = sixes.interval()
print(f"P(six) after 3000 rolls: mean {sixes.mean:.3f}, 95 % interval {low:.3f} to {high:.3f}")
print("expected sixes among the next 10 rolls:", posterior.count_mean(10)[5].round(2))
