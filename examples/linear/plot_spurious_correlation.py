"""
Storks and births: a caution
============================

In seventeen countries of Europe the number of storks goes with the number of births, with a small p-value. Should we
believe that storks bring babies?
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from statlearn.linear import LinearRegression
from statlearn.plot import style

# %%
# The published table: pairs of storks, and births per year in thousands (Matthews, 2000, Storks deliver babies
# (p = 0.008), *Teaching Statistics* 22, 36-38).
countries = [
    *("Albania", "Austria", "Belgium", "Bulgaria", "Denmark", "France", "Germany", "Greece", "Holland", "Hungary"),
    *("Italy", "Poland", "Portugal", "Romania", "Spain", "Switzerland", "Turkey"),
]
storks = [100, 300, 1, 5000, 9, 140, 3300, 2500, 4, 5000, 5, 30000, 1500, 5000, 8000, 150, 25000]
births = [83, 87, 118, 117, 59, 774, 901, 106, 188, 124, 551, 610, 120, 367, 439, 82, 1576]
europe = pd.DataFrame({"storks": storks, "births": births}, index=countries)
published = LinearRegression().fit(europe[["storks"]], europe["births"])
print(published.summary())
correlation = europe.corr().loc["storks", "births"]
print(f"correlation {correlation:.3f}, p = {published.summary()['p'][1]:.4f}")

# %%
# A world that we know: these data are simulated, and in this world storks have no effect at all.

rng = np.random.default_rng(0)
area = rng.gamma(2.0, 60.0, size=80)  # large regions have more of everything
storks = 0.4 * area + 8.0 * rng.normal(size=80)
births = 3.0 * area + 60.0 * rng.normal(size=80)
alone = LinearRegression().fit(pd.DataFrame({"storks": storks}), births)
print(alone.summary())

# %%
# With the common cause in the model the effect is gone.

both = LinearRegression().fit(pd.DataFrame({"storks": storks, "area": area}), births)
print(both.summary())


def without_area(values):
    return values - LinearRegression().fit(area[:, None], values).predict(area[:, None])


with style():
    fig, axes = plt.subplots(1, 3, figsize=(14, 4.4), layout="constrained")
    axes[0].scatter(europe["storks"], europe["births"])
    for country in ("Poland", "Turkey", "Germany", "France", "Italy", "Spain", "Romania"):
        axes[0].annotate(country, europe.loc[country], xytext=(6, 3), textcoords="offset points", fontsize=8)
    axes[0].set(title=f"Europe: p = {published.summary()['p'][1]:.4f}", xlabel="pairs of storks", xlim=(-1500, 35000))
    axes[0].set_ylabel("births per year (thousands)")
    axes[1].scatter(storks, births, s=14)
    axes[1].set(title=f"simulated: p = {alone.summary()['p'][1]:.1g}", xlabel="storks", ylabel="births")
    axes[2].scatter(without_area(storks), without_area(births), s=14)
    axes[2].set(title=f"simulated, given the area: p = {both.summary()['p'][1]:.2f}", xlabel="storks, given the area")
    axes[2].set_ylabel("births, given the area")
plt.show()

# %%
# A coefficient table answers "what goes with what, in this sample, given these columns" and not "what causes what". In
# the simulation the size of the region was the common cause. Europe, too, has large countries with many storks and many
# births. A p-value of .008 says that chance alone is no good explanation, and nothing about which other one is.
