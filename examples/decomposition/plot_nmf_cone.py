"""
Non-negative factors are not unique
===================================

All rows of X lie in the cone spanned by the rows of H. Several cones can hold the same points.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.decomposition import non_negative_factorization
from statlearn.plot import style

rng = np.random.default_rng(0)
angles = rng.uniform(0.45, 1.1, size=60)  # the points stay away from the axes
X = rng.uniform(0.3, 1.0, size=(60, 1)) * np.column_stack([np.cos(angles), np.sin(angles)])

# %%
# Three starts give three exact factorisations of rank 2 with different cones: any cone between that of the points and
# the positive quadrant will do. With points on both axes, the cone would be unique.

with style():
    fig, axes = plt.subplots(1, 3, figsize=(8.4, 3.0), sharex=True, sharey=True, layout="constrained")
    for ax, tilt in zip(axes, (0.02, 0.2, 0.4)):
        H = np.array([[np.cos(tilt), np.sin(tilt)], [np.sin(tilt), np.cos(tilt)]])
        W = np.clip(X @ np.linalg.inv(H), 1e-3, None)
        W, H, _ = non_negative_factorization(X, W, H, 2, init="custom", max_iter=1000)
        error = np.linalg.norm(X - W @ H) / np.linalg.norm(X)
        directions = H / np.linalg.norm(H, axis=1, keepdims=True)
        for direction in directions:
            ax.plot([0, 1.2 * direction[0]], [0, 1.2 * direction[1]], lw=2)
        ax.fill(*np.vstack([[0, 0], 1.2 * directions]).T, alpha=0.15)
        ax.scatter(*X.T, s=8, color="0.3")
        ax.set(title=f"relative error {error:.0e}", aspect="equal", xlim=(0, 1.25), ylim=(0, 1.25))
plt.show()
