"""
Which measurements of a carcass are related directly?
=====================================================

Fat and meat of pig carcasses were measured at three places, together with the lean percentage. Almost all pairs are
correlated. Partial correlations show which pairs are still related once the other five variables are known.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from statlearn.graphical import ThresholdGGM, matrix_plot, partial_correlation
from statlearn.plot import style

names = ["Fat11", "Meat11", "Fat12", "Meat12", "Fat13", "Meat13", "Lean"]
S = pd.DataFrame(
    [
        [11.34, 0.74, 8.42, 2.06, 7.66, -0.76, -9.08],
        [0.74, 32.97, 0.67, 35.94, 2.01, 31.97, 5.33],
        [8.42, 0.67, 8.91, 0.31, 6.84, -0.60, -7.95],
        [2.06, 35.94, 0.31, 51.79, 2.18, 41.47, 6.03],
        [7.66, 2.01, 6.84, 2.18, 7.62, 0.38, -6.93],
        [-0.76, 31.97, -0.60, 41.47, 0.38, 41.44, 7.23],
        [-9.08, 5.33, -7.95, 6.03, -6.93, 7.23, 12.90],
    ],
    index=names,
    columns=names,
)
names = ["Fat11", "Fat12", "Fat13", "Meat11", "Meat12", "Meat13", "Lean"]  # fat and meat as blocks
S = S.loc[names, names]
scale = np.sqrt(np.diag(S))

# %%
# Correlations on the left, partial correlations in the middle, and the graph of the pairs with a partial correlation
# beyond 0.25 on the right. Blue edges are positive. Their width is the partial correlation after refitting on the
# graph, so a pair may be weaker there than in the middle.

model = ThresholdGGM(0.25, covariance="precomputed").fit(S)
with style():
    fig, axes = plt.subplots(1, 3, figsize=(15, 4.6), layout="constrained")
    matrix_plot(S / np.outer(scale, scale), names=names, ax=axes[0], title="Correlations")
    matrix_plot(partial_correlation(S), names=names, ax=axes[1], title="Partial correlations")
    model.plot(ax=axes[2])
    axes[2].set_title("Partial correlation beyond 0.25")
plt.show()

# %%
# What one should see: correlations form two blocks, fat and meat, and Lean is correlated with all of the fat. Given the
# rest, places of the same kind remain joined, most strongly Meat12 with Meat13, and Lean keeps a single edge, to Fat11.

print(model.to_graph().weights)
