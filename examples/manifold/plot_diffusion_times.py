"""
Diffusion maps at several times
===============================

A random walk on the rows starts at every point. After few steps it has seen small structures, after many only large
ones.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.manifold import DiffusionMap
from statlearn.plot import style

# %%
# Three groups: two close to each other, one far away.
rng = np.random.default_rng(0)
X = np.vstack([rng.normal(size=(80, 2)) * 0.5 + centre for centre in ([0, 0], [3, 0], [1.5, 4.5])])
group = np.repeat([0, 1, 2], 80)

# %%
# The coordinates are the eigenfunctions times their eigenvalues to the power t. The second eigenvalue, which separates
# the near groups, is smaller than the first, so its direction shrinks with time and the near groups merge.
with style():
    figure, axes = plt.subplots(1, 4, figsize=(14, 3.5), layout="constrained")
    for k in range(3):
        axes[0].scatter(*X[group == k].T, s=8)
    axes[0].set_title("rows")
    for ax, t in zip(axes[1:], (1, 20, 100)):
        model = DiffusionMap(2, sigma=1.0, t=t).fit(X)
        for k in range(3):
            ax.scatter(*model.embedding_[group == k].T, s=8)
        ax.set(title=f"t = {t}", xlim=(-1.8, 1.8), ylim=(-1.8, 1.8))
print("eigenvalues:", model.eigenvalues_.round(5))
plt.show()
