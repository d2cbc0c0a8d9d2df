"""
A table as people keep it
=========================

Loan applications have answers, levels, numbers and amounts such as "75K". ``TableTransformer`` says what it takes
each column for, and makes the design matrix.
"""

import matplotlib.pyplot as plt
import numpy as np
import polars as pl

from statlearn.plot import style
from statlearn.prep import TableTransformer

loans = pl.DataFrame(
    {
        "home owner": ["Y", "N", "N", "Y", "N"],
        "marital": ["Single", "Married", "Divorced", "Single", "Married"],
        "age": [20, 25, 35, 24, 28],
        "income": ["75K", "100K", "170K", "90K", "120K"],
        "approved": ["Y", "N", "N", "Y", "N"],
    }
)
table = TableTransformer().fit(loans)
print(table.summary())

# %%
# The same for a larger table with dates, gaps, a text and columns that say nothing. What is learned (levels, fills,
# the first day) comes from the training rows; a row of the design depends on no other row.

rng = np.random.default_rng(0)
n = 12
day = np.datetime64("2024-01-01") + rng.integers(0, 400, size=n)
applications = pl.DataFrame(
    {
        "number": np.arange(1, n + 1),
        "received": day,
        "income": [None if k % 5 == 0 else f"{v:.0f}K" for k, v in enumerate(rng.gamma(5, 20, size=n))],
        "region": rng.choice(["north", "south", "west"], size=n),
        "country": ["FI"] * n,
        "owner": rng.random(n) < 0.5,
    }
)
scaled = TableTransformer(scale=True).fit(applications)
print(scaled.summary())

# %%
# Both designs, column by column. The shading is the value, scaled to the range of the column.

with style("light"):
    fig, axes = plt.subplots(1, 2, figsize=(12, 5), layout="constrained", width_ratios=[1, 1.25])
    for ax, (title, transformer, frame) in zip(
        axes, [("five loans", table, loans), ("applications, standardised", scaled, applications)]
    ):
        design = transformer.transform(frame)
        low, high = design.min(axis=0), design.max(axis=0)
        ax.imshow((design - low) / np.where(high > low, high - low, 1), cmap="Blues", vmin=0, vmax=1.4, aspect="auto")
        for (i, j), value in np.ndenumerate(design):
            text = f"{value:,.0f}" if value == round(value) else f"{value:.1f}"
            ax.text(j, i, text, ha="center", va="center", fontsize=8)
        names = transformer.get_feature_names_out()
        ax.set_xticks(range(len(names)), names, rotation=40, ha="right", rotation_mode="anchor")
        ax.set(yticks=range(len(design)), ylabel="row", title=title)
        ax.grid(False)
plt.show()
