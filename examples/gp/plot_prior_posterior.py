"""
What a kernel says about functions
==================================

A kernel is a statement about functions before any data are seen. Draws from the prior show it: how smooth the functions
are, whether they repeat, whether they grow. Five observations then pin the draws down where they are, and leave them as
they were elsewhere.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.gp import RBF, Brownian, DotProduct, ExpSineSquared, GaussianProcessRegressor, Matern
from statlearn.plot import style

X = np.array([[0.6], [1.4], [2.2], [3.6], [4.4]])
y = np.array([0.3, 0.9, 0.7, -0.6, -0.9])
grid = np.linspace(0.0, 6.0, 200)[:, None]
kernels = {
    "RBF": RBF(0.8),
    "Matern 3/2": Matern(0.8, nu=1.5),
    "Matern 1/2": Matern(0.8, nu=0.5),
    "periodic": ExpSineSquared(1.0, 4.5),
    "dot product, squared": 0.1 * DotProduct(1.0) ** 2,
    "Brownian": Brownian(0.5),
}

with style():
    fig, axes = plt.subplots(len(kernels), 2, figsize=(9, 13), sharex=True, layout="constrained")
    for row, (name, kernel) in zip(axes, kernels.items()):
        model = GaussianProcessRegressor(kernel, alpha=1e-2, optimizer=None)
        for ax, title in zip(row, (f"{name}: prior", "posterior")):
            mean, std = model.predict(grid, return_std=True)
            ax.fill_between(grid[:, 0], mean - 2 * std, mean + 2 * std, color="0.88", lw=0)
            ax.plot(grid, model.sample_y(grid, 4, random_state=1), lw=1)
            ax.plot(grid, mean, "k", lw=1.5)
            ax.set(title=title, ylim=(-3.5, 3.5))
            model.fit(X, y)
        row[1].plot(X, y, "ko", ms=4)
plt.show()

# %%
# The band of the smooth kernels closes at the observations and opens between them; that of the polynomial is narrow
# everywhere, since three coefficients are soon known, and it is wrong where the data bend more than a parabola can. The
# periodic kernel carries what it has seen over to the next period.
