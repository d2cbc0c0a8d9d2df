"""
Cross terms and powers: when a plane is not enough
==================================================

The truth bends: y = 2 x1 + x2 - 0.8 x1 x2 + 0.5 x1² plus noise. What does a plane miss, and which columns mend it?
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.assess import mean_squared_error
from statlearn.linear import LinearRegression, forward_enhance
from statlearn.plot import style
from statlearn.prep import PolynomialFeatures

rng = np.random.default_rng(0)
X = rng.uniform(-3, 3, (400, 2))
y = 2 * X[:, 0] + X[:, 1] - 0.8 * X[:, 0] * X[:, 1] + 0.5 * X[:, 0] ** 2 + 0.5 * rng.normal(size=400)
train, test = slice(0, 200), slice(200, None)

# %%
# Both surfaces with a third of the training rows and their residuals, orange above the surface and green below. Those
# of the plane form a pattern: it is too low in two corners and too high between them.
expand = PolynomialFeatures(2, include_bias=False).fit(X)
plane = LinearRegression().fit(X[train], y[train])
bent = LinearRegression().fit(expand.transform(X[train]), y[train])
for name, value in zip(expand.get_feature_names_out(["x1", "x2"]), bent.coef_):
    print(f"{name:6}{value:7.3f}")

axis = np.linspace(-3, 3, 25)
grid = np.stack(np.meshgrid(axis, axis), axis=-1)
cells = grid.reshape(-1, 2)
some = np.arange(0, 200, 3)
models = {"plane": plane.predict, "with products and squares": lambda rows: bent.predict(expand.transform(rows))}
with style() as colours:
    fig = plt.figure(figsize=(11, 5), layout="constrained")
    for place, (name, predict) in zip((121, 122), models.items()):
        ax = fig.add_subplot(place, projection="3d")
        ax.plot_surface(grid[..., 0], grid[..., 1], predict(cells).reshape(25, 25), color=colours.cycle[0], alpha=0.35)
        fitted = predict(X[some])
        for above, colour in ((True, colours.cycle[1]), (False, colours.cycle[2])):
            rows = some[(y[some] > fitted) == above]
            ax.scatter(*X[rows].T, y[rows], color=colour, s=12, depthshade=False)
            for i, f in zip(rows, predict(X[rows])):
                ax.plot(*np.column_stack([X[i], X[i]]), [f, y[i]], color=colour, lw=1)
        error = mean_squared_error(y[test], predict(X[test]))
        ax.set(title=f"{name}: test error {error:.2f}", xlabel="x1", ylabel="x2", zlabel="y")
        ax.view_init(22, -120)
plt.show()

# %%
# Nobody has to know the terms beforehand. Starting from the plane, each step adds the product or the power that lowers
# the cross-validated error most.
chain = forward_enhance(X[train], y[train], max_degree=4, max_terms=6, feature_names=["x1", "x2"])
added = ["x1 + x2"] + ["+ " + model.terms[-1] for model in chain[1:]]
errors = [mean_squared_error(y[test], model.predict(X[test])) for model in chain]
print(f"{'term':10}{'cross-validated':>16}{'test':>8}")
for name, model, error in zip(added, chain, errors):
    print(f"{name:10}{model.cv_loss:16.3f}{error:8.3f}")

with style() as colours:
    fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
    place = np.arange(len(chain))
    losses, std_errors = zip(*((model.cv_loss, model.cv_std_error) for model in chain))
    ax.errorbar(place, losses, std_errors, fmt="o--", capsize=3, label="cross-validated")
    ax.plot(place, errors, "s-", label="test rows")
    ax.axhline(0.25, color=colours.muted, ls=":", label="variance of the noise")
    ax.set_xticks(place, added)
    ax.set(xlabel="term added", ylabel="mean squared error", ylim=(0, None))
    ax.legend()
plt.show()

# %%
# The product comes first, the square second, and the error is then that of the noise. Terms that follow change nothing
# that matters: stop there, or ask for a minimum improvement (``min_improvement=0.01``).
