"""
Gaussian classes and linear boundaries
======================================

Where do the boundaries of linear discriminant analysis come from? From equal Gaussian densities: where two of them,
times their priors, are equal, the log odds are 0, and these odds are linear in x.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import multivariate_normal, norm

from statlearn.discriminant import (
    BayesClassifier,
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    decision_hyperplane,
    lda_error_rate,
)
from statlearn.plot import plot_decision_boundary, style

covariance = np.array([[1.0, 0.6], [0.6, 1.2]])
means = np.array([[0.0, 0.0], [2.5, 0.5], [0.5, 3.0]])
oracle = BayesClassifier([multivariate_normal(mean, covariance) for mean in means])
X, y = oracle.sample(300, random_state=0)
grid = np.stack(np.meshgrid(np.linspace(-4, 6, 200), np.linspace(-4, 7, 200)), axis=-1)

with style() as colours:
    fig, axes = plt.subplots(1, 3, figsize=(13, 4.2), layout="constrained")
    for ax, k in ((axes[0], 2), (axes[1], 3)):
        rows = y < k
        model = LinearDiscriminantAnalysis().fit(X[rows], y[rows])
        plot_decision_boundary(model, X[rows], y[rows], regions="class", ax=ax)
        for c in range(k):
            density = multivariate_normal(means[c], covariance).pdf(grid)
            ax.contour(grid[..., 0], grid[..., 1], density, levels=3, colors=colours.cycle[c], linewidths=1)
        ax.set_title(f"{k} classes")
    plane = decision_hyperplane(LinearDiscriminantAnalysis().fit(X, y), 0, 1)
    x = np.linspace(-4, 6, 400)
    for prior, ls in ((0.5, "-"), (0.2, "--")):
        for c, mean in enumerate((0.0, 2.0)):
            share = prior if c else 1 - prior
            axes[2].plot(x, share * norm.pdf(x, mean), ls, color=colours.cycle[c])
        cut = 1.0 + np.log((1 - prior) / prior) / 2.0
        error = lda_error_rate(2.0, priors=[1 - prior, prior])
        axes[2].axvline(cut, ymax=0.8, ls=ls, color=colours.muted, label=f"prior {prior} of class 1: error {error:.3f}")
    axes[2].set(title="one column: prior times density", xlabel="x", ylabel="density", ylim=(0, 0.45))
    axes[2].legend(loc="upper left", framealpha=1)

# %%
# The three boundaries of three classes meet in one point. A smaller prior moves the boundary towards the rarer class:
# the midpoint of the means separates only classes of equal priors.
print(f"normal of the boundary of classes 0 and 1: {plane.normal.round(2)}")
print(f"Bayes error of the three classes: {oracle.error_rate().error:.4f}")

# %%
# The discriminants as surfaces over the plane. The rule takes the highest, which is drawn opaque: the edges, seen from
# above, are the boundaries. With a common covariance the quadratic terms cancel, and planes are left, whose edges are
# the lines of the first picture. With a covariance for each class the surfaces are quadrics, and so are the boundaries.
spread = [covariance, np.diag([0.5, 2.5]), np.array([[2.0, -0.9], [-0.9, 0.8]])]
unequal = BayesClassifier([multivariate_normal(*parts) for parts in zip(means, spread)])
X2, y2 = unequal.sample(600, random_state=0)
cells = grid.reshape(-1, 2)
heights = {
    "densities": np.column_stack([multivariate_normal(mean, covariance).pdf(cells) for mean in means]),
    "common covariance: planes": LinearDiscriminantAnalysis().fit(X, y).decision_function(cells),
    "own covariances: quadrics": QuadraticDiscriminantAnalysis().fit(X2, y2).decision_function(cells),
}
with style() as colours:
    fig = plt.figure(figsize=(13, 4.8), layout="constrained")
    for place, (title, values) in zip((131, 132, 133), heights.items()):
        ax = fig.add_subplot(place, projection="3d")
        low = 0.002 if title == "densities" else values.max() - 40
        for c in range(3):
            highest = values[:, c] == values.max(axis=1)
            for rows, alpha in ((highest, 0.9), (~highest, 0.15)):
                Z = np.where(rows & (values[:, c] > low), values[:, c], np.nan).reshape(200, 200)
                ax.plot_surface(*np.moveaxis(grid, -1, 0), Z, color=colours.cycle[c], alpha=alpha, rcount=60, ccount=60)
        ax.view_init(35, -65)
        ax.set(title=title, xlabel="x0", ylabel="x1")
plt.show()
