"""
Landmarks and similarity
========================

A linear machine on the similarities to a few landmarks draws curved boundaries. What does the width of the similarity
decide?
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.plot import plot_decision_boundary, style
from statlearn.prep import make_pipeline
from statlearn.svm import LinearSVC, RBFLandmarks

rng = np.random.default_rng(0)
X = rng.uniform(-3, 3, (250, 2))
landmarks = np.array([[-1.5, -1.2], [1.4, 1.3], [1.6, -1.5]])
y = np.where(np.linalg.norm(X[:, None] - landmarks[:2], axis=2).min(axis=1) < 1.2, "inside", "outside")
axis = np.linspace(-3, 3, 150)
plane = np.stack(np.meshgrid(axis, axis), axis=-1)

# %%
# Above, the similarity exp(-\|x - l\|² / 2σ²) to each of the three landmarks: 1 at the landmark, .61 at the distance σ,
# and .01 at three times σ. Below, the boundary of a linear machine whose three columns are these similarities. The
# class "inside" lies around two of the landmarks.
widths = (0.3, 1.0, 3.0)
weights = {}
with style() as colours:
    fig, axes = plt.subplots(2, 3, figsize=(11, 7.4), layout="constrained", sharex=True, sharey=True)
    for (above, below), sigma in zip(axes.T, widths):
        features = RBFLandmarks(landmarks, sigma=sigma).fit(X)
        similarity = features.transform(plane.reshape(-1, 2)).reshape(150, 150, 3)
        for k in range(3):
            levels = [0.1, 0.3, 0.61, 0.9]
            lines = above.contour(axis, axis, similarity[..., k], levels, colors=colours.cycle[k + 2], linewidths=1.2)
        above.clabel(lines, fontsize=7)
        above.set_title(f"similarity, σ = {sigma:g}")
        machine = make_pipeline(features, LinearSVC(C=10.0)).fit(X, y)
        weights[sigma] = machine[-1].coef_[0]
        plot_decision_boundary(machine, X, y, ax=below)
        below.get_legend().remove()
        below.set_title(f"{machine.score(X, y):.0%} correct")
        for ax in (above, below):
            ax.plot(*landmarks.T, "*", ms=14, color=colours.ink, mec=colours.background, zorder=4)
            ax.set(xlabel="", ylabel="")
plt.show()

# %%
# With a narrow similarity most points are far from every landmark: all their columns are 0, and the machine knows them
# only as "elsewhere". With a wide one the three columns hardly vary, and the penalty of the machine keeps it from
# making much of the little that they do. In between, the two landmarks inside get weights of one sign, the third has
# little to add, and the boundary is right.
for sigma in widths:
    print(f"σ = {sigma:g}: weights of the similarities {weights[sigma].round(1)}")
