"""
How far away is the nearest of a thousand points?
=================================================

Points fill the cube from -1 to 1 evenly, without noise: y is exp(-8 ‖x‖²), so that the value at the origin is 1. One
nearest neighbour estimates it, in more and more dimensions.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.neighbors import curse_simulation, median_nn_distance
from statlearn.plot import plot_curse, style

result = curse_simulation(range(1, 11), n_samples=1000, n_repeats=100, random_state=0)
plot_curse(result)
plt.show()

# %%
# In one dimension a neighbour is next door; in ten it lives at the border, and what it says about the origin is
# nothing. The error is all bias: it does not go away by averaging over repetitions.

print(result.to_frame().round(3).to_string())

# %%
# In a ball the median of the nearest distance has a formula. To keep it at a tenth of the radius takes a number of
# points that grows with the power of the dimension.

dimensions = np.arange(1, 21)
with style() as colours:
    fig, ax = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
    for n, colour in zip((100, 10_000, 1_000_000), colours.cycle):
        ax.plot(dimensions, median_nn_distance(dimensions, n), "o-", ms=3.5, color=colour, label=f"{n:,} points")
    ax.axhline(0.5, lw=1, ls="--", color=colours.muted)
    ax.annotate("half way to the border", (1, 0.5), (0, 3), textcoords="offset points", color=colours.muted)
    ax.set(xlabel="dimension", ylabel="median distance of the nearest", ylim=(0, 1))
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.legend(loc="lower right")
plt.show()
