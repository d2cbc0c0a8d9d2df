"""
Additive or tensor-product splines for a boundary between classes
=================================================================

Two classes of points whose boundary turns a corner. Logistic regression on natural splines of each column (7
coefficients) and on their products (16).
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.smooth import TensorProductSpline

rng = np.random.default_rng(5)


def draw(n):
    """Ten normal clouds for each class, as in the book's running example."""
    centres = np.vstack([rng.normal([1, 0], 1, size=(10, 2)), rng.normal([0, 1], 1, size=(10, 2))])
    label = np.repeat([0, 1], n // 2)
    return centres, label


centres, label = draw(400)


def sample():
    pick = rng.integers(0, 10, size=len(label)) + 10 * label
    return centres[pick] + rng.normal(0, np.sqrt(0.2), size=(len(label), 2)), label


X, y = sample()
X_new, y_new = sample()
u = np.linspace(X.min() - 0.3, X.max() + 0.3, 150)
grid = np.column_stack([g.ravel() for g in np.meshgrid(u, u)])

fig, axes = plt.subplots(1, 2, figsize=(10, 5), layout="constrained", sharey=True)
for ax, interaction in zip(axes, (False, True)):
    model = TensorProductSpline(df=4, interaction=interaction, model="logistic").fit(X, y)
    p = model.predict_proba(grid)[:, 1].reshape(150, 150)
    ax.contourf(u, u, p, levels=[0, 0.5, 1], colors=["C0", "C1"], alpha=0.15)
    ax.contour(u, u, p, levels=[0.5], colors="k")
    for k in (0, 1):
        ax.plot(*X[y == k].T, "o", ms=3, color=f"C{k}", alpha=0.6)
    train, test = 1 - model.score(X, y), 1 - model.score(X_new, y_new)
    name = "tensor product" if interaction else "additive"
    ax.set(title=f"{name}, {model.n_functions_} coefficients\ntraining error {train:.2f}, on new data {test:.2f}")
    print(f"{name}: training error {train:.3f}, error on new data {test:.3f}")
plt.show()

# %%
# The additive boundary cannot bend one way on the left and another on the right; the products can, at the price of
# nine more coefficients, and do so beyond the data too, where nothing holds them.
