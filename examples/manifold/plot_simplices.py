"""
Points from distances
=====================

Only the distances between the corners of a triangle and of a tetrahedron are given: all are 1. Classical scaling finds
the corners again.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.manifold import ClassicalMDS, double_center
from statlearn.plot import style

# %%
# The eigenvalues of the double-centred matrix tell the dimension: two equal ones for the triangle, three for the
# tetrahedron, and one zero each.
for n in (3, 4):
    print(n, "corners:", np.linalg.eigvalsh(double_center(1 - np.eye(n)))[::-1].round(6) + 0.0)

# %%
with style():
    figure = plt.figure(figsize=(8, 4), layout="constrained")
    corners = ClassicalMDS(2, metric="precomputed").fit_transform(1 - np.eye(3))
    ax = figure.add_subplot(1, 2, 1, aspect="equal", title="three points at distance 1")
    ax.plot(*np.vstack([corners, corners[:1]]).T, "o-")
    corners = ClassicalMDS(3, metric="precomputed").fit_transform(1 - np.eye(4))
    ax = figure.add_subplot(1, 2, 2, projection="3d", title="four points at distance 1")
    for i in range(4):
        for j in range(i):
            ax.plot(*corners[[i, j]].T, "o-", color="C0")
    ax.set_box_aspect((1, 1, 1))
plt.show()
