"""
Kernel ridge regression against ridge and support vector regression
===================================================================

Ridge regression fits a line, kernel ridge a curve of the kernel's space, with the penalty chosen by leave-one-out from
one eigendecomposition. Support vector regression uses the same space with another loss.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.kernels import KernelRidgeCV
from statlearn.linear import RidgeCV
from statlearn.plot import style
from statlearn.svm import SVR

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(0, 5, size=120))
truth = np.sin(2 * x) + 0.3 * x
y = truth + 0.3 * rng.normal(size=120)
X, grid = x[:, None], np.linspace(0, 5, 300)[:, None]

ridge = RidgeCV(np.geomspace(1e3, 1e-3, 30)).fit(X, y)
kernel = KernelRidgeCV(gamma=[0.5, 1.0, 2.0, 5.0, 20.0]).fit(X, y)
svr = SVR(C=1 / (2 * kernel.alpha_), epsilon=0.2, gamma=kernel.gamma_).fit(X, y)

with style() as colours:
    fig, ax = plt.subplots(figsize=(8, 4), layout="constrained")
    ax.scatter(x, y, s=12, color="0.6")
    ax.plot(grid, np.sin(2 * grid) + 0.3 * grid, "k--", lw=1, label="truth")
    for name, model in [("ridge", ridge), ("kernel ridge", kernel), ("support vectors", svr)]:
        error = np.sqrt(np.mean((model.predict(X) - truth) ** 2))
        ax.plot(grid, model.predict(grid), label=f"{name}, error {error:.2f}")
    ax.legend(ncols=2)
    ax.set(xlabel="x", ylabel="y")
plt.show()

print(f"gamma {kernel.gamma_:.2f}, alpha {kernel.alpha_:.3g}, {kernel.df_:.1f} degrees of freedom of {len(x)} rows")
print(f"{len(svr.support_)} of {len(x)} rows are support vectors; kernel ridge uses all rows")

# %%
# The leave-one-out error along the penalties: flat around its minimum, so the one-standard-error rule finds a smoother
# curve that predicts as well.

with style():
    fig, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
    kernel.cv_curve_.plot(ax=ax)
plt.show()

# %%
# Ridge cannot follow the wave. Kernel ridge and support vector regression nearly coincide: they differ in the loss, not
# in the space of functions. Kernel ridge has the closed form and exact leave-one-out; support vectors predict from a
# part of the rows and resist outliers.
