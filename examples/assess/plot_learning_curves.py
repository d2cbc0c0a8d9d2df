"""
Learning curves: more rows or another model?
============================================

A straight line and a polynomial of degree 6 learn a cubic from ever more rows. Which one would profit from collecting
more?
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.assess import diagnose_regime, learning_curve
from statlearn.linear import Ridge
from statlearn.plot import plot_score_curve, style
from statlearn.prep import PolynomialFeatures, make_pipeline


def draw(rng, n):
    X = rng.uniform(-2, 2, size=(n, 1))
    return X, X[:, 0] ** 3 - 2 * X[:, 0] + rng.normal(size=n)


ACCEPTABLE = 1.3  # the noise has variance 1: nobody gets below that
with style():
    fig, axes = plt.subplots(1, 2, figsize=(11, 4.2), sharey=True, layout="constrained")
    for ax, degree in zip(axes, (1, 6)):
        model = make_pipeline(PolynomialFeatures(degree, include_bias=False), Ridge(0.05))
        curve = learning_curve(
            model, generator=draw, train_sizes=[12, 18, 27, 40, 60, 90], n_test=300, replicates=12,
            scoring="neg_mean_squared_error", random_state=0,
        )  # fmt: skip
        plot_score_curve(curve, ax=ax, band=0.8, replicates=True, acceptable=ACCEPTABLE, log=False, centre="median")
        few = diagnose_regime(
            -np.median(curve.train_scores[0]), -np.median(curve.test_scores[0]), acceptable=ACCEPTABLE
        )
        many = diagnose_regime(curve, acceptable=ACCEPTABLE)
        ax.set(title=f"degree {degree}\n12 rows: {few.name}; 90 rows: {many.name}", ylim=(0, 6))
        print(f"degree {degree}, 12 rows: {few}")
        print(f"degree {degree}, 90 rows: {many}")
plt.show()

# %%
# Thin lines are single data sets, bands hold the middle 80 %. The straight line has learned all it can from a few
# dozen rows: both errors meet above what is acceptable, and only another model helps. The polynomial starts far apart
# and comes together below the line: rows were what it lacked.
