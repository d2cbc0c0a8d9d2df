"""
Curved boundaries from kernels
==============================

Two classes, each a mixture of ten small Gaussians. A polynomial of degree 4 and the Gaussian kernel bend the border;
the dashed lines are the rims of the margin in the kernel's space.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.plot import style
from statlearn.prep import make_scenario
from statlearn.svm import SVC

data = make_scenario("mixture", 4000, random_state=7)
order = np.random.default_rng(0).permutation(4000)
train, test = order[:200], order[200:]
X, y = data.X[train], data.y[train]
classes = np.unique(y)
machines = {
    "linear": SVC(kernel="linear", C=1.0),
    "polynomial, degree 4": SVC(kernel="poly", degree=4, coef0=1.0, gamma=0.5, C=0.5),
    "Gaussian": SVC(kernel="rbf", gamma=1.0, C=1.0),
}
low, high = X.min(axis=0) - 0.3, X.max(axis=0) + 0.3
corners = np.meshgrid(np.linspace(low[0], high[0], 120), np.linspace(low[1], high[1], 120))
points = np.column_stack([c.ravel() for c in corners])
errors = {}
with style() as colours:
    fig, axes = plt.subplots(1, 3, figsize=(11.4, 4.0), sharey=True, layout="constrained")
    for ax, (name, machine) in zip(axes, machines.items()):
        machine.fit(X, y)
        errors[name] = 1 - machine.score(X, y), 1 - machine.score(data.X[test], data.y[test]), machine.support_.size
        f = machine.decision_function(points).reshape(corners[0].shape)
        for label, colour, marker in zip(classes, colours.cycle, "os"):
            ax.scatter(*X[y == label].T, s=12, color=colour, marker=marker)
        ax.contour(*corners, f, levels=[-1, 0, 1], colors=colours.ink, linestyles=["--", "-", "--"], linewidths=1.2)
        ax.set(title=f"{name}: error {errors[name][1]:.3f}", xlabel="x1")
    axes[0].set_ylabel("x2")
plt.show()

# %%
# The error on fresh rows stands beside that of the best possible rule.

for name, (training, fresh, count) in errors.items():
    print(f"{name:22s} training {training:.3f}  fresh {fresh:.3f}  support vectors {count}")
print(f"{'Bayes':22s} {'':14s} fresh {data.bayes_error:.3f}")
