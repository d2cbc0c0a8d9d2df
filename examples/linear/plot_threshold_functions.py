"""
Three thresholds: what ridge, lasso and best subset do to an orthonormal design
===============================================================================

With orthonormal columns each method transforms the least-squares coefficients one by one.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.linear import hard_threshold, proportional_shrink, soft_threshold

beta = np.linspace(-4, 4, 401)
fig, axes = plt.subplots(1, 3, figsize=(11, 3.6), layout="constrained", sharey=True)
for ax, (title, values) in zip(
    axes,
    {
        "best subset: hard threshold": hard_threshold(beta, threshold=1.5),
        "ridge: proportional shrinkage": proportional_shrink(beta, 1.0),
        "lasso: soft threshold": soft_threshold(beta, 1.5),
    }.items(),
):
    ax.plot(beta, beta, color="0.7", ls="--")
    ax.plot(beta, values, color="C3")
    ax.set(title=title, xlabel="least-squares coefficient", aspect="equal")
axes[0].set_ylabel("estimate")
plt.show()

# %%
# Best subset keeps large coefficients untouched and jumps to zero; ridge divides all by 1 + λ and never reaches zero;
# the lasso moves all towards zero by λ and stops there.
