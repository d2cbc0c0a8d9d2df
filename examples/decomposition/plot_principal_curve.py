"""
Principal curves and surfaces
=============================

Rows along a noisy arc, and rows on a bent sheet. A straight component misses both; a smooth curve or surface through
the middle does not.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.decomposition import PCA, PrincipalCurve, PrincipalSurface
from statlearn.plot import style, theme

rng = np.random.default_rng(0)
angle = np.sort(rng.uniform(-0.3, 1.2 * np.pi, size=200))
X = np.column_stack([2 * np.cos(angle), np.sin(angle)]) + 0.12 * rng.normal(size=(200, 2))

# %%
# The curve starts as the first principal component. Thin lines join some rows with their projections. More degrees of
# freedom follow the ends more closely.
line = PCA(1).fit(X)
ends = line.inverse_transform(np.array([[-2.5], [2.5]]))
with style():
    figure, axes = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained", sharex=True, sharey=True)
    for ax, df in zip(axes, (5, 9)):
        model = PrincipalCurve(df=df, max_iter=100).fit(X)
        ax.plot(*X.T, "o", ms=3.5, mew=0, alpha=0.5)
        ax.plot(*ends.T, "--", color=theme().muted, lw=1.2, label="first component")
        ax.plot(*model.curve_.T, color=theme().bad, lw=2, label="principal curve")
        for row, point in zip(X[::8], model.points_[::8]):
            ax.plot(*np.array([row, point]).T, color=theme().muted, lw=0.6)
        ax.set(title=f"{df} degrees of freedom, distance {model.distance_:.2f}", aspect="equal")
    axes[0].legend()
plt.show()

# %%
# A bent sheet in three dimensions: coloured by the first coordinate that the surface gives to the rows.
uv = rng.uniform(-1, 1, size=(400, 2))
sheet = np.column_stack([uv[:, 0], uv[:, 1], 0.8 * uv[:, 0] ** 2 - 0.4 * uv[:, 1]]) + 0.04 * rng.normal(size=(400, 3))
surface = PrincipalSurface(span=0.3).fit(sheet)
with style():
    figure = plt.figure(figsize=(6, 4.5), layout="constrained")
    ax = figure.add_subplot(projection="3d")
    ax.plot_wireframe(*surface.surface_.transpose(2, 0, 1), rstride=3, cstride=3, color=theme().muted, lw=0.5)
    ax.scatter(*sheet.T, c=surface.coordinates_[:, 0], cmap=theme().sequential, s=9)
    ax.set(title="rows and their principal surface")
plt.show()
print(f"plane {surface.objective_[0]:.2f}, surface {surface.distance_:.2f}")
