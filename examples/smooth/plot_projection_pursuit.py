"""
Ridge functions and varying coefficients
========================================

A product of two columns is no sum of functions of each, but it is a difference of two squares:
:math:`x_1 x_2 = \\tfrac14 (x_1 + x_2)^2 - \\tfrac14 (x_1 - x_2)^2`. Projection pursuit finds such directions by itself.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.plot import style
from statlearn.smooth import BRUTO, ProjectionPursuitRegressor, VaryingCoefficientModel

rng = np.random.default_rng(0)
X = rng.normal(size=(600, 4))
y = X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=600)
new = rng.normal(size=(2000, 4))

pursuit = ProjectionPursuitRegressor(2).fit(X, y)
additive = BRUTO().fit(X, y)
for model in (additive, pursuit):
    print(f"{type(model).__name__}: R² on new rows {model.score(new, new[:, 0] * new[:, 1]):.2f}")
print(pursuit.directions_.round(2))

# %%
# The two directions are the diagonals, the functions a parabola upwards and one downwards. The additive model, whatever
# its curves, has nothing to find.

with style():
    pursuit.plot()
plt.show()

# %%
# Where it is known which column changes the effect of which, a model with varying coefficients says it directly: here
# the effect of x turns its sign with z.

z, x = rng.uniform(size=500), rng.normal(size=500)
y = np.sin(3 * z) + np.cos(4 * z) * x + 0.3 * rng.normal(size=500)
varying = VaryingCoefficientModel().fit(np.column_stack([z, x]), y)
with style():
    intercept, effect = varying.plot()
    at = np.linspace(0, 1, 101)
    intercept.plot(at, np.sin(3 * at), "k:", label="truth")
    effect.plot(at, np.cos(4 * at), "k:")
    effect.axhline(0, color="0.7", linewidth=0.8)
    intercept.legend()
plt.show()
