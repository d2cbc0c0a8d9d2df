"""
A net that unfolds, and the wines on a map
==========================================

A self-organising map is k-means whose centres are tied to a grid. First the net itself, in the plane of two columns
after 0, 10 and 100 passes, then pictures of a map of thirteen columns.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine

from statlearn.cluster import SelfOrganizingMap
from statlearn.plot import som_plot
from statlearn.prep import StandardScaler

rng = np.random.default_rng(0)
angle = rng.uniform(0, 1.5 * np.pi, 600)
ring = np.column_stack([np.cos(angle), np.sin(angle)]) * rng.uniform(0.7, 1.3, (600, 1))

fig, axes = plt.subplots(1, 3, figsize=(11, 3.6), layout="constrained", sharex=True, sharey=True)
net, shown = SelfOrganizingMap((5, 15), init="random", n_passes=0, random_state=0).fit(ring), 0
radii = np.linspace(5.0, 0.5, 100)
for passes in range(101):
    if passes in (0, 10, 100):
        som_plot(net, ring, kind="net", ax=axes[shown]).set_title(
            f"{passes} passes, topographic error {net.topographic_error_:.2f}", fontsize=9
        )
        shown += 1
    if passes < 100:
        r = radii[passes]
        net = SelfOrganizingMap((5, 15), init=net.prototypes_, n_passes=1, radius=r, final_radius=r).fit(ring)
plt.show()

# %%
# At a random start, lines join prototypes anywhere. With a large radius all prototypes move to nearly the same place
# and order themselves; then the net spreads as the radius decreases, and follows the bent shape.

wine = load_wine(as_frame=True)
X = StandardScaler().set_output(transform="pandas").fit_transform(wine.data)
som = SelfOrganizingMap((9, 9), topology="hex").fit(X)
fig, axes = plt.subplots(2, 2, figsize=(10, 8), layout="constrained")
som_plot(som, ax=axes[0, 0]).set_title("U-matrix")
som_plot(som, X, wine.target_names[wine.target], ax=axes[0, 1]).set_title("rows, coloured by class")
som_plot(som, kind="component", column="flavanoids", ax=axes[1, 0]).set_title("flavanoids (standardised)")
som_plot(som, kind="component", column="color_intensity", ax=axes[1, 1]).set_title("color intensity (standardised)")
print(f"quantisation error {som.quantization_error_:.2f}, topographic error {som.topographic_error_:.2f}")
plt.show()

# %%
# The map never saw the classes, and yet each has its region. Component planes say why: few flavanoids at one end, much
# colour at another. Dark borders in the U-matrix are gaps in the data; without it, equal steps on the grid would look
# like equal distances.
