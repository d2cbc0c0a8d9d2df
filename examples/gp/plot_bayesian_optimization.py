"""
Bayesian optimisation step by step
==================================

Where should an expensive function be evaluated next? The Gaussian process says what is known, the acquisition function
what an evaluation is worth: near good values, and where nobody has looked.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.gp import BayesianOptimizer, Real
from statlearn.plot import style

# %%
# A function with a local and a global minimum, and a study that starts with three evaluations.


def objective(point):
    x = point["x"]
    return (6 * x - 2) ** 2 * np.sin(12 * x - 4)


optimizer = BayesianOptimizer({"x": (0.0, 1.0)}, n_initial=3, noise=False, random_state=0)
for _ in range(3):
    point = optimizer.ask()
    optimizer.tell(point, objective(point))

# %%
# Each column shows the model and the expected improvement before the next evaluation, which takes place at the dotted
# line. The improvement vanishes at the evaluations and has several peaks; mind its scales. The search first goes down
# into the valley. When little is left to gain there, it looks at the unknown left side, and then returns.
with style():
    figure, axes = plt.subplots(2, 4, figsize=(13, 5), sharex=True, height_ratios=[3, 1])
    for step in range(4):
        optimizer.plot(objective, axes=axes[:, step])
        axes[0, step].set(title=f"{len(optimizer.trials)} evaluations", ylim=(-13, 17))
        axes[1, step].ticklabel_format(axis="y", scilimits=(-2, 2))
        if step:
            axes[0, step].get_legend().remove()
            axes[0, step].set_ylabel("")
            axes[1, step].set_ylabel("")
        for _ in range(2):
            point = optimizer.ask()
            optimizer.tell(point, objective(point))
print(f"best value {optimizer.best_value:.4f} at x = {optimizer.best_point['x']:.4f}; the minimum is -6.0207 at 0.7572")

# %%
# The same in five dimensions of different kinds. Model and search treat integers and categories as what they are, and
# settings for which the function fails are avoided.
space = {
    "rate": Real(1e-4, 1.0, "log-uniform"),
    "depth": (1, 12),
    "share": (0.1, 1.0),
    "kind": ["a", "b", "c"],
    "flag": [False, True],
}


def expensive(p):
    if p["rate"] > 0.5 and p["flag"]:
        raise ArithmeticError("diverged")
    return (
        (np.log10(p["rate"]) + 1.5) ** 2 + 0.05 * (p["depth"] - 6) ** 2 + (p["share"] - 0.6) ** 2 + (p["kind"] != "b")
    )


mixed = BayesianOptimizer(space, random_state=0).optimize(expensive, n_trials=40)
print(mixed.best_point, f"value {mixed.best_value:.4f}")
with style():
    mixed.plot_convergence()
    mixed.plot_slices()
plt.show()
