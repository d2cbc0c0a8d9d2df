"""
Responses that share a cause
============================

Six responses and ten markers. The markers drive several responses each, which makes these correlated although they do
not influence one another. A graph of the responses alone joins them; a graph given the markers does not.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from statlearn.graphical import ConditionalGGM, GraphicalLasso
from statlearn.plot import style

rng = np.random.default_rng(1)
n = 300
markers = pd.DataFrame(rng.integers(0, 3, size=(n, 10)), columns=[f"m{k}" for k in range(10)]).astype(float)
noise = np.eye(6)
noise[0, 1] = noise[1, 0] = 0.6  # the only direct relation
effect = np.zeros((6, 10))
effect[[0, 2, 4], 0] = 1.2
effect[[1, 3, 5], 1] = -1.2
Y = markers.to_numpy() @ effect.T + rng.multivariate_normal(np.zeros(6), noise, size=n)
responses = pd.DataFrame(Y / Y.std(axis=0), columns=[f"g{k}" for k in range(6)])

# %%
# The two graphs.

alone = GraphicalLasso(0.15).fit(responses)
given = ConditionalGGM(0.1, alpha_coef=0.1).fit(markers, responses)
with style():
    fig, axes = plt.subplots(1, 2, figsize=(9, 4.5), layout="constrained")
    alone.plot(ax=axes[0])
    axes[0].set_title("Responses alone")
    given.plot(ax=axes[1])
    axes[1].set_title("Given the markers")
plt.show()

# %%
# What one should see: edges among g0, g2, g4 and among g1, g3, g5 on the left, one edge on the right. The coefficients
# name the causes.

print(given.coef_.round(2)[:, :4] + 0.0)
