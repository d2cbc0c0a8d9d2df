"""
Countries in the plane
======================

Students judged how dissimilar twelve countries were in 1971. Least-squares scaling turns the judgements into a map.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.manifold import MDS
from statlearn.plot import style

names = [
    *("Belgium", "Brazil", "China", "Cuba", "Egypt", "France"),
    *("India", "Israel", "USA", "USSR", "Yugoslavia", "Zaire"),
]
lower = """
5.58
7.00 6.50
7.08 7.00 3.83
4.83 5.08 8.17 5.83
2.17 5.75 6.67 6.92 4.92
6.42 5.00 5.58 6.00 4.67 6.42
3.42 5.50 6.42 6.42 5.00 3.92 6.17
2.50 4.92 6.25 7.33 4.50 2.25 6.33 2.75
6.08 6.67 4.25 2.67 6.00 6.17 6.17 6.92 6.17
5.25 6.83 4.50 3.75 5.75 5.42 6.08 5.83 6.67 3.67
4.75 3.00 6.08 6.67 5.00 5.58 4.83 6.17 5.67 6.50 6.92
"""
D = np.zeros((12, 12))
for i, line in enumerate(lower.strip().split("\n"), start=1):
    D[i, :i] = D[:i, i] = [float(word) for word in line.split()]

# %%
# The stress has many local minima: of forty random starts, only some find the best one.
mds = MDS(2, metric="precomputed", init="random", n_init=40, eps=1e-10, max_iter=2000, random_state=0).fit(D)
best = mds.init_stress_ < mds.stress_ * (1 + 1e-6)
print(f"stress {mds.stress_:.4f} (root {mds.root_stress_:.4f}), reached by {best.sum()} of {len(best)} starts")

# %%
# Western countries lie together, as do the communist ones and the developing ones.
with style():
    figure, axes = plt.subplots(1, 2, figsize=(10, 4.5), layout="constrained")
    axes[0].scatter(*mds.embedding_.T)
    for name, point in zip(names, mds.embedding_):
        axes[0].annotate(name, point, xytext=(4, 4), textcoords="offset points")
    axes[0].set_aspect("equal")
    axes[0].set_title("dissimilarities in the plane")
    axes[1].hist(mds.init_stress_, bins=25)
    axes[1].set(title="stress of forty random starts", xlabel="stress")
plt.show()
