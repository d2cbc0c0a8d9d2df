"""
XOR: what one hidden layer adds
===============================

No straight line separates the points whose coordinates differ from those whose coordinates agree. Two ReLU units are
enough: h1 = relu(x1 + x2), h2 = relu(x1 + x2 - 1), and the output h1 - 2 h2.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.linear import LogisticRegression
from statlearn.neural import MLPClassifier
from statlearn.plot import style

rng = np.random.default_rng(0)
corners = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
which = rng.integers(4, size=300)
X = corners[which] + 0.15 * rng.normal(size=(300, 2))
y = corners[which].sum(axis=1) % 2
models = {
    "logistic regression": LogisticRegression(),
    "8 hidden units": MLPClassifier(8, "tanh", solver="lbfgs", alpha=0.1, max_iter=1000, random_state=0),
}
grid = np.stack(np.meshgrid(np.linspace(-0.6, 1.6, 120), np.linspace(-0.6, 1.6, 120)), axis=-1)
with style() as colours:
    fig, axes = plt.subplots(1, 2, figsize=(9, 4.2), layout="constrained")
    for ax, (name, model) in zip(axes, models.items()):
        model.fit(X, y)
        p = model.predict_proba(grid.reshape(-1, 2))[:, 1].reshape(120, 120)
        ax.contourf(grid[..., 0], grid[..., 1], p, levels=np.linspace(0, 1, 11), cmap="RdBu_r", alpha=0.6)
        ax.contour(grid[..., 0], grid[..., 1], p, levels=[0.5], colors="k")
        ax.scatter(*X.T, c=np.array(colours.cycle)[y], s=10)
        ax.set_title(f"{name}: accuracy {model.score(X, y):.2f}")
        ax.set_aspect("equal")
plt.show()

# %%
# A straight line gets at most three of the four clouds right. The logistic regression does not even find such a line:
# its best slopes are close to zero, its probabilities stay around 1/2, and on which side of 1/2 they lie says
# nothing. The network bends its score and separates the classes. Two units suffice in principle, but training rarely
# finds them: the loss has poor minima, and spare units avoid most of them.
