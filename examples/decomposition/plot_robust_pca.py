"""
Principal axes, and what outliers do to them
============================================

Eighty points near a line, twelve far away from it. Which methods still find the line?
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.decomposition import IRLSPCA, PCA, RANSACPCA
from statlearn.plot import style, theme

rng = np.random.default_rng(1)
direction = np.array([2.0, 1.0]) / np.sqrt(5)
clean = np.outer(rng.normal(scale=2.0, size=80), direction) + 0.25 * rng.normal(size=(80, 2))
outliers = rng.normal(size=(12, 2)) * [2.5, 1.2] + [-1.0, 5.0]
X = np.vstack([clean, outliers])

# %%
# Left: the two principal axes of the clean points, as long as two standard deviations. Right: the first axis by
# ordinary, reweighted and consensus fits to all points. Least squares turns towards the outliers, the other two do not.


def draw(ax, mean, axis, length, **style_of_line):
    ends = mean + np.outer([-length, length], axis)
    ax.plot(*ends.T, **style_of_line)


plain = PCA(2).fit(clean)
models = {
    "PCA": PCA(1).fit(X),
    "IRLSPCA": IRLSPCA(1, scale=0.5, max_iter=1000).fit(X),
    "RANSACPCA": RANSACPCA(1, random_state=0).fit(X),
}
with style():
    figure, axes = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained", sharex=True, sharey=True)
    axes[0].plot(*clean.T, "o", ms=4, mew=0, alpha=0.6)
    for axis, variance in zip(plain.components_, plain.explained_variance_):
        draw(axes[0], plain.mean_, axis, 2 * np.sqrt(variance), color=theme().ink, lw=2)
    axes[0].set(title="principal axes of clean points", aspect="equal")
    axes[1].plot(*clean.T, "o", ms=4, mew=0, alpha=0.6)
    axes[1].plot(*outliers.T, "x", ms=5, color=theme().bad)
    for k, (name, model) in enumerate(models.items()):
        draw(axes[1], model.mean_, model.components_[0], 6, label=name, color=theme().cycle[(2, 3, 4)[k]], lw=2)
    axes[1].set(title="one axis, with outliers", aspect="equal")
    axes[1].legend()
plt.show()

# %%
# Angles with the true direction, in degrees:
for name, model in models.items():
    print(f"{name:10s} {np.degrees(np.arccos(abs(model.components_[0] @ direction))):5.1f}")
