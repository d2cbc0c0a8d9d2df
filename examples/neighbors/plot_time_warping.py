"""
Two signatures, one hand: dynamic time warping
==============================================

Nobody signs twice at the same pace. Point by point, two signatures of one hand differ nearly as much as those of two
hands. What changes if the pace does not count?
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.neighbors import dtw_distance, dtw_path
from statlearn.plot import style


def sign(pace, loops=3.0, n=80):
    """A pen stroke of loops that drift to the right; `pace` maps the time from 0 to 1 to the way that is done."""
    way = pace(np.linspace(0, 1, n))
    angle = 2 * np.pi * loops * way
    return np.column_stack([3 * way + 0.5 * np.sin(angle), 0.6 * np.cos(angle) * (1 - 0.5 * way)])


first = sign(lambda t: t)
again = sign(lambda t: t**1.8, n=95) + [0.0, 0.05]  # slow at first, then in a hurry
other = sign(lambda t: t, loops=4.0)

# %%
# The path matches every point of one stroke with points of the other, in order, at the least sum of distances.
path, distance = dtw_path(first, again, cost="euclidean")
with style() as colours:
    fig, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained", width_ratios=(1.6, 1))
    apart = again + [0, -2.2]
    axes[0].plot(*first.T, "o-", ms=3, label="first")
    axes[0].plot(*apart.T, "o-", ms=3, label="again, slow at first")
    for i, j in path[::3]:
        axes[0].plot(*np.transpose([first[i], apart[j]]), color=colours.muted, lw=0.6, zorder=0)
    axes[0].set(title="matched points", aspect="equal", xticks=[], yticks=[])
    axes[0].grid(visible=False)
    axes[0].legend(loc="upper left", bbox_to_anchor=(0, -0.02), ncols=2)
    axes[1].plot(*path.T, color=colours.ink, label="warping path")
    axes[1].plot([0, 79], [0, 94], ":", color=colours.muted, label="the same pace")
    axes[1].plot(np.arange(80), 94 * np.linspace(0, 1, 80) ** (1 / 1.8), "--", color=colours.bad, label="the truth")
    axes[1].set(title="the pace, found again", xlabel="point of the first stroke", ylabel="point of the second")
    axes[1].legend()
plt.show()

# %%
# Distances per point: those of the same times, and those along the warping path.
for name, stroke in (("the same hand", again), ("another hand", other)):
    same_time = np.linspace(0, len(stroke) - 1, 80).round().astype(int)
    paced = np.linalg.norm(first - stroke[same_time], axis=1).mean()
    warped = dtw_distance(first, stroke, cost="euclidean") / len(dtw_path(first, stroke, cost="euclidean")[0])
    print(f"{name:14} {paced:.2f} at the same times, {warped:.2f} after warping")

# %%
# At the same times the hurried signature looks less like the first than that of another hand does. After warping only
# the shape counts, and the order is right. Aligned in this way, curves can be averaged and compared by Procrustes
# transformations.
