"""
Storks and births: a caution
============================

The number of storks predicts the number of births with a tiny p-value. Should we believe it? The data are simulated: in
this world storks have no effect at all.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from statlearn.linear import LinearRegression

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

fig, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
axes[0].plot(storks, births, ".")
axes[0].set(xlabel="storks", ylabel="births", title=f"p = {alone.summary()['p'][1]:.1g}")


def without_area(values):
    return values - LinearRegression().fit(area[:, None], values).predict(area[:, None])


axes[1].plot(without_area(storks), without_area(births), ".")
axes[1].set(xlabel="storks, given the area", ylabel="births, given the area", title=f"p = {both.summary()['p'][1]:.2f}")
plt.show()

# %%
# A coefficient table answers "what goes with what, in this sample, given these columns" and not "what causes what". The
# size of the region was the common cause.
