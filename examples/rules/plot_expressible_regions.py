"""
Which dense regions can rules express?
======================================

Two inputs with four and six values. An association rule can fix a value of an input or leave it free: it describes one
cell, a row or a column. Generalised rules allow subsets of values, so that they can describe blocks as well.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from statlearn.plot import style
from statlearn.rules import GeneralizedRules, frequent_itemsets

rng = np.random.default_rng(0)


def sample(weights, n=20_000):
    cells = rng.choice(24, size=n, p=(weights / weights.sum()).ravel())
    return pd.DataFrame({"a": [f"a{k // 6 + 1}" for k in cells], "b": [f"b{k % 6 + 1}" for k in cells]})


cell, column, block = (np.ones((4, 6)) for _ in range(3))
cell[1, 4] = 30
column[:, 2] = 6
block[np.ix_([0, 2], [0, 3, 4])] = 3  # values a1, a3 with b1, b4, b5
tables = {"one cell": sample(cell), "a column": sample(column), "a block": sample(block)}

with style():
    fig, axes = plt.subplots(1, 3, figsize=(11, 3), layout="constrained")
    for ax, (name, table) in zip(axes, tables.items()):
        counts = pd.crosstab(table.a, table.b)
        ax.imshow(counts, cmap="Blues", vmin=0)
        for i, j in np.ndindex(4, 6):
            shade = "white" if counts.iat[i, j] > counts.max(axis=None) / 2 else "black"
            ax.text(j, i, counts.iat[i, j], ha="center", va="center", color=shade, fontsize=8)
        ax.set_xticks(range(6), counts.columns)
        ax.set_yticks(range(4), counts.index)
        ax.set_title(name)
        ax.grid(visible=False)
plt.show()

# %%
# The most frequent sets express the cell and the column. For the block they list its cells one by one.
for name, table in tables.items():
    sets = frequent_itemsets([[*row] for row in table.itertuples(index=False)], min_support=0.04)
    best = sorted(sets, key=lambda found: -found[1] * len(found[0]))[:4]
    print(f"{name:9}", ", ".join(f"{{{', '.join(items)}}} {count / 20_000:.0%}" for items, count in best))

# %%
# PRIM looks for boxes with many rows relative to rows with permuted columns, and finds the block as one box; the
# largest box is shown. For the column it finds nothing: the inputs are independent there.
for name, table in tables.items():
    model = GeneralizedRules(method="prim", min_support=0.15, min_ratio=1.08, random_state=0).fit(table)
    regions = model.regions_
    print(f"{name:9}", max(regions, key=lambda r: r.support) if regions else "no region")
