"""
Units decide what a cluster is
==============================

k-means adds squares of all columns. Multiply one of them by a constant and other clusters come out; standardising is
such a multiplication, too, and may help or destroy.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.cluster import KMeans, adjusted_rand_score
from statlearn.plot import style

rng = np.random.default_rng(0)


def show(tables, truth, names, title):
    """The clusters of each table, drawn in its own coordinates."""
    with style() as colours:
        fig, axes = plt.subplots(1, len(tables), figsize=(8.4, 4.6), layout="constrained")
        for ax, (name, X) in zip(axes, tables.items()):
            labels = KMeans(2, n_init=10, random_state=0).fit(X).labels_
            for group, marker in ((0, "o"), (1, "s")):
                own = truth == group
                ax.scatter(*X[own].T, c=np.array(colours.cycle)[labels[own]], marker=marker, s=16)
            ax.set(xlabel=names[0], ylabel=names[1])
            ax.set_title(f"{name}: Rand {adjusted_rand_score(truth, labels):.2f}")
            ax.set_aspect("equal")
        fig.suptitle(title)
    plt.show()


# %%
# Two groups that differ in one column only. Once the second column is measured in smaller units, its noise is larger
# than the distance between the groups, and k-means cuts the noise.

truth = np.repeat([0, 1], 100)
X = np.column_stack([np.where(truth == 0, -4.0, 4.0) + rng.normal(size=200), 2.5 * rng.normal(size=200)])
harmed = X / X.std(axis=0) * [1.0, 1.8]
show({"as measured": X, "y in other units": harmed}, truth, ("x", "y"), "scaling that destroys clusters")

# %%
# Customers by units sold and money spent. In euros, money is nearly all that counts, in thousands of euros it would be
# nothing. Standardised columns count alike: that is a decision, too.

units = np.concatenate([rng.normal(20, 4, size=100), rng.normal(60, 4, size=100)])
money = rng.normal(300, 38, size=200)
table = np.column_stack([units, money])
standard = (table - table.mean(axis=0)) / table.std(axis=0)
show({"units and euros": table, "standardised": standard}, truth, ("units", "money"), "units sold against money spent")

# %%
# Circles and squares are the true groups, colours what k-means found. No rule says which scale is right; the question
# must.
