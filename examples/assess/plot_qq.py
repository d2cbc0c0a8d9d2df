"""
Are the residuals normal?
=========================

Least squares on the same design with normal noise, with heavy tails, and with skewed noise. What does the Q-Q plot
see?
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.linear import LinearRegression
from statlearn.plot import qq_plot, residual_plot, style

rng = np.random.default_rng(0)
X = rng.normal(size=(150, 3))
noises = {
    "normal": rng.normal(size=150),
    "heavy tails (t, 3 df)": rng.standard_t(3, size=150),
    "skewed (exponential)": rng.exponential(size=150) - 1,
}
with style():
    fig, axes = plt.subplots(2, 3, figsize=(12, 7), layout="constrained")
    for column, (name, noise) in zip(axes.T, noises.items()):
        y = X.sum(axis=1) + noise
        fitted = LinearRegression().fit(X, y).predict(X)
        qq_plot(y - fitted, ax=column[0])
        residual_plot(y, fitted, ax=column[1])
        column[0].set_title(name)
plt.show()

# %%
# Normal residuals stay within the band. Heavy tails bend away at both ends, in opposite directions; skewed ones bend
# to the same side at both. The second row shows the residuals against the fit: none of the three has a trend, so the
# straight line is not to blame.
