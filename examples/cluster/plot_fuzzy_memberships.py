"""
Hard and soft assignments
=========================

k-means gives every row to one cluster, also those half-way between two. Fuzzy c-means gives degrees of membership. How
soft are they, and who decides?
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import to_rgb

from statlearn.cluster import FuzzyCMeans, KMeans
from statlearn.plot import style

rng = np.random.default_rng(0)
centres = np.array([[-2.2, -1.0], [2.2, -1.0], [0.0, 2.6]])
X = centres[np.repeat(np.arange(3), 100)] + rng.normal(size=(300, 2))

hard = KMeans(3, random_state=0).fit(X)
panels = {"k-means": (np.eye(3)[hard.labels_], hard.cluster_centers_)}
for m in (1.05, 2.0, 8.0):
    soft = FuzzyCMeans(3, m=m, init=hard.cluster_centers_, max_iter=1000).fit(X)
    panels[f"m = {m:g}"] = soft.memberships_, soft.cluster_centers_

# %%
# The colour of a row mixes the colours of the three clusters by its memberships: the muddier it is, the more the row
# belongs to all of them alike.
with style() as colours:
    palette = np.array([to_rgb(colour) for colour in colours.cycle[:3]])
    fig, axes = plt.subplots(1, 4, figsize=(13, 3.8), layout="constrained", sharex=True, sharey=True)
    for ax, (name, (memberships, centers)) in zip(axes, panels.items()):
        ax.scatter(*X.T, c=memberships @ palette, s=18)
        ax.plot(*centers.T, "X", ms=11, color=colours.ink, mec=colours.background)
        ax.set(title=f"{name}\nlargest membership {memberships.max(axis=1).mean():.2f}", aspect="equal")
plt.show()

for name, (memberships, centers) in panels.items():
    unsure = np.mean(memberships.max(axis=1) < 0.6)
    spread = np.linalg.norm(centers - centers.mean(axis=0), axis=1).mean()
    print(f"{name:9}{unsure:5.0%} of the rows below .6, centres {spread:.2f} from their mean")

# %%
# The exponent m decides. Near 1 the memberships are labels and the result is that of k-means; at 2, the usual choice,
# only the rows in between are shared. With a large m every row belongs to all clusters nearly alike, and the centres
# move together.
