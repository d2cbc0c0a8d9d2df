"""
Ways up the hill: mean shift
============================

Each point moves to the mean of the rows around it, again and again, and so climbs the density of the rows. Those that
arrive at one summit are a cluster; nobody has to say how many there are, only how far a point can see.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs

from statlearn.cluster import MeanShift
from statlearn.plot import style

X, _ = make_blobs([80, 60, 40], centers=[[0, 0], [4, 1], [1.5, 4]], cluster_std=[0.9, 0.7, 0.6], random_state=4)
starts = X[::3]
side = np.linspace(-3, 6.5, 120)
grid = np.stack(np.meshgrid(side, side), axis=-1)

with style() as colours:
    fig, axes = plt.subplots(1, 2, figsize=(10.5, 4.8), layout="constrained", sharey=True)
    for ax, kernel, width in zip(axes, ("flat", "gaussian"), (1.6, 0.8)):
        model = MeanShift(bandwidth=width, kernel=kernel).fit(X)
        d2 = ((grid[:, :, None] - X) ** 2).sum(axis=-1) / width**2
        density = np.maximum(1 - d2, 0).sum(axis=-1) if kernel == "flat" else np.exp(-d2 / 2).sum(axis=-1)
        ax.contour(side, side, density, levels=12, colors=colours.faint, linewidths=1)
        ways = model.trajectories(X, starts)
        ends = model.predict(ways[-1])
        for j in range(len(starts)):
            ax.plot(*ways[:, j].T, color=colours.cycle[ends[j] % 7], lw=1, marker=".", ms=3)
        ax.plot(*X.T, ".", ms=3, color=colours.muted, zorder=0)
        ax.plot(*model.cluster_centers_.T, "X", ms=10, color=colours.ink, mec=colours.background)
        ax.set(title=f"{kernel} kernel, width {width}: {len(model.cluster_centers_)} modes", aspect="equal")
plt.show()

# %%
# The lines are those of equal density, for the flat kernel that of its shadow, Epanechnikov's parabola. A flat kernel
# takes long strides and stops after a few; the Gaussian one slows down as it nears the summit. The number of clusters
# follows from the width:

for width in (0.4, 0.8, 1.2, 2.0, 3.0):
    model = MeanShift(bandwidth=width, kernel="gaussian", max_iter=2000).fit(X)
    print(f"width {width}: {len(model.cluster_centers_)} modes")
